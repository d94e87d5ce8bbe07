//! What theory says about the simple heartbeat: beats every T, and failed after a silence of T + D.
//!
//! Beats are sent every T; each is lost with probability p, and takes a delay that is constant or
//! uniform, each by itself. Delays differ by at most T, so that no beat overtakes another.
//!
//! *Mistakes.* The timer runs from each arrival to the next. The next beat that comes is the g-th after,
//! with probability p^(g-1) (1 - p), and it comes gT + X later, where X is the difference of two delays.
//! It is a mistake if that is more than T + D, and so if X > D - (g-1)T; then it begins T + D after the
//! first arrival and lasts until the second, for X - (D - (g-1)T). Beats arrive at the rate (1 - p) / T.
//! So with H(x) = P(X > x) and K(x) = E(max(0, X - x))
//!
//! - λ_M = (1 - p) / T Σ p^(g-1) (1 - p) H(D - (g-1)T),
//! - 1 - P_A = (1 - p) / T Σ p^(g-1) (1 - p) K(D - (g-1)T), and E(T_M) = (1 - P_A) / λ_M.
//!
//! With a constant delay X = 0, and it takes k = 1 + ⌊D/T⌋ losses in a row: λ_M = p^k (1 - p) / T and
//! E(T_M) = (k + 1/(1-p)) T - T - D. With uniform delays over a width w > D and without loss
//! λ_M = (w - D)² / 2w²T and E(T_M) = (w - D) / 3 (but for the length of a tick).
//!
//! *Detection.* The last beat before the death was sent U before it, uniform in 0 to T, and the last j
//! beats are lost with probability p^j (1 - p). The last arrival is d - U - jT after the death, and so
//! T_D = max(0, d + T + D - U - jT). Without loss E(T_D) = E(d) + D + T/2.

use super::Conditions;
use bellwether_core::{HOP, Span};
use bellwether_sim::Delay;

/// What theory says about a detector's quality; times in hops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedForm {
    /// E(T_D).
    pub detection_time: f64,
    /// λ_M: mistakes a hop.
    pub mistake_rate: f64,
    /// E(T_M); nothing where there are no mistakes.
    pub mistake_duration: Option<f64>,
    /// 1 - P_A: the share of time in mistakes.
    pub wrong: f64,
}

/// Less than this adds nothing to a sum that a float would keep.
const NEGLIGIBLE: f64 = 1e-18;
/// Above this, sums over losses in a row would take for ever.
const MOST_LOSS: f64 = 0.99;
/// Delays are summed over one by one: more than that would take a while.
const MOST_DELAYS: u64 = 100_000;

impl ClosedForm {
    /// Of a heartbeat with these T and D; nothing where beats could overtake each other, or delays are
    /// neither constant nor uniform.
    #[must_use]
    pub fn of_heartbeat(period: Span, delay_bound: Span, conditions: &Conditions) -> Option<ClosedForm> {
        let delays = Lattice::of(&conditions.delay)?;
        let (period, bound, loss) = (period.ticks() as f64, delay_bound.ticks() as f64, conditions.loss);
        if delays.width() > period || !(0.0..=MOST_LOSS).contains(&loss) {
            return None;
        }
        // Σ p^(g-1) (1 - p) of something, for g = 1, 2, ...; `lost` is g - 1.
        let over_losses = |of: &dyn Fn(f64) -> f64| {
            let mut sum = 0.0;
            let (mut lost, mut probability) = (0.0, 1.0 - loss);
            while probability > NEGLIGIBLE {
                sum += probability * of(lost);
                probability *= loss;
                lost += 1.0;
            }
            sum
        };
        let arrivals = (1.0 - loss) / period;
        let rate = arrivals * over_losses(&|lost| delays.exceeds(bound - lost * period));
        let wrong = arrivals * over_losses(&|lost| delays.excess(bound - lost * period));
        let detection = over_losses(&|lost| {
            delays.mean_of(|delay| until(delay + bound + period - lost * period, period))
        });
        let hop = HOP.ticks() as f64;
        Some(ClosedForm {
            detection_time: detection / hop,
            mistake_rate: rate * hop,
            mistake_duration: (rate > 0.0).then(|| wrong / rate / hop),
            wrong,
        })
    }
}

/// E(max(0, y - U)) with U uniform in 0 to `period`.
fn until(y: f64, period: f64) -> f64 {
    if y >= period { y - period / 2.0 } else { y.max(0.0).powi(2) / (2.0 * period) }
}

/// Equally likely delays at equal distances: `least`, `least + step`, ..., `steps` times. In ticks.
struct Lattice {
    least: f64,
    step: f64,
    steps: u64,
}

impl Lattice {
    fn of(delay: &Delay) -> Option<Lattice> {
        let in_steps = |least: Span, most: Span, step: Span| {
            let steps = most.ticks().checked_sub(least.ticks())? / step.ticks();
            let lattice = Lattice { least: least.ticks() as f64, step: step.ticks() as f64, steps };
            (least.ticks() > 0 && steps <= MOST_DELAYS).then_some(lattice)
        };
        match delay {
            Delay::Unit => in_steps(HOP, HOP, HOP),
            Delay::UniformWhole { least, most } => in_steps(HOP * (*least).into(), HOP * (*most).into(), HOP),
            Delay::Uniform { least, most } => {
                let ticks = |hops: f64| Span::from_ticks((hops * HOP.ticks() as f64).round() as u64);
                in_steps(ticks(*least), ticks(*most), Span::from_ticks(1))
            }
            Delay::Exponential { .. } | Delay::LogNormal { .. } | Delay::Samples { .. } => None,
        }
    }

    fn width(&self) -> f64 {
        self.step * self.steps as f64
    }

    /// How many pairs of delays there are. In n + 1 - i of them the second exceeds the first by exactly i
    /// steps, where n is the number of steps: what follows sums these up.
    fn pairs(&self) -> f64 {
        (self.steps as f64 + 1.0).powi(2)
    }

    /// H(x): the probability that one delay exceeds another by more than x.
    fn exceeds(&self, x: f64) -> f64 {
        // By symmetry P(X > -x) = 1 - P(X >= x); what reaches x exceeds the step before.
        let beyond = |whole_steps: f64| {
            let left = (self.steps as f64 - whole_steps).max(0.0);
            left * (left + 1.0) / 2.0 / self.pairs()
        };
        if x >= 0.0 { beyond((x / self.step).floor()) } else { 1.0 - beyond((-x / self.step).ceil() - 1.0) }
    }

    /// K(x): by how much one delay exceeds another by more than x, on average.
    fn excess(&self, x: f64) -> f64 {
        if x < 0.0 {
            return -x + self.excess(-x); // E(X) = 0, and X is symmetric
        }
        let whole = (x / self.step).floor();
        let left = (self.steps as f64 - whole).max(0.0);
        let beyond = self.step * left * (left + 1.0) * (left + 2.0) / 6.0;
        (beyond - (x - whole * self.step) * left * (left + 1.0) / 2.0) / self.pairs()
    }

    fn mean_of(&self, of: impl Fn(f64) -> f64) -> f64 {
        let all = (0..=self.steps).map(|step| of(self.least + step as f64 * self.step));
        all.sum::<f64>() / (self.steps as f64 + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of delays, counted one by one.
    #[test]
    fn differences_of_delays_are_counted_rightly() {
        for (steps, step) in [(0, 1.0), (1, 1000.0), (4, 1000.0), (7, 1.0)] {
            let lattice = Lattice { least: 3.0, step, steps };
            let differences: Vec<f64> = (0..=steps)
                .flat_map(|one| (0..=steps).map(move |other| (one as f64 - other as f64) * step))
                .collect();
            let count = differences.len() as f64;
            for x in (-20..=20).map(|halves| f64::from(halves) * step / 2.0 + 0.25) {
                for x in [x, x - 0.25] {
                    let exceeds =
                        differences.iter().filter(|&&difference| difference > x).count() as f64 / count;
                    let excess =
                        differences.iter().map(|difference| (difference - x).max(0.0)).sum::<f64>() / count;
                    assert!((lattice.exceeds(x) - exceeds).abs() < 1e-9, "{steps} {step} {x}");
                    assert!((lattice.excess(x) - excess).abs() < 1e-6, "{steps} {step} {x}");
                }
            }
        }
    }
}
