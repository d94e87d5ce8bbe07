//! The list of failure detectors, and a page about each.

use crate::args::DetectorsFormat;
use crate::error::Failure;
use crate::markdown::{self, capitalised, list, section, short};
use crate::output::{self, Column};
use crate::parameters::ParameterObject;
use bellwether_core::{Citation, DetectorChoice, DetectorEntry, Parameter, Spec};
use serde::Serialize;
use std::fmt::Write as _;

/// Prints the list, or the pages of those that are named.
pub fn print(
    format: DetectorsFormat,
    all: &'static [DetectorEntry],
    named: &[DetectorChoice],
) -> Result<(), Failure> {
    let pages: Vec<Page> = match named {
        [] => all.iter().map(Page::new).collect(),
        named => named.iter().map(|choice| Page::new(choice.entry())).collect(),
    };
    match format {
        DetectorsFormat::Json => output::print_json(&pages),
        DetectorsFormat::Markdown => output::print(as_markdown(&pages).as_bytes()),
        DetectorsFormat::Table if named.is_empty() => output::print(as_table(&pages).as_bytes()),
        DetectorsFormat::Table => {
            output::print(markdown::as_text(&as_markdown(&pages), output::width()).as_bytes())
        }
    }
}

/// A detector's page.
#[derive(Serialize)]
struct Page {
    name: &'static str,
    summary: &'static str,
    is_oracle: bool,
    parameters: Vec<ParameterObject>,
    #[serde(skip)]
    settings: &'static [Parameter],
    idea: &'static str,
    rules: &'static str,
    what_breaks_it: &'static str,
    sources: &'static [Citation],
}

impl Page {
    fn new(entry: &'static DetectorEntry) -> Page {
        let [idea, rules, what_breaks_it] = Spec::SECTIONS.map(|heading| section(entry.text, heading));
        Page {
            name: entry.name,
            summary: entry.summary,
            is_oracle: entry.is_oracle,
            parameters: entry.parameters.iter().map(ParameterObject::new).collect(),
            settings: entry.parameters,
            idea,
            rules,
            what_breaks_it,
            sources: entry.sources,
        }
    }

    fn as_markdown(&self, level: &str) -> String {
        let mut page = format!("{level}# {}\n\n{}.\n", self.name, capitalised(self.summary));
        let mut section = |heading: &str, body: &str| {
            // Writing to a string cannot fail.
            _ = write!(page, "\n{level}## {heading}\n\n{}\n", body.trim_end());
        };
        section("Idea", self.idea);
        section("Rules", self.rules);
        let settings = self.settings.iter().map(|setting| {
            format!("`{}` (unless set, {}): {}", setting.name, setting.default_text(), setting.about)
        });
        section("Parameters", &list(settings));
        section("What breaks it", self.what_breaks_it);
        section("Sources", &list(self.sources.iter().map(ToString::to_string)));
        section("Try it", &format!("    bellwether detectors {} --measure", self.name));
        page
    }
}

fn as_markdown(pages: &[Page]) -> String {
    let mut text = String::new();
    if pages.len() > 1 {
        text.push_str("# The failure detectors\n\n");
        for page in pages {
            _ = writeln!(text, "- [{0}](#{0}): {1}", page.name, page.summary);
        }
        text.push('\n');
    }
    let level = if pages.len() > 1 { "#" } else { "" };
    text + &pages.iter().map(|page| page.as_markdown(level)).collect::<Vec<_>>().join("\n")
}

fn as_table(pages: &[Page]) -> String {
    let mut table =
        output::table(&["detector", "what it does", "parameter", "unless set", "source"].map(Column::Left));
    for page in pages {
        let column =
            |of: fn(&Parameter) -> String| page.settings.iter().map(of).collect::<Vec<_>>().join("\n");
        table.add_row([
            page.name.to_owned(),
            page.summary.to_owned(),
            column(|setting| setting.name.to_owned()),
            column(Parameter::default_text),
            page.sources.first().map(short).unwrap_or_default(),
        ]);
        table.add_row([""]);
    }
    format!(
        "{}More: bellwether detectors NAME. How good they are: bellwether detectors --measure\n",
        output::lines_of(&table)
    )
}
