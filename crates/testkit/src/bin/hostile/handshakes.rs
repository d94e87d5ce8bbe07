//! Replayed first messages of the handshake at the leader: each costs it a key exchange.
//!
//! With real-time priority the leader's thread goes before the flood; without the capability CAP_SYS_NICE, as most services
//! run, it has to share the processor with it.

use crate::options::{Options, Speed};
use crate::report::{Report, percent, sleep};
use bellwether_testkit::availability::Window;
use bellwether_testkit::cluster::Cluster;
use bellwether_testkit::flood::Flood;
use bellwether_testkit::hello::overhear;
use bellwether_testkit::process::now_us;
use std::net::Ipv4Addr;
use std::time::Duration;

/// Connections a second, and how many of them come at once.
const RATE: u32 = 5_000;
const BURST: u32 = 50;
const SPAN: Duration = Duration::from_secs(10);
const TARGET: f64 = 0.99;
/// Runs a program that may not have real-time priority.
const WITHOUT_PRIORITY: [&str; 5] = ["setpriv", "--bounding-set", "-sys_nice", "--inh-caps", "-sys_nice"];

pub fn run(options: &Options, report: &mut Report) {
    for speed in options.profiles(&[Speed::Fast]) {
        for has_priority in [true, false] {
            for (rate, sources) in [(0, 1), (RATE, 1), (RATE, 1_000)] {
                measure(speed, has_priority, (rate, sources), report);
            }
        }
    }
}

fn measure(speed: Speed, has_priority: bool, (rate, sources): (u32, u32), report: &mut Report) {
    let priority = if has_priority { "real-time priority" } else { "no real-time priority" };
    let flood = if rate == 0 { "no flood".to_owned() } else { format!("{sources} source addresses") };
    let name = format!("handshake-flood, {}, {priority}, {flood}", speed.name());
    let mut cluster = Cluster::of(3, |settings| speed.set(settings));
    if !has_priority {
        cluster.ids().into_iter().for_each(|me| cluster.start_through(me, &WITHOUT_PRIORITY, 0));
    }
    let (leader, _) = cluster.start_all();
    let hello = overhear(&mut cluster, 1).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut members = cluster.settings(1).members.iter();
    let target = members.find(|peer| peer.id.value() == leader).expect("the leader is a member");
    let flood = Flood {
        target: target.address.parse().expect("an address and a port"),
        rate,
        burst: BURST,
        words: hello,
        stay: Duration::from_millis(100),
        most_open: 1_000,
        sources: (Ipv4Addr::new(127, 99, 1, 1), sources),
        from: None,
        limit: SPAN * 2,
    };
    let flooding = flood.begin();
    let from = now_us();
    sleep(SPAN);
    let window = Window { from, until: now_us() };
    let strength = flooding.end();
    let leaderships = report.judge(&name, &mut cluster);
    let led = window.led(&leaderships);
    let name = format!("{name}: led");
    report.figure_in_floods(&name, &percent(led), ">= 99 %", led >= TARGET, &[strength]);
    let leaders = leaderships.iter().filter(|led| led.until > from).count();
    report.note(&format!("  {leaders} leaders"));
}
