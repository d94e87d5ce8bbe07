//! `bellwether compare`: several algorithms over several sizes.

mod csv;
mod json;
mod plot;
mod text;

use crate::args::{CompareArgs, CompareFormat, MeasureArg};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::memory::Budget;
use crate::progress::Progress;
use crate::{file, output};
use bellwether_core::Order;
use bellwether_engine::ALGORITHMS;
use bellwether_lab::Seeds;
use bellwether_lab::compare::{Comparison, LeftOut, MOST_MESSAGES, Quantity};
use bellwether_runspec::form::Form as _;

/// Runs it all; prints and draws the figures.
pub fn run(args: &CompareArgs) -> Result<ExitStatus, Failure> {
    let comparison = comparison(args)?;
    let (cases, left_out) = comparison.cases(&ALGORITHMS)?;
    left_out.iter().for_each(tell);
    let runs = cases.iter().map(|case| case.seeds.count).fold(0, u64::saturating_add);
    let progress = Progress::new(runs, "runs");
    let all = comparison.run(&ALGORITHMS, &cases, args.threads.into(), &progress)?;
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

fn comparison(args: &CompareArgs) -> Result<Comparison, Failure> {
    Ok(Comparison {
        choices: Choice::find_all(&args.algorithms)?.iter().map(Choice::algorithm).collect(),
        orders: orders(args),
        sizes: args.sizes.clone(),
        quantity: match args.measure {
            MeasureArg::Messages => Quantity::Messages,
            MeasureArg::Time => Quantity::Time,
            MeasureArg::Bytes => Quantity::Bytes,
        },
        elect: args.elect,
        delay: args.delay.parse()?,
        seeds: Seeds { first: args.seed, count: args.runs },
        memory: Budget::new(args.memory, args.runs, args.threads)?.for_one_run(),
    })
}

/// The orders that were asked for, each once.
fn orders(args: &CompareArgs) -> Vec<Order> {
    let mut orders = Vec::new();
    for &order in &args.order {
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    orders
}

fn tell(LeftOut { order, choice, from }: &LeftOut) {
    eprintln!(
        "{choice} in {} order: left out from n = {from} on, where a run sends more than {} messages; --sizes asks for \
         them",
        order.to_text(),
        output::grouped(MOST_MESSAGES)
    );
}
