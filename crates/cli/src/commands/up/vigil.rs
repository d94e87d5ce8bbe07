//! Told to end by a signal, it ends, whatever holds up the loop in which everything happens.

use super::keeper::Notice;
use crate::error::Failure;
use ratatui::crossterm::terminal::disable_raw_mode;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// If it was told to end, and nothing has moved for so long, it ends as if it had been killed. Longer than it waits for
/// anything else.
const LONGEST_STANDSTILL: Duration = Duration::from_secs(5);

/// What the thread that hears signals and the one that runs everything know of each other.
#[derive(Debug, Default)]
pub struct Vigil {
    is_to_end: AtomicBool,
    moves: AtomicU64,
}

impl Vigil {
    /// Listens for signals from now on.
    ///
    /// Whoever writes can be held up for ever, by a pipe that nobody reads or a terminal that was told to hold on. Then
    /// nobody can be told anything, and this process ends: with it the kernel ends the supervisors, and the members.
    pub fn begin(wake: SyncSender<Notice>) -> Result<Arc<Vigil>, Failure> {
        let cannot = |error| Failure::System(format!("cannot listen for signals: {error}"));
        let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(cannot)?;
        let vigil = Arc::new(Vigil::default());
        let watch = vigil.clone();
        let listen = move || {
            if signals.forever().next().is_none() {
                return;
            }
            watch.is_to_end.store(true, Ordering::SeqCst);
            let _ = wake.try_send(Notice::End); // if there is no room for it, there is enough to wake up for
            let (mut moves, mut since) = (0, Instant::now());
            while since.elapsed() < LONGEST_STANDSTILL {
                let last = std::mem::replace(&mut moves, watch.moves.load(Ordering::SeqCst));
                if last != moves {
                    since = Instant::now();
                }
                std::thread::sleep(LONGEST_STANDSTILL / 20);
            }
            end_everything();
        };
        std::thread::Builder::new().spawn(listen).map_err(cannot)?;
        Ok(vigil)
    }

    /// The one that runs everything has not been held up.
    pub fn moves(&self) {
        self.moves.fetch_add(1, Ordering::SeqCst);
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
