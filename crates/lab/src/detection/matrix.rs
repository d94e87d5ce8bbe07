//! Measuring failure detectors: several under several conditions, and what T and D trade for what.

use super::{ClosedForm, Conditions, Effort, Quality, measure};
use crate::progress::Progress;
use bellwether_core::{DetectorChoice, DetectorError, HOP, Span};
use bellwether_sim::{Delay, SetupError};

/// Watches of fewer periods than this are too short for theory.
const PERIODS: u64 = 10;

const UNIFORM: Delay = Delay::Uniform { least: 0.5, most: 4.0 };
const EXPONENTIAL: Delay = Delay::Exponential { mean: 1.0 };
/// Delays unless others are asked for: the unit, bounded ones, and some without a bound.
pub const USUAL_DELAYS: [Delay; 3] = [Delay::Unit, UNIFORM, EXPONENTIAL];
/// The same for a trade-off. Where delays are all the same, D makes no difference.
pub const TRADE_OFF_DELAYS: [Delay; 2] = [UNIFORM, EXPONENTIAL];

/// One detector under one kind of conditions.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The detector.
    pub choice: DetectorChoice,
    /// What its signals meet.
    pub conditions: Conditions,
}

/// What was measured of one detector under one kind of conditions.
#[derive(Clone, Debug)]
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
    #[must_use]
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
///
/// # Errors
/// The first [`SetupError`].
pub fn measure_cells(
    cells: Vec<Cell>,
    effort: &Effort,
    progress: &dyn Progress,
) -> Result<Vec<Row>, SetupError> {
    let measured = cells.into_iter().map(|cell| {
        progress.begin(&format!("{}, {}", cell.choice, cell.conditions.delay));
        let quality = measure(&cell.choice, &cell.conditions, effort, progress)?;
        Ok(Row { quality, closed_form: cell.closed_form(effort.length), cell })
    });
    measured.collect()
}

/// Several detectors beside each other, under each of several conditions.
#[must_use]
pub fn cells(conditions: &[Conditions], choices: &[DetectorChoice]) -> Vec<Cell> {
    let under = |conditions: &Conditions| {
        let conditions = conditions.clone();
        choices.iter().map(move |choice| Cell { choice: choice.clone(), conditions: conditions.clone() })
    };
    conditions.iter().flat_map(under).collect()
}

/// How T and D of the heartbeat trade speed against cost and mistakes: each varied by itself.
#[derive(Clone, Debug)]
pub struct TradeOff {
    /// T is varied: for each kind of conditions, the values of T with their figures.
    pub periods: Vec<Vec<(f64, Row)>>,
    /// D is varied.
    pub bounds: Vec<Vec<(f64, Row)>>,
}

impl TradeOff {
    /// The detector that has T and D.
    pub const DETECTOR: &str = "heartbeat";
    /// What the one is while the other is varied.
    pub const BASE: &str = "heartbeat:T=5,D=2";
    const PERIODS: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
    const BOUNDS: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

    /// How many measurements it takes for each kind of conditions.
    pub const MEASUREMENTS: u64 = (TradeOff::PERIODS.len() + TradeOff::BOUNDS.len()) as u64;

    /// Varies T and D around a heartbeat's.
    ///
    /// # Errors
    /// The first [`SetupError`].
    pub fn measure(
        base: &DetectorChoice,
        conditions: &[Conditions],
        effort: &Effort,
        progress: &dyn Progress,
    ) -> Result<TradeOff, SetupError> {
        let vary = |name: &str, values: &[f64]| -> Result<Vec<Vec<(f64, Row)>>, SetupError> {
            let choices = values.iter().map(|value| {
                let mut choice = base.clone();
                choice.set(&format!("{name}={value}")).map(|()| choice)
            });
            let choices = choices.collect::<Result<Vec<_>, DetectorError>>()?;
            let sweep = |conditions: &Conditions| {
                let cells = cells(std::slice::from_ref(conditions), &choices);
                let rows = measure_cells(cells, effort, progress)?;
                Ok(values.iter().copied().zip(rows).collect())
            };
            conditions.iter().map(sweep).collect()
        };
        let periods = vary("T", &TradeOff::PERIODS)?;
        Ok(TradeOff { periods, bounds: vary("D", &TradeOff::BOUNDS)? })
    }

    /// Everything that was measured: under each kind of conditions, T varied and D varied.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        self.periods.iter().chain(&self.bounds).flatten().map(|(_, row)| row.clone()).collect()
    }
}
