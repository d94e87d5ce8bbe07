//! Chang and Roberts' election in numbered runs: the common part of its two repairs (lecture 002).
//!
//! If the would-be leader of a run dies, another member starts a new run. Its number is higher, so members of the old
//! run take part anew and discard messages of the old run. Of runs that start at once, only the run of the
//! highest-ranked initiator completes.
//!
//! The number of the highest run survives a crash, so that a member that restarts does not start a run that the
//! others discard.

use crate::ring::courier::Run;
use crate::ring::figures::*;
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// The messages; each belongs to one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The highest rank met so far.
    Election {
        /// The run.
        run: Run,
        /// The highest rank met so far.
        best: Rank,
    },
    /// The leader is elected.
    Elected {
        /// The run.
        run: Run,
        /// The leader.
        leader: Rank,
    },
}

impl Msg {
    fn run(&self) -> Run {
        let (Msg::Election { run, .. } | Msg::Elected { run, .. }) = self;
        *run
    }

    /// The would-be leader, or the leader.
    pub fn favourite(&self) -> Rank {
        let (Msg::Election { best: rank, .. } | Msg::Elected { leader: rank, .. }) = self;
        *rank
    }
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::payload("election"), Kind::payload("elected")];

    fn kind(&self) -> usize {
        matches!(self, Msg::Elected { .. }).into()
    }

    fn brief(&self) -> Option<String> {
        Some(format!("{} (run {} of {})", self.favourite().id(), self.run().epoch, self.run().initiator.id()))
    }

    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg::Elected { run: Run::forged(leader), leader })
    }
}

/// The state of a member in the highest run that it knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standing {
    run: Option<Run>,
    /// Whether the member is a participant in that run.
    participant: bool,
    /// The highest rank that has passed; once the run is over, the leader's rank.
    favourite: Option<Rank>,
    role: Role,
}

impl Standing {
    /// The state at boot. `saved` is the highest run before the crash, if there was one. The member counts one more
    /// run as known, because it may have crashed while it sent the first message of a new run.
    pub fn new(saved: Option<Run>) -> Standing {
        let run = saved.map(|run| Run::after(saved, run.initiator));
        Standing { run, participant: false, favourite: None, role: Role::Undecided }
    }

    /// Whether it knows of any run.
    pub fn knows_a_run(&self) -> bool {
        self.run.is_some()
    }

    /// Whether the member is a participant in a run.
    pub fn is_under_way(&self) -> bool {
        self.participant
    }

    /// The would-be leader, or the leader, as far as the member knows.
    pub fn favourite(&self) -> Option<Rank> {
        self.favourite
    }

    /// The `elected` message of the completed run, if there is one.
    pub fn outcome(&self) -> Option<Msg> {
        let (run, leader) = (self.run?, self.favourite?);
        (self.role != Role::Undecided).then_some(Msg::Elected { run, leader })
    }

    /// The state that other members and observers see.
    pub fn status(&self) -> Status {
        let leader = self.favourite.filter(|_| self.role != Role::Undecided).map(Rank::id);
        Status { role: self.role, leader, term: self.run.map_or(0, |run| run.epoch), halted: false }
    }

    /// What must hold in every state.
    ///
    /// # Errors
    /// Names the condition that does not hold.
    pub fn invariant(&self) -> Result<(), Broken> {
        let is_elected = self.role != Role::Undecided;
        if self.participant && (is_elected || self.run.is_none()) || is_elected && self.favourite.is_none() {
            return Err(Broken("a participant is in a run and has no leader yet".into()));
        }
        Ok(())
    }

    fn conclude(&mut self, run: Run, role: Role, leader: Rank) {
        *self = Standing { run: Some(run), participant: false, favourite: Some(leader), role };
    }
}

/// A member of a ring with numbered runs. How messages are forwarded, and what makes a member start a new run,
/// depends on the repair.
pub trait InRuns: Algorithm<Msg = Msg, Durable = Option<Run>> {
    /// The member's state.
    fn standing(&mut self) -> &mut Standing;

    /// Sends clockwise.
    fn pass_on(&mut self, cx: &mut Cx<'_, Self>, msg: Msg);

    /// Whether the member takes another for dead.
    fn takes_for_dead(&self, cx: &Cx<'_, Self>, rank: Rank) -> bool {
        let _ = (cx, rank);
        false
    }

    /// The outcome arrives a second time.
    fn on_outcome_again(&mut self, cx: &mut Cx<'_, Self>);

    /// Starts a new run, whether or not one is under way.
    fn begin_run(&mut self, cx: &mut Cx<'_, Self>) {
        let run = Run::after(self.standing().run, cx.rank());
        self.take_part(cx, run, cx.rank());
    }

    /// For `on_call`.
    fn call(&mut self, cx: &mut Cx<'_, Self>) {
        if self.standing().participant {
            cx.because("an election is already under way");
        } else {
            cx.because("told to start an election: send own rank");
            self.begin_run(cx);
        }
    }

    /// For `on_message`.
    fn receive(&mut self, cx: &mut Cx<'_, Self>, msg: Msg) {
        let (me, run, favourite) = (cx.rank(), msg.run(), msg.favourite());
        let known = self.standing().clone();
        if run.is_too_far_ahead(cx, known.run) {
            return;
        }
        let is_known = known.run == Some(run);
        let is_over = is_known && !known.participant;
        match msg {
            Msg::Election { .. } if Some(run) < known.run && !known.participant => {
                cx.because(
                    "the initiator missed a later run, which is over: start a new run that includes it",
                );
                self.begin_run(cx);
            }
            Msg::Election { .. } if known.run.is_some_and(|known| run.epoch < known.epoch) => {
                cx.because("the initiator missed a later run: send that run's highest rank round again");
                if let (Some(run), Some(best)) = (known.run, known.favourite) {
                    self.pass_on(cx, Msg::Election { run, best });
                }
            }
            _ if Some(run) < known.run => cx.because("a higher run is known: discard"),
            _ if self.takes_for_dead(cx, favourite) => {
                cx.because("the would-be leader has failed: start a new run");
                self.begin_run(cx);
            }
            Msg::Election { .. } if is_over => cx.because("the run is over, this is a duplicate: discard"),
            Msg::Election { .. } if favourite > me => {
                cx.because("a higher rank: forward");
                self.take_part(cx, run, favourite);
            }
            Msg::Election { .. } if favourite < me && is_known => {
                cx.because("a lower rank: discard");
            }
            Msg::Election { .. } if favourite < me => {
                cx.because("a lower rank, and a new run: send own rank instead");
                self.take_part(cx, run, me);
            }
            Msg::Election { .. } => {
                cx.because("own rank returned, so no member has a higher rank: lead");
                self.conclude(cx, run, Role::Leader, me);
            }
            Msg::Elected { .. } if favourite == me && is_known && known.role == Role::Leader => {
                cx.because("own announcement returned, so every member knows: discard");
            }
            Msg::Elected { .. } if favourite <= me => {
                cx.because("the elected member has a lower rank, or is this member, which does not know it: start a new run");
                self.begin_run(cx);
            }
            Msg::Elected { .. } if is_over && known.favourite == Some(favourite) => self.on_outcome_again(cx),
            Msg::Elected { .. } => {
                cx.because("the leader's id: record and forward");
                self.conclude(cx, run, Role::Follower, favourite);
            }
        }
    }

    /// In a new run no member is elected yet.
    fn take_part(&mut self, cx: &mut Cx<'_, Self>, run: Run, best: Rank) {
        if self.standing().run != Some(run) {
            cx.persist(Some(run));
        }
        *self.standing() =
            Standing { run: Some(run), participant: true, favourite: Some(best), role: Role::Undecided };
        self.pass_on(cx, Msg::Election { run, best });
    }

    /// The run is over for this member.
    fn conclude(&mut self, cx: &mut Cx<'_, Self>, run: Run, role: Role, leader: Rank) {
        if self.standing().run != Some(run) {
            cx.persist(Some(run));
        }
        self.standing().conclude(run, role, leader);
        self.pass_on(cx, Msg::Elected { run, leader });
    }
}

/// The figures of either repair if nothing fails. `OVERLAID`: over a complete network, where a single member sends
/// nothing.
pub const fn claims<const OVERLAID: bool>() -> [Claim; 4] {
    [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "highest-ranked initiator: d + 2n; every other: distance to the next higher-ranked initiator",
            expect: |run| {
                let hops = completed_hops(run, |member| run.ranks[member])
                    + died_hops(run, |member| run.ranks[member]);
                figure::<OVERLAID>(run, hops)
            },
        },
        Claim {
            name: "mean_messages",
            measure: Measure::Messages,
            formula: "n H(n) + n over random orders, all start (n > 1)",
            expect: |run| {
                let mean = run.n() as f64 * (harmonic(run.n()) + 1.0);
                let applies = all_start(run) && run.order == Order::Random && run.n() > 1;
                figure::<OVERLAID>(run, 0).filter(|_| applies).map(|_| Expect::OnAverage(mean))
            },
        },
        Claim {
            name: "elected",
            measure: Measure::MessagesOf("elected"),
            formula: "n: only one run completes",
            expect: |run| figure::<OVERLAID>(run, if somebody_starts(run) { run.n() } else { 0 }),
        },
        Claim {
            name: "time",
            measure: Measure::Time,
            formula: "d + 2n, from the highest-ranked initiator",
            expect: |run| {
                let hops = completed_hops(run, |member| run.ranks[member]);
                figure::<OVERLAID>(run, hops).filter(|_| run.delivery == Delivery::Unit)
            },
        },
    ]
}

/// This many hops, in a run to which figures apply: nothing fails, links keep their order, and no member times out on
/// a message that is only late.
fn figure<const OVERLAID: bool>(run: &Setting<'_>, hops: usize) -> Option<Expect> {
    let applies = is_undisturbed(run) && run.delivery != Delivery::Reordering && (OVERLAID || run.bounded);
    let is_alone = OVERLAID && run.n() == 1;
    applies.then_some(Expect::Exactly(if is_alone { 0.0 } else { hops as f64 }))
}
