//! What ordeals did: as tables, as a page and as JSON.

use super::trials::Tried;
use crate::args::TrialsArgs;
use crate::choice::Named;
use crate::many::Figures;
use crate::output::{self, Column, Figure};
use bellwether_core::Spec;
use bellwether_sim::Summary;
use bellwether_sim::trials::Ordeal;
use serde::Serialize;

const COLUMNS: [Column; 7] = [
    Column::Left("algorithm"),
    Column::Right("no leader: median"),
    Column::Right("99 %"),
    Column::Left("several led"),
    Column::Left("in one term"),
    Column::Right("changes"),
    Column::Left("kept its word"),
];

/// For people: a table for each ordeal.
pub fn as_text(args: &TrialsArgs, tried: &[Tried]) -> String {
    let mut text = format!(
        "{} members, messages take 0.1 to 1 delay bounds, 0.1 % are lost; {} runs each, seeds from {}\n",
        args.nodes, args.runs, args.seed
    );
    for ordeal in by_ordeal(tried) {
        let mut table = output::table(&COLUMNS);
        for one in ordeal {
            table.add_row(cells(one));
        }
        let Tried { ordeal, .. } = ordeal[0];
        text.push_str(&format!("\n{ordeal}: {}\n\n{}", ordeal.about(), output::lines_of(&table)));
    }
    text
}

/// The page `docs/trials.md`.
pub fn as_markdown(args: &TrialsArgs, tried: &[Tried]) -> String {
    let TrialsArgs { runs, seed, nodes, .. } = args;
    let mut text = format!(
        "# What ordeals do to leadership\n\n\
         Algorithms that go on for ever, in their default variants, and bully with a heartbeat detector for contrast:\n\
         {nodes} members, {runs} runs each with the seeds from {seed} on. This page is the output of\n\n\
         \x20   bellwether trials --runs {runs} --seed {seed} --nodes {nodes} --format markdown\n\n\
         and a test fails when it changes (`REWRITE_GOLDEN=1` rewrites it). What it means for a choice is in the\n\
         [manual](manual.md#trials-algorithm).\n\n\
         Messages take 0.1 to 1 delay bounds, and 0.1 % of them are lost, all the time. After 200 to 250 delay bounds the\n\
         ordeal strikes whoever leads then. Everything is counted from that moment on, by an onlooker who sees all members\n\
         at once.\n\n\
         | column | says |\n|---|---|\n\
         | no leader | how long nobody led, in delay bounds: what half of the runs and what 99 % of them did not exceed |\n\
         | several led | in how many runs two or more led at once, and how long at the most, in delay bounds; of leaders with a lease, only while it is valid |\n\
         | in one term | in how many terms two or more led, in all runs together; a dash where terms do not say who may lead |\n\
         | changes | how often somebody came to lead who was not the last to do so, on average |\n\
         | kept its word | in how many runs the algorithm kept what it promises: what it rules out at all times never was, and the rest was so in the end; where it was broken for a while, all may have been well again in the end |\n"
    );
    for ordeal in by_ordeal(tried) {
        let Tried { ordeal: what, .. } = ordeal[0];
        text.push_str(&format!("\n## {what}\n\n{}.\n\n|", capitalised(what)));
        for Column::Left(name) | Column::Right(name) in COLUMNS {
            text.push_str(&format!(" {name} |"));
        }
        text.push_str(&format!("\n|{}\n", "---|".repeat(COLUMNS.len())));
        for one in ordeal {
            text.push_str(&format!("| {} |\n", cells(one).join(" | ")));
        }
    }
    text
}

fn capitalised(ordeal: Ordeal) -> String {
    let about = ordeal.about();
    about.chars().take(1).flat_map(char::to_uppercase).chain(about.chars().skip(1)).collect()
}

fn by_ordeal(tried: &[Tried]) -> impl Iterator<Item = &[Tried]> {
    tried.chunk_by(|one, other| one.ordeal == other.ordeal)
}

fn cells(tried: &Tried) -> [String; COLUMNS.len()] {
    let hops = |of: fn(&Summary) -> f64| tried.without_leader.as_ref().map_or(0.0, of);
    let (median, high) = (hops(|summary| summary.p50), hops(|summary| summary.p99));
    let changes = tried.changes.map_or(0.0, |summary| summary.mean);
    let runs = output::grouped(tried.runs);
    let of_runs = |count: u64| format!("{} of {runs}", output::grouped(count));
    [
        tried.choice.label(),
        format!("{median:.1}"),
        format!("{high:.1}"),
        match tried.runs_with_several {
            0 => "never".to_owned(),
            count => format!("{}, up to {:.1}", of_runs(count), tried.longest_with_several),
        },
        shared_terms(tried).map_or("-".to_owned(), output::grouped),
        format!("{changes:.1}"),
        if tried.came_right == tried.runs { "always".to_owned() } else { of_runs(tried.came_right) },
    ]
}

/// Where terms say who may lead.
fn shared_terms(tried: &Tried) -> Option<u64> {
    let Spec { reign, .. } = tried.choice.spec;
    reign.counts_terms().then_some(tried.shared_terms)
}

#[derive(Serialize)]
struct Trials {
    nodes: u32,
    runs: u64,
    seed: u64,
    trials: Vec<Row>,
}

/// Times are in delay bounds.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    named: Named,
    ordeal: Ordeal,
    without_leader: Option<Figures>,
    runs_with_several: u64,
    longest_with_several: Figure,
    shared_terms: Option<u64>,
    changes: Option<Figures>,
    came_right: u64,
}

/// As JSON.
pub fn as_json(args: &TrialsArgs, tried: &[Tried]) -> impl Serialize + use<> {
    let row = |one: &Tried| Row {
        named: Named::new(&one.choice),
        ordeal: one.ordeal,
        without_leader: one.without_leader.map(Figures::from),
        runs_with_several: one.runs_with_several,
        longest_with_several: Figure(one.longest_with_several),
        shared_terms: shared_terms(one),
        changes: one.changes.map(Figures::from),
        came_right: one.came_right,
    };
    Trials { nodes: args.nodes, runs: args.runs, seed: args.seed, trials: tried.iter().map(row).collect() }
}
