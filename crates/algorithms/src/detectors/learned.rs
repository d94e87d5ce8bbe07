//! The phi-accrual detector: how long is too long is learnt from how the beats have come so far.

use super::arrivals::{Window, least, tail};
use super::beating::{Beating, Patience, Rule};
use super::{PERIOD, span, wait};
use crate::sources::{HAYASHIBARA_2004, SARKAR_LECTURE};
use bellwether_core::{DetectorEntry, Parameter, Preset, Span};

/// Its line in the list.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "learned",
    summary: "phi-accrual: learns how beats come, and judges by how unlikely a silence is",
    sources: &[HAYASHIBARA_2004, SARKAR_LECTURE],
    parameters: &[
        PERIOD,
        Parameter::number(
            "phi",
            "failed when a live member would be silent so long once in 10^phi times",
            "",
            (0.5, 16.0),
            Preset::number(8.0),
        ),
        Parameter::number(
            "window",
            "how many arrivals it remembers",
            "",
            (2.0, 10_000.0),
            Preset::number(100.0),
        ),
        wait("least", "hops that it takes beats to vary by at least", Preset::DelayBounds(0.1)),
    ],
    is_oracle: false,
    text: include_str!("learned.md"),
    build: |values| {
        let of_phi = |phi: f64| least(-9.0, 9.0, 1e-9, |z| tail(z) <= libm::pow(10.0, -phi));
        let rule = Phi {
            period: values[0],
            suspected: of_phi(values[1] / 2.0),
            failed: of_phi(values[1]),
            window: values[2] as usize,
            least_deviation: values[3],
        };
        Box::new(Beating::new(rule, span(values[0])))
    },
};

/// Longer gaps count as one of so many periods, so that a long absence is soon forgotten.
const LONGEST_GAP: f64 = 10.0;

/// phi(t) = -log10 P(the next beat comes later than t), where gaps between beats are normal. So phi
/// reaches a threshold after the mean and so many standard deviations.
#[derive(Clone, Debug)]
struct Phi {
    period: f64,
    /// In standard deviations.
    suspected: f64,
    failed: f64,
    window: usize,
    least_deviation: f64,
}

impl Phi {
    fn after(&self, mean: f64, deviation: f64) -> Patience {
        let limit = |z: f64| span(mean + z * deviation.max(self.least_deviation));
        Patience { suspected: Some(limit(self.suspected)), failed: limit(self.failed) }
    }
}

impl Rule for Phi {
    type Memory = Window;

    fn learn(&self, gaps: &mut Window, silence: Span, _: u64) {
        gaps.push(silence.hops().min(LONGEST_GAP * self.period), self.window);
    }

    fn patience(&self, gaps: &Window) -> Patience {
        // Before it has learnt anything, a generous guess.
        let (mean, deviation) = gaps.spread(self.window).unwrap_or((self.period, self.period / 4.0));
        self.after(mean, deviation)
    }

    fn most_patience(&self) -> Span {
        // Figures between 0 and a most deviate by half of it at most.
        let most = LONGEST_GAP * self.period;
        self.after(most, most / 2.0).failed
    }
}
