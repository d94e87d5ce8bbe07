//! The time that a check takes.

use std::time::Duration;

/// How much time has passed since the first call.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "limits of time, which change no verdict"
)]
pub fn now() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

/// No time passes where there is no clock, as in a browser: no limit of time is reached.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub fn now() -> Duration {
    Duration::ZERO
}
