//! Summaries of many runs.

use serde::Serialize;

/// A sample, summed up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The arithmetic mean.
    pub mean: f64,
    /// The median: the least value that half of the sample does not exceed.
    pub p50: f64,
    /// The least value that 99 % of the sample does not exceed.
    pub p99: f64,
    /// The largest value.
    pub max: f64,
    /// The standard error of the mean.
    pub std_error: f64,
}

impl Summary {
    /// Sums up a sample; nothing if it is empty.
    #[must_use]
    pub fn of(mut sample: Vec<f64>) -> Option<Summary> {
        sample.sort_unstable_by(f64::total_cmp);
        let count = sample.len() as f64;
        let max = *sample.last()?;
        let mean = sample.iter().sum::<f64>() / count;
        let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = if sample.len() > 1 { squares / (count - 1.0) } else { 0.0 };
        let quantile = |share: f64| sample[((share * count).ceil() as usize).clamp(1, sample.len()) - 1];
        Some(Summary {
            mean,
            p50: quantile(0.5),
            p99: quantile(0.99),
            max,
            std_error: (variance / count).sqrt(),
        })
    }

    /// Whether the mean is within five standard errors of a figure: a right figure fails this less
    /// than once in a million times (more often in small samples, whose error is itself a guess).
    #[must_use]
    pub fn meets(&self, figure: f64) -> bool {
        (self.mean - figure).abs() <= 5.0 * self.std_error + 1e-9 * figure.abs()
    }
}

/// The ratio of two sums over many runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ratio {
    /// What it comes to.
    pub value: f64,
    /// Its standard error, from how runs deviate from it.
    pub std_error: f64,
}

impl Ratio {
    /// Of what each run adds above and below; nothing if there is nothing below.
    #[must_use]
    pub fn of(runs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Ratio> {
        let (above, below) = runs.clone().fold((0.0, 0.0), |sums, run| (sums.0 + run.0, sums.1 + run.1));
        let count = runs.clone().count() as f64;
        let value = above / below;
        let squares: f64 = runs.map(|(above, below)| (above - value * below).powi(2)).sum();
        let correction = if count > 1.0 { count / (count - 1.0) } else { 1.0 };
        let std_error = (squares * correction).sqrt() / below;
        (below > 0.0).then_some(Ratio { value, std_error })
    }

    /// Whether it is within five standard errors of a figure, as [`Summary::meets`].
    #[must_use]
    pub fn meets(&self, figure: f64) -> bool {
        (self.value - figure).abs() <= 5.0 * self.std_error + 1e-9 * figure.abs()
    }
}

/// The exponent e of the power law y = c * x^e that fits the points best (least squares over
/// logarithms); nothing with fewer than two different x or a value that is not positive.
#[must_use]
pub fn growth_exponent(points: &[(f64, f64)]) -> Option<f64> {
    if points.iter().any(|&(x, y)| x <= 0.0 || y <= 0.0) {
        return None;
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let slope = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_follow_their_definitions() {
        let sample = (1..=200).rev().map(f64::from).collect();
        let summary = Summary::of(sample).unwrap();
        assert_eq!((summary.mean, summary.p50, summary.p99, summary.max), (100.5, 100.0, 198.0, 200.0));
        let variance = (200.0 * 201.0) / 12.0; // of 1..=n, with n - 1 in the denominator
        assert!((summary.std_error - (variance / 200.0_f64).sqrt()).abs() < 1e-9);
        assert_eq!(Summary::of(vec![]), None);
        assert_eq!(Summary::of(vec![7.0]).unwrap().std_error, 0.0);
    }

    #[test]
    fn ratios_of_equal_weights_are_means() {
        let sample = [3.0, 5.0, 10.0, 4.0];
        let summary = Summary::of(sample.to_vec()).unwrap();
        let ratio = Ratio::of(sample.iter().map(|value| (*value, 1.0))).unwrap();
        assert!((ratio.value - summary.mean).abs() < 1e-12);
        assert!((ratio.std_error - summary.std_error).abs() < 1e-12);
        assert_eq!(Ratio::of([(1.0, 0.0)].into_iter()), None);
        assert!(ratio.meets(5.5 + 4.9 * ratio.std_error) && !ratio.meets(5.5 + 5.1 * ratio.std_error));
    }

    #[test]
    fn exponents_of_power_laws_are_found() {
        for exponent in [0.5, 1.0, 2.0] {
            let points: Vec<(f64, f64)> =
                (1..10).map(|x| (f64::from(x), 3.0 * f64::from(x).powf(exponent))).collect();
            assert!((growth_exponent(&points).unwrap() - exponent).abs() < 1e-9);
        }
        assert_eq!(growth_exponent(&[(2.0, 1.0)]), None);
        assert_eq!(growth_exponent(&[(1.0, 0.0), (2.0, 1.0)]), None);
    }
}
