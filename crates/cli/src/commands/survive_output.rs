//! What survives what: as a table, as a page and as JSON.

use super::swarm::{CellObject, FailureObject};
use crate::args::SurviveArgs;
use crate::cell::{Cell, Example};
use crate::output::{self, Column};
use bellwether_sim::swarm::{Class, Model};
use serde::Serialize;
use std::collections::BTreeMap;

/// For people: an algorithm's models that always come right in one row, the others in a row each.
pub fn as_table(cells: &[Cell], examples: &[Example]) -> String {
    let mut table =
        output::table(&[Column::Left("algorithm"), Column::Left("models"), Column::Left("runs come")]);
    for row in by_algorithm(cells) {
        let (right, others): (Vec<&Cell>, Vec<&Cell>) =
            row.iter().partition(|cell| cell.worst() == Class::Right);
        let label = row[0].choice.label();
        if !right.is_empty() {
            table.add_row([label.clone(), names(right.iter().map(|cell| cell.model)), "always right".into()]);
        }
        for cell in others {
            table.add_row([label.clone(), cell.model.to_string(), in_words(cell)]);
        }
    }
    let mut text = output::lines_of(&table);
    text.push_str("\nhow to see the worst of each, reduced:\n");
    for (command, shown) in by_command(examples) {
        text.push_str(&format!(
            "\n{}\n    {command}\n",
            shown.iter().map(|one| heading(one)).collect::<Vec<_>>().join("\n")
        ));
    }
    text
}

/// The page `docs/survival.md`.
pub fn as_markdown(args: &SurviveArgs, models: &[Model], cells: &[Cell], examples: &[Example]) -> String {
    let (runs, seed) = (args.runs, args.drawing.seed);
    let mut text = format!(
        "# What survives what\n\n\
         Every variant of every algorithm under every failure model, {runs} runs each with the seeds from {seed} on.\n\
         This page is the output of\n\n\
         \x20   bellwether survive --runs {runs} --seed {seed} --format markdown\n\n\
         and a test fails when it changes (`REWRITE_GOLDEN=1` rewrites it).\n\n\
         A seed draws the members, their ids and order, delays, callers and faults. All faults fall into a phase of chaos; then\n\
         everything ceases: links are mended, the frozen wake, nothing is lost any more, clocks stop jumping. The\n\
         dead stay dead unless the model says otherwise, and two members are spared. Rings close round their dead,\n\
         and members watch their neighbours with heartbeats that know the true bound on delays. Rounds run over a\n\
         synchroniser, except where nothing or only crashes happen.\n\n\
         | a run is | if |\n|---|---|\n\
         | right | it ends, safe and live, and in time |\n\
         | late | it comes right later than the last fault + 2 x (the detector's patience + the time without faults) |\n\
         | no leader | nobody leads, or somebody does not know what it should, or it would not end |\n\
         | wrong leader | somebody dead, or not the best, is taken for the leader |\n\
         | two leaders | at the end two lead, or members name different leaders |\n\n\
         Each is worse than those above it. *Two for a while* says that at some time two live members led at once,\n\
         whatever came of it. A cell in **bold** is one that the algorithm declares to survive.\n\n\
         | model | what goes wrong |\n|---|---|\n"
    );
    for model in models {
        text.push_str(&format!("| {model} | {} |\n", model.about()));
    }
    text.push_str("\n## The table\n\n| algorithm |");
    text.push_str(&models.iter().map(|model| format!(" {model} |")).collect::<String>());
    text.push_str(&format!("\n|---|{}\n", "---|".repeat(models.len())));
    for row in by_algorithm(cells) {
        let cell = |cell: &Cell| match cell.model.is_survived_by(cell.choice.spec) {
            true => format!(" **{}** |", in_words(cell)),
            false => format!(" {} |", in_words(cell)),
        };
        text.push_str(&format!(
            "| {} |{}\n",
            row[0].choice.label(),
            row.iter().map(cell).collect::<String>()
        ));
    }
    text.push_str(
        "\n## The failures\n\nThe worst of each cell, reduced; commands that are the same are shown once.\n",
    );
    for (command, shown) in by_command(examples) {
        let headings: Vec<String> = shown.iter().map(|one| format!("- {}", heading(one))).collect();
        text.push_str(&format!("\n{}\n\n      {command}\n", headings.join("\n")));
    }
    text
}

#[derive(Serialize)]
struct SurvivalObject {
    seed: u64,
    runs: u64,
    cells: Vec<CellObject>,
    failures: Vec<FailureObject>,
}

/// As JSON.
pub fn as_json(args: &SurviveArgs, cells: &[Cell], examples: &[Example]) -> impl Serialize + use<> {
    SurvivalObject {
        seed: args.drawing.seed,
        runs: args.runs,
        cells: cells.iter().map(CellObject::new).collect(),
        failures: examples.iter().map(FailureObject::new).collect(),
    }
}

fn by_algorithm(cells: &[Cell]) -> impl Iterator<Item = &[Cell]> {
    cells.chunk_by(|one, other| one.choice == other.choice)
}

fn names(models: impl Iterator<Item = Model>) -> String {
    models.map(Model::name).collect::<Vec<_>>().join(", ")
}

/// What became of a cell's runs, the worst first.
fn in_words(cell: &Cell) -> String {
    let runs: u64 = cell.counts.values().sum();
    let share = |count: u64| share_of(count, runs);
    let mut words: Vec<String> = match cell.worst() {
        Class::Right => vec!["always right".to_owned()],
        _ => cell
            .counts
            .iter()
            .rev()
            .filter(|(class, _)| **class != Class::Right)
            .map(|(class, &count)| format!("{class} {}", share(count)))
            .collect(),
    };
    if cell.two_for_a_while > cell.count(Class::TwoLeaders) {
        words.push(format!("(two for a while {})", share(cell.two_for_a_while)));
    }
    words.join(", ")
}

fn share_of(count: u64, runs: u64) -> String {
    let percent = 100.0 * count as f64 / runs.max(1) as f64;
    if percent < 1.0 { "< 1 %".to_owned() } else { format!("{percent:.0} %") }
}

fn heading(example: &Example) -> String {
    let Example { choice, model, class, found_at, .. } = example;
    format!("{} under {model}: {class} (seed {found_at})", choice.label())
}

/// Examples by their commands, in the order in which they first come up.
fn by_command(examples: &[Example]) -> Vec<(String, Vec<&Example>)> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut shown: Vec<(String, Vec<&Example>)> = Vec::new();
    for example in examples {
        let command = example.command();
        let at = *places.entry(command.clone()).or_insert(shown.len());
        match shown.get_mut(at) {
            Some((_, same)) => same.push(example),
            None => shown.push((command, vec![example])),
        }
    }
    shown
}
