//! Under any faults no algorithm panics or reaches a state that violates its invariant, and the same seed gives the
//! same faults.

use bellwether_core::*;
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::notation::Share;
use bellwether_runspec::{LinkOptions, RunSpec};
use bellwether_sim::{Delay, Happening, LinkOrder, RoundMode, Stream, simulate, stream, time_after_hops};
use rand::RngExt as _;

/// All faults at once: crashes and recoveries, freezes, cuts, drifting clocks, liars, and bad links.
fn misfortune(seed: u64) -> (RunSpec, Vec<Happening>) {
    let mut dice = stream(seed, Stream::Swarm);
    let n = dice.random_range(1..=7_u32);
    let id = |value: u64| Id::new(value).expect("small ids");
    let mut script = Vec::new();
    for _ in 0..dice.random_range(0..12) {
        let (member, other) = (dice.random_range(0..n), dice.random_range(0..n));
        let what = match dice.random_range(0..14) {
            0 => FaultEvent::Crash,
            1 => FaultEvent::TornCrash,
            2 => FaultEvent::CrashSending,
            3 | 4 => FaultEvent::Recover,
            5 => FaultEvent::Pause,
            6 => FaultEvent::Resume,
            7 => FaultEvent::Cut(other),
            8 => FaultEvent::Mend(other),
            9 => FaultEvent::Drift(dice.random_range(-900_000..5_000_000)),
            10 => FaultEvent::Jump(dice.random_range(-20_000..20_000)),
            11 => FaultEvent::Lie(Lie::Pretend(id(dice.random_range(0..12)))),
            12 => FaultEvent::Lie(Lie::Forge(id(dice.random_range(0..12)))),
            _ => FaultEvent::Lie(Lie::Silence(other)),
        };
        let at = time_after_hops(f64::from(dice.random_range(0..60))).expect("a time within range");
        script.push(Happening { at, what, member });
    }
    script.sort_unstable();
    let mut share = || if dice.random_bool(0.5) { 0.0 } else { dice.random_range(0.0..0.5) };
    let link_faults = LinkOptions {
        loss: Some(Share(share() / 2.0)),
        duplication: Some(Share(share())),
        reordering: Some(Share(share())),
        ..LinkOptions::default()
    };
    let delays = ["unit", "uniform:1..5", "exponential:2"];
    let setup = RunSpec {
        nodes: Some(n.into()),
        order: Some(Order::Random),
        delay: delays[dice.random_range(0..delays.len())].parse::<Delay>().expect("a delay"),
        links: if dice.random_bool(0.5) { LinkOrder::Fifo } else { LinkOrder::Reordering },
        until: time_after_hops(400.0),
        max_messages: Some(20_000),
        link_faults,
        ..RunSpec::default()
    };
    (setup, script)
}

#[test]
fn no_fault_breaks_a_member() {
    for (entry, algorithm) in ALGORITHMS.entries.iter().enumerate() {
        for seed in 0..400 {
            let (setup, script) = misfortune(seed);
            let mut plan = setup.plan(algorithm.spec, seed).expect("the plan is valid");
            plan.script = script; // unchanged, though many of its events have no effect
            plan.ring_closes = seed % 2 == 0;
            let run = || simulate(&ALGORITHMS.entries[entry], &plan, RoundMode::Auto);
            let context = || format!("{} {} {seed}", algorithm.spec.name, algorithm.spec.variant);
            let report = std::panic::catch_unwind(run).unwrap_or_else(|_| panic!("{}", context()));
            if seed % 40 == 0 {
                assert_eq!(report, run(), "{}", context());
            }
        }
    }
}
