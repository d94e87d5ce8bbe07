//! The shell command that repeats a run.

use crate::fields::{FIELDS, Flag};
use crate::form::comma_separated;
use crate::spec::RunSpec;

/// The command line that simulates a run: in bash or a shell like it, and for [`crate::parse_words`].
#[must_use]
pub fn command(run: &RunSpec) -> String {
    let words: Vec<String> = words(run).iter().map(|word| quoted(word)).collect();
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
            Flag::Value(_) | Flag::Choice(_) if texts[0].starts_with('-') => {
                words.push(format!("{option}={}", texts[0]));
            }
            Flag::Value(_) | Flag::Choice(_) => words.extend([option, texts[0].clone()]),
            Flag::List(_) => words.extend([option, comma_separated(&texts)]),
            Flag::Repeated(_) => words.extend(texts.into_iter().flat_map(|text| [option.clone(), text])),
        }
    }
    words
}

/// A word as a shell takes it literally.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@+%=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
