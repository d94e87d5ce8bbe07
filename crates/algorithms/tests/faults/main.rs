//! The algorithms that are made to survive something, when it happens to them.

mod bully_repairs;
mod detectors;
mod overlay_repairs;
mod repaired_figures;
mod ring_repairs;

use bellwether_core::{Algorithm, HOP, MachineType};
use bellwether_sim::{Event, Happening, Plan, Report, Stop, run_events};

/// Runs an algorithm, if need be until a limit.
fn run<A: Algorithm>(plan: &Plan) -> Report {
    run_events(MachineType::of::<A>(), plan, &mut (), Stop::WhenQuiet)
}

/// What happens to a member, at a time in half hops.
fn at(half_hops: u64, what: Event, member: usize) -> Happening {
    bellwether_testkit::casts::disturbed::happens(what, member, half_hops * HOP.ticks() / 2)
}

/// The plan with this script, in the order of time.
fn with_script(plan: &Plan, mut script: Vec<Happening>) -> Plan {
    script.sort_unstable();
    Plan { script, ..plan.clone() }
}
