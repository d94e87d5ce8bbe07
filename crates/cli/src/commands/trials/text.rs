//! Failover figures, as tables.

use crate::args::TrialsArgs;
use crate::output::{self, Column};
use bellwether_core::Spec;
use bellwether_lab::Summary;
use bellwether_lab::failover::FailoverFigures;

pub const COLUMNS: [Column; 7] = [
    Column::Left("algorithm"),
    Column::Right("no leader: median"),
    Column::Right("99 %"),
    Column::Left("several led"),
    Column::Left("in one term"),
    Column::Right("changes"),
    Column::Left("kept its word"),
];

/// For people: a table for each case.
pub fn as_text(args: &TrialsArgs, all: &[FailoverFigures]) -> String {
    let mut text = format!(
        "{} members, messages take 0.1 to 1 delay bounds, 0.1 % are lost; {} runs each, seeds from {}\n",
        args.nodes, args.runs, args.seed
    );
    for figures in by_case(all) {
        let mut table = output::table(&COLUMNS);
        for one in figures {
            table.add_row(cells(one));
        }
        let FailoverFigures { case, .. } = figures[0];
        text.push_str(&format!("\n{case}: {}\n\n{}", case.about(), output::lines_of(&table)));
    }
    text
}

pub fn by_case(all: &[FailoverFigures]) -> impl Iterator<Item = &[FailoverFigures]> {
    all.chunk_by(|one, other| one.case == other.case)
}

pub fn cells(figures: &FailoverFigures) -> [String; COLUMNS.len()] {
    let hops = |of: fn(&Summary) -> f64| figures.without_leader.as_ref().map_or(0.0, of);
    let (median, high) = (hops(|summary| summary.p50), hops(|summary| summary.p99));
    let changes = figures.changes.map_or(0.0, |summary| summary.mean);
    let runs = output::grouped(figures.runs);
    let of_runs = |count: u64| format!("{} of {runs}", output::grouped(count));
    [
        figures.choice.to_string(),
        format!("{median:.1}"),
        format!("{high:.1}"),
        match figures.runs_with_several {
            0 => "never".to_owned(),
            count => format!("{}, up to {:.1}", of_runs(count), figures.longest_with_several),
        },
        shared_terms(figures).map_or("-".to_owned(), output::grouped),
        format!("{changes:.1}"),
        if figures.came_right == figures.runs { "always".to_owned() } else { of_runs(figures.came_right) },
    ]
}

/// Where terms say who may lead.
pub fn shared_terms(figures: &FailoverFigures) -> Option<u64> {
    let Spec { reign, .. } = figures.choice.spec;
    reign.counts_terms().then_some(figures.shared_terms)
}
