//! Expectations that no run could meet.

use super::events::Events;
use super::expect::{Expectation, Fact, Figure, Range, word};
use super::play::setup_flaw;
use bellwether_core::{Class, Id, Identities, Kind, Lasting, Spec, Time};
use bellwether_runspec::document::{At, Flaw};
use bellwether_sim::{Outcome, SetupError};

/// What is known of the run before it is run.
pub(super) struct Run<'s> {
    pub ids: &'s [Id],
    pub events: &'s Events,
    /// Whether the run is given up at some time.
    pub is_limited: bool,
    /// When to, if by time.
    pub until: Option<Time>,
}

impl Expectation {
    /// Refuses what contradicts itself, or what is known of the run.
    pub(super) fn check_against(&self, run: &Run<'_>) -> Result<(), Flaw> {
        self.check_leader(run)?;
        self.check_leaders(run)?;
        self.check_facts()?;
        self.check_figures(run)?;
        if let Some(At { value: Outcome::Undecided, at }) = self.outcome
            && !run.is_limited
        {
            let problem = "a run is undecided only if it is stopped, and nothing stops this one";
            return Err(Flaw::new(at, problem).hint("give 'until' or 'max_messages', or expect 'none'"));
        }
        Ok(())
    }

    fn check_leader(&self, run: &Run<'_>) -> Result<(), Flaw> {
        let Some(leader) = self.leader else { return Ok(()) };
        check_member(run.ids, "leader", leader)?;
        if let Some(crash) = run.events.dies_at(leader.value) {
            let problem = format!("member {} crashes at {crash}, and only the living lead", leader.value);
            return Err(Flaw::new(leader.at, problem).hint("expect another leader, or outcome = \"none\""));
        }
        if let Some(At { value: outcome @ (Outcome::None | Outcome::Undecided), .. }) = self.outcome {
            let problem = format!("a leader is expected, and outcome '{}', which is without", word(outcome));
            return Err(Flaw::new(leader.at, problem).hint("leave one of them out"));
        }
        Ok(())
    }

    fn check_leaders(&self, run: &Run<'_>) -> Result<(), Flaw> {
        for (member, leader) in &self.leaders {
            check_member(run.ids, "member", At { value: *member, at: leader.at })?;
            if let Some(id) = leader.value {
                check_member(run.ids, "leader", At { value: id, at: leader.at })?;
            }
            if run.events.dies_at(*member).is_some() {
                let problem = format!("member {member} crashes, and the dead take nobody for the leader");
                return Err(Flaw::new(leader.at, problem).hint("leave it out"));
            }
        }
        let elected = self.outcome.is_some_and(|outcome| outcome.value == Outcome::Elected);
        let agreed = self.fact(Fact::Agreed).is_some_and(|flag| flag.value);
        let named = self.leader.map(|leader| leader.value).filter(|_| elected || agreed);
        let first = named.or_else(|| self.leaders.iter().find_map(|(_, leader)| leader.value));
        for (member, leader) in self.leaders.iter().filter(|_| elected || agreed) {
            let differs = leader.value.is_some() && leader.value != first;
            if differs || (agreed && leader.value.is_none()) {
                let problem = format!("all are to name one leader, and member {member} another or none");
                return Err(Flaw::new(leader.at, problem).hint("make 'leader', 'leaders' and 'agreed' agree"));
            }
        }
        Ok(())
    }

    fn check_facts(&self) -> Result<(), Flaw> {
        let Some(outcome) = self.outcome else { return Ok(()) };
        for &(fact, flag) in &self.facts {
            let impossible = matches!(
                (fact, outcome.value),
                (Fact::Agreed, Outcome::Split) | (Fact::Live, Outcome::Undecided)
            );
            if impossible && flag.value {
                let problem =
                    format!("'{}' cannot be where outcome is '{}'", fact.key(), word(outcome.value));
                return Err(Flaw::new(flag.at, problem).hint("leave one of them out"));
            }
        }
        Ok(())
    }

    /// Refuses figures that contradict each other.
    fn check_figures(&self, run: &Run<'_>) -> Result<(), Flaw> {
        if let (Some(time), Some(until)) = (self.range(&Figure::Time), run.until)
            && time.value.least > until.hops()
        {
            let problem = format!("'time' is {}, but the run is over at {until}", time.value);
            return Err(Flaw::new(time.at, problem).hint("raise 'until'"));
        }
        // The leader knows in one of the rounds, and a message takes a byte at least.
        for (less, more) in [(Figure::LeaderRound, Figure::Rounds), (Figure::Messages, Figure::Bytes)] {
            if let (Some(one), Some(other)) = (self.range(&less), self.range(&more))
                && one.value.least > other.value.most
            {
                let (less, more) = (less.key(), more.key());
                let problem = format!("'{more}' is {}, which is less than '{less}'", other.value);
                return Err(Flaw::new(other.at, problem).hint("make them agree, or leave one out"));
            }
        }
        Ok(())
    }

    /// Refuses what the algorithm cannot come to. `kinds` are its messages' kinds; `in_step` tells
    /// whether the run is in rounds that all members share.
    pub(super) fn check_algorithm(&self, spec: &Spec, kinds: &[Kind], in_step: bool) -> Result<(), Flaw> {
        if let (Some(outcome), Some(safe)) = (self.outcome, self.fact(Fact::Safe))
            && outcome.value == Outcome::Split
            && safe.value
            && spec.identities == Identities::Unique
            && spec.lasting == Lasting::Ends
        {
            let problem = "'safe' cannot be where outcome is 'split'";
            return Err(Flaw::new(safe.at, problem).hint("leave one of them out"));
        }
        if let Some(leader) = self.leader.filter(|_| spec.identities == Identities::Unique)
            && let Some((_, named)) = self.leaders.iter().find(|(member, _)| *member == leader.value)
            && named.value != Some(leader.value)
        {
            let problem = format!("member {} leads, and so names itself", leader.value);
            return Err(Flaw::new(named.at, problem).hint("make 'leader' and 'leaders' agree"));
        }
        for (figure, range) in &self.figures {
            if matches!(figure, Figure::Rounds | Figure::LeaderRound) && !in_step {
                let problem = format!("'{}': this run of {} has no common rounds", figure.key(), spec.name);
                return Err(Flaw::new(range.at, problem).hint("expect 'time' instead"));
            }
            let Figure::Kind(name) = figure else { continue };
            if !kinds.iter().any(|kind| kind.name == name) {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
                let problem =
                    format!("{} has no messages of kind '{name}': it has {}", spec.name, names.join(", "));
                return Err(Flaw::new(range.at, problem).meant(name, &names));
            }
        }
        self.check_sums(kinds)
    }

    /// The messages in all are those of the kinds.
    fn check_sums(&self, kinds: &[Kind]) -> Result<(), Flaw> {
        let Some(At { value: total, at }) = self.range(&Figure::Messages) else { return Ok(()) };
        let of_kinds: Vec<Option<Range>> = kinds
            .iter()
            .filter(|kind| kind.class == Class::Payload)
            .map(|kind| self.range(&Figure::Kind(kind.name.to_owned())).map(|range| range.value))
            .collect();
        let least: f64 = of_kinds.iter().flatten().map(|range| range.least).sum();
        let most: f64 = of_kinds.iter().map(|range| range.map_or(f64::INFINITY, |range| range.most)).sum();
        if least > total.most || most < total.least {
            let of_kinds = if least == most { format!("{least}") } else { format!("{least} or more") };
            let problem = format!("'messages' is {total}, but the kinds in 'messages_of' make {of_kinds}");
            return Err(Flaw::new(at, problem).hint("make them agree, or leave one out"));
        }
        Ok(())
    }

    fn range(&self, of: &Figure) -> Option<At<Range>> {
        self.figures.iter().find(|(figure, _)| figure == of).map(|(_, range)| *range)
    }

    fn fact(&self, fact: Fact) -> Option<At<bool>> {
        self.facts.iter().find(|(other, _)| *other == fact).map(|(_, flag)| *flag)
    }
}

/// Refuses an id that is not a member's.
fn check_member(ids: &[Id], role: &'static str, id: At<Id>) -> Result<(), Flaw> {
    if ids.contains(&id.value) {
        Ok(())
    } else {
        Err(setup_flaw(id.at, &SetupError::not_a_member(ids, role, id.value)))
    }
}
