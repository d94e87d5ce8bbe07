//! The verdicts of each detector over time, computed by hand.

use crate::watch::Watch;
use bellwether_algorithms::DETECTORS;
use bellwether_core::Signal::{Beat, Ping, Pong};
use bellwether_core::Verdict::{self, Failed, Suspected, Working};
use bellwether_core::{Domain, Preset, Spec};

#[test]
fn heartbeat_waits_for_t_plus_d() {
    let mut watch = Watch::new("heartbeat:T=5,D=2", 2);
    watch.hears(1.0, 0, Beat(0));
    watch.hears(6.0, 0, Beat(1));
    watch.hears(20.0, 0, Beat(4));
    watch.hears(27.0, 0, Beat(5)); // just in time
    watch.passes(40.0);
    assert_eq!(watch.of(0), [(13.0, Failed), (20.0, Working), (34.0, Failed)]);
    assert_eq!(watch.of(1), [(7.0, Failed)], "nothing ever arrived from it");
    let beats: Vec<_> = watch.signals.iter().filter(|(_, to, _)| *to == 1).collect();
    assert_eq!(beats.len(), 9);
    assert!(beats.iter().enumerate().all(|(at, beat)| **beat == (5.0 * at as f64, 1, Beat(at as u64))));
}

#[test]
fn three_valued_suspects_before_it_reports_failure() {
    let mut watch = Watch::new("three-valued:T=5,D1=1,D2=3", 1);
    watch.hears(7.0, 0, Beat(0));
    watch.passes(30.0);
    let expected = [(6.0, Suspected), (7.0, Working), (13.0, Suspected), (15.0, Failed)];
    assert_eq!(watch.of(0), expected);
    let mut watch = Watch::new("three-valued:T=5,D1=3,D2=1", 1);
    watch.passes(30.0);
    assert_eq!(watch.of(0), [(6.0, Failed)], "no suspicion if D2 is not longer than D1");
}

#[test]
fn ping_waits_for_the_round_trip() {
    let mut watch = Watch::new("ping:P=5,D=1,e=0.5", 1);
    watch.hears(2.0, 0, Pong(0));
    watch.hears(9.0, 0, Pong(1)); // late
    watch.hears(11.0, 0, Pong(1)); // an answer to another ping
    watch.passes(14.0);
    assert_eq!(watch.of(0), [(7.5, Failed), (9.0, Working), (12.5, Failed)]);
    assert_eq!(watch.signals, [(0.0, 0, Ping(0)), (5.0, 0, Ping(1)), (10.0, 0, Ping(2))]);
    watch.hears(14.5, 0, Ping(77));
    assert_eq!(watch.signals[3], (14.5, 0, Pong(77)));
    let mut hasty = Watch::new("ping:P=1,D=1,e=0.5", 1);
    hasty.passes(6.0);
    let asked: Vec<f64> = hasty.signals.iter().map(|(at, ..)| *at).collect();
    assert_eq!(asked, [0.0, 2.5, 5.0], "the answers to one ping are due before the next ping");
}

/// When a detector first judged its only neighbour failed.
fn failed_at(watch: &Watch) -> Option<f64> {
    watch.of(0).iter().find(|(_, verdict)| *verdict == Failed).map(|(at, _)| *at)
}

/// A tick before the verdict. Oracles do not judge by silence.
#[test]
fn new_connection_restarts_the_silence_but_does_not_revive_a_failed_neighbour() {
    for detector in DETECTORS.iter().filter(|entry| !entry.is_oracle) {
        let name = detector.name;
        let mut silent = Watch::new(name, 1);
        silent.passes(1_000.0);
        let verdict_at = failed_at(&silent).unwrap();
        let before = silent.of(0);
        silent.is_connected(1_001.0, 0);
        silent.passes(2_000.0);
        assert_eq!(silent.of(0), before, "{name}: no beat has arrived");

        let mut reconnected = Watch::new(name, 1);
        let connected_at = verdict_at - 0.001;
        reconnected.is_connected(connected_at, 0);
        let latest = connected_at + reconnected.detector.patience().hops();
        reconnected.passes(latest);
        let judged_at = failed_at(&reconnected);
        assert!(judged_at.is_some_and(|at| at > verdict_at + 1.0), "{name}: {judged_at:?}, not {verdict_at}");
    }
}

/// Beats that were lost with a connection do not show that the network loses beats.
#[test]
fn gap_before_a_new_connection_is_not_recorded() {
    for name in ["learned:T=5,phi=8,window=10,least=0.1", "bayes"] {
        let judged_after = |gap: f64, is_connected: bool| {
            let mut watch = Watch::new(name, 1);
            (0..20).for_each(|beat| watch.hears(5.0 * beat as f64, 0, Beat(beat)));
            if is_connected {
                watch.is_connected(95.0 + gap, 0);
            }
            let last = 96.0 + gap;
            watch.hears(last, 0, Beat(20 + (gap / 5.0) as u64));
            watch.passes(last + 1_000.0);
            watch.verdicts.last().map(|(at, ..)| ((at - last) * 1_000.0).round())
        };
        assert_eq!(judged_after(40.0, true), judged_after(4.0, false), "{name}");
        assert_ne!(judged_after(40.0, false), judged_after(4.0, false), "{name}: without a new connection");
    }
}

/// Beats arrive with these gaps, and none after the last. How long until each verdict?
fn after_gaps(text: &str, gaps: &[(f64, u64)]) -> Vec<(f64, Verdict)> {
    let mut watch = Watch::new(text, 1);
    let (mut at, mut number) = (1.0, 0);
    watch.hears(at, 0, Beat(number));
    for (gap, beats) in gaps {
        at += gap;
        number += beats;
        watch.hears(at, 0, Beat(number));
    }
    watch.passes(at + 1_000.0);
    let after = watch.of(0).into_iter().filter(|(when, _)| *when > at);
    after.map(|(when, verdict)| (when - at, verdict)).collect()
}

fn assert_about(found: &[(f64, Verdict)], expected: &[(f64, Verdict)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((at, verdict), (expected_at, expected)) in found.iter().zip(expected) {
        assert!((at - expected_at).abs() <= 0.0011 && verdict == expected, "{found:?} is not {expected:?}");
    }
}

/// The normal distribution's quantiles, from tables: these numbers of standard deviations are exceeded once in 10^8
/// and 10^4 times.
const PHI_8: f64 = 5.612_001;
const PHI_4: f64 = 3.719_016;

#[test]
fn learned_waits_for_the_mean_plus_standard_deviations() {
    let limits = |mean: f64, deviation: f64| {
        [(mean + PHI_4 * deviation, Suspected), (mean + PHI_8 * deviation, Failed)]
    };
    let text = "learned:T=5,phi=8,least=0.5";
    assert_about(&after_gaps(text, &[]), &limits(5.0, 1.25)); // nothing learnt
    assert_about(&after_gaps(text, &[(5.0, 1); 20]), &limits(5.0, 0.5)); // equal gaps: the least
    let uneven: Vec<_> = (0..20).map(|at| (if at % 2 == 0 { 4.0 } else { 6.0 }, 1)).collect();
    assert_about(&after_gaps(text, &uneven), &limits(5.0, 1.0));
    // A gap outside the window is forgotten, and duplicates are not recorded.
    let mut changed = vec![(5.0, 1); 3];
    changed.extend([(6.0, 1), (8.0, 1), (6.0, 1), (8.0, 1), (0.0, 0)]);
    assert_about(&after_gaps("learned:T=5,phi=8,least=0.5,window=4", &changed), &limits(7.0, 1.0));
}

#[test]
fn bayes_waits_for_the_required_probability() {
    let text = "bayes:T=5,a=0.001,sure=0.999,least=0.5";
    // Failed when P(silent | working) is a (1 - sure) / (sure (1 - a)) = 1.002e-6, and suspected at a / (1 - a) =
    // 1.001e-3: that is 4.753020 and 3.089935 standard deviations after the beat was due.
    let limits = |due: f64| [(due + 3.089_935 * 0.5, Suspected), (due + 4.753_020 * 0.5, Failed)];
    assert_about(&after_gaps(text, &[(5.0, 1); 20]), &limits(5.0));
    // Half of the beats are lost: the 20th missing one decides, as 2^-20 < 1.002e-6 < 2^-19.
    let half_lost = after_gaps(text, &[(10.0, 2); 20]);
    assert_eq!(half_lost.len(), 2);
    let (at, verdict) = half_lost[1];
    assert!(verdict == Failed && (100.0..102.0).contains(&at), "{half_lost:?}");
    // As 2^-10 < 1.001e-3 < 2^-9, the tenth missing beat makes it suspected.
    assert!((50.0..52.0).contains(&half_lost[0].0), "{half_lost:?}");
}

#[test]
fn oracles_report_as_configured() {
    let mut perfect = Watch::new("perfect:after=2", 2);
    for (at, peer, is_up) in [(3.0, 1, false), (10.0, 1, true), (20.0, 1, false), (21.0, 1, true)] {
        perfect.is_told(at, peer, is_up);
    }
    perfect.passes(50.0);
    assert_eq!(perfect.verdicts, [(5.0, 1, Failed), (12.0, 1, Working)]);
    let mut at_once = Watch::new("perfect", 2);
    at_once.is_told(3.0, 0, false);
    assert_eq!(at_once.verdicts, [(3.0, 0, Failed)]);

    let mut incomplete = Watch::new("incomplete", 1);
    incomplete.is_told(3.0, 0, false);
    incomplete.passes(1_000.0);
    assert_eq!(incomplete.verdicts, []);
    let mut some = Watch::new("incomplete:missed=0.5", 1_000);
    for peer in 0..1_000 {
        some.is_told(1.0, peer, false);
    }
    assert!((400..600).contains(&some.verdicts.len()), "{}", some.verdicts.len());

    let mut inaccurate = Watch::new("inaccurate:every=20,for=5", 2);
    inaccurate.is_told(22.0, 1, false);
    inaccurate.passes(46.0);
    let expected = [(20.0, Failed), (25.0, Working), (40.0, Failed), (45.0, Working)];
    assert_eq!(inaccurate.of(0), expected);
    assert_eq!(inaccurate.of(1), [(20.0, Failed)], "a report about a dead member is no mistake");
}

/// Floods of signals that no detector sends, from neighbours that do not exist.
#[test]
fn no_signal_makes_a_detector_panic_or_grow() {
    for entry in DETECTORS {
        let mut watch = Watch::new(entry.name, 2);
        let flood = |watch: &mut Watch, from: u64| {
            for number in from..from + 5_000 {
                let at = 100.0 + number as f64 / 1_000.0;
                for signal in [Beat(number * 3), Beat(u64::MAX), Ping(number), Pong(0), Pong(u64::MAX)] {
                    watch.hears(at, (number % 3) as u32, signal);
                }
                watch.is_told(at, (number % 4) as u32, number % 2 == 0);
            }
            format!("{:?}", watch.detector).len()
        };
        let first = flood(&mut watch, 0);
        let second = flood(&mut watch, 5_000);
        assert!(second < first + 1_000, "{}: {first} then {second}", entry.name);
        watch.passes(10_000.0);
    }
}

#[test]
fn entries_are_complete_and_can_be_built() {
    for entry in DETECTORS {
        let full = |text: &str| !text.trim().is_empty() && !text.contains('\n');
        assert!(full(entry.name) && full(entry.summary) && !entry.sources.is_empty(), "{}", entry.name);
        let headings: Vec<&str> = entry.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(headings, Spec::SECTIONS, "{}", entry.name);
        assert!(entry.text.lines().count() <= 40, "{}", entry.name);
        assert!(entry.text.lines().all(|line| line.chars().count() <= 110), "{}", entry.name);
        assert_eq!(DETECTORS.iter().filter(|other| other.name == entry.name).count(), 1);
        for parameter in entry.parameters {
            assert!(full(parameter.name) && full(parameter.about), "{}", entry.name);
            let Domain::Number(least, most) = parameter.domain else { panic!("{parameter:?}") };
            if let Preset::Fixed(value) = parameter.default {
                assert!(parameter.domain.has(value), "{} {}", entry.name, parameter.name);
            }
            // It can be built at both ends of every range.
            for value in [least, most] {
                let mut watch = Watch::new(&format!("{}:{}={value}", entry.name, parameter.name), 1);
                watch.hears(1.0, 0, Beat(0));
                watch.passes(20.0);
            }
        }
    }
}
