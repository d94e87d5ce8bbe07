//! Library errors name fields; only the program speaks of flags.

use crate::program::run_well;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::fs;
use std::path::{Path, PathBuf};

/// Every library crate.
const LIBRARIES: [&str; 10] =
    ["algorithms", "bellwether", "check", "cluster", "core", "engine", "lab", "model", "runspec", "sim"];
/// Where flags are the matter: the options of a run with their help, and the command that repeats it.
const ABOUT_FLAGS: [&str; 2] = ["runspec/src/fields.rs", "runspec/src/shell.rs"];

/// The string literals of a file that are part of the program: not comments, not tests.
fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    let mut before: Vec<TokenTree> = Vec::new();
    let mut is_test = false;
    for token in tokens {
        match &token {
            TokenTree::Group(group) => {
                let text = group.stream().to_string();
                let is_attribute = group.delimiter() == Delimiter::Bracket
                    && matches!(before.last(), Some(TokenTree::Punct(punct)) if "#!".contains(punct.as_char()));
                is_test |= is_attribute && text.starts_with("cfg (test");
                let is_comment = is_attribute && text.starts_with("doc");
                let is_body = group.delimiter() == Delimiter::Brace;
                if !(is_comment || is_test && is_body) {
                    literals(group.stream(), found);
                }
                is_test &= !is_body;
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => is_test = false,
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.starts_with('"') || text.starts_with("r\"") || text.starts_with("r#") {
                    found.push(text);
                }
            }
            _ => {}
        }
        before.push(token);
    }
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The string literals of a library.
fn literals_of(library: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    sources(&crates.join(library).join("src"), &mut files);
    let mut all = Vec::new();
    for file in files {
        let tokens: TokenStream = fs::read_to_string(&file).unwrap().parse().unwrap();
        let mut found = Vec::new();
        literals(tokens, &mut found);
        all.extend(found.into_iter().map(|text| (file.clone(), text)));
    }
    all
}

/// The first flag that a text names: two hyphens, then a letter or what is put in. The variables of a style sheet,
/// `--ink:#1b1f24` and `var(--ink)`, are none.
fn flag(text: &str) -> Option<&str> {
    text.match_indices("--").find_map(|(at, _)| {
        let (before, from) = (&text[..at], &text[at..]);
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_{}".contains(c);
        let (name, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        let begins = name[2..].starts_with(|c: char| c.is_ascii_lowercase() || c == '{');
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let value =
            after.strip_prefix(':').is_some_and(|value| value.starts_with(|c: char| !c.is_whitespace()));
        (begins && is_word && !value && !before.ends_with("var(")).then_some(name)
    })
}

#[test]
fn library_errors_name_no_flags() {
    let mut count = 0;
    for library in LIBRARIES {
        let told = literals_of(library).into_iter();
        for (file, text) in told.filter(|(file, _)| !ABOUT_FLAGS.iter().any(|path| file.ends_with(path))) {
            assert_eq!(flag(&text), None, "{}: {text}", file.display());
            count += 1;
        }
    }
    assert!(count > 2_000, "{count} string literals are few");
    // What would be found.
    assert_eq!(flag("leave out --ring-closes: it is for rings"), Some("--ring-closes"));
    assert_eq!(flag("leave out --{key}"), Some("--{key}"));
    assert_eq!(flag("it is dead (--crash {0}@0)"), Some("--crash"));
    assert_eq!(flag("fill:var(--ink);--k0:#ffffff}a -- b, a--b, a --> b"), None);
}

/// The program shows a field as the flag of the same name. So each that an error names must have one.
#[test]
fn each_field_that_library_errors_name_is_an_option() {
    let help: String =
        ["simulate", "check"].map(|command| run_well(&format!("{command} --help")).stdout).concat();
    let mut named = Vec::new();
    for library in ["check", "model", "runspec", "sim"] {
        for (_, text) in literals_of(library) {
            // What is between the first backquote and the second, the third and the fourth ...
            let fields = text.split('`').skip(1).step_by(2).map(str::to_owned);
            named.extend(fields.filter(|field| field.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
        }
    }
    for field in &named {
        let option = if field == "memory_limit" { "memory" } else { field };
        let flag = format!("--{}", option.replace('_', "-"));
        let ends = |c: char| !c.is_ascii_lowercase() && c != '-';
        assert!(help.split(ends).any(|word| word == flag), "`{field}` is no option");
    }
    assert!(named.len() > 20, "{named:?}");
}
