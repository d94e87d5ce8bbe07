//! The book's pages, as Markdown.

use std::fs;
use std::path::{Path, PathBuf};

/// A written page is at most this long.
const MOST_WORDS: usize = 1_500;
/// A page with this text is made from the program or from another file.
pub const GENERATED: &str = "<!-- generated";

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// A Markdown file.
pub struct Page {
    pub path: PathBuf,
    /// As in the file.
    pub text: String,
}

impl Page {
    pub fn read(path: &Path) -> Page {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Page { path: path.to_owned(), text }
    }

    /// The name for messages, relative to the repository.
    pub fn name(&self) -> String {
        self.path.strip_prefix(root()).unwrap_or(&self.path).display().to_string()
    }

    pub fn is_generated(&self) -> bool {
        self.text.contains(GENERATED) || self.text.contains("{{#include ../../../docs/")
    }

    /// The text with the files that it includes.
    pub fn expanded(&self) -> String {
        let mut expanded = String::new();
        for line in self.text.lines() {
            let included = line.trim().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
            match included {
                Some(name) => {
                    expanded.push_str(&Page::read(&self.path.parent().unwrap().join(name)).text);
                }
                None => expanded.push_str(line),
            }
            expanded.push('\n');
        }
        expanded
    }
}

/// A fenced block of code.
pub struct Block {
    pub language: String,
    pub text: String,
}

/// The fenced blocks of a page, and the text outside them.
pub fn blocks(text: &str) -> (Vec<Block>, String) {
    let (mut blocks, mut prose) = (Vec::<Block>::new(), String::new());
    let mut open = false;
    for line in text.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                open = true;
                blocks.push(Block { language: language.to_owned(), text: String::new() });
            }
            None => {
                let to = if open { &mut blocks.last_mut().unwrap().text } else { &mut prose };
                to.push_str(line);
                to.push('\n');
            }
        }
    }
    assert!(!open, "a block of code is not closed");
    (blocks, prose)
}

/// All pages of the book but its table of contents, by path.
pub fn pages() -> Vec<Page> {
    let mut found = Vec::new();
    collect(&root().join("book/src"), &mut found);
    found.retain(|path| !path.ends_with("SUMMARY.md"));
    found.sort();
    found.iter().map(|path| Page::read(path)).collect()
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the book is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|it| it == "md") {
            found.push(path);
        }
    }
}

#[test]
fn table_of_contents_names_every_page_once() {
    let summary = fs::read_to_string(root().join("book/src/SUMMARY.md")).unwrap();
    let mut named: Vec<PathBuf> = summary
        .split("](")
        .skip(1)
        .map(|rest| root().join("book/src").join(rest.split(')').next().unwrap()))
        .collect();
    named.sort();
    let there: Vec<PathBuf> = pages().into_iter().map(|page| page.path).collect();
    assert_eq!(named, there);
    // mdBook calls such a page index.html, and does not change the links that lead to it.
    assert!(there.iter().all(|path| !path.ends_with("README.md")), "a page is called README.md");
}

#[test]
fn written_pages_are_short() {
    for page in pages().iter().filter(|page| !page.is_generated()) {
        let words = page.text.split_whitespace().count();
        assert!(words <= MOST_WORDS, "{} has {words} words; split it at {MOST_WORDS}", page.name());
    }
}

#[test]
fn pages_begin_with_their_title() {
    for page in pages() {
        let expanded = page.expanded();
        let first = expanded.lines().find(|line| !line.is_empty() && !line.starts_with("<!--"));
        assert!(first.is_some_and(|line| line.starts_with("# ")), "{} begins with {first:?}", page.name());
    }
}
