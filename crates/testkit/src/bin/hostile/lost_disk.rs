//! A voter loses its disk and restarts again and again, while the leader needs its promise.
//!
//! Members 1, 2 and 3: 3 leads, and does not reach 1. Member 2 is killed, its store deleted, and it is started again
//! whenever it ends. If 2 votes for 1 before its promise to 3 is over, two leases are valid at once.

use crate::options::{Options, Speed};
use crate::report::{Report, sleep};
use bellwether::judge::overlaps;
use bellwether_testkit::cables::Cables;
use bellwether_testkit::stop;
use std::time::{Duration, Instant};

const TRIES: u32 = 12;
/// Each try is this much later in the rhythm in which member 1 asks for votes.
const PHASE: Duration = Duration::from_millis(37);
/// Far longer than a lease, and than the longest promise.
const SPAN: Duration = Duration::from_secs(4);
/// No more starts in one try.
const MOST_STARTS: u32 = 200;

pub fn run(options: &Options, report: &mut Report) {
    for speed in options.profiles(&[Speed::Steady, Speed::Fast]) {
        let tries = options.trials(TRIES);
        let mut with_two = Vec::new();
        for number in 1..=tries {
            let name = format!("lost-disk, {}, try {number}", speed.name());
            let overlap = lose_disk(speed, PHASE * number, &name, report);
            with_two.extend(overlap);
        }
        let longest = with_two.iter().max().copied().unwrap_or_default();
        let value = format!("{} of {tries} tries with two valid leases, {longest:?} at most", with_two.len());
        report.figure(&format!("lost-disk, {}", speed.name()), &value, "0", with_two.is_empty());
    }
}

/// One try: gives for how long two leases were valid at once, if they were.
fn lose_disk(speed: Speed, phase: Duration, name: &str, report: &mut Report) -> Option<Duration> {
    let cables = Cables::try_lay(3).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut cluster = cables.connect(|settings| speed.set(settings));
    cluster.start_all();
    cables.lose(&[(1, 3), (3, 1)]);
    // Member 1 hears no leader any more, and asks for votes.
    cluster.until("1 has no leader", |recording| (!recording.known_leaders().contains_key(&1)).then_some(()));
    sleep(phase);
    cluster.kill(2);
    let state = cluster.settings(2).data.join("state");
    std::fs::remove_file(&state).unwrap_or_else(|why| panic!("{}: {why}", state.display()));
    let end = Instant::now() + SPAN;
    let mut starts = 1;
    cluster.spawn(2);
    while Instant::now() < end {
        stop::unwind_if_requested();
        std::thread::sleep(Duration::from_millis(1));
        if !cluster.reap(SPAN).is_empty() && starts < MOST_STARTS {
            cluster.spawn(2);
            starts += 1;
        }
    }
    cluster.end();
    let (leaderships, judged) =
        cluster.record().change(|recording| (recording.leaderships(), recording.judge()));
    let leaderships = leaderships.unwrap_or_else(|why| panic!("{name}: {why}"));
    let found = overlaps(&leaderships);
    for (earlier, later) in &found {
        report.violation(format!("{name}: two leases at once: {earlier:?} and {later:?}"));
    }
    // The judge also finds tokens that come again.
    if let (Err(why), []) = (judged, &found[..]) {
        report.violation(format!("{name}: {why}"));
    }
    report.note(&format!("{name}: {starts} starts without a store, {} leaders", leaderships.len()));
    let lengths = found.iter().map(|(one, two)| one.until.min(two.until) - two.from);
    lengths.max().map(Duration::from_micros)
}
