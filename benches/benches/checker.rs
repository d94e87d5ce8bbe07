//! The checker's speed, as ratios against rivals in the same run.
//!
//! Every line runs ours and the rival in turn, several times, and takes the best of each: whatever else the
//! machine does then hits both. `cargo bench -p bellwether-benches --bench checker` prints the table; a ratio below
//! its floor is marked, and nothing fails.
//!
//! All search the same states, which is checked: Chang-Roberts in worst order, everyone booting and calling, every
//! order of events.

use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_benches::packed_search;
use bellwether_check::{CheckOptions, check};
use bellwether_core::Order;
use bellwether_engine::ALGORITHMS;
use bellwether_model::FaultBudget;
use bellwether_runspec::RunSpec;
use bellwether_sim::Plan;
use bellwether_testkit::through_stateright::World;
use stateright::{Checker as _, Model as _, Property};
use std::time::Instant;

const TRIALS: usize = 5;
/// How many members stateright searches.
const N: u32 = 10;
/// How many members the search written by hand does: it is quicker.
const MORE: u32 = 11;

/// How fast a search was at best, in states a second, and how many states there were.
type Rate = (f64, u64);

/// The best rates of searches that take turns.
fn rates<const K: usize>(searches: [&dyn Fn() -> u64; K]) -> [Rate; K] {
    let mut best = [(0.0, 0); K];
    for _ in 0..TRIALS {
        for (best, search) in best.iter_mut().zip(searches) {
            let begun = Instant::now();
            let states = search();
            let rate = states as f64 / begun.elapsed().as_secs_f64();
            if rate > best.0 {
                *best = (rate, states);
            }
        }
    }
    best
}

fn ring(name: &str, n: u32) -> (usize, Plan) {
    let entry = ALGORITHMS.find(name, None).expect("it is registered");
    let setup = RunSpec { nodes: Some(n.into()), order: Some(Order::Worst), ..RunSpec::default() };
    (entry, setup.plan(ALGORITHMS.entries[entry].spec, 0).expect("a ring"))
}

fn ours(name: &str, n: u32, reduction: bool, threads: usize) -> u64 {
    let (entry, plan) = ring(name, n);
    let liberties = FaultBudget::default();
    let options = CheckOptions {
        liberties,
        reduction,
        symmetry: false,
        claims: false, // the rivals count no messages
        threads,
        memory: 8 << 30,
        states: u64::MAX,
        time: None,
    };
    check(ALGORITHMS.entries[entry].machine, &plan, &options, &|_| {}).progress.states
}

/// Stateright wants something to check, or it stops: that two members lead, which never happens.
fn through_stateright(plan: &'static Plan, threads: usize) -> u64 {
    let two_lead = Property::sometimes("two lead", |_, now: &_| {
        let now: &bellwether_model::Situation = now;
        now.seats.iter().filter(|seat| seat.status().role == bellwether_core::Role::Leader).count() > 1
    });
    let model = World::<ChangRoberts>::new(plan, FaultBudget::default(), vec![two_lead]);
    model.checker().threads(threads).spawn_bfs().join().unique_state_count() as u64
}

fn line(what: &str, [(ours, our_states), (rival, states)]: [Rate; 2], floor: f64) {
    assert_eq!(our_states, states, "{what}: both must search the same states");
    let ratio = ours / rival;
    let mark = if ratio < floor { "  below its floor" } else { "" };
    println!("{what:<46} {:>9.3} {:>9.3} {ratio:>7.2} {floor:>6.2}{mark}", ours / 1e6, rival / 1e6);
}

fn main() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "Chang-Roberts, worst order, n = {N}, nothing reduced; best of {TRIALS}, million states a second.\n"
    );
    println!("{:<46} {:>9} {:>9} {:>7} {:>6}", "what", "ours", "rival", "ratio", "floor");
    let plan: &'static Plan = Box::leak(Box::new(ring("chang-roberts", N).1));
    let [alone, together, rival_alone, rivals_together] = rates([
        &|| ours("chang-roberts", N, false, 1),
        &|| ours("chang-roberts", N, false, cores),
        &|| through_stateright(plan, 1),
        &|| through_stateright(plan, cores),
    ]);
    line("stateright, breadth first, one thread", [alone, rival_alone], 2.0);
    line(&format!("stateright, breadth first, {cores} threads"), [together, rivals_together], 2.0);
    line(
        &format!("packed search written by hand, one, n = {MORE}"),
        rates([&|| ours("chang-roberts", MORE, false, 1), &|| packed_search::search(MORE).0]),
        0.37,
    );
    println!(
        "{:<46} {:>9.3} {:>9.3} {:>7.2}",
        format!("{cores} threads against one"),
        together.0 / 1e6,
        alone.0 / 1e6,
        together.0 / alone.0
    );

    println!(
        "\n{:<46} {:>9} {:>9} {:>7} {:>6}",
        "reduction, n = 7, everyone calls", "full", "reduced", "ratio", "floor"
    );
    for name in ["chang-roberts", "dolev-klawe-rodeh"] {
        let (full, reduced) = (ours(name, 7, false, 1), ours(name, 7, true, 1));
        let ratio = full as f64 / reduced as f64;
        let mark = if ratio < 100.0 { "  below its floor" } else { "" };
        println!("{name:<46} {full:>9} {reduced:>9} {ratio:>7.1} {:>6}{mark}", 100);
    }
}
