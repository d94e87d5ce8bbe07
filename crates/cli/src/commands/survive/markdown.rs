//! What survives what, as a page.

use super::text::{by_algorithm, by_command, heading, in_words};
use crate::args::SurviveArgs;
use bellwether_lab::matrix::{Example, MatrixCell};
use bellwether_lab::swarm::Model;

/// The page `docs/survival.md`.
pub fn as_markdown(
    args: &SurviveArgs,
    models: &[Model],
    cells: &[MatrixCell],
    examples: &[Example],
) -> String {
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
        let cell = |cell: &MatrixCell| match cell.model.is_survived_by(cell.choice.spec) {
            true => format!(" **{}** |", in_words(cell)),
            false => format!(" {} |", in_words(cell)),
        };
        text.push_str(&format!("| {} |{}\n", row[0].choice, row.iter().map(cell).collect::<String>()));
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
