//! For tests that need what not every machine has.

use std::io::Write as _;

/// Says loudly that something was not tested. Where all must be tested (`CI` is set), that is a failure.
///
/// # Panics
/// There.
pub fn skipped(what: &str, why: &str) {
    let words = format!("SKIPPED: {what} was NOT tested: {why}");
    assert!(std::env::var_os("CI").is_none(), "{words}");
    // What macros print is shown of tests that fail alone.
    let _ = writeln!(std::io::stderr(), "{words}");
}
