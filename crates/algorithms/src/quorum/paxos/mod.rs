//! Election from consensus: everyone proposes itself, and single-decree Paxos decides who leads.
//!
//! Rules, as in Lamport's "Paxos made simple" (the numbers are referred to below). Everyone is proposer, acceptor
//! and learner. What is decided is who leads; each decision is an instance of its own, and the next one is opened
//! only when a leader is missed.
//! 1. To propose, take a ballot greater than any seen, and ask everyone to keep to it (`prepare`).
//! 2. Asked for a promise: give it (`promise`), durably, unless you have promised a greater ballot, and tell what
//!    you have accepted. Else say so (`refused`).
//! 3. Promised by a majority: ask everyone to accept (`accept`) the value of the greatest ballot that any of them
//!    has accepted; if none has, yourself.
//! 4. Asked to accept: do so (`accepted`), durably, unless you have promised a greater ballot. Else say so.
//! 5. Accepted by a majority: it is decided. Tell everyone (`decided`). Whoever is decided leads when it hears so.
//! 6. Every message says which decision its sender knows of last. Who knows an earlier one learns it; who knows a
//!    later one, and is asked something, tells (`decided`).
//! 7. Whoever leads beats, and is answered. A leader that a majority does not answer leads no longer.
//! 8. Without a leader, propose in the next instance: the better your rank, the sooner. Who has another's ballot
//!    before it, or is refused, waits again. While your leader beats, promise nobody else anything.
//!
//! Safety is rules 1 to 4, for each instance: a majority that accepted and a majority that promises have a member in
//! common. Rule 8 is for liveness alone: waits differ by more than a ballot takes, so that duels end.

use crate::quorum::attendance::Attendance;
use crate::sources::{GUPTA_LECTURE, LAMPORT_1998, LAMPORT_2001};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod ballot;
mod figures;

// All in message times.
/// How much longer each waits than the next better one: a ballot takes five.
const STAGGER: u64 = 6;
/// How long even the best waits: others may have heard the leader a little later.
const GRACE: u64 = 2;
/// Between two beats: there, back, and as long again for the work on the way.
const TICK: u64 = 3;
/// How long a leader may be silent: two beats may be lost, and the third is on its way.
const SILENCE: u64 = 3 * TICK + 1;
/// For how many beats a majority may be silent.
const MISSED_BEATS: u8 = 4;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Paxos {
    saved: Saved,
    /// What it proposes in the open instance.
    proposal: Proposal,
    /// It leads by the last decision, or has heard from whom does lately.
    has_leader: bool,
    /// Whether that is itself.
    leads: bool,
    attendance: Attendance,
}

/// What survives a crash. The open instance is the one after the last decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Saved {
    /// The last decision it knows of.
    pub decision: Option<Decision>,
    /// In the open instance, it accepts no ballot below this.
    pub promised: Option<Ballot>,
    /// In the open instance, what it has accepted last.
    pub accepted: Option<Accepted>,
}

/// Who leads, by which instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Decision {
    /// From 1.
    pub instance: u64,
    /// Who leads.
    pub leader: Id,
}

/// The last instance that is decided.
fn instance(last: Option<Decision>) -> u64 {
    last.map_or(0, |decision| decision.instance)
}

/// An attempt to have something decided: each proposer has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Ballot {
    /// Which attempt.
    pub round: u64,
    /// Whose.
    pub proposer: Rank,
}

/// Who is accepted as the leader, by which ballot: that of the greatest ballot counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Accepted {
    /// By which ballot.
    pub ballot: Ballot,
    /// Who.
    pub leader: Id,
}

/// How far a member's own ballot has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Proposal {
    None,
    /// Those that have promised, and what they had accepted.
    Preparing(Ballot, BTreeMap<Port, Option<Accepted>>),
    /// Those that have accepted.
    Accepting(Accepted, BTreeSet<Port>),
}

/// What members say, and which decision they know of last: what they say is about the instance after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msg {
    /// The last decision that the sender knows of.
    pub known: Option<Decision>,
    /// What it says.
    pub word: Word,
}

/// What members say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Word {
    /// Keep to this ballot.
    Prepare(Ballot),
    /// I do; this I had accepted.
    Promise(Ballot, Option<Accepted>),
    /// Accept this.
    Accept(Accepted),
    /// I have, by this ballot.
    HaveAccepted(Ballot),
    /// I keep to this greater ballot.
    Refused(Ballot),
    /// It is decided.
    Decided,
    /// I lead by that decision.
    Beat,
    /// I have heard so.
    Heard,
}

impl Word {
    /// The round of the ballot that it is about, if any.
    fn round(self) -> u64 {
        match self {
            Word::Prepare(ballot) | Word::HaveAccepted(ballot) | Word::Refused(ballot) => ballot.round,
            Word::Promise(ballot, accepted) => {
                accepted.map_or(0, |accepted| accepted.ballot.round).max(ballot.round)
            }
            Word::Accept(accepted) => accepted.ballot.round,
            Word::Decided | Word::Beat | Word::Heard => 0,
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
            Word::Prepare(_) => 0,
            Word::Promise(..) => 1,
            Word::Accept(_) => 2,
            Word::HaveAccepted(_) => 3,
            Word::Refused(_) => 4,
            Word::Decided => 5,
            Word::Beat => 6,
            Word::Heard => 7,
        }
    }

    /// As if it were the first decision: nobody believes it who knows one.
    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg { known: Some(Decision { instance: 1, leader: leader.id() }), word: Word::Decided })
    }
}

/// What a member is reminded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// Nobody has been decided on.
    Patience,
    /// The leader has been silent.
    Silence,
    /// To beat.
    Beat,
}

impl Algorithm for Paxos {
    type Timer = Timer;
    type Durable = Saved;

    /// Who comes back having led does so no longer: others may have decided again.
    fn start(cx: &mut Cx<'_, Self>, saved: Saved) -> Self {
        let attendance = Attendance::default();
        let mut member =
            Paxos { saved, proposal: Proposal::None, has_leader: false, leads: false, attendance };
        member.wait(cx, GRACE);
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it proposes by itself when it has no leader");
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
            Word::Prepare(_) | Word::Accept(_) | Word::Beat if !is_current => {
                cx.because("it knows of a later decision: it tells");
                self.say(cx, from, Word::Decided);
            }
            Word::Prepare(ballot) => self.on_prepare(cx, from, ballot),
            Word::Accept(accepted) => self.on_accept(cx, from, accepted),
            Word::Beat => self.on_beat(cx, from),
            Word::Decided if is_news => cx.because("it is decided who leads"),
            _ if !is_current => cx.because("a word about an instance that is decided"),
            Word::Promise(ballot, accepted) => self.on_promise(cx, from, ballot, accepted),
            Word::HaveAccepted(ballot) => self.on_accepted(cx, from, ballot),
            Word::Refused(ballot) => self.on_refused(cx, ballot),
            Word::Decided => cx.because("it knows who leads"),
            Word::Heard => {
                cx.because("a follower is there");
                self.attendance.note(from);
            }
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        match timer {
            Timer::Patience => self.propose(cx),
            Timer::Silence => {
                cx.because("the leader is silent: it waits for its turn to propose");
                self.has_leader = false;
                self.wait(cx, GRACE);
            }
            Timer::Beat => self.beat(cx),
        }
    }
}

impl Paxos {
    /// How many are more than half of all.
    fn majority(cx: &Cx<'_, Self>) -> usize {
        cx.outgoing().count().div_ceil(2) + 1
    }

    fn say(&self, cx: &mut Cx<'_, Self>, port: Port, word: Word) {
        cx.send(port, Msg { known: self.saved.decision, word });
    }

    fn say_to_all(&self, cx: &mut Cx<'_, Self>, word: Word) {
        let others: Vec<Port> = cx.outgoing().collect();
        for port in others {
            self.say(cx, port, word);
        }
    }

    /// Rule 8: for its turn to propose, if nothing comes of it in between.
    fn wait(&mut self, cx: &mut Cx<'_, Self>, least: u64) {
        let better = cx.outgoing().filter(|&port| cx.peer_rank(port) > cx.rank()).count() as u64;
        self.proposal = Proposal::None;
        cx.set_timer(Timer::Patience, cx.delay_bound() * (least + better * STAGGER));
    }

    /// It is decided: what was said in the instance is over.
    fn learn(&mut self, cx: &mut Cx<'_, Self>, decision: Decision) {
        self.saved = Saved { decision: Some(decision), promised: None, accepted: None };
        cx.persist(self.saved);
        self.leads = decision.leader == cx.id();
        if self.leads {
            self.attendance = Attendance::default();
            cx.set_timer(Timer::Beat, cx.delay_bound() * TICK);
        }
        self.follow(cx);
    }

    /// The last decision stands.
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
            cx.because("the leader is there");
            self.follow(cx);
            self.say(cx, from, Word::Heard);
        } else {
            cx.because("it leads by no decision");
        }
    }

    /// Rule 7.
    fn beat(&mut self, cx: &mut Cx<'_, Self>) {
        if !self.attendance.suffices(Self::majority(cx) - 1, MISSED_BEATS) {
            cx.because("it has not heard from a majority: it leads no longer");
            (self.leads, self.has_leader) = (false, false);
            self.wait(cx, GRACE);
            return;
        }
        cx.because("it tells everyone that it is there");
        self.say_to_all(cx, Word::Beat);
        cx.set_timer(Timer::Beat, cx.delay_bound() * TICK);
    }
}

impl Protocol for Paxos {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "paxos",
        variant: "single-decree",
        summary: "everyone proposes itself, and Paxos decides; when the leader falls silent, it decides again",
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
        size_of::<Self>() + proposal + self.attendance.owned()
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
                "it accepts no ballot that it has not promised",
            ),
            (own.is_none() || own == promised, "it keeps to its own ballot while it proposes"),
            (!self.has_leader || decision.is_some(), "it has no leader but by a decision"),
            (!self.leads || self.has_leader, "who leads has a leader"),
            (!self.has_leader || own.is_none(), "who has a leader proposes nobody"),
        ];
        rules.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, rule)| Err(Broken((*rule).into())))
    }
}
