//! A run said step by step: the file's keys `schedule`, `loops_from` and `beginning`, and its `[liberties]`.

use super::error::Flaw;
use super::table::{At, Table, Value};
use bellwether_sim::schedule::Schedule;
use bellwether_sim::schedule::{Instruction, Liberties, TimeModel};
use std::num::TryFromIntError;

const LIBERTIES: &[&str] = &[
    "crashes",
    "recoveries",
    "losses",
    "duplicates",
    "pauses",
    "requests",
    "suspicions",
    "restarts",
    "restart_after",
    "draws",
    "late_calls",
    "detector",
    "clock",
    "certified",
    "ticks",
    "stops_at_goal",
];

/// A schedule, and where its steps stand.
#[derive(Default)]
pub(super) struct Steps {
    pub schedule: Option<Schedule>,
    pub places: Vec<usize>,
}

/// Reads it, if there is one.
pub(super) fn read(file: &Table<'_>) -> Result<Steps, Flaw> {
    let Some(value) = file.get("schedule") else {
        let strays = ["loops_from", "beginning", "liberties"].into_iter().filter_map(|key| file.get(key));
        return match strays.min_by_key(|stray| stray.at) {
            Some(stray) => {
                let problem =
                    format!("'{}' goes with 'schedule', which is not given: leave it out", stray.key);
                Err(Flaw::new(stray.at, problem))
            }
            None => Ok(Steps::default()),
        };
    };
    let steps = value.list("a list of steps, as in [\"call 3\", \"deliver 3 -> 1\"]", |step| {
        let text = step.text()?;
        text.parse().map_err(|problem: String| Flaw::new(step.at, problem))
    })?;
    let places = steps.iter().map(|step| step.at).collect();
    let actions: Vec<Instruction> = steps.into_iter().map(|step| step.value).collect();
    let schedule = Schedule {
        liberties: liberties(file, Liberties::needed_for(&actions))?,
        beginning: from_one(file, "beginning")?.unwrap_or(0),
        loop_from: from_one(file, "loops_from")?,
        actions,
    };
    Ok(Steps { schedule: Some(schedule), places })
}

/// A number that is written from 1, and counts from 0.
fn from_one(file: &Table<'_>, key: &'static str) -> Result<Option<u32>, Flaw> {
    let read = |value: &Value<'_>| {
        let number = value.as_whole().and_then(|number| u32::try_from(number).ok()?.checked_sub(1));
        number.ok_or_else(|| value.unlike("a number, 1 or more"))
    };
    Ok(file.read(key, read)?.map(|number| number.value))
}

/// What the file says of liberties, and what it leaves to be told by the steps.
fn liberties(file: &Table<'_>, needed: Liberties) -> Result<Liberties, Flaw> {
    let Some(value) = file.get("liberties") else { return Ok(needed) };
    let table = value.table("[liberties]", LIBERTIES)?;
    let count = |key, least: u8| {
        let Some(At { value, at }) = table.read(key, small::<u8>)? else { return Ok(least) };
        if value < least {
            let problem = format!("'{key}' is {value}, and the steps of the schedule need {least}");
            return Err(Flaw::new(at, problem).hint("raise it, or leave it out"));
        }
        Ok(value)
    };
    let flag =
        |key, usual: bool| Ok::<_, Flaw>(table.read(key, Value::flag)?.map_or(usual, |flag| flag.value));
    Ok(Liberties {
        crashes: count("crashes", needed.crashes)?,
        recoveries: count("recoveries", needed.recoveries)?,
        losses: count("losses", needed.losses)?,
        duplicates: count("duplicates", needed.duplicates)?,
        pauses: count("pauses", needed.pauses)?,
        requests: count("requests", needed.requests)?,
        suspicions: count("suspicions", needed.suspicions)?,
        restarts: count("restarts", needed.restarts)?,
        restart_after: table
            .read("restart_after", small::<u32>)?
            .map_or(needed.restart_after, |after| after.value),
        draws: table.read("draws", small::<u8>)?.map_or(needed.draws, |draws| draws.value),
        late_calls: flag("late_calls", needed.late_calls)?,
        detector: flag("detector", needed.detector)?,
        certified: flag("certified", needed.certified)?,
        time: table.read("clock", clock)?.map_or(needed.time, |clock| clock.value),
        ticks: table.read("ticks", small::<u16>)?.map_or(needed.ticks, |ticks| ticks.value),
        stops_at_goal: flag("stops_at_goal", needed.stops_at_goal)?,
    })
}

fn clock(value: &Value<'_>) -> Result<TimeModel, Flaw> {
    let table = value.table("a clock", &["grain", "drift"])?;
    let number = |key| Ok::<_, Flaw>(table.read(key, small::<u16>)?.map(|number| number.value));
    Ok(TimeModel::Clock { grain: number("grain")?.unwrap_or(1), drift: number("drift")?.unwrap_or(0) })
}

/// A whole number that is not large.
pub(super) fn small<N: TryFrom<u64, Error = TryFromIntError>>(value: &Value<'_>) -> Result<N, Flaw> {
    N::try_from(value.whole()?).map_err(|_| value.unlike("a smaller number"))
}
