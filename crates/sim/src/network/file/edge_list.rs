//! Lists of links, one a line: `A B` or `A -> B` for a one-way link, `A -- B` for a two-way link,
//! `A` for a member that may have no links. Blank lines are skipped, and what follows a `#` at the
//! beginning of a word.

use super::draft::Draft;
use super::{Fault, Network};

const EXPECTED: &str = "expected a link 'A B', 'A -> B' or 'A -- B', or a member 'A'";

/// A word or a comma, and where it begins.
type Token<'t> = (usize, &'t str);

/// The network that the text lists, if it names anybody.
pub(super) fn parse(text: &str) -> Result<Option<Network>, Fault> {
    let mut draft = Draft::default();
    let mut words = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        words.clear();
        words.extend(words_of(line, line_start));
        line_start += line.len();
        parse_line(text, &words, &mut draft)?;
    }
    draft.finish(text)
}

fn parse_line<'t>(text: &str, words: &[Token<'t>], draft: &mut Draft<'t>) -> Result<(), Fault> {
    let (from, to, two_way) = match *words {
        [] => return Ok(()),
        [alone] => {
            check_name(text, alone)?;
            draft.appear(alone.1, alone.0);
            return Ok(());
        }
        [from, (_, "--"), to] => (from, to, true),
        [from, (_, "->" | ","), to] | [from, to] => (from, to, false),
        [_, (_, "--" | "->" | ","), _, (excess, _), ..] | [_, _, (excess, _), ..] => {
            return Err(Fault::at(text, excess, format!("one link a line: {EXPECTED}")));
        }
    };
    check_name(text, from)?;
    check_name(text, to)?;
    if from.1 == to.1 {
        let problem = format!("'{}' is linked to itself: a link joins two members", to.1);
        return Err(Fault::at(text, to.0, problem));
    }
    let (source, _) = draft.appear(from.1, from.0);
    let (target, _) = draft.appear(to.1, to.0);
    draft.link(source, target, two_way);
    Ok(())
}

/// Refuses what was hardly meant as a name.
fn check_name(text: &str, (offset, word): Token<'_>) -> Result<(), Fault> {
    match word {
        "," | "--" | "->" => {
            Err(Fault::at(text, offset, format!("'{word}' stands where a name should: {EXPECTED}")))
        }
        _ if word.contains("--") || word.contains("->") => {
            Err(Fault::at(text, offset, format!("'{word}' needs spaces between the names: {EXPECTED}")))
        }
        _ => Ok(()),
    }
}

/// The words and commas of a line that begins at `line_start`, up to a comment.
fn words_of(line: &str, line_start: usize) -> impl Iterator<Item = Token<'_>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let ends = |c: char| c.is_whitespace() || c == ',';
        let length = if rest.starts_with(',') { 1 } else { rest.find(ends).unwrap_or(rest.len()) };
        let begins = line_start + (line.len() - rest.len());
        let word;
        (word, rest) = rest.split_at(length);
        Some((begins, word))
    })
}
