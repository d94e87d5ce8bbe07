//! A run said step by step, as files and options have it: `schedule`, `loops_from`, `beginning` and `liberties`.

use crate::document::{At, Datum, Flaw, Value, entry};
use crate::form::{Form as _, Listed, TextError};
use crate::spec::RunSpec;
use bellwether_sim::Schedule;
use bellwether_sim::schedule::{Instruction, Liberties, TimeModel};
use std::num::TryFromIntError;

impl Listed for Instruction {
    const EXPECTED: &'static str = "a list of steps, as in [\"call 3\", \"deliver 3 -> 1\"]";
}

/// A schedule of these steps, which may take the liberties that they need.
pub fn schedule_of(actions: Vec<Instruction>) -> Schedule {
    Schedule { liberties: Liberties::needed_for(&actions), beginning: 0, loop_from: None, actions }
}

/// As [`crate::form::Slot`] has it, for each of the four.
pub mod steps {
    use super::*;

    pub fn datum(run: &RunSpec) -> Option<Datum> {
        run.schedule.as_ref().map(|schedule| Datum::list(schedule.actions.iter().map(Instruction::to_datum)))
    }

    pub fn read(run: &mut RunSpec, value: &Value<'_>) -> Result<(), Flaw> {
        let steps = value.list(Instruction::EXPECTED, Instruction::read)?;
        run.schedule = Some(schedule_of(steps.into_iter().map(|step| step.value).collect()));
        Ok(())
    }

    pub fn texts(run: &RunSpec) -> Vec<String> {
        let Some(schedule) = &run.schedule else { return Vec::new() };
        match schedule.actions.as_slice() {
            [] => vec!["none".to_owned()],
            steps => steps.iter().map(Instruction::to_text).collect(),
        }
    }

    pub fn parse(run: &mut RunSpec, text: &str) -> Result<(), TextError> {
        let mut steps = run.schedule.take().map(|schedule| schedule.actions).unwrap_or_default();
        if text != "none" {
            steps.push(Instruction::parse(text)?);
        }
        run.schedule = Some(schedule_of(steps));
        Ok(())
    }
}

fn of<'r>(run: &'r mut RunSpec, key: &str) -> Result<&'r mut Schedule, String> {
    let schedule = run.schedule.as_mut();
    schedule.ok_or_else(|| format!("`{key}` goes with `schedule`, which is not given: leave it out"))
}

/// A number that is written from 1, and counts from 0.
macro_rules! from_one {
    ($name:ident, $key:literal, $get:expr, $set:expr) => {
        pub mod $name {
            use super::*;

            pub fn datum(run: &RunSpec) -> Option<Datum> {
                let get: fn(&Schedule) -> Option<u32> = $get;
                get(run.schedule.as_ref()?).map(|number| Datum::Whole(i128::from(number) + 1))
            }

            pub fn read(run: &mut RunSpec, value: &Value<'_>) -> Result<(), Flaw> {
                let schedule = of(run, $key).map_err(|problem| Flaw::new(value.at, problem))?;
                let number = value.as_whole().and_then(|number| u32::try_from(number).ok()?.checked_sub(1));
                let set: fn(&mut Schedule, u32) = $set;
                set(schedule, number.ok_or_else(|| value.unlike("a number, 1 or more"))?);
                Ok(())
            }

            pub fn texts(run: &RunSpec) -> Vec<String> {
                let get: fn(&Schedule) -> Option<u32> = $get;
                let number = run.schedule.as_ref().and_then(get);
                number.map(|number| (u64::from(number) + 1).to_string()).into_iter().collect()
            }

            pub fn parse(run: &mut RunSpec, text: &str) -> Result<(), TextError> {
                let number = text.parse().ok().and_then(|number: u32| number.checked_sub(1));
                let number = number.ok_or_else(|| format!("'{text}' is no number from 1"))?;
                let set: fn(&mut Schedule, u32) = $set;
                set(of(run, $key)?, number);
                Ok(())
            }
        }
    };
}

from_one!(loops_from, "loops_from", |it| it.loop_from, |it, number| it.loop_from = Some(number));
from_one!(beginning, "beginning", |it| Some(it.beginning).filter(|it| *it > 0), |it, number| it.beginning =
    number);

const KEYS: &[&str] = &[
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

/// What may go wrong in all, where the steps do not tell.
pub mod liberties {
    use super::*;

    pub fn datum(run: &RunSpec) -> Option<Datum> {
        let schedule = run.schedule.as_ref()?;
        let (given, needed) =
            (entries(&schedule.liberties), entries(&Liberties::needed_for(&schedule.actions)));
        let differing: Vec<(&str, Datum)> = given
            .into_iter()
            .zip(needed)
            .filter(|(given, needed)| given != needed)
            .map(|(given, _)| given)
            .collect();
        (!differing.is_empty()).then(|| Datum::table(differing))
    }

    pub fn read(run: &mut RunSpec, value: &Value<'_>) -> Result<(), Flaw> {
        let schedule = of(run, "liberties").map_err(|problem| Flaw::new(value.at, problem))?;
        schedule.liberties = liberties_of(value, Liberties::needed_for(&schedule.actions))?;
        Ok(())
    }

    /// As in `crashes=2,clock=4/10`: steps of the clock in the delay bound, and thousandths of drift.
    pub fn texts(run: &RunSpec) -> Vec<String> {
        let Some(Datum::Table(entries)) = datum(run) else { return Vec::new() };
        let entry =
            |(key, value): &(At<String>, At<Datum>)| format!("{}={}", key.value, text_of(&value.value));
        vec![entries.iter().map(entry).collect::<Vec<_>>().join(",")]
    }

    pub fn parse(run: &mut RunSpec, text: &str) -> Result<(), TextError> {
        let entries = text.split(',').map(|text| {
            let expected = || "expected KEY=VALUE, as in crashes=2".to_owned();
            let (key, value) = text.split_once('=').ok_or_else(expected)?;
            Ok(entry(key, datum_of(value)?))
        });
        let table = At { value: Datum::Table(entries.collect::<Result<_, String>>()?), at: 0 };
        Ok(read(run, &Value::new("liberties", &table)).map_err(|flaw| flaw.problem)?)
    }
}

fn text_of(value: &Datum) -> String {
    match value {
        Datum::Whole(number) => number.to_string(),
        Datum::Flag(flag) => flag.to_string(),
        Datum::Table(clock) => {
            clock.iter().map(|(_, value)| text_of(&value.value)).collect::<Vec<_>>().join("/")
        }
        _ => String::new(),
    }
}

fn datum_of(text: &str) -> Result<Datum, String> {
    let number = |text: &str| {
        text.parse()
            .map(Datum::Whole)
            .map_err(|_| format!("'{text}' is no number, and neither true nor false"))
    };
    match (text, text.split_once('/')) {
        ("true", _) => Ok(Datum::Flag(true)),
        ("false", _) => Ok(Datum::Flag(false)),
        (_, Some((grain, drift))) => Ok(Datum::table([("grain", number(grain)?), ("drift", number(drift)?)])),
        _ => number(text),
    }
}

/// All of them, by key. (No clock is what a run has that does not need one: it has no key.)
fn entries(liberties: &Liberties) -> Vec<(&'static str, Datum)> {
    let Liberties {
        crashes,
        recoveries,
        losses,
        duplicates,
        pauses,
        requests,
        suspicions,
        restarts,
        restart_after,
        draws,
        late_calls,
        detector,
        certified,
        time,
        ticks,
        stops_at_goal,
    } = *liberties;
    let count = |count: u8| Datum::Whole(count.into());
    let clock = |(grain, drift): (u16, u16)| {
        Datum::table([("grain", Datum::Whole(grain.into())), ("drift", Datum::Whole(drift.into()))])
    };
    let time = match time {
        TimeModel::Any => None,
        TimeModel::Clock { grain, drift } => Some((grain, drift)),
    };
    vec![
        ("crashes", count(crashes)),
        ("recoveries", count(recoveries)),
        ("losses", count(losses)),
        ("duplicates", count(duplicates)),
        ("pauses", count(pauses)),
        ("requests", count(requests)),
        ("suspicions", count(suspicions)),
        ("restarts", count(restarts)),
        ("restart_after", Datum::Whole(restart_after.into())),
        ("draws", count(draws)),
        ("late_calls", Datum::Flag(late_calls)),
        ("detector", Datum::Flag(detector)),
        ("certified", Datum::Flag(certified)),
        ("clock", time.map_or(Datum::Flag(false), clock)),
        ("ticks", Datum::Whole(ticks.into())),
        ("stops_at_goal", Datum::Flag(stops_at_goal)),
    ]
}

/// What is said of liberties, and what is left to be told by the steps.
fn liberties_of(value: &Value<'_>, needed: Liberties) -> Result<Liberties, Flaw> {
    let table = value.table("[liberties]", KEYS, &crate::fields::file_keys())?;
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
    if value.flag() == Ok(false) {
        return Ok(TimeModel::Any);
    }
    let table = value.table("a clock", &["grain", "drift"], &crate::fields::file_keys())?;
    let number = |key| Ok::<_, Flaw>(table.read(key, small::<u16>)?.map(|number| number.value));
    Ok(TimeModel::Clock { grain: number("grain")?.unwrap_or(1), drift: number("drift")?.unwrap_or(0) })
}

/// A whole number that is not large.
fn small<N: TryFrom<u64, Error = TryFromIntError>>(value: &Value<'_>) -> Result<N, Flaw> {
    N::try_from(value.whole()?).map_err(|_| value.unlike("a smaller number"))
}
