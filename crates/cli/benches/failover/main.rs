//! How long a cluster is without a leader, and what it costs at rest, with real processes on this machine.
//!
//! `cargo bench -p bellwether-cli --bench failover` prints a table; after `--`:
//! `--trials N` (20), `--rest SECONDS` (20; the figures in the manual are of 600), `--only WORD` (lines whose name has it).
//! Whichever rivals are installed (etcd, ZooKeeper, Redis Sentinel, NATS, keepalived) run beside it.

mod cluster;
mod rest;
mod rivals;
mod stalls;

use bellwether_testkit::namespace;
use cluster::{Blow, Cluster};
use std::time::Duration;

/// What one line of the table says.
struct Line {
    name: String,
    times: Vec<Duration>,
    /// Changes of leader that nobody brought about.
    unprovoked: u64,
}

struct Options {
    trials: usize,
    rest: Duration,
    only: String,
}

fn main() {
    if stalls::is_asked_to_watch() {
        return;
    }
    let options = options();
    println!("| what | trials | p50 ms | p99 ms | max ms | unprovoked changes |\n|---|---|---|---|---|---|");
    for (profile, is_fast) in [("steady", false), ("fast", true)] {
        for blow in Blow::ALL {
            let name = format!("{profile}: {}", blow.name());
            if name.contains(&options.only) {
                let mut cluster = Cluster::of(3, is_fast);
                print(&cluster.suffer(name, blow, options.trials));
            }
        }
    }
    rivals::run(options.trials, &options.only, print);
    println!(
        "\n| at rest, three members | seconds | % of a core a member | MiB a member + its supervisor | kB/s in all | \
         unprovoked changes | of them to another member | beside no stall | stalls of a core over 15 ms, over 25 ms, the longest \
         |\n|---|---|---|---|---|---|---|---|---|"
    );
    for (profile, is_fast) in [("steady", false), ("fast", true)] {
        for busy_loops in [0, 4] {
            let beside =
                if busy_loops == 0 { "idle".to_owned() } else { format!("beside {busy_loops} busy loops") };
            let name = format!("at rest: {profile}, {beside}");
            if name.contains(&options.only) {
                rest::measure(&name, is_fast, busy_loops, options.rest);
            }
        }
    }
}

fn options() -> Options {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| arguments.iter().position(|it| it == name).and_then(|at| arguments.get(at + 1));
    Options {
        trials: value("--trials").and_then(|text| text.parse().ok()).unwrap_or(20),
        rest: Duration::from_secs(value("--rest").and_then(|text| text.parse().ok()).unwrap_or(20)),
        only: value("--only").cloned().unwrap_or_default(),
    }
}

fn print(line: &Line) {
    let mut times = line.times.clone();
    times.sort_unstable();
    // The nearest rank: with 20 trials the 99th percentile is the greatest.
    let quantile = |share: f64| {
        let at = (share * times.len() as f64).ceil().max(1.0) as usize - 1;
        times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    };
    println!(
        "| {} | {} | {:.1} | {:.1} | {:.1} | {} |",
        line.name,
        times.len(),
        quantile(0.5),
        quantile(0.99),
        quantile(1.0),
        line.unprovoked
    );
}
