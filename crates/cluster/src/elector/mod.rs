//! Leader election to embed: a member of the cluster inside a service.

pub(crate) mod builder;
pub(crate) mod fence;
pub(crate) mod leadership;
pub(crate) mod start;

use crate::elector::leadership::{Candidacy, Leadership, NoHandOver};
use crate::net::Traffic;
use crate::node::member::Command;
use crate::os::clock::Clock;
use crate::settings::Incarnation;
use crate::status::candidates::Candidates;
use crate::status::events::{Events, Source};
use crate::status::lease_cell::LeaseCell;
use crate::status::publisher::View;
use crate::supervisor::address_overrides::AddressOverrides;
use bellwether_core::{Id, Reign, Request, Spec};
use std::fmt;
use std::net::SocketAddr;
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// How long a call that stops a member waits for new addresses to be written.
const PATIENCE_WITH_OVERRIDES: Duration = Duration::from_secs(3);

/// The member has ended: nothing more comes of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the member has ended; what it said last tells why")]
pub struct Stopped;

/// A member of a cluster, at work in a thread of its own.
///
/// A member without campaigns votes and follows, and does not lead, if its algorithm knows members that are no candidates:
/// those whose leaders have leases do (`quorum-lease`). With any other, every member that takes part may be elected, even
/// without campaigns; `campaign` then only waits for that.
///
/// When the last handle is dropped (a [`Leadership`] is one, too), it gives up leading, says farewell, and ends; the drop waits
/// for that as [`Elector::stop`] does.
#[derive(Clone)]
pub struct Elector {
    pub(crate) shared: Arc<Shared>,
}

impl fmt::Debug for Elector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = &self.shared;
        f.debug_struct("Elector").field("id", &shared.me).field("algorithm", &shared.spec.name).finish()
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) me: Id,
    pub(crate) spec: &'static Spec,
    pub(crate) address: SocketAddr,
    pub(crate) incarnation: Incarnation,
    pub(crate) clock: Clock,
    pub(crate) lease_cell: Arc<LeaseCell>,
    pub(crate) commands: Sender<Command>,
    pub(crate) waker: Arc<mio::Waker>,
    pub(crate) events: Source,
    pub(crate) view: watch::Receiver<View>,
    pub(crate) candidates: Arc<Candidates>,
    pub(crate) thread: std::sync::Mutex<Option<JoinHandle<()>>>,
    pub(crate) address_overrides: AddressOverrides,
}

impl Shared {
    pub(crate) fn tell(&self, command: Command) {
        // If the member has ended, its view says so.
        let _ = self.commands.send(command);
        let _ = self.waker.wake();
    }

    /// # Errors
    /// If the algorithm knows no requests. Those whose leaders have leases do.
    pub(crate) fn can_hand_over(&self) -> Result<(), NoHandOver> {
        if self.spec.reign == Reign::Leased { Ok(()) } else { Err(NoHandOver(self.spec.name)) }
    }

    /// Tells the member to stop, and waits until it has.
    fn stop(&self) {
        self.tell(Command::Stop);
        // Held meanwhile: other callers that stop the member wait as well.
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            let _ = thread.join();
        }
        self.address_overrides.settle(PATIENCE_WITH_OVERRIDES); // or its directory would not be free
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Elector {
    /// Which member this is.
    #[must_use]
    pub fn id(&self) -> Id {
        self.shared.me
    }

    /// The algorithm's needs and promises.
    #[must_use]
    pub fn spec(&self) -> &'static Spec {
        self.shared.spec
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.shared.address
    }

    /// The member's incarnation in this process.
    #[must_use]
    pub fn incarnation(&self) -> Incarnation {
        self.shared.incarnation
    }

    /// The member's clock: all its times are on it.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.shared.clock
    }

    /// Where things stand.
    #[must_use]
    pub fn view(&self) -> View {
        self.shared.view.borrow().clone()
    }

    /// Whether this member leads at this very moment, on its own clock. Whether that means that no other does depends on
    /// the algorithm ([`Leadership`]). What is done after asking may already be too late: hand on the fencing token with
    /// every side effect, or check a [`Leadership`] before each.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.leads_for().is_some()
    }

    /// For how long this member leads, unless its lease is renewed; nothing if it does not lead. Very long where leaders
    /// have no leases.
    #[must_use]
    pub fn leads_for(&self) -> Option<Duration> {
        let clock = &self.shared.clock;
        self.shared.lease_cell.current(clock.now()).map(|(_, until)| clock.until(until))
    }

    /// Makes this member a candidate, and waits until it leads. If the future is dropped before, it is a candidate no longer.
    ///
    /// When leadership ends, the member is a candidate no longer, unless others campaign: campaign again, as often as you like.
    /// Several may campaign at once, and lead together: they are one member. (Members of algorithms without leases stand
    /// whether anybody campaigns or not: see [`Elector`].)
    ///
    /// # Errors
    /// [`Stopped`] if the member has.
    pub async fn campaign(&self) -> Result<Leadership, Stopped> {
        let candidacy = Candidacy::begin(self.shared.clone());
        let Shared { lease_cell, clock, view, .. } = &*self.shared;
        let mut view = view.clone();
        loop {
            let View { is_over, epoch, .. } = *view.borrow_and_update();
            if is_over {
                return Err(Stopped);
            }
            if let Some(epoch) = epoch.filter(|epoch| lease_cell.held(epoch.number, clock.now()).is_some()) {
                return Ok(candidacy.lead(epoch));
            }
            if view.changed().await.is_err() {
                return Err(Stopped);
            }
        }
    }

    /// Events from now on. The first call gets all events from the start; a call after the end gets the last event.
    #[must_use]
    pub fn observe(&self) -> Events {
        self.shared.events.observe()
    }

    /// Lead no longer, if this member does: another takes over at once. It does not wait for that.
    ///
    /// # Errors
    /// [`NoHandOver`] if the algorithm knows no such thing.
    pub fn resign(&self) -> Result<(), NoHandOver> {
        self.shared.can_hand_over()?;
        if let epoch @ Some(_) = self.view().epoch {
            self.shared.tell(Command::Request(Request::Resign, epoch));
        }
        Ok(())
    }

    /// Let this member lead, if the one asked leads now. It does not wait for that.
    ///
    /// # Errors
    /// [`NoHandOver`] if the algorithm knows no such thing.
    pub fn transfer(&self, to: Id) -> Result<(), NoHandOver> {
        self.shared.can_hand_over()?;
        self.request(Request::Transfer(to));
        Ok(())
    }

    /// Anything that an algorithm can be asked. What it does not know, it ignores: only those whose leaders have leases
    /// know requests.
    pub fn request(&self, request: Request) {
        self.shared.tell(Command::Request(request, None));
    }

    /// The application of this member has taken over, if it leads: see [`Leadership::ready`].
    pub fn ready(&self) {
        if let Some(epoch) = self.view().epoch {
            self.shared.tell(Command::Ready(epoch));
        }
    }

    /// What has gone over its connections: bytes, frames, connections, with each peer and in all.
    ///
    /// # Errors
    /// [`Stopped`] if the member has ended.
    pub async fn traffic(&self) -> Result<Traffic, Stopped> {
        let (answer, counted) = oneshot::channel();
        self.shared.tell(Command::Traffic(answer));
        counted.await.map_err(|_| Stopped)
    }

    /// A member has moved: dial it there from now on. A supervisor of this process will find it there, too, as soon as that is
    /// noted in the data directory, for which this does not wait.
    pub fn set_address(&self, id: Id, address: impl Into<String>) {
        let address = address.into();
        self.shared.tell(Command::Address(id, address.clone()));
        self.shared.address_overrides.note(id, address);
    }

    /// For demonstrations and tests: cuts the links with these peers, and mends all others. Nothing passes a cut link, and
    /// neither end is told.
    #[cfg(feature = "faults")]
    pub fn cut_links(&self, peers: impl IntoIterator<Item = Id>) {
        self.shared.tell(Command::CutLinks(peers.into_iter().collect()));
    }

    /// Gives up leading, says farewell, and ends; waits until that is done. Its data directory is free then, but where the
    /// disk does not answer: that is waited for during a few seconds, and then left alone.
    pub fn stop(self) {
        self.shared.stop();
    }
}
