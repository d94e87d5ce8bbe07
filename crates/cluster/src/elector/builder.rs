//! Describes and starts a member, one setting at a time.

use crate::elector::Elector;
use crate::elector::start::{StartError, start};
use crate::settings::secret::Secret;
use crate::settings::{Peer, Profile, Security, Settings};
use bellwether_core::{Duty, Id, Registry};
use std::path::PathBuf;

/// A member to be: [`Builder::new`].
#[derive(Clone, Debug)]
#[must_use = "it starts with `start`"]
pub struct Builder {
    settings: Settings,
    registry: &'static Registry,
}

impl Builder {
    /// The member `me` of a cluster with this name, with an algorithm and a detector of the registry.
    pub fn new(registry: &'static Registry, cluster: impl Into<String>, me: Id) -> Builder {
        Builder { settings: Settings::new(cluster, me), registry }
    }

    /// A member that votes and may lead, this one among them: `host:port`. All members must be told of the same voters, for
    /// as long as the cluster lives ([`ClusterConfig`](crate::ClusterConfig)): a member that comes later is
    /// an [observer](Builder::observer) until it is admitted.
    pub fn member(self, id: Id, address: impl Into<String>) -> Self {
        self.peer(Peer::new(id, address))
    }

    /// A member that votes and never leads: for the third site of two.
    pub fn witness(self, id: Id, address: impl Into<String>) -> Self {
        self.peer(Peer { duty: Duty::Witness, ..Peer::new(id, address) })
    }

    /// A member that only looks on.
    pub fn observer(self, id: Id, address: impl Into<String>) -> Self {
        self.peer(Peer { duty: Duty::Observer, ..Peer::new(id, address) })
    }

    /// Any member.
    pub fn peer(mut self, peer: Peer) -> Self {
        self.settings.members.push(peer);
        self
    }

    /// Where to listen, if not at the own address.
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.settings.listen = Some(address.into());
        self
    }

    /// The directory of what must survive a crash: this member's alone.
    pub fn data(mut self, directory: impl Into<PathBuf>) -> Self {
        self.settings.data = directory.into();
        self
    }

    /// What only members know: made by [`Secret::generate`] or `bellwether secret`, or at least
    /// [`crate::MIN_SECRET`] bytes that cannot be guessed.
    pub fn secret(self, secret: impl Into<Secret>) -> Self {
        self.security(Security::Secret(secret.into()))
    }

    /// How members know each other from strangers. A member that is to talk in the clear says so when it starts
    /// ([`Event::InTheClear`](crate::Event::InTheClear)).
    pub fn security(mut self, security: Security) -> Self {
        self.settings.security = security;
        self
    }

    /// How fast it goes: the same for all members ([`ClusterConfig`](crate::ClusterConfig)).
    pub fn profile(mut self, profile: Profile) -> Self {
        self.settings.profile = profile;
        self
    }

    /// The algorithm, as in `bully`, `bully/waiting` or `quorum-lease:renewals=5`: the same for all members
    /// ([`ClusterConfig`](crate::ClusterConfig)).
    ///
    /// **With any but `quorum-lease`, the default, a guarantee is lost.** With `raft-vote`, `zookeeper` and `paxos` two may
    /// lead at once, for as long as the former leader has not heard of its successor. With all others a partition can have
    /// two leaders for as long as it lasts, and [tokens](crate::Leadership::token) do not tell them apart; and members are
    /// candidates even without campaigns. [`Leadership`](crate::Leadership) says what holds when, and the manual under
    /// "What holds".
    pub fn algorithm(mut self, name: impl Into<String>) -> Self {
        self.settings.algorithm = name.into();
        self
    }

    /// The failure detector, as in `heartbeat` or `heartbeat:T=5`.
    pub fn detector(mut self, detector: impl Into<String>) -> Self {
        self.settings.detector = Some(detector.into());
        self
    }

    /// Be a candidate from the start and for ever, not only while a caller campaigns. Members of algorithms without leases do
    /// so anyway.
    pub fn always_stand(mut self) -> Self {
        self.settings.always_stands = true;
        self
    }

    /// Starts the member.
    ///
    /// # Errors
    /// [`StartError`] says what is wrong, and what to do. Nothing has been started then.
    pub fn start(self) -> Result<Elector, StartError> {
        start(self.registry, self.settings)
    }
}
