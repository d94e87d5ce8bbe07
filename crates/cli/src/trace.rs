//! Traces in files: the first and the last line, and what is between.

use crate::error::Failure;
use crate::file::Pending;
use bellwether_core::{Id, Spec};
use bellwether_lab::Figure;
use bellwether_runspec::{Header, RunSpec, read_header};
use bellwether_sim::{JsonTrace, Outcome, Plan, Report};
use serde::Serialize;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _};
use std::path::Path;

/// A trace that goes into a file.
pub type FileTrace<'p> = JsonTrace<'p, BufWriter<File>>;

/// The longest first line that is read: it lists the members.
const LONGEST_HEADER: u64 = 1 << 30;

/// What came of it.
#[derive(Serialize)]
pub struct Footer {
    event: &'static str,
    outcome: Outcome,
    leader: Option<Id>,
    messages: u64,
    time: Figure,
}

impl Footer {
    /// The footer of a run's trace.
    pub fn new(report: &Report) -> Footer {
        Footer {
            event: "end",
            outcome: report.ruling.outcome,
            leader: report.ruling.leader,
            messages: report.messages.total,
            time: Figure(report.time.hops()),
        }
    }
}

/// Writes a trace into a file. `show` shows the run to it, and gives it back with what came of the run.
pub fn write<T>(
    run: &RunSpec,
    spec: &Spec,
    plan: &Plan,
    path: &Path,
    show: impl FnOnce(FileTrace<'_>) -> (Report, (T, FileTrace<'_>)),
) -> Result<(Report, T), Failure> {
    let mut file = Pending::create(path)?;
    let writer = file.take_writer().ok_or_else(|| Failure::unwritable(path, "it was begun twice"))?;
    let trace = JsonTrace::new(writer, &plan.topology, &plan.ranks, &Header::new(run, spec, plan))
        .in_ring_that_closes(plan.ring_closes);
    let (report, (other, trace)) = show(trace);
    trace.finish(&Footer::new(&report)).map_err(|error| Failure::unwritable(path, error))?;
    file.keep()?;
    Ok((report, other))
}

/// The run that a trace is of.
pub fn read_run(path: &Path) -> Result<RunSpec, Failure> {
    let unreadable = |error| Failure::System(format!("cannot read {}: {error}", path.display()));
    let file = File::open(path).map_err(unreadable)?;
    let mut line = Vec::new();
    BufReader::new(file.take(LONGEST_HEADER)).read_until(b'\n', &mut line).map_err(unreadable)?;
    read_header(&String::from_utf8_lossy(&line))
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}
