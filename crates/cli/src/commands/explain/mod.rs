//! `bellwether explain`: an algorithm in a page of plain words.
//!
//! Idea, rules and what breaks it are the text beside the algorithm's code; everything else on the
//! page comes from its [`Spec`].

use crate::args::{ExplainArgs, ExplainFormat};
use crate::choice::Choice;
use crate::error::{Failure, Verdict};
use crate::markdown::{self, capitalised, list, section};
use crate::output;
use crate::parameters::{self, ParameterObject};
use bellwether_core::{Citation, Identities, Leadership, Links, Parameter, Spec, Starts, Timing};
use bellwether_engine::ALGORITHMS;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Prints the page of an algorithm, or all pages.
pub fn run(args: &ExplainArgs) -> Result<Verdict, Failure> {
    let pages: Vec<Page> = match &args.algorithm {
        Some(name) => {
            let choice = Choice::find(name, None)?;
            vec![Page {
                given: parameters::given(&choice.params, choice.spec.parameters),
                ..Page::new(choice.spec.name)
            }]
        }
        None => ALGORITHMS.names().into_iter().map(Page::new).collect(),
    };
    match args.format {
        ExplainFormat::Text => output::print(markdown::as_text(&all(&pages), output::width()).as_bytes())?,
        ExplainFormat::Markdown => output::print(all(&pages).as_bytes())?,
        ExplainFormat::Json if args.algorithm.is_some() => output::print_json(&pages.first())?,
        ExplainFormat::Json => output::print_json(&pages)?,
    }
    Ok(Verdict::Fine)
}

fn all(pages: &[Page]) -> String {
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

/// An algorithm's page.
#[derive(Serialize)]
struct Page {
    name: &'static str,
    /// The parameters that were named with it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    given: Map<String, Value>,
    variants: Vec<Variant>,
    idea: &'static str,
    rules: &'static str,
    what_breaks_it: &'static str,
    sources: &'static [Citation],
}

/// What differs between variants.
#[derive(Serialize)]
struct Variant {
    name: &'static str,
    summary: &'static str,
    assumptions: Vec<String>,
    outcome: String,
    parameters: Vec<ParameterObject>,
    #[serde(skip)]
    settings: &'static [Parameter],
    costs: Vec<Cost>,
    survives: Vec<&'static str>,
}

/// A claim.
#[derive(PartialEq, Serialize)]
struct Cost {
    name: String,
    formula: &'static str,
}

impl Page {
    fn new(name: &'static str) -> Page {
        let specs: Vec<&'static Spec> =
            Choice::all().map(|choice| choice.spec).filter(|spec| spec.name == name).collect();
        let spec = specs[0];
        let [idea, rules, what_breaks_it] = Spec::SECTIONS.map(|heading| section(spec.text, heading));
        Page {
            name,
            given: Map::new(),
            variants: specs.iter().map(|spec| Variant::new(spec)).collect(),
            idea,
            rules,
            what_breaks_it,
            sources: spec.sources,
        }
    }

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

impl Variant {
    fn new(spec: &Spec) -> Variant {
        let cost = |claim: &bellwether_core::Claim| Cost {
            name: claim.name.replace('_', " "),
            formula: claim.formula,
        };
        Variant {
            name: spec.variant,
            summary: spec.summary,
            assumptions: assumptions(spec),
            outcome: outcome(spec),
            parameters: spec.parameters.iter().map(ParameterObject::new).collect(),
            settings: spec.parameters,
            costs: spec.claims.iter().map(cost).collect(),
            survives: spec.survives.words(),
        }
    }
}

/// What members know at the end, and of whom.
fn outcome(spec: &Spec) -> String {
    let goal = capitalised(&spec.goal.to_string());
    match spec.leadership {
        Leadership::Best => goal,
        Leadership::Incumbent => format!("{goal}; who leads and works stays, though a better one comes back"),
    }
}

/// What the algorithm takes for granted, in words.
fn assumptions(spec: &Spec) -> Vec<String> {
    let time = match spec.timing {
        Timing::Rounds => {
            "everyone moves in step, in rounds (a synchroniser makes them where there are none)"
        }
        Timing::BoundedDelay => "messages arrive within a bound that members know",
        Timing::Asynchronous => "messages arrive, after any time",
    };
    let links = match spec.links {
        _ if spec.timing == Timing::Rounds => "what is sent in a round arrives in the next",
        Links::Fifo => "messages of one link keep their order",
        Links::Any => "messages may overtake each other",
    };
    let begins = match spec.starts {
        Starts::Everyone => "every member, by itself",
        Starts::Callers => "whoever calls an election: one, some or all",
    };
    let members = match spec.identities {
        Identities::Unique => "everyone has a rank of its own: its attribute, then its id",
        Identities::Anonymous => "they may be identical",
    };
    let knows = match spec.knows.words() {
        words if words.is_empty() => "nothing but itself and its links".to_owned(),
        words => format!("{}, besides itself and its links", words.join(", ")),
    };
    let mut all = vec![
        format!("Network: {}", spec.need),
        format!("Time: {time}"),
        format!("Links: {links}"),
        format!("Members: {members}"),
        format!("A member knows: {knows}"),
        format!("Who begins: {begins}"),
    ];
    if spec.randomised {
        all.push("Members draw random numbers".to_owned());
    }
    all
}
