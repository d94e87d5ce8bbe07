//! ZooKeeper's fast leader election, and the part of Zab that makes the elected member lead: complete network, a
//! quorum.
//!
//! Rules, as in Medeiros' account and in ZooKeeper's own `FastLeaderElection` (comments refer to the numbers):
//! 1. A member without a leader is *looking*: it opens a round, votes for itself, and sends its vote to all voters
//!    (`notification`).
//! 2. Votes compare by epoch, then data (the attribute), then id. A member that receives a better vote of its round
//!    adopts it and sends it to all voters.
//! 3. A notification of a newer round: join that round, and vote anew. Of an older one: reply with the own vote.
//! 4. A majority has this member's vote: wait a short time for a better one (`finalizeWait`), then decide.
//! 5. A member that is not looking answers those that are with the vote that decided. A looking member joins a leader
//!    if a majority reports that it follows that leader, and the leader confirms it.
//! 6. The elected member collects from a majority the epoch that each has accepted (`follower-info`), and proposes
//!    the next (`new-epoch`). Each member accepts, durably, an epoch later than all before (`ack-epoch`). When a
//!    majority has, the elected member leads in that epoch.
//! 7. It pings its followers. A leader that a majority does not answer, and a follower whose leader is silent, look
//!    again.
//!
//! The election (1 to 5) finds a good candidate, and may be wrong in every way. Rule 6 alone ensures that two members
//! never lead in the same epoch: two majorities have a member in common, and it accepts an epoch only once.

use crate::quorum::answers::Answers;
use crate::sources::{
    GUPTA_LECTURE, HUNT_KONAR_JUNQUEIRA_REED_2010, JUNQUEIRA_REED_SERAFINI_2011, MEDEIROS_2012,
};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod discovery;
mod election;
mod figures;

// All times are in delay bounds.
/// How long to wait for a better vote once a majority agrees: it is on its way now, or its sender has not heard yet.
const FINALIZE_WAIT: u64 = 2;
/// How long to look before the vote is sent to all again: longer than an election takes. It doubles each time ...
const RESEND_WAIT: u64 = 8;
/// ... but at most this many times.
const MOST_DOUBLINGS: u8 = 3;
/// The interval between two pings: there, back, and as long again for processing.
const TICK: u64 = 3;
/// How long the elected member may take to answer.
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
    /// Its vote in this round; once it is no longer looking, the vote that decided.
    vote: Option<Vote>,
    /// The others' votes in this round.
    votes: BTreeMap<Port, Option<Vote>>,
    /// The leader that each member names that is not looking, and whether it names itself.
    outside: BTreeMap<Port, (Rank, bool)>,
    /// Whether it waits for a better vote.
    finalizing: bool,
    /// How often it has sent its vote to all again.
    resent: u8,
    /// The leader that it follows or observes.
    leader: Option<Port>,
    /// The epoch that it has proposed, or accepted from its leader.
    epoch: Option<u64>,
    /// Whether it leads, or follows, in that epoch.
    is_established: bool,
    /// The epoch that each of its followers had accepted.
    infos: BTreeMap<Port, u64>,
    /// The followers that have accepted its epoch.
    acks: BTreeSet<Port>,
    answers: Answers,
}

/// The state of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum State {
    /// It has no leader.
    Looking,
    /// It has decided for itself.
    Leading,
    /// It has decided for another member.
    Following,
    /// The same, without a vote.
    Observing,
}

/// A vote: the greater one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Vote {
    /// The last epoch in which the candidate led or followed.
    epoch: u64,
    /// The candidate's data (the attribute) and its id.
    candidate: Rank,
}

/// The state that survives a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Epochs {
    /// The last epoch that it has accepted, and from which leader: it accepts no earlier one, and this one from no
    /// other leader.
    accepted: (u64, Option<Id>),
    /// The last epoch in which it led or followed.
    current: u64,
}

/// The messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender's state, its round and its vote (none if it has none).
    Notification(State, u64, Option<Vote>),
    /// The sender follows the receiver; the last epoch that it has accepted, and from which leader.
    FollowerInfo(u64, Option<Id>),
    /// The epoch that the elected member proposes.
    NewEpoch(u64),
    /// The sender has accepted the epoch.
    AckEpoch(u64),
    /// The sender leads in this epoch.
    Ping(u64),
    /// The sender is alive.
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
    /// The epoch that the message is about, if any. (Rounds are not on disk: counting on from the last one does no
    /// harm.)
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

/// The timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// It is still looking.
    Resend,
    /// No better vote has arrived.
    Finalize,
    /// Ping the followers, or contact the leader again.
    Tick,
    /// The leader has been silent.
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
            answers: Answers::default(),
        };
        cx.because("no leader is known: vote for itself and look for one");
        member.look(cx);
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("a member looks by itself when it has no leader: nothing to do");
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
                cx.because("a majority has this vote, and no better one has arrived: decide");
                self.decide(cx);
            }
            Timer::Tick => self.tick(cx),
            Timer::Silence => {
                cx.because("the leader is silent: look for a leader");
                self.look(cx);
            }
        }
    }
}

impl Zookeeper {
    /// The number of voters in a majority.
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
        summary: "vote for the member with the latest epoch, data and id; the elected member leads once a majority accepts its epoch",
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
            + self.answers.owned()
    }

    fn invariant(&self) -> Result<(), Broken> {
        let rules = [
            (self.state != State::Looking || self.epoch.is_none(), "a looking member has no epoch"),
            (
                !self.is_established || self.epoch == Some(self.epochs.current),
                "a leader or follower is in its current epoch",
            ),
            (
                self.epoch.is_none_or(|epoch| epoch <= self.epochs.accepted.0),
                "no epoch is later than the accepted epoch",
            ),
            (
                self.epochs.current <= self.epochs.accepted.0,
                "a member led or followed only in an epoch that it has accepted",
            ),
        ];
        rules.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, rule)| Err(Broken((*rule).into())))
    }
}
