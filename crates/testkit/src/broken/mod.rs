//! Algorithms that are wrong on purpose, each in one way, to show that the checks can fail.

pub mod faulty;

use bellwether_algorithms::{bully, chang_roberts, lcr};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

/// Nothing is wrong: the faults below are what the checks find, not the way it is written.
pub const SOUND: u8 = 0;
/// Compares with `<` for `>`.
pub const WRONG_WAY: u8 = 1;
/// Forgets that it takes part already.
pub const NO_FLAG: u8 = 2;
/// Claims a message too many.
pub const WRONG_CLAIM: u8 = 3;
/// Hears everything and says nothing.
pub const SILENT: u8 = 4;
/// Passes everything on, even its own rank.
pub const FOR_EVER: u8 = 5;
/// Says that it has halted, and goes on talking.
pub const TALKS_ON: u8 = 6;
/// Leads without naming itself.
pub const NAMELESS: u8 = 7;
/// Its states compare without one of their parts.
pub const LOOSE_STATE: u8 = 8;
/// Its messages lose something on the wire.
pub const LOSSY: u8 = 9;
/// Its messages are of a kind that is not declared.
pub const STRANGE_KIND: u8 = 10;
/// It counts how often it was ever called, in all runs.
pub const AMBIENT: u8 = 11;
/// Once it takes part, it compares no more, and passes everything on.
pub const UNDISCERNING: u8 = 12;
/// Claims a mean that is not the mean.
pub const WRONG_MEAN: u8 = 13;
/// Claims a message too few in the worst order of all, and only there.
pub const NARROW_CLAIM: u8 = 14;
/// Keeps the outcome to itself.
pub const UNANNOUNCED: u8 = 15;

static CALLS: AtomicU64 = AtomicU64::new(0);

/// Chang and Roberts' algorithm with a fault.
#[derive(Clone, Debug, Serialize)]
pub struct Ring<const FAULT: u8> {
    participant: bool,
    role: Role,
    elected: Option<Id>,
}

/// A word of the ring.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Word<const FAULT: u8> {
    is_outcome: bool,
    rank: Rank,
    #[serde(skip)]
    lost: bool,
    calls: u64,
}

impl<const FAULT: u8> Message for Word<FAULT> {
    const KINDS: &'static [Kind] = &[Kind::payload("election"), Kind::payload("elected")];

    fn kind(&self) -> usize {
        usize::from(self.is_outcome) + if FAULT == STRANGE_KIND { 2 } else { 0 }
    }
}

impl<const FAULT: u8> Ring<FAULT> {
    fn key(&self) -> (bool, Role, Option<Id>) {
        (FAULT != LOOSE_STATE && self.participant, self.role, self.elected)
    }

    fn say(&self, cx: &mut Cx<'_, Self>, is_outcome: bool, rank: Rank) {
        let calls = if FAULT == AMBIENT { CALLS.fetch_add(1, Ordering::Relaxed) } else { 0 };
        if FAULT != SILENT && !(FAULT == UNANNOUNCED && is_outcome) {
            cx.send(NEXT, Word { is_outcome, rank, lost: FAULT == LOSSY, calls });
        }
    }
}

impl<const FAULT: u8> PartialEq for Ring<FAULT> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<const FAULT: u8> Eq for Ring<FAULT> {}

impl<const FAULT: u8> Hash for Ring<FAULT> {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.key().hash(to);
    }
}

impl<const FAULT: u8> Algorithm for Ring<FAULT> {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        Ring { participant: false, role: Role::Undecided, elected: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        if !self.participant || FAULT == NO_FLAG {
            *self = Ring { participant: true, role: Role::Undecided, elected: None };
            self.say(cx, false, cx.rank());
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, word: Word<FAULT>) {
        let own = cx.rank();
        if FAULT == FOR_EVER {
            self.say(cx, false, word.rank);
        } else if word.is_outcome && word.rank != own {
            *self = Ring { participant: false, role: Role::Follower, elected: Some(word.rank.id()) };
            self.say(cx, true, word.rank);
        } else if !word.is_outcome && word.rank == own {
            *self = Ring { participant: false, role: Role::Leader, elected: Some(own.id()) };
            self.say(cx, true, own);
        } else if !word.is_outcome
            && ((word.rank > own) != (FAULT == WRONG_WAY) || (FAULT == UNDISCERNING && self.participant))
        {
            *self = Ring { participant: true, role: Role::Undecided, elected: None };
            self.say(cx, false, word.rank);
        } else if !word.is_outcome {
            self.on_call(cx);
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl<const FAULT: u8> Protocol for Ring<FAULT> {
    type Msg = Word<FAULT>;

    const SPEC: Spec = Spec {
        name: "broken-ring",
        claims: match FAULT {
            WRONG_CLAIM => &TOO_MUCH,
            WRONG_MEAN => &HALF_AGAIN,
            NARROW_CLAIM => &TOO_LITTLE,
            _ => chang_roberts::ChangRoberts::SPEC.claims,
        },
        ..chang_roberts::ChangRoberts::SPEC
    };

    fn status(&self) -> Status {
        let leader = self.elected.filter(|_| FAULT != NAMELESS || self.role != Role::Leader);
        Status { role: self.role, leader, term: 0, halted: FAULT == TALKS_ON && self.participant }
    }
}

const TOO_MUCH: [Claim; 1] = [Claim {
    name: "messages",
    measure: Measure::MessagesOf("elected"),
    formula: "n + 1",
    expect: |run| Some(Expect::Exactly(run.n() as f64 + 1.0)),
}];

const HALF_AGAIN: [Claim; 1] = [Claim {
    name: "mean_messages",
    measure: Measure::Messages,
    formula: "1.5 n",
    expect: |run| Some(Expect::OnAverage(1.5 * run.n() as f64)),
}];

const TOO_LITTLE: [Claim; 1] = [Claim {
    name: "messages_bound",
    measure: Measure::Messages,
    formula: "n(n+1)/2 + n - 1",
    expect: |run| Some(Expect::AtMost((run.n() * (run.n() + 1) / 2 + run.n() - 1) as f64)),
}];

/// LCR in which members with even ids rest for a round before they pass anything on, and do not
/// ask to be woken for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Sleepy {
    send: Option<lcr::Payload>,
    resting: Option<lcr::Payload>,
    leader: Option<Id>,
}

impl RoundAlgorithm for Sleepy {
    fn start(cx: &mut RoundCx<'_, Self>) -> Self {
        Sleepy { send: Some(lcr::Payload::Candidate(cx.rank())), resting: None, leader: None }
    }

    fn msgs(&self, _: &RoundCx<'_, Self>, out: &mut impl Outbox<lcr::Payload>) {
        if let Some(word) = self.send {
            out.send(NEXT, word);
        }
    }

    fn trans(&mut self, cx: &mut RoundCx<'_, Self>, inbox: &[(Port, lcr::Payload)]) {
        self.send = self.resting.take();
        for &(_, word) in inbox {
            match word {
                lcr::Payload::Candidate(rank) if rank > cx.rank() && cx.id().value().is_multiple_of(2) => {
                    self.resting = Some(word);
                }
                lcr::Payload::Candidate(rank) if rank > cx.rank() => self.send = Some(word),
                lcr::Payload::Candidate(rank) if rank == cx.rank() => self.leader = Some(cx.id()),
                _ => {}
            }
        }
    }

    fn wake(&self) -> Wake {
        Wake::OnMessage
    }
}

impl Protocol for Sleepy {
    type Msg = lcr::Payload;
    const SPEC: Spec = Spec { name: "sleepy", ..lcr::LeaderOnly::SPEC };

    fn status(&self) -> Status {
        let role = if self.leader.is_some() { Role::Leader } else { Role::Undecided };
        Status { role, leader: self.leader, ..Status::UNDECIDED }
    }
}

/// The bully algorithm of a member that does not listen to answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Deaf {
    called: bool,
    role: Role,
    leader: Option<Id>,
}

impl Algorithm for Deaf {
    type Timer = ();
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        Deaf { called: false, role: Role::Undecided, leader: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        let ports: Vec<Port> = cx.outgoing().filter(|&port| cx.peer_rank(port) > cx.rank()).collect();
        for port in ports {
            cx.send(port, bully::Msg::Election);
        }
        self.called = true;
        cx.set_timer((), cx.delay_bound() * 3);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: bully::Msg) {
        match msg {
            bully::Msg::Election => {
                cx.send(from, bully::Msg::Answer);
                if !self.called {
                    self.on_call(cx);
                }
            }
            bully::Msg::Answer => {}
            bully::Msg::Coordinator if self.role == Role::Leader => {}
            bully::Msg::Coordinator => {
                self.role = Role::Follower;
                self.leader = Some(cx.peer_rank(from).id());
            }
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, (): ()) {
        self.role = Role::Leader;
        self.leader = Some(cx.id());
        let ports: Vec<Port> = cx.outgoing().filter(|&port| cx.peer_rank(port) < cx.rank()).collect();
        for port in ports {
            cx.send(port, bully::Msg::Coordinator);
        }
    }
}

impl Protocol for Deaf {
    type Msg = bully::Msg;
    const SPEC: Spec = Spec { name: "deaf", ..bully::Waiting::SPEC };

    fn status(&self) -> Status {
        Status { role: self.role, leader: self.leader, ..Status::UNDECIDED }
    }
}
