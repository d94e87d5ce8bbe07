//! Events at a member, for its observers.

use bellwether_core::{Id, Time};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// Something that happened at a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// It has started, and listens here.
    Started {
        /// Where it can be reached.
        address: SocketAddr,
        /// How often it has started.
        boot: u64,
        /// Its process.
        pid: u32,
    },
    /// It talks in the clear, as it was told to ([`crate::Security::Plaintext`]): any client that can reach it can command it.
    InTheClear,
    /// It starts with a new store, and no other voter has said that anything was saved in its own: this is a new cluster,
    /// and fencing tokens begin at 1. **If the cluster has run before, its votes and tokens are lost**: resources that
    /// check tokens must forget theirs.
    NewCluster {
        /// The first voters that are not connected. If one of them has run before, tokens may be issued twice.
        unheard: Vec<Id>,
    },
    /// It starts with a new store in a cluster that has run before: it is a new member, or was readmitted.
    NewStore,
    /// It knows a leader: another member, or itself.
    Elected {
        /// The leader.
        leader: Id,
        /// In which term.
        term: u64,
    },
    /// It knows no leader.
    Leaderless {
        /// The last term that it has heard of.
        term: u64,
    },
    /// It leads itself, from now on: its term is the fencing token ([`crate::Leadership::token`] says with which
    /// algorithms).
    Gained {
        /// In which term.
        term: u64,
    },
    /// Its lease lasts until then, on its own clock. Reported only with [`crate::Settings::tells_leases`].
    Extended {
        /// The term in which it leads.
        term: u64,
        /// Until when.
        until: Time,
    },
    /// The leader's application has taken over.
    Ready {
        /// The leader.
        leader: Id,
        /// In which term.
        term: u64,
    },
    /// It leads no longer.
    Lost {
        /// The term in which it did.
        term: u64,
        /// Why.
        why: Loss,
    },
    /// It is connected to a member.
    Connected {
        /// The member.
        peer: Id,
    },
    /// The connection to a member has closed: it is suspected, and nothing more.
    Disconnected {
        /// The member.
        peer: Id,
        /// How it closed.
        why: String,
    },
    /// The failure detector has changed its verdict on a member.
    Judged {
        /// The member.
        peer: Id,
        /// The new verdict.
        verdict: bellwether_core::Verdict,
    },
    /// A member's process is dead, for certain: its supervisor said so.
    Died {
        /// Whose.
        peer: Id,
    },
    /// A connection was refused.
    Refused {
        /// The other end, as far as is known.
        from: String,
        /// Why.
        why: String,
    },
    /// The disk has not answered for too long: the member takes no part until it does.
    DiskStalled,
    /// The disk answers again.
    DiskBack,
    /// The observer was too slow: so many events before this one were dropped, so a verdict on the events is incomplete.
    Missed {
        /// How many.
        count: u64,
    },
    /// The member has ended.
    Stopped {
        /// Why, if it was not told to.
        why: Option<String>,
    },
}

/// Why leadership ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The lease ran out before a majority renewed it: it was cut off, or frozen.
    Expired,
    /// It resigned, handed over, or heard of a later term.
    GaveUp,
    /// Its disk does not answer, or has failed.
    Disk,
    /// It was told to stop.
    Stopped,
    /// It cannot go on: what it says last tells why.
    Failed,
}

/// An event, when it happened on the member's clock, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happened {
    /// When, on the clock of the member, from its start.
    pub at: Time,
    /// At which member.
    pub member: Id,
    /// What.
    #[serde(flatten)]
    pub event: Event,
}
