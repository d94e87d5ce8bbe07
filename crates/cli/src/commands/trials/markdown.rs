//! Failover figures, as a page.

use super::text::{COLUMNS, by_case, cells};
use crate::args::TrialsArgs;
use crate::output::Column;
use bellwether_lab::failover::{FailoverCase, FailoverFigures};

/// The page `docs/trials.md`.
pub fn as_markdown(args: &TrialsArgs, all: &[FailoverFigures]) -> String {
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
    for figures in by_case(all) {
        let FailoverFigures { case: what, .. } = figures[0];
        text.push_str(&format!("\n## {what}\n\n{}.\n\n|", capitalised(what)));
        for Column::Left(name) | Column::Right(name) in COLUMNS {
            text.push_str(&format!(" {name} |"));
        }
        text.push_str(&format!("\n|{}\n", "---|".repeat(COLUMNS.len())));
        for one in figures {
            text.push_str(&format!("| {} |\n", cells(one).join(" | ")));
        }
    }
    text
}

fn capitalised(case: FailoverCase) -> String {
    let about = case.about();
    about.chars().take(1).flat_map(char::to_uppercase).chain(about.chars().skip(1)).collect()
}
