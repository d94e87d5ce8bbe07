//! The options of a run, made from the fields of its description.

use crate::error::Failure;
use bellwether_runspec::form::TextError;
use bellwether_runspec::{FIELDS, Field, Flag, RunSpec};
use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, Error, FromArgMatches};
use std::borrow::Cow;
use std::marker::PhantomData;

/// The group of all options of a run.
pub const RUN: &str = "run";
/// The option that stands for all of them.
pub const FROM_TRACE: &str = "from_trace";

/// Which fields of a run's description are options of a command.
pub trait FieldSet {
    /// The group of these options.
    const GROUP: &'static str;
    /// The option that stands for all of them.
    const INSTEAD: &'static str;

    /// Whether a field is one of them.
    fn has(field: &Field) -> bool;

    /// What the field is, in a sentence.
    fn about(field: &'static Field) -> Cow<'static, str> {
        Cow::Borrowed(field.about)
    }

    /// The fields that are options.
    fn fields() -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(|field| !field.option.is_empty() && Self::has(field))
    }
}

/// All fields.
#[derive(Clone, Debug)]
pub struct AllFields;

impl FieldSet for AllFields {
    const GROUP: &'static str = RUN;
    const INSTEAD: &'static str = FROM_TRACE;

    fn has(_: &Field) -> bool {
        true
    }
}

/// The options of a run.
pub type RunArgs = FieldArgs<AllFields>;

/// The options that are given, each with its values.
#[derive(Clone, Debug)]
pub struct FieldArgs<S>(Vec<(&'static Field, Vec<String>)>, PhantomData<S>);

impl<S: FieldSet> FieldArgs<S> {
    /// The run that they describe.
    pub fn described(&self) -> Result<RunSpec, Failure> {
        let mut run = RunSpec::default();
        for (field, values) in &self.0 {
            for value in values {
                field.parse(&mut run, value)?;
            }
        }
        Ok(run)
    }

    fn take(&mut self, matches: &mut ArgMatches) {
        for field in S::fields() {
            let values: Option<Vec<String>> = match field.flag {
                Flag::Switch => matches.get_flag(field.option).then(|| vec![String::new()]),
                _ => matches.remove_many(field.option).map(Iterator::collect),
            };
            self.0.extend(values.map(|values| (field, values)));
        }
    }
}

impl<S: FieldSet> clap::Args for FieldArgs<S> {
    fn augment_args(command: Command) -> Command {
        let group = ArgGroup::new(S::GROUP).multiple(true).args(S::fields().map(|field| field.option));
        command.args(S::fields().map(arg::<S>)).group(group)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: FieldSet> FromArgMatches for FieldArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        let mut args = FieldArgs(Vec::new(), PhantomData);
        args.take(matches);
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.take(&mut matches.clone());
        Ok(())
    }
}

fn arg<S: FieldSet>(field: &'static Field) -> Arg {
    let about = S::about(field);
    let excludes = field.excludes.iter().filter(|option| S::fields().any(|field| field.option == **option));
    let arg = Arg::new(field.option).conflicts_with_all(excludes);
    let arg = match field.details {
        "" => arg,
        details => arg.long_help(format!("{about}\n\n{details}")),
    };
    let arg = arg.help(about.into_owned());
    let arg = if field.heading.is_empty() { arg } else { arg.help_heading(field.heading) };
    let arg = arg.allow_hyphen_values(field.is_signed).hide(field.is_hidden);
    match field.flag {
        Flag::Argument => arg.value_name("ALGORITHM").required_unless_present(S::INSTEAD),
        flag => taking(arg.long(field.option), flag, text(field)),
    }
}

/// An option that takes what its field says; `parser` refuses what is malformed.
pub fn taking(arg: Arg, flag: Flag, parser: ValueParser) -> Arg {
    match flag {
        Flag::Argument => arg,
        Flag::Switch => arg.action(ArgAction::SetTrue),
        Flag::Value(name) => arg.value_name(name).value_parser(parser),
        Flag::Choice(name, words) => {
            let words = words.iter().map(|(word, about)| PossibleValue::new(*word).help(*about));
            arg.value_name(name).value_parser(PossibleValuesParser::new(words))
        }
        Flag::List(name) => {
            let arg = arg.value_name(name).value_parser(parser);
            arg.action(ArgAction::Append).value_delimiter(',')
        }
        Flag::Repeated(name) => arg.value_name(name).value_parser(parser).action(ArgAction::Append),
    }
}

/// Refuses a value that is malformed. Files are not read here: some can be read only once.
fn text(field: &'static Field) -> ValueParser {
    ValueParser::from(move |value: &str| -> Result<String, String> {
        let checked = if value.starts_with("file:") { Ok(()) } else { field.check(value) };
        match checked {
            Err(TextError::Malformed(problem)) => Err(problem),
            _ => Ok(value.to_owned()),
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::args::{Cli, Command};
    use bellwether_runspec::{FIELDS, Flag, RunSpec, words};
    use bellwether_testkit::drawn_runs::drawn_run;
    use clap::{CommandFactory as _, Parser as _};
    use proptest::prelude::*;

    #[test]
    fn every_field_is_an_option_with_its_help() {
        let command = Cli::command();
        let simulate = command.find_subcommand("simulate").expect("there is such a command");
        for field in FIELDS.iter().filter(|field| !field.option.is_empty()) {
            let arg = simulate.get_arguments().find(|arg| arg.get_id() == field.option);
            let arg = arg.unwrap_or_else(|| panic!("--{} is missing", field.option));
            assert_eq!(arg.get_help().map(ToString::to_string).as_deref(), Some(field.about));
            assert_eq!(arg.get_long(), (field.flag != Flag::Argument).then_some(field.option));
        }
    }

    fn parsed(run: &RunSpec) -> RunSpec {
        let all = ["bellwether", "simulate"].into_iter().map(str::to_owned).chain(words(run));
        let cli = Cli::try_parse_from(all).unwrap_or_else(|error| panic!("{error}\n{run:?}"));
        let Command::Simulate(args) = cli.command else { panic!("it simulates") };
        args.run.described().unwrap_or_else(|failure| panic!("{failure}\n{run:?}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        /// (Options that exclude each other are not given together.)
        #[test]
        fn the_command_of_a_run_describes_the_run(run in drawn_run()) {
            let excluded = |option: &str| {
                let given = FIELDS.iter().filter(|field| !field.texts(&run).is_empty());
                given.flat_map(|field| field.excludes).any(|other| *other == option)
            };
            let mut alone = RunSpec::default();
            for field in FIELDS.iter().filter(|field| !field.option.is_empty() && !excluded(field.option)) {
                for text in field.texts(&run) {
                    field.parse(&mut alone, &text).unwrap();
                }
            }
            prop_assert_eq!(parsed(&alone), alone);
        }
    }
}
