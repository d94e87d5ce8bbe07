//! What was measured, as JSON.

use crate::args::TimeoutsArgs;
use bellwether_lab::Figure;
use bellwether_lab::timeouts::{Graphs, Missed, PATIENCE};
use serde::Serialize;

pub fn as_json(args: &TimeoutsArgs, graphs: &Graphs) -> impl Serialize {
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
