//! Links in the book, the README and the other documents lead to something.

use crate::pages::{Page, blocks, pages, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn links_of_the_book_lead_to_pages_of_the_book() {
    let book = root().join("book/src");
    for page in pages() {
        for target in links(&page.expanded()) {
            let (file, anchor) = split(&page, &target);
            assert!(file.starts_with(&book), "{}: {target} is not in the book", page.name());
            check(&page, &target, &file, anchor);
        }
    }
}

#[test]
fn links_of_other_documents_lead_to_files() {
    let mut documents: Vec<PathBuf> = Vec::new();
    for directory in [root(), root().join("docs")] {
        let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        documents.extend(files.filter(|path| path.extension().is_some_and(|it| it == "md")));
    }
    for page in documents.iter().map(|path| Page::read(path)) {
        for target in links(&page.text) {
            let (file, anchor) = split(&page, &target);
            check(&page, &target, &file, anchor);
        }
    }
}

/// The targets of a text's links that are not addresses on the web.
fn links(text: &str) -> Vec<String> {
    let (_, prose) = blocks(text);
    let outside_code: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let targets = outside_code.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

fn split<'a>(page: &Page, target: &'a str) -> (PathBuf, Option<&'a str>) {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { page.path.clone() } else { page.path.parent().unwrap().join(file) };
    (normal(&path), anchor)
}

fn check(page: &Page, target: &str, file: &Path, anchor: Option<&str>) {
    assert!(file.exists(), "{}: {target} leads nowhere", page.name());
    if let Some(anchor) = anchor {
        let anchors = anchors(&Page::read(file).expanded());
        let has = anchors.contains(&anchor.to_owned());
        assert!(has, "{}: {target}: no such heading, but {anchors:?}", page.name());
    }
}

/// What headings are called in addresses.
fn anchors(text: &str) -> Vec<String> {
    let (_, prose) = blocks(text);
    let mut times = BTreeMap::new();
    let mut anchors = Vec::new();
    for line in prose.lines().filter(|line| line.starts_with('#')) {
        let heading = line.trim_start_matches('#').trim();
        // A link in a heading counts by its text.
        let words = heading.replace('[', "").split("](").map(|part| part.to_owned()).collect::<Vec<_>>();
        let heading = if words.len() > 1 { words[0].clone() } else { heading.to_owned() };
        let anchor: String = heading
            .to_lowercase()
            .chars()
            .filter_map(|letter| match letter {
                ' ' => Some('-'),
                '-' | '_' => Some(letter),
                _ => letter.is_alphanumeric().then_some(letter),
            })
            .collect();
        let earlier = times.entry(anchor.clone()).or_insert(0);
        anchors.push(if *earlier == 0 { anchor } else { format!("{anchor}-{earlier}") });
        *earlier += 1;
    }
    anchors
}

/// The path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}
