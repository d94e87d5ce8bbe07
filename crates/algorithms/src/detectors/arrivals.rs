//! What detectors learn from: the last figures of one neighbour, and their mean and standard deviation.

use std::collections::VecDeque;

/// Fewer figures may be close together by chance, and then show no variation.
const ENOUGH: usize = 10;

/// The last figures; older ones are removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Window(VecDeque<f64>);

impl Window {
    /// Adds a figure, and removes the oldest beyond `most`.
    pub(super) fn push(&mut self, figure: f64, most: usize) {
        self.0.push_back(figure);
        while self.0.len() > most {
            self.0.pop_front();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Mean and standard deviation; none while there are too few figures, given that at most `most` are kept.
    pub(super) fn spread(&self, most: usize) -> Option<(f64, f64)> {
        if self.len() < ENOUGH.min(most) {
            return None;
        }
        let mean = self.sum() / self.len() as f64;
        let squares: f64 = self.0.iter().map(|figure| (figure - mean) * (figure - mean)).sum();
        Some((mean, (squares / self.len() as f64).sqrt()))
    }
}

/// Beyond this many standard deviations a normal distribution is negligible.
const NOTHING_BEYOND: f64 = 9.0;

/// The share of a normal distribution that lies more than `deviations` standard deviations above its mean.
pub(super) fn tail(deviations: f64) -> f64 {
    if deviations > NOTHING_BEYOND {
        return 0.0; // less than 10^-18, and it saves time
    }
    0.5 * libm::erfc(deviations * std::f64::consts::FRAC_1_SQRT_2)
}

/// The least value from `low` up to `high` from which on a condition holds, or slightly more (by at most `within`);
/// `high` if there is none.
pub(super) fn least(low: f64, high: f64, within: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut from) = (low, high);
    while from - below > within {
        let middle = f64::midpoint(below, from);
        if middle <= below || middle >= from {
            break; // there is no number in between
        }
        if holds(middle) {
            from = middle;
        } else {
            below = middle;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_forget() {
        let mut window = Window::default();
        for figure in 0..1_000 {
            window.push(f64::from(figure), 4);
        }
        // 996 to 999.
        assert_eq!((window.len(), window.spread(4)), (4, Some((997.5, 1.25_f64.sqrt()))));
        assert_eq!(window.spread(100), None, "too few to tell");
    }

    #[test]
    fn tails_are_those_of_the_tables() {
        for (deviations, share) in [(0.0, 0.5), (1.0, 0.158_655), (1.959_964, 0.025), (3.090_232, 0.001)] {
            assert!((tail(deviations) - share).abs() < 1e-6, "{deviations}");
        }
        let found = least(0.0, 10.0, 1e-9, |deviations| tail(deviations) <= 0.001);
        assert!((found - 3.090_232).abs() < 1e-5, "{found}");
    }
}
