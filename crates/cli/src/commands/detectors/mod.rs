//! `bellwether detectors`: what failure detectors there are, and how good they are.

mod json;
mod measure;
mod pages;
mod plot;
mod text;

use crate::args::{DetectorsArgs, DetectorsFormat};
use crate::error::{Failure, Verdict};
use crate::{file, output};
use bellwether_core::{DetectorChoice, DetectorEntry};
use bellwether_engine::ALGORITHMS;
use measure::{Matrix, TradeOff};

/// Every detector there is.
const ALL: &[DetectorEntry] = ALGORITHMS.detectors;

/// Lists, explains or measures.
pub fn run(args: &DetectorsArgs) -> Result<Verdict, Failure> {
    let named = args.detectors.iter().map(|text| find(text)).collect::<Result<Vec<_>, _>>()?;
    if !args.measure && !args.trade_off {
        pages::print(args.format, ALL, &named)?;
        return Ok(Verdict::Fine);
    }
    if args.format == DetectorsFormat::Markdown {
        return Err(Failure::input("figures are printed as a table or as JSON: use --format table or json"));
    }
    if args.measure {
        let can_be_had = ALL.iter().filter(|entry| !entry.is_oracle).map(DetectorChoice::new);
        let choices = if named.is_empty() { can_be_had.collect() } else { named };
        let matrix = Matrix::new(args, choices)?;
        let rows = measure::measure(args, matrix.cells())?;
        return print(args, &rows, text::matrix_as_text(args, &rows));
    }
    let base = match named.as_slice() {
        [] => find(TradeOff::BASE)?,
        [choice] if choice.entry().name == TradeOff::DETECTOR => choice.clone(),
        _ => return Err(Failure::input("T and D are those of the heartbeat: name that, or no detector")),
    };
    let pending = args.plot.as_deref().map(file::Pending::create).transpose()?;
    let trade_off = TradeOff::measure(args, &base)?;
    if let Some(pending) = pending {
        pending.keep_with(plot::draw(args, &trade_off)?.as_bytes())?;
    }
    let rows = trade_off.rows();
    print(args, &rows, text::trade_off_as_text(args, &trade_off))
}

fn print(args: &DetectorsArgs, rows: &[measure::Row], text: String) -> Result<Verdict, Failure> {
    match args.format {
        DetectorsFormat::Json => output::print_json(&json::as_json(args, rows))?,
        _ => output::print(text.as_bytes())?,
    }
    Ok(Verdict::Fine)
}

/// The detector that a user means.
fn find(text: &str) -> Result<DetectorChoice, Failure> {
    Ok(DetectorChoice::parse(ALL, text)?)
}
