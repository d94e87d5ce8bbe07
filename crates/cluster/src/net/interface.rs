//! What a network and its caller exchange: outgoing and incoming messages, and why a connection ended.

use crate::{Incarnation, StoreId};
use bellwether_core::{Id, ListVersion, Signal};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::{fmt, io};

/// What can be sent to a peer.
#[derive(Clone, Copy, Debug)]
pub enum Outgoing<'a> {
    /// A message of the algorithm.
    Message(&'a [u8]),
    /// A signal of the failure detector.
    Signal(Signal),
    /// The leader's application has taken over, in this term.
    Ready(u64),
    /// This member stops.
    Farewell,
}

/// What has come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming<'a> {
    /// There is a connection with this incarnation of a peer.
    Up {
        /// The peer.
        peer: Id,
        /// Which incarnation of it.
        incarnation: Incarnation,
    },
    /// There is none any more.
    Down {
        /// The peer.
        peer: Id,
        /// Why.
        why: CloseReason,
    },
    /// A message of the peer's algorithm.
    Message {
        /// The peer.
        peer: Id,
        /// The content.
        bytes: &'a [u8],
    },
    /// A signal of the peer's failure detector.
    Signal {
        /// The peer.
        peer: Id,
        /// The content.
        signal: Signal,
    },
    /// The peer leads, and its application has taken over.
    Ready {
        /// The peer.
        peer: Id,
        /// The term in which it leads.
        term: u64,
    },
    /// The latest incarnation of this peer that is known here is certified to be dead. Stands for `Down` too, if it was up.
    Dead {
        /// The peer.
        peer: Id,
        /// Which incarnation of it.
        incarnation: Incarnation,
    },
    /// A peer knows another process under our identity, or ours as dead, and does not hear this one.
    Superseded {
        /// The peer.
        peer: Id,
        /// The other one, if it is not our own death that was certified.
        by: Option<Incarnation>,
    },
    /// A peer votes from a store that is not known. Its connections wait for [`super::Network::accept_store`] or
    /// [`super::Network::refuse_store`], and end after a while.
    NewStore {
        /// The peer.
        peer: Id,
        /// Its store.
        store: StoreId,
        /// The store that it voted from before, if it was ever heard.
        known: Option<StoreId>,
        /// The list of voters that names its store, if the peer has such a list.
        named_in: Option<ListVersion>,
    },
    /// A peer knows that this member voted from another store, and does not hear this one.
    OtherStore {
        /// The peer.
        peer: Id,
    },
    /// A connection was refused, by us or by the other side: for the log. Not every case is reported.
    Refused {
        /// The other end.
        from: Party,
        /// Why.
        why: String,
    },
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// This member, or the process at its address.
    Member(Id),
    /// A client at this address that did not prove to be a member.
    Address(SocketAddr),
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Party::Member(id) => write!(f, "member {id}"),
            Party::Address(address) => write!(f, "a client at {address}"),
        }
    }
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The peer or the network closed it.
    Closed,
    /// The peer said farewell: it stops.
    Farewell,
    /// What is sent does not get away, or more is sent than does.
    Stalled,
    /// The peer sent malformed bytes.
    Malformed,
    /// A later incarnation of the peer has come, or one of ours.
    Superseded,
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CloseReason::Closed => "closed",
            CloseReason::Farewell => "it said farewell",
            CloseReason::Stalled => "nothing gets through",
            CloseReason::Malformed => "it sent malformed bytes",
            CloseReason::Superseded => "a later process has its place",
        })
    }
}

/// Why there is no network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// There is no such place here.
    #[error("cannot listen at {0}: {1}; is the port taken, or the address not of this machine?")]
    Listen(String, io::Error),
    /// A file of certificates or keys.
    #[error("cannot read {0}: {1}")]
    File(PathBuf, io::Error),
    /// What is in such a file.
    #[error("{0} cannot be used: {1}; give a PEM file")]
    Credentials(PathBuf, String),
    /// No certificate can carry the name.
    #[error("'{0}' cannot be a name in a certificate; give the cluster a shorter name")]
    Name(String),
    /// TLS.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// The system.
    #[error("the network cannot be used: {0}")]
    System(#[from] io::Error),
}
