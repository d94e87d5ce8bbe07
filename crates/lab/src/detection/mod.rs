//! How good a failure detector is, by the definitions of Chen, Toueg and Aguilera ("On the quality of
//! service of failure detectors", IEEE Trans. Computers 51(5), 2002).
//!
//! Two members watch each other; one of them is looked at. The other lives for a random time and then
//! dies. Until then every time that it is taken for dead is a *mistake*; after that what counts is how
//! long it takes until it is taken for dead for good. A suspicion that is not yet a failure is a warning,
//! and neither.
//!
//! | figure | what it is |
//! |---|---|
//! | detection time T_D | from the death to the final verdict; 0 if it was there before |
//! | mistake recurrence time T_MR | from the beginning of a mistake to that of the next |
//! | mistake duration T_M | how long a mistake lasts |
//! | mistake rate λ_M | 1 / E(T_MR) |
//! | query accuracy probability P_A | the share of time in which the verdict is right: 1 - E(T_M) / E(T_MR) |
//! | good period T_G | from a mistake's end to the next mistake: T_MR - T_M |
//!
//! The watch is looked at from a fixed time on, when it has settled, until the death, which is drawn
//! independently of it. So over many watches mistakes begun / time, time in mistakes / time and time in
//! mistakes / mistakes begun tend to λ_M, 1 - P_A and E(T_M), whatever is cut off at both ends.

mod closed_form;
mod matrix;
mod pair;

pub use closed_form::ClosedForm;
pub use matrix::{Cell, Row, TRADE_OFF_DELAYS, TradeOff, USUAL_DELAYS, cells, measure_cells};

use crate::parallel::in_parallel;
use crate::progress::Progress;
use crate::stats::{Ratio, Summary};
use bellwether_core::{DetectorChoice, HOP, Span};
use bellwether_sim::{Delay, SetupError};
use pair::{Pair, Watching};

/// What signals meet on their way.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// How long they take.
    pub delay: Delay,
    /// The share of them that is lost, each by itself.
    pub loss: f64,
}

/// How much is done to find out.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many watches: with the seeds S, S+1, ...
    pub watches: u64,
    /// How long each is looked at until the death, on average.
    pub length: Span,
    /// S, from which all randomness comes.
    pub seed: u64,
    /// On how many cores; 0: on all. The result does not depend on it.
    pub threads: usize,
}

/// How good a detector is under some conditions. Times are in hops.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// How many watches there were, each with a death at its end.
    pub watches: u64,
    /// For how long they were looked at, together.
    pub observed: f64,
    /// How many deaths were found in the end.
    pub detected: u64,
    /// T_D, of those; nothing if there are none.
    pub detection_time: Option<Summary>,
    /// How many mistakes began.
    pub mistakes: u64,
    /// λ_M: mistakes a hop.
    pub mistake_rate: Ratio,
    /// E(T_M); nothing without mistakes.
    pub mistake_duration: Option<Ratio>,
    /// 1 - P_A: the share of time in mistakes.
    pub wrong: Ratio,
    /// Signals a hop that one member's watch over another takes. (Two members watch each other, so it
    /// is half of what they send.)
    pub signals: Ratio,
}

impl Quality {
    /// P_A: the probability that the verdict is right at a random time.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        1.0 - self.wrong.value
    }

    /// E(T_MR), in hops; nothing without mistakes.
    #[must_use]
    pub fn mistake_recurrence(&self) -> Option<f64> {
        (self.mistakes > 0).then(|| 1.0 / self.mistake_rate.value)
    }

    /// E(T_G), in hops; nothing without mistakes.
    #[must_use]
    pub fn good_period(&self) -> Option<f64> {
        Some(self.mistake_recurrence()? - self.mistake_duration?.value)
    }
}

/// A watch is let settle for this part of the time for which it is looked at.
const SETTLING: u64 = 4;

/// Measures a detector.
///
/// # Errors
/// [`SetupError::Threads`], where the threads cannot be had.
pub fn measure(
    choice: &DetectorChoice,
    conditions: &Conditions,
    effort: &Effort,
    progress: &dyn Progress,
) -> Result<Quality, SetupError> {
    let prototype = choice.build(conditions.delay.bound());
    let is_oracle = choice.entry().is_oracle;
    let length = effort.length.max(HOP);
    let watching =
        Watching { conditions, is_oracle, settled: Span::from_ticks(length.ticks() / SETTLING), length };
    let watches = in_parallel(effort.threads, effort.watches, |run| {
        let watched = Pair::new(&*prototype, &watching, effort.seed.wrapping_add(run)).watch();
        progress.advance();
        Ok(watched)
    })?;
    Ok(sum_up(&watches))
}

/// What came of one watch; times in hops.
struct Watched {
    observed: f64,
    mistakes: f64,
    wrong: f64,
    signals: f64,
    detection_time: Option<f64>,
}

fn sum_up(watches: &[Watched]) -> Quality {
    let ratio = |top: fn(&Watched) -> f64, bottom: fn(&Watched) -> f64| {
        Ratio::of(watches.iter().map(|watch| (top(watch), bottom(watch))))
    };
    let a_hop = |top| ratio(top, |watch| watch.observed).unwrap_or_default();
    let detected: Vec<f64> = watches.iter().filter_map(|watch| watch.detection_time).collect();
    Quality {
        watches: watches.len() as u64,
        observed: watches.iter().map(|watch| watch.observed).sum(),
        detected: detected.len() as u64,
        detection_time: Summary::of(detected),
        mistakes: watches.iter().map(|watch| watch.mistakes as u64).sum(),
        mistake_rate: a_hop(|watch| watch.mistakes),
        mistake_duration: ratio(|watch| watch.wrong, |watch| watch.mistakes),
        wrong: a_hop(|watch| watch.wrong),
        signals: a_hop(|watch| watch.signals / 2.0),
    }
}
