//! A bar for long work, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::Duration;

/// How often it is drawn anew.
const TICK: Duration = Duration::from_millis(250);

/// A bar that fills up to `total`; invisible unless somebody watches the error output. It goes
/// away when it is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// An empty bar.
    pub fn new(total: u64, unit: &'static str) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let form = format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{elapsed}}, {{eta}} left {{msg}}");
        let style = ProgressStyle::with_template(&form).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total).with_style(style.progress_chars("=> "));
        bar.enable_steady_tick(TICK); // it shows before anything is done
        Progress(bar)
    }

    /// A sign of life for work of unknown length.
    pub fn endless(what: String) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
        let bar = ProgressBar::new_spinner().with_message(what);
        bar.enable_steady_tick(TICK);
        Progress(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner())))
    }

    /// One more is done.
    pub fn advance(&self) {
        self.0.inc(1);
    }

    /// What is being done.
    pub fn say(&self, what: String) {
        self.0.set_message(what);
    }
}

impl bellwether_lab::Progress for Progress {
    fn begin(&self, part: &str) {
        self.say(format!("({part})"));
    }

    fn advance(&self) {
        Progress::advance(self);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
