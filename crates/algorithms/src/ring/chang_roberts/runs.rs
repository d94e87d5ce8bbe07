//! Chang and Roberts' election in numbered runs: what its two repairs (lecture 002) have in common.
//!
//! When a run comes to nothing because the one it was to elect has died, somebody begins a new one.
//! Its number is higher, so that whoever takes part in the old one takes part anew, and what is left
//! of the old one goes no further. Of runs called at once only the best initiator's completes.
//!
//! The number of the highest run survives a crash, so that whoever comes back does not call a run that
//! nobody heeds.

use crate::ring::courier::Run;
use crate::ring::figures::*;
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// What members say; each message belongs to one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The best rank met so far.
    Election {
        /// Whose run this is.
        run: Run,
        /// The best rank met so far.
        best: Rank,
    },
    /// Who was elected.
    Elected {
        /// Whose run this is.
        run: Run,
        /// Who was elected.
        leader: Rank,
    },
}

impl Msg {
    fn run(&self) -> Run {
        let (Msg::Election { run, .. } | Msg::Elected { run, .. }) = self;
        *run
    }

    /// Whom it is about: who should lead, or does.
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

/// How a member stands in the highest run that it knows of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standing {
    run: Option<Run>,
    /// Whether that run is under way here.
    participant: bool,
    /// The best rank that has passed; when the run is over, the leader's.
    favourite: Option<Rank>,
    role: Role,
}

impl Standing {
    /// A member boots, and knows what the highest run was before it crashed, if it did. It counts one
    /// more as known, as it may have crashed with the first word of a new run in its hands.
    pub fn new(saved: Option<Run>) -> Standing {
        let run = saved.map(|run| Run::after(saved, run.initiator));
        Standing { run, participant: false, favourite: None, role: Role::Undecided }
    }

    /// Whether it has ever heard of an election.
    pub fn knows_a_run(&self) -> bool {
        self.run.is_some()
    }

    /// Whether a run is under way here.
    pub fn is_under_way(&self) -> bool {
        self.participant
    }

    /// Who should lead, or does, as far as the member knows.
    pub fn favourite(&self) -> Option<Rank> {
        self.favourite
    }

    /// What is passed on of the run that is over, if one is.
    pub fn outcome(&self) -> Option<Msg> {
        let (run, leader) = (self.run?, self.favourite?);
        (self.role != Role::Undecided).then_some(Msg::Elected { run, leader })
    }

    /// All an outsider sees.
    pub fn status(&self) -> Status {
        let leader = self.favourite.filter(|_| self.role != Role::Undecided).map(Rank::id);
        Status { role: self.role, leader, term: self.run.map_or(0, |run| run.epoch), halted: false }
    }

    /// What must hold in every state.
    ///
    /// # Errors
    /// Says what does not.
    pub fn invariant(&self) -> Result<(), Broken> {
        let is_elected = self.role != Role::Undecided;
        if self.participant && (is_elected || self.run.is_none()) || is_elected && self.favourite.is_none() {
            return Err(Broken("a participant is in a run and has not elected anyone yet".into()));
        }
        Ok(())
    }

    fn conclude(&mut self, run: Run, role: Role, leader: Rank) {
        *self = Standing { run: Some(run), participant: false, favourite: Some(leader), role };
    }
}

/// A member of a ring that elects in numbered runs. How messages go on, and what makes a member begin
/// anew, is up to the repair.
pub trait InRuns: Algorithm<Msg = Msg, Durable = Option<Run>> {
    /// How the member stands.
    fn standing(&mut self) -> &mut Standing;

    /// Sends clockwise.
    fn pass_on(&mut self, cx: &mut Cx<'_, Self>, msg: Msg);

    /// Whether the member takes somebody for dead.
    fn takes_for_dead(&self, cx: &Cx<'_, Self>, rank: Rank) -> bool {
        let _ = (cx, rank);
        false
    }

    /// The outcome came by a second time.
    fn on_outcome_again(&mut self, cx: &mut Cx<'_, Self>);

    /// Begins a new run, whatever is under way.
    fn begin_run(&mut self, cx: &mut Cx<'_, Self>) {
        let run = Run::after(self.standing().run, cx.rank());
        self.take_part(cx, run, cx.rank());
    }

    /// For `on_call`.
    fn call(&mut self, cx: &mut Cx<'_, Self>) {
        if self.standing().participant {
            cx.because("an election is already under way");
        } else {
            cx.because("it calls an election, and stands itself");
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
                cx.because("its initiator missed a later run, which is over: a new one takes it in");
                self.begin_run(cx);
            }
            Msg::Election { .. } if known.run.is_some_and(|known| run.epoch < known.epoch) => {
                cx.because("its initiator missed a later run: what has passed of that one goes round again");
                if let (Some(run), Some(best)) = (known.run, known.favourite) {
                    self.pass_on(cx, Msg::Election { run, best });
                }
            }
            _ if Some(run) < known.run => cx.because("a higher run is known: this one goes no further"),
            _ if self.takes_for_dead(cx, favourite) => {
                cx.because("the one who should lead is dead: a new run");
                self.begin_run(cx);
            }
            Msg::Election { .. } if is_over => cx.because("the run is over: a copy goes no further"),
            Msg::Election { .. } if favourite > me => {
                cx.because("a better rank: it goes on");
                self.take_part(cx, run, favourite);
            }
            Msg::Election { .. } if favourite < me && is_known => {
                cx.because("a worse rank: it goes no further");
            }
            Msg::Election { .. } if favourite < me => {
                cx.because("a worse rank: the member puts in its own");
                self.take_part(cx, run, me);
            }
            Msg::Election { .. } => {
                cx.because("its own rank came all the way round: nobody is better, so it leads");
                self.conclude(cx, run, Role::Leader, me);
            }
            Msg::Elected { .. } if favourite == me && is_known && known.role == Role::Leader => {
                cx.because("its own announcement is back: everyone knows");
            }
            Msg::Elected { .. } if favourite <= me => {
                cx.because("somebody worse has been elected, or it has itself and does not know: a new run");
                self.begin_run(cx);
            }
            Msg::Elected { .. } if is_over && known.favourite == Some(favourite) => self.on_outcome_again(cx),
            Msg::Elected { .. } => {
                cx.because("the leader's name: it is noted and goes on");
                self.conclude(cx, run, Role::Follower, favourite);
            }
        }
    }

    /// In a new run nobody has been elected yet.
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

/// The figures of either repair where nothing fails. `OVERLAID`: over a complete network, where one
/// member alone sends nothing.
pub const fn claims<const OVERLAID: bool>() -> [Claim; 4] {
    [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "best initiator: d + 2n; every other: distance to the next better initiator",
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
            formula: "d + 2n, from the best initiator",
            expect: |run| {
                let hops = completed_hops(run, |member| run.ranks[member]);
                figure::<OVERLAID>(run, hops).filter(|_| run.delivery == Delivery::Unit)
            },
        },
    ]
}

/// So many hops, in a run to which figures apply: nothing fails, links keep their order, and nobody
/// waits in vain for a message that is only late.
fn figure<const OVERLAID: bool>(run: &Setting<'_>, hops: usize) -> Option<Expect> {
    let applies = is_undisturbed(run) && run.delivery != Delivery::Reordering && (OVERLAID || run.bounded);
    let is_alone = OVERLAID && run.n() == 1;
    applies.then_some(Expect::Exactly(if is_alone { 0.0 } else { hops as f64 }))
}
