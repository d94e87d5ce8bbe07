//! ZooKeeper's fast leader election, and as much of Zab as makes the elected lead: complete network, a quorum.
//!
//! Rules, as in Medeiros' account and in ZooKeeper's own `FastLeaderElection` (the numbers are referred to below):
//! 1. Who has no leader is *looking*: it opens a round, votes for itself, and tells all voters (`notification`).
//! 2. Votes compare by epoch, then data (the attribute), then id. Who hears a better one of its round takes it
//!    over and tells everyone.
//! 3. A notification of a newer round: go there, and vote afresh. Of an older one: tell its sender so.
//! 4. A majority has this member's vote: wait a little for a better one (`finalizeWait`), then decide.
//! 5. Who is not looking answers those that are with the vote that decided. Who hears from a majority that they
//!    are led by one, and from that one that it leads, joins them.
//! 6. The elected gathers from a majority which epoch each has accepted (`follower-info`), and proposes the next
//!    (`new-epoch`). Each accepts, durably, an epoch later than all before (`ack-epoch`). When a majority has,
//!    the elected leads, in that epoch.
//! 7. It pings its followers. A leader that a majority does not answer, and a follower whose leader is silent,
//!    go looking again.
//!
//! The election (1 to 5) finds a good candidate, and may be wrong about it in every way. That no two lead in one
//! epoch is due to rule 6 alone: two majorities have a member in common, and it accepts an epoch only once.

use crate::quorum::attendance::Attendance;
use crate::sources::{
    GUPTA_LECTURE, HUNT_KONAR_JUNQUEIRA_REED_2010, JUNQUEIRA_REED_SERAFINI_2011, MEDEIROS_2012,
};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod discovery;
mod election;
mod figures;

// All in message times.
/// How long to wait for a better vote once a majority agrees: it is on its way now, or its sender has yet to hear.
const FINALIZE_WAIT: u64 = 2;
/// How long to look before telling everyone again: longer than an election takes. It doubles each time ...
const RESEND_WAIT: u64 = 8;
/// ... but so many times at most.
const MOST_DOUBLINGS: u8 = 3;
/// Between two pings: there, back, and as long again for the work on the way.
const TICK: u64 = 3;
/// How long the elected may take to answer.
const INIT_LIMIT: u64 = 4 * TICK;
/// How long a leader may be silent: two pings may be lost, and the third is on its way.
const SYNC_LIMIT: u64 = 3 * TICK + 1;
/// For how many ticks a majority may be silent.
const MISSED_TICKS: u8 = 4;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Zookeeper {
    state: State,
    epochs: Epochs,
    /// The election's round: the source's logical clock.
    round: u64,
    /// Its vote in this round; the one that decided, once it is no longer looking.
    vote: Option<Vote>,
    /// The others' votes in this round.
    votes: BTreeMap<Port, Option<Vote>>,
    /// Whom those name that are not looking, and whether they mean themselves.
    outside: BTreeMap<Port, (Rank, bool)>,
    /// It waits for a better vote.
    finalizing: bool,
    /// How many times it has told everyone again.
    resent: u8,
    /// Whom it follows or observes.
    leader: Option<Port>,
    /// The epoch that it has proposed, or accepted of its leader.
    epoch: Option<u64>,
    /// It leads, or is led, in that epoch.
    is_established: bool,
    /// Which epoch each of its followers had accepted.
    infos: BTreeMap<Port, u64>,
    /// Those that have accepted its epoch.
    acks: BTreeSet<Port>,
    attendance: Attendance,
}

/// What a member does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum State {
    /// It has no leader.
    Looking,
    /// It has decided for itself.
    Leading,
    /// It has decided for another.
    Following,
    /// The same, and it has no vote.
    Observing,
}

/// A vote: the greater wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Vote {
    /// The last epoch in which the candidate led or was led.
    epoch: u64,
    /// Its data (the attribute) and its id.
    candidate: Rank,
}

/// What survives a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Epochs {
    /// The last epoch that it has accepted, and of whom: it accepts no earlier one, and this one of nobody else.
    accepted: (u64, Option<Id>),
    /// The last epoch in which it led or was led.
    current: u64,
}

/// What members say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Its vote (nothing if it is for nobody), in which round, and what it does.
    Notification(State, u64, Option<Vote>),
    /// I follow you; I have accepted this epoch, of this leader.
    FollowerInfo(u64, Option<Id>),
    /// I am to lead in this epoch.
    NewEpoch(u64),
    /// I have accepted it.
    AckEpoch(u64),
    /// I lead in this epoch.
    Ping(u64),
    /// I am there.
    Pong,
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::payload("notification"),
        Kind::payload("follower-info"),
        Kind::payload("new-epoch"),
        Kind::payload("ack-epoch"),
        Kind::control("ping"),
        Kind::control("pong"),
    ];

    fn kind(&self) -> usize {
        match self {
            Msg::Notification(..) => 0,
            Msg::FollowerInfo(..) => 1,
            Msg::NewEpoch(_) => 2,
            Msg::AckEpoch(_) => 3,
            Msg::Ping(_) => 4,
            Msg::Pong => 5,
        }
    }
}

impl Msg {
    /// The epoch that it is about, if any. (Rounds are not kept: to count on from the last one does no harm.)
    fn epoch(self) -> u64 {
        match self {
            Msg::Notification(_, _, vote) => vote.map_or(0, |vote| vote.epoch),
            Msg::FollowerInfo(epoch, _) | Msg::NewEpoch(epoch) | Msg::AckEpoch(epoch) | Msg::Ping(epoch) => {
                epoch
            }
            Msg::Pong => 0,
        }
    }
}

/// What a member is reminded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// It is still looking.
    Resend,
    /// No better vote has come.
    Finalize,
    /// To ping its followers, or to turn to its leader again.
    Tick,
    /// Its leader has been silent.
    Silence,
}

impl Algorithm for Zookeeper {
    type Timer = Timer;
    type Durable = Epochs;

    fn start(cx: &mut Cx<'_, Self>, saved: Epochs) -> Self {
        let mut member = Zookeeper {
            state: State::Looking,
            epochs: saved,
            round: 0,
            vote: None,
            votes: BTreeMap::new(),
            outside: BTreeMap::new(),
            finalizing: false,
            resent: 0,
            leader: None,
            epoch: None,
            is_established: false,
            infos: BTreeMap::new(),
            acks: BTreeSet::new(),
            attendance: Attendance::default(),
        };
        cx.because("it knows of no leader: it looks for one, and votes for itself");
        member.look(cx);
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it looks for a leader by itself when it has none");
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        if cx.is_too_far_ahead(msg.epoch(), self.epochs.accepted.0) {
            return;
        }
        match msg {
            Msg::Notification(state, round, vote) => self.on_notification(cx, from, state, round, vote),
            Msg::FollowerInfo(accepted, of) => self.on_follower_info(cx, from, accepted, of),
            Msg::NewEpoch(epoch) => self.on_new_epoch(cx, from, epoch),
            Msg::AckEpoch(epoch) => self.on_ack_epoch(cx, from, epoch),
            Msg::Ping(epoch) => self.on_ping(cx, from, epoch),
            Msg::Pong => self.note(cx, from),
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        match timer {
            Timer::Resend => self.tell_everyone_again(cx),
            Timer::Finalize => {
                cx.because("a majority has its vote, and no better one has come: it decides");
                self.decide(cx);
            }
            Timer::Tick => self.tick(cx),
            Timer::Silence => {
                cx.because("its leader is silent: it looks for another");
                self.look(cx);
            }
        }
    }
}

impl Zookeeper {
    /// How many voters are more than half of them.
    fn majority(cx: &Cx<'_, Self>) -> usize {
        let others = cx.outgoing().filter(|&port| cx.peer_duty(port).votes()).count();
        (others + usize::from(cx.duty().votes())) / 2 + 1
    }
}

impl Protocol for Zookeeper {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "zookeeper",
        variant: "fast",
        summary: "vote for whom has the latest epoch, data and id; a majority's choice leads once a majority accepts its epoch",
        sources: &[
            HUNT_KONAR_JUNQUEIRA_REED_2010,
            JUNQUEIRA_REED_SERAFINI_2011,
            MEDEIROS_2012,
            GUPTA_LECTURE,
        ],
        need: Need::Complete,
        timing: Timing::BoundedDelay,
        links: Links::Any,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Incumbent,
        reign: Reign::PerTerm,
        electorate: Electorate::Majority,
        lasting: Lasting::GoesOn,
        knows: Knowledge::PEERS.union(Knowledge::DELAY_BOUND).union(Knowledge::DUTIES),
        goal: Goal::EveryoneKnows,
        survives: Faults::UNHURRIED
            .union(Faults::CRASH)
            .union(Faults::RECOVERY)
            .union(Faults::LOSS)
            .union(Faults::LINK)
            .union(Faults::PARTITION)
            .union(Faults::CLOCK),
        randomised: false,
        parameters: &[],
        claims: &figures::CLAIMS,
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        let leader = self.vote.filter(|_| self.is_established).map(|vote| vote.candidate.id());
        let role = match self.state {
            State::Leading if self.is_established => Role::Leader,
            State::Following | State::Observing if self.is_established => Role::Follower,
            _ => Role::Undecided,
        };
        Status { role, leader, term: self.epochs.current, halted: false }
    }

    fn storage(&self) -> usize {
        size_of::<Self>()
            + self.votes.len() * size_of::<(Port, Option<Vote>)>()
            + self.outside.len() * size_of::<(Port, (Rank, bool))>()
            + self.infos.len() * size_of::<(Port, u64)>()
            + self.acks.len() * size_of::<Port>()
            + self.attendance.owned()
    }

    fn invariant(&self) -> Result<(), Broken> {
        let rules = [
            (self.state != State::Looking || self.epoch.is_none(), "who is looking has no epoch"),
            (
                !self.is_established || self.epoch == Some(self.epochs.current),
                "who leads or is led is so in its epoch",
            ),
            (
                self.epoch.is_none_or(|epoch| epoch <= self.epochs.accepted.0),
                "no epoch is later than the accepted",
            ),
            (self.epochs.current <= self.epochs.accepted.0, "who led or was led in an epoch has accepted it"),
        ];
        rules.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, rule)| Err(Broken((*rule).into())))
    }
}
