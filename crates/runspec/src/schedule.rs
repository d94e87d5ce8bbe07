//! A run said step by step, as files and options have it: `schedule`, `loops_from`, `beginning` and `liberties`.

use crate::document::{At, Datum, Flaw, Value, entry};
use crate::fault_options::{FAULT_FIELDS, FaultField};
use crate::form::{Form as _, Listed, TextError};
use crate::spec::RunSpec;
use bellwether_sim::Schedule;
use bellwether_sim::schedule::{FaultBudget, Instruction};

impl Listed for Instruction {
    const EXPECTED: &'static str = "a list of steps, as in [\"call 3\", \"deliver 3 -> 1\"]";
}

/// A schedule of these steps, which may take the liberties that they need.
pub fn schedule_of(actions: Vec<Instruction>) -> Schedule {
    Schedule { liberties: FaultBudget::needed_for(&actions), beginning: 0, loop_from: None, actions }
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

/// What may go wrong in all, where the steps do not tell.
pub mod liberties {
    use super::*;

    pub fn datum(run: &RunSpec) -> Option<Datum> {
        let schedule = run.schedule.as_ref()?;
        let (given, needed) = (schedule.liberties, FaultBudget::needed_for(&schedule.actions));
        let differing: Vec<(&str, Datum)> = keyed()
            .filter(|field| field.datum(&given) != field.datum(&needed))
            .map(|field| (field.key, field.datum(&given)))
            .collect();
        (!differing.is_empty()).then(|| Datum::table(differing))
    }

    pub fn read(run: &mut RunSpec, value: &Value<'_>) -> Result<(), Flaw> {
        let schedule = of(run, "liberties").map_err(|problem| Flaw::new(value.at, problem))?;
        schedule.liberties = liberties_of(value, FaultBudget::needed_for(&schedule.actions))?;
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

/// What is said of liberties, and what is left to be told by the steps.
fn liberties_of(value: &Value<'_>, needed: FaultBudget) -> Result<FaultBudget, Flaw> {
    let keys: Vec<&str> = keyed().map(|field| field.key).collect();
    let table = value.table("[liberties]", &keys, &crate::fields::file_keys())?;
    let mut liberties = needed;
    for field in keyed() {
        if let Some(value) = table.get(field.key) {
            field.read(&mut liberties, &value)?;
        }
    }
    Ok(liberties)
}

/// The fields that files have.
fn keyed() -> impl Iterator<Item = &'static FaultField> {
    FAULT_FIELDS.iter().filter(|field| !field.key.is_empty())
}
