//! Leadership for a time: who leads as long as its lease lasts.

use super::Simulation;
use bellwether_core::machine::Machine;
use bellwether_core::{Role, Status};

impl Simulation<'_, '_> {
    /// A member that leads, or did, has been given an input: does its lease last?
    #[inline(never)]
    pub(super) fn look_at_lease(&mut self, member: u32, term: u64) {
        let leads = self.leads(member) && self.is_honest(member);
        if leads {
            // A lease that ends at this very moment has ended, though its timer has yet to be looked at.
            let others: Vec<u32> = self.tally.reigns.leading().filter(|&other| !self.leads(other)).collect();
            others.into_iter().for_each(|other| self.tally.reigns.note(self.now, other, None));
        }
        self.tally.reigns.note(self.now, member, leads.then_some(term));
    }

    /// Whether a member takes itself for the leader and its lease, if it has one, lasts. It may be frozen.
    fn leads(&self, member: u32) -> bool {
        let state = self.world.state(member).or_else(|| self.frozen(member));
        state.is_some_and(|state| self.seen(member, state).role == Role::Leader)
    }

    /// What an outsider sees of a member. Whoever leads under a lease that does not last does not lead.
    pub(super) fn seen(&self, member: u32, state: &dyn Machine) -> Status {
        let status = state.status();
        let is_over = |timer| self.timers.runs_out_at(member, &timer).is_none_or(|at| at <= self.now);
        if self.is_leased() && status.role == Role::Leader && state.lease().is_some_and(is_over) {
            return Status { role: Role::Undecided, ..status };
        }
        status
    }
}
