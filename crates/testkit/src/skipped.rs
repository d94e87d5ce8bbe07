//! For tests that need what not every machine has.

use std::fs::OpenOptions;
use std::io::Write as _;

/// Where all must be tested, this is set.
const ALL: &str = "BELLWETHER_TEST_ALL";
/// A file for what was not tested: test runners show nothing of tests that pass.
const NOTES: &str = "BELLWETHER_SKIPPED";

/// Says loudly that something was not tested. Where all must be, that is a failure.
///
/// # Panics
/// There.
pub fn skipped(what: &str, why: &str) {
    let words = format!("SKIPPED: {what} was NOT tested: {why}");
    assert!(std::env::var_os(ALL).is_none(), "{words}");
    let _ = writeln!(std::io::stderr(), "{words}"); // unlike what macros print, libtest lets it through
    if let Some(notes) = std::env::var_os(NOTES) {
        let file = OpenOptions::new().create(true).append(true).open(notes);
        let _ = file.and_then(|mut file| file.write_all(format!("{words}\n").as_bytes()));
    }
}
