//! Exactly one active instance of a service: leader election to embed.
//!
//! A handful of members, each inside an instance of the service, elect one that leads. There is no other infrastructure:
//! votes are on the members' own disks, and a majority of them decides.
//!
//! ```no_run
//! use bellwether::{Elector, Id};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let elector = Elector::builder("orders", Id::new(1)?)
//!     .member(Id::new(1)?, "one.example:7400")
//!     .member(Id::new(2)?, "two.example:7400")
//!     .member(Id::new(3)?, "three.example:7400")
//!     .secret(std::env::var("ORDERS_SECRET")?)
//!     .data("/var/lib/orders/election")
//!     .start()?;
//! loop {
//!     let leadership = elector.campaign().await?;
//!     while let Ok(token) = leadership.check() {
//!         println!("I lead: this is done with token {token}");
//!     }
//! }
//! # }
//! ```
//!
//! [`Leadership`] says what holds, and under which conditions.
#![forbid(unsafe_code)]

pub mod process;

pub use bellwether_algorithms::Algorithms;
pub use bellwether_cluster::network::{Tally, Traffic};
pub use bellwether_cluster::{
    Builder, Clock, DEFAULT_ALGORITHM, DEFAULT_DETECTOR, Event, Events, Fence, Happened, Incarnation,
    Leadership, Loss, Lost, NoHandOver, Peer, Profile, Reign, Security, Settings, SettingsError, Stale,
    StartError, Stopped, View,
};
pub use bellwether_core::{Duty, Id, InvalidId, Request, Role, Span, Status, Time, Verdict};

/// A member of a cluster, of any of Bellwether's algorithms.
pub type Elector = bellwether_cluster::Elector<Algorithms>;

/// Starts the member that the settings describe. The same as [`Elector::start`], and compiled here for every algorithm.
///
/// # Errors
/// [`StartError`] says why it cannot. Nothing has been started then.
pub fn start(settings: Settings) -> Result<Elector, StartError> {
    Elector::start(settings)
}
