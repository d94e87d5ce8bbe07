//! Silent connections at every member: strangers connect, say nothing, and stay.

use crate::options::{Options, Speed};
use crate::report::{Report, millis, sleep};
use bellwether_testkit::availability::median;
use bellwether_testkit::cables::{Cables, STRANGERS};
use bellwether_testkit::delay::{self, Delay};
use bellwether_testkit::flood::{Flood, Flooding};
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

/// Connections a second at each member.
const RATE: u32 = 3_700;
/// Half of a round trip.
const ONE_WAY: Duration = Duration::from_millis(10);
/// Who has not come back by now never does.
const LIMIT: Duration = Duration::from_secs(15);
const TARGET: Duration = Duration::from_secs(1);
/// Before anything happens, the flood is at its height.
const RAMP: Duration = Duration::from_secs(1);
/// Whatever goes wrong, a flood ends by then.
const LONGEST_FLOOD: Duration = Duration::from_secs(180);
/// Held open at each member at the most.
const MOST_OPEN: usize = 1_000;
const FEW_FILES: u32 = 64;

pub fn run(options: &Options, report: &mut Report) {
    for speed in options.profiles(&[Speed::Steady]) {
        if speed == Speed::Fast {
            report.note("connection-flood: leases of 'fast' end within a round trip of 20 ms: not run");
            continue;
        }
        for sources in [0, 1, 1_000] {
            rejoin(speed, sources, options.trials(3), report);
        }
        fail_over(speed, options.trials(3), report);
    }
}

/// A member restarts during the flood, with a round trip of 20 ms between members.
fn rejoin(speed: Speed, sources: u32, trials: u32, report: &mut Report) {
    let from = if sources == 0 { "no flood".to_owned() } else { format!("{sources} source addresses") };
    let name = format!("connection-flood, {}, {from}, round trip 20 ms", speed.name());
    let cables = Cables::try_lay(3).unwrap_or_else(|why| panic!("{name}: {why}"));
    let _delay = Delay::lay(&cables, ONE_WAY).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut cluster = cables.connect_at(delay::address, |settings| speed.set(settings));
    cluster.start_all();
    let mut times = Vec::new();
    let floods = flood(&cables, sources);
    for _ in 0..trials {
        sleep(RAMP);
        cluster.kill(1);
        let begun = Instant::now();
        cluster.start(1);
        let back = cluster
            .record()
            .within(LIMIT, |recording| recording.known_leaders().contains_key(&1).then(|| begun.elapsed()));
        times.push(back.unwrap_or(Duration::MAX));
    }
    let rates = rates(&floods);
    drop(floods);
    report.judge(&name, &mut cluster);
    print(report, &format!("{name}: rejoin"), times, &rates);
}

/// A member restarts and then the leader is killed, during the flood; members may open few files.
fn fail_over(speed: Speed, trials: u32, report: &mut Report) {
    let name = format!("connection-flood, {}, 'ulimit -n {FEW_FILES}', round trip 20 ms", speed.name());
    let cables = Cables::try_lay(3).unwrap_or_else(|why| panic!("{name}: {why}"));
    let _delay = Delay::lay(&cables, ONE_WAY).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut times = Vec::new();
    let mut rates_seen = Vec::new();
    for _ in 0..trials {
        let mut cluster = cables.connect_at(delay::address, |settings| speed.set(settings));
        for (me, namespace) in (1..).zip(cables.members()) {
            let (pid, script) = (namespace.pid().to_string(), format!("ulimit -n {FEW_FILES}; exec \"$@\""));
            cluster.start_through(me, &["nsenter", "--target", &pid, "--net", "sh", "-c", &script, "sh"], 0);
        }
        let (leader, term) = cluster.start_all();
        let floods = flood(&cables, 1);
        sleep(RAMP);
        cluster.kill(1);
        cluster.start(1);
        sleep(RAMP);
        let begun = Instant::now();
        cluster.kill(leader);
        let is_later = |known: &(u64, u64)| known.0 != leader && known.1 > term;
        let led = cluster.record().within(LIMIT, |recording| {
            let mut known = recording.known_leaders().values();
            known.any(is_later).then(|| begun.elapsed())
        });
        times.push(led.unwrap_or(Duration::MAX));
        rates_seen.push(rates(&floods));
        drop(floods);
        report.judge(&name, &mut cluster);
    }
    print(report, &format!("{name}: failover after kill -9"), times, &rates_seen.join("; "));
}

/// Floods every member, from so many addresses; not at all from none.
fn flood(cables: &Cables, sources: u32) -> Vec<Flooding> {
    let [a, b] = STRANGERS;
    let ids = 1..=cables.members().len() as u64;
    let flood = |me: u64| Flood {
        target: format!("{}:7400", delay::address(me)).parse().expect("an address and a port"),
        rate: if sources == 0 { 0 } else { RATE },
        burst: 1,
        words: Vec::new(),
        stay: LONGEST_FLOOD,
        most_open: MOST_OPEN,
        sources: (Ipv4Addr::new(a, b, 1, 1), sources),
        from: Some(Flood::place(cables.router())),
        limit: LONGEST_FLOOD,
    };
    ids.map(|me| flood(me).begin()).collect()
}

fn rates(floods: &[Flooding]) -> String {
    let rates: Vec<String> = floods.iter().map(|flood| format!("{:.0}", flood.rate())).collect();
    format!("{} connections/s", rates.join(", "))
}

fn print(report: &mut Report, name: &str, times: Vec<Duration>, rates: &str) {
    let shown = |time: Duration| millis((time < LIMIT).then_some(time));
    let worst = times.iter().max().copied().unwrap_or(Duration::MAX);
    let all: Vec<String> = times.iter().map(|&time| shown(time)).collect();
    let median = median(times).unwrap_or(Duration::MAX);
    let value = format!("{}, at most {}", shown(median), shown(worst));
    report.figure(name, &value, "at most 1000 ms", worst <= TARGET);
    report.note(&format!("  of {}; flood: {rates}", all.join(", ")));
}
