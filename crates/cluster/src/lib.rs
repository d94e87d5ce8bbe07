//! Runs election algorithms for real: every member a process, over an authenticated network, with votes on disk.
//!
//! The state machines are those that the simulator runs and the checker checks, unchanged. An [`Elector`] is one member,
//! at work in a thread of its own: see there for what a service can do with it, and [`Leadership`] for what holds when.
#![forbid(unsafe_code)]

mod builder;
mod candidates;
mod clock;
mod descriptors;
mod disk;
mod elector;
mod event;
mod events;
mod fence;
mod inspection;
mod leadership;
mod link_filter;
mod machine;
mod member;
mod moves;
pub mod network;
pub mod obituary;
mod outlook;
mod ring;
mod seat;
mod secret;
mod settings;
mod start;
mod store;
mod supervisor;
mod surroundings;
mod terms;
mod turn;
#[doc(hidden)]
pub mod unruly;
mod watch;

pub use builder::Builder;
pub use clock::Clock;
pub use descriptors::raise_descriptor_limit;
pub use disk::{Disk, Done, Keep};
pub use elector::{Elector, Stopped};
pub use event::{Event, Happened, Loss};
pub use events::Events;
pub use fence::{Fence, Stale};
pub use inspection::deny_inspection;
pub use leadership::{Leadership, Lost, NoHandOver};
pub use link_filter::{CutLinks, LinkFilter};
pub use outlook::{Reign, View};
pub use secret::{MAX_SECRET, MIN_SECRET, Secret, WeakSecret};
pub use settings::{DEFAULT_ALGORITHM, Incarnation, Peer, Profile, Security, Settings, SettingsError};
pub use start::{DEFAULT_DETECTOR, StartError, algorithm_of, detector_of, start};
pub use store::{Examined, Flaw, PeerRecord, Saved, Store, StoreError, StoreId, Stores};
pub use supervisor::{
    COMMITMENT, Ended, SUPERVISOR, Supervisor, SupervisorError, die_with_parent, is_supervised, parent_of,
    parent_to_die_with,
};
pub use terms::{LONGEST_PROMISE, Terms};
