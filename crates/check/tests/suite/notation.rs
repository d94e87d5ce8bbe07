//! Runs as people write them.

use bellwether_check::Counterexample;
use bellwether_model::Rules;

/// A whole run, one step a line.
pub fn written(rules: &Rules<'_>, run: &Counterexample) -> String {
    let mut text = String::new();
    for (number, action) in (0..).zip(&run.actions) {
        if run.loop_from == Some(number) {
            text.push_str("and from here on for ever:\n");
        }
        text.push_str(&rules.write(*action));
        text.push('\n');
    }
    text
}
