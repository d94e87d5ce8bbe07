//! All links are cut, then all heal: how long it takes until a lease is valid again.

use crate::options::{Options, Speed};
use crate::report::{Report, millis, sleep};
use bellwether_testkit::availability::{led_again_after, median};
use bellwether_testkit::cables::Cables;
use bellwether_testkit::process::now_us;
use std::time::Duration;

const LENGTHS: [u64; 3] = [1, 2, 4];
/// Longer than anything takes.
const LIMIT: Duration = Duration::from_secs(20);

pub fn run(options: &Options, report: &mut Report) {
    for speed in options.profiles(&[Speed::Steady, Speed::Fast]) {
        let target = match speed {
            Speed::Steady => Duration::from_millis(350),
            Speed::Fast => Duration::from_millis(60),
        };
        for seconds in LENGTHS {
            let name = format!("cut-all, {}, {seconds} s", speed.name());
            let times = measure(speed, Duration::from_secs(seconds), options.trials(7), &name, report);
            let all: Vec<String> = times.iter().map(|&time| millis(Some(time))).collect();
            let median = median(times);
            let is_met = median.is_some_and(|time| time <= target);
            report.figure(&name, &millis(median), &format!("median <= {}", millis(Some(target))), is_met);
            report.note(&format!("  of {}", all.join(", ")));
        }
    }
}

fn measure(speed: Speed, length: Duration, trials: u32, name: &str, report: &mut Report) -> Vec<Duration> {
    let cables = Cables::try_lay(3).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut cluster = cables.connect(|settings| speed.set(settings));
    cluster.start_all();
    let all = cluster.ids();
    let mut healings = Vec::new();
    for _ in 0..trials {
        cluster.until_led_for(&[3], Duration::from_secs(1));
        cables.lose(&cables.all_pairs());
        sleep(length);
        cables.lose(&[]);
        healings.push(now_us());
        let back = cluster.record().within(LIMIT, |recording| {
            let known = recording.known_leaders();
            let first = known.get(&1)?;
            all.iter().all(|me| known.get(me) == Some(first)).then_some(())
        });
        if back.is_none() {
            report.violation(format!("{name}: no leader within {LIMIT:?} after healing"));
            break;
        }
        sleep(Duration::from_millis(700));
    }
    let leaderships = report.judge(name, &mut cluster);
    healings.into_iter().map(|at| led_again_after(&leaderships, at).unwrap_or(LIMIT)).collect()
}
