//! The simulator's speed and size, as ratios against rivals in the same run.
//!
//! Every line runs ours and the rival in turn, several times, and takes the best of each: whatever
//! else the machine does then hits both. `cargo bench -p bellwether-benches` prints the table; a
//! ratio below its floor is marked, and nothing fails.

use bellwether_benches::{best_order, queue_loop, round_buffers, wheel_loop, worst_order};
use bellwether_core::{Elect, Id, Order, Rank, Topology};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::{Seeds, batch};
use bellwether_runspec::RunSpec;
use bellwether_sim::{LinkOrder, Plan, RoundMode, Runner, simulate, simulate_observed};
use bellwether_testkit::memory_trace::MemoryTrace;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Counts what is allocated, to tell bytes a member and allocations a message.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; only counters are kept besides.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
        PEAK.fetch_max(live, Ordering::Relaxed);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TRIALS: usize = 7;

fn main() {
    println!("Chang-Roberts and LCR, worst order, n = 10,000: 50 million messages; best of {TRIALS}.\n");
    println!("{:<44} {:>12} {:>12} {:>8} {:>7}", "what", "ours", "rival", "ratio", "floor");
    against_hand_written_loops();
    observed();
    many_runs_on_two_cores();
    println!();
    large_rings();
}

fn against_hand_written_loops() {
    let ids = worst_order(10_000);
    let plan = plan(&ids);
    let uniform = |links| Plan { delay: "uniform:1..100".parse().expect("a delay"), links, ..plan.clone() };
    let (in_order, reordering) = (uniform(LinkOrder::Fifo), uniform(LinkOrder::Reordering));

    let (ours, rival) = race(|| run(CHANG_ROBERTS, &plan), || queue_loop(black_box(&ids)));
    line("unit delays, against a VecDeque", ours, rival, 0.45);
    let (ours, rival) = race(|| run(CHANG_ROBERTS, &in_order), || wheel_loop(black_box(&ids), 1));
    line("uniform 1..100 in order, against a wheel", ours, rival, 0.28);
    let (ours, rival) = race(|| run(CHANG_ROBERTS, &reordering), || wheel_loop(black_box(&ids), 1));
    line("uniform 1..100, against a wheel", ours, rival, 0.28);
    let (ours, rival) = race(|| run("lcr", &plan), || round_buffers(black_box(&ids)));
    line("LCR in rounds, against two flat buffers", ours, rival, 0.28);
}

/// What it costs to look on: such runs go through the machine that is compiled once for all algorithms.
fn observed() {
    let plan = plan(&worst_order(10_000));
    let traced = || {
        let mut trace = MemoryTrace::default();
        simulate_observed(runner(CHANG_ROBERTS), black_box(&plan), RoundMode::Auto, &mut trace);
        trace.steps().len() as u64
    };
    let erased = || {
        simulate_observed(runner(CHANG_ROBERTS), black_box(&plan), RoundMode::Auto, &mut ()).messages.total
    };
    let (with, without) = race(traced, erased);
    line("with a trace in memory, against an observer that keeps nothing", with, without, 0.5);
    let (ours, rival) = race(erased, || run(CHANG_ROBERTS, &plan));
    line("the erased machine, against the compiled loop", ours, rival, 0.03);
}

fn many_runs_on_two_cores() {
    let setup = RunSpec { nodes: Some(1_000), order: Some(Order::Worst), ..RunSpec::default() };
    let runs = |threads| {
        let seeds = Seeds { first: 1, count: 100 };
        let counts = batch::run_each(runner(CHANG_ROBERTS), &setup, &[], seeds, threads, |_, report| {
            report.messages.total
        });
        counts.expect("the setup can be run").into_iter().sum()
    };
    let (two, one) = race(|| runs(2), || runs(1));
    line("100 runs on two cores, against one", two, one, 1.8);
}

/// A ring in best order: three messages a member, two thirds of them one at a time.
fn large_rings() {
    for n in [1_000_000, 10_000_000] {
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let allocations = ALLOCATIONS.load(Ordering::Relaxed);
        let start = Instant::now();
        let plan = plan(&best_order(n));
        let messages = run(CHANG_ROBERTS, &plan);
        let seconds = start.elapsed().as_secs_f64();
        let bytes = PEAK.load(Ordering::Relaxed) - before;
        println!(
            "ring of {n} in best order: {seconds:.3} s, {messages} messages, {} bytes a member, {:.2} GiB, {} allocations",
            bytes / n as usize,
            bytes as f64 / f64::from(1 << 30),
            ALLOCATIONS.load(Ordering::Relaxed) - allocations,
        );
    }
}

fn plan(ids: &[u64]) -> Plan {
    let rank = |&id| Rank::new(Elect::Best, 0, Id::new(id).expect("a small id"));
    let ring = Topology::Ring { n: ids.len() as u32, two_way: false };
    Plan::new(ring, Some(ids.len() as u32 - 1), ids.iter().map(rank).collect(), Order::Explicit)
}

const CHANG_ROBERTS: &str = "chang-roberts";

fn runner(name: &str) -> &'static Runner {
    &ALGORITHMS.entries[ALGORITHMS.find(name, None).expect("it is registered")]
}

fn run(name: &str, plan: &Plan) -> u64 {
    simulate(runner(name), black_box(plan), RoundMode::Auto).messages.total
}

/// Runs both in turn; nanoseconds a message of each one's best trial.
fn race(ours: impl Fn() -> u64, rival: impl Fn() -> u64) -> (f64, f64) {
    let trial = |run: &dyn Fn() -> u64| {
        let start = Instant::now();
        let messages = black_box(run());
        start.elapsed().as_secs_f64() * 1e9 / messages as f64
    };
    (0..TRIALS).fold((f64::MAX, f64::MAX), |best, _| (best.0.min(trial(&ours)), best.1.min(trial(&rival))))
}

fn line(what: &str, ours: f64, rival: f64, floor: f64) {
    let ratio = rival / ours;
    let mark = if ratio < floor { "  below" } else { "" };
    println!("{what:<44} {ours:>9.2} ns {rival:>9.2} ns {ratio:>8.2} {floor:>7.2}{mark}");
}
