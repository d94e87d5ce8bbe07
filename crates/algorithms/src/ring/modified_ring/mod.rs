//! The modified ring election of lecture 000: messages list the members that forwarded them, so that a leader that
//! dies during the election is detected. On a ring that closes around dead members ([`crate::ring::courier`]).
//!
//! Departures from the lecture, which leaves these open: runs are numbered ([`Run`]), and each member discards all
//! runs but the highest; a member does not wait for an outcome beyond a time-out.

use crate::ring::courier::*;
use crate::ring::figures::*;
use crate::sources::{GUPTA_LECTURE, KO_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModifiedRing {
    courier: Courier<Payload>,
    /// The highest run known: lower ones are discarded.
    run: Option<Run>,
    stage: Stage,
    role: Role,
    elected: Option<Id>,
}

/// How far the run has come at this member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Stage {
    /// The run is over, or there is none.
    Idle,
    /// `election` has passed.
    Electing,
    /// The member's own `coordinator` goes round.
    Announcing,
}

/// The messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Payload {
    /// Collects the live members.
    Election {
        /// The run.
        run: Run,
        /// The members that forwarded it.
        forwarded_by: Vec<Rank>,
    },
    /// Announces the future leader.
    Coordinator {
        /// The run.
        run: Run,
        /// The highest-ranked of the members that forwarded `election`.
        coordinator: Id,
        /// The members that forwarded this message.
        forwarded_by: Vec<Id>,
    },
}

impl Message for Payload {
    const KINDS: &'static [Kind] = &[Kind::payload("election"), Kind::payload("coordinator"), ACK];

    fn kind(&self) -> usize {
        matches!(self, Payload::Coordinator { .. }).into()
    }

    fn forged(leader: Rank) -> Option<Self> {
        let (run, coordinator) = (Run::forged(leader), leader.id());
        Some(Payload::Coordinator { run, coordinator, forwarded_by: Vec::new() })
    }

    fn brief(&self) -> Option<String> {
        Some(match self {
            Payload::Election { forwarded_by, .. } => {
                format!("[{}]", listed(forwarded_by.iter().map(|rank| rank.id())))
            }
            Payload::Coordinator { coordinator, forwarded_by, .. } => {
                format!("{coordinator} [{}]", listed(forwarded_by.iter().copied()))
            }
        })
    }
}

impl RingMember<Payload> for ModifiedRing {
    fn call(&mut self, cx: &mut Cx<'_, Self>) {
        let run = Run::after(self.run, cx.rank());
        self.take_part(cx, run, Stage::Electing);
        self.pass_on(cx, Payload::Election { run, forwarded_by: vec![cx.rank()] });
    }

    fn receive(&mut self, cx: &mut Cx<'_, Self>, word: Payload) {
        cx.because("a duplicate of a message that has passed: discard");
        let (me, is_current) = (cx.rank(), Some(word.run()) == self.run);
        if word.run().is_too_far_ahead(cx, self.run) {
            return;
        }
        match word {
            _ if word.listed() > cx.outgoing().count() + 1 => {
                cx.because("it lists more members than there are, so it is forged: discard");
            }
            Payload::Election { run, .. } if self.stage == Stage::Idle && run.is_outdated(self.run) => {
                cx.because("the initiator missed a later run: start a new run that includes it");
                self.call(cx);
            }
            _ if Some(word.run()) < self.run => {
                cx.because("a higher run is known: discard");
            }
            Payload::Election { run, forwarded_by } if run.initiator == me => {
                if is_current && self.stage == Stage::Electing {
                    cx.because("own election returned: announce the highest-ranked member on the list");
                    let coordinator = forwarded_by.into_iter().fold(me, Rank::max).id();
                    self.take_part(cx, run, Stage::Announcing);
                    self.pass_on(cx, Payload::Coordinator { run, coordinator, forwarded_by: vec![me.id()] });
                }
            }
            Payload::Coordinator { coordinator, forwarded_by, run } if run.initiator == me => {
                if is_current && self.stage == Stage::Announcing {
                    if forwarded_by.contains(&coordinator) {
                        cx.because("own coordinator returned, and the new leader is on the list: done");
                        self.conclude(cx, coordinator);
                    } else {
                        cx.because("own coordinator returned, but the new leader is not on the list, so it has failed: start again");
                        self.call(cx);
                    }
                }
            }
            Payload::Election { run, mut forwarded_by } => {
                if forwarded_by.contains(&me) {
                    cx.because("it has gone once round, so its initiator has failed: start a new election");
                    self.call(cx);
                } else if !is_current {
                    cx.because("add own rank to the list and forward");
                    forwarded_by.push(me);
                    self.take_part(cx, run, Stage::Electing);
                    self.pass_on(cx, Payload::Election { run, forwarded_by });
                }
            }
            Payload::Coordinator { run, coordinator, mut forwarded_by } => {
                if forwarded_by.contains(&me.id()) {
                    cx.because("it has gone once round, so its initiator has failed: start a new election");
                    self.call(cx);
                } else if !is_current {
                    cx.because("the election skipped this member: start another");
                    self.run = Some(run);
                    self.call(cx);
                } else if self.stage == Stage::Electing {
                    cx.because("record the new leader, add own id to the list and forward");
                    forwarded_by.push(me.id());
                    self.run = Some(run);
                    self.conclude(cx, coordinator);
                    self.pass_on(cx, Payload::Coordinator { run, coordinator, forwarded_by });
                }
            }
        }
    }

    fn courier(&mut self) -> &mut Courier<Payload> {
        &mut self.courier
    }
}

impl ModifiedRing {
    fn take_part(&mut self, cx: &mut Cx<'_, Self>, run: Run, stage: Stage) {
        self.courier.try_everyone_in(run, self.run);
        (self.run, self.stage, self.role, self.elected) = (Some(run), stage, Role::Undecided, None);
        self.await_outcome(cx);
    }

    fn conclude(&mut self, cx: &mut Cx<'_, Self>, coordinator: Id) {
        self.stage = Stage::Idle;
        self.role = if coordinator == cx.id() { Role::Leader } else { Role::Follower };
        self.elected = Some(coordinator);
        cx.cancel_timer(Reminder::Overdue);
    }
}

impl Payload {
    fn run(&self) -> Run {
        let (Payload::Election { run, .. } | Payload::Coordinator { run, .. }) = self;
        *run
    }

    /// The number of members on its list.
    fn listed(&self) -> usize {
        match self {
            Payload::Election { forwarded_by, .. } => forwarded_by.len(),
            Payload::Coordinator { forwarded_by, .. } => forwarded_by.len(),
        }
    }

    fn owned_bytes(&self) -> usize {
        match self {
            Payload::Election { forwarded_by, .. } => forwarded_by.len() * size_of::<Rank>(),
            Payload::Coordinator { forwarded_by, .. } => forwarded_by.len() * size_of::<Id>(),
        }
    }
}

impl Algorithm for ModifiedRing {
    type Timer = Reminder;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        let (role, stage) = (Role::Undecided, Stage::Idle);
        ModifiedRing { courier: Courier::default(), run: None, stage, role, elected: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        if self.stage == Stage::Idle {
            cx.because("told to start an election: send a list with own rank");
            self.call(cx);
        } else {
            cx.because("an election is already under way");
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

impl Protocol for ModifiedRing {
    type Msg = Letter<Payload>;

    const SPEC: Spec = Spec {
        name: "modified-ring",
        variant: "plain",
        summary: "a list of all members goes round, then the highest-ranked one's id; if that one has died, again",
        sources: &[KO_LECTURE, GUPTA_LECTURE],
        need: Need::OverlayRing,
        timing: Timing::BoundedDelay,
        links: Links::Any,
        starts: Starts::Callers,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::DELAY_BOUND.union(Knowledge::DETECTOR),
        goal: Goal::EveryoneKnows,
        survives: Faults::UNHURRIED.union(Faults::CRASH).union(Faults::RECOVERY),
        randomised: false,
        parameters: &[],
        claims: &CLAIMS,
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        let term = self.run.map_or(0, |run| run.epoch);
        Status { role: self.role, leader: self.elected, term, halted: false }
    }

    fn storage(&self) -> usize {
        size_of::<Self>() + self.courier.owned_bytes(Payload::owned_bytes)
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.elected.is_some() && self.stage != Stage::Idle {
            return Err(Broken("a member in an election has no leader yet".into()));
        }
        Ok(())
    }
}

const CLAIMS: [Claim; 5] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "one initiator: 2n; each lower-ranked one besides: the distance to the next higher; 1 for each dead",
        expect: |run| figure(run, |ring| ring.election + ring.coordinator),
    },
    Claim {
        name: "mean_messages",
        measure: Measure::Messages,
        formula: "n H(n) + n over random orders, all start (n > 1)",
        expect: |run| {
            let n = run.n() as f64;
            let applies = run.order == Order::Random && all_start(run) && is_undisturbed(run) && run.n() > 1;
            let is_ordered = run.bounded && run.delivery != Delivery::Reordering;
            (applies && is_ordered).then(|| Expect::OnAverage(n * (harmonic(run.n()) + 1.0)))
        },
    },
    Claim {
        name: "election",
        measure: Measure::MessagesOf("election"),
        formula: "one initiator: n; each lower-ranked one besides: the distance to the next higher; 1 for each dead",
        expect: |run| figure(run, |ring| ring.election),
    },
    Claim {
        name: "coordinator",
        measure: Measure::MessagesOf("coordinator"),
        formula: "n",
        expect: |run| figure(run, |ring| ring.coordinator),
    },
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "one initiator, no member dead: 2n, and one for the last ack",
        expect: time_of_two_turns,
    },
];

struct Sent {
    election: usize,
    coordinator: usize,
}

/// The highest-ranked initiator's run completes, and each other run is dropped at the next higher-ranked initiator. A
/// dead member costs the one `election` that finds it dead.
fn figure(run: &Setting<'_>, of: fn(&Sent) -> usize) -> Option<Expect> {
    let ring = LiveRing::new(run)?;
    let is_ordered = run.delivery != Delivery::Reordering || ring.initiators.len() == 1;
    let discarded = suppressed_hops(ring.n(), &ring.initiators, |at| run.ranks[ring.members[at]]);
    let sent = Sent { election: ring.turn() + discarded + run.dead.len(), coordinator: ring.turn() };
    is_ordered.then(|| Expect::Exactly(of(&sent) as f64))
}
