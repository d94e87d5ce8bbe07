//! From an algorithm's name, as the user writes it, to its place in the registry.

use crate::error::Failure;
use crate::suggest;
use bellwether_algorithms::Algorithms;
use bellwether_core::{Driving, Registry as _, Spec};

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
        match Algorithms::find(name, variant) {
            Some(entry) => Ok(Choice::at(entry)),
            None => Err(unknown(name, variant.unwrap_or_default())),
        }
    }

    /// Every algorithm, in its default variant.
    pub fn defaults() -> Vec<Choice> {
        Algorithms::names().iter().filter_map(|name| Algorithms::find(name, None)).map(Choice::at).collect()
    }

    /// Every variant of every algorithm.
    pub fn all() -> impl Iterator<Item = Choice> {
        (0..Algorithms::ENTRIES.len()).map(Choice::at)
    }

    fn at(entry: usize) -> Choice {
        let found = &Algorithms::ENTRIES[entry];
        Choice { entry, spec: found.spec, driving: found.driving }
    }

    /// Whether this is the variant that the algorithm's name alone stands for.
    pub fn is_default(&self) -> bool {
        Algorithms::find(self.spec.name, None) == Some(self.entry)
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
    let (message, meant) = match Algorithms::variants(name) {
        variants if variants.is_empty() => {
            let names = Algorithms::names();
            let message = format!("there is no algorithm '{name}': use one of {}", names.join(", "));
            (message, suggest::nearest(name, &names))
        }
        variants => {
            let message = format!("{name} has no variant '{variant}': use one of {}", variants.join(", "));
            (message, suggest::nearest(variant, &variants))
        }
    };
    match meant {
        Some(meant) => Failure::input_with_hint(message, format!("did you mean '{meant}'?")),
        None => Failure::input(message),
    }
}
