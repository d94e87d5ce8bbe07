//! The shell command that repeats a run.

use crate::fields::{FIELDS, Flag};
use crate::form::comma_separated;
use crate::spec::RunSpec;
use std::borrow::Cow;

/// The command line that simulates a run.
#[must_use]
pub fn command(run: &RunSpec) -> String {
    let words = words(run);
    let words: Vec<Cow<'_, str>> = words.iter().map(|word| quoted(word)).collect();
    format!("bellwether simulate {}", words.join(" "))
}

/// The arguments of `simulate`.
#[must_use]
pub fn words(run: &RunSpec) -> Vec<String> {
    let mut words = Vec::new();
    for field in FIELDS.iter().filter(|field| !field.option.is_empty()) {
        let (option, texts) = (format!("--{}", field.option), field.texts(run));
        match field.flag {
            _ if texts.is_empty() => {}
            Flag::Argument => words.extend(texts),
            Flag::Switch => words.push(option),
            // What begins with a sign would be taken for an option.
            Flag::Value(_) | Flag::Choice(..) if texts[0].starts_with('-') => {
                words.push(format!("{option}={}", texts[0]));
            }
            Flag::Value(_) | Flag::Choice(..) => words.extend([option, texts[0].clone()]),
            Flag::List(_) => words.extend([option, comma_separated(&texts)]),
            Flag::Repeated(_) => words.extend(texts.into_iter().flat_map(|text| [option.clone(), text])),
        }
    }
    words
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
