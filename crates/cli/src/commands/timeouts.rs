//! `bellwether timeouts`: how the range of time-outs decides how long a crashed leader is missed.

use super::timeouts_measure::{Graphs, Missed, PATIENCE};
use crate::args::{ListFormat, TimeoutsArgs};
use crate::error::{Failure, Verdict};
use crate::output::{self, Column};
use crate::{file, plot};
use bellwether_lab::Figure;
use serde::Serialize;

/// Measures, prints and draws.
pub fn run(args: &TimeoutsArgs) -> Result<Verdict, Failure> {
    let pending = args.plot.as_deref().map(file::Pending::create).transpose()?;
    let graphs = Graphs::measure(args)?;
    if let Some(pending) = pending {
        pending.keep_with(plot::spread(args, &graphs)?.as_bytes())?;
    }
    match args.format {
        ListFormat::Json => output::print_json(&as_json(args, &graphs))?,
        ListFormat::Table => output::print(as_text(args, &graphs).as_bytes())?,
    }
    Ok(Verdict::Fine)
}

fn as_text(args: &TimeoutsArgs, graphs: &Graphs) -> String {
    format!(
        "Raft's vote among {} members, whose messages take 5 to 10 ms: {} leaders crash each, seeds from {}\n\
         How long nobody led, in ms\n\n{}\n{}",
        args.nodes,
        args.runs,
        args.seed,
        table(&graphs.randomness),
        table(&graphs.length)
    )
}

fn table(all: &[Missed]) -> String {
    let columns = [
        Column::Right("time-outs (ms)"),
        Column::Right("mean"),
        Column::Right("median"),
        Column::Right("99 %"),
        Column::Right("longest"),
        Column::Right("over 20 s"),
    ];
    let mut table = output::table(&columns);
    for missed in all {
        let (least, most) = missed.time_out;
        let over = missed.crashes - missed.hops.len() as u64;
        let in_ms = |hops: Option<f64>| hops.map_or_else(|| "-".to_owned(), |hops| format!("{hops:.0}"));
        table.add_row([
            format!("{least} to {most}"),
            in_ms(missed.mean()),
            in_ms(missed.quantile(0.5)),
            in_ms(missed.quantile(0.99)),
            in_ms(missed.quantile(1.0)),
            over.to_string(),
        ]);
    }
    output::lines_of(&table)
}

fn as_json(args: &TimeoutsArgs, graphs: &Graphs) -> impl Serialize {
    Measured {
        nodes: args.nodes,
        runs: args.runs,
        seed: args.seed,
        patience_ms: Figure(PATIENCE.hops()),
        randomness: graphs.randomness.iter().map(Row::new).collect(),
        length: graphs.length.iter().map(Row::new).collect(),
    }
}

#[derive(Serialize)]
struct Measured {
    nodes: u32,
    runs: u64,
    seed: u64,
    patience_ms: Figure,
    randomness: Vec<Row>,
    length: Vec<Row>,
}

/// One range. Times are in ms; those that were not replaced in time have none.
#[derive(Serialize)]
struct Row {
    time_out_ms: (u64, u64),
    crashes: u64,
    replaced: u64,
    mean_ms: Option<f64>,
    median_ms: Option<f64>,
    p99_ms: Option<f64>,
    longest_ms: Option<f64>,
}

impl Row {
    fn new(missed: &Missed) -> Row {
        Row {
            time_out_ms: missed.time_out,
            crashes: missed.crashes,
            replaced: missed.hops.len() as u64,
            mean_ms: missed.mean(),
            median_ms: missed.quantile(0.5),
            p99_ms: missed.quantile(0.99),
            longest_ms: missed.quantile(1.0),
        }
    }
}
