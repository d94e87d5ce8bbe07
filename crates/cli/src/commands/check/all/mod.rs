//! `bellwether check --all`: what holds of which algorithm, up to which size.

mod json;
mod markdown;
mod text;

use super::effort;
use crate::args::{CheckArgs, CheckFormat};
use crate::choice::Choice;
use crate::error::{Failure, Verdict as ExitStatus};
use crate::output;
use crate::progress::Progress;
use bellwether_check::{
    CheckPlan, CheckReport, CheckRequest, Effort, FaultOptions, InitiatorSets, Property, Verdict,
};
use bellwether_core::{Driving, Order, Starts};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::RunSpec;
use bellwether_sim::LinkOrder;
use std::time::{Duration, Instant};

/// How long it may take, unless the user says.
const DEFAULT_TIME: Duration = Duration::from_secs(120);
/// How many states each check of the page may have, unless the user says.
const DEFAULT_STATES: u64 = 300_000;
/// The first size, and the last that is tried.
const SIZES: std::ops::RangeInclusive<u64> = 2..=8;

/// What may go wrong in a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Nothing,
    Crash,
    Recovery,
    Loss,
    Duplicate,
    Reordering,
}

impl Column {
    /// All of them.
    pub const ALL: [Column; 6] = [
        Column::Nothing,
        Column::Crash,
        Column::Recovery,
        Column::Loss,
        Column::Duplicate,
        Column::Reordering,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Column::Nothing => "no faults",
            Column::Crash => "1 crash",
            Column::Recovery => "1 crash, 1 recovery",
            Column::Loss => "1 loss",
            Column::Duplicate => "1 duplicate",
            Column::Reordering => "reordering links",
        }
    }

    /// What it lets happen.
    fn faults(self) -> FaultOptions {
        let none = FaultOptions::default();
        match self {
            Column::Nothing | Column::Reordering => none,
            Column::Crash => FaultOptions { crashes: 1, ..none },
            Column::Recovery => FaultOptions { crashes: 1, recoveries: 1, ..none },
            Column::Loss => FaultOptions { losses: 1, ..none },
            Column::Duplicate => FaultOptions { duplicates: 1, ..none },
        }
    }

    /// Whether messages of one link keep their order.
    fn links(self) -> LinkOrder {
        if self == Column::Reordering { LinkOrder::Reordering } else { LinkOrder::Fifo }
    }

    /// Whether it says anything about an algorithm. One in rounds runs over a synchroniser, which is made for links
    /// that lose, double and reorder nothing, and for members that do not crash.
    fn applies_to(self, choice: &Choice) -> bool {
        self == Column::Nothing || choice.driving != Driving::Rounds
    }
}

/// Who calls in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    EveryoneCalls,
    OneCalls,
}

impl Table {
    /// All of them.
    pub const ALL: [Table; 2] = [Table::EveryoneCalls, Table::OneCalls];

    /// Who calls.
    pub fn initiators(self) -> InitiatorSets {
        match self {
            Table::EveryoneCalls => InitiatorSets::All,
            Table::OneCalls => InitiatorSets::One,
        }
    }

    /// Whether an algorithm has a row in it.
    fn has(self, choice: &Choice) -> bool {
        self == Table::EveryoneCalls || choice.spec.starts == Starts::Callers
    }
}

/// What is known of an algorithm under the faults of a column.
#[derive(Clone, Debug)]
pub struct Cell {
    pub choice: Choice,
    pub table: Table,
    pub column: Column,
    /// The largest size at which everything holds, and in how many states: of all checks of that size together.
    pub held: Option<(u64, u64)>,
    /// The size at which something is violated, what, and in how many steps.
    pub broken: Option<(u64, Property, usize)>,
    /// Whether runs were left out in which members draw many numbers.
    pub is_cut: bool,
    /// Whether its share of the time was over before anything was known.
    pub is_late: bool,
    /// Whether it says anything.
    pub applies: bool,
}

/// How far each check may go.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// All together until then.
    Until(Instant),
    /// Each this many states, so that what comes of it does not depend on the machine.
    States(u64),
}

/// Fills the table, and prints it.
pub fn run(args: &CheckArgs) -> Result<ExitStatus, Failure> {
    let is_page = args.format == CheckFormat::Markdown;
    if args.time.is_some() && (is_page || args.states.is_some()) {
        let why =
            if is_page { "a page must not depend on how fast the machine is" } else { "one bound is enough" };
        return Err(Failure::input_with_hint(
            format!("{why}: leave out --time"),
            "--states bounds each check",
        ));
    }
    let states = args.states.or(is_page.then_some(DEFAULT_STATES));
    let bound = match states {
        Some(states) => Bound::States(states),
        None => Bound::Until(Instant::now() + args.time.unwrap_or(DEFAULT_TIME)),
    };
    let effort = effort(args)?;
    let of_table = |table: Table| {
        Choice::all().filter(move |choice| table.has(choice)).map(move |choice| (table, choice))
    };
    let rows: Vec<(Table, Choice)> = Table::ALL.into_iter().flat_map(of_table).collect();
    let mut left = rows.len() as u32 * Column::ALL.len() as u32;
    let progress = Progress::new(left.into(), "cells");
    let mut cells = Vec::new();
    for (table, choice) in rows {
        for column in Column::ALL {
            let initiators = table.initiators();
            progress.say(format!("({}, initiators {initiators}, {})", choice.label(), column.name()));
            let effort = match bound {
                Bound::Until(end) => {
                    Effort { time: Some(end.saturating_duration_since(Instant::now()) / left), ..effort }
                }
                Bound::States(states) => Effort { states, ..effort },
            };
            cells.push(cell((table, choice), column, &effort)?);
            left -= 1;
            progress.advance();
        }
    }
    drop(progress);
    match args.format {
        CheckFormat::Text => output::print(text::as_table(&cells).as_bytes())?,
        CheckFormat::Json => output::print_json(&json::as_json(&cells))?,
        CheckFormat::Markdown => {
            let page = markdown::as_markdown(&cells, states.unwrap_or(DEFAULT_STATES));
            output::print(page.as_bytes())?;
        }
    }
    Ok(ExitStatus::Fine)
}

/// Checks one size after the other, as far as the bounds allow.
fn cell((table, choice): (Table, Choice), column: Column, effort: &Effort) -> Result<Cell, Failure> {
    let applies = column.applies_to(&choice);
    let (held, broken, is_cut, is_late) = (None, None, false, false);
    let mut cell = Cell { choice, table, column, held, broken, is_cut, is_late, applies };
    if !applies {
        return Ok(cell);
    }
    let began = Instant::now();
    for n in SIZES {
        let Some(plan) = plan((table, choice), column, n) else { continue };
        let time = effort.time.map(|time| time.saturating_sub(began.elapsed()));
        let report = plan.run(&Effort { time, ..*effort }, &|_| ())?; // the progress bar counts cells
        if report.verdict() == Verdict::Incomplete {
            cell.is_late = effort.time.is_some_and(|time| began.elapsed() >= time);
            break;
        }
        cell.add(n, &report);
        if cell.broken.is_some() {
            break;
        }
    }
    Ok(cell)
}

impl Cell {
    fn add(&mut self, n: u64, report: &CheckReport) {
        self.is_cut |= report.is_cut;
        match report.gravest() {
            Some((property, violation)) => self.broken = Some((n, property, violation.run.actions.len())),
            None => self.held = Some((n, report.states)),
        }
    }
}

/// The check of an algorithm in one size; nothing if there is no such network.
fn plan((table, choice): (Table, Choice), column: Column, n: u64) -> Option<CheckPlan> {
    let order = Some(Order::Worst);
    let request = CheckRequest {
        algorithm: *ALGORITHMS.entries[choice.entry],
        run: RunSpec { nodes: Some(n), order, links: column.links(), ..RunSpec::of(choice.label()) },
        all_orders: false,
        initiators: table.initiators(),
        faults: column.faults(),
    };
    CheckPlan::new(request).ok()
}
