//! Failover figures, as a page.

use super::text::{COLUMNS, by_case, cells};
use crate::args::TrialsArgs;
use crate::output::Column;
use bellwether_lab::failover::{FailoverCase, FailoverFigures};

/// The page `docs/trials.md`.
pub fn as_markdown(args: &TrialsArgs, all: &[FailoverFigures]) -> String {
    let TrialsArgs { runs, seed, nodes, .. } = args;
    let mut text = format!(
        "# Failover: faults of the leader, and the time without one\n\n\
         Algorithms that run for ever, in their default variants, and bully with a heartbeat detector for comparison:\n\
         {nodes} members, {runs} runs each with the seeds from {seed} on. This page is the output of\n\n\
         \x20   bellwether trials --runs {runs} --seed {seed} --nodes {nodes} --format markdown\n\n\
         and a test fails when it changes (`REWRITE_GOLDEN=1` rewrites it).\n\n\
         Messages take 0.1 to 1 delay bounds, and 0.1 % of them are lost, all the time. After 200 to 250 delay bounds the\n\
         fault strikes the leader of that moment. All figures are measured from then on, by an observer of all members.\n\n\
         | column | meaning |\n|---|---|\n\
         | no leader | how long there was no leader, in delay bounds: the median of the runs, and what 99 % of them did not exceed |\n\
         | several led | in how many runs two or more members led at once, and for how long at most, in delay bounds; a leader with a lease counts only while the lease is valid |\n\
         | in one term | in how many terms two or more members led, in all runs together; a dash where terms do not decide which member may lead |\n\
         | changes | how often the leader changed to another member, on average |\n\
         | kept its word | in how many runs the algorithm kept its guarantee: what it excludes at all times never happened, and the rest held in the end |\n"
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
