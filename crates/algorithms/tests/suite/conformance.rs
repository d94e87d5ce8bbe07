//! Every registered algorithm meets the requirements on all algorithms.

use crate::support::conformance::assert_conforms;
use crate::support::subject::{Subject, Typed};
use bellwether_algorithms::bully;
use bellwether_core::{Driving, FaultEvent, Knowledge, Need, Port, Rank, Span};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::Happening;
use bellwether_testkit::casts::{Cast, run};

bellwether_algorithms::algorithms! {
    /// The properties that only the types of [`ALGORITHMS`] give, in the same order.
    static TYPED: Typed
}

#[test]
fn every_algorithm_conforms() {
    assert_eq!(ALGORITHMS.entries.len(), TYPED.entries.len());
    let both = ALGORITHMS.entries.iter().zip(TYPED.entries);
    let subjects: Vec<Subject> = both.map(|(&runner, &typed)| Subject::new(runner, typed)).collect();
    assert_conforms(&subjects);
}

#[test]
fn registry_lists_all_algorithms_and_variants() {
    use Driving::{Events, Rounds};
    let expected: &[(&str, &[&str], Driving)] = &[
        ("lcr", &["leader-only", "deciding", "halting"], Rounds),
        ("chang-roberts", &["plain", "suppressing", "neighbour-timeout", "detector"], Events),
        ("modified-ring", &["plain"], Events),
        ("ring-skipping", &["plain"], Events),
        ("hirschberg-sinclair", &["plain"], Events),
        ("peterson", &["basic", "improved"], Events),
        ("dolev-klawe-rodeh", &["algorithm-a"], Events),
        ("franklin", &["plain"], Events),
        ("itai-rodeh", &["plain"], Events),
        ("time-slice", &["plain"], Rounds),
        ("variable-speeds", &["plain"], Rounds),
        ("floodmax", &["every-round", "news-only"], Rounds),
        ("aggregation-tree", &["plain"], Events),
        ("bully", &["at-once", "waiting", "stable", "broadcast"], Events),
        ("quorum-lease", &["ranked", "randomised", "adaptive", "tight"], Events),
        ("zookeeper", &["fast"], Events),
        ("paxos", &["single-decree"], Events),
        ("raft-vote", &["plain", "pre-vote"], Events),
        ("omega", &["stable"], Events),
        ("invitation", &["plain"], Events),
    ];
    assert_eq!(ALGORITHMS.names(), expected.iter().map(|(name, ..)| *name).collect::<Vec<_>>());
    for &(name, variants, driving) in expected {
        assert_eq!(ALGORITHMS.variants(name), variants);
        let default = ALGORITHMS.find(name, None).expect("a default");
        assert_eq!(ALGORITHMS.entries[default].spec.variant, variants[0]);
        for &variant in variants {
            let entry = ALGORITHMS.find(name, Some(variant)).expect("the algorithm is registered");
            assert_eq!(ALGORITHMS.entries[entry].driving, driving, "{name} {variant}");
        }
    }
    assert_eq!(ALGORITHMS.variants("nothing"), Vec::<&str>::new());
    assert_eq!(ALGORITHMS.find("lcr", Some("plain")), None);
    assert_eq!(ALGORITHMS.find("nothing", None), None);
}

#[test]
fn storage_counts_the_memory_that_a_state_owns() {
    let n = 8;
    let cast = Cast::in_best_order(bellwether_core::Elect::Best, n);
    for dead in 0..n {
        let mut plan = cast.complete();
        let die = |member| Happening { at: bellwether_core::Time::ZERO, what: FaultEvent::Crash, member };
        plan.script = (0..dead as u32).map(die).collect();
        // Initiators suspect each dead member. Every member must know all other ranks, and the delay bound.
        let known = (n - 1) * size_of::<Rank>() + size_of::<Span>();
        let expected = size_of::<bully::AtOnce>() + dead * size_of::<Port>() + known;
        for variant in ["at-once", "waiting", "stable", "broadcast"] {
            assert_eq!(run("bully", variant, &plan).storage_max, expected as u64, "{variant} {dead} dead");
        }
    }
    for (variant, expected) in [
        ("plain", size_of::<bellwether_algorithms::chang_roberts::ChangRoberts>()),
        ("suppressing", size_of::<bellwether_algorithms::chang_roberts_suppressing::Suppressing>()),
    ] {
        assert_eq!(run("chang-roberts", variant, &cast.ring()).storage_max, expected as u64);
    }
}

/// The ids that a member must know count, whether or not its state repeats them: storage grows with n exactly if the
/// member must know all ids.
#[test]
fn storage_counts_the_ids_that_a_member_must_know() {
    for entry in ALGORITHMS.entries.iter().filter(|entry| entry.spec.need == Need::Complete) {
        let spec = entry.spec;
        let known = |n: u32| {
            let plan = Cast::in_best_order(bellwether_core::Elect::Best, n as usize).complete();
            let measured = run(spec.name, spec.variant, &plan).storage_max;
            assert!(measured >= spec.knows.bytes(n - 1), "{} {}", spec.name, spec.variant);
            spec.knows.bytes(n - 1)
        };
        let a_peer = known(6) - known(5);
        assert_eq!(
            a_peer >= size_of::<Rank>() as u64,
            spec.knows.contains(Knowledge::PEERS),
            "{}",
            spec.name
        );
    }
}
