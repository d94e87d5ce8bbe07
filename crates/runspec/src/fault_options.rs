//! What may go wrong in a checked run: one entry for each field. Options of `check`, keys of a schedule's `liberties`, the command
//! that is printed, and the checker's output are made from this table.

use crate::document::{At, Datum, Flaw, Value};
use crate::fields::Flag;
use crate::notation::Drift;
use crate::plan::LATEST_RESTART;
use bellwether_core::{CallPolicy, Knowledge, Spec, Starts};
use bellwether_sim::SetupError;
use bellwether_sim::schedule::{FaultBudget, TimeModel};

/// A check of more faults would not end.
const MOST_FAULTS: u8 = 16;

/// What may go wrong in a checked run, as it is asked for. What is left open depends on the algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultOptions {
    /// The most faults of each kind. (What differs from [`FaultBudget::NONE`] is asked for.)
    pub budget: FaultBudget,
    /// Whether a ring closes round its dead; if members may crash.
    pub ring_closes: Option<bool>,
    /// Whether detectors tell members of deaths; if members may crash and the algorithm needs a detector.
    pub detector: Option<bool>,
    /// Whether there is a clock; if the algorithm needs bounded delays, or goes on for ever.
    pub has_clock: Option<bool>,
}

impl FaultOptions {
    /// These faults, and the rest as the algorithm needs it.
    #[must_use]
    pub fn of(budget: FaultBudget) -> FaultOptions {
        FaultOptions { budget, ..FaultOptions::default() }
    }

    /// What members of a cluster meet, one of each: a certified crash, a suspicion of a member that lives, and where the
    /// algorithm has a failure detector, a false alarm. Members that have no leader for long start an election again.
    ///
    /// # Errors
    /// If a cluster does more with this algorithm than can be checked.
    pub fn of_cluster(spec: &Spec) -> Result<FaultOptions, SetupError> {
        if CallPolicy::begins_anew_in_cluster(spec) {
            let problem = format!(
                "a cluster boots {} anew for each election, numbers elections, and begins the next when a member is lost \
                 or returns, which is not checked: leave out `as_cluster`, and use `crashes`, `certified` and `suspicions`",
                spec.name
            );
            return Err(SetupError::Fault { key: "as_cluster", problem });
        }
        let has_detector = spec.knows.contains(Knowledge::DETECTOR);
        let budget = FaultBudget {
            crashes: 1,
            suspicions: 1,
            false_alarms: has_detector.into(),
            restarts: (spec.starts == Starts::Callers).into(),
            restart_after: CallPolicy::RESTART_AFTER,
            late_calls: true,
            certified: true,
            ..FaultBudget::NONE
        };
        Ok(FaultOptions { detector: Some(has_detector), ..FaultOptions::of(budget) })
    }
}

/// A field of what may go wrong, and how it is written.
#[derive(Clone, Copy, Debug)]
pub struct FaultField {
    /// Its key in files and in JSON; empty if they have it under another.
    pub key: &'static str,
    /// Its option; empty if there is none.
    pub option: &'static str,
    /// What the option takes.
    pub flag: Flag,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// What there may be so many of: one, and several.
    pub nouns: Option<(&'static str, &'static str)>,
    access: Access,
}

#[derive(Clone, Copy, Debug)]
enum Access {
    /// How many: the steps of a schedule may need some.
    Count(fn(&mut FaultBudget) -> &mut u8),
    Number(Number),
    Switch(fn(&mut FaultBudget) -> &mut bool),
    /// What time is, in files.
    Clock,
    Drift,
    /// The word for yes, and the word for no.
    Choice(fn(&mut FaultOptions) -> &mut Option<bool>, [&'static str; 2]),
}

/// A number, or none: then the field has a value of its own.
#[derive(Clone, Copy, Debug)]
struct Number {
    get: fn(&FaultBudget) -> u32,
    set: fn(&mut FaultBudget, u32),
    least: u32,
    most: u32,
    none: u32,
}

impl Number {
    fn has(&self, number: u32) -> bool {
        (self.least..=self.most).contains(&number)
    }
}

impl FaultField {
    /// As files and JSON have it.
    #[must_use]
    pub fn datum(&self, budget: &FaultBudget) -> Datum {
        let mut budget = *budget;
        match self.access {
            Access::Count(place) => Datum::Whole((*place(&mut budget)).into()),
            Access::Number(number) => Datum::Whole((number.get)(&budget).into()),
            Access::Switch(place) => Datum::Flag(*place(&mut budget)),
            Access::Clock => match budget.time {
                TimeModel::Any => Datum::Flag(false),
                TimeModel::Clock { grain, drift } => {
                    let [grain, drift] = [grain, drift].map(|number| Datum::Whole(number.into()));
                    Datum::table([("grain", grain), ("drift", drift)])
                }
            },
            Access::Drift | Access::Choice(..) => Datum::Null,
        }
    }

    /// Whether it is a number that is not set.
    #[must_use]
    pub fn is_unset(&self, budget: &FaultBudget) -> bool {
        matches!(self.access, Access::Number(number) if (number.get)(budget) == number.none)
    }

    /// How many there may be, where it is about that.
    #[must_use]
    pub fn count(&self, budget: &FaultBudget) -> Option<u8> {
        let Access::Count(place) = self.access else { return None };
        let mut budget = *budget;
        Some(*place(&mut budget))
    }

    /// Takes what a file says. There cannot be fewer faults than there are in `budget` already: the steps need them.
    pub(crate) fn read(&self, budget: &mut FaultBudget, value: &Value<'_>) -> Result<(), Flaw> {
        match self.access {
            Access::Count(place) => {
                let count = small(value, |number| u8::try_from(number).ok())?;
                let needed = *place(budget);
                if count < needed {
                    let problem =
                        format!("'{}' is {count}, and the steps of the schedule need {needed}", self.key);
                    return Err(Flaw::new(value.at, problem).hint("raise it, or leave it out"));
                }
                *place(budget) = count;
            }
            Access::Number(number) => {
                let is_one = |given: &u32| *given == number.none || number.has(*given);
                (number.set)(budget, small(value, |given| u32::try_from(given).ok().filter(is_one))?);
            }
            Access::Switch(place) => *place(budget) = value.flag()?,
            Access::Clock => budget.time = clock(value)?,
            Access::Drift | Access::Choice(..) => {}
        }
        Ok(())
    }

    /// The value of the option if it is asked for something else than in `base`. That of a switch is empty.
    #[must_use]
    pub fn text(&self, options: &FaultOptions, base: &FaultOptions) -> Option<String> {
        let value = |options: &FaultOptions| {
            let mut options = *options;
            match self.access {
                Access::Count(place) => place(&mut options.budget).to_string(),
                Access::Number(number) => (number.get)(&options.budget).to_string(),
                Access::Switch(_) | Access::Clock => String::new(),
                Access::Drift => Drift(drift(&options.budget)).to_string(),
                Access::Choice(place, [yes, no]) => {
                    place(&mut options).map_or("auto", |is_so| if is_so { yes } else { no }).to_owned()
                }
            }
        };
        let differs = match self.access {
            Access::Switch(_) => self.datum(&options.budget) != self.datum(&base.budget),
            _ => value(options) != value(base),
        };
        differs.then(|| value(options))
    }

    /// Takes a value of the option.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    pub fn parse(&self, options: &mut FaultOptions, text: &str) -> Result<(), String> {
        let number = |least: u32, most: u32| {
            let number = text.parse().ok().filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| format!("'{text}' is no whole number from {least} to {most}"))
        };
        let budget = &mut options.budget;
        match self.access {
            Access::Count(place) => *place(budget) = number(0, MOST_FAULTS.into())? as u8,
            Access::Number(of) => (of.set)(budget, number(of.least, of.most)?),
            Access::Switch(place) => *place(budget) = true,
            Access::Drift => {
                let Drift(drift) = text.parse()?;
                budget.time = TimeModel::Clock { grain: budget.grain(), drift };
            }
            Access::Choice(place, words) => {
                let chosen = words.iter().position(|word| *word == text);
                *place(options) = chosen.map(|at| at == 0);
            }
            Access::Clock => {}
        }
        Ok(())
    }
}

fn drift(budget: &FaultBudget) -> u16 {
    if let TimeModel::Clock { drift, .. } = budget.time { drift } else { 0 }
}

fn clock(value: &Value<'_>) -> Result<TimeModel, Flaw> {
    if value.flag() == Ok(false) {
        return Ok(TimeModel::Any);
    }
    let table = value.table("a clock", &["grain", "drift"], &crate::fields::file_keys())?;
    let number = |key, usual| {
        let number = table.read(key, |value| small(value, |number| u16::try_from(number).ok()))?;
        Ok::<_, Flaw>(number.map_or(usual, |At { value, .. }| value))
    };
    Ok(TimeModel::Clock { grain: number("grain", 1)?, drift: number("drift", 0)? })
}

/// A whole number that is not large.
fn small<N>(value: &Value<'_>, narrow: impl FnOnce(u64) -> Option<N>) -> Result<N, Flaw> {
    narrow(value.whole()?).ok_or_else(|| value.unlike("a smaller number"))
}

const fn field(
    key: &'static str,
    option: &'static str,
    flag: Flag,
    about: &'static str,
    access: Access,
) -> FaultField {
    FaultField { key, option, flag, about, nouns: None, access }
}

const fn count(
    key: &'static str,
    option: &'static str,
    about: &'static str,
    nouns: Option<(&'static str, &'static str)>,
    place: fn(&mut FaultBudget) -> &mut u8,
) -> FaultField {
    FaultField { nouns, ..field(key, option, Flag::Value("K"), about, Access::Count(place)) }
}

const fn number(
    key: &'static str,
    option: &'static str,
    about: &'static str,
    (least, most, none): (u32, u32, u32),
    get: fn(&FaultBudget) -> u32,
    set: fn(&mut FaultBudget, u32),
) -> FaultField {
    let access = Access::Number(Number { get, set, least, most, none });
    field(key, option, Flag::Value("N"), about, access)
}

const WHETHER: Flag =
    Flag::Choice("WHEN", &[("auto", "Where it makes sense"), ("yes", "It is so"), ("no", "It is not")]);
const YES_OR_NO: [&str; 2] = ["yes", "no"];
const TIMING: Flag = Flag::Choice(
    "TIMING",
    &[
        ("auto", "A clock if the algorithm needs bounded delays, or goes on for ever"),
        ("any", "Messages take any time, and a timer runs out at any time"),
        ("clock", "Messages take at most the bound on delays, and timers run out on time"),
    ],
);

/// All fields, in the order in which they are written.
#[rustfmt::skip]
pub const FAULT_FIELDS: &[FaultField] = &[
    count("crashes", "crashes", "How many crashes there may be, of any members at any time [default: 0, as of all faults]", Some(("crash", "crashes")), |may| &mut may.crashes),
    count("recoveries", "recoveries", "How many times a member that has crashed may recover", Some(("recovery", "recoveries")), |may| &mut may.recoveries),
    count("losses", "losses", "How many messages may be lost", Some(("lost message", "lost messages")), |may| &mut may.losses),
    count("duplicates", "duplicates", "How many messages may arrive twice", Some(("message that comes twice", "messages that come twice")), |may| &mut may.duplicates),
    count("pauses", "pauses", "With a clock: how many times a member may freeze for a while", Some(("pause", "pauses")), |may| &mut may.pauses),
    count("requests", "requests", "How many times a leader may be asked to resign, or to let another lead", Some(("request to a leader", "requests to leaders")), |may| &mut may.requests),
    count("suspicions", "suspicions", "How many times members may hear that a neighbour is suspected, rightly or wrongly (a connection has closed, say), or that it is not", Some(("suspicion", "suspicions")), |may| &mut may.suspicions),
    count("false_alarms", "false-alarms", "How many times a failure detector may declare a member failed that lives. Later it says that the member works", Some(("false alarm of a detector", "false alarms of detectors")), |may| &mut may.false_alarms),
    count("restarts", "restarts", "How many times members that have had no leader for long may start an election again, as those of a cluster do", None, |may| &mut may.restarts),
    number("restart_after", "restart-after", "With a clock: after how many delay bounds without a leader [default: 50]", (1, LATEST_RESTART, CallPolicy::RESTART_AFTER), |may| may.restart_after, |may, bounds| may.restart_after = bounds),
    number("draws", "draws", "How many numbers each member may draw [default: 2 for algorithms that draw lots]", (0, 254, 255), |may| may.draws.into(), |may, draws| may.draws = draws as u8),
    field("late_calls", "late-calls", Flag::Switch, "Members that are to start an election may hear from others before they do", Access::Switch(|may| &mut may.late_calls)),
    field("", "ring-closes", WHETHER, "Whether a ring closes round its dead; auto: if members may crash and the network is a ring", Access::Choice(|options| &mut options.ring_closes, YES_OR_NO)),
    field("detector", "", Flag::Switch, "", Access::Switch(|may| &mut may.detector)),
    field("", "detector", WHETHER, "Whether members are told of deaths, some time after; auto: if members may crash and the algorithm needs a failure detector", Access::Choice(|options| &mut options.detector, YES_OR_NO)),
    field("certified", "certified", Flag::Switch, "Crashes are certified: neighbours may be told of a death for certain, until they hear the member's next boot", Access::Switch(|may| &mut may.certified)),
    field("clock", "", Flag::Switch, "", Access::Clock),
    field("", "timing", TIMING, "What time is: messages take any time and timers run out at any time, or there is a clock", Access::Choice(|options| &mut options.has_clock, ["clock", "any"])),
    number("", "grain", "With a clock: how many steps of it the bound on delays has [default: 1]", (1, 100, 1), |may| may.grain().into(), |may, grain| may.time = TimeModel::Clock { grain: grain as u16, drift: drift(may) }),
    field("", "drift", Flag::Value("P%"), "With a clock: by how much members' clocks may go faster or slower, as in 1%", Access::Drift),
    number("ticks", "ticks", "With a clock: for how many steps of it runs are followed [default: until they are over; where members go on for ever, until all is as it should be]", (1, 65_534, 65_535), |may| may.ticks.into(), |may, ticks| may.ticks = ticks as u16),
    field("stops_at_goal", "", Flag::Switch, "", Access::Switch(|may| &mut may.stops_at_goal)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_and_options_are_there_once() {
        for name in [|field: &FaultField| field.key, |field: &FaultField| field.option] {
            let names: Vec<&str> = FAULT_FIELDS.iter().map(name).filter(|name| !name.is_empty()).collect();
            let distinct: BTreeSet<&str> = names.iter().copied().collect();
            assert_eq!(distinct.len(), names.len(), "{names:?}");
        }
        for field in FAULT_FIELDS {
            assert_eq!(field.option.is_empty(), field.about.is_empty(), "{}", field.key);
            let is_named_alike = field.key.is_empty() || field.key.replace('_', "-") == field.option;
            assert!(is_named_alike || field.option.is_empty(), "{}", field.key);
        }
    }

    /// Each option on its own, with a value that is no default.
    #[test]
    fn options_are_read_as_they_are_written() {
        let none = FaultOptions::default();
        for field in FAULT_FIELDS.iter().filter(|field| !field.option.is_empty()) {
            let texts: &[&str] = match field.flag {
                Flag::Switch => &[""],
                Flag::Choice(_, words) => &[words[1].0, words[2].0],
                _ if field.option == "drift" => &["1%", "0.5%"],
                _ => &["2", "7"],
            };
            for text in texts {
                let mut options = none;
                field.parse(&mut options, text).unwrap();
                assert_ne!(options, none, "--{} {text}", field.option);
                assert_eq!(field.text(&options, &none).as_deref(), Some(*text), "--{}", field.option);
                assert_eq!(field.text(&options, &options), None, "--{}", field.option);
                let others = FAULT_FIELDS.iter().filter(|other| other.option != field.option);
                assert!(others.filter_map(|other| other.text(&options, &none)).next().is_none());
            }
        }
    }

    #[test]
    fn bounds_hold_in_options_and_in_files() {
        let field = |key| FAULT_FIELDS.iter().find(|field| field.key == key).unwrap();
        let mut options = FaultOptions::default();
        assert!(field("crashes").parse(&mut options, "17").is_err());
        for (text, is_one) in [("0", false), ("1", true), ("1000000", true), ("1000001", false)] {
            let field = field("restart_after");
            assert_eq!(field.parse(&mut options, text).is_ok(), is_one, "{text}");
            let value = At { value: Datum::Whole(text.parse().unwrap()), at: 0 };
            let read = field.read(&mut options.budget, &Value::new("restart_after", &value));
            assert_eq!(read.is_ok(), is_one, "{text}");
        }
    }
}
