//! What ordeals did, as tables.

use super::Tried;
use crate::args::TrialsArgs;
use crate::output::{self, Column};
use bellwether_core::Spec;
use bellwether_lab::Summary;

pub const COLUMNS: [Column; 7] = [
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

pub fn by_ordeal(tried: &[Tried]) -> impl Iterator<Item = &[Tried]> {
    tried.chunk_by(|one, other| one.ordeal == other.ordeal)
}

pub fn cells(tried: &Tried) -> [String; COLUMNS.len()] {
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
pub fn shared_terms(tried: &Tried) -> Option<u64> {
    let Spec { reign, .. } = tried.choice.spec;
    reign.counts_terms().then_some(tried.shared_terms)
}
