//! The best of five members is frozen for half of every second: four healthy members are up throughout.
//!
//! The lease of a frozen leader is valid and of no use, so that time counts as time without a leader.

use crate::options::{Options, Speed};
use crate::report::{Report, percent, sleep_until};
use bellwether::judge::LeadershipInterval;
use bellwether_testkit::availability::Window;
use bellwether_testkit::cluster::Cluster;
use bellwether_testkit::process::now_us;
use rustix::process::Signal;
use std::time::{Duration, Instant};

const MEMBERS: u64 = 5;
/// The first freeze strikes the leader: one failover is due to it, which takes 0.3 s with 'steady'. The target is about the
/// rest.
const SECONDS: u32 = 60;
const TARGET: f64 = 0.99;

pub fn run(options: &Options, report: &mut Report) {
    for speed in options.profiles(&[Speed::Steady, Speed::Fast]) {
        let name = format!("frozen-best, {}", speed.name());
        let (mut cluster, ..) = Cluster::at_work(MEMBERS, |settings| speed.set(settings));
        let from = now_us();
        let frozen = freeze(&mut cluster, options.trials(SECONDS));
        let window = Window { from, until: now_us() };
        let leaderships = report.judge(&name, &mut cluster);
        let led = window.led(&awake(&leaderships, &frozen));
        let figure = format!("{name}: led by a member that runs");
        report.figure(&figure, &percent(led), ">= 99 %", led >= TARGET);
        report.note(&format!("{name}: some lease was valid: {}", percent(window.led(&leaderships))));
        report
            .note(&format!("{name}: leaders: {}", leaderships.iter().filter(|led| led.until > from).count()));
    }
}

/// Freezes the best member once a second: gives when it was frozen.
fn freeze(cluster: &mut Cluster, seconds: u32) -> Vec<Window> {
    let begun = Instant::now();
    let at = |half_seconds: u32| begun + Duration::from_millis(500) * half_seconds;
    let mut frozen = Vec::new();
    for second in 0..seconds {
        let from = now_us();
        cluster.process(MEMBERS).signal(Signal::STOP);
        sleep_until(at(2 * second + 1));
        cluster.process(MEMBERS).signal(Signal::CONT);
        frozen.push(Window { from, until: now_us() });
        sleep_until(at(2 * second + 2));
    }
    frozen
}

/// What is left of leaderships without the times in which the leader was frozen.
fn awake(leaderships: &[LeadershipInterval], frozen: &[Window]) -> Vec<LeadershipInterval> {
    let (best, others): (Vec<LeadershipInterval>, Vec<LeadershipInterval>) =
        leaderships.iter().partition(|led| led.member.value() == MEMBERS);
    let pieces = best.iter().flat_map(|led| {
        let within: Vec<&Window> =
            frozen.iter().filter(|it| it.from < led.until && led.from < it.until).collect();
        let begins = std::iter::once(led.from).chain(within.iter().map(|it| it.until));
        let ends = within.iter().map(|it| it.from).chain([led.until]);
        let pieces = begins.zip(ends).filter(|(from, until)| from < until);
        pieces
            .map(|(from, until)| LeadershipInterval { from, until, ..*led })
            .collect::<Vec<LeadershipInterval>>()
    });
    pieces.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellwether_testkit::process::id;

    #[test]
    fn lease_of_a_frozen_leader_does_not_count() {
        let led = |member, from, until| LeadershipInterval {
            member: id(member),
            process: member,
            term: from,
            from,
            until,
        };
        let leaderships = [led(MEMBERS, 0, 100), led(1, 100, 150), led(MEMBERS, 150, 200)];
        let frozen = [(20, 40), (90, 160), (190, 300)].map(|(from, until)| Window { from, until });
        let spans: Vec<(u64, u64)> =
            awake(&leaderships, &frozen).iter().map(|it| (it.from, it.until)).collect();
        assert_eq!(spans, [(0, 20), (40, 90), (160, 190), (100, 150)]);
        let led = Window { from: 0, until: 200 }.led(&awake(&leaderships, &frozen));
        assert!((led - 0.75).abs() < 1e-9, "{led}");
    }
}
