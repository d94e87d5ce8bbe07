//! Markdown for terminals: as much of it as the algorithms' texts use.

use bellwether_core::Citation;

/// Lines longer than this are hard to read, however wide the terminal.
const MOST_COLUMNS: usize = 100;

/// Paragraphs and lists filled to a width, headings underlined. Backquotes stay: they mark words of
/// the command line, with or without colour.
pub fn as_text(markdown: &str, width: usize) -> String {
    let width = width.min(MOST_COLUMNS);
    let mut text = String::new();
    for block in blocks(markdown) {
        let continues_list = block.is_item() && block.follows_item;
        if !text.is_empty() && !continues_list {
            text.push('\n');
        }
        text.push_str(&block.fill(width));
        text.push('\n');
    }
    text
}

/// A heading, a paragraph, a point of a list, or a line of code.
struct Block {
    /// What its first line begins with: the number or dash of a point, the indent of code.
    lead: String,
    words: String,
    kind: Kind,
    follows_item: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Heading(usize),
    Paragraph,
    Item,
    Code,
}

impl Block {
    fn is_item(&self) -> bool {
        matches!(self.kind, Kind::Item)
    }

    fn fill(&self, width: usize) -> String {
        match self.kind {
            Kind::Heading(1) => format!("{}\n{}", self.words, "=".repeat(self.words.chars().count())),
            Kind::Heading(2) => format!("{}\n{}", self.words, "-".repeat(self.words.chars().count())),
            Kind::Heading(_) => format!("{}:", self.words),
            Kind::Code => format!("{}{}", self.lead, self.words),
            Kind::Paragraph | Kind::Item => {
                let hang = " ".repeat(self.lead.len());
                let options =
                    textwrap::Options::new(width).initial_indent(&self.lead).subsequent_indent(&hang);
                textwrap::fill(&self.words, options)
            }
        }
    }
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut goes_on = false;
    for line in markdown.lines() {
        let words = line.trim();
        if words.is_empty() {
            goes_on = false;
            continue;
        }
        let (lead, rest, kind) = lead_of(line);
        match blocks.last_mut() {
            Some(last) if goes_on && kind == Kind::Paragraph => {
                last.words.push(' ');
                last.words.push_str(words);
            }
            last => {
                let follows_item = last.is_some_and(|last| last.is_item());
                let block =
                    Block { lead: lead.to_owned(), words: rest.trim().to_owned(), kind, follows_item };
                blocks.push(block);
            }
        }
        goes_on = matches!(kind, Kind::Paragraph | Kind::Item);
    }
    blocks
}

/// What a line begins with, the rest of it, and what that makes it.
fn lead_of(line: &str) -> (&str, &str, Kind) {
    let hashes = line.len() - line.trim_start_matches('#').len();
    if hashes > 0 {
        return ("", &line[hashes..], Kind::Heading(hashes));
    }
    if let Some(code) = line.strip_prefix("    ") {
        return ("    ", code, Kind::Code);
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marker = if digits > 0 { ". " } else { "- " };
    if line[digits..].starts_with(marker) {
        let (lead, rest) = line.split_at(digits + marker.len());
        return (lead, rest, Kind::Item);
    }
    ("", line, Kind::Paragraph)
}

/// One section of an algorithm's or a detector's text, without its heading.
pub fn section(text: &'static str, heading: &str) -> &'static str {
    let sections = text.split("## ").find_map(|section| section.strip_prefix(heading));
    sections.unwrap_or_default().trim()
}

/// Points, a line each.
pub fn list(points: impl Iterator<Item = String>) -> String {
    points.map(|point| format!("- {point}\n")).collect()
}

/// The text with a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A source, as tables have it.
pub fn short(source: &Citation) -> String {
    format!("{} {}", source.authors, source.year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_points_are_filled_and_headings_underlined() {
        let markdown = "# Name\n\nOne\ntwo three.\n\n- a b c\n  d e\n- f\n\n1. g\n\nEnd\n\n    code  as is\n";
        assert_eq!(
            as_text(markdown, 9),
            "Name\n====\n\nOne two\nthree.\n\n- a b c d\n  e\n- f\n1. g\n\nEnd\n\n    code  as is\n"
        );
        assert_eq!(as_text("", 9), "");
    }
}
