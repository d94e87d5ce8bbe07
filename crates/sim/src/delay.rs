//! How long messages take.

use bellwether_core::{HOP, Span};
use rand::RngExt as _;
use rand::distr::{Distribution, Uniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// A distribution of message delays, in hops. No message is instantaneous: what would take less
/// than a tick (a thousandth of a hop) takes one.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// Every message takes one hop.
    Unit,
    /// Whole numbers of hops, all equally likely.
    UniformWhole {
        /// The least.
        least: u32,
        /// The most.
        most: u32,
    },
    /// Any length in between, to the tick.
    Uniform {
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// Exponential.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// Log-normal: the logarithm is normal.
    LogNormal {
        /// The mean of the logarithm.
        mu: f64,
        /// The standard deviation of the logarithm.
        sigma: f64,
    },
    /// One of these, all equally likely.
    Samples {
        /// Where they come from.
        path: PathBuf,
        /// In ticks.
        ticks: Arc<[u64]>,
    },
}

/// A delay that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DelayError {
    /// It does not have one of the forms there are.
    #[error(
        "delay '{0}' is not understood: use unit, uniform:LO..HI, exponential:MEAN, lognormal:MU,SIGMA or file:PATH"
    )]
    Syntax(String),
    /// A number makes no sense.
    #[error("delay '{given}': {problem}")]
    Value {
        /// As given.
        given: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of samples cannot be used.
    #[error("{path}:{line}:{column}: {problem}")]
    File {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A file cannot be read.
    #[error("cannot read delays from {path}: {problem}")]
    Unreadable {
        /// The file.
        path: String,
        /// The system's word.
        problem: String,
    },
}

/// The longest delay there may be, in hops: a day of milliseconds, so that times never overflow.
const MOST_HOPS: f64 = 86_400_000.0;

impl Delay {
    /// A bound on delays that an algorithm may rely on: the longest there is or, where there is no
    /// longest, one that 999 of 1,000 messages keep.
    #[must_use]
    pub fn bound(&self) -> Span {
        match self {
            Delay::Unit => HOP,
            Delay::UniformWhole { most, .. } => Span::from_hops(u64::from(*most)),
            Delay::Uniform { most, .. } => ticks(*most),
            Delay::Exponential { mean } => ticks(mean * EXPONENTIAL_999),
            Delay::LogNormal { mu, sigma } => ticks(libm::exp(mu + sigma * NORMAL_999)),
            Delay::Samples { ticks, .. } => Span::from_ticks(ticks.iter().copied().max().unwrap_or(1)),
        }
    }

    /// Whether [`Delay::bound`] holds for every message.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        !matches!(self, Delay::Exponential { .. } | Delay::LogNormal { .. })
    }

    /// Whether every message takes equally long, so that none overtakes another.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        match self {
            Delay::Unit => true,
            Delay::UniformWhole { least, most } => least == most,
            Delay::Uniform { least, most } => least == most,
            Delay::Samples { ticks, .. } => ticks.iter().all(|sample| sample == &ticks[0]),
            Delay::Exponential { .. } | Delay::LogNormal { .. } => false,
        }
    }

    /// The distribution, ready to draw from.
    #[must_use]
    pub fn sampler(&self) -> Sampler {
        Sampler(self.kind())
    }

    fn kind(&self) -> Kind {
        match self {
            Delay::Unit => Kind::Constant(HOP),
            Delay::UniformWhole { least, most } => Kind::Whole(uniform(*least, *most), HOP.ticks()),
            Delay::Uniform { least, most } => {
                let (least, most) = (ticks(*least).ticks() as u32, ticks(*most).ticks() as u32);
                Kind::Whole(uniform(least, most), 1)
            }
            Delay::Exponential { mean } => Kind::Exponential(*mean),
            Delay::LogNormal { mu, sigma } => Kind::LogNormal(*mu, *sigma),
            Delay::Samples { ticks, .. } => {
                Kind::Samples(uniform(0, ticks.len() as u32 - 1), Arc::clone(ticks))
            }
        }
    }

    fn from_file(path: &str) -> Result<Delay, DelayError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| DelayError::Unreadable { path: path.to_owned(), problem: error.to_string() })?;
        let in_file = |line: usize, column: usize, problem: String| DelayError::File {
            path: path.to_owned(),
            line,
            column,
            problem,
        };
        let mut samples = Vec::new();
        for (line_number, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default();
            let column = content.len() - content.trim_start().len() + 1;
            let content = content.trim();
            if content.is_empty() {
                continue;
            }
            let here = |problem: String| in_file(line_number + 1, column, problem);
            let hops = content.parse::<f64>().map_err(|_| {
                here(format!("'{content}' is not a number: expected one delay a line, in hops"))
            })?;
            check_hops(hops).map_err(here)?;
            samples.push(ticks(hops).ticks());
        }
        if samples.is_empty() {
            return Err(in_file(1, 1, "there are no delays here: expected one a line, in hops".into()));
        }
        if u32::try_from(samples.len()).is_err() {
            return Err(in_file(1, 1, "there are more than 4 billion delays here".into()));
        }
        Ok(Delay::Samples { path: path.into(), ticks: samples.into() })
    }
}

/// The standard normal's 99.9 % quantile.
const NORMAL_999: f64 = 3.090_232_306_167_813;
/// The standard exponential's 99.9 % quantile: ln 1000.
const EXPONENTIAL_999: f64 = 6.907_755_278_982_137;

/// A distribution of delays, ready to draw from.
#[derive(Debug)]
pub struct Sampler(Kind);

#[derive(Debug)]
enum Kind {
    Constant(Span),
    Whole(Uniform<u32>, u64),
    Exponential(f64),
    LogNormal(f64, f64),
    Samples(Uniform<u32>, Arc<[u64]>),
}

impl Sampler {
    /// The next delay.
    #[inline(always)]
    pub fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> Span {
        match &self.0 {
            Kind::Constant(span) => *span,
            Kind::Whole(uniform, unit) => Span::from_ticks((u64::from(uniform.sample(rng)) * unit).max(1)),
            _ => self.draw_aside(rng),
        }
    }

    /// The distributions that take their time.
    #[inline(never)]
    fn draw_aside(&self, rng: &mut Xoshiro256PlusPlus) -> Span {
        match &self.0 {
            Kind::Constant(_) | Kind::Whole(..) => self.draw(rng),
            // Inverse and Box-Muller transforms: slower than tables, but simple, and through libm
            // the same on every machine, unlike the system's logarithm.
            Kind::Exponential(mean) => ticks(-mean * libm::log(above_zero(rng))),
            Kind::LogNormal(mu, sigma) => {
                let radius = (-2.0 * libm::log(above_zero(rng))).sqrt();
                let normal = radius * libm::cos(std::f64::consts::TAU * above_zero(rng));
                ticks(libm::exp(mu + sigma * normal))
            }
            Kind::Samples(uniform, ticks) => Span::from_ticks(ticks[uniform.sample(rng) as usize]),
        }
    }
}

fn uniform(least: u32, most: u32) -> Uniform<u32> {
    Uniform::new_inclusive(least, most).expect("checked when the delay was read")
}

/// A number above 0 and up to 1, all equally likely.
fn above_zero(rng: &mut Xoshiro256PlusPlus) -> f64 {
    1.0 - rng.random::<f64>()
}

fn ticks(hops: f64) -> Span {
    let hops = hops.clamp(0.0, MOST_HOPS);
    Span::from_ticks(((hops * HOP.ticks() as f64).round() as u64).max(1))
}

fn check_hops(hops: f64) -> Result<(), String> {
    if hops.is_finite() && (0.0..=MOST_HOPS).contains(&hops) {
        Ok(())
    } else {
        Err(format!("{hops} is not a delay: expected 0 to {MOST_HOPS} hops"))
    }
}

impl FromStr for Delay {
    type Err = DelayError;

    fn from_str(given: &str) -> Result<Delay, DelayError> {
        let syntax = || DelayError::Syntax(given.to_owned());
        let value = |problem: String| DelayError::Value { given: given.to_owned(), problem };
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| syntax());
        if given == "unit" {
            return Ok(Delay::Unit);
        }
        let (name, parameters) = given.split_once(':').ok_or_else(syntax)?;
        match name {
            "uniform" => {
                let (low, high) = parameters.split_once("..").ok_or_else(syntax)?;
                let (least, most) = (number(low)?, number(high)?);
                check_hops(least).and(check_hops(most)).map_err(value)?;
                if least > most {
                    return Err(value(format!("{least} is more than {most}")));
                }
                // Whole bounds mean whole delays; a decimal point asks for everything in between.
                match (low.trim().parse(), high.trim().parse()) {
                    (Ok(least), Ok(most)) => Ok(Delay::UniformWhole { least, most }),
                    _ if most * HOP.ticks() as f64 > f64::from(u32::MAX) => {
                        Err(value(format!("{most} is too long for delays to the tick: use whole hops")))
                    }
                    _ => Ok(Delay::Uniform { least, most }),
                }
            }
            "exponential" => {
                let mean = number(parameters)?;
                check_hops(mean).map_err(value)?;
                Ok(Delay::Exponential { mean })
            }
            "lognormal" => {
                let (mu, sigma) = parameters.split_once(',').ok_or_else(syntax)?;
                let (mu, sigma) = (number(mu)?, number(sigma)?);
                let sane = mu.is_finite() && (0.0..=100.0).contains(&sigma) && mu.abs() <= 100.0;
                if !sane {
                    return Err(value("expected MU from -100 to 100 and SIGMA from 0 to 100".into()));
                }
                Ok(Delay::LogNormal { mu, sigma })
            }
            "file" => Delay::from_file(parameters),
            _ => Err(syntax()),
        }
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Delay::Unit => f.write_str("unit"),
            Delay::UniformWhole { least, most } => write!(f, "uniform:{least}..{most}"),
            Delay::Uniform { least, most } => write!(f, "uniform:{least:?}..{most:?}"),
            Delay::Exponential { mean } => write!(f, "exponential:{mean}"),
            Delay::LogNormal { mu, sigma } => write!(f, "lognormal:{mu},{sigma}"),
            Delay::Samples { path, .. } => write!(f, "file:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn draw(delay: &str, draws: usize) -> Vec<f64> {
        let sampler = delay.parse::<Delay>().unwrap().sampler();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        (0..draws).map(|_| sampler.draw(&mut rng).hops()).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// Means within five standard errors of the closed form.
    #[test]
    fn draws_follow_their_distribution() {
        let draws = 200_000;
        let cases = [
            ("unit", 1.0, 0.0),
            ("uniform:1..100", 50.5, (100.0_f64.powi(2) - 1.0) / 12.0),
            ("uniform:1.0..3.0", 2.0, 4.0 / 12.0),
            ("exponential:5", 5.0, 25.0),
            ("lognormal:0,0.5", 0.125_f64.exp(), (0.25_f64.exp() - 1.0) * 0.25_f64.exp()),
        ];
        for (delay, expected, variance) in cases {
            let measured = mean(&draw(delay, draws));
            let tolerance = 5.0 * (variance / draws as f64).sqrt() + 1e-3;
            assert!((measured - expected).abs() <= tolerance, "{delay}: {measured} is not {expected}");
        }
        assert!(draw("uniform:1..100", 1000).iter().all(|hops| hops.fract() == 0.0));
        assert!(draw("uniform:0..0", 10).iter().all(|&hops| hops > 0.0), "nothing is instantaneous");
    }

    #[test]
    fn bounds_hold_or_hold_mostly() {
        for delay in ["unit", "uniform:1..100", "uniform:0.5..2.5", "exponential:3", "lognormal:1,2"] {
            let bound = delay.parse::<Delay>().unwrap().bound().hops();
            let over = draw(delay, 100_000).iter().filter(|&&hops| hops > bound).count();
            let is_bounded = delay.parse::<Delay>().unwrap().is_bounded();
            let allowed = if is_bounded { 0..=0 } else { 60..=140 };
            assert!(allowed.contains(&over), "{delay}: {over} of 100000 over {bound}");
        }
    }

    #[test]
    fn forms_round_trip_and_mistakes_are_explained() {
        for delay in ["unit", "uniform:1..100", "uniform:0.5..2.5", "exponential:2.5", "lognormal:0,0.5"] {
            assert_eq!(delay.parse::<Delay>().unwrap().to_string(), delay);
        }
        let mistakes = [
            "",
            "units",
            "uniform:1",
            "uniform:5..1",
            "uniform:-1..2",
            "exponential:x",
            "exponential:inf",
            "lognormal:1",
            "lognormal:0,-1",
            "uniform:1..1e99",
            "file:/no/such/file",
            "gauss:1,2",
        ];
        for mistake in mistakes {
            assert!(mistake.parse::<Delay>().is_err(), "{mistake}");
        }
    }
}
