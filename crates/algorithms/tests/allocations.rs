//! No memory is allocated per message, and a member takes few bytes: counted by the allocator.

use bellwether_core::{Elect, Order};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::RunSpec;
use bellwether_sim::{LinkOrder, Plan, RoundMode, simulate};
use bellwether_testkit::casts::{Cast, set_delay};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator, with counters per thread.
struct Counting;

fn note(allocations: u64, bytes: i64) {
    ALLOCATIONS.set(ALLOCATIONS.get() + allocations);
    LIVE.set(LIVE.get() + bytes);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

// SAFETY: every call is forwarded unchanged to the system's allocator, which keeps the contract; the counters are
// plain thread-local cells without destructors, so counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: the caller's guarantees are forwarded.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: the caller's guarantees are forwarded.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, -(layout.size() as i64));
        // SAFETY: the caller's guarantees are forwarded.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While memory is moved, both the old and the new block may be live.
        note(1, size as i64);
        note(0, -(layout.size() as i64));
        // SAFETY: the caller's guarantees are forwarded.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The number of allocations and messages of a run.
fn allocations(name: &str, variant: &str, plan: &Plan) -> (u64, u64) {
    let entry = ALGORITHMS.find(name, Some(variant)).expect("the algorithm is registered");
    let before = ALLOCATIONS.get();
    let report = simulate(&ALGORITHMS.entries[entry], plan, RoundMode::Auto);
    let taken = ALLOCATIONS.get() - before;
    assert!(report.is_as_it_should_be());
    (taken, report.messages.total)
}

/// From few messages to many, a run makes at most `most` more allocations.
fn check(name: &str, variant: &str, few: &Plan, many: &Plan, most: u64) {
    let (taken_for_few, few) = allocations(name, variant, few);
    let (taken_for_many, many) = allocations(name, variant, many);
    assert!(many > few + 100 * most, "{many} is many more than {few}");
    let more = taken_for_many.saturating_sub(taken_for_few);
    assert!(
        more < most,
        "{name} {variant}: {few} messages took {taken_for_few} allocations, {many} {taken_for_many}"
    );
}

fn worst_ring(n: usize) -> Plan {
    Cast::in_worst_order(Elect::Best, n).ring()
}

fn best_ring(n: usize) -> Plan {
    Cast::in_best_order(Elect::Best, n).ring()
}

#[test]
fn ring_messages_allocate_nothing() {
    for (name, variant) in [
        ("chang-roberts", "plain"),
        ("chang-roberts", "suppressing"),
        ("lcr", "leader-only"),
        ("lcr", "halting"),
    ] {
        check(name, variant, &worst_ring(200), &worst_ring(800), 200);
        check(name, variant, &best_ring(800), &worst_ring(800), 50);
    }
}

#[test]
fn messages_with_varying_delays_allocate_nothing() {
    for (delay, links) in [
        ("uniform:1..4", LinkOrder::Fifo),
        ("uniform:0.1..3.0", LinkOrder::Fifo),
        ("exponential:1", LinkOrder::Fifo),
        ("lognormal:0,0.5", LinkOrder::Fifo),
    ] {
        let with_delay = |mut plan: Plan| {
            set_delay(&mut plan, delay);
            plan.links = links;
            plan
        };
        // Lists of messages that arrive at the same time grow as the run goes on, but not for ever.
        let (few, many) = (with_delay(best_ring(800)), with_delay(worst_ring(800)));
        check("chang-roberts", "plain", &few, &many, 2_000);
    }
}

#[test]
fn bully_allocates_per_election_and_not_per_message() {
    for variant in ["at-once", "waiting"] {
        for n in [64, 128, 256] {
            let plan = Cast::in_best_order(Elect::Best, n).complete();
            let (taken, messages) = allocations("bully", variant, &plan);
            assert!(messages as usize > n * (n - 1));
            assert!(
                taken < 20 * n as u64 + 200,
                "{variant} {n}: {taken} allocations for {messages} messages"
            );
        }
    }
}

#[test]
fn ring_member_takes_less_than_200_bytes() {
    const N: u64 = 100_000;
    for (name, variant) in [("chang-roberts", "plain"), ("lcr", "leader-only"), ("lcr", "halting")] {
        let entry = ALGORITHMS.find(name, Some(variant)).expect("the algorithm is registered");
        let before = LIVE.get();
        PEAK.set(before);
        let setup = RunSpec { nodes: Some(N), order: Some(Order::Best), ..RunSpec::default() };
        let plan = setup.plan(ALGORITHMS.entries[entry].spec, 0).expect("the plan is valid");
        let report = simulate(&ALGORITHMS.entries[entry], &plan, RoundMode::Auto);
        let each = (PEAK.get() - before) as u64 / N;
        assert!(report.is_as_it_should_be());
        assert!(each < 200, "{name} {variant}: {each} bytes a member");
    }
}
