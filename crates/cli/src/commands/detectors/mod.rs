//! `bellwether detectors`: what failure detectors there are, and how good they are.

mod json;
mod pages;
mod plot;
mod text;

use crate::args::{DetectorsArgs, DetectorsFormat};
use crate::error::{ExitStatus, Failure};
use crate::progress::Progress;
use crate::{file, output};
use bellwether_core::{DetectorChoice, DetectorEntry, Span};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::detection::{
    Conditions, Effort, Row, TRADE_OFF_DELAYS, TradeOff, USUAL_DELAYS, cells, measure_cells,
};
use bellwether_sim::Delay;

/// A hop is taken for a millisecond.
const HOPS_AN_HOUR: f64 = 3_600_000.0;

/// Every detector there is.
const ALL: &[DetectorEntry] = ALGORITHMS.detectors;

/// Lists, explains or measures.
pub fn run(args: &DetectorsArgs) -> Result<ExitStatus, Failure> {
    let named = args.detectors.iter().map(|text| find(text)).collect::<Result<Vec<_>, _>>()?;
    if !args.measure && !args.trade_off {
        pages::print(args.format, ALL, &named)?;
        return Ok(ExitStatus::Fine);
    }
    if args.format == DetectorsFormat::Markdown {
        return Err(Failure::input("figures are printed as a table or as JSON: use --format table or json"));
    }
    if args.measure {
        let can_be_had = ALL.iter().filter(|entry| !entry.is_oracle).map(DetectorChoice::new);
        let choices: Vec<DetectorChoice> = if named.is_empty() { can_be_had.collect() } else { named };
        let cells = cells(&conditions(args, &USUAL_DELAYS)?, &choices);
        let progress = Progress::new(args.runs * cells.len() as u64, "watches");
        let rows = measure_cells(cells, &effort(args), &progress)?;
        drop(progress);
        return print(args, &rows, text::matrix_as_text(args, &rows));
    }
    let base = match named.as_slice() {
        [] => find(TradeOff::BASE)?,
        [choice] if choice.entry().name == TradeOff::DETECTOR => choice.clone(),
        _ => return Err(Failure::input("T and D are those of the heartbeat: name that, or no detector")),
    };
    let pending = args.plot.as_deref().map(file::Pending::create).transpose()?;
    let conditions = conditions(args, &TRADE_OFF_DELAYS)?;
    let watches = args.runs * TradeOff::MEASUREMENTS * conditions.len() as u64;
    let progress = Progress::new(watches, "watches");
    let trade_off = TradeOff::measure(&base, &conditions, &effort(args), &progress)?;
    drop(progress);
    if let Some(pending) = pending {
        pending.keep_with(plot::draw(args, &trade_off)?.as_bytes())?;
    }
    let rows = trade_off.rows();
    print(args, &rows, text::trade_off_as_text(args, &trade_off))
}

/// The conditions that are asked for.
fn conditions(args: &DetectorsArgs, usual: &[Delay]) -> Result<Vec<Conditions>, Failure> {
    let asked: Vec<Delay> = args.delay.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let delays = if asked.is_empty() { usual } else { &asked };
    let under = |delay| args.loss.iter().map(move |&loss| Conditions { delay: Delay::clone(delay), loss });
    Ok(delays.iter().flat_map(under).collect())
}

fn effort(args: &DetectorsArgs) -> Effort {
    Effort {
        watches: args.runs,
        length: Span::from_hops(args.hops),
        seed: args.seed,
        threads: args.threads.into(),
    }
}

fn print(args: &DetectorsArgs, rows: &[Row], text: String) -> Result<ExitStatus, Failure> {
    match args.format {
        DetectorsFormat::Json => output::print_json(&json::as_json(args, rows))?,
        _ => output::print(text.as_bytes())?,
    }
    Ok(ExitStatus::Fine)
}

/// The detector that a user means.
fn find(text: &str) -> Result<DetectorChoice, Failure> {
    Ok(DetectorChoice::parse(ALL, text)?)
}
