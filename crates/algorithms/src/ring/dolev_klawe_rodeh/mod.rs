//! Dolev, Klawe and Rodeh's one-way ring election: their algorithm A.

use crate::ring::outcome::Outcome;
use crate::ring::phases::*;
use crate::sources::{DOLEV_KLAWE_RODEH_1982, FOKKINK_2013};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// A member: its state in the election, and what it knows of the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DolevKlaweRodeh {
    state: State,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    /// Not in an election.
    Asleep,
    /// Holds a rank; knows the rank to its left (before it) once that has arrived.
    Active { max: Rank, left: Option<Rank> },
    /// Holds no rank: forwards all messages.
    Passive,
}

/// The messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The rank that the sender holds.
    M1(Rank),
    /// The rank that the active member before the sender holds.
    M2(Rank),
    /// The id of the leader.
    Elected(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::payload("m1"), Kind::payload("m2"), Kind::payload("elected")];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::M1(_) => 0,
            Msg::M2(_) => 1,
            Msg::Elected(_) => 2,
        }
    }

    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg::Elected(leader.id()))
    }
}

impl Algorithm for DolevKlaweRodeh {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        DolevKlaweRodeh { state: State::Asleep, outcome: Outcome::NONE }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("already in an election");
        self.wake(cx);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, msg: Msg) {
        match msg {
            Msg::Elected(leader) => {
                self.state = State::Asleep;
                if self.outcome.receive(cx.id(), leader) {
                    cx.because("the leader's id: record and forward");
                    cx.send(NEXT, msg);
                } else {
                    cx.because("own announcement returned, so every member knows: discard");
                }
            }
            _ if self.outcome.is_announcing() => cx.because("the highest rank is known: discard other ranks"),
            Msg::M1(_) | Msg::M2(_) => {
                self.wake(cx);
                self.on_rank(cx, msg);
            }
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl DolevKlaweRodeh {
    fn on_rank(&mut self, cx: &mut Cx<'_, Self>, msg: Msg) {
        match (self.state, msg) {
            (State::Active { max, left: None }, Msg::M1(i)) if i == max => {
                cx.because("the rank it holds has gone once round, so it is the highest: announce its owner as the leader");
                self.state = State::Passive;
                self.outcome = Outcome::announce(cx.id(), max.id());
                cx.send(NEXT, Msg::Elected(max.id()));
            }
            (State::Active { max, left: None }, Msg::M1(i)) => {
                cx.because("the rank of the previous active member: record it as left and forward it as m2");
                self.state = State::Active { max, left: Some(i) };
                cx.send(NEXT, Msg::M2(i));
            }
            (State::Active { max, left: Some(left) }, Msg::M2(j)) if left > j && left > max => {
                cx.because("the left rank is higher than both its neighbours: hold it");
                self.hold(cx, left);
            }
            (State::Active { left: Some(_), .. }, Msg::M2(_)) => {
                cx.because("the left rank is not higher than both its neighbours: become passive");
                self.state = State::Passive;
            }
            (State::Passive, _) => {
                cx.because("passive: forward");
                cx.send(NEXT, msg);
            }
            _ => cx.because("not expected in this state: discard"),
        }
    }

    /// Unless it takes part already. In a new run no member is elected yet.
    fn wake(&mut self, cx: &mut Cx<'_, Self>) {
        if self.state == State::Asleep {
            cx.because("not in an election yet: take part and send own rank");
            self.outcome = Outcome::NONE;
            self.hold(cx, cx.rank());
        }
    }

    /// A phase begins with this rank.
    fn hold(&mut self, cx: &mut Cx<'_, Self>, max: Rank) {
        self.state = State::Active { max, left: None };
        cx.send(NEXT, Msg::M1(max));
    }
}

impl Protocol for DolevKlaweRodeh {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "dolev-klawe-rodeh",
        variant: "algorithm-a",
        summary: "each phase keeps the ranks higher than both neighbours; the holder of the last one announces its owner",
        sources: &[DOLEV_KLAWE_RODEH_1982, FOKKINK_2013],
        need: Need::OneWayRing,
        timing: Timing::Asynchronous,
        links: Links::Fifo,
        starts: Starts::Callers,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::empty(),
        goal: Goal::EveryoneKnows,
        survives: Faults::PAUSE,
        randomised: false,
        parameters: &[],
        claims: &CLAIMS,
        text: include_str!("page.md"),
    };

    #[inline]
    fn status(&self) -> Status {
        self.outcome.status()
    }

    fn invariant(&self) -> Result<(), Broken> {
        if matches!(self.state, State::Active { .. }) && self.outcome != Outcome::NONE {
            return Err(Broken("an active member knows no outcome yet".into()));
        }
        Ok(())
    }
}

const CLAIMS: [Claim; 4] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "2n a phase while two ranks are left, then n; + n to announce",
        expect: |run| {
            in_order(run, |ranks| {
                let n = ranks.len();
                Expect::Exactly((2 * n * phases(ranks) + 2 * n) as f64)
            })
        },
    },
    HALVING_BOUND,
    Claim {
        name: "m2",
        measure: Measure::MessagesOf("m2"),
        formula: "n a phase while two ranks are left",
        expect: |run| in_order(run, |ranks| Expect::Exactly((ranks.len() * phases(ranks)) as f64)),
    },
    ANNOUNCEMENTS,
];

/// The number of phases until one rank is left. In each phase one message of each kind goes from every holder to the
/// next: together they go round once.
fn phases(ranks: &[Rank]) -> usize {
    let mut held = all_members(ranks);
    let mut phases = 0;
    while held.len() > 1 {
        held = next_local_maxima(&held);
        phases += 1;
    }
    phases
}
