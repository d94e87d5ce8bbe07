//! Garcia-Molina's bully algorithm: complete network, bounded delays, timers.
//!
//! Rules, as in lectures 000, 002, 003 and 004 (the numbers are referred to below):
//! 1. To call an election, ask everyone better (`election`). Nobody answers in time: announce
//!    yourself to everyone worse (`coordinator`).
//! 2. One who knows that nobody better is alive announces at once.
//! 3. Asked by a worse member: answer, and call an election yourself unless one is under way.
//! 4. Answered, but no coordinator in time: call again. (An answer from one better than the coordinator
//!    heard counts as well.)
//! 5. A coordinator worse than yourself: call again.
//! 6. Leading, and hearing from your detector that somebody is back: tell it (`coordinator`) if it is
//!    worse, call again if it is better. It may have recovered, or have been cut off with others that
//!    elected somebody else.
//!
//! In the variant `stable` a working leader is not deposed: callers ask everyone, not only the better;
//! who leads replies with `coordinator`, and is followed, though it be worse; and of two leaders that
//! hear of each other the better one stays. A member that a better one asks, and that knows no leader, calls by itself
//! if no coordinator comes.
//!
//! In the variant `broadcast` the winner announces itself to everyone, not only to the worse (lecture 004). If it won
//! because a better member's `election` was lost, that member hears of it, and rule 5 repairs the outcome.
//!
//! Messages carry no election's number, so one that was sent before its sender heard the new
//! coordinator looks like a new one. Until no such message can be left, two message times after the
//! outcome, a member therefore takes the election for still under way (rule 3), and does not let a
//! worse coordinator replace the one it has just heard.

use crate::sources::{COULOURIS, GARCIA_MOLINA_1982, GUPTA_LECTURE, SARKAR_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// With rule 2.
pub type AtOnce = Bully<true, false, false>;
/// Without rule 2: even one who knows it is best waits for answers, as in lecture 003.
pub type Waiting = Bully<false, false, false>;
/// Whoever leads and works goes on. Without rule 2: who knows that it is best asks all the same.
pub type Stable = Bully<false, true, false>;
/// With rule 2. The winner announces itself to everyone, as in lecture 004.
pub type Broadcast = Bully<true, false, true>;

/// How long to wait for an answer: there, back, and as long again for the work on the way
/// (Coulouris et al.: T = 2 T_trans + T_process). In message times.
const ANSWER_WAIT: u64 = 3;
/// How long an answered member waits for the coordinator: the longest election there is when
/// nothing fails meanwhile (lecture 002). In message times.
const COORDINATOR_WAIT: u64 = 5;
/// How long a message of the election just over may still be under way. In message times.
const SETTLING: u64 = 2;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bully<const AT_ONCE: bool, const STABLE: bool, const BROADCAST: bool> {
    phase: Phase,
    role: Role,
    leader: Option<Rank>,
    /// The best of those that answered, while it waits for the coordinator.
    answered_by: Option<Rank>,
    /// Neighbours that the failure detector took for dead, and that have not been heard since.
    suspected: BTreeSet<Port>,
    /// Until then, messages may belong to the election just over.
    settled_at: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Phase {
    Idle,
    AwaitingAnswers,
    AwaitingCoordinator,
    /// In the variant `stable`: a better member has asked who leads, and this one waits for the outcome.
    Asked,
}

/// What members say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Is anyone better alive?
    Election,
    /// I am; leave it to me.
    Answer,
    /// I lead.
    Coordinator,
}

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::payload("election"), Kind::payload("answer"), Kind::payload("coordinator")];

    #[inline]
    fn kind(&self) -> usize {
        *self as usize
    }

    /// It names nobody: whoever sends it leads.
    fn forged(_: Rank) -> Option<Self> {
        Some(Msg::Coordinator)
    }
}

/// What a member waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Patience {
    /// With answers.
    Answers,
    /// With the coordinator.
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
            cx.because("it has just announced the outcome");
        } else if self.may_call() {
            self.call(cx);
        } else {
            cx.because("an election is already under way");
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        let was_suspected = self.suspected.remove(&from);
        let rank = cx.peer_rank(from);
        let is_settling = self.settled_at.is_some_and(|at| cx.now() <= at);
        match msg {
            Msg::Election if STABLE && self.role == Role::Leader => {
                cx.because("somebody asks, and this member leads: it says so");
                cx.send(from, Msg::Coordinator);
            }
            Msg::Election if rank > cx.rank() => {
                cx.because("somebody better asks who leads, and this member does not");
                if self.phase == Phase::Idle && self.leader.is_none() {
                    // It may die before there is an outcome, and nobody else may know of its election.
                    self.phase = Phase::Asked;
                    cx.set_timer(Patience::Coordinator, cx.delay_bound() * COORDINATOR_WAIT);
                }
            }
            Msg::Election => {
                cx.because("somebody worse asks: it is told that somebody better is alive");
                cx.send(from, Msg::Answer);
                if self.may_call() && !is_settling {
                    self.call(cx);
                }
            }
            Msg::Answer if self.phase == Phase::AwaitingAnswers || self.is_misled(rank) => {
                cx.because("somebody better is alive: wait for it to take over");
                (self.phase, self.role, self.leader) = (Phase::AwaitingCoordinator, Role::Undecided, None);
                self.answered_by = Some(rank);
                cx.cancel_timer(Patience::Answers);
                cx.set_timer(Patience::Coordinator, cx.delay_bound() * COORDINATOR_WAIT);
            }
            Msg::Answer => {
                cx.because("it has been answered already, or knows who leads");
                if self.phase == Phase::AwaitingCoordinator {
                    self.answered_by = self.answered_by.max(Some(rank));
                }
            }
            Msg::Coordinator if rank < cx.rank() && !STABLE => self.on_call(cx), // rule 5
            Msg::Coordinator if rank < cx.rank() && self.role == Role::Leader => {
                cx.because("somebody worse leads too: it is told who does");
                cx.send(from, Msg::Coordinator);
            }
            Msg::Coordinator if !STABLE && self.answered_by > Some(rank) => {
                cx.because("somebody better has answered: wait for that one to take over");
            }
            Msg::Coordinator if was_suspected => {
                // It may be back, or have died since: whatever was asked before, it was not asked.
                cx.because("it leads, but is taken for dead: it is asked");
                self.call(cx);
            }
            Msg::Coordinator if STABLE && !is_settling && self.leader > Some(rank) => {
                cx.because("it leads, but somebody better led: it asks who does");
                self.on_call(cx);
            }
            Msg::Coordinator if is_settling && self.leader > Some(rank) => {
                cx.because("an announcement from the election just over: a better one has been heard");
            }
            Msg::Coordinator => {
                cx.because("somebody else leads: it is followed");
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
                    self.greet(cx, peer);
                }
            }
            Verdict::Suspected => {} // a warning: it may yet answer
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
    /// Whether it has no election of its own under way.
    fn may_call(&self) -> bool {
        matches!(self.phase, Phase::Idle | Phase::Asked)
    }

    /// Its detector's word may have led to an outcome before it is called for the same reason.
    fn has_concluded_now(&self, cx: &Cx<'_, Self>) -> bool {
        self.role == Role::Leader && self.settled_at == Some(cx.now() + cx.delay_bound() * SETTLING)
    }

    /// Whether it follows somebody worse than one who has just answered, because announcements crossed.
    fn is_misled(&self, answered_by: Rank) -> bool {
        !STABLE && self.role == Role::Follower && self.leader < Some(answered_by)
    }

    /// Rule 6.
    fn greet(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        if STABLE || cx.peer_rank(peer) < cx.rank() {
            cx.because("somebody is back: it is told who leads");
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
            "it calls an election: everyone is asked"
        } else {
            "it calls an election: everyone better is asked"
        });
        for port in asked {
            cx.send(port, Msg::Election);
        }
        self.phase = Phase::AwaitingAnswers;
        cx.set_timer(Patience::Answers, cx.delay_bound() * ANSWER_WAIT);
    }

    fn announce(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("nobody better is alive: it leads, and says so");
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
                "as at-once, but the winner announces itself to everyone: a better member that was not asked objects"
            }
            (true, ..) => {
                "ask everyone better; no answer in time means you lead; one who knows it is best announces at once"
            }
            (false, false, _) => "ask everyone better; no answer in time means you lead",
            (false, true, _) => {
                "ask everyone; follow whoever leads; else no better one's answer in time means you lead"
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
            return Err(Broken("a member that elects has no leader yet".into()));
        }
        Ok(())
    }
}

mod figures;
