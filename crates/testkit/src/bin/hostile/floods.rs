//! Connections at every member: strangers connect, say nothing or the first byte of a handshake, and stay.

use crate::options::{Options, Speed};
use crate::report::{Report, millis, sleep};
use bellwether_testkit::availability::median;
use bellwether_testkit::cables::{Cables, STRANGERS};
use bellwether_testkit::delay::{self, Delay};
use bellwether_testkit::flood::{Flood, Flooding, Strength};
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

/// Connections a second at each member.
const RATE: u32 = 3_700;
/// Half of a round trip.
const ONE_WAY: Duration = Duration::from_millis(10);
/// A member that has not come back by now never does.
const LIMIT: Duration = Duration::from_secs(15);
const TARGET: Duration = Duration::from_secs(1);
/// Before anything happens, the flood is at its height.
const RAMP: Duration = Duration::from_secs(1);
/// Whatever goes wrong, a flood ends by then.
const LONGEST_FLOOD: Duration = Duration::from_secs(180);
/// Held open at each member at the most.
const MOST_OPEN: usize = 1_000;
const FEW_FILES: u32 = 64;
/// What strangers say: nothing, or what a TLS handshake begins with.
const SILENT: &[u8] = &[];
const FIRST_BYTE: &[u8] = &[0x16];

pub fn run(options: &Options, report: &mut Report) {
    for speed in options.profiles(&[Speed::Steady]) {
        if speed == Speed::Fast {
            report.note("connection-flood: leases of 'fast' end within a round trip of 20 ms: not run");
            continue;
        }
        for (sources, words) in
            [(0, SILENT), (1, SILENT), (1_000, SILENT), (1, FIRST_BYTE), (1_000, FIRST_BYTE)]
        {
            rejoin(speed, (sources, words), options.trials(3), report);
        }
        fail_over(speed, options.trials(3), report);
    }
}

/// A member restarts during the flood, with a round trip of 20 ms between members.
fn rejoin(speed: Speed, (sources, words): (u32, &[u8]), trials: u32, report: &mut Report) {
    let say = if words.is_empty() { "silent" } else { "stalled after a byte" };
    let from =
        if sources == 0 { "no flood".to_owned() } else { format!("{say}, {sources} source addresses") };
    let name = format!("connection-flood, {}, {from}, round trip 20 ms", speed.name());
    let cables = Cables::try_lay(3).unwrap_or_else(|why| panic!("{name}: {why}"));
    let _delay = Delay::lay(&cables, ONE_WAY).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut cluster = cables.connect_at(delay::address, |settings| speed.set(settings));
    cluster.start_all();
    let mut times = Vec::new();
    let floods = flood(&cables, sources, words);
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
    let strengths: Vec<Strength> = floods.into_iter().map(Flooding::end).collect();
    report.judge(&name, &mut cluster);
    print(report, &format!("{name}: rejoin"), times, &strengths);
}

/// A member restarts and then the leader is killed, during the flood; members may open few files.
fn fail_over(speed: Speed, trials: u32, report: &mut Report) {
    let name = format!("connection-flood, {}, 'ulimit -n {FEW_FILES}', round trip 20 ms", speed.name());
    let cables = Cables::try_lay(3).unwrap_or_else(|why| panic!("{name}: {why}"));
    let _delay = Delay::lay(&cables, ONE_WAY).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut times = Vec::new();
    let mut strengths = Vec::new();
    for _ in 0..trials {
        let mut cluster = cables.connect_at(delay::address, |settings| speed.set(settings));
        for (me, namespace) in (1..).zip(cables.members()) {
            let (pid, script) = (namespace.pid().to_string(), format!("ulimit -n {FEW_FILES}; exec \"$@\""));
            cluster.start_through(me, &["nsenter", "--target", &pid, "--net", "sh", "-c", &script, "sh"], 0);
        }
        let (leader, term) = cluster.start_all();
        let floods = flood(&cables, 1, SILENT);
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
        strengths.extend(floods.into_iter().map(Flooding::end));
        report.judge(&name, &mut cluster);
    }
    print(report, &format!("{name}: failover after kill -9"), times, &strengths);
}

/// Floods every member, from so many addresses; not at all from none.
fn flood(cables: &Cables, sources: u32, words: &[u8]) -> Vec<Flooding> {
    let [a, b] = STRANGERS;
    let ids = 1..=cables.members().len() as u64;
    let flood = |me: u64| Flood {
        target: format!("{}:7400", delay::address(me)).parse().expect("an address and a port"),
        rate: if sources == 0 { 0 } else { RATE },
        burst: 1,
        words: words.to_vec(),
        stay: LONGEST_FLOOD,
        most_open: MOST_OPEN,
        sources: (Ipv4Addr::new(a, b, 1, 1), sources),
        from: Some(Flood::place(cables.router())),
        limit: LONGEST_FLOOD,
    };
    ids.map(|me| flood(me).begin()).collect()
}

fn print(report: &mut Report, name: &str, times: Vec<Duration>, floods: &[Strength]) {
    let shown = |time: Duration| millis((time < LIMIT).then_some(time));
    let worst = times.iter().max().copied().unwrap_or(Duration::MAX);
    let all: Vec<String> = times.iter().map(|&time| shown(time)).collect();
    let median = median(times).unwrap_or(Duration::MAX);
    let value = format!("{}, at most {}", shown(median), shown(worst));
    report.figure_in_floods(name, &value, "at most 1000 ms", worst <= TARGET, floods);
    report.note(&format!("  of {}", all.join(", ")));
}
