//! scratch
use bellwether_algorithms::{chang_roberts::ChangRoberts, lcr};
use bellwether_benches::*;
use bellwether_core::*;
use bellwether_sim::*;
fn plan(ids: &[u64]) -> Plan {
    let ranks = ids.iter().map(|&id| Rank::new(Elect::Best, 0, Id::new(id).unwrap())).collect();
    Plan::new(Topology::Ring { n: ids.len() as u32, two_way: false }, Some(1), ranks, Order::Explicit)
}
fn main() {
    let which = std::env::args().nth(1).unwrap();
    let reps: u32 = std::env::args().nth(2).unwrap().parse().unwrap();
    let ids = worst_order(10_000);
    let mut p = plan(&ids);
    for _ in 0..reps {
        let t = std::time::Instant::now();
        let m = match which.as_str() {
            "queue" => queue_loop(&ids),
            "wheel" => wheel_loop(&ids, 1),
            "buffers" => round_buffers(&ids),
            "events" => run_events::<ChangRoberts, _>(&p, &mut (), Stop::WhenQuiet).messages.total,
            "uniform" => {
                p.delay = "uniform:1..100".parse().unwrap();
                run_events::<ChangRoberts, _>(&p, &mut (), Stop::WhenQuiet).messages.total
            }
            "rounds" => run_rounds::<lcr::LeaderOnly, _>(&p, &mut (), Visit::Awake).messages.total,
            _ => panic!(),
        };
        println!("{which} {:.2} ns", t.elapsed().as_secs_f64() * 1e9 / m as f64);
    }
}
