//! An algorithm's page as Markdown.

use super::json::{Page, Variant};
use crate::markdown::{capitalised, list};
use crate::parameters;
use std::fmt::Write as _;

/// A page, or all pages with a list of them.
pub fn all(pages: &[Page]) -> String {
    let mut text = String::new();
    if pages.len() > 1 {
        text.push_str("# The algorithms\n\n");
        for page in pages {
            // Writing to a string cannot fail.
            _ = writeln!(text, "- [{0}](#{0}): {1}", page.name, page.variants[0].summary);
        }
        text.push('\n');
    }
    let level = if pages.len() > 1 { "#" } else { "" };
    let pages: Vec<String> = pages.iter().map(|page| page.as_markdown(level)).collect();
    text + &pages.join("\n")
}

impl Page {
    fn as_markdown(&self, level: &str) -> String {
        let mut page = format!("{level}# {}\n\n{}.\n", self.name, capitalised(self.variants[0].summary));
        let mut section = |heading: &str, body: &str| {
            _ = write!(page, "\n{level}## {heading}\n\n{}\n", body.trim_end());
        };
        if self.variants.len() > 1 {
            section(
                "Variants",
                &list(self.variants.iter().enumerate().map(|(at, variant)| {
                    let default = if at == 0 { " (the default)" } else { "" };
                    format!("`{}`{default}: {}", variant.name, variant.summary)
                })),
            );
        }
        section("Idea", self.idea);
        section("Assumptions", &list(self.assumptions()));
        section("Rules", self.rules);
        if !self.variants[0].settings.is_empty() {
            section("Parameters", &list(self.settings()));
        }
        section("Outcome", &self.of_variants(|variant| vec![variant.outcome.clone()]));
        section(
            "Cost",
            &self.of_variants(|variant| {
                variant.costs.iter().map(|cost| format!("{}: {}", cost.name, cost.formula)).collect()
            }),
        );
        section("What breaks it", &format!("{}\n\n{}", self.survival(), self.what_breaks_it));
        section("Sources", &list(self.sources.iter().map(ToString::to_string)));
        section("Try it", &format!("    bellwether simulate {} --nodes 8", self.name));
        page
    }

    /// What the default takes for granted, and what another variant does besides or instead.
    fn assumptions(&self) -> impl Iterator<Item = String> {
        let usual = &self.variants[0].assumptions;
        let other = self.variants.iter().flat_map(move |variant| {
            let unusual = variant.assumptions.iter().filter(move |assumption| !usual.contains(assumption));
            unusual.map(move |assumption| format!("In `{}`: {assumption}", variant.name))
        });
        usual.iter().cloned().chain(other)
    }

    /// The parameters. All variants of one state machine have the same: those that have none are others.
    fn settings(&self) -> impl Iterator<Item = String> {
        self.variants[0].settings.iter().enumerate().map(|(at, parameter)| {
            let of = |variant: &Variant| Some((variant.name, *variant.settings.get(at)?));
            let given =
                self.given.get(parameter.name).map(|value| format!(" Here: {value}.")).unwrap_or_default();
            let variants = self.variants.iter().filter_map(of).collect::<Vec<_>>();
            format!("{}.{given}", parameters::in_words(&variants))
        })
    }

    fn survival(&self) -> String {
        let of = |variant: &Variant| match variant.survives.as_slice() {
            [] => "is not made to survive any fault.".to_owned(),
            faults => format!("is made to survive: {}.", faults.join(", ")),
        };
        let first = of(&self.variants[0]);
        if self.variants.iter().all(|variant| of(variant) == first) {
            return format!("It {first}");
        }
        let said = self.variants.iter().map(|variant| format!("- `{}` {}", variant.name, of(variant)));
        said.collect::<Vec<_>>().join("\n")
    }

    /// What is to be said of each variant; said once where it is the same for all.
    fn of_variants(&self, say: impl Fn(&Variant) -> Vec<String>) -> String {
        let first = say(&self.variants[0]);
        if self.variants.iter().all(|variant| say(variant) == first) {
            return list(first.into_iter());
        }
        let said: Vec<Vec<String>> = self.variants.iter().map(say).collect();
        let are_short = said.iter().all(|points| points.len() == 1);
        let paragraphs = self.variants.iter().zip(said).map(|(variant, points)| match points.as_slice() {
            [only] if are_short => format!("- `{}`: {only}\n", variant.name),
            _ => format!("`{}`:\n\n{}", variant.name, list(points.into_iter())),
        });
        paragraphs.collect::<Vec<_>>().join(if are_short { "" } else { "\n" })
    }
}
