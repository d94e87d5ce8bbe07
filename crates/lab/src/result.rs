//! How runs turn out.

use bellwether_sim::Report;

/// How a run, or the worst of many, turned out; the later, the worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunResult {
    /// Safe, live, and as claimed.
    #[default]
    Right,
    /// A claim does not hold.
    NotAsClaimed,
    /// Liveness was not reached.
    NotLive,
    /// Safety was violated.
    Unsafe,
}

impl RunResult {
    /// How one run turned out.
    #[must_use]
    pub fn of(report: &Report) -> RunResult {
        if report.ruling.unsafe_because.is_some() {
            RunResult::Unsafe
        } else if report.ruling.not_live_because.is_some() {
            RunResult::NotLive
        } else if report.is_as_it_should_be() {
            RunResult::Right
        } else {
            RunResult::NotAsClaimed
        }
    }
}

/// What is wrong with a run, in words.
#[must_use]
pub fn problems(report: &Report) -> Vec<String> {
    report.ruling.unsafe_because.iter().chain(&report.ruling.not_live_because).cloned().collect()
}
