//! Figures and violations.

use bellwether::judge::LeadershipInterval;
use bellwether_testkit::cluster::Cluster;
use bellwether_testkit::flood::Strength;
use bellwether_testkit::stop;
use std::time::{Duration, Instant};

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    violations: Vec<String>,
    missed: Vec<String>,
}

impl Report {
    pub fn has_violation(&self) -> bool {
        !self.violations.is_empty()
    }

    pub fn violations(&self) -> usize {
        self.violations.len()
    }

    /// Figures that missed their targets.
    pub fn missed(&self) -> &[String] {
        &self.missed
    }

    /// Prints a figure, with what it is to be and whether it is.
    pub fn figure(&mut self, name: &str, value: &str, target: &str, is_met: bool) {
        let verdict = if is_met { "met" } else { "MISSED" };
        if !is_met {
            self.missed.push(name.to_owned());
        }
        println!("{name}: {value} (target: {target}: {verdict})");
    }

    /// Prints a figure under floods. It misses its target if one of them was not what was wanted.
    pub fn figure_in_floods(
        &mut self,
        name: &str,
        value: &str,
        target: &str,
        is_met: bool,
        floods: &[Strength],
    ) {
        let is_flooded = floods.iter().all(Strength::is_enough);
        let weak = if is_flooded { "" } else { "; the flood was too weak" };
        self.figure(name, &format!("{value}{weak}"), target, is_met && is_flooded);
        let floods: Vec<String> = floods.iter().map(Strength::to_string).collect();
        self.note(&format!("  flood: {}", floods.join(", ")));
    }

    pub fn note(&self, text: &str) {
        println!("{text}");
    }

    pub fn violation(&mut self, text: String) {
        println!("VIOLATION: {text}");
        self.violations.push(text);
    }

    /// Ends a cluster and judges everything that its members said. Gives all leaderships, if they can be known.
    pub fn judge(&mut self, name: &str, cluster: &mut Cluster) -> Vec<LeadershipInterval> {
        cluster.end();
        match cluster.judge() {
            Ok(leaderships) => leaderships,
            Err(why) => {
                self.violation(format!("{name}: {why}"));
                cluster.record().change(|recording| recording.leaderships()).unwrap_or_default()
            }
        }
    }
}

/// Sleeps, unless the program is told to stop.
pub fn sleep(span: Duration) {
    sleep_until(Instant::now() + span);
}

pub fn sleep_until(end: Instant) {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_millis(50)));
        stop::unwind_if_requested();
    }
}

/// As milliseconds; "never" if it was not within the limit.
pub fn millis(time: Option<Duration>) -> String {
    time.map_or_else(|| "never".to_owned(), |time| format!("{:.0} ms", time.as_secs_f64() * 1e3))
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
