//! Runs election algorithms for real: every member a process, over an authenticated network, with votes on disk.
//!
//! The state machines are those that the simulator runs and the checker checks, unchanged.
#![forbid(unsafe_code)]

mod clock;
mod disk;
pub mod obituary;
mod settings;
mod store;
mod supervisor;

pub use clock::Clock;
pub use disk::{Disk, Keep};
pub use settings::{Incarnation, Peer, Profile, Security, Settings, SettingsError};
pub use store::{Flaw, Saved, Store, StoreError};
pub use supervisor::{COMMITMENT, Ended, SUPERVISOR, Supervisor, SupervisorError, die_with_parent};
