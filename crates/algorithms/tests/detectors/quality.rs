//! The quality of detectors, measured, against closed forms.

use crate::watch::choice;
use bellwether_algorithms::DETECTORS;
use bellwether_core::{HOP, Span};
use bellwether_lab::detection::{ClosedForm, Conditions, Effort, Quality, measure};

const EFFORT: Effort = Effort { watches: 400, length: Span::from_hops(2_000), seed: 1, threads: 0 };

fn under(delay: &str, loss: f64) -> Conditions {
    Conditions { delay: delay.parse().expect("a delay"), loss }
}

fn quality(detector: &str, delay: &str, loss: f64) -> Quality {
    measure(&choice(detector), &under(delay, loss), &EFFORT, &()).expect("threads")
}

/// From fewer watches, for figures that need not be exact.
fn rough_quality(detector: &str, delay: &str, loss: f64) -> Quality {
    let effort = Effort { watches: 50, ..EFFORT };
    measure(&choice(detector), &under(delay, loss), &effort, &()).expect("threads")
}

/// Figures computed elsewhere, in hops: T_D, mistakes per hop, T_M.
fn assert_meets(measured: &Quality, [detection, rate, duration]: [f64; 3], context: &str) {
    assert!(measured.detection_time.expect("deaths are found").meets(detection), "{measured:?} {context}");
    assert!(measured.mistakes > 100, "too few to tell: {measured:?} {context}");
    assert!(measured.mistake_rate.meets(rate), "{measured:?}, not {rate} {context}");
    assert!(measured.mistake_duration.is_some_and(|it| it.meets(duration)), "{measured:?} {context}");
    assert!(measured.wrong.meets(rate * duration), "{measured:?} {context}");
    assert_eq!(measured.detected, measured.watches);
}

fn closed(period: f64, bound: f64, delay: &str, loss: f64) -> [f64; 3] {
    let span = |hops: f64| Span::from_ticks((hops * HOP.ticks() as f64) as u64);
    let form =
        ClosedForm::of_heartbeat(span(period), span(bound), &under(delay, loss)).expect("there is one");
    let duration = form.mistake_duration.expect("there are mistakes");
    assert!((form.wrong - form.mistake_rate * duration).abs() < 1e-12);
    [form.detection_time, form.mistake_rate, duration]
}

/// Equal up to a tick, which is a thousandth of the shortest width below.
fn assert_close(one: [f64; 3], other: [f64; 3], context: &str) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() < 3e-3 * b.abs();
    assert!(one.iter().zip(&other).all(near), "{one:?} is not {other:?} {context}");
}

/// A constant delay d and losses p: k = 1 + floor(D / T) consecutive losses are a mistake.
#[test]
fn lost_heartbeats_cause_as_many_mistakes_as_theory_says() {
    for (t, d, p) in [(5.0, 2.0, 0.1), (5.0, 5.0, 0.2), (2.0, 4.5, 0.3), (3.0, 0.0, 0.05)] {
        let k = 1.0 + f64::floor(d / t);
        let rate = (1.0 - p) * f64::powf(p, k) / t;
        let duration = (k + 1.0 / (1.0 - p)) * t - t - d;
        // With the last j beats lost, the verdict comes d + T + D - U - jT after the crash.
        let detection: f64 = (0..60)
            .map(|j| {
                let latest = 1.0 + t + d - f64::from(j) * t;
                let mean = if latest >= t { latest - t / 2.0 } else { latest.max(0.0).powi(2) / (2.0 * t) };
                p.powi(j) * (1.0 - p) * mean
            })
            .sum();
        let context = format!("T={t} D={d} p={p}");
        let expected = [detection, rate, duration];
        assert_close(closed(t, d, "unit", p), expected, &context);
        assert_meets(&quality(&format!("heartbeat:T={t},D={d}"), "unit", p), expected, &context);
    }
}

/// Uniform delays over a width w, and D shorter than w: the order statistics of two consecutive delays.
#[test]
fn late_heartbeats_cause_as_many_mistakes_as_theory_says() {
    for (t, d, least, most) in [(5.0, 1.0, 1.0, 4.0), (4.0, 2.0, 0.5, 4.5), (10.0, 0.0, 1.0, 2.0)] {
        let (w, delay) = (most - least, format!("uniform:{least:?}..{most:?}"));
        let rate = f64::powi(w - d, 2) / (2.0 * w * w) / t;
        let expected = [f64::midpoint(least, most) + d + t / 2.0, rate, (w - d) / 3.0];
        let context = format!("T={t} D={d} {delay}");
        assert_close(closed(t, d, &delay, 0.0), expected, &context);
        assert_meets(&quality(&format!("heartbeat:T={t},D={d}"), &delay, 0.0), expected, &context);
    }
}

#[test]
fn late_and_lost_heartbeats_cause_as_many_mistakes_as_theory_says() {
    for (t, d, delay, loss) in [
        (5.0, 2.0, "uniform:1..4", 0.1),
        (5.0, 6.0, "uniform:0.5..4.5", 0.3),
        (4.0, 1.0, "uniform:1.0..3.0", 0.02),
    ] {
        let expected = closed(t, d, delay, loss);
        assert_meets(&quality(&format!("heartbeat:T={t},D={d}"), delay, loss), expected, delay);
        // The second limit of the three-valued detector is the same rule.
        let three = quality(&format!("three-valued:T={t},D1=0,D2={d}"), delay, loss);
        assert_meets(&three, expected, "three-valued");
        // The check can fail: another D gives another figure.
        let [_, other_rate, _] = closed(t, d + 1.5, delay, loss);
        assert!(!three.mistake_rate.meets(other_rate), "{three:?}");
    }
    let exponential = under("exponential:1", 0.0);
    assert_eq!(ClosedForm::of_heartbeat(HOP * 5, HOP, &exponential), None);
    let overtaking = under("uniform:1.0..9.0", 0.0);
    assert_eq!(ClosedForm::of_heartbeat(HOP * 5, HOP, &overtaking), None);
}

/// A ping fails if it or its answer is lost, so with f = 1 - (1 - p)^2.
#[test]
fn lost_pings_cause_as_many_mistakes_as_theory_says() {
    let p = 0.1;
    let f = 1.0 - (1.0_f64 - p).powi(2);
    let measured = quality("ping:P=5,D=1,e=0.1", "unit", p);
    // A mistake begins 2.1 after a ping and ends 2 after the next answered ping.
    assert!(measured.mistake_rate.meets(f * (1.0 - f) / 5.0), "{measured:?}");
    assert!(measured.mistake_duration.is_some_and(|it| it.meets(5.0 / (1.0 - f) - 0.1)), "{measured:?}");
    // A crashed member fails to answer between 1 before its crash and 4 after, and 2.1 later that is known.
    let calm = quality("ping:P=5,D=1,e=0.1", "unit", 0.0);
    assert!(calm.detection_time.is_some_and(|it| it.meets(1.5 + 2.1)), "{calm:?}");
    assert!((calm.detection_time.expect("found").max - 6.1).abs() < 0.1);
}

#[test]
fn cost_is_per_watched_neighbour() {
    let about = |quality: &Quality, figure: f64| (quality.signals.value - figure).abs() < 0.01 * figure;
    assert!(about(&quality("heartbeat:T=4", "unit", 0.0), 0.25));
    assert!(about(&quality("ping:P=4,D=1", "unit", 0.0), 0.5), "a question and an answer");
}

/// With the true bound and without loss, detectors that are told the bound make no mistake, and are at least as fast
/// as they should be.
#[test]
fn no_mistakes_while_the_delay_bound_holds() {
    for delay in ["unit", "uniform:1..3", "uniform:0.1..2.0", "uniform:1.0..12.0"] {
        let bound = under(delay, 0.0).delay.bound().hops();
        for (name, latest) in [
            ("heartbeat", 5.0 + 2.0 * bound),
            ("three-valued", 5.0 + 4.0 * bound),
            ("ping", 5.2 + 5.0 * bound),
        ] {
            let measured = rough_quality(name, delay, 0.0);
            assert_eq!((measured.mistakes, measured.wrong.value), (0, 0.0), "{name} {delay}");
            assert_eq!(measured.detected, measured.watches, "{name} {delay}");
            assert!(
                measured.detection_time.is_some_and(|it| it.max <= latest),
                "{name} {delay} {measured:?}"
            );
        }
    }
}

/// Every detector but the incomplete one reports every crash, whatever happens to signals; and only the inaccurate
/// one is wrong most of the time.
#[test]
fn only_the_detectors_broken_on_purpose_are_wrong() {
    for (delay, loss) in [("unit", 0.0), ("exponential:1", 0.05), ("lognormal:0,1", 0.3)] {
        for entry in DETECTORS {
            let measured = rough_quality(entry.name, delay, loss);
            let context = format!("{} {delay} {loss}: {measured:?}", entry.name);
            let found = if entry.name == "incomplete" { 0 } else { measured.watches };
            assert_eq!(measured.detected, found, "{context}");
            match entry.name {
                "inaccurate" => {
                    assert!((measured.mistake_rate.value - 1.0 / 20.0).abs() < 2e-3, "{context}");
                    assert!(
                        (measured.mistake_duration.expect("mistakes").value - 5.0).abs() < 0.1,
                        "{context}"
                    );
                    assert!((measured.accuracy() - 0.75).abs() < 0.02, "{context}");
                    assert!((measured.good_period().expect("mistakes") - 15.0).abs() < 0.3, "{context}");
                }
                "perfect" | "incomplete" => assert_eq!(measured.mistakes, 0, "{context}"),
                _ => assert!(measured.accuracy() > 0.5, "{context}"),
            }
        }
    }
    let late = quality("perfect:after=3", "unit", 0.0).detection_time.expect("found");
    assert_eq!((late.mean, late.max), (3.0, 3.0));
}

/// If beats are lost, the two detectors that learn are wrong less often than the one that is told the bound.
#[test]
fn learning_detectors_make_fewer_mistakes_under_loss() {
    let rate = |name: &str| rough_quality(name, "uniform:0.5..1.5", 0.1).mistake_rate.value;
    assert!(rate("learned") < rate("heartbeat") / 10.0, "{} {}", rate("learned"), rate("heartbeat"));
    assert!(rate("bayes") < rate("heartbeat") / 10.0, "{} {}", rate("bayes"), rate("heartbeat"));
}

#[test]
fn same_seed_gives_same_figures_on_any_number_of_cores() {
    let of = |seed: u64, threads: usize| {
        let effort = Effort { watches: 50, seed, threads, ..EFFORT };
        measure(&choice("learned"), &under("exponential:1", 0.1), &effort, &()).expect("threads")
    };
    assert_eq!(of(7, 1), of(7, 2));
    assert_ne!(of(7, 1), of(8, 1));
}
