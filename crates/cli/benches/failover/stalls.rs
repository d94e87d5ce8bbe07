//! Whether the machine itself stands still: no member can keep a lease while it does.
//!
//! A process of the highest real-time priority on each core does nothing but sleep a millisecond, again and again, and
//! notes how late it wakes. Whatever it cannot do in time nobody can: a virtual machine's core that its host gives to
//! somebody else stands still for everyone.

use crate::cluster::now_us;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const WORD: &str = "--watch-stalls";
/// What is shorter is no stall.
const LEAST: Duration = Duration::from_millis(15);

/// A time in which a core stood still, in microseconds since the machine booted.
#[derive(Clone, Copy)]
pub struct Stall {
    pub begin: u64,
    pub end: u64,
}

impl Stall {
    pub fn length(&self) -> Duration {
        Duration::from_micros(self.end - self.begin)
    }
}

/// Watches each core, where that is possible.
pub fn watch(span: Duration) -> Vec<Child> {
    let Ok(program) = std::env::current_exe() else { return Vec::new() };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let watcher = |core: usize| {
        let mut command = Command::new("taskset");
        command.args(["-c", &core.to_string(), "chrt", "-f", "99"]);
        command.arg(&program).args([WORD, &span.as_secs().to_string()]).stdout(Stdio::piped()).spawn().ok()
    };
    (0..cores).filter_map(watcher).collect()
}

/// What they have seen, all cores together; nothing if they could not watch.
pub fn told(watchers: Vec<Child>) -> Option<Vec<Stall>> {
    let mut stalls = Vec::new();
    let mut has_watched = false;
    for watcher in watchers {
        let Ok(output) = watcher.wait_with_output() else { continue };
        has_watched |= output.status.success();
        let text = String::from_utf8_lossy(&output.stdout);
        let times: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        stalls.extend(times.as_chunks().0.iter().map(|&[begin, end]| Stall { begin, end }));
    }
    has_watched.then_some(stalls)
}

/// If this process is to watch: does so, and prints from when to when its core stood still.
pub fn is_asked_to_watch() -> bool {
    let mut arguments = std::env::args().skip_while(|argument| argument != WORD).skip(1);
    let Some(span) = arguments.next().and_then(|text| text.parse().ok()) else { return false };
    let (end, nap) = (now_us() + Duration::from_secs(span).as_micros() as u64, Duration::from_millis(1));
    let mut before = now_us();
    while before < end {
        std::thread::sleep(nap);
        let stall = Stall { begin: before + nap.as_micros() as u64, end: now_us() };
        if stall.end > stall.begin && stall.length() > LEAST {
            println!("{} {}", stall.begin, stall.end);
        }
        before = now_us();
    }
    true
}
