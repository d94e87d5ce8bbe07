//! The fields of a run's description: one entry each, and every form of a description is made from it.
//!
//! A new option of runs is a field of [`RunSpec`] and an entry here.

use crate::document::{At, Datum, Entries, Flaw, Table, Value, entry};
use crate::form::{ELECTS, LINK_ORDERS, ORDERS, Slot as _, TextError};
use crate::schedule::{beginning, liberties, loops_from, schedule_of, steps};
use crate::script::{Script, ScriptOption, file_events, read_events};
use crate::spec::RunSpec;
use bellwether_core::FaultKind;
use bellwether_sim::SetupError;
use bellwether_sim::network::Shape;

/// A field of a run's description, or part of one, and how it is written.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its key in files; empty if files have it under another.
    pub key: &'static str,
    /// Its option; empty if there is none.
    pub option: &'static str,
    /// What the option takes.
    pub flag: Flag,
    /// Under which heading the help lists the option.
    pub heading: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// What there is to say besides.
    pub details: &'static str,
    /// Options with which it does not go.
    pub excludes: &'static [&'static str],
    /// Whether a value can begin with a minus sign.
    pub is_signed: bool,
    /// Whether the help leaves it out: there is a better way to say it.
    pub is_hidden: bool,
    access: Access,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// It is no option, but the command's first argument.
    Argument,
    /// Nothing.
    Switch,
    /// A value that looks so.
    Value(&'static str),
    /// A value that looks so: one of a few words, each with a help text.
    Choice(&'static str, &'static [(&'static str, &'static str)]),
    /// Values with commas between, each of which looks so.
    List(&'static str),
    /// A value that looks so, as often as the option is given.
    Repeated(&'static str),
}

#[derive(Clone, Copy, Debug)]
struct Access {
    datum: fn(&RunSpec) -> Option<Datum>,
    read: fn(&mut RunSpec, &Value<'_>) -> Result<(), Flaw>,
    /// If it is not written as a word of a script.
    texts: fn(&RunSpec) -> Vec<String>,
    parse: fn(&mut RunSpec, &str) -> Result<(), TextError>,
    /// The word of a script that it is about.
    word: Option<ScriptOption>,
}

impl Field {
    /// As files have it; nothing if it is not given.
    #[must_use]
    pub fn datum(&self, run: &RunSpec) -> Option<Datum> {
        (self.access.datum)(run)
    }

    /// Takes what a file says.
    ///
    /// # Errors
    /// [`Flaw`] says what is wrong, and where.
    pub fn read(&self, run: &mut RunSpec, value: &Value<'_>) -> Result<(), Flaw> {
        (self.access.read)(run, value)
    }

    /// The values of the option; none if it is not given. Those of a switch are empty.
    #[must_use]
    pub fn texts(&self, run: &RunSpec) -> Vec<String> {
        match self.access.word {
            Some(word) => run
                .script
                .iter()
                .filter(|line| ScriptOption::of(line) == word)
                .map(ToString::to_string)
                .collect(),
            None => (self.access.texts)(run),
        }
    }

    /// Takes one value of the option.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    pub fn parse(&self, run: &mut RunSpec, text: &str) -> Result<(), TextError> {
        match self.access.word {
            Some(word) => {
                run.script.push(word.parse(text)?);
                Ok(())
            }
            None => (self.access.parse)(run, text),
        }
    }

    /// Whether it could take a value of the option, whatever else is given.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    pub fn check(&self, text: &str) -> Result<(), TextError> {
        self.parse(&mut RunSpec { schedule: Some(schedule_of(Vec::new())), ..RunSpec::default() }, text)
    }

    const fn details(self, details: &'static str) -> Field {
        Field { details, ..self }
    }

    const fn hidden(self) -> Field {
        Field { is_hidden: true, ..self }
    }

    const fn signed(self) -> Field {
        Field { is_signed: true, ..self }
    }

    const fn excludes(self, excludes: &'static [&'static str]) -> Field {
        Field { excludes, ..self }
    }
}

const fn field(
    key: &'static str,
    option: &'static str,
    flag: Flag,
    heading: &'static str,
    about: &'static str,
    access: Access,
) -> Field {
    Field {
        key,
        option,
        flag,
        heading,
        about,
        details: "",
        excludes: &[],
        is_signed: false,
        is_hidden: false,
        access,
    }
}

/// What happens to members and links: an option each, but one key in files.
const fn word(
    word: ScriptOption,
    option: &'static str,
    value_name: &'static str,
    heading: &'static str,
    about: &'static str,
) -> Field {
    let flag = match word {
        ScriptOption::Partition => Flag::Repeated(value_name),
        _ => Flag::List(value_name),
    };
    let access = Access {
        datum: |_| None,
        read: |_, _| Ok(()),
        texts: |_| Vec::new(),
        parse: |_, _| Ok(()),
        word: Some(word),
    };
    field("", option, flag, heading, about, access)
}

const fn event(
    kind: FaultKind,
    option: &'static str,
    value_name: &'static str,
    heading: &'static str,
    about: &'static str,
) -> Field {
    word(ScriptOption::Event(kind), option, value_name, heading, about)
}

/// A place of the description that knows how it is written.
macro_rules! at {
    ($($place:ident).+) => {
        Access {
            datum: |run| run.$($place).+.datum(),
            read: |run, value| run.$($place).+.read(value),
            texts: |run| run.$($place).+.texts(),
            parse: |run, text| run.$($place).+.parse(text),
            word: None,
        }
    };
}

/// Functions that do the same.
macro_rules! through {
    ($module:ident) => {
        Access {
            datum: $module::datum,
            read: $module::read,
            texts: $module::texts,
            parse: $module::parse,
            word: None,
        }
    };
}

const MEMBERS: &str = "Members";
const NETWORK: &str = "Network";
const FAIL: &str = "Members fail";
const ASKED: &str = "Members are asked";
const LINKS: &str = "Links fail";
const RUNS: &str = "Runs";
const STEPS: &str = "Step by step";

/// All fields, in the order in which they are written.
pub const FIELDS: &[Field] = &[
    field("algorithm", "algorithm", Flag::Argument, "", "The algorithm: NAME[/VARIANT][:KEY=VALUE,..] (see `bellwether algorithms`)", at!(algorithm)),
    field("variant", "variant", Flag::Value("NAME"), "", "One of its variants, by name", at!(variant)),
    field("ids", "ids", Flag::List("A,B,.."), MEMBERS, "The members, in the order of the network: in a ring, clockwise", at!(ids))
        .excludes(&["nodes", "order"]),
    field("nodes", "nodes", Flag::Value("N"), MEMBERS, "How many members there are, with ids from 1 [default: 8, or what the topology says]", at!(nodes)),
    field("order", "order", Flag::Choice("ORDER", ORDERS), MEMBERS, "How the ids lie in the network [default: random]", at!(order)),
    field("attributes", "attributes", Flag::Value("A,B,..|random"), MEMBERS, "What members bring besides their ids, in the order of the members: numbers, or 'random'", at!(attributes)).signed(),
    field("id_bound", "id-bound", Flag::Value("ID"), MEMBERS, "The greatest id that members are told there could be, for algorithms that count in ids [default: the greatest there is]", at!(id_bound)),
    field("identical", "identical", Flag::Switch, MEMBERS, "Members are identical: only algorithms that draw lots can tell them apart", at!(identical))
        .excludes(&["ids", "order", "attributes"]),
    field("elect", "elect", Flag::Choice("ELECT", ELECTS), MEMBERS, "Which end of the ranking wins [default: best]", at!(elect)),
    field("witnesses", "witnesses", Flag::List("A,B,.."), MEMBERS, "Members that vote and never lead, where the algorithm lets members differ so", at!(witnesses)),
    field("observers", "observers", Flag::List("A,B,.."), MEMBERS, "Members that neither vote nor lead", at!(observers)),
    field("initiators", "initiators", Flag::Value("A,B,..|all|none"), MEMBERS, "Members that start an election at the beginning: ids, 'all' or 'none' [default: all]", at!(initiators)),
    field("restart_after", "restart-after", Flag::Value("N"), MEMBERS, "A member that has had no leader for N delay bounds starts an election again, as in a cluster (there N is 50) [default: never]", at!(restart_after)),
    field("topology", "topology", Flag::Value("NAME[:PARAMS]|file:PATH"), NETWORK, "The network [default: what the algorithm needs]", at!(topology))
        .details(Shape::HELP),
    field("delay", "delay", Flag::Value("DISTRIBUTION"), NETWORK, "How long messages take, in hops [default: unit]", at!(delay))
        .details("unit, uniform:LO..HI (whole bounds give whole delays), exponential:MEAN, lognormal:MU,SIGMA, or file:PATH with one delay a line."),
    field("delay_bound", "delay-bound", Flag::Value("HOPS"), NETWORK, "The bound on delays that members are told [default: the distribution's own]", at!(delay_bound)),
    field("drift_bound", "drift-bound", Flag::Value("RATE"), NETWORK, "How far members are told that clocks can be off, as in 1% or 500ppm [default: 1%]", at!(drift_bound)),
    field("renewals", "renewals", Flag::Value("N"), NETWORK, "Sets the parameter 'renewals' of the algorithm: the same as ALGORITHM:renewals=N", through!(renewals)).hidden(),
    field("links", "links", Flag::Choice("LINKS", LINK_ORDERS), NETWORK, "Whether messages of one link keep their order [default: fifo]", Access { read: read_link_order, ..at!(links) }),
    field("synchroniser", "synchroniser", Flag::Switch, NETWORK, "Run an algorithm in rounds over a synchroniser, even where rounds in step would do", at!(synchroniser)),
    event(FaultKind::Crash, "crash", "ID@TIME", FAIL, "A member stops; at 0 it is dead from the start (repeatable, as all of these)"),
    event(FaultKind::TornCrash, "torn-crash", "ID@TIME", FAIL, "A member stops in the middle of its next durable write: it recovers with what it wrote before"),
    event(FaultKind::CrashSending, "crash-sending", "ID@TIME", FAIL, "A member stops in the middle of sending, the next time that it sends anything"),
    event(FaultKind::Recover, "recover", "ID@TIME", FAIL, "A member that has stopped boots again with what it has saved, and starts an election"),
    event(FaultKind::Start, "start", "ID@TIME", FAIL, "A member boots late"),
    event(FaultKind::Call, "call", "ID@TIME", FAIL, "A member starts an election later, besides the initiators"),
    word(ScriptOption::Pause, "pause", "ID@FROM..[TO]", FAIL, "A member freezes and resumes; without TO for good"),
    event(FaultKind::Resume, "resume", "ID@TIME", FAIL, "A member that is frozen resumes"),
    event(FaultKind::Drift, "drift", "ID@TIME:RATE", FAIL, "A member's clock gains on the others from then on, as in 3@5:+1% or 3@5:-500ppm"),
    event(FaultKind::Jump, "jump", "ID@TIME:HOPS", FAIL, "A member's clock jumps by so many hops, as in 3@5:+10 or 3@5:-2.5"),
    event(FaultKind::Pretend, "pretend", "ID@TIME:ID", FAIL, "A member lies: it goes by another id from then on"),
    event(FaultKind::Forge, "forge", "ID@TIME:ID", FAIL, "A member lies: it tells its neighbours, once, that this one has been elected"),
    event(FaultKind::Silence, "silence", "ID@TIME:ID", FAIL, "A member lies: it sends nothing more to this one"),
    event(FaultKind::Learn, "learn", "ID@TIME:ID", FAIL, "A member receives a death certificate of this one, true or not"),
    event(FaultKind::Resign, "resign", "ID@TIME", ASKED, "A member is asked to lead no longer"),
    event(FaultKind::Transfer, "transfer", "ID@TIME:ID", ASKED, "A member is asked to let this one lead, as in 3@60:5"),
    event(FaultKind::Admit, "admit", "ID@TIME:ID", ASKED, "A member is asked to let this one vote"),
    event(FaultKind::Dismiss, "dismiss", "ID@TIME:ID", ASKED, "A member is asked to let this one no longer vote"),
    event(FaultKind::Withdraw, "withdraw", "ID@TIME", ASKED, "A member is asked to be no candidate; if it leads, it resigns"),
    event(FaultKind::Stand, "stand", "ID@TIME", ASKED, "A member is asked to be a candidate again"),
    word(ScriptOption::Cut, "cut", "A-B@FROM..[TO]", LINKS, "A link fails, both ways; without TO for good"),
    word(ScriptOption::CutOneWay, "cut-one-way", "A-B@FROM..[TO]", LINKS, "What A sends to B is lost; without TO for good"),
    word(ScriptOption::Mend, "mend", "A-B@TIME", LINKS, "A link that failed for good works again, both ways"),
    word(ScriptOption::MendOneWay, "mend-one-way", "A-B@TIME", LINKS, "What A sends to B arrives again"),
    word(ScriptOption::Partition, "partition", "A+B/C+D@FROM..[TO]", LINKS, "Groups cannot talk to each other, as in 1+2/3+4@5..9; members that are not named are a group of their own. Given again, it adds its cuts to those of the first"),
    word(ScriptOption::Heal, "heal", "TIME", LINKS, "All links work again"),
    field("loss", "loss", Flag::Value("SHARE"), LINKS, "The share of messages that is lost, as in 5% or 0.05", at!(link_faults.loss)),
    field("burst", "burst", Flag::Value("LENGTH"), LINKS, "How many messages of a link are lost in a row, on average [default: each by itself]", at!(link_faults.burst)),
    field("duplication", "duplication", Flag::Value("SHARE"), LINKS, "The share of messages that arrives twice", at!(link_faults.duplication)),
    field("reordering", "reordering", Flag::Value("SHARE"), LINKS, "The share of messages that is held up, so that later ones overtake them", at!(link_faults.reordering)),
    field("held_up", "held-up", Flag::Value("HOPS"), LINKS, "The longest that those are held up [default: 5]", at!(link_faults.held_up)),
    field("faults_until", "faults-until", Flag::Value("TIME"), LINKS, "Until when messages are lost, doubled and held up [default: all the time]", at!(link_faults.until)),
    field("lose", "lose", Flag::List("MESSAGE"), LINKS, "These messages are lost: KIND, KIND:A-B or :A-B, with #N only the Nth; * is any member", at!(link_faults.lose)),
    field("duplicate", "duplicate", Flag::List("MESSAGE"), LINKS, "These messages arrive twice: written as for --lose", at!(link_faults.duplicate)),
    field("ring_closes", "ring-closes", Flag::Switch, LINKS, "The ring closes round its dead: their neighbours talk to each other", at!(ring_closes)),
    field("certified_crashes", "certified-crashes", Flag::Switch, FAIL, "The neighbours of a member that crashes receive a death certificate", at!(certified_crashes)),
    field("detector", "detector", Flag::Value("NAME[:K=V,..]"), "Failure detection", "Every member watches its neighbours with such a failure detector, as in heartbeat:T=5,D=2 [default: members that start an election know which neighbours are dead]", at!(detector)),
    field("until", "until", Flag::Value("TIME"), RUNS, "Give up after this time, in hops", at!(until)),
    field("max_messages", "max-messages", Flag::Value("COUNT"), RUNS, "Give up after so many messages [default: 10 billion]", at!(max_messages))
        .details("Where anything goes wrong or is watched for, and neither this nor --until is given, a run is given up 10,000 hops after the last event; and so is that of an algorithm that goes on for ever, if it does not come right."),
    field("seed", "seed", Flag::Value("S"), RUNS, "Where all randomness comes from [default: 0]", at!(seed)),
    field("schedule", "schedule", Flag::List("STEP"), STEPS, "The run step by step, as in 'call 3,deliver 3 -> 1': then nothing else makes anything happen", through!(steps)),
    field("loops_from", "loops-from", Flag::Value("N"), STEPS, "The step with which a loop starts, from 1: the run goes round for ever", through!(loops_from)),
    field("beginning", "beginning", Flag::Value("N"), STEPS, "From which of the ways it can begin the run starts, from 1; more than one where clocks drift", through!(beginning)),
    field("liberties", "liberties", Flag::Value("K=V,.."), STEPS, "What may go wrong in all, where the steps do not tell, as in recoveries=1,clock=2/10", through!(liberties)),
    field("event", "", Flag::Switch, "", "", Access { datum: events, read: read_script, texts: |_| Vec::new(), parse: |_, _| Ok(()), word: None }),
];

fn read_link_order(run: &mut RunSpec, value: &Value<'_>) -> Result<(), Flaw> {
    let hint = "'links' says whether messages keep their order; list a network's links in 'topology'";
    run.links.read(value).map_err(|flaw| if value.as_list().is_some() { flaw.hint(hint) } else { flaw })
}

/// A second way to write the parameter `renewals`. It is kept as part of the algorithm, which is read before it.
mod renewals {
    use super::{Datum, Flaw, RunSpec, TextError, Value};

    pub fn datum(_: &RunSpec) -> Option<Datum> {
        None
    }
    pub fn read(run: &mut RunSpec, value: &Value<'_>) -> Result<(), Flaw> {
        let renewals = value.whole()?;
        run.add_parameter(&format!("renewals={renewals}"));
        Ok(())
    }
    pub fn texts(_: &RunSpec) -> Vec<String> {
        Vec::new()
    }
    pub fn parse(run: &mut RunSpec, text: &str) -> Result<(), TextError> {
        run.add_parameter(&format!("renewals={text}"));
        Ok(())
    }
}

fn events(run: &RunSpec) -> Option<Datum> {
    (!run.script.is_empty()).then(|| file_events(&run.script))
}

fn read_script(run: &mut RunSpec, value: &Value<'_>) -> Result<(), Flaw> {
    let lines = read_events(*value, &file_keys())?;
    run.script = lines.into_iter().map(|line| line.line).collect::<Script>();
    Ok(())
}

/// The keys that a file can have.
#[must_use]
pub fn file_keys() -> Vec<&'static str> {
    FIELDS.iter().map(|field| field.key).filter(|key| !key.is_empty()).collect()
}

impl RunSpec {
    /// Takes what a file says of a run. Keys that are no fields are not looked at, and neither is `null`.
    ///
    /// # Errors
    /// [`Flaw`] says what is wrong, and where.
    pub fn read(file: &Table<'_>) -> Result<RunSpec, Flaw> {
        let mut run = RunSpec::default();
        for field in FIELDS.iter().filter(|field| !field.key.is_empty()) {
            if let Some(value) = file.get(field.key).filter(|value| !value.is_null()) {
                field.read(&mut run, &value)?;
            }
        }
        Ok(run)
    }

    /// Refuses fields that exclude each other.
    ///
    /// # Errors
    /// [`SetupError::Fault`] names two of them.
    pub fn check_exclusions(&self) -> Result<(), SetupError> {
        let given: Vec<&Field> = FIELDS.iter().filter(|field| field.datum(self).is_some()).collect();
        for one in &given {
            if let Some(other) = given.iter().find(|other| one.excludes.contains(&other.option)) {
                let (one, key) = (one.key, other.key);
                let problem = format!("`{one}` and `{key}` exclude each other: leave one of them out");
                return Err(SetupError::Fault { key, problem });
            }
        }
        Ok(())
    }

    /// What a file says of it: what is not given is left out.
    #[must_use]
    pub fn entries(&self) -> Entries {
        FIELDS.iter().filter_map(|field| Some(entry(field.key, field.datum(self)?))).collect()
    }
}

/// As [`RunSpec::entries`] has it.
impl serde::Serialize for RunSpec {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Datum::Table(self.entries()).serialize(to)
    }
}

impl<'de> serde::Deserialize<'de> for RunSpec {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<RunSpec, D::Error> {
        let value = At { value: Datum::from(&serde_json::Value::deserialize(from)?), at: 0 };
        let keys = file_keys();
        let table = Value::new("run", &value).table("a run", &keys, &[]);
        table.and_then(|table| RunSpec::read(&table)).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_and_options_are_told_apart_and_alike() {
        let (mut keys, mut options) = (BTreeSet::new(), BTreeSet::new());
        for field in FIELDS {
            assert!(field.key.is_empty() || keys.insert(field.key), "{} is there twice", field.key);
            assert!(
                field.option.is_empty() || options.insert(field.option),
                "{} is there twice",
                field.option
            );
            match field.access.word {
                Some(word) => assert_eq!((word.flag(), field.key), (field.option, "")),
                None if field.option.is_empty() => assert_eq!(field.key, "event"),
                None => assert_eq!(field.option, field.key.replace('_', "-")),
            }
            assert!(field.option.is_empty() || !field.about.is_empty(), "{} has no help", field.option);
        }
        for excluded in FIELDS.iter().flat_map(|field| field.excludes) {
            assert!(options.contains(excluded), "{excluded}");
        }
    }

    #[test]
    fn whatever_can_happen_has_an_option() {
        for kind in FaultKind::ALL {
            let option = FIELDS.iter().find(|field| field.option == kind.word());
            let option = option.unwrap_or_else(|| panic!("no option for {kind:?}"));
            let word = option.access.word.expect("it is about the script");
            assert!(matches!(option.flag, Flag::List(name) if name == word.value_name()), "{kind:?}");
        }
    }
}
