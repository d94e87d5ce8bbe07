//! What happens to members in a scenario: when members die, and what happens after the run is over.

use bellwether_core::{FaultEvent, Id, Time};
use bellwether_runspec::document::Flaw;
use bellwether_runspec::{FileLine, ScriptLine};

/// Everything that happens, and where the file says so.
#[derive(Clone, Debug, Default)]
pub(super) struct Events(pub Vec<FileLine>);

impl Events {
    /// When a member dies that does not come back, if it does.
    pub fn dies_at(&self, id: Id) -> Option<Time> {
        let events = || self.0.iter().flat_map(|line| line.line.events());
        let last = |wanted: FaultEvent<Id>| {
            events().filter(|&(member, what, _)| member == id && what == wanted).map(|(_, _, at)| at).max()
        };
        let died = last(FaultEvent::Crash)?;
        let recovered = last(FaultEvent::Recover);
        Some(died).filter(|&died| recovered.is_none_or(|recovered| recovered < died))
    }

    /// Refuses what happens after the run is over.
    pub fn check_times(&self, until: Option<Time>) -> Result<(), Flaw> {
        for FileLine { line, when, end, .. } in &self.0 {
            check_time(line.first(), *when, until)?;
            if !matches!(line, ScriptLine::Partition(_)) {
                check_time(line.last(), *end, until)?;
            }
        }
        Ok(())
    }

    /// Where the file names a member first, in an event.
    pub fn place_of_member(&self, id: Id) -> Option<usize> {
        let names = |line: &ScriptLine| match line {
            ScriptLine::Partition(partition) => partition.groups.iter().flatten().any(|&other| other == id),
            _ => line.events().iter().any(|(member, what, _)| *member == id || what.about() == Some(id)),
        };
        self.0.iter().find(|line| names(&line.line)).map(|line| line.whom)
    }

    /// Where the file has a line of the script, which is in the order of time.
    pub fn place_of_line(&self, script: &[ScriptLine], line: usize) -> Option<usize> {
        let like = |other: &&ScriptLine| **other == script[line];
        let before = script[..line].iter().filter(like).count();
        self.0.iter().filter(|other| other.line == script[line]).nth(before).map(|line| line.whom)
    }
}

fn check_time(time: Time, at: usize, until: Option<Time>) -> Result<(), Flaw> {
    match until {
        Some(until) if time > until => {
            let problem = format!("nothing happens at {time}: the run is over at {until}");
            Err(Flaw::new(at, problem).hint("raise 'until', or let it happen earlier"))
        }
        _ => Ok(()),
    }
}
