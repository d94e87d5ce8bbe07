//! The book's Rust is from examples of the crates, which are compiled with their documentation.

use crate::pages::{blocks, pages, root};
use std::fs;

/// Files whose documentation has the examples.
const SOURCES: [&str; 3] = [
    "crates/bellwether/src/lib.rs",
    "crates/bellwether/src/process.rs",
    "crates/cluster/src/elector/fence.rs",
];

#[test]
fn rust_of_the_book_is_from_the_examples_of_the_crates() {
    let examples = SOURCES.map(|path| {
        let source = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let documentation = source.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
        let text = documentation.map(|line| line.trim_start_matches(['/', '!', ' ']));
        text.map(|line| code(line).to_owned()).collect::<Vec<_>>()
    });
    let mut shown = 0;
    for page in pages() {
        for block in blocks(&page.text).0.iter().filter(|block| block.language == "rust") {
            let lines: Vec<&str> = block.text.lines().map(code).filter(|line| !line.is_empty()).collect();
            let has_all = |example: &Vec<String>| {
                let mut rest = example.iter();
                lines.iter().all(|line| rest.any(|it| it == line))
            };
            assert!(examples.iter().any(has_all), "{}: no example has\n{}", page.name(), block.text);
            shown += 1;
        }
    }
    assert!(shown > 0, "the book shows Rust");
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split(" // ").next().unwrap_or(line).trim()
}
