//! Exactly one active instance of a service: leader election to embed.
//!
//! A handful of members, each inside an instance of the service, elect one that leads. There is no other infrastructure:
//! votes are on the members' own disks, and a majority of them decides.
//!
//! ```
//! use bellwether::{Elector, Id};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut todo, directory) = (vec!["one thing", "another"], tempfile::tempdir()?);
//! # let mut done: Vec<(u64, &str)> = Vec::new();
//! let elector = bellwether::builder("orders", Id::new(1)?)
//!     .member(Id::new(1)?, "127.0.0.1:0") // and the others, of which a majority decides
//!     .secret(bellwether::Secret::generate().ok_or("no random numbers")?) // the same for all
//!     .data(directory.path())
//! #   .profile(bellwether::Profile { delay_bound: bellwether::Span::from_ticks(1_000_000), ..Default::default() })
//!     .start()?;
//! let leadership = elector.campaign().await?; // it leads, as long as this can be checked
//! while let (Ok(token), Some(next)) = (leadership.check(), todo.pop()) {
//!     done.push((token, next));
//! }
//! # assert_eq!(done, [(1, "another"), (1, "one thing")]);
//! # Ok(())
//! # }
//! ```
//!
//! So it is with three of them, in a service that needs a moment to take over:
//!
//! ```no_run
//! use bellwether::{Elector, Id};
//! use std::time::Duration;
//!
//! # async fn take_over() -> std::io::Result<()> { Ok(()) }
//! # async fn write(_: u64, _: &str) -> std::io::Result<()> { Ok(()) }
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let elector = bellwether::builder("orders", Id::new(1)?)
//!     .member(Id::new(1)?, "one.example:7400")
//!     .member(Id::new(2)?, "two.example:7400")
//!     .member(Id::new(3)?, "three.example:7400")
//!     .secret(std::env::var("ORDERS_SECRET")?)
//!     .data("/var/lib/orders/election")
//!     .start()?;
//! loop {
//!     let leadership = elector.campaign().await?; // it leads from here on
//!     take_over().await?;
//!     leadership.ready(); // everyone may know that it does what a leader should
//!     while let Ok(token) = leadership.check() {
//!         write(token, "what the leader does").await?; // the receiver refuses smaller tokens
//!         tokio::select! {
//!             _ = leadership.lost() => {} // as soon as it is over
//!             () = tokio::time::sleep(Duration::from_secs(1)) => {}
//!         }
//!     }
//! }
//! # }
//! ```
//!
//! [`Leadership`] says what holds, and under which conditions; [`Fence`] is for the other side of the token. Both are about
//! the default algorithm, `quorum-lease`: [`Builder::algorithm`] says what is lost with others.
//!
//! A leader that falls silent is replaced when its lease has run out. One whose process dies is replaced in milliseconds, if
//! a [`Supervisor`] stands above it: [`process::supervise_this_program`] puts the program under one in three lines.
#![forbid(unsafe_code)]

pub mod guarantees;
pub mod judge;
pub mod process;

pub use bellwether_algorithms::ALGORITHMS;
pub use bellwether_cluster::death_certificate::InvalidCommitment;
pub use bellwether_cluster::{
    Builder, Clock, ClusterConfig, DEFAULT_ALGORITHM, DEFAULT_DETECTOR, Elector, Event, Events, ExitStatus,
    Fence, Flaw, Happened, Incarnation, LeaderEpoch, Leadership, Loss, Lost, NetworkError, NoHandOver, Peer,
    Profile, Secret, Security, Settings, SettingsError, Stale, StartError, Stopped, StoreError, Supervisor,
    SupervisorError, Tally, Traffic, View, WeakSecret, algorithm_of, detector_of, die_with_parent,
};
pub use bellwether_core::{
    AlgorithmError, DetectorError, Duty, Id, InvalidId, Request, Role, Span, Status, Time, Verdict,
};

/// The member `me` of a cluster with this name.
pub fn builder(cluster: impl Into<String>, me: Id) -> Builder {
    Builder::new(&ALGORITHMS, cluster, me)
}

/// Starts the member that the settings describe. If a [`Supervisor`] started this process, the member's peers will know at
/// once when it is dead.
///
/// # Errors
/// [`StartError`] says why it cannot. Nothing has been started then.
pub fn start(settings: Settings) -> Result<Elector, StartError> {
    bellwether_cluster::start(&ALGORITHMS, settings)
}
