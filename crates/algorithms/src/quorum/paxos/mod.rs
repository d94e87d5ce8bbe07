//! Election from consensus: each member proposes itself, and single-decree Paxos decides which one leads.
//!
//! Rules, as in Lamport's "Paxos made simple" (comments refer to the numbers). Each member is proposer, acceptor and
//! learner. The decision is which member leads; each decision is an instance of its own, and the next one opens only
//! when the leader is lost.
//! 1. To propose, choose a ballot greater than any seen, and ask all for a promise (`prepare`).
//! 2. Asked for a promise: give it (`promise`), durably, unless you have promised a greater ballot, and report the
//!    proposal that you have accepted. Otherwise refuse (`refused`).
//! 3. Promised by a majority: ask all to accept (`accept`) the value of the greatest ballot that any of them has
//!    accepted; if none has, yourself.
//! 4. Asked to accept: do so (`accepted`), durably, unless you have promised a greater ballot. Otherwise refuse.
//! 5. Accepted by a majority: it is decided. Tell all (`decided`). The decided member leads when it learns this.
//! 6. Every message carries the last decision that its sender knows. A member that knows an earlier one learns it; a
//!    member that knows a later one, and is asked something, replies with it (`decided`).
//! 7. A leader sends beats, and the others answer. A leader that a majority does not answer steps down.
//! 8. Without a leader, propose in the next instance: the higher your rank, the sooner. A member that meets another's
//!    ballot first, or is refused, waits again. While your leader beats, promise nothing to other members.
//!
//! Safety is rules 1 to 4, for each instance: a majority that accepted and a majority that promises have a member in
//! common. Rule 8 is for liveness alone: waiting times differ by more than a ballot takes, so that duels end.

use crate::quorum::answers::Answers;
use crate::sources::{GUPTA_LECTURE, LAMPORT_1998, LAMPORT_2001};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod ballot;
mod figures;

// All times are in delay bounds.
/// How much longer each member waits than the next higher-ranked one: a ballot takes five.
const STAGGER: u64 = 6;
/// How long even the highest-ranked member waits: others may have heard the leader a little later.
const GRACE: u64 = 2;
/// The interval between two beats: there, back, and as long again for processing.
const TICK: u64 = 3;
/// How long a leader may be silent: two beats may be lost, and the third is on its way.
const SILENCE: u64 = 3 * TICK + 1;
/// For how many beats a majority may be silent.
const MISSED_BEATS: u8 = 4;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Paxos {
    saved: Saved,
    /// Its own ballot in the open instance.
    proposal: Proposal,
    /// Whether it leads by the last decision, or has heard from that leader recently.
    has_leader: bool,
    /// Whether it is the leader itself.
    leads: bool,
    answers: Answers,
}

/// The state that survives a crash. The open instance is the one after the last decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Saved {
    /// The last decision that it knows.
    pub decision: Option<Decision>,
    /// The greatest promised ballot of the open instance: it accepts no smaller one.
    pub promised: Option<Ballot>,
    /// The last proposal that it has accepted in the open instance.
    pub accepted: Option<Accepted>,
}

/// The leader that an instance decided on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Decision {
    /// The number of the instance, from 1.
    pub instance: u64,
    /// The leader.
    pub leader: Id,
}

/// The number of the last decided instance.
fn instance(last: Option<Decision>) -> u64 {
    last.map_or(0, |decision| decision.instance)
}

/// An attempt to have a value decided: each proposer has its own ballots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Ballot {
    /// The number of the attempt.
    pub round: u64,
    /// The proposer.
    pub proposer: Rank,
}

/// An accepted proposal: a leader and its ballot. The one of the greatest ballot counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Accepted {
    /// The ballot.
    pub ballot: Ballot,
    /// The proposed leader.
    pub leader: Id,
}

/// How far a member's own ballot has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Proposal {
    None,
    /// The members that have promised, with the proposals that they had accepted.
    Preparing(Ballot, BTreeMap<Port, Option<Accepted>>),
    /// The members that have accepted.
    Accepting(Accepted, BTreeSet<Port>),
}

/// The messages. Each carries the last decision that its sender knows, and is about the instance after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msg {
    /// The last decision that the sender knows.
    pub known: Option<Decision>,
    /// The content.
    pub word: Payload,
}

/// The content of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Payload {
    /// Promise this ballot.
    Prepare(Ballot),
    /// The promise, with the proposal accepted before.
    Promise(Ballot, Option<Accepted>),
    /// Accept this proposal.
    Accept(Accepted),
    /// The proposal of this ballot is accepted.
    HaveAccepted(Ballot),
    /// The sender has promised this greater ballot.
    Refused(Ballot),
    /// The leader is decided.
    Decided,
    /// The sender leads by that decision.
    Beat,
    /// The answer to a beat.
    Heard,
}

impl Payload {
    /// The number of the ballot that it is about, if any.
    fn round(self) -> u64 {
        match self {
            Payload::Prepare(ballot) | Payload::HaveAccepted(ballot) | Payload::Refused(ballot) => {
                ballot.round
            }
            Payload::Promise(ballot, accepted) => {
                accepted.map_or(0, |accepted| accepted.ballot.round).max(ballot.round)
            }
            Payload::Accept(accepted) => accepted.ballot.round,
            Payload::Decided | Payload::Beat | Payload::Heard => 0,
        }
    }
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::payload("prepare"),
        Kind::payload("promise"),
        Kind::payload("accept"),
        Kind::payload("accepted"),
        Kind::payload("refused"),
        Kind::payload("decided"),
        Kind::control("beat"),
        Kind::control("heard"),
    ];

    fn kind(&self) -> usize {
        match self.word {
            Payload::Prepare(_) => 0,
            Payload::Promise(..) => 1,
            Payload::Accept(_) => 2,
            Payload::HaveAccepted(_) => 3,
            Payload::Refused(_) => 4,
            Payload::Decided => 5,
            Payload::Beat => 6,
            Payload::Heard => 7,
        }
    }

    /// Forged as the first decision: a member that knows a decision does not believe it.
    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg { known: Some(Decision { instance: 1, leader: leader.id() }), word: Payload::Decided })
    }
}

/// The timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// No leader has been decided.
    Patience,
    /// The leader has been silent.
    Silence,
    /// The next beat.
    Beat,
}

impl Algorithm for Paxos {
    type Timer = Timer;
    type Durable = Saved;

    /// A leader that restarts does not lead: others may have decided again.
    fn start(cx: &mut Cx<'_, Self>, saved: Saved) -> Self {
        let answers = Answers::default();
        let mut member = Paxos { saved, proposal: Proposal::None, has_leader: false, leads: false, answers };
        member.wait(cx, GRACE);
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("a member proposes by itself when it has no leader: nothing to do");
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        if cx.is_too_far_ahead(instance(msg.known), instance(self.saved.decision)) {
            return;
        }
        let is_news = instance(msg.known) > instance(self.saved.decision);
        if let Some(decision) = msg.known.filter(|_| is_news) {
            self.learn(cx, decision); // rule 6
        }
        let is_current = instance(msg.known) == instance(self.saved.decision);
        let promised = self.saved.promised.map_or(0, |ballot| ballot.round);
        if is_current && cx.is_too_far_ahead(msg.word.round(), promised) {
            return;
        }
        match msg.word {
            Payload::Prepare(_) | Payload::Accept(_) | Payload::Beat if !is_current => {
                cx.because("the sender does not know the last decision: reply with it");
                self.say(cx, from, Payload::Decided);
            }
            Payload::Prepare(ballot) => self.on_prepare(cx, from, ballot),
            Payload::Accept(accepted) => self.on_accept(cx, from, accepted),
            Payload::Beat => self.on_beat(cx, from),
            Payload::Decided if is_news => cx.because("a new decision: adopt it"),
            _ if !is_current => cx.because("a message of an instance that is decided: ignored"),
            Payload::Promise(ballot, accepted) => self.on_promise(cx, from, ballot, accepted),
            Payload::HaveAccepted(ballot) => self.on_accepted(cx, from, ballot),
            Payload::Refused(ballot) => self.on_refused(cx, ballot),
            Payload::Decided => cx.because("the decision is already known"),
            Payload::Heard => {
                cx.because("a follower has answered");
                self.answers.note(from);
            }
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        match timer {
            Timer::Patience => self.propose(cx),
            Timer::Silence => {
                cx.because("the leader is silent: wait for the turn to propose");
                self.has_leader = false;
                self.wait(cx, GRACE);
            }
            Timer::Beat => self.beat(cx),
        }
    }
}

impl Paxos {
    /// The number of members in a majority.
    fn majority(cx: &Cx<'_, Self>) -> usize {
        cx.outgoing().count().div_ceil(2) + 1
    }

    fn say(&self, cx: &mut Cx<'_, Self>, port: Port, word: Payload) {
        cx.send(port, Msg { known: self.saved.decision, word });
    }

    fn say_to_all(&self, cx: &mut Cx<'_, Self>, word: Payload) {
        let others: Vec<Port> = cx.outgoing().collect();
        for port in others {
            self.say(cx, port, word);
        }
    }

    /// Rule 8: waits for its turn to propose, unless another decision or ballot comes first.
    fn wait(&mut self, cx: &mut Cx<'_, Self>, least: u64) {
        let better = cx.outgoing().filter(|&port| cx.peer_rank(port) > cx.rank()).count() as u64;
        self.proposal = Proposal::None;
        cx.set_timer(Timer::Patience, cx.delay_bound() * (least + better * STAGGER));
    }

    /// The instance is decided: its promises and proposals are discarded.
    fn learn(&mut self, cx: &mut Cx<'_, Self>, decision: Decision) {
        self.saved = Saved { decision: Some(decision), promised: None, accepted: None };
        cx.persist(self.saved);
        self.leads = decision.leader == cx.id();
        if self.leads {
            self.answers = Answers::default();
            cx.set_timer(Timer::Beat, cx.delay_bound() * TICK);
        }
        self.follow(cx);
    }

    /// The last decision holds.
    fn follow(&mut self, cx: &mut Cx<'_, Self>) {
        self.has_leader = true;
        self.proposal = Proposal::None;
        cx.cancel_timer(Timer::Patience);
        if self.leads {
            cx.cancel_timer(Timer::Silence);
        } else {
            cx.set_timer(Timer::Silence, cx.delay_bound() * SILENCE);
            cx.cancel_timer(Timer::Beat);
        }
    }

    fn is_leader(&self, cx: &Cx<'_, Self>, port: Port) -> bool {
        self.saved.decision.is_some_and(|decision| decision.leader == cx.peer_rank(port).id())
    }

    fn on_beat(&mut self, cx: &mut Cx<'_, Self>, from: Port) {
        if self.is_leader(cx, from) {
            cx.because("a beat from the leader: follow it");
            self.follow(cx);
            self.say(cx, from, Payload::Heard);
        } else {
            cx.because("a beat from a member that is not the decided leader: ignored");
        }
    }

    /// Rule 7.
    fn beat(&mut self, cx: &mut Cx<'_, Self>) {
        if !self.answers.suffices(Self::majority(cx) - 1, MISSED_BEATS) {
            cx.because("no answers from a majority: step down");
            (self.leads, self.has_leader) = (false, false);
            self.wait(cx, GRACE);
            return;
        }
        cx.because("time to beat: send a beat to all");
        self.say_to_all(cx, Payload::Beat);
        cx.set_timer(Timer::Beat, cx.delay_bound() * TICK);
    }
}

impl Protocol for Paxos {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "paxos",
        variant: "single-decree",
        summary: "each member proposes itself, and Paxos decides; when the leader falls silent, Paxos decides again",
        sources: &[LAMPORT_1998, LAMPORT_2001, GUPTA_LECTURE],
        need: Need::Complete,
        timing: Timing::BoundedDelay,
        links: Links::Any,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Incumbent,
        reign: Reign::PerTerm,
        electorate: Electorate::Majority,
        lasting: Lasting::GoesOn,
        knows: Knowledge::PEERS.union(Knowledge::DELAY_BOUND),
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
        let decision = self.saved.decision.filter(|_| self.has_leader);
        let role = match decision {
            Some(_) if self.leads => Role::Leader,
            Some(_) => Role::Follower,
            None => Role::Undecided,
        };
        Status {
            role,
            leader: decision.map(|decision| decision.leader),
            term: instance(self.saved.decision),
            halted: false,
        }
    }

    fn storage(&self) -> usize {
        let proposal = match &self.proposal {
            Proposal::None => 0,
            Proposal::Preparing(_, promises) => promises.len() * size_of::<(Port, Option<Accepted>)>(),
            Proposal::Accepting(_, acceptors) => acceptors.len() * size_of::<Port>(),
        };
        size_of::<Self>() + proposal + self.answers.owned()
    }

    fn invariant(&self) -> Result<(), Broken> {
        let Saved { decision, promised, accepted } = self.saved;
        let own = match &self.proposal {
            Proposal::None => None,
            Proposal::Preparing(ballot, _) => Some(*ballot),
            Proposal::Accepting(accepted, _) => Some(accepted.ballot),
        };
        let rules = [
            (
                accepted.map(|accepted| accepted.ballot) <= promised,
                "it accepts only ballots that it has promised",
            ),
            (own.is_none() || own == promised, "a proposer has promised its own ballot"),
            (!self.has_leader || decision.is_some(), "it has a leader only by a decision"),
            (!self.leads || self.has_leader, "a leader has itself as the leader"),
            (!self.has_leader || own.is_none(), "a member with a leader has no proposal"),
        ];
        rules.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, rule)| Err(Broken((*rule).into())))
    }
}
