//! Files that hold what is to be seen.

use std::path::Path;

/// What is to be seen is what a file in the crate's `tests/golden` says. With REWRITE_GOLDEN set, the file is
/// written instead: look at what changed before it is committed.
pub fn assert_golden(crate_dir: &str, name: &str, seen: &str) {
    let path = Path::new(crate_dir).join("tests/golden").join(name);
    if std::env::var_os("REWRITE_GOLDEN").is_some() {
        std::fs::write(&path, seen).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(seen == expected, "{name} is no longer what it was:\n{seen}\n(REWRITE_GOLDEN=1 rewrites it)");
}
