//! The checker's speed, as ratios against rivals in the same run.

use bellwether_algorithms::Algorithms;
use bellwether_benches::packed_search;
use bellwether_check::{Wishes, check};
use bellwether_core::{Order, Registry};
use bellwether_sim::rules::Liberties;
use bellwether_sim::{Members, Setup};
use std::time::Instant;

fn ours(name: &str, n: u64, reduction: bool, threads: usize) -> (u64, f64) {
    let entry = Algorithms::find(name, None).expect("it is registered");
    let setup = Setup { members: Some(Members::Count { n, order: Order::Worst }), ..Setup::default() };
    let plan = setup.plan(Algorithms::ENTRIES[entry].spec, 0).expect("a ring");
    let wishes = Wishes {
        liberties: Liberties::default(),
        reduction,
        symmetry: false,
        threads,
        memory: 8 << 30,
        time: None,
    };
    let begun = Instant::now();
    let checked = check::<Algorithms>(entry, &plan, &wishes, &|_| {});
    (checked.progress.states, begun.elapsed().as_secs_f64())
}

fn main() {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10u32);
    let only = std::env::args().nth(2).unwrap_or_default();
    for threads in [1, 2] {
        if only == "hand" || (only == "ours" && threads == 2) {
            continue;
        }
        let (states, seconds) = ours("chang-roberts", n.into(), false, threads);
        println!("ours {threads}: {states} {seconds:.2} {:.2} M/s", states as f64 / seconds / 1e6);
    }
    if only == "ours" {
        return;
    }
    let begun = Instant::now();
    let (states, ends) = packed_search::search(n);
    let seconds = begun.elapsed().as_secs_f64();
    println!("hand: {states} {ends} {seconds:.2} {:.2} M/s", states as f64 / seconds / 1e6);
}
