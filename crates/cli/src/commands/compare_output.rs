//! A comparison as a table, as JSON and as CSV.

use super::compare::{Point, Series};
use crate::args::{CompareArgs, MeasureArg, word};
use crate::choice::Named;
use crate::error::Failure;
use crate::many::{ClaimSummary, FEWEST_FOR_AVERAGES, Figures, Outcomes};
use crate::output::{self, Column, Figure};
use bellwether_core::Elect;
use serde::Serialize;
use std::fmt::Display;

/// A comparison for people.
pub fn as_table(args: &CompareArgs, all: &[Series]) -> String {
    let each = if args.runs == 1 {
        "one run a size".to_owned()
    } else {
        format!("mean of {} runs a size where anything is random", args.runs)
    };
    let seeds = format!("seeds from {}", args.seed);
    let unit = match args.measure {
        MeasureArg::Messages => "messages",
        MeasureArg::Time => "time (hops)",
        MeasureArg::Bytes => "bytes",
    };
    format!(
        "{unit}, {each}; {} wins, delay {}, {seeds}\n\n{}\n{}{}",
        word(args.elect),
        args.delay,
        output::lines_of(&points_table(all)),
        output::lines_of(&growth_table(all)),
        notes(all),
    )
}

fn points_table(all: &[Series]) -> comfy_table::Table {
    let columns = [
        Column::Left("order"),
        Column::Left("algorithm"),
        Column::Right("n"),
        Column::Right("measured"),
        Column::Right("claimed"),
        Column::Left("how"),
        Column::Right("ratio"),
        Column::Left("holds"),
    ];
    let mut table = output::table(&columns);
    for series in all {
        for point in &series.points {
            let (claim, measured) = (point.claim(), point.measured.map(|figures| figures.mean));
            let ratio = claim
                .zip(measured)
                .map(|(claim, measured)| measured.0 / claim.mean_expected)
                .filter(|ratio| ratio.is_finite());
            table.add_row([
                word(series.order),
                series.choice.label(),
                point.n.to_string(),
                or_dash(measured),
                or_dash(claim.map(|claim| Figure(claim.mean_expected))),
                or_dash(claim.map(|claim| claim.relation)),
                or_dash(ratio.map(|ratio| format!("{ratio:.3}"))),
                output::yes_or_no(point.holds()).to_owned(),
            ]);
        }
    }
    table
}

fn growth_table(all: &[Series]) -> comfy_table::Table {
    let columns = [
        Column::Left("order"),
        Column::Left("algorithm"),
        Column::Left("grows as"),
        Column::Left("claimed"),
        Column::Left("formula"),
    ];
    let mut table = output::table(&columns);
    let power = |exponent: Option<f64>| or_dash(exponent.map(|exponent| format!("n^{exponent:.2}")));
    for series in all {
        table.add_row([
            word(series.order),
            series.choice.label(),
            power(series.exponent()),
            power(series.claimed_exponent()),
            or_dash(series.formula()),
        ]);
    }
    table
}

/// What else there is to say: runs with problems, and claims that could not be judged.
fn notes(all: &[Series]) -> String {
    let mut notes = String::new();
    let points = || all.iter().flat_map(|series| series.points.iter().map(move |point| (series, point)));
    for (series, point) in points() {
        if let Some((seed, problems)) = &point.batch.first_problem {
            let (order, name, n) = (word(series.order), series.choice.label(), point.n);
            notes.push_str(&format!(
                "PROBLEM: {name}, {order} order, n = {n}, seed {seed}: {}\n",
                problems.join("; ")
            ));
        }
    }
    if points().any(|(_, point)| point.claims.iter().any(|claim| claim.holds.is_none())) {
        notes.push_str(&format!("(averages are judged from {FEWEST_FOR_AVERAGES} runs on)\n"));
    }
    notes
}

pub(super) fn or_dash(value: Option<impl Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// A comparison as JSON.
pub fn as_json<'a>(args: &'a CompareArgs, all: &'a [Series]) -> impl Serialize + use<'a> {
    Comparison {
        measure: word(args.measure),
        elect: args.elect.into(),
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
            order: word(series.order),
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
    let mut writer = csv::Writer::from_writer(Vec::new());
    for series in all {
        for point in &series.points {
            let measured = point.measured;
            let record = Record {
                algorithm: series.choice.without_variant(),
                variant: series.choice.spec.variant,
                order: word(series.order),
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
