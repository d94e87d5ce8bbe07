//! The simulator against hand-written loops.
use bellwether_algorithms::{chang_roberts::ChangRoberts, lcr};
use bellwether_benches::*;
use bellwether_core::*;
use bellwether_sim::*;
use std::time::Instant;

fn plan(ids: &[u64]) -> Plan {
    let ranks = ids.iter().map(|&id| Rank::new(Elect::Best, 0, Id::new(id).unwrap())).collect();
    Plan::new(Topology::Ring { n: ids.len() as u32, two_way: false }, Some(1), ranks, Order::Explicit)
}
fn time<T>(f: impl Fn() -> T) -> (f64, T) {
    let mut best = f64::MAX;
    let mut out = None;
    for _ in 0..5 {
        let t = Instant::now();
        let o = std::hint::black_box(f());
        best = best.min(t.elapsed().as_secs_f64());
        out = Some(o);
    }
    (best, out.unwrap())
}
fn main() {
    let ids = worst_order(10_000);
    let p = plan(&ids);
    let (a, m) = time(|| queue_loop(std::hint::black_box(&ids)));
    let (b, r) = time(|| run_events::<ChangRoberts, _>(&p, &mut (), Stop::WhenQuiet));
    assert_eq!(m, r.messages.total);
    println!("queue {:.2} ns, ours {:.2} ns, ratio {:.3}", a / m as f64 * 1e9, b / m as f64 * 1e9, a / b);
    let (c, r) = time(|| {
        let mut t = MemoryTrace::default();
        let r = run_events::<ChangRoberts, _>(&p, &mut t, Stop::WhenQuiet);
        (r, t.steps().len())
    });
    println!("trace {:.2} ns, {} steps, cost {:.3}", c / m as f64 * 1e9, r.1, c / b);
    let mut q = p.clone();
    q.delay = "uniform:1..100".parse().unwrap();
    q.delay_bound = q.delay.bound();
    let (a, m) = time(|| wheel_loop(std::hint::black_box(&ids), 1));
    let (b, r) = time(|| run_events::<ChangRoberts, _>(&q, &mut (), Stop::WhenQuiet));
    println!(
        "wheel {:.2} ns, ours fifo {:.2} ns, ratio {:.3}",
        a / m as f64 * 1e9,
        b / r.messages.total as f64 * 1e9,
        a / b
    );
    q.links = LinkOrder::Reordering;
    let (b, r) = time(|| run_events::<ChangRoberts, _>(&q, &mut (), Stop::WhenQuiet));
    println!("ours reordering {:.2} ns, ratio {:.3}", b / r.messages.total as f64 * 1e9, a / b);
    let (a, m) = time(|| round_buffers(std::hint::black_box(&ids)));
    let (b, r) = time(|| run_rounds::<lcr::LeaderOnly, _>(&p, &mut (), Visit::Awake));
    assert_eq!(m, r.messages.total);
    println!("buffers {:.2} ns, ours {:.2} ns, ratio {:.3}", a / m as f64 * 1e9, b / m as f64 * 1e9, a / b);
}
