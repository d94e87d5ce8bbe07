//! Measuring failure detectors: several under several conditions, and what T and D trade for what.

use crate::args::DetectorsArgs;
use crate::error::Failure;
use crate::progress::Progress;
use bellwether_core::{DetectorChoice, HOP, Span};
use bellwether_lab::detection::{self, ClosedForm, Conditions, Effort, Quality};
use bellwether_sim::Delay;

/// A hop is taken for a millisecond.
pub const HOPS_AN_HOUR: f64 = 3_600_000.0;
/// Watches of fewer periods than this are too short for theory.
const PERIODS: u64 = 10;

/// Delays unless others are asked for: the unit, bounded ones, and some without a bound.
const DELAYS: [&str; 3] = ["unit", "uniform:0.5..4.0", "exponential:1"];

/// One detector under one kind of conditions.
#[derive(Clone)]
pub struct Cell {
    /// The detector.
    pub choice: DetectorChoice,
    /// What its signals meet.
    pub conditions: Conditions,
}

/// What was measured of one detector under one kind of conditions.
#[derive(Clone)]
pub struct Row {
    /// What was measured.
    pub cell: Cell,
    /// How good it is.
    pub quality: Quality,
    /// What theory says, where it does.
    pub closed_form: Option<ClosedForm>,
}

impl Cell {
    /// Every parameter of the detector with its value.
    pub fn settings(&self) -> Vec<(&'static str, f64)> {
        let values = self.choice.values(self.conditions.delay.bound());
        self.choice.entry().parameters.iter().map(|parameter| parameter.name).zip(values).collect()
    }

    /// Theory knows about silences that are too long after a fixed time.
    /// It takes deaths to come at any time of the period, which needs watches of many periods.
    fn closed_form(&self, length: Span) -> Option<ClosedForm> {
        let settings = self.settings();
        let span = |name: &str| {
            let (_, hops) = settings.iter().find(|(other, _)| *other == name)?;
            Some(Span::from_ticks((hops * HOP.ticks() as f64).round() as u64))
        };
        let bound = match self.choice.entry().name {
            "heartbeat" => span("D")?,
            "three-valued" => span("D2")?,
            _ => return None,
        };
        let period = span("T").filter(|&period| period * PERIODS <= length)?;
        ClosedForm::of_heartbeat(period, bound, &self.conditions)
    }
}

/// Measures, cell by cell.
pub fn measure(args: &DetectorsArgs, cells: Vec<Cell>) -> Result<Vec<Row>, Failure> {
    let effort = Effort {
        watches: args.runs,
        length: Span::from_hops(args.hops),
        seed: args.seed,
        threads: args.threads.into(),
    };
    let progress = Progress::new(args.runs * cells.len() as u64, "watches");
    let measured = cells.into_iter().map(|cell| {
        progress.say(format!("{}, {}", cell.choice, cell.conditions.delay));
        let quality = detection::measure(&cell.choice, &cell.conditions, &effort, &progress)?;
        Ok(Row { quality, closed_form: cell.closed_form(effort.length), cell })
    });
    measured.collect()
}

/// The conditions that are asked for.
fn conditions(args: &DetectorsArgs, delays: &[&str]) -> Result<Vec<Conditions>, Failure> {
    let asked: Vec<&str> = args.delay.iter().map(String::as_str).collect();
    let delays = if asked.is_empty() { delays } else { &asked };
    let mut all = Vec::new();
    for delay in delays {
        let delay: Delay = delay.parse()?;
        all.extend(args.loss.iter().map(|&loss| Conditions { delay: delay.clone(), loss }));
    }
    Ok(all)
}

/// Several detectors under several conditions.
pub struct Matrix {
    conditions: Vec<Conditions>,
    choices: Vec<DetectorChoice>,
}

impl Matrix {
    /// What is asked for.
    pub fn new(args: &DetectorsArgs, choices: Vec<DetectorChoice>) -> Result<Matrix, Failure> {
        Ok(Matrix { conditions: conditions(args, &DELAYS)?, choices })
    }

    /// Detectors beside each other, for each kind of conditions.
    pub fn cells(&self) -> Vec<Cell> {
        let under = |conditions: &Conditions| {
            let conditions = conditions.clone();
            self.choices
                .iter()
                .map(move |choice| Cell { choice: choice.clone(), conditions: conditions.clone() })
        };
        self.conditions.iter().flat_map(under).collect()
    }
}

/// How T and D of the heartbeat trade speed against cost and mistakes: each varied by itself.
pub struct TradeOff {
    /// T is varied: for each kind of conditions, the values of T with what came of them.
    pub periods: Vec<Vec<(f64, Row)>>,
    /// D is varied.
    pub bounds: Vec<Vec<(f64, Row)>>,
}

impl TradeOff {
    /// Whose T and D they are.
    pub const DETECTOR: &str = "heartbeat";
    /// What the one is while the other is varied.
    pub const BASE: &str = "heartbeat:T=5,D=2";
    const PERIODS: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
    const BOUNDS: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
    /// Without the unit: where delays are all the same, D makes no difference.
    const DELAYS: [&str; 2] = ["uniform:0.5..4.0", "exponential:1"];

    /// Varies T and D around a heartbeat's.
    pub fn measure(args: &DetectorsArgs, base: &DetectorChoice) -> Result<TradeOff, Failure> {
        let conditions = conditions(args, &TradeOff::DELAYS)?;
        let mut cells = Vec::new();
        for conditions in &conditions {
            for (name, values) in [("T", &TradeOff::PERIODS[..]), ("D", &TradeOff::BOUNDS[..])] {
                for value in values {
                    let mut choice = base.clone();
                    choice.set(&format!("{name}={value}")).map_err(Failure::input)?;
                    cells.push(Cell { choice, conditions: conditions.clone() });
                }
            }
        }
        let mut rows = measure(args, cells)?.into_iter();
        let (mut periods, mut bounds) = (Vec::new(), Vec::new());
        for _ in conditions {
            periods.push(
                TradeOff::PERIODS.into_iter().zip(rows.by_ref().take(TradeOff::PERIODS.len())).collect(),
            );
            bounds
                .push(TradeOff::BOUNDS.into_iter().zip(rows.by_ref().take(TradeOff::BOUNDS.len())).collect());
        }
        Ok(TradeOff { periods, bounds })
    }

    /// Everything that was measured.
    pub fn rows(&self) -> Vec<Row> {
        self.periods.iter().chain(&self.bounds).flatten().map(|(_, row)| row.clone()).collect()
    }
}
