//! The book and the README keep to the words of the glossary.

use crate::pages::{Page, blocks, pages, root};

#[test]
fn written_pages_have_none_of_the_words_that_the_glossary_avoids() {
    let avoided = avoided();
    assert!(avoided.len() > 10, "{avoided:?}");
    let mut checked = pages();
    checked.push(Page::read(&root().join("README.md")));
    let mut found = Vec::new();
    for page in checked.iter().filter(|page| !page.is_generated() && !page.path.ends_with("avoided-words.md"))
    {
        let (_, prose) = blocks(&page.text);
        let outside_code: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let words: Vec<String> = outside_code
            .to_lowercase()
            .split(|letter: char| !letter.is_alphanumeric() && letter != '-')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let text = format!(" {} ", words.join(" "));
        for word in avoided.iter().filter(|word| text.contains(&format!(" {word} "))) {
            found.push(format!("{}: \"{word}\"", page.name()));
        }
    }
    assert!(found.is_empty(), "say it as the glossary does: {found:#?}");
}

/// The first column of the glossary's table.
fn avoided() -> Vec<String> {
    let page = Page::read(&root().join("book/src/glossary/avoided-words.md"));
    let rows = page.text.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells = rows.map(|row| row.split('|').nth(1).unwrap().trim().to_lowercase());
    cells.flat_map(|cell| cell.split(", ").map(str::to_owned).collect::<Vec<_>>()).collect()
}
