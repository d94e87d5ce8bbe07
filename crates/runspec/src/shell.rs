//! The shell command that repeats a run.

use crate::fields::{FIELDS, Flag};
use crate::form::comma_separated;
use crate::spec::RunSpec;
use std::borrow::Cow;

/// The command line that simulates a run.
#[must_use]
pub fn command(run: &RunSpec) -> String {
    shell_line("simulate", &words(run))
}

/// The line that a shell takes, for a command of the program.
#[must_use]
pub fn shell_line(command: &str, words: &[String]) -> String {
    let words: Vec<Cow<'_, str>> = words.iter().map(|word| quoted(word)).collect();
    format!("bellwether {command} {}", words.join(" "))
}

/// The arguments of `simulate`.
#[must_use]
pub fn words(run: &RunSpec) -> Vec<String> {
    let mut words = Vec::new();
    for field in FIELDS.iter().filter(|field| !field.option.is_empty()) {
        words.extend(words_of(field.option, field.flag, &field.texts(run)));
    }
    words
}

/// An option with these values as arguments; none if there is no value.
#[must_use]
pub fn words_of(option: &str, flag: Flag, texts: &[String]) -> Vec<String> {
    let Some(first) = texts.first() else { return Vec::new() };
    let option = format!("--{option}");
    match flag {
        Flag::Argument => texts.to_vec(),
        Flag::Switch => vec![option],
        // What begins with a sign would be taken for an option.
        Flag::Value(_) | Flag::Choice(..) if first.starts_with('-') => vec![format!("{option}={first}")],
        Flag::Value(_) | Flag::Choice(..) => vec![option, first.clone()],
        Flag::List(_) => vec![option, comma_separated(texts)],
        Flag::Repeated(_) => texts.iter().flat_map(|text| [option.clone(), text.clone()]).collect(),
    }
}

/// A word as a shell takes it literally.
#[must_use]
pub fn quoted(word: &str) -> Cow<'_, str> {
    // What options are made of has no meaning to a shell within a word; shlex would quote commas for odd uses of it.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@+%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    shlex::Quoter::new().allow_nul(true).quote(word).expect("only a NUL is refused")
}
