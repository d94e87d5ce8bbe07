//! `bellwether compare`: several algorithms over several sizes.

mod csv;
mod json;
mod plot;
mod text;

use crate::args::{CompareArgs, CompareFormat, MeasureArg};
use crate::choice::Choice;
use crate::error::{Failure, Verdict};
use crate::output::grouped;
use crate::progress::Progress;
use crate::request::Request;
use crate::{file, output};
use bellwether_core::{Expect, Measure, Order, Spec};
use bellwether_lab::batch::{Batch, ClaimSummary, Figures};
use bellwether_lab::growth_exponent;
use bellwether_runspec::form::Form as _;
use bellwether_sim::{Plan, claims};

/// How many members there are, time after time, unless the user says.
const USUAL_SIZES: [u64; 7] = [8, 16, 32, 64, 128, 256, 512];
/// The usual sizes end where a run would send more: such a comparison would not end before people lose patience.
const MOST_MESSAGES: u64 = 1_000_000;

/// One algorithm in one order over all sizes.
pub struct Series {
    /// How the ids lie.
    pub order: Order,
    /// The algorithm.
    pub choice: Choice,
    /// The sizes, in rising order.
    pub points: Vec<Point>,
}

/// One algorithm in one size.
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

impl Point {
    fn new(n: u64, measure: MeasureArg, batch: Batch) -> Point {
        let (measured, claimed) = match measure {
            MeasureArg::Messages => (batch.messages.payload, Some(Measure::Messages)),
            MeasureArg::Time => (batch.time, Some(Measure::Time)),
            MeasureArg::Bytes => (batch.bytes, None),
        };
        let claims = batch.claims.iter().filter(|claim| Some(claim.measure) == claimed).cloned().collect();
        Point { n, measured, claims, batch }
    }

    /// The claim to show: one about averages, where there is one, does not depend on the draw.
    pub fn claim(&self) -> Option<&ClaimSummary> {
        let average = Expect::OnAverage(0.0).relation();
        self.claims.iter().find(|claim| claim.relation == average).or(self.claims.first())
    }

    /// Whether every claim about the measure holds that could be judged.
    pub fn holds(&self) -> Option<bool> {
        self.claims.iter().filter_map(|claim| claim.holds).reduce(|one, other| one && other)
    }
}

impl Series {
    /// Sizes and measured means.
    pub fn measured(&self) -> Vec<(f64, f64)> {
        let point = |point: &Point| Some((point.n as f64, point.measured?.mean.0));
        self.points.iter().filter_map(point).collect()
    }

    /// Sizes and claimed figures.
    pub fn claimed(&self) -> Vec<(f64, f64)> {
        let point = |point: &Point| Some((point.n as f64, point.claim()?.mean_expected));
        self.points.iter().filter_map(point).collect()
    }

    /// The exponent with which the measure grows.
    pub fn exponent(&self) -> Option<f64> {
        growth_exponent(&self.measured())
    }

    /// The exponent with which the claimed figures grow.
    pub fn claimed_exponent(&self) -> Option<f64> {
        growth_exponent(&self.claimed())
    }

    /// The claimed figure for people.
    pub fn formula(&self) -> Option<&'static str> {
        self.points.iter().find_map(Point::claim).map(|claim| claim.formula)
    }
}

/// Runs it all; prints and draws what came of it.
pub fn run(args: &CompareArgs) -> Result<Verdict, Failure> {
    let requests = requests(args)?;
    let runs: u64 = requests.iter().map(|(.., request)| request.runs).fold(0, u64::saturating_add);
    let progress = Progress::new(runs, "runs");
    let mut all: Vec<Series> = Vec::new();
    for (order, n, request) in requests {
        progress.say(format!("({} with {n} members)", request.choice.label()));
        let point = Point::new(n, args.measure, request.run(&progress)?);
        match all.last_mut() {
            Some(series) if (series.order, series.choice) == (order, request.choice) => {
                series.points.push(point);
            }
            _ => all.push(Series { order, choice: request.choice, points: vec![point] }),
        }
    }
    drop(progress);
    if let Some(path) = &args.plot {
        file::write(path, plot::draw(args, &all)?.as_bytes())?;
    }
    match args.format {
        CompareFormat::Table => output::print(text::as_table(args, &all).as_bytes())?,
        CompareFormat::Json => output::print_json(&json::as_json(args, &all))?,
        CompareFormat::Csv => output::print(&csv::as_csv(args, &all)?)?,
    }
    let results = all.iter().flat_map(|series| &series.points).map(|point| point.batch.result);
    Ok(results.max().unwrap_or_default().into())
}

/// How many messages a run is claimed to send, as far as anything is: of one kind at least.
fn claimed_messages(spec: &Spec, plan: &Plan) -> f64 {
    let dead = plan.dead();
    let setting = plan.setting(spec, &dead);
    let counted = |measure| matches!(measure, Measure::Messages | Measure::MessagesOf(_));
    let claimed = claims(spec, &setting).filter(|(claim, _)| counted(claim.measure));
    claimed.map(|(_, expect)| expect.figure()).fold(0.0, f64::max)
}

/// The orders that were asked for, each once.
pub fn orders(args: &CompareArgs) -> Vec<Order> {
    let mut orders = Vec::new();
    for &order in &args.order {
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    orders
}

/// Everything that is to be run, order after order and algorithm after algorithm. What cannot be run is found out before
/// anything is: the largest size too.
fn requests(args: &CompareArgs) -> Result<Vec<(Order, u64, Request)>, Failure> {
    let choices = Choice::find_all(&args.algorithms)?;
    let mut sizes = args.sizes.clone().unwrap_or(USUAL_SIZES.to_vec());
    sizes.sort_unstable();
    sizes.dedup();
    let mut requests = Vec::new();
    for order in orders(args) {
        for &choice in &choices {
            for &n in &sizes {
                let request = Request::from_compare(args, choice, order, n)?;
                let plan = request.first_plan()?;
                if args.sizes.is_none() && claimed_messages(choice.spec, &plan) > MOST_MESSAGES as f64 {
                    eprintln!(
                        "{} in {} order: left out from n = {n} on, where a run sends more than {} messages; --sizes \
                         asks for them",
                        choice.label(),
                        order.to_text(),
                        grouped(MOST_MESSAGES)
                    );
                    break;
                }
                requests.push((order, n, request));
            }
        }
    }
    Ok(requests)
}
