//! What was measured, as tables.

use crate::args::TimeoutsArgs;
use crate::output::{self, Column};
use bellwether_lab::timeouts::{Graphs, Missed};

pub fn as_text(args: &TimeoutsArgs, graphs: &Graphs) -> String {
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
