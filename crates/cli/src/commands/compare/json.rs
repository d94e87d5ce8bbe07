//! A comparison as JSON.

use crate::args::{CompareArgs, word};
use crate::choice::Named;
use bellwether_core::Elect;
use bellwether_lab::Figure;
use bellwether_lab::batch::{ClaimSummary, Figures, Outcomes};
use bellwether_lab::compare::{Point, Series};
use bellwether_runspec::form::Form as _;
use serde::Serialize;

/// A comparison as JSON.
pub fn as_json<'a>(args: &'a CompareArgs, all: &'a [Series]) -> impl Serialize + use<'a> {
    Comparison {
        measure: word(args.measure),
        elect: args.elect,
        delay: &args.delay,
        seed: args.seed,
        runs: args.runs,
        algorithms: all.iter().map(SeriesObject::new).collect(),
    }
}

#[derive(Serialize)]
struct Comparison<'a> {
    measure: String,
    elect: Elect,
    delay: &'a str,
    seed: u64,
    runs: u64,
    algorithms: Vec<SeriesObject<'a>>,
}

#[derive(Serialize)]
struct SeriesObject<'a> {
    #[serde(flatten)]
    named: Named,
    order: String,
    exponent: Option<f64>,
    claimed_exponent: Option<f64>,
    formula: Option<&'static str>,
    points: Vec<PointObject<'a>>,
}

#[derive(Serialize)]
struct PointObject<'a> {
    n: u64,
    runs: u64,
    m: Option<u64>,
    measured: Option<Figures>,
    claimed: Option<Figure>,
    relation: Option<&'static str>,
    holds: Option<bool>,
    outcomes: Outcomes,
    claims: &'a [ClaimSummary],
}

impl<'a> SeriesObject<'a> {
    fn new(series: &'a Series) -> SeriesObject<'a> {
        SeriesObject {
            named: Named::new(&series.choice),
            order: series.order.to_text(),
            exponent: series.exponent(),
            claimed_exponent: series.claimed_exponent(),
            formula: series.formula(),
            points: series.points.iter().map(PointObject::new).collect(),
        }
    }
}

impl<'a> PointObject<'a> {
    fn new(point: &'a Point) -> PointObject<'a> {
        PointObject {
            n: point.n,
            runs: point.batch.runs,
            m: point.batch.m,
            measured: point.measured,
            claimed: point.claim().map(|claim| Figure(claim.mean_expected)),
            relation: point.claim().map(|claim| claim.relation),
            holds: point.holds(),
            outcomes: point.batch.outcomes,
            claims: &point.claims,
        }
    }
}
