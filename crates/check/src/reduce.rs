//! Partial-order reduction: of things that do not affect each other, one order stands for all.
//!
//! Whatever happens at a member (a message arrives, a timer runs out, it calls, its detector speaks) changes that
//! member, takes from the front of a wire that leads to it, and adds behind what is on the wires that lead from
//! it. So what happens at different members commutes. A set of members is a *cluster* if nothing that the others
//! can do, for as long as it does nothing, makes anything new possible in it. Then it is enough to follow what
//! can happen in the cluster: whatever the others do can as well be done later. (These are the persistent sets of
//! Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems*, 1996, at the grain of members.)
//!
//! What makes this sound, property by property:
//! - Where a run ends: persistent sets keep all ends. Where runs are over at their goal, what may bring that about is
//!   never followed alone either: whatever could have happened before would be left out.
//! - Two leaders: what changes who leads is never followed alone (see [`is_seen`]), and in every state in which not
//!   all is followed something leads to a state further from the beginning, so nothing is put off for ever.
//! - Runs without end: if there is one, then there is one among those followed, as it can be rearranged step by step
//!   without coming to an end. So if what was followed has no loop, there is none; if it has one that is not a
//!   counterexample itself, the search is done again in full.
//!
//! A fault that can still happen affects everything (its budget is everybody's), and so do a suspicion, a request, an election
//! that is started again, the clock, and
//! a member that is frozen or has just woken, as others' timers wait for it or do not: where one of these is possible,
//! everything is followed.

use crate::packed::{Packed, PackedState};
use bellwether_core::{FaultEvent, Spec};
use bellwether_model::{Action, Attention, Facts, Parts, Rules, TimeModel};
use bellwether_sim::LinkOrder;

/// Members, as bits.
pub type Members = u32;

/// Which members can affect which.
pub struct Clusters {
    /// For each member, those it can send to.
    reaches: Vec<Members>,
}

impl Clusters {
    /// For members that keep these rules.
    pub fn new(rules: &Rules<'_>) -> Clusters {
        let mut reaches = vec![0; rules.plan.n() as usize];
        for (_, wire) in rules.wires.iter() {
            reaches[wire.from as usize] |= 1 << wire.to;
        }
        Clusters { reaches }
    }

    /// The clusters that it is enough to follow, those with the least to follow first; none if everything must be.
    pub fn find(
        &self,
        rules: &Rules<'_>,
        parts: &mut Packed<'_>,
        now: &PackedState,
        possible: &[Action],
        found: &mut Vec<Members>,
    ) {
        found.clear();
        let mut active: Members = 0;
        for &what in possible {
            match member_of(rules, what) {
                Some(member) => active |= 1 << member,
                None => return,
            }
        }
        if now.spent.untold != 0 {
            return; // somebody may be told of a death
        }
        if now.spent.pauses > 0
            && now.seats.iter().any(|seat| parts.facts(seat).attention != Attention::Awake)
        {
            return;
        }
        // Who hears nothing before it has booted and called is affected by nobody.
        let begins = |what: &Action| match what {
            Action::Member(member, FaultEvent::Start) => Some(1 << member),
            Action::Member(member, FaultEvent::Call) if !rules.liberties.late_calls => Some(1 << member),
            _ => None,
        };
        let deaf: Members = possible.iter().filter_map(begins).fold(0, |all, member| all | member);
        for member in bits(active) {
            // The clock stands still until everyone has.
            let (cluster, keeps_time) = if deaf >> member & 1 != 0 {
                (1 << member, true)
            } else {
                let cluster = self.around(rules, now, active, 1 << member);
                (cluster, keeps_time(rules, parts, now, cluster))
            };
            if active & !cluster != 0 && keeps_time && !found.contains(&cluster) {
                found.push(cluster);
            }
        }
        let size = |&cluster: &Members| {
            let is_in =
                |what: &&Action| member_of(rules, **what).is_some_and(|member| cluster >> member & 1 != 0);
            possible.iter().filter(is_in).count()
        };
        found.sort_by_cached_key(size);
    }

    /// The least cluster with these members in it.
    fn around(&self, rules: &Rules<'_>, now: &PackedState, active: Members, mut cluster: Members) -> Members {
        loop {
            // All that can come to act as long as the cluster does not.
            let mut acting = active & !cluster;
            loop {
                let reached = bits(acting).fold(acting, |all, member| all | self.reaches[member]) & !cluster;
                if reached == acting {
                    break;
                }
                acting = reached;
            }
            // Behind what is on a wire already, one more message makes nothing new possible.
            let intrudes = |wire: &bellwether_model::Wire, number: u8| {
                acting >> wire.from & 1 != 0
                    && cluster >> wire.to & 1 != 0
                    && (rules.plan.links == LinkOrder::Reordering
                        || now.queues[number as usize] == crate::packed::EMPTY)
            };
            let intruders = rules.wires.iter().filter(|(number, wire)| intrudes(wire, *number));
            let wider = intruders.fold(cluster, |all, (_, wire)| all | 1 << wire.from);
            if wider == cluster {
                return cluster;
            }
            cluster = wider;
        }
    }
}

fn bits(members: Members) -> impl Iterator<Item = usize> {
    (0..Members::BITS as usize).filter(move |member| members >> member & 1 != 0)
}

/// At which member something happens; nothing for what affects everyone.
pub fn member_of(rules: &Rules<'_>, what: Action) -> Option<u32> {
    match what {
        Action::Tell(..) if what.is_fault() => None,
        Action::Member(member, FaultEvent::Start | FaultEvent::Call)
        | Action::TimeOut(member, _)
        | Action::Tell(member, ..) => Some(member.into()),
        Action::Deliver(wire, _) => Some(rules.wires.get(wire).to),
        Action::Tick | Action::Member(..) | Action::CallAgain(_) | Action::Link(..) => None,
    }
}

/// Where time passes: whether the clock stands still for as long as the cluster does nothing, and the cluster's
/// timers do not wait for others' messages.
fn keeps_time(rules: &Rules<'_>, parts: &mut Packed<'_>, now: &PackedState, cluster: Members) -> bool {
    let TimeModel::Clock { grain, .. } = rules.liberties.time else { return true };
    let mut overdue_anywhere = false;
    let mut overdue_here = false;
    for (number, wire) in rules.wires.iter() {
        let is_overdue = parts.has_waited(&now.queues[number as usize], grain.max(1));
        overdue_anywhere |= is_overdue;
        overdue_here |= is_overdue && cluster >> wire.to & 1 != 0;
    }
    let has_due_timers = bits(cluster).any(|member| parts.facts(&now.seats[member]).due != 0);
    if overdue_anywhere { overdue_here && !has_due_timers } else { has_due_timers }
}

/// Whether a change of a member is one that properties are about, other than at a run's end; or one that may itself be
/// the end, where runs are over at their goal.
pub fn is_seen(rules: &Rules<'_>, spec: &Spec, before: &Facts, after: &Facts) -> bool {
    before.leads != after.leads
        || before.led != after.led
        || rules.liberties.stops_at_goal && rules.bears_on_the_goal(spec, before, after)
}
