//! Ctrl-C and SIGTERM: the program unwinds, so that everything it made is removed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on SIGINT, SIGTERM and SIGHUP are requests to stop. A second one ends the program at once.
///
/// # Errors
/// If the system refuses that.
pub fn listen() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let requested = REQUESTED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_default(signal, requested.clone())?;
        signal_hook::flag::register(signal, requested.clone())?;
    }
    Ok(())
}

/// Whether the program is told to stop.
pub fn is_requested() -> bool {
    REQUESTED.get().is_some_and(|requested| requested.load(Ordering::Relaxed))
}

/// Unwinds if the program is told to stop and does not unwind already.
pub fn unwind_if_requested() {
    if is_requested() && !std::thread::panicking() {
        std::panic::resume_unwind(Box::new("stopped by a signal"));
    }
}
