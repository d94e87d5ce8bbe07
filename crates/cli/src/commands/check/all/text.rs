//! What was proven up to which size, as a table.

use crate::output::{self, grouped};
use bellwether_check::DEFAULT_DRAWS;
use bellwether_check::MatrixCell;

/// For people: a row for each algorithm and column.
pub fn as_table(cells: &[MatrixCell]) -> String {
    let mut table = output::table(&[
        output::Column::Left("algorithm"),
        output::Column::Left("initiators"),
        output::Column::Left("what may go wrong"),
        output::Column::Left("what is known"),
    ]);
    for cell in cells.iter().filter(|cell| cell.applies) {
        let initiators = cell.table.initiators().to_string();
        table.add_row([
            cell.algorithm.to_string(),
            initiators,
            cell.column.name().to_owned(),
            in_words(cell),
        ]);
    }
    output::lines_of(&table)
}

/// What is known of a cell.
pub fn in_words(cell: &MatrixCell) -> String {
    let words = match (&cell.violated, &cell.held) {
        _ if !cell.applies => return "-".to_owned(),
        (Some((n, property, steps)), _) => {
            format!("violated at n = {n}: {} ({steps} steps)", property.name())
        }
        (None, Some((n, states))) => format!("holds to n = {n} ({} states)", grouped(*states)),
        (None, None) if cell.is_late => return "not in the time".to_owned(),
        (None, None) => return "beyond reach".to_owned(),
    };
    let lots = if cell.is_cut { format!(", lots: {DEFAULT_DRAWS}") } else { String::new() };
    format!("{words}{lots}")
}
