//! Garcia-Molina's bully algorithm: complete network, bounded delays, timers.
//!
//! Rules, as in lectures 000, 002, 003 and 004 (comments below refer to the numbers):
//! 1. To start an election, ask all higher-ranked members (`election`). If none answers in time, announce yourself to
//!    all lower-ranked members (`coordinator`).
//! 2. A member that knows that no higher-ranked member is alive announces itself at once.
//! 3. Asked by a lower-ranked member: answer, and start an election yourself unless one is under way.
//! 4. Answered, but no coordinator in time: start again. (An answer from a member with a higher rank than the
//!    coordinator heard has the same effect.)
//! 5. A coordinator with a lower rank than yours: start again.
//! 6. You lead, and your detector reports that a member is back: send it `coordinator` if its rank is lower, start
//!    again if its rank is higher. It may have recovered, or have been cut off with others that elected another
//!    leader.
//!
//! In the variant `stable` a working leader is not deposed: the initiator asks all members, not only higher-ranked
//! ones; the leader replies with `coordinator`, and the initiator follows it, even if its rank is lower; and of two
//! leaders that hear of each other the higher-ranked one stays. A member without a leader that is asked by a
//! higher-ranked one starts an election itself if no coordinator announces itself.
//!
//! In the variant `broadcast` the winner announces itself to all members, not only to lower-ranked ones (lecture
//! 004). If it won because a higher-ranked member's `election` was lost, that member receives the announcement, and
//! rule 5 repairs the outcome.
//!
//! Messages carry no election number, so a message that was sent before its sender heard the new coordinator looks
//! like a message of a new election. Until no such message can be left, two delay bounds after the outcome, a member
//! therefore treats the election as still under way (rule 3), and does not let a lower-ranked coordinator replace the
//! one that it has just heard.

use crate::sources::{COULOURIS, GARCIA_MOLINA_1982, GUPTA_LECTURE, SARKAR_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// With rule 2.
pub type AtOnce = Bully<true, false, false>;
/// Without rule 2: even a member that knows it has the highest rank waits for answers, as in lecture 003.
pub type Waiting = Bully<false, false, false>;
/// A working leader stays. Without rule 2: a member that knows it has the highest rank still asks.
pub type Stable = Bully<false, true, false>;
/// With rule 2. The winner announces itself to all members, as in lecture 004.
pub type Broadcast = Bully<true, false, true>;

/// How long to wait for an answer: there, back, and as long again for processing (Coulouris et al.: T = 2 T_trans +
/// T_process). In delay bounds.
const ANSWER_WAIT: u64 = 3;
/// How long an answered member waits for the coordinator: the longest election if no member fails during it (lecture
/// 002). In delay bounds.
const COORDINATOR_WAIT: u64 = 5;
/// How long a message of the previous election may still be under way. In delay bounds.
const SETTLING: u64 = 2;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bully<const AT_ONCE: bool, const STABLE: bool, const BROADCAST: bool> {
    phase: Phase,
    role: Role,
    leader: Option<Rank>,
    /// The highest-ranked member that answered, while this one waits for the coordinator.
    answered_by: Option<Rank>,
    /// Neighbours that the failure detector reports as failed, and that have sent nothing since.
    suspected: BTreeSet<Port>,
    /// Until this time, messages may belong to the previous election.
    settled_at: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Phase {
    Idle,
    AwaitingAnswers,
    AwaitingCoordinator,
    /// In the variant `stable`: a higher-ranked member has asked which member leads, and this one waits for the
    /// outcome.
    Asked,
}

/// The messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Is a higher-ranked member alive?
    Election,
    /// A higher-ranked member is alive, and takes over.
    Answer,
    /// The sender leads.
    Coordinator,
}

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::payload("election"), Kind::payload("answer"), Kind::payload("coordinator")];

    #[inline]
    fn kind(&self) -> usize {
        *self as usize
    }

    /// It carries no id: its sender is the leader.
    fn forged(_: Rank) -> Option<Self> {
        Some(Msg::Coordinator)
    }
}

/// The timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Patience {
    /// Wait for answers.
    Answers,
    /// Wait for the coordinator.
    Coordinator,
}

impl<const AT_ONCE: bool, const STABLE: bool, const BROADCAST: bool> Algorithm
    for Bully<AT_ONCE, STABLE, BROADCAST>
{
    type Timer = Patience;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        Bully {
            phase: Phase::Idle,
            role: Role::Undecided,
            leader: None,
            answered_by: None,
            suspected: BTreeSet::new(),
            settled_at: None,
        }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        if self.has_concluded_now(cx) {
            cx.because("this member has just announced itself: nothing to do");
        } else if self.may_call() {
            self.call(cx);
        } else {
            cx.because("an election is already under way: nothing to do");
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        let was_suspected = self.suspected.remove(&from);
        let rank = cx.peer_rank(from);
        let is_settling = self.settled_at.is_some_and(|at| cx.now() <= at);
        match msg {
            Msg::Election if STABLE && self.role == Role::Leader => {
                cx.because("this member leads: reply with coordinator");
                cx.send(from, Msg::Coordinator);
            }
            Msg::Election if rank > cx.rank() => {
                cx.because("a higher-ranked member asks which member leads, and this one does not: no reply");
                if self.phase == Phase::Idle && self.leader.is_none() {
                    // It may die before there is an outcome, and no other member may know of its election.
                    self.phase = Phase::Asked;
                    cx.set_timer(Patience::Coordinator, cx.delay_bound() * COORDINATOR_WAIT);
                }
            }
            Msg::Election => {
                cx.because("a lower-ranked member asks: answer that a higher-ranked one is alive");
                cx.send(from, Msg::Answer);
                if self.may_call() && !is_settling {
                    self.call(cx);
                }
            }
            Msg::Answer if self.phase == Phase::AwaitingAnswers || self.follows_lower_than(rank) => {
                cx.because("a higher-ranked member is alive: wait for its announcement");
                (self.phase, self.role, self.leader) = (Phase::AwaitingCoordinator, Role::Undecided, None);
                self.answered_by = Some(rank);
                cx.cancel_timer(Patience::Answers);
                cx.set_timer(Patience::Coordinator, cx.delay_bound() * COORDINATOR_WAIT);
            }
            Msg::Answer => {
                cx.because("already answered, or the leader is known: nothing to do");
                if self.phase == Phase::AwaitingCoordinator {
                    self.answered_by = self.answered_by.max(Some(rank));
                }
            }
            Msg::Coordinator if rank < cx.rank() && !STABLE => self.on_call(cx), // rule 5
            Msg::Coordinator if rank < cx.rank() && self.role == Role::Leader => {
                cx.because("a lower-ranked member leads too: reply with coordinator");
                cx.send(from, Msg::Coordinator);
            }
            Msg::Coordinator if !STABLE && self.answered_by > Some(rank) => {
                cx.because("a higher-ranked member has answered: wait for its announcement");
            }
            Msg::Coordinator if was_suspected => {
                // It may be back, or have died since: this member has not asked it in this election.
                cx.because(
                    "the announcement is from a member reported as failed: start an election that asks it",
                );
                self.call(cx);
            }
            Msg::Coordinator if STABLE && !is_settling && self.leader > Some(rank) => {
                cx.because(
                    "the announcement is from a lower-ranked member than the leader: ask which member leads",
                );
                self.on_call(cx);
            }
            Msg::Coordinator if is_settling && self.leader > Some(rank) => {
                cx.because(
                    "an announcement of the previous election, and a higher-ranked leader is known: ignored",
                );
            }
            Msg::Coordinator => {
                cx.because("another member leads: follow it");
                self.conclude(cx, Role::Follower, rank);
            }
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Patience) {
        match timer {
            Patience::Answers => self.announce(cx),
            Patience::Coordinator => self.call(cx), // rule 4
        }
    }

    fn on_suspicion(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        match verdict {
            Verdict::Working => {
                self.suspected.remove(&peer);
                if self.role == Role::Leader {
                    self.on_peer_back(cx, peer);
                }
            }
            Verdict::Suspected => {} // a warning: the member may still answer
            Verdict::Failed => {
                self.suspected.insert(peer);
                if self.leader == Some(cx.peer_rank(peer)) {
                    self.on_call(cx);
                }
            }
        }
    }
}

impl<const AT_ONCE: bool, const STABLE: bool, const BROADCAST: bool> Bully<AT_ONCE, STABLE, BROADCAST> {
    /// Whether no election of its own is under way.
    fn may_call(&self) -> bool {
        matches!(self.phase, Phase::Idle | Phase::Asked)
    }

    /// A report of the failure detector may have led to an outcome just before the same event starts an election.
    fn has_concluded_now(&self, cx: &Cx<'_, Self>) -> bool {
        self.role == Role::Leader && self.settled_at == Some(cx.now() + cx.delay_bound() * SETTLING)
    }

    /// Whether its leader has a lower rank than a member that has just answered, because announcements crossed.
    fn follows_lower_than(&self, answered_by: Rank) -> bool {
        !STABLE && self.role == Role::Follower && self.leader < Some(answered_by)
    }

    /// Rule 6.
    fn on_peer_back(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        if STABLE || cx.peer_rank(peer) < cx.rank() {
            cx.because("a member is back: tell it which member leads");
            cx.send(peer, Msg::Coordinator);
        } else {
            self.on_call(cx);
        }
    }

    /// Rules 1 and 2.
    fn call(&mut self, cx: &mut Cx<'_, Self>) {
        self.wait_no_longer(cx);
        self.role = Role::Undecided;
        self.leader = None;
        let is_asked = |&port: &Port| STABLE || cx.peer_rank(port) > cx.rank();
        let asked: Vec<Port> = cx.outgoing().filter(is_asked).collect();
        if AT_ONCE && asked.iter().all(|port| self.suspected.contains(port)) {
            self.announce(cx);
            return;
        }
        cx.because(if STABLE {
            "start an election: ask all members"
        } else {
            "start an election: ask all members of higher rank"
        });
        for port in asked {
            cx.send(port, Msg::Election);
        }
        self.phase = Phase::AwaitingAnswers;
        cx.set_timer(Patience::Answers, cx.delay_bound() * ANSWER_WAIT);
    }

    fn announce(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("no higher-ranked member is alive: lead and announce");
        self.conclude(cx, Role::Leader, cx.rank());
        let is_told = |&port: &Port| BROADCAST || cx.peer_rank(port) < cx.rank();
        let told: Vec<Port> = cx.outgoing().filter(is_told).collect();
        for port in told {
            cx.send(port, Msg::Coordinator);
        }
    }

    fn wait_no_longer(&mut self, cx: &mut Cx<'_, Self>) {
        match self.phase {
            Phase::Idle => {}
            Phase::AwaitingAnswers => cx.cancel_timer(Patience::Answers),
            Phase::AwaitingCoordinator | Phase::Asked => cx.cancel_timer(Patience::Coordinator),
        }
        self.phase = Phase::Idle;
        self.answered_by = None;
    }

    fn conclude(&mut self, cx: &mut Cx<'_, Self>, role: Role, leader: Rank) {
        self.wait_no_longer(cx);
        self.role = role;
        self.leader = Some(leader);
        self.settled_at = Some(cx.now() + cx.delay_bound() * SETTLING);
    }
}

impl<const AT_ONCE: bool, const STABLE: bool, const BROADCAST: bool> Protocol
    for Bully<AT_ONCE, STABLE, BROADCAST>
{
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "bully",
        variant: match (AT_ONCE, STABLE, BROADCAST) {
            (_, _, true) => "broadcast",
            (true, ..) => "at-once",
            (false, false, _) => "waiting",
            (false, true, _) => "stable",
        },
        summary: match (AT_ONCE, STABLE, BROADCAST) {
            (_, _, true) => {
                "as at-once, but the winner announces itself to all: a higher-ranked member that was not asked then starts an election"
            }
            (true, ..) => {
                "ask all higher-ranked members; no answer in time: lead; a member that knows it is the highest announces itself at once"
            }
            (false, false, _) => "ask all higher-ranked members; no answer in time: lead",
            (false, true, _) => {
                "ask all members; follow the leader if one replies; no answer from a higher-ranked member in time: lead"
            }
        },
        sources: if BROADCAST {
            &[GARCIA_MOLINA_1982, COULOURIS, SARKAR_LECTURE]
        } else {
            &[GARCIA_MOLINA_1982, COULOURIS, GUPTA_LECTURE]
        },
        need: Need::Complete,
        timing: Timing::BoundedDelay,
        links: Links::Any,
        starts: Starts::Callers,
        identities: Identities::Unique,
        leadership: if STABLE { Leadership::Incumbent } else { Leadership::Best },
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::PEERS
            .union(Knowledge::DELAY_BOUND)
            .union(Knowledge::DETECTOR)
            .union(Knowledge::CLOCK),
        goal: Goal::EveryoneKnows,
        survives: if STABLE {
            Faults::UNHURRIED.union(Faults::CRASH)
        } else {
            Faults::UNHURRIED.union(Faults::CRASH).union(Faults::RECOVERY)
        },
        randomised: false,
        parameters: &[],
        claims: match (AT_ONCE, STABLE, BROADCAST) {
            (_, _, true) => &figures::BROADCAST,
            (true, ..) => &figures::AT_ONCE,
            (false, false, _) => &figures::WAITING,
            (false, true, _) => &figures::STABLE,
        },
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        Status { role: self.role, leader: self.leader.map(Rank::id), term: 0, halted: false }
    }

    fn storage(&self) -> usize {
        size_of::<Self>() + self.suspected.len() * size_of::<Port>()
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.phase != Phase::Idle && self.leader.is_some() {
            return Err(Broken("a member in an election has no leader yet".into()));
        }
        Ok(())
    }
}

mod figures;
