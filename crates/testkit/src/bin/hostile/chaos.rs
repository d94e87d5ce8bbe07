//! Random faults, drawn from a seed, one cluster after the other: both profiles, three and five members.

use crate::fault::{Fault, span};
use crate::field::Field;
use crate::options::{Options, Speed};
use crate::report::{Report, percent, sleep};
use bellwether::judge::overlaps;
use bellwether_testkit::availability::Window;
use bellwether_testkit::cables::Cables;
use bellwether_testkit::process::now_us;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// One cluster lasts this long.
const EPISODE: Duration = Duration::from_secs(60);
/// When everything has healed, all members know a leader by then.
const RECOVERY: Duration = Duration::from_secs(30);
/// A leader that all members know for so long is no memory of the time before.
const KEPT: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(2);
/// What is shown of a violation, in microseconds before and after it.
const BEFORE: u64 = 5_000_000;
const AFTER: u64 = 1_000_000;
/// Between two faults, in milliseconds.
const LEAST_PAUSE: f64 = 20.0;
const MOST_PAUSE: f64 = 1_500.0;

/// All episodes together.
#[derive(Default)]
struct Totals {
    episodes: u64,
    faults: BTreeMap<&'static str, u64>,
    elections: usize,
    led: Duration,
    watched: Duration,
    unexpected_ends: u64,
    slowest_recovery: Duration,
}

pub fn run(options: &Options, report: &mut Report) {
    let seed = options.seed.unwrap_or_else(now_us);
    report.note(&format!("chaos: seed {seed}, {} minutes", options.minutes));
    let end = Instant::now() + Duration::from_secs_f64(options.minutes * 60.0);
    let profiles = options.profiles(&[Speed::Steady, Speed::Fast]);
    let clusters: Vec<(u64, Speed)> =
        [3, 5].iter().flat_map(|&members| profiles.iter().map(move |&speed| (members, speed))).collect();
    let mut totals = Totals::default();
    for (number, &(members, speed)) in (0..).zip(clusters.iter().cycle()) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || report.has_violation() {
            break;
        }
        let name = format!("chaos, seed {seed}, episode {number}: {}, {members} members", speed.name());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(number));
        let length = left.min(EPISODE);
        let kind = Kind { members, speed, length, drift: options.drift };
        episode(&name, kind, &mut rng, &mut totals, report);
    }
    totals.print(report);
    if report.has_violation() {
        let Options { minutes, drift, .. } = options;
        report.note(&format!("again: hostile chaos --seed {seed} --minutes {minutes} --drift {drift}"));
    }
}

/// What kind of cluster, and for how long.
#[derive(Clone, Copy)]
struct Kind {
    members: u64,
    speed: Speed,
    length: Duration,
    drift: i32,
}

/// One cluster.
fn episode(name: &str, kind: Kind, rng: &mut Xoshiro256PlusPlus, totals: &mut Totals, report: &mut Report) {
    let Kind { members, speed, length, drift } = kind;
    let cables = Cables::try_lay(members).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut cluster = cables.connect(|settings| speed.set(settings));
    for me in cluster.ids() {
        cluster.settings(me).clock_gains = rng.random_range(-drift..=drift);
    }
    cluster.start_all();
    let mut field = Field::new(cables, cluster, Xoshiro256PlusPlus::from_rng(rng), drift);
    let (from, end) = (now_us(), Instant::now() + length);
    let mut faults: BTreeMap<&'static str, u64> = BTreeMap::new();
    while Instant::now() < end {
        let fault = Fault::draw(rng, members);
        if field.strike(&fault) {
            *faults.entry(fault.kind()).or_default() += 1;
        }
        let next = Instant::now() + span(rng, LEAST_PAUSE, MOST_PAUSE);
        while Instant::now() < next.min(end) {
            field.mend(Instant::now());
            sleep(TICK);
        }
    }
    let until = now_us();
    let recovery = recover(&mut field);
    let violations = report.violations();
    if recovery.is_none() {
        report.violation(format!("{name}: not all members know one leader {RECOVERY:?} after healing"));
    }
    let leaderships = report.judge(name, &mut field.cluster);
    let window = Window { from, until };
    let led = window.led(&leaderships);
    let elections = leaderships.iter().filter(|led| led.from > from).count();
    let count: u64 = faults.values().sum();
    report.note(&format!("{name}: {count} faults, {elections} elections, led {}", percent(led)));
    if report.violations() > violations {
        let at = overlaps(&leaderships).first().map_or(now_us(), |(_, later)| later.from);
        tell(&field, at, report);
    }
    faults.into_iter().for_each(|(kind, count)| *totals.faults.entry(kind).or_default() += count);
    totals.episodes += 1;
    totals.elections += elections;
    totals.led += window.length().mul_f64(led);
    totals.watched += window.length();
    totals.unexpected_ends += field.unexpected_ends;
    totals.slowest_recovery = totals.slowest_recovery.max(recovery.unwrap_or(RECOVERY));
}

/// Prints what was done and what was said before and shortly after this time.
fn tell(field: &Field, at: u64, report: &Report) {
    let (from, until) = (at.saturating_sub(BEFORE), at + AFTER);
    let done = field.log.iter().filter(|(at, _)| (from..until).contains(at));
    let mut lines: Vec<(u64, String)> = done.cloned().collect();
    let said = field.cluster.record().between(from, until).into_iter();
    lines.extend(said.map(|line| (line.at_us, format!("  member {}: {:?}", line.member, line.what))));
    lines.sort();
    report.note("faults, and what members said, in seconds since the machine booted:");
    for (at, line) in lines {
        report.note(&format!("{:.6} {line}", at as f64 / 1e6));
    }
}

/// Takes back all faults: gives how long it takes until all members know one leader, and keep it for a while.
fn recover(field: &mut Field) -> Option<Duration> {
    field.heal();
    let ids = field.cluster.ids();
    let begun = Instant::now();
    let mut led: Option<((u64, u64), Instant)> = None;
    while begun.elapsed() < RECOVERY {
        let leader = field.cluster.record().change(|recording| {
            let known = recording.known_leaders();
            let first = known.get(&1).copied();
            first.filter(|first| ids.iter().all(|me| known.get(me) == Some(first)))
        });
        led = leader.filter(|_| field.is_whole()).map(|leader| match led {
            Some((before, since)) if before == leader => (leader, since),
            _ => (leader, Instant::now()),
        });
        if let Some((_, since)) = led.filter(|(_, since)| since.elapsed() > KEPT) {
            return Some(since - begun);
        }
        field.mend(Instant::now());
        sleep(TICK);
    }
    None
}

impl Totals {
    fn print(&self, report: &mut Report) {
        let count: u64 = self.faults.values().sum();
        let kinds: Vec<String> = self.faults.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let led = self.led.as_secs_f64() / self.watched.as_secs_f64().max(f64::MIN_POSITIVE);
        report.note(&format!("faults: {count} ({})", kinds.join(", ")));
        report.note(&format!("members that ended by themselves: {}", self.unexpected_ends));
        report.note(&format!("slowest recovery after healing: {:.1} s", self.slowest_recovery.as_secs_f64()));
        let (episodes, minutes) = (self.episodes, self.watched.as_secs_f64() / 60.0);
        let value = format!(
            "{} violations in {minutes:.1} minutes, {episodes} clusters, {count} faults, {} elections, led {}",
            report.violations(),
            self.elections,
            percent(led)
        );
        report.figure("chaos", &value, "0 violations", !report.has_violation());
    }
}
