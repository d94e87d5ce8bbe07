//! The map in ARCHITECTURE.md: each file and folder that it names exists.

use crate::pages::root;
use std::fs;
use std::path::Path;

/// All files and folders below one, as paths from the repository.
fn add_paths_below(folder: &Path, root: &Path, paths: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        paths.push(format!("/{name}"));
        if path.is_dir() && !name.ends_with("target") {
            add_paths_below(&path, root, paths);
        }
    }
}

/// What is written in backquotes and looks like a path.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
    quoted.filter(|it| {
        it.ends_with(".rs") || it.ends_with(".md") || it.ends_with('/') || it.starts_with("crates/")
    })
}

#[test]
fn every_path_that_the_architecture_names_exists() {
    let root = root();
    let mut paths = Vec::new();
    for folder in ["crates", "book", "scenarios"] {
        add_paths_below(&root.join(folder), &root, &mut paths);
        paths.push(format!("/{folder}"));
    }
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let exists =
        |named: &str| paths.iter().any(|path| path.ends_with(&format!("/{}", named.trim_end_matches('/'))));
    let named: Vec<&str> = named_paths(&text).filter(|path| !path.contains("my_algorithm")).collect();
    assert!(named.len() > 100, "only {} paths are named", named.len());
    let missing: Vec<&&str> = named.iter().filter(|path| !exists(path)).collect();
    assert!(missing.is_empty(), "there is no such file or folder: {missing:?}");
    assert!(!exists("crates/none.rs"));
}
