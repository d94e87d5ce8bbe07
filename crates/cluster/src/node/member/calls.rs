//! When the member starts an election: what happens to it is put to the [`CallPolicy`], which decides.
//!
//! [`CallPolicy`]: bellwether_core::CallPolicy

use super::Member;
use super::incoming::PendingInput;
use crate::node::detector::DetectorDriver;
use crate::node::machine::Input;
use bellwether_core::{Decision, Id, NamedLeader, Occasion, Time, Verdict};

impl Member {
    /// The leader that the algorithm names, and what this member has heard of it.
    pub(super) fn leader(&self) -> NamedLeader {
        let (spec, status) = (self.machine.spec(), self.machine.status());
        NamedLeader::new(spec, &status, |id| self.has_failed(id), |id| self.state.dead.contains(&id))
    }

    /// Whether the failure detector has declared a member failed.
    pub(super) fn has_failed(&self, id: Id) -> bool {
        let judges_failed = |detector: &DetectorDriver| {
            self.around.ports_to(id).any(|port| detector.verdict(port) == Verdict::Failed)
        };
        self.detector.as_ref().is_some_and(judges_failed)
    }

    pub(super) fn decide(&self, occasion: Occasion) -> Decision {
        self.policy.decide(occasion, self.leader())
    }

    /// Something has happened to the member.
    pub(super) fn consider(&mut self, occasion: Occasion) {
        let starts = self.start_election(self.decide(occasion));
        if occasion == Occasion::TakenBack && !starts {
            self.state.ring.owe_call();
        }
    }

    /// The algorithm names this leader now. What follows is decided when this input is over.
    pub(super) fn note_leader(&mut self, leader: Option<Id>) {
        let before = std::mem::replace(&mut self.state.named_leader, leader);
        if before != leader && self.decide(Occasion::NamesLeader) != Decision::No {
            self.state.pending.push_back(PendingInput::Occasion(Occasion::NamesLeader));
        }
        self.note_taken_back();
    }

    /// In a ring: perhaps a member is back that this election has passed over.
    pub(super) fn note_taken_back(&mut self) {
        if self.decide(Occasion::TakenBack) != Decision::No && self.state.ring.take_owed_call() {
            self.state.pending.push_back(PendingInput::Occasion(Occasion::TakenBack));
        }
    }

    /// What happens to a member that has had no leader for as long as this one has by now.
    pub(super) fn leaderless_at(&self, now: Time) -> Occasion {
        Occasion::Leaderless(now - self.state.leaderless_since)
    }

    /// Starts an election, if that is the decision. Says whether it is.
    pub(super) fn start_election(&mut self, decision: Decision) -> bool {
        match decision {
            Decision::No | Decision::Wait(_) => return false,
            Decision::Anew => self.begin_election(self.state.ring.next_election()),
            Decision::Call => {
                self.state.leaderless_since = self.clock.now();
                self.take(Input::Call);
            }
        }
        true
    }

    /// In a ring: begins the election with this number, or joins it.
    pub(super) fn begin_election(&mut self, election: u64) {
        self.state.ring.enter(election);
        self.state.leaderless_since = self.clock.now();
        self.take(Input::Anew);
    }
}
