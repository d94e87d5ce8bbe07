//! From an algorithm, as the user writes it, to its place in the registry; and how outputs name it.

use crate::error::Failure;
use bellwether_core::{AlgorithmChoice, ChangedParams, Spec};
use bellwether_engine::ALGORITHMS;
use serde::Serialize;
use std::ops::Deref;

/// An algorithm of the registry, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice(AlgorithmChoice);

impl Deref for Choice {
    type Target = AlgorithmChoice;
    fn deref(&self) -> &AlgorithmChoice {
        &self.0
    }
}

impl From<AlgorithmChoice> for Choice {
    fn from(choice: AlgorithmChoice) -> Choice {
        Choice(choice)
    }
}

impl Choice {
    /// The algorithm `NAME[/VARIANT][:KEY=VALUE,..]`, in the variant that is named there or apart; else in its default
    /// variant.
    pub fn find(name: &str, variant: Option<&str>) -> Result<Choice, Failure> {
        Ok(Choice(ALGORITHMS.choose_variant(name, variant)?))
    }

    /// The algorithms that names stand for, each once: as [`Choice::find`] understands them, or
    /// `rings` and `all` for those that run on a ring and for all, in their default variants.
    pub fn find_all(names: &[String]) -> Result<Vec<Choice>, Failure> {
        let mut choices: Vec<Choice> = Vec::new();
        for name in names {
            let named: Vec<Choice> = match name.as_str() {
                "rings" => Choice::defaults().filter(|choice| choice.spec.need.is_ring()).collect(),
                "all" => Choice::defaults().collect(),
                name => vec![Choice::find(name, None)?],
            };
            let new: Vec<Choice> = named.into_iter().filter(|choice| !choices.contains(choice)).collect();
            choices.extend(new);
        }
        Ok(choices)
    }

    /// Every algorithm, in its default variant.
    pub fn defaults() -> impl Iterator<Item = Choice> {
        Choice::all().filter(|choice| choice.is_default)
    }

    /// Every variant of every algorithm.
    pub fn all() -> impl Iterator<Item = Choice> {
        (0..ALGORITHMS.entries.len()).map(|entry| Choice(ALGORITHMS.choice(entry)))
    }

    /// As the library has it.
    pub fn algorithm(&self) -> AlgorithmChoice {
        self.0
    }

    /// The shortest name that [`Choice::find`] understands.
    pub fn label(&self) -> String {
        self.to_string()
    }
}

/// How JSON names an algorithm: by keys of the object that is about it.
#[derive(Serialize)]
pub struct Named {
    algorithm: &'static str,
    variant: &'static str,
    /// Those that do not have their default.
    #[serde(skip_serializing_if = "ChangedParams::is_empty")]
    parameters: ChangedParams,
}

impl Named {
    /// The keys of an algorithm.
    pub fn new(choice: &AlgorithmChoice) -> Named {
        let Spec { name, variant, .. } = *choice.spec;
        Named { algorithm: name, variant, parameters: choice.parameters() }
    }
}
