//! A comparison as a table.

use crate::args::{CompareArgs, MeasureArg};
use crate::output::{self, Column, or_dash};
use bellwether_lab::Figure;
use bellwether_lab::batch::FEWEST_FOR_AVERAGES;
use bellwether_lab::compare::Series;
use bellwether_runspec::form::Form as _;

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
        args.elect.to_text(),
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
                series.order.to_text(),
                series.choice.to_string(),
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
            series.order.to_text(),
            series.choice.to_string(),
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
            let (order, name, n) = (series.order.to_text(), series.choice.to_string(), point.n);
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
