//! Every registered algorithm keeps what all of them have to keep.

mod support;

use bellwether_algorithms::{Algorithms, bully};
use bellwether_core::{Driving, Port, Registry};
use bellwether_sim::{Event, Happening};
use support::conformance::assert_conforms;
use support::{Cast, run};

#[test]
fn every_algorithm_conforms() {
    assert_conforms::<Algorithms>();
}

#[test]
fn the_registry_lists_what_it_should() {
    let names = ["lcr", "chang-roberts", "time-slice", "variable-speeds", "floodmax", "bully"];
    assert_eq!(Algorithms::names(), names);
    assert_eq!(Algorithms::variants("lcr"), ["leader-only", "deciding", "halting"]);
    assert_eq!(Algorithms::variants("chang-roberts"), ["plain", "suppressing"]);
    assert_eq!(Algorithms::variants("time-slice"), ["plain"]);
    assert_eq!(Algorithms::variants("variable-speeds"), ["plain"]);
    assert_eq!(Algorithms::variants("floodmax"), ["every-round", "news-only"]);
    assert_eq!(Algorithms::variants("bully"), ["at-once", "waiting"]);
    assert_eq!(Algorithms::variants("nothing"), Vec::<&str>::new());
    for (index, entry) in Algorithms::ENTRIES.iter().enumerate() {
        assert_eq!(Algorithms::find(entry.spec.name, Some(entry.spec.variant)), Some(index));
        let default = Algorithms::find(entry.spec.name, None).expect("a default");
        assert_eq!(Algorithms::ENTRIES[default].spec.variant, Algorithms::variants(entry.spec.name)[0]);
        let in_rounds = entry.driving == Driving::Rounds;
        let rounds = ["lcr", "time-slice", "variable-speeds", "floodmax"];
        assert_eq!(in_rounds, rounds.contains(&entry.spec.name), "{}", entry.spec.name);
    }
    assert_eq!(Algorithms::find("lcr", Some("plain")), None);
    assert_eq!(Algorithms::find("nothing", None), None);
}

#[test]
fn storage_counts_what_a_state_owns() {
    let n = 8;
    let cast = Cast::in_best_order(bellwether_core::Elect::Best, n);
    for dead in 0..n {
        let mut plan = cast.complete();
        let die = |member| Happening { at: bellwether_core::Time::ZERO, what: Event::Crash, member };
        plan.script = (0..dead as u32).map(die).collect();
        // Callers suspect each of the dead.
        let expected = size_of::<bully::AtOnce>() + dead * size_of::<Port>();
        for variant in ["at-once", "waiting"] {
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
