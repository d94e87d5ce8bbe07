//! Options of `check`.

use super::run::{FieldArgs, FieldSet, taking};
use super::values::{self, Bytes, parse_bytes, parse_duration};
use crate::error::Failure;
use bellwether_check::InitiatorSets;
use bellwether_core::Spec;
use bellwether_runspec::{
    FAULT_FIELDS, FaultField, FaultOptions, Field, Flag, RunSpec, shell_line, words_of,
};
use clap::builder::ValueParser;
use clap::{Arg, ArgGroup, ArgMatches, Args, Command, Error, FromArgMatches, ValueEnum};
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

/// The option that stands for all that say what is checked.
const ALL: &str = "all";
/// The group of options that say what may go wrong.
const FAULTS: &str = "faults";

/// Options of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The members and their network.
    #[command(flatten)]
    pub run: FieldArgs<CheckedFields>,
    /// Check every variant of every algorithm, with growing numbers of members, under no faults and under
    /// each sort of fault
    #[arg(long, conflicts_with_all = [CheckedFields::GROUP, "orders", "initiators", FAULTS, "as_cluster"])]
    pub all: bool,

    /// Check every order of the ids that matters: in a ring (n-1)!, as turns of it are alike; in a complete
    /// network one (n! where members may crash); in others n!
    #[arg(long, value_enum, conflicts_with_all = ["ids", "order"], help_heading = "Members")]
    pub orders: Option<OrdersArg>,
    /// Members that start an election at the beginning: ids, 'all', 'one' to check every member as the only one, or 'any'
    /// to check every set of them
    #[arg(long, value_name = "A,B,..|all|one|any", default_value = "all", help_heading = "Members")]
    pub initiators: InitiatorSets,

    /// Check what members of a cluster meet: a certified crash, a suspicion of a member that lives, and where the algorithm
    /// has a failure detector, a false alarm; members without a leader for 50 delay bounds start an election again, and
    /// members may hear from others before they start theirs. Other options change these faults
    #[arg(long, help_heading = FAULTS_HEADING)]
    pub as_cluster: bool,
    /// What may go wrong.
    #[command(flatten)]
    pub faults: FaultArgs,

    /// Follow every order of things that do not affect each other, and not one for all
    #[arg(long, help_heading = "Search")]
    pub no_reduction: bool,
    /// Tell states apart that differ only by a turn of a ring of identical members, or by names where nothing else
    /// tells members apart
    #[arg(long, help_heading = "Search")]
    pub no_symmetry: bool,
    /// On how many cores to search; 0: on all. What is found does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads(),
          help_heading = "Search")]
    pub threads: u16,
    /// Stop when states take more memory, as in 512M or 4G [default: half of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Search")]
    pub memory: Option<Bytes>,
    /// Stop after this time, as in 90s, 10m or 2h [default: never; with --all 2m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Search")]
    pub time: Option<Duration>,
    /// Stop a check that has more states than this
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    pub states: Option<u64>,

    /// Where to write the run that breaks a property.
    #[command(flatten)]
    pub files: FileArgs,
    /// How to print it
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub format: CheckFormat,
}

impl CheckArgs {
    /// What may go wrong, as it is asked for.
    pub fn faults(&self, spec: &Spec) -> Result<FaultOptions, Failure> {
        let mut faults = self.base(spec)?;
        for (field, value) in &self.faults.0 {
            field.parse(&mut faults, value).map_err(Failure::input)?;
        }
        Ok(faults)
    }

    fn base(&self, spec: &Spec) -> Result<FaultOptions, Failure> {
        Ok(if self.as_cluster { FaultOptions::of_cluster(spec)? } else { FaultOptions::default() })
    }

    /// The command that checks the same again, with the same limits. Options that do not affect the result (threads,
    /// format, files) are left out. `run` is the run that the options describe.
    pub fn again(&self, run: &RunSpec, spec: &Spec) -> Result<String, Failure> {
        let (base, faults) = (self.base(spec)?, self.faults(spec)?);
        let mut all = Vec::new();
        for field in CheckedFields::fields().filter(|field| field.option != "seed" || run.seed != 0) {
            all.extend(words_of(field.option, field.flag, &field.texts(run)));
        }
        let mut option = |name: &str, flag: Flag, value: Option<String>| {
            all.extend(words_of(name, flag, value.as_slice()));
        };
        option("orders", VALUE, self.orders.map(super::word));
        let initiators = Some(&self.initiators).filter(|sets| **sets != InitiatorSets::All);
        option("initiators", VALUE, initiators.map(ToString::to_string));
        let switch = |is_set: bool| is_set.then(String::new);
        option("as-cluster", Flag::Switch, switch(self.as_cluster));
        for field in fault_options() {
            option(field.option, field.flag, field.text(&faults, &base));
        }
        option("no-reduction", Flag::Switch, switch(self.no_reduction));
        option("no-symmetry", Flag::Switch, switch(self.no_symmetry));
        option("memory", VALUE, self.memory.map(|memory| memory.to_string()));
        // In one word.
        let length = |time: Duration| humantime::format_duration(time).to_string().replace(' ', "");
        option("time", VALUE, self.time.map(length));
        option("states", VALUE, self.states.map(|states| states.to_string()));
        Ok(shell_line("check", &all))
    }
}

const VALUE: Flag = Flag::Value("");

/// The fields of a run's description that a check has. The checker chooses what happens in a run.
#[derive(Clone, Debug)]
pub struct CheckedFields;

impl FieldSet for CheckedFields {
    const GROUP: &'static str = "checked";
    const INSTEAD: &'static str = ALL;

    fn has(field: &Field) -> bool {
        const CHECKED: &[&str] = &[
            "algorithm",
            "variant",
            "ids",
            "nodes",
            "order",
            "attributes",
            "id-bound",
            "elect",
            "witnesses",
            "observers",
            "topology",
            "drift-bound",
            "links",
            "seed",
        ];
        CHECKED.contains(&field.option)
    }

    fn about(field: &'static Field) -> Cow<'static, str> {
        let usual = match field.option {
            "nodes" => "3, or what the topology says",
            "order" => "worst, which in rings takes the most messages",
            _ => return Cow::Borrowed(field.about),
        };
        let about = field.about.split(" [default").next().unwrap_or_default();
        Cow::Owned(format!("{about} [default: {usual}]"))
    }
}

const FAULTS_HEADING: &str = "What may happen";

/// What may go wrong: options that are given, each with its value.
#[derive(Clone, Debug, Default)]
pub struct FaultArgs(Vec<(&'static FaultField, String)>);

fn fault_options() -> impl Iterator<Item = &'static FaultField> {
    FAULT_FIELDS.iter().filter(|field| !field.option.is_empty())
}

impl clap::Args for FaultArgs {
    fn augment_args(command: Command) -> Command {
        let arg = |field: &'static FaultField| {
            let parser = ValueParser::from(move |value: &str| -> Result<String, String> {
                field.parse(&mut FaultOptions::default(), value).map(|()| value.to_owned())
            });
            let arg = Arg::new(field.option).long(field.option).help(field.about);
            taking(arg.help_heading(FAULTS_HEADING), field.flag, parser)
        };
        let group = ArgGroup::new(FAULTS).multiple(true).args(fault_options().map(|field| field.option));
        command.args(fault_options().map(arg)).group(group)
    }

    fn augment_args_for_update(command: Command) -> Command {
        FaultArgs::augment_args(command)
    }
}

impl FromArgMatches for FaultArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FaultArgs, Error> {
        let given = |field: &'static FaultField| match field.flag {
            Flag::Switch => matches.get_flag(field.option).then(|| (field, String::new())),
            _ => matches.get_one::<String>(field.option).map(|value| (field, value.clone())),
        };
        Ok(FaultArgs(fault_options().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = FaultArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Where to write the run that breaks the gravest property.
#[derive(Clone, Debug, Default, Args)]
pub struct FileArgs {
    /// Write the run that breaks a property into a scenario file for `play`
    #[arg(long, value_name = "FILE", conflicts_with = "all", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Write everything that happens in it into a file, one JSON object a line
    #[arg(long, value_name = "FILE", conflicts_with = "all", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write it as a sequence diagram for Mermaid
    #[arg(long, value_name = "FILE", conflicts_with = "all", help_heading = "Output")]
    pub mermaid: Option<PathBuf>,
    /// Write it as a space-time diagram
    #[arg(long, value_name = "FILE", conflicts_with = "all", help_heading = "Output")]
    pub svg: Option<PathBuf>,
}

/// Which orders of ids to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrdersArg {
    /// Every one that matters
    All,
}

/// How to print what was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// With --all: a page of Markdown
    Markdown,
}
