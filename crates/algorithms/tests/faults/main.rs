//! The algorithms in runs with the faults that they declare to survive.

mod bully_repairs;
mod detectors;
mod overlay_repairs;
mod repaired_figures;
mod ring_repairs;

use bellwether_core::{Algorithm, FaultEvent, HOP, MachineType};
use bellwether_sim::{Happening, Plan, Report, Stop, run_events};

/// Runs an algorithm, with a time limit if needed.
fn run<A: Algorithm>(plan: &Plan) -> Report {
    run_events(MachineType::of::<A>(), plan, &mut (), Stop::WhenQuiet)
}

/// An event at a member, at a time in half hops.
fn at(half_hops: u64, what: FaultEvent, member: usize) -> Happening {
    bellwether_testkit::casts::disturbed::happens(what, member, half_hops * HOP.ticks() / 2)
}

/// The plan with this script, in the order of time.
fn with_script(plan: &Plan, mut script: Vec<Happening>) -> Plan {
    script.sort_unstable();
    Plan { script, ..plan.clone() }
}
