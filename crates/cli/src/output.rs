//! What goes to standard output: figures, tables, JSON.

use crate::error::Failure;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;
use std::io::{self, Write as _};

/// Tables are this wide where there is no terminal to fit them to.
const WIDTH_OFF_TERMINAL: u16 = 120;
/// Narrower than this, a table would be a column of letters: then lines may as well be broken.
const LEAST_WIDTH: u16 = 70;
/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes data for the user or the next program.
pub fn print(data: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(data).and_then(|()| stdout.flush()).map_err(|error| Failure::stdout(&error))
}

/// Writes a value as JSON.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|error| Failure::System(format!("no JSON: {error}")))?;
    text.push(b'\n');
    print(&text)
}

/// Where a column's content stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Words.
    Left(&'static str),
    /// Numbers.
    Right(&'static str),
}

/// An empty table for claims and what came of them.
pub fn claims_table() -> Table {
    table(&[
        Column::Left("claim"),
        Column::Left("expected"),
        Column::Right("measured"),
        Column::Left("holds"),
        Column::Left("formula"),
    ])
}

/// An empty table without frills: columns, a line under their names, rows.
pub fn table(columns: &[Column]) -> Table {
    let underline = LineStyle::none().fill('-').junction('-');
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(underline));
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(terminal_width(&table));
    table.set_header(columns.iter().map(|column| match column {
        Column::Left(name) | Column::Right(name) => *name,
    }));
    for (at, column) in columns.iter().enumerate() {
        if let Some(made) = table.column_mut(at) {
            made.set_padding((0, 2));
            if matches!(column, Column::Right(_)) {
                made.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table
}

/// How many columns output may take.
pub fn width() -> usize {
    terminal_width(&Table::new()).into()
}

fn terminal_width(table: &Table) -> u16 {
    let width = if table.is_tty() { table.width() } else { None };
    width.unwrap_or(WIDTH_OFF_TERMINAL).max(LEAST_WIDTH)
}

/// A table as text, without blanks at the ends of lines.
pub fn lines_of(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Whether something holds, in a word.
pub fn yes_or_no(holds: Option<bool>) -> &'static str {
    match holds {
        Some(true) => "yes",
        Some(false) => "NO",
        None => "-",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
