//! How long a leader is missed that crashes.

use bellwether_core::{FaultEvent, MachineType, Role, Span, Status, Time};
use bellwether_sim::{Happening, Observer, Plan, Stop, run_events};
use std::collections::BTreeSet;

/// What came of a leader's crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// There was no crash: nobody led, or several did.
    NoLeader,
    /// Nobody led for so long.
    Lasted(Span),
    /// Nobody led for as long as was waited.
    Unended,
}

/// Lets whoever leads at a time crash then, and waits for so long that somebody else leads.
///
/// The plan is run twice: until then, to see who leads, and again with the crash. Both runs are the same until then.
#[must_use]
pub fn after_crash(machine: &'static MachineType, plan: &Plan, at: Time, patience: Span) -> Outage {
    let mut plan = plan.clone();
    plan.limits.time = at;
    let mut leaders = Leaders::default();
    run_events(machine, &plan, &mut leaders, Stop::WhenQuiet);
    let (Some(&leader), 1) = (leaders.now.first(), leaders.now.len()) else { return Outage::NoLeader };
    plan.limits.time = at + patience;
    plan.script.push(Happening { at, what: FaultEvent::Crash, member: leader });
    plan.script.sort_unstable();
    let mut leaders = Leaders { since: Some(at), ..Leaders::default() };
    run_events(machine, &plan, &mut leaders, Stop::WhenRight);
    leaders.next.map_or(Outage::Unended, |next| Outage::Lasted(next - at))
}

/// Who leads.
#[derive(Default)]
struct Leaders {
    now: BTreeSet<u32>,
    /// From when on a new leader is looked for.
    since: Option<Time>,
    /// When the first one came to lead since then.
    next: Option<Time>,
}

impl Observer for Leaders {
    fn published(&mut self, at: Time, member: u32, status: Status) {
        if status.role != Role::Leader {
            self.now.remove(&member);
        } else if self.now.insert(member) && self.since.is_some_and(|since| at > since) {
            self.next.get_or_insert(at);
        }
    }

    fn crashed(&mut self, _: Time, member: u32) {
        self.now.remove(&member);
    }
}
