//! What a run comes to.

use crate::events::LinkCounts;
use crate::judge::{self, ClaimRuling, Ending, Live, Ruling};
use crate::measure::{Counts, Tally};
use crate::plan::Plan;
use crate::stability::{Rivals, Stability};
use bellwether_core::{Kind, Spec, Time};
use serde::Serialize;

/// What drove a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// One event after the other.
    Events,
    /// Rounds, in step.
    Rounds,
    /// Rounds, over messages that take any time.
    Synchroniser,
}

/// What a run comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What drove it.
    pub driver: Driver,
    /// How it ended.
    pub ruling: Ruling,
    /// Messages sent.
    pub messages: Counts,
    /// Their wire forms' length.
    pub bytes: u64,
    /// When the last thing happened to a member.
    pub time: Time,
    /// The last round in which anything happened, in a run in rounds.
    pub rounds: Option<u64>,
    /// The round in which the leader knew, in a run in rounds.
    pub leader_round: Option<u64>,
    /// The most bytes that a member's state and what it must know ([`bellwether_core::Knowledge::bytes`]) took in
    /// memory.
    pub storage_max: u64,
    /// When each member came to name the leader that it names at the end ([`Time::NEVER`] if none).
    pub knew_at: Vec<Time>,
    /// What came of the algorithm's claims.
    pub claims: Vec<ClaimRuling>,
    /// Whether it ended by itself, and not at a limit.
    pub finished: bool,
    /// What links did to messages.
    pub links: LinkCounts,
    /// What detectors said to each other.
    pub signals: u64,
    /// Who led for how long.
    pub stability: Stability,
    /// The first two that led though the algorithm never lets two.
    pub rivals: Option<Rivals>,
}

impl Report {
    /// When the first and when the last member came to know the leader.
    #[must_use]
    pub fn known_between(&self) -> Option<(Time, Time)> {
        let known = || self.knew_at.iter().copied().filter(|&at| at != Time::NEVER);
        known().min().zip(known().max())
    }

    /// Whether the run was safe, live, and as claimed.
    #[must_use]
    pub fn is_as_it_should_be(&self) -> bool {
        self.ruling.is_right() && self.claims.iter().all(|claim| claim.holds)
    }
}

/// A run that is over, before it is judged.
#[derive(Debug)]
pub struct FinishedRun<'p> {
    /// What was run.
    pub plan: &'p Plan,
    /// What was counted.
    pub tally: Tally,
    /// What drove it.
    pub driver: Driver,
    /// The last round in which anything happened, in a run in rounds.
    pub rounds: Option<u64>,
    /// The round in which the leader knew, in a run in rounds.
    pub leader_round: Option<u64>,
    /// How it ended.
    pub ending: Ending,
    /// When it was over.
    pub now: Time,
    /// What links did to messages.
    pub links: LinkCounts,
    /// What detectors said to each other.
    pub signals: u64,
}

impl FinishedRun<'_> {
    /// Judges it, given who is alive.
    #[must_use]
    pub fn report(self, spec: &'static Spec, kinds: &'static [Kind], live: Live<'_>) -> Report {
        let known = spec.knows.bytes(self.plan.max_degree());
        let mut ruling = judge::rule(spec, self.plan, live, self.ending);
        let rivals = self.tally.reigns.rivals();
        let rivals = rivals.map(|rivals| rivals.map(|member| self.plan.ranks[member as usize].id()));
        if let Some(rivals) = rivals {
            ruling.unsafe_because = judge::joined(Some(rivals.to_string()), ruling.unsafe_because);
        }
        let mut report = Report {
            driver: self.driver,
            ruling,
            messages: self.tally.counts(kinds),
            bytes: self.tally.bytes(),
            time: self.tally.last_event,
            rounds: self.rounds,
            leader_round: self.leader_round,
            storage_max: self.tally.storage_max() + known,
            knew_at: self.tally.knew_at,
            stability: self.tally.reigns.sum_up(self.now),
            rivals,
            links: self.links,
            signals: self.signals,
            claims: Vec::new(),
            finished: self.ending == Ending::ByItself,
        };
        report.claims = judge::rule_claims(spec, &self.plan.setting(spec, &self.plan.dead()), &report);
        report
    }
}
