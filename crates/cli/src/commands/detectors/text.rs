//! What was measured of failure detectors, as a table.

use super::HOPS_AN_HOUR;
use crate::args::DetectorsArgs;
use crate::output::{self, Column, or_dash};
use bellwether_lab::detection::{Row, TradeOff};

/// Several detectors under several conditions.
pub fn matrix_as_text(args: &DetectorsArgs, rows: &[Row]) -> String {
    format!("{}\n{}{}", heading(args), table(rows), notes())
}

/// What T and D trade for what.
pub fn trade_off_as_text(args: &DetectorsArgs, trade_off: &TradeOff) -> String {
    let of = |all: &[Vec<(f64, Row)>]| {
        table(&all.iter().flatten().map(|(_, row)| row.clone()).collect::<Vec<_>>())
    };
    format!(
        "{}\nT varied: the larger, the later; the smaller, the dearer\n\n{}\nD varied: the larger, the later; the smaller, the more mistakes\n\n{}{}",
        heading(args),
        of(&trade_off.periods),
        of(&trade_off.bounds),
        notes()
    )
}

fn heading(args: &DetectorsArgs) -> String {
    format!(
        "{} watches of {} hops on average and a death at the end, seeds from {}\n",
        args.runs, args.hops, args.seed
    )
}

fn notes() -> &'static str {
    "\nT_D: hops from a death until it is found. Mistakes: times an hour that a live member is taken for dead;\n\
     a hop is a millisecond. T_M: hops that a mistake lasts. P_A: how much of the time the verdict is right.\n\
     Cost: signals a hop. Theory: the closed form for the heartbeat, where there is one. (Chen, Toueg and Aguilera 2002)\n"
}

fn table(rows: &[Row]) -> String {
    let columns = [
        Column::Left("delay"),
        Column::Right("loss"),
        Column::Left("detector"),
        Column::Right("T_D"),
        Column::Right("theory"),
        Column::Right("mistakes/h"),
        Column::Right("theory"),
        Column::Right("T_M"),
        Column::Right("theory"),
        Column::Right("P_A"),
        Column::Right("cost"),
    ];
    let mut table = output::table(&columns);
    // Figures are compared down a column: a row is a line, however wide.
    table.set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    for row in rows {
        let (quality, closed) = (&row.quality, row.closed_form);
        let hops = |hops: f64| format!("{hops:.2}");
        let an_hour = |rate: f64| format!("{:.1}", rate * HOPS_AN_HOUR);
        let found = quality.detection_time.map_or_else(|| "never".to_owned(), |times| hops(times.mean));
        table.add_row([
            row.cell.conditions.delay.to_string(),
            format!("{}%", (row.cell.conditions.loss * 1e6).round() / 1e4),
            row.cell.choice.to_string(),
            found,
            or_dash(closed.map(|closed| hops(closed.detection_time))),
            an_hour(quality.mistake_rate.value),
            or_dash(closed.map(|closed| an_hour(closed.mistake_rate))),
            or_dash(quality.mistake_duration.map(|duration| hops(duration.value))),
            or_dash(closed.and_then(|closed| closed.mistake_duration).map(hops)),
            format!("{:.3}%", quality.accuracy() * 100.0),
            format!("{:.3}", quality.signals.value),
        ]);
    }
    output::lines_of(&table)
}
