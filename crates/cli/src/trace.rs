//! Traces in files.

use crate::error::Failure;
use crate::file::Pending;
use bellwether_core::Spec;
use bellwether_runspec::{RunSpec, trace};
use bellwether_sim::{JsonTrace, Plan, Report};
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _};
use std::path::Path;

/// A trace that goes into a file.
pub type FileTrace<'p> = JsonTrace<'p, BufWriter<File>>;

/// The longest first line that is read: it lists the members.
const LONGEST_HEADER: u64 = 1 << 30;

/// Writes a trace into a file. `show` runs the plan with the trace as observer, and returns the trace with the report.
pub fn write<T>(
    run: &RunSpec,
    spec: &Spec,
    plan: &Plan,
    path: &Path,
    show: impl FnOnce(FileTrace<'_>) -> (Report, (T, FileTrace<'_>)),
) -> Result<(Report, T), Failure> {
    let mut file = Pending::create(path)?;
    let writer = file.take_writer().ok_or_else(|| Failure::unwritable(path, "it was begun twice"))?;
    let (report, (other, trace)) = show(trace::begin(run, spec, plan, writer));
    trace::finish(trace, &report).map_err(|error| Failure::unwritable(path, error))?;
    file.keep()?;
    Ok((report, other))
}

/// The run that a trace is of.
pub fn read_run(path: &Path) -> Result<RunSpec, Failure> {
    let unreadable = |error| Failure::System(format!("cannot read {}: {error}", path.display()));
    let file = File::open(path).map_err(unreadable)?;
    let mut line = Vec::new();
    BufReader::new(file.take(LONGEST_HEADER)).read_until(b'\n', &mut line).map_err(unreadable)?;
    trace::read_header(&String::from_utf8_lossy(&line))
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}
