//! How errors name fields.
//!
//! A field of a setup is a key of a scenario file, an option of the command line and a key of a trace. An error of this
//! library names it in backquotes: "leave out `ring_closes`". Who shows the error writes the name as the user did.

/// Writes the fields that a text names in another way: `write` is given the name of each.
#[must_use]
pub fn rewrite_fields(text: &str, write: impl Fn(&str) -> String) -> String {
    let is_name = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        written.push_str(before);
        match after.split_once('`').filter(|(name, _)| is_name(name)) {
            Some((name, after)) => {
                written.push_str(&write(name));
                rest = after;
            }
            None => {
                written.push('`');
                rest = after;
            }
        }
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_backquotes_are_rewritten() {
        let shout = |text| rewrite_fields(text, str::to_uppercase);
        assert_eq!(
            shout("leave out `ring_closes`, or add `crashes`"),
            "leave out RING_CLOSES, or add CRASHES"
        );
        assert_eq!(shout("no topology '`a b`': ring"), "no topology '`a b`': ring");
        assert_eq!(shout("``ids` and `"), "`IDS and `");
        assert_eq!(shout("none"), "none");
    }
}
