//! What happens to members in a scenario: which of them there are, and when it is over.

use super::members::check_member;
use bellwether_core::{FaultEvent, FaultKind, Id, Time};
use bellwether_runspec::document::{At, Flaw};
use bellwether_runspec::{FileLine, Line, check};

/// Everything that happens, and where the file says so.
#[derive(Debug, Default)]
pub(super) struct Events(pub Vec<FileLine>);

impl Events {
    fn events(&self) -> impl Iterator<Item = (Id, FaultEvent<Id>, Time)> + '_ {
        self.0.iter().flat_map(|line| line.line.events())
    }

    /// Whether one of these happens to somebody.
    pub fn has(&self, kinds: &[FaultKind]) -> bool {
        self.events().any(|(_, what, _)| kinds.contains(&what.kind()))
    }

    /// Whether anything happens besides deaths, late starts, calls and requests.
    pub fn disturb(&self) -> bool {
        let is_plain = |kind: FaultKind| {
            kind.is_request() || matches!(kind, FaultKind::Crash | FaultKind::Start | FaultKind::Call)
        };
        let has_partition = self.0.iter().any(|line| matches!(line.line, Line::Partition(_)));
        has_partition || self.events().any(|(_, what, _)| !is_plain(what.kind()))
    }

    /// Whether a member never starts.
    pub fn is_dead_from_the_start(&self, id: Id) -> bool {
        self.events().any(|event| event == (id, FaultEvent::Crash, Time::ZERO))
    }

    /// When a member dies that does not come back, if it does.
    pub fn dies_at(&self, id: Id) -> Option<Time> {
        let last = |wanted: FaultEvent<Id>| {
            let own = self.events().filter(|&(member, what, _)| member == id && what == wanted);
            own.map(|(_, _, at)| at).max()
        };
        let died = last(FaultEvent::Crash)?;
        let recovered = last(FaultEvent::Recover);
        Some(died).filter(|&died| recovered.is_none_or(|recovered| recovered < died))
    }

    /// Refuses what cannot happen to members with these ids.
    pub fn check(&self, ids: &[Id], until: Option<Time>) -> Result<(), Flaw> {
        for FileLine { line, whom, when, end } in &self.0 {
            let is_there = |id| check_member(ids, "member", At { value: id, at: *whom });
            for (member, what, _) in line.events() {
                is_there(member)?;
                what.about().map_or(Ok(()), is_there)?;
            }
            check_time(line.first(), *when, until)?;
            if let Line::Partition(partition) = line {
                partition.groups.iter().flatten().try_for_each(|&id| is_there(id))?;
            } else {
                check_time(line.last(), *end, until)?;
            }
        }
        let lines: Vec<Line> = self.0.iter().map(|line| line.line.clone()).collect();
        check(&lines).map_err(|(place, problem)| Flaw::new(self.0[place].whom, problem))
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
