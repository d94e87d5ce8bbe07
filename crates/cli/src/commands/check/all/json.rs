//! What was proven up to which size, as JSON.

use crate::choice::Named;
use bellwether_check::MatrixCell;
use bellwether_check::Property;
use serde::Serialize;

#[derive(Serialize)]
struct CellObject {
    #[serde(flatten)]
    named: Named,
    initiators: String,
    faults: &'static str,
    applies: bool,
    holds_to: Option<u64>,
    states: Option<u64>,
    violated_at: Option<u64>,
    property: Option<Property>,
    steps: Option<usize>,
    draws_cut: bool,
}

/// As JSON.
pub fn as_json(cells: &[MatrixCell]) -> impl Serialize + use<> {
    let object = |cell: &MatrixCell| CellObject {
        named: Named::new(&cell.algorithm),
        initiators: cell.table.initiators().to_string(),
        faults: cell.column.name(),
        applies: cell.applies,
        holds_to: cell.held.map(|(n, _)| n),
        states: cell.held.map(|(_, states)| states),
        violated_at: cell.violated.map(|(n, ..)| n),
        property: cell.violated.map(|(_, property, _)| property),
        steps: cell.violated.map(|(.., steps)| steps),
        draws_cut: cell.is_cut,
    };
    cells.iter().map(object).collect::<Vec<_>>()
}
