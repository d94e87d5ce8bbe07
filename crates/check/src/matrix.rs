//! What holds of which algorithm under which faults, up to which size.

use crate::check::CheckResult;
use crate::clock;
use crate::family::InitiatorSets;
use crate::plan::{CheckPlan, CheckRequest, Effort};
use crate::property::Property;
use crate::report::CheckReport;
use bellwether_core::{AlgorithmChoice, Driving, Entry, Order, Starts};
use bellwether_model::FaultBudget;
use bellwether_runspec::{FaultOptions, RunSpec};
use bellwether_sim::{LinkOrder, SetupError};
use std::time::Duration;

/// The first size, and the last that is tried.
const SIZES: std::ops::RangeInclusive<u64> = 2..=8;

/// What may go wrong in a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixColumn {
    /// Nothing.
    Nothing,
    /// One crash.
    Crash,
    /// One crash and one recovery.
    Recovery,
    /// One lost message.
    Loss,
    /// One message that arrives twice.
    Duplicate,
    /// Messages of one link overtake each other.
    Reordering,
}

impl MatrixColumn {
    /// All of them.
    pub const ALL: [MatrixColumn; 6] = [
        MatrixColumn::Nothing,
        MatrixColumn::Crash,
        MatrixColumn::Recovery,
        MatrixColumn::Loss,
        MatrixColumn::Duplicate,
        MatrixColumn::Reordering,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MatrixColumn::Nothing => "no faults",
            MatrixColumn::Crash => "1 crash",
            MatrixColumn::Recovery => "1 crash, 1 recovery",
            MatrixColumn::Loss => "1 loss",
            MatrixColumn::Duplicate => "1 duplicate",
            MatrixColumn::Reordering => "reordering links",
        }
    }

    /// What it lets happen.
    fn faults(self) -> FaultOptions {
        let none = FaultBudget::NONE;
        FaultOptions::of(match self {
            MatrixColumn::Nothing | MatrixColumn::Reordering => none,
            MatrixColumn::Crash => FaultBudget { crashes: 1, ..none },
            MatrixColumn::Recovery => FaultBudget { crashes: 1, recoveries: 1, ..none },
            MatrixColumn::Loss => FaultBudget { losses: 1, ..none },
            MatrixColumn::Duplicate => FaultBudget { duplicates: 1, ..none },
        })
    }

    /// Whether messages of one link keep their order.
    fn links(self) -> LinkOrder {
        if self == MatrixColumn::Reordering { LinkOrder::Reordering } else { LinkOrder::Fifo }
    }

    /// Whether it says anything about an algorithm. One in rounds runs over a synchroniser, which is made for links
    /// that lose, double and reorder nothing, and for members that do not crash.
    fn applies_to(self, algorithm: &AlgorithmChoice) -> bool {
        self == MatrixColumn::Nothing || algorithm.driving != Driving::Rounds
    }
}

/// Which members start an election in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixTable {
    /// All of them.
    EveryoneCalls,
    /// Each in turn, alone.
    OneCalls,
}

impl MatrixTable {
    /// All of them.
    pub const ALL: [MatrixTable; 2] = [MatrixTable::EveryoneCalls, MatrixTable::OneCalls];

    /// The sets of members that start an election.
    #[must_use]
    pub fn initiators(self) -> InitiatorSets {
        match self {
            MatrixTable::EveryoneCalls => InitiatorSets::All,
            MatrixTable::OneCalls => InitiatorSets::One,
        }
    }

    /// Whether an algorithm has a row in it.
    fn has(self, algorithm: &AlgorithmChoice) -> bool {
        self == MatrixTable::EveryoneCalls || algorithm.spec.starts == Starts::Callers
    }
}

/// What is known of an algorithm under the faults of a column.
#[derive(Clone, Debug)]
pub struct MatrixCell {
    /// The algorithm.
    pub algorithm: AlgorithmChoice,
    /// Which members start an election.
    pub table: MatrixTable,
    /// What may go wrong.
    pub column: MatrixColumn,
    /// The largest size at which everything holds, and in how many states: of all checks of that size together.
    pub held: Option<(u64, u64)>,
    /// The size at which something is violated, what, and in how many steps.
    pub violated: Option<(u64, Property, usize)>,
    /// Whether runs were left out in which members draw many numbers.
    pub is_cut: bool,
    /// Whether its share of the time was over before anything was known.
    pub is_late: bool,
    /// Whether it says anything.
    pub applies: bool,
}

/// How far the checks of a matrix may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixBound {
    /// All together this long: each cell may take an equal share of what is left.
    Time(Duration),
    /// Each this many states, so that what comes of it does not depend on the machine.
    States(u64),
}

/// The rows of the matrix of these algorithms: one for each table that an algorithm is in.
fn rows(
    algorithms: &[(AlgorithmChoice, Entry)],
) -> impl Iterator<Item = (MatrixTable, &(AlgorithmChoice, Entry))> {
    let of_table = move |table: MatrixTable| {
        algorithms.iter().filter(move |(algorithm, _)| table.has(algorithm)).map(move |row| (table, row))
    };
    MatrixTable::ALL.into_iter().flat_map(of_table)
}

/// How many cells the matrix of these algorithms has.
#[must_use]
pub fn matrix_size(algorithms: &[(AlgorithmChoice, Entry)]) -> usize {
    rows(algorithms).count() * MatrixColumn::ALL.len()
}

/// Checks every algorithm in every column: sizes grow as far as the bound allows, or until something is violated. `watch` is
/// told of each cell before it is checked.
///
/// # Errors
/// [`SetupError`] says why a check cannot be made.
pub fn matrix(
    algorithms: &[(AlgorithmChoice, Entry)],
    effort: &Effort,
    bound: MatrixBound,
    mut watch: impl FnMut(&MatrixCell),
) -> Result<Vec<MatrixCell>, SetupError> {
    let began = clock::now();
    let mut cells = Vec::new();
    let size = matrix_size(algorithms);
    for (table, (algorithm, entry)) in rows(algorithms) {
        for column in MatrixColumn::ALL {
            let left = (size - cells.len()) as u32;
            let effort = match bound {
                MatrixBound::Time(time) => {
                    Effort { time: Some(time.saturating_sub(clock::now() - began) / left), ..*effort }
                }
                MatrixBound::States(states) => Effort { states, ..*effort },
            };
            let mut cell = MatrixCell::new(*algorithm, table, column);
            watch(&cell);
            cell.fill(*entry, &effort)?;
            cells.push(cell);
        }
    }
    Ok(cells)
}

impl MatrixCell {
    fn new(algorithm: AlgorithmChoice, table: MatrixTable, column: MatrixColumn) -> MatrixCell {
        let applies = column.applies_to(&algorithm);
        let (held, violated, is_cut, is_late) = (None, None, false, false);
        MatrixCell { algorithm, table, column, held, violated, is_cut, is_late, applies }
    }

    /// Checks one size after the other, as far as the bounds allow.
    fn fill(&mut self, entry: Entry, effort: &Effort) -> Result<(), SetupError> {
        if !self.applies {
            return Ok(());
        }
        let began = clock::now();
        for n in SIZES {
            let Some(plan) = self.plan(entry, n) else { continue };
            let time = effort.time.map(|time| time.saturating_sub(clock::now() - began));
            let report = plan.run(&Effort { time, ..*effort }, &|_| ())?;
            if report.verdict() == CheckResult::Incomplete {
                self.is_late = effort.time.is_some_and(|time| clock::now() - began >= time);
                return Ok(());
            }
            self.add(n, &report);
            if self.violated.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn add(&mut self, n: u64, report: &CheckReport) {
        self.is_cut |= report.is_cut;
        match report.gravest() {
            Some((property, violation)) => self.violated = Some((n, property, violation.run.actions.len())),
            None => self.held = Some((n, report.states)),
        }
    }

    /// The check of one size; nothing if there is no such network.
    fn plan(&self, algorithm: Entry, n: u64) -> Option<CheckPlan> {
        let (order, links) = (Some(Order::Worst), self.column.links());
        let request = CheckRequest {
            algorithm,
            run: RunSpec { nodes: Some(n), order, links, ..RunSpec::of(self.algorithm.to_string()) },
            all_orders: false,
            initiators: self.table.initiators(),
            faults: self.column.faults(),
        };
        CheckPlan::new(request).ok()
    }
}
