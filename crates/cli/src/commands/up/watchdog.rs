//! Ends the program after a signal, even if the main loop is held up.

use super::child_process::Notice;
use crate::error::Failure;
use ratatui::crossterm::terminal::disable_raw_mode;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// If the main loop has not fed the watchdog for so long after a signal, the program ends as if it had been killed. The main
/// loop waits for nothing else as long.
const LONGEST_STANDSTILL: Duration = Duration::from_secs(5);

/// What the thread that waits for signals and the main loop share.
#[derive(Debug, Default)]
pub struct Watchdog {
    is_to_end: AtomicBool,
    fed: AtomicU64,
}

impl Watchdog {
    /// Listens for signals from now on.
    ///
    /// A write can block for ever, on a pipe without a reader or a terminal that was told to hold on. Then
    /// nobody can be told anything, and this process ends: with it the kernel ends the supervisors, and the members.
    pub fn start(wake: SyncSender<Notice>) -> Result<Arc<Watchdog>, Failure> {
        let cannot = |error| Failure::System(format!("cannot listen for signals: {error}"));
        let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(cannot)?;
        let watchdog = Arc::new(Watchdog::default());
        let watch = watchdog.clone();
        let listen = move || {
            if signals.forever().next().is_none() {
                return;
            }
            watch.is_to_end.store(true, Ordering::SeqCst);
            let _ = wake.try_send(Notice::End); // if there is no room for it, there is enough to wake up for
            let (mut fed, mut since) = (0, Instant::now());
            while since.elapsed() < LONGEST_STANDSTILL {
                let last = std::mem::replace(&mut fed, watch.fed.load(Ordering::SeqCst));
                if last != fed {
                    since = Instant::now();
                }
                std::thread::sleep(LONGEST_STANDSTILL / 20);
            }
            end_everything();
        };
        std::thread::Builder::new().spawn(listen).map_err(cannot)?;
        Ok(watchdog)
    }

    /// The main loop has not been held up.
    pub fn feed(&self) {
        self.fed.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether a signal has come.
    pub fn is_to_end(&self) -> bool {
        self.is_to_end.load(Ordering::SeqCst)
    }
}

fn end_everything() -> ! {
    let _ = disable_raw_mode(); // all that can be done for a terminal that takes nothing any more
    // Standard error may be stuck as well.
    std::thread::spawn(|| eprintln!("error: nobody reads what is told, so the members were killed"));
    std::thread::sleep(Duration::from_millis(100));
    std::process::exit(1)
}
