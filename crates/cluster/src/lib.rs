//! Runs election algorithms for real: every member a process, over an authenticated network, with votes on disk.
//!
//! The state machines are those that the simulator runs and the checker checks, unchanged. An [`Elector`] is one member,
//! at work in a thread of its own: see there for what a service can do with it, and [`Leadership`] for what holds when.
//!
//! Each folder uses only those before it: `os`, `settings`, `storage`, `supervisor`, `net`, `status`, `node`, `elector`.
#![forbid(unsafe_code)]

mod elector;
#[cfg(not(feature = "testing"))]
mod net;
#[cfg(feature = "testing")]
pub mod net;
mod node;
mod os;
mod settings;
mod status;
mod storage;
mod supervisor;

pub use elector::builder::Builder;
pub use elector::fence::{Fence, Stale};
pub use elector::leadership::{Leadership, Lost, NoHandOver};
pub use elector::start::{DEFAULT_DETECTOR, StartError, algorithm_of, detector_of, start};
pub use elector::{Elector, Stopped};
pub use net::{NetworkError, Tally, Traffic};
pub use os::clock::Clock;
pub use os::descriptors::raise_descriptor_limit;
pub use os::inspection::deny_inspection;
pub use settings::cluster_config::{ClusterConfig, LONGEST_PROMISE};
pub use settings::secret::{MAX_SECRET, MIN_SECRET, Secret, WeakSecret};
pub use settings::{DEFAULT_ALGORITHM, Incarnation, Peer, Profile, Security, Settings, SettingsError};
pub use status::event::{Event, Happened, Loss};
pub use status::events::Events;
pub use status::publisher::{LeaderEpoch, View};
pub use storage::store::{Examined, Flaw, PeerRecord, Saved, Store, StoreError, StoreId, Stores};
pub use supervisor::death_certificate;
pub use supervisor::{
    COMMITMENT, ExitStatus, SUPERVISOR, Supervisor, SupervisorError, die_with_parent, is_supervised,
    parent_of, parent_to_die_with,
};

/// Parts of a member that `crates/testkit` drives without a network.
#[cfg(feature = "testing")]
pub mod internals {
    pub use crate::node::machine::{ByteMachine, Effects, Input, Malformed, addressed};
    pub use crate::node::surroundings::Surroundings;
}
