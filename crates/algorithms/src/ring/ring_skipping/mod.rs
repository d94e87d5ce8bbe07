//! Tanenbaum and van Steen's ring election (lecture 003): dead successors are skipped, and the live members learn of
//! each other. On a ring that closes around dead members ([`crate::ring::courier`]).
//!
//! Departures from the source, which leaves these open: runs are numbered ([`Run`]), so that of two outcomes the
//! later counts; a member does not wait for an outcome beyond a time-out.

use crate::ring::courier::*;
use crate::ring::figures::*;
use crate::sources::VAN_STEEN_2017;
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RingSkipping {
    courier: Courier<Payload>,
    /// The highest run known.
    highest: Option<Run>,
    /// For each initiator, its last epoch and which of its messages have passed.
    progress: BTreeMap<Id, (u64, Passed)>,
    role: Role,
    outcome: Option<Outcome>,
}

/// The last message of a run that has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Passed {
    Election,
    Coordinator,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Outcome {
    /// The run.
    run: Run,
    /// The new coordinator: the highest-ranked of the members.
    leader: Id,
    /// The members of the new ring, clockwise.
    members: Vec<Id>,
}

/// The messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Payload {
    /// Collects the live members.
    Election {
        /// The run.
        run: Run,
        /// The members that forwarded it, clockwise.
        members: Vec<Rank>,
    },
    /// Announces the leader and the members of the new ring.
    Coordinator(Outcome),
}

impl Message for Payload {
    const KINDS: &'static [Kind] = &[Kind::payload("election"), Kind::payload("coordinator"), ACK];

    fn kind(&self) -> usize {
        matches!(self, Payload::Coordinator(_)).into()
    }

    fn forged(leader: Rank) -> Option<Self> {
        let (run, leader) = (Run::forged(leader), leader.id());
        Some(Payload::Coordinator(Outcome { run, leader, members: vec![leader] }))
    }

    fn brief(&self) -> Option<String> {
        Some(match self {
            Payload::Election { members, .. } => {
                format!("[{}]", listed(members.iter().map(|rank| rank.id())))
            }
            Payload::Coordinator(Outcome { leader, members, .. }) => {
                format!("{leader} [{}]", listed(members.iter().copied()))
            }
        })
    }
}

impl RingMember<Payload> for RingSkipping {
    fn call(&mut self, cx: &mut Cx<'_, Self>) {
        let run = Run::after(self.highest, cx.rank());
        self.is_news(run, Passed::Election);
        self.take_part(cx, run);
        self.pass_on(cx, Payload::Election { run, members: vec![cx.rank()] });
    }

    fn receive(&mut self, cx: &mut Cx<'_, Self>, word: Payload) {
        cx.because("a duplicate of a message that has passed: discard");
        let me = cx.rank();
        if word.run().is_too_far_ahead(cx, self.highest) {
            return;
        }
        match word {
            _ if !word.is_plausible(cx) => {
                cx.because("its initiator is no member, or it lists more members than there are, so it is forged: discard");
            }
            Payload::Election { run, members } if members.contains(&me) => {
                if self.is_news(run, Passed::Coordinator) {
                    cx.because("own rank is on the list, so the list is complete: announce the highest-ranked member as the leader");
                    let leader = members.iter().fold(me, |best, &rank| best.max(rank)).id();
                    let members = members.into_iter().map(Rank::id).collect();
                    self.conclude(cx, Outcome { run, leader, members });
                }
            }
            Payload::Election { run, mut members } => {
                if self.is_news(run, Passed::Election) {
                    cx.because("add own rank to the list and forward");
                    members.push(me);
                    self.take_part(cx, run);
                    self.pass_on(cx, Payload::Election { run, members });
                } else if run.is_outdated(self.highest) && !self.is_under_way() {
                    cx.because("the initiator missed a later run: start a new run that includes it");
                    self.call(cx);
                }
            }
            Payload::Coordinator(outcome) => {
                if !outcome.members.contains(&me.id()) && self.highest < Some(outcome.run) {
                    cx.because("the election skipped this member: start another");
                    self.highest = Some(outcome.run);
                    self.call(cx);
                } else if self.is_news(outcome.run, Passed::Coordinator) {
                    cx.because("the new leader and the new ring: record and forward");
                    self.conclude(cx, outcome);
                } else {
                    cx.because("it has gone once round: remove it from the ring");
                }
            }
        }
    }

    /// A member that finds the leader dead starts an election.
    fn note_death(&mut self, cx: &mut Cx<'_, Self>) {
        let Some(leader) = self.outcome.as_ref().map(|outcome| outcome.leader) else { return };
        let is_dead = self.courier.dead().any(|port| cx.peer_rank(port).id() == leader);
        // A member with the id of the dead leader is not dead itself.
        if is_dead && leader != cx.id() && !self.is_under_way() {
            cx.because("the new leader does not answer, so it has failed: start an election");
            self.call(cx);
        }
    }

    fn courier(&mut self) -> &mut Courier<Payload> {
        &mut self.courier
    }
}

impl Payload {
    fn run(&self) -> Run {
        match self {
            Payload::Election { run, .. } | Payload::Coordinator(Outcome { run, .. }) => *run,
        }
    }

    /// Whether a member can have sent it. This limits the initiators that are remembered to the members.
    fn is_plausible(&self, cx: &Cx<'_, RingSkipping>) -> bool {
        let run = self.run();
        let listed = match self {
            Payload::Election { members, .. } => members.len(),
            Payload::Coordinator(outcome) => outcome.members.len(),
        };
        let mut others = cx.outgoing().map(|port| cx.peer_rank(port));
        listed <= cx.outgoing().count() + 1
            && (run.initiator == cx.rank() || others.any(|rank| rank == run.initiator))
    }
}

impl RingSkipping {
    /// Whether this message has not passed here yet. Otherwise it is a duplicate or has gone once round: so no
    /// message circulates for ever, even if the member that should remove it is dead.
    fn is_news(&mut self, run: Run, passed: Passed) -> bool {
        let (initiator, now) = (run.initiator.id(), (run.epoch, passed));
        let is_news = self.progress.get(&initiator) < Some(&now);
        if is_news {
            self.progress.insert(initiator, now);
        }
        is_news
    }

    /// In a run higher than any before, no member is elected yet.
    fn take_part(&mut self, cx: &mut Cx<'_, Self>, run: Run) {
        if self.highest < Some(run) {
            self.courier.try_everyone_in(run, self.highest);
            (self.highest, self.role, self.outcome) = (Some(run), Role::Undecided, None);
            self.await_outcome(cx);
        }
    }

    /// Whether the outcome of the highest run is still missing.
    fn is_under_way(&self) -> bool {
        self.highest != self.outcome.as_ref().map(|outcome| outcome.run)
    }

    /// Records the outcome, unless that of a higher run is known, and forwards it.
    fn conclude(&mut self, cx: &mut Cx<'_, Self>, outcome: Outcome) {
        if self.outcome.as_ref().map(|known| known.run) < Some(outcome.run) {
            self.role = if outcome.leader == cx.id() { Role::Leader } else { Role::Follower };
            self.highest = self.highest.max(Some(outcome.run));
            self.outcome = Some(outcome.clone());
            if !self.is_under_way() {
                cx.cancel_timer(Reminder::Overdue);
            }
        }
        self.pass_on(cx, Payload::Coordinator(outcome));
        self.note_death(cx);
    }
}

impl Algorithm for RingSkipping {
    type Timer = Reminder;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        let (courier, progress) = (Courier::default(), BTreeMap::new());
        RingSkipping { courier, highest: None, progress, role: Role::Undecided, outcome: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        if self.is_under_way() {
            cx.because("an election is already under way");
        } else {
            cx.because("told to start an election: send a list with own rank");
            self.call(cx);
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, letter: Letter<Payload>) {
        self.on_letter(cx, from, letter);
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, reminder: Reminder) {
        self.on_reminder(cx, reminder);
    }

    fn on_suspicion(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        self.on_word_of_detector(cx, peer, verdict);
    }
}

impl Protocol for RingSkipping {
    type Msg = Letter<Payload>;

    const SPEC: Spec = Spec {
        name: "ring-skipping",
        variant: "plain",
        summary: "a list of all live members goes round, then the highest-ranked one's id with the list",
        sources: &[VAN_STEEN_2017],
        need: Need::OverlayRing,
        timing: Timing::BoundedDelay,
        links: Links::Any,
        starts: Starts::Callers,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::DELAY_BOUND.union(Knowledge::PEERS).union(Knowledge::DETECTOR),
        goal: Goal::EveryoneKnows,
        survives: Faults::UNHURRIED.union(Faults::CRASH),
        randomised: false,
        parameters: &[],
        claims: &CLAIMS,
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        let leader = self.outcome.as_ref().map(|outcome| outcome.leader);
        let term = self.highest.map_or(0, |run| run.epoch);
        Status { role: self.role, leader, term, halted: false }
    }

    fn storage(&self) -> usize {
        let of_ids = |outcome: &Outcome| outcome.members.len() * size_of::<Id>();
        let of_word = |word: &Payload| match word {
            Payload::Election { members, .. } => members.len() * size_of::<Rank>(),
            Payload::Coordinator(outcome) => of_ids(outcome),
        };
        size_of::<Self>()
            + self.courier.owned_bytes(of_word)
            + self.progress.len() * size_of::<(Id, (u64, Passed))>()
            + self.outcome.as_ref().map_or(0, of_ids)
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.outcome.as_ref().map(|outcome| outcome.run) > self.highest {
            return Err(Broken("the outcome belongs to a known run".into()));
        }
        Ok(())
    }
}

const CLAIMS: [Claim; 4] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "2n for each initiator (n alive), and one for each dead member",
        expect: |run| {
            let ring = LiveRing::new(run)?;
            let turns = 2 * ring.turn() * ring.initiators.len();
            Some(Expect::Exactly((turns + run.dead.len()) as f64))
        },
    },
    Claim {
        name: "election",
        measure: Measure::MessagesOf("election"),
        formula: "n for each initiator (n alive), and one for each dead member",
        expect: |run| {
            let ring = LiveRing::new(run)?;
            Some(Expect::Exactly((ring.turn() * ring.initiators.len() + run.dead.len()) as f64))
        },
    },
    Claim {
        name: "coordinator",
        measure: Measure::MessagesOf("coordinator"),
        formula: "n for each initiator (n alive)",
        expect: |run| {
            let ring = LiveRing::new(run)?;
            Some(Expect::Exactly((ring.turn() * ring.initiators.len()) as f64))
        },
    },
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "one initiator, no member dead: 2n, and one for the last ack",
        expect: time_of_two_turns,
    },
];
