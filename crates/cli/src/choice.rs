//! From an algorithm's name, as the user writes it, to its place in the registry.

use crate::error::Failure;
use bellwether_core::{Driving, Spec};
use bellwether_engine::ALGORITHMS;

/// An algorithm of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Its place in the registry.
    pub entry: usize,
    /// What it needs, promises and claims.
    pub spec: &'static Spec,
    /// How it is driven.
    pub driving: Driving,
}

impl Choice {
    /// The algorithm called `name`, or `name/variant`, in the variant that is named there or
    /// apart; else in its default variant.
    pub fn find(name: &str, variant: Option<&str>) -> Result<Choice, Failure> {
        let (name, inline) = match name.split_once('/') {
            Some((name, variant)) => (name, Some(variant)),
            None => (name, None),
        };
        if let (Some(inline), Some(variant)) = (inline, variant)
            && inline != variant
        {
            return Err(Failure::input(format!(
                "both variant '{inline}' and --variant {variant} are asked for: name one"
            )));
        }
        let variant = inline.or(variant);
        match ALGORITHMS.find(name, variant) {
            Some(entry) => Ok(Choice::at(entry)),
            None => Err(unknown(name, variant.unwrap_or_default())),
        }
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
            let is_new = |choice: &Choice| choices.iter().all(|other| other.entry != choice.entry);
            let new: Vec<Choice> = named.into_iter().filter(is_new).collect();
            choices.extend(new);
        }
        Ok(choices)
    }

    /// Every algorithm, in its default variant.
    pub fn defaults() -> impl Iterator<Item = Choice> {
        Choice::all().filter(Choice::is_default)
    }

    /// Every variant of every algorithm.
    pub fn all() -> impl Iterator<Item = Choice> {
        (0..ALGORITHMS.entries.len()).map(Choice::at)
    }

    /// The algorithm at a place of the registry.
    pub fn at(entry: usize) -> Choice {
        let found = &ALGORITHMS.entries[entry];
        Choice { entry, spec: found.spec, driving: found.driving }
    }

    /// Whether this is the variant that the algorithm's name alone stands for.
    pub fn is_default(&self) -> bool {
        ALGORITHMS.find(self.spec.name, None) == Some(self.entry)
    }

    /// The shortest name that [`Choice::find`] understands.
    pub fn label(&self) -> String {
        if self.is_default() {
            self.spec.name.to_owned()
        } else {
            format!("{}/{}", self.spec.name, self.spec.variant)
        }
    }
}

fn unknown(name: &str, variant: &str) -> Failure {
    match ALGORITHMS.variants(name) {
        variants if variants.is_empty() => {
            let names = ALGORITHMS.names();
            let message = format!("there is no algorithm '{name}': use one of {}", names.join(", "));
            Failure::misspelt(message, name, &names)
        }
        variants => {
            let message = format!("{name} has no variant '{variant}': use one of {}", variants.join(", "));
            Failure::misspelt(message, variant, &variants)
        }
    }
}
