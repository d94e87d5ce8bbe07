//! Whether the machine itself stands still: no member can keep a lease while it does.
//!
//! A process of the highest real-time priority on each core does nothing but sleep a millisecond, again and again, and
//! notes how late it wakes. Whatever it cannot do in time nobody can: a virtual machine's core that its host gives to
//! somebody else stands still for everyone.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WORD: &str = "--watch-stalls";
const LEVELS_MS: [u64; 2] = [15, 25];

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

/// What they have seen, all cores together.
pub fn told(watchers: Vec<Child>) -> String {
    let mut seen: Vec<u64> = Vec::new();
    for watcher in watchers {
        let Ok(output) = watcher.wait_with_output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        seen = match (&seen[..], &numbers[..]) {
            ([], _) => numbers,
            (&[some, more, longest], &[others, even_more, other]) => {
                vec![some + others, more + even_more, longest.max(other)]
            }
            _ => seen,
        };
    }
    match seen[..] {
        [some, more, longest] => format!("{some}, {more}, {:.1} ms", longest as f64 / 1e3),
        _ => "needs root, 'taskset' and 'chrt'".to_owned(),
    }
}

/// If this process is to watch: does so, and prints how often its core was late by how much, and the worst of it in
/// microseconds.
pub fn is_asked_to_watch() -> bool {
    let mut arguments = std::env::args().skip_while(|argument| argument != WORD).skip(1);
    let Some(span) = arguments.next().and_then(|text| text.parse().ok()) else { return false };
    let (end, nap) = (Instant::now() + Duration::from_secs(span), Duration::from_millis(1));
    let (mut counts, mut longest) = ([0_u64; LEVELS_MS.len()], Duration::ZERO);
    while Instant::now() < end {
        let before = Instant::now();
        std::thread::sleep(nap);
        let late = before.elapsed().saturating_sub(nap);
        longest = longest.max(late);
        for (count, level) in counts.iter_mut().zip(LEVELS_MS) {
            *count += u64::from(late > Duration::from_millis(level));
        }
    }
    println!("{} {} {}", counts[0], counts[1], longest.as_micros());
    true
}
