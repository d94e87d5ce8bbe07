//! The best of five members reaches only the leader: it cannot be elected, whatever the leader does.

use crate::options::{Options, Speed};
use crate::report::{Report, sleep};
use bellwether_testkit::availability::Window;
use bellwether_testkit::cables::Cables;
use bellwether_testkit::process::now_us;
use std::time::Duration;

const BEST: u64 = 5;
const SPAN: Duration = Duration::from_secs(20);
/// Less than this a hand-over that succeeds takes, too.
const LEAST_GAP: Duration = Duration::from_millis(3);

pub fn run(options: &Options, report: &mut Report) {
    for speed in options.profiles(&[Speed::Steady, Speed::Fast]) {
        let name = format!("partial, {}", speed.name());
        let cables = Cables::try_lay(BEST).unwrap_or_else(|why| panic!("{name}: {why}"));
        let mut cluster = cables.connect(|settings| speed.set(settings));
        let (_, term) = cluster.start_all();
        // The second best will lead, and only that one reaches the best.
        let cut = (1..BEST - 1).flat_map(|other| [(BEST, other), (other, BEST)]);
        cables.lose(&cut.collect::<Vec<_>>());
        let rest: Vec<u64> = (1..BEST).collect();
        cluster.leader_of(&rest, term);
        let from = now_us();
        sleep(SPAN);
        let window = Window { from, until: now_us() };
        let leaderships = report.judge(&name, &mut cluster);
        let gaps = window.gaps(&leaderships, LEAST_GAP);
        let total: Duration = gaps.iter().map(|gap| gap.length()).sum();
        let value = format!("{} gaps in {SPAN:?}, {} ms in all", gaps.len(), total.as_millis());
        // The window begins after the first gap: the cut itself.
        report.figure(&name, &value, "0 gaps", gaps.is_empty());
        let leaders = leaderships.iter().filter(|led| led.until > from).count();
        report.note(&format!("{name}: leaders: {leaders}"));
    }
}
