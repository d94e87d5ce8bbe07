//! What was proven up to which size, as a page.

use super::text::in_words;
use crate::output::grouped;
use bellwether_check::Property;
use bellwether_check::{MatrixCell, MatrixColumn, MatrixTable};

/// The page `docs/proven.md`.
pub fn as_markdown(cells: &[MatrixCell], states: u64) -> String {
    let mut text = format!(
        "# What is proven, up to which size\n\n\
         Every variant of every algorithm, checked exhaustively: every order in which messages can arrive and members\n\
         can act, with ids in the order that costs rings the most messages, and the faults of the column at any time.\n\
         In the first table every member calls. Algorithms that need to be called are in a second one, in which exactly\n\
         one member calls: each in turn. Where members go on for ever (leaders that renew, or beat; rounds that do not end, as in `lcr`) a run is over as soon\n\
         as all is as it should be, and faults come before that: what happens to a settled leader is not in the table, nor are\n\
         clocks that go wrong. `--ticks N` follows such runs further, but for rounds, and `--drift P%` lets clocks go wrong. This\n\
         page is the output of\n\n\
         \x20   bellwether check --all --states {states} --format markdown\n\n\
         and a test checks its smaller cells again (`REWRITE_GOLDEN=1` rewrites it).\n\n\
         | a cell says | that |\n|---|---|\n\
         | holds to n = 4 (1,234 states) | with 2, 3 and 4 members every property holds in every run; with 4 there are so many states, for all callers together |\n\
         | violated at n = 3: eventually (9 steps) | with fewer than 3 members everything holds; with 3 a run of 9 steps breaks this property, the gravest |\n\
         | beyond reach | even with the fewest members there are too many states |\n\
         | - | not checked: rounds run over a synchroniser, which is not made for faults |\n\n\
         *Lots: k* says that members drew at most k numbers each, and that runs with more were left out. Sizes grow to\n\
         8, or until a check has more than {} states: the bound is in states and not in time, so that the page is the same\n\
         on every machine. `bellwether check ALGORITHM --nodes N --crashes 1`, say, repeats a cell of the first table, and\n\
         goes further; with `--initiators one`, a cell of the second.\n\n\
         | property | what it says |\n|---|---|\n",
        grouped(states)
    );
    for property in Property::ALL {
        text.push_str(&format!("| {} | {} |\n", property.name(), property.sentence()));
    }
    text.push_str(
        "\nWhat is claimed is claimed of runs that nothing disturbs: where there are faults, `as-claimed` says nothing. Nor does\n\
         `one-leader` of algorithms that promise one leader only at last (`omega`). An election that is called is required\n\
         only if a live member has taken part in it, as its caller or because it heard a message: a caller that crashes\n\
         unheard breaks nothing.\n",
    );
    for table in cells.chunk_by(|one, other| one.table == other.table) {
        text.push_str(&as_section(table));
    }
    text
}

/// One table of the page.
fn as_section(cells: &[MatrixCell]) -> String {
    let title = match cells[0].table {
        MatrixTable::EveryoneCalls => "Every member calls",
        MatrixTable::OneCalls => "One member calls",
    };
    let mut text = format!("\n## {title}\n\n| algorithm |");
    text.push_str(&MatrixColumn::ALL.map(|column| format!(" {} |", column.name())).concat());
    text.push_str(&format!("\n|---|{}\n", "---|".repeat(MatrixColumn::ALL.len())));
    for row in cells.chunk_by(|one, other| one.algorithm == other.algorithm) {
        let words: String = row.iter().map(|cell| format!(" {} |", in_words(cell))).collect();
        text.push_str(&format!("| {} |{words}\n", row[0].algorithm));
    }
    text
}
