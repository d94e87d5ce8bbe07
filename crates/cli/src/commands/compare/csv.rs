//! A comparison as CSV.

use crate::args::{CompareArgs, word};
use crate::error::Failure;
use bellwether_lab::Figure;
use bellwether_lab::compare::Series;
use bellwether_runspec::form::Form as _;
use serde::Serialize;

/// A line of the CSV.
#[derive(Serialize)]
struct Record {
    algorithm: String,
    variant: &'static str,
    order: String,
    n: u64,
    measure: String,
    runs: u64,
    mean: Option<Figure>,
    p50: Option<Figure>,
    p99: Option<Figure>,
    max: Option<Figure>,
    std_error: Option<Figure>,
    claimed: Option<Figure>,
    relation: Option<&'static str>,
    holds: Option<bool>,
    exponent: Option<f64>,
    claimed_exponent: Option<f64>,
}

/// A comparison as CSV, with a header.
pub fn as_csv(args: &CompareArgs, all: &[Series]) -> Result<Vec<u8>, Failure> {
    let failed = |error: String| Failure::System(format!("no CSV: {error}"));
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for series in all {
        for point in &series.points {
            let measured = point.measured;
            let record = Record {
                algorithm: series.choice.without_variant(),
                variant: series.choice.spec.variant,
                order: series.order.to_text(),
                n: point.n,
                measure: word(args.measure),
                runs: point.batch.runs,
                mean: measured.map(|figures| figures.mean),
                p50: measured.map(|figures| figures.p50),
                p99: measured.map(|figures| figures.p99),
                max: measured.map(|figures| figures.max),
                std_error: measured.map(|figures| figures.std_error),
                claimed: point.claim().map(|claim| Figure(claim.mean_expected)),
                relation: point.claim().map(|claim| claim.relation),
                holds: point.holds(),
                exponent: series.exponent(),
                claimed_exponent: series.claimed_exponent(),
            };
            writer.serialize(record).map_err(|error| failed(error.to_string()))?;
        }
    }
    writer.into_inner().map_err(|error| failed(error.to_string()))
}
