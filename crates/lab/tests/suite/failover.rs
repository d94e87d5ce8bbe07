//! Failover, with a toy of which it is known when it notices what.

use bellwether_core::{Params, registry};
use bellwether_lab::failover::{Failover, FailoverCase, run};
use bellwether_sim::Runner;
use bellwether_testkit::toys::beacon::{BEAT, Beacon};

registry! {
    /// The one that asks for a majority, and the one that does not.
    pub static BOTH: Runner = { events Beacon<false>, Beacon<true>; }
}

const RUNS: u64 = 21;
/// Who falls silent is noticed two beats later at the latest, by each as it beats, and it takes a message to say so.
const NOTICED: f64 = 2.0 * BEAT as f64 + 1.0;

/// What became of many runs: with five members, that ask for a majority or do not.
fn tried(is_stubborn: bool, case: FailoverCase) -> Vec<Failover> {
    let variant = if is_stubborn { "stubborn" } else { "only" };
    let entry = BOTH.find("beacon", Some(variant)).expect("it is listed");
    (0..RUNS)
        .map(|seed| run(&BOTH.entries[entry], Params::default(), case, 5, None, seed).expect("it can be run"))
        .collect()
}

fn median(trials: &[Failover], of: impl Fn(&Failover) -> f64) -> f64 {
    let mut figures: Vec<f64> = trials.iter().map(of).collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn without_leader(trials: &[Failover]) -> f64 {
    median(trials, |trial| trial.without_leader.hops())
}

fn with_several(trials: &[Failover]) -> f64 {
    median(trials, |trial| trial.with_several.hops())
}

#[test]
fn what_was_before_a_case_does_not_count() {
    // The first election takes a beat, of which nothing is left; then somebody else leads, once.
    let crash = tried(false, FailoverCase::Crash);
    assert!((0.1..=NOTICED).contains(&without_leader(&crash)), "{crash:?}");
    assert_eq!(median(&crash, |trial| trial.changes as f64), 1.0, "{crash:?}");
    assert!(crash.iter().all(|trial| trial.came_right), "{crash:?}");
}

#[test]
fn without_a_majority_nobody_leads_but_the_stubborn() {
    let lost = tried(false, FailoverCase::MajorityLost);
    assert!((100.0..=100.0 + 2.0 * NOTICED).contains(&without_leader(&lost)), "{lost:?}");
    let stubborn = tried(true, FailoverCase::MajorityLost);
    assert!(without_leader(&stubborn) <= NOTICED, "{stubborn:?}");

    // The minority's leader stops when it has noticed; a stubborn one leads until all is whole again.
    let cut_off = tried(false, FailoverCase::CutOff);
    assert!(with_several(&cut_off) <= NOTICED, "{cut_off:?}");
    let stubborn = tried(true, FailoverCase::CutOff);
    assert!((100.0 - NOTICED..=100.0 + NOTICED).contains(&with_several(&stubborn)), "{stubborn:?}");
}

#[test]
fn the_frozen_do_not_know_and_all_can_begin_anew() {
    let pause = tried(false, FailoverCase::Pause);
    assert!((60.0 - NOTICED..=60.0 + NOTICED).contains(&with_several(&pause)), "{pause:?}");
    let restart = tried(false, FailoverCase::Restart);
    assert!((10.0..=10.0 + NOTICED).contains(&without_leader(&restart)), "{restart:?}");
    // Who beats by a clock that is a little off does what it did.
    let drift = tried(false, FailoverCase::Drift);
    assert!(with_several(&drift) <= NOTICED && drift.iter().all(|trial| trial.came_right), "{drift:?}");
}

#[test]
fn cases_have_names() {
    for case in FailoverCase::ALL {
        assert_eq!(case.name().parse(), Ok(case));
    }
    assert!("flood".parse::<FailoverCase>().is_err_and(|problem| problem.contains("majority-lost")));
}
