//! Who starts an election when: what has happened to a member is put to the [`CallPolicy`], which decides.

use super::Simulation;
use crate::plan::Plan;
use bellwether_core::machine::Machine;
use bellwether_core::{CallPolicy, Decision, NamedLeader, Occasion, Port, Spec, Status, Time, Verdict};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The policy of a run, and what it takes to ask it in time.
pub(super) struct Calls {
    policy: CallPolicy,
    /// Members that have come to name a leader that is gone: they are asked about when all that happens now has happened.
    doubtful: BTreeSet<u32>,
    /// Where elections without an outcome are started again.
    waits: Option<Waits>,
}

/// Members without a leader, and for how long they have waited for one.
struct Waits {
    /// For each member that waits: since when, on its own clock, and the number of its place in `due`.
    since: Vec<Option<(Time, u64)>>,
    due: BinaryHeap<Reverse<(Time, u64, u32)>>,
    numbered: u64,
    /// Members that were frozen when it was their turn.
    overdue: BTreeSet<u32>,
}

impl Calls {
    pub(super) fn new(spec: &Spec, plan: &Plan) -> Calls {
        let policy = plan.call_policy(spec);
        let waits = policy.restart_after().map(|_| Waits {
            since: vec![None; plan.n() as usize],
            due: BinaryHeap::new(),
            numbered: 0,
            overdue: BTreeSet::new(),
        });
        Calls { policy, doubtful: BTreeSet::new(), waits }
    }

    /// Whether members without a leader wait for one only so long.
    pub(super) fn keeps_time(&self) -> bool {
        self.waits.is_some()
    }

    /// When the next member has waited for long enough.
    pub(super) fn next_time(&mut self) -> Option<Time> {
        let Waits { since, due, .. } = self.waits.as_mut()?;
        while let Some(&Reverse((at, number, member))) = due.peek() {
            if since[member as usize].is_some_and(|(_, current)| current == number) {
                return Some(at);
            }
            due.pop();
        }
        None
    }
}

impl Simulation<'_, '_> {
    /// The leader that a member names, and what the member has heard of it.
    pub(super) fn leader_of(&self, member: u32) -> NamedLeader {
        let status = self.world.state(member).map_or(Status::UNDECIDED, Machine::status);
        let has_failed = |id| self.takes_for_failed(member, id);
        NamedLeader::new(self.spec(), &status, has_failed, |id| self.knows_dead(member, id))
    }

    /// Puts to the policy what has happened to a member.
    pub(super) fn consider(&mut self, member: u32, occasion: Occasion) {
        match self.calls.policy.decide(occasion, self.leader_of(member)) {
            Decision::Call | Decision::Anew => self.call_if_up(member),
            Decision::No | Decision::Wait(_) => {} // it is asked again when it has waited
        }
    }

    pub(super) fn call_if_up(&mut self, member: u32) {
        // Calls alone can exceed the limit: everyone may ask everyone.
        let is_within_limit = self.tally.messages() <= self.plan.limits.messages;
        if self.world.state(member).is_some() && is_within_limit {
            self.call(member);
        }
    }

    /// A member that starts an election has asked its failure detector about its neighbours first.
    fn call(&mut self, member: u32) {
        if !self.crashed.is_empty() && self.watch.is_none() {
            for port in (0..self.plan.topology.ports(member)).map(Port) {
                if self.crashed.binary_search(&self.plan.topology.peer(member, port).0).is_ok() {
                    self.observer.suspected(self.now, member, port, Verdict::Failed);
                    let step = self.world.suspect(member, self.clock(member), port, Verdict::Failed);
                    self.settle(member, step);
                }
            }
        }
        self.took_part[member as usize] = true;
        self.observer.called(self.now, member);
        if self.calls.keeps_time() {
            self.begin_waiting(member); // for the outcome
        }
        let step = self.world.call(member, self.clock(member));
        self.settle(member, step);
    }

    /// A member has come to name another leader.
    pub(super) fn doubt(&mut self, member: u32) {
        if self.calls.policy.decide(Occasion::NamesLeader, self.leader_of(member)) != Decision::No {
            self.calls.doubtful.insert(member);
        }
    }

    pub(super) fn let_the_doubtful_call(&mut self) {
        for member in std::mem::take(&mut self.calls.doubtful) {
            self.consider(member, Occasion::NamesLeader);
        }
    }

    /// A member has done something: does it have a leader, or is it to wait for one?
    pub(super) fn note_leader(&mut self, member: u32) {
        let is_led = self.leader_of(member).works();
        let Some(waits) = &mut self.calls.waits else { return };
        let since = &mut waits.since[member as usize];
        if is_led {
            *since = None;
        } else if since.is_none() {
            self.begin_waiting(member);
        }
    }

    fn begin_waiting(&mut self, member: u32) {
        let now = self.clock(member);
        if let Some(waits) = &mut self.calls.waits {
            waits.since[member as usize] = Some((now, 0));
            self.reset_wait(member);
        }
    }

    /// When a member has waited for long enough is to be reckoned anew: it has begun to wait, or its clock has changed.
    pub(super) fn reset_wait(&mut self, member: u32) {
        let Some(after) = self.calls.policy.restart_after() else { return };
        let clock = self.disturbed.as_ref().and_then(|disturbed| disturbed.clocks.get(&member));
        let Some(waits) = &mut self.calls.waits else { return };
        let Some((since, number)) = &mut waits.since[member as usize] else { return };
        let at = *since + after;
        let at = clock.map_or(at, |clock| clock.when(at)).max(self.now);
        waits.numbered += 1;
        *number = waits.numbered;
        waits.due.push(Reverse((at, *number, member)));
    }

    /// A member is not up any more.
    pub(super) fn forget_wait(&mut self, member: u32) {
        if let Some(waits) = &mut self.calls.waits {
            waits.since[member as usize] = None;
            waits.overdue.remove(&member);
        }
    }

    /// A member has woken from its freeze.
    pub(super) fn wake_wait(&mut self, member: u32) {
        if self.calls.waits.as_mut().is_some_and(|waits| waits.overdue.remove(&member)) {
            self.reset_wait(member);
        }
    }

    /// All that have waited for long enough now.
    pub(super) fn let_the_leaderless_call(&mut self) {
        while self.calls.next_time() == Some(self.now)
            && let Some(waits) = &mut self.calls.waits
            && let Some(Reverse((.., member))) = waits.due.pop()
        {
            let Some((since, _)) = waits.since[member as usize] else { continue };
            if self.world.state(member).is_none() {
                waits.overdue.insert(member);
            } else {
                let waited = self.clock(member) - since;
                self.consider(member, Occasion::Leaderless(waited));
            }
        }
    }
}
