//! A run in figures, and the verdict on it.

use super::history::{History, LeadershipInterval};
use crate::error::Verdict;
use crate::guarantees::Guarantees;
use bellwether::Id;
use bellwether_core::Spec;
use bellwether_lab::Summary as Sample;
use serde::Serialize;
use std::collections::BTreeMap;

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
        let intervals = self.intervals();
        let counted = |held: &&LeadershipInterval| self.closed_at.is_none_or(|end| held.from <= end);
        let (mut elections, mut changes) = (0, Changes { provoked: 0, unprovoked: 0 });
        // The last election, and the first one of the leader's that has led since the last change.
        let mut last: Option<LeadershipInterval> = None;
        let mut leads_since = 0;
        for held in intervals.iter().filter(counted) {
            // Where terms are counted, one goes on after its lease had lapsed, if no other member has led in between.
            // Where they are not, a member that has lost leadership was elected again.
            let is_same = |last: LeadershipInterval| (last.member, last.term) == (held.member, held.term);
            if spec.reign.counts_terms() && last.is_some_and(is_same) {
                continue;
            }
            elections += 1;
            if last.is_none_or(|last| last.member != held.member) {
                if last.is_some() {
                    let was_disturbed = self.disturbed.range(leads_since..=held.from).next().is_some();
                    *(if was_disturbed { &mut changes.provoked } else { &mut changes.unprovoked }) += 1;
                }
                leads_since = held.from;
            }
            last = Some(*held);
        }
        let sample = Sample::of(self.took_ms.clone());
        let sample = sample.as_ref();
        let guarantees = Guarantees::by(spec);
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
            most_leaders_at_once: most_at_once(&intervals),
            one_leader_a_term: guarantees.one_a_term.then(|| has_one_leader_a_term(&intervals)),
            tokens_grew: guarantees.one_at_once.then(|| do_tokens_grow(&intervals)),
        }
    }
}

impl Summary {
    /// Whether what the algorithm promises was kept.
    pub fn verdict(&self, spec: &Spec) -> Verdict {
        let two_at_once = Guarantees::by(spec).one_at_once && self.most_leaders_at_once > 1;
        let is_broken =
            two_at_once || self.one_leader_a_term == Some(false) || self.tokens_grew == Some(false);
        match (is_broken, self.missed) {
            (true, _) => Verdict::Unsafe,
            (false, 0) => Verdict::Fine,
            (false, _) => Verdict::Incomplete,
        }
    }
}

/// The most members that led at one instant. An interval ends before its end: one that begins there is no overlap.
fn most_at_once(intervals: &[LeadershipInterval]) -> u64 {
    // At one instant, ends come before beginnings.
    let mut turns: Vec<(u64, bool, Id)> = intervals
        .iter()
        .filter(|held| held.from < held.until)
        .flat_map(|held| [(held.from, true, held.member), (held.until, false, held.member)])
        .collect();
    turns.sort_unstable();
    let (mut leading, mut most) = (BTreeMap::<Id, u64>::new(), 0);
    for (_, begins, member) in turns {
        if begins {
            *leading.entry(member).or_default() += 1;
            most = most.max(leading.len());
        } else if let Some(left) = leading.get_mut(&member) {
            *left -= 1;
            if *left == 0 {
                leading.remove(&member);
            }
        }
    }
    most as u64
}

/// Whether no two members led in one term.
fn has_one_leader_a_term(intervals: &[LeadershipInterval]) -> bool {
    let mut leaders = BTreeMap::new();
    intervals.iter().all(|held| *leaders.entry(held.term).or_insert(held.member) == held.member)
}

/// Whether each leader's token is greater than that of the one before. A leader may go on with its own.
fn do_tokens_grow(intervals: &[LeadershipInterval]) -> bool {
    intervals.windows(2).all(|pair| {
        let same = pair[0].member == pair[1].member && pair[0].term == pair[1].term;
        same || pair[0].term < pair[1].term
    })
}

#[cfg(test)]
mod tests;
