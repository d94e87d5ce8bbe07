//! What survives what, as a table.

use crate::output::{self, Column};
use bellwether_lab::matrix::{Example, MatrixCell};
use bellwether_lab::swarm::{Class, Model};
use std::collections::BTreeMap;

/// For people: an algorithm's models that always come right in one row, the others in a row each.
pub fn as_table(cells: &[MatrixCell], examples: &[Example]) -> String {
    let mut table =
        output::table(&[Column::Left("algorithm"), Column::Left("models"), Column::Left("runs come")]);
    for row in by_algorithm(cells) {
        let (right, others): (Vec<&MatrixCell>, Vec<&MatrixCell>) =
            row.iter().partition(|cell| cell.worst() == Class::Right);
        let name = row[0].choice.to_string();
        if !right.is_empty() {
            table.add_row([name.clone(), names(right.iter().map(|cell| cell.model)), "always right".into()]);
        }
        for cell in others {
            table.add_row([name.clone(), cell.model.to_string(), in_words(cell)]);
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

pub fn by_algorithm(cells: &[MatrixCell]) -> impl Iterator<Item = &[MatrixCell]> {
    cells.chunk_by(|one, other| one.choice == other.choice)
}

fn names(models: impl Iterator<Item = Model>) -> String {
    models.map(Model::name).collect::<Vec<_>>().join(", ")
}

/// What became of a cell's runs, the worst first.
pub fn in_words(cell: &MatrixCell) -> String {
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

pub fn heading(example: &Example) -> String {
    let Example { choice, model, class, found_at, .. } = example;
    format!("{choice} under {model}: {class} (seed {found_at})")
}

/// Examples by their commands, in the order in which they first come up.
pub fn by_command(examples: &[Example]) -> Vec<(String, Vec<&Example>)> {
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
