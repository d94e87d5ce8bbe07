//! A run in figures, and the verdict on it.

use super::history::History;
use crate::error::ExitStatus;
use bellwether::guarantees::Guarantees;
use bellwether::judge::{self, LeadershipInterval};
use bellwether_core::Spec;
use bellwether_lab::Summary as Sample;
use serde::Serialize;

/// A run in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many members there were.
    pub members: u64,
    /// Which algorithm they ran.
    pub algorithm: String,
    /// How often a member came to lead.
    pub elections: u64,
    /// How often the leader changed after the first.
    pub leader_changes: Changes,
    /// How many members were killed.
    pub kills: u64,
    /// From the kill of a leader until every survivor named the next.
    pub failovers: Failovers,
    /// How many events of members were dropped: then the verdict is incomplete.
    pub missed: u64,
    /// The most members that led at one instant.
    pub most_leaders_at_once: u64,
    /// Whether no term had two leaders; nothing where the algorithm promises no such thing.
    pub one_leader_a_term: Option<bool>,
    /// Whether each leader's token was greater than the one's before; nothing where the algorithm promises
    /// no such thing.
    pub tokens_grew: Option<bool>,
}

/// How often the leader changed: another member leads than before. One that is elected again is no change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// After something was done to a member since the change before.
    pub provoked: u64,
    /// Though nothing was.
    pub unprovoked: u64,
}

/// How long it took from the kill of a leader until every survivor named the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Failovers {
    /// How many there were.
    pub count: u64,
    /// The median, in milliseconds.
    pub p50_ms: Option<f64>,
    /// What 99 % did not exceed.
    pub p99_ms: Option<f64>,
    /// The longest.
    pub max_ms: Option<f64>,
}

impl History {
    /// The run in figures.
    pub fn summary(&self, members: u64, algorithm: String, spec: &Spec) -> Summary {
        let leaderships = self.leaderships();
        let counted = |led: &&LeadershipInterval| self.closed_at.is_none_or(|end| led.from <= end);
        let (mut elections, mut changes) = (0, Changes { provoked: 0, unprovoked: 0 });
        // The last election, and the first one of the leader's that has led since the last change.
        let mut last: Option<LeadershipInterval> = None;
        let mut leads_since = 0;
        for led in leaderships.iter().filter(counted) {
            // Where terms are counted, one goes on after its lease had lapsed, if no other member has led in between.
            // Where they are not, a member that has lost leadership was elected again.
            let is_same = |last: LeadershipInterval| (last.member, last.term) == (led.member, led.term);
            if spec.reign.counts_terms() && last.is_some_and(is_same) {
                continue;
            }
            elections += 1;
            if last.is_none_or(|last| last.member != led.member) {
                if last.is_some() {
                    let was_disturbed = self.disturbed.range(leads_since..=led.from).next().is_some();
                    *(if was_disturbed { &mut changes.provoked } else { &mut changes.unprovoked }) += 1;
                }
                leads_since = led.from;
            }
            last = Some(*led);
        }
        let sample = Sample::of(self.took_ms.clone());
        let sample = sample.as_ref();
        let guarantees = Guarantees::by(spec);
        let leaders = leaderships.iter().map(|led| (led.term, led.member));
        Summary {
            members,
            algorithm,
            elections,
            leader_changes: changes,
            kills: self.kills,
            failovers: Failovers {
                count: self.took_ms.len() as u64,
                p50_ms: sample.map(|sample| sample.p50),
                p99_ms: sample.map(|sample| sample.p99),
                max_ms: sample.map(|sample| sample.max),
            },
            missed: self.missed,
            most_leaders_at_once: judge::most_at_once(&leaderships),
            one_leader_a_term: guarantees.one_a_term.then(|| judge::term_with_two_leaders(leaders).is_none()),
            tokens_grew: guarantees.one_at_once.then(|| judge::token_not_increased(&leaderships).is_none()),
        }
    }
}

impl Summary {
    /// Whether what the algorithm promises was kept.
    pub fn verdict(&self, spec: &Spec) -> ExitStatus {
        let two_at_once = Guarantees::by(spec).one_at_once && self.most_leaders_at_once > 1;
        let is_broken =
            two_at_once || self.one_leader_a_term == Some(false) || self.tokens_grew == Some(false);
        match (is_broken, self.missed) {
            (true, _) => ExitStatus::Unsafe,
            (false, 0) => ExitStatus::Fine,
            (false, _) => ExitStatus::Incomplete,
        }
    }
}

#[cfg(test)]
mod tests;
