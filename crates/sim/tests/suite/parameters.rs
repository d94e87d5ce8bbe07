//! Parameters of algorithms in runs: what they change.

use bellwether_core::AlgorithmChoice;
use bellwether_sim::{Plan, Report, RoundMode, simulate};
use bellwether_testkit::toys::beacon::{BEACONS, BEAT};
use bellwether_testkit::toys::complete;

fn choose(text: &str) -> AlgorithmChoice {
    BEACONS.choose(text).unwrap()
}

fn run(choice: &AlgorithmChoice) -> Report {
    let plan = Plan { params: choice.params, ..complete(5) };
    simulate(&BEACONS.entries[choice.entry], &plan, RoundMode::Auto)
}

/// Members know their leader when they beat for the second time. The run is over then.
#[test]
fn a_run_goes_by_the_parameters_that_are_given_and_the_variant() {
    for (text, beat) in [
        ("beacon", BEAT),
        ("beacon:beat=1", 1),
        ("beacon:beat=13", 13),
        ("beacon/eager", 1),
        ("beacon/eager:beat=6", 6),
    ] {
        assert_eq!(run(&choose(text)).time.hops(), beat as f64, "{text}");
    }
}

/// The claim is that of the variant, and is about the parameters of the run.
#[test]
fn claims_depend_on_parameters() {
    for (text, beat) in [("beacon/eager", 1.0), ("beacon/eager:beat=6", 6.0), ("beacon/eager:beat=50", 50.0)]
    {
        let claims = run(&choose(text)).claims;
        let found: Vec<(f64, f64)> = claims.iter().map(|it| (it.expected, it.measured)).collect();
        assert_eq!(found, [(beat, beat)], "{text}");
    }
    assert!(run(&choose("beacon")).claims.is_empty());
}
