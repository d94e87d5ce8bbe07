//! Several algorithms in several orders and sizes: what their runs measure, beside what is claimed.

use crate::batch::{self, Batch, ClaimSummary, Figures};
use crate::planning::plan;
use crate::progress::Progress;
use crate::seeds::Seeds;
use crate::stats::growth_exponent;
use bellwether_core::{AlgorithmChoice, Elect, Expect, Measure, Order, Registry, Spec};
use bellwether_runspec::RunSpec;
use bellwether_sim::network::Shape;
use bellwether_sim::{Delay, Plan, Runner, SetupError, claims};

/// The numbers of members, unless the user says.
const USUAL_SIZES: [u64; 7] = [8, 16, 32, 64, 128, 256, 512];
/// The usual sizes end where a run would send more messages: such a comparison takes too long.
pub const MOST_MESSAGES: u64 = 1_000_000;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Messages sent, as the literature counts them.
    Messages,
    /// Hops until nothing moves any more.
    Time,
    /// The length of all messages' wire forms.
    Bytes,
}

/// A comparison, before it is run.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The algorithms.
    pub choices: Vec<AlgorithmChoice>,
    /// The orders of ids, each once.
    pub orders: Vec<Order>,
    /// The numbers of members; the usual ones unless given.
    pub sizes: Option<Vec<u64>>,
    /// What is compared.
    pub quantity: Quantity,
    /// Which end of the ranking wins.
    pub elect: Elect,
    /// How long messages take.
    pub delay: Delay,
    /// The seeds of each size. One does where nothing is random.
    pub seeds: Seeds,
    /// How many bytes a run may take.
    pub memory: u64,
}

/// One algorithm in one order and size.
#[derive(Clone, Debug)]
pub struct Case {
    /// The order of ids.
    pub order: Order,
    /// The algorithm.
    pub choice: AlgorithmChoice,
    /// How many members.
    pub n: u64,
    /// The seeds.
    pub seeds: Seeds,
    run: RunSpec,
}

/// Sizes that are left out, as a run would send more than [`MOST_MESSAGES`].
#[derive(Clone, Copy, Debug)]
pub struct LeftOut {
    /// The order of ids.
    pub order: Order,
    /// The algorithm.
    pub choice: AlgorithmChoice,
    /// The first of the sizes.
    pub from: u64,
}

/// One algorithm in one order over all sizes.
#[derive(Clone, Debug)]
pub struct Series {
    /// The order of ids.
    pub order: Order,
    /// The algorithm.
    pub choice: AlgorithmChoice,
    /// The sizes, in rising order.
    pub points: Vec<Point>,
}

/// One algorithm in one size.
#[derive(Clone, Debug)]
pub struct Point {
    /// How many members.
    pub n: u64,
    /// What its runs measured.
    pub measured: Option<Figures>,
    /// What is claimed about the measure.
    pub claims: Vec<ClaimSummary>,
    /// Everything else about its runs.
    pub batch: Batch,
}

impl Comparison {
    /// Everything that is to be run, order after order and algorithm after algorithm; and what is left out. Whatever cannot
    /// be run is found out here, the largest size included.
    ///
    /// # Errors
    /// The first [`SetupError`].
    pub fn cases(&self, registry: &Registry<Runner>) -> Result<(Vec<Case>, Vec<LeftOut>), SetupError> {
        let mut sizes = self.sizes.clone().unwrap_or(USUAL_SIZES.to_vec());
        sizes.sort_unstable();
        sizes.dedup();
        let (mut cases, mut left_out) = (Vec::new(), Vec::new());
        for &order in &self.orders {
            for &choice in &self.choices {
                for &n in &sizes {
                    let case = self.case(order, choice, n);
                    let algorithm = &registry.entries[choice.entry];
                    let seed = case.seeds.first;
                    let plan = plan(algorithm, &case.run, registry.detectors, seed, self.memory)?;
                    if self.sizes.is_none() && claimed_messages(choice.spec, &plan) > MOST_MESSAGES as f64 {
                        left_out.push(LeftOut { order, choice, from: n });
                        break;
                    }
                    cases.push(case);
                }
            }
        }
        Ok((cases, left_out))
    }

    fn case(&self, order: Order, choice: AlgorithmChoice, n: u64) -> Case {
        let Comparison { elect, ref delay, seeds, .. } = *self;
        let run = RunSpec { order: Some(order), elect, delay: delay.clone(), ..RunSpec::default() };
        let run = run.in_full(&choice, n);
        let is_random = order == Order::Random
            || *delay != Delay::Unit
            || choice.spec.randomised
            || run.topology.as_ref().is_some_and(Shape::is_random);
        let seeds = if is_random { seeds } else { Seeds { count: 1, ..seeds } };
        Case { order, choice, n, seeds, run }
    }

    /// Runs cases, on `threads` cores (0: all of them).
    ///
    /// # Errors
    /// The first [`SetupError`].
    pub fn run(
        &self,
        registry: &Registry<Runner>,
        cases: &[Case],
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Series>, SetupError> {
        let mut all: Vec<Series> = Vec::new();
        for Case { order, choice, n, seeds, run } in cases {
            progress.begin(&format!("{choice} with {n} members"));
            let algorithm = &registry.entries[choice.entry];
            let batch = batch::run(algorithm, run, registry.detectors, *seeds, threads, progress)?;
            let point = Point::new(*n, self.quantity, batch);
            match all.last_mut() {
                Some(series) if (series.order, series.choice) == (*order, *choice) => {
                    series.points.push(point);
                }
                _ => all.push(Series { order: *order, choice: *choice, points: vec![point] }),
            }
        }
        Ok(all)
    }
}

/// How many messages a run is claimed to send, as far as anything is: of one kind at least.
fn claimed_messages(spec: &Spec, plan: &Plan) -> f64 {
    let dead = plan.dead();
    let setting = plan.setting(spec, &dead);
    let counted = |measure| matches!(measure, Measure::Messages | Measure::MessagesOf(_));
    let claimed = claims(spec, &setting).filter(|(claim, _)| counted(claim.measure));
    claimed.map(|(_, expect)| expect.figure()).fold(0.0, f64::max)
}

impl Point {
    fn new(n: u64, quantity: Quantity, batch: Batch) -> Point {
        let (measured, claimed) = match quantity {
            Quantity::Messages => (batch.messages.payload, Some(Measure::Messages)),
            Quantity::Time => (batch.time, Some(Measure::Time)),
            Quantity::Bytes => (batch.bytes, None),
        };
        let claims = batch.claims.iter().filter(|claim| Some(claim.measure) == claimed).cloned().collect();
        Point { n, measured, claims, batch }
    }

    /// The claim to show: one about averages, where there is one, does not depend on the draw.
    #[must_use]
    pub fn claim(&self) -> Option<&ClaimSummary> {
        let average = Expect::OnAverage(0.0).relation();
        self.claims.iter().find(|claim| claim.relation == average).or(self.claims.first())
    }

    /// Whether every claim about the measure holds that could be judged.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        self.claims.iter().filter_map(|claim| claim.holds).reduce(|one, other| one && other)
    }
}

impl Series {
    /// Sizes and measured means.
    #[must_use]
    pub fn measured(&self) -> Vec<(f64, f64)> {
        let point = |point: &Point| Some((point.n as f64, point.measured?.mean.0));
        self.points.iter().filter_map(point).collect()
    }

    /// Sizes and claimed figures.
    #[must_use]
    pub fn claimed(&self) -> Vec<(f64, f64)> {
        let point = |point: &Point| Some((point.n as f64, point.claim()?.mean_expected));
        self.points.iter().filter_map(point).collect()
    }

    /// The exponent with which the measure grows.
    #[must_use]
    pub fn exponent(&self) -> Option<f64> {
        growth_exponent(&self.measured())
    }

    /// The exponent with which the claimed figures grow.
    #[must_use]
    pub fn claimed_exponent(&self) -> Option<f64> {
        growth_exponent(&self.claimed())
    }

    /// The claimed figure for people.
    #[must_use]
    pub fn formula(&self) -> Option<&'static str> {
        self.points.iter().find_map(Point::claim).map(|claim| claim.formula)
    }
}
