//! A disk is lost, and the operator readmits the member, as the manual says: dismiss, start without a store, admit.

use super::{Field, RESTART};
use std::time::{Duration, Instant};

/// The operator asks again after this time: orders are lost where there is no leader.
const AGAIN: Duration = Duration::from_millis(100);
/// What a member says when it ends because its peers know another store of it.
const REFUSED: &str = "voted from another store";

pub struct Readmission {
    step: Step,
    next: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The member starts again and again, with a store that is new, and has not been dismissed yet.
    Lost,
    /// The leader is told to dismiss it, until it hears a leader.
    Dismissing,
    /// The leader is told to admit it. It may have voted since without a report, so this goes on.
    Admitting,
}

impl Readmission {
    /// Whether the member takes part again, and the leader was told to admit it.
    pub fn is_over(&self) -> bool {
        self.step == Step::Admitting
    }

    /// The operator acts now.
    pub fn hasten(&mut self) {
        self.next = Instant::now();
    }
}

impl Field {
    /// The bad disk is lost. The member restarts until the operator acts, at this time. Not while it is being readmitted.
    pub(super) fn lose_disk(&mut self, acts_at: Instant) -> Option<u64> {
        if self.readmission.as_ref().is_some_and(|it| !it.is_over()) {
            return None;
        }
        self.empty_disk();
        self.readmission = Some(Readmission { step: Step::Lost, next: acts_at });
        Some(self.bad_disk)
    }

    /// The member is killed, and starts soon without a store.
    fn empty_disk(&mut self) {
        let me = self.bad_disk;
        self.frozen.remove(&me);
        if self.cluster.is_running(me) {
            self.cluster.kill(me);
        }
        let _ = std::fs::remove_dir_all(&self.cluster.settings(me).data); // it may have had no time to make one
        self.down.insert(me, Instant::now() + RESTART);
    }

    /// The operator's next step.
    pub(super) fn readmit(&mut self) {
        let me = self.bad_disk;
        let Some(step) = self.readmission.as_ref().filter(|it| it.next <= Instant::now()).map(|it| it.step)
        else {
            return;
        };
        let next = match step {
            Step::Lost => {
                self.empty_disk();
                Step::Dismissing
            }
            Step::Dismissing if self.hears_leader(me) => Step::Admitting,
            same => same,
        };
        let verb = if next == Step::Admitting { "admit" } else { "dismiss" };
        let leader = self.leader().filter(|it| *it != me || next == Step::Admitting);
        let listens = |it: &u64| self.cluster.is_running(*it) && !self.frozen.contains_key(it);
        if let Some(leader) = leader.filter(listens) {
            self.cluster.process(leader).order(&format!("{verb} {me}"));
        }
        if next != step {
            self.note(format!("the operator readmits member {me}: {next:?}"));
        }
        self.readmission = Some(Readmission { step: next, next: Instant::now() + AGAIN });
    }

    fn hears_leader(&self, me: u64) -> bool {
        let leader = self.cluster.record().change(|recording| recording.known_leaders().get(&me).copied());
        self.cluster.is_running(me) && leader.is_some_and(|(leader, _)| leader != me)
    }

    /// Whether this is why a member has ended. Then its dismissal is not known everywhere, and the operator begins anew.
    pub(super) fn is_refused_for_its_store(&mut self, me: u64, why: &str) -> bool {
        let is_refused = me == self.bad_disk && why.contains(REFUSED);
        let readmission = self.readmission.as_mut().filter(|it| is_refused && it.step == Step::Admitting);
        readmission.into_iter().for_each(|it| it.step = Step::Dismissing);
        is_refused && self.readmission.is_some()
    }
}
