//! Peterson's one-way ring election in O(n log n) messages: the basic and the improved algorithm.

use crate::ring::outcome::Outcome;
use crate::sources::PETERSON_1982;
use bellwether_core::*;
use serde::{Deserialize, Serialize};

mod figures;

/// The basic algorithm: each phase compares three neighbouring ranks at once.
pub type Basic = Peterson<false>;
/// The improved algorithm: one phase compares with the rank before, the next with the rank after.
pub type Improved = Peterson<true>;

/// A member: its state in the election, and what it knows of the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Peterson<const IMPROVED: bool> {
    mode: Mode,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Mode {
    /// Not in an election.
    Asleep,
    /// Active: has sent its temporary rank and waits for that of the active member before it.
    First { tid: Rank },
    /// Active: has sent its second message and waits for one. The basic algorithm stores the first rank that it
    /// received.
    Second { tid: Rank, ntid: Option<Rank> },
    /// Passive: forwards all messages.
    Relay,
}

/// The messages. The paper numbers phases by the order of messages; names make the kinds explicit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The first message of a phase (improved: of an odd phase): a temporary rank.
    First(Rank),
    /// The second message of a phase (improved: of an even phase).
    Second(Rank),
    /// The id of the leader.
    Elected(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::payload("first"), Kind::payload("second"), Kind::payload("elected")];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::First(_) => 0,
            Msg::Second(_) => 1,
            Msg::Elected(_) => 2,
        }
    }

    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg::Elected(leader.id()))
    }
}

impl<const IMPROVED: bool> Algorithm for Peterson<IMPROVED> {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        Peterson { mode: Mode::Asleep, outcome: Outcome::NONE }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("already in an election");
        self.wake(cx);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, msg: Msg) {
        match msg {
            Msg::Elected(leader) => {
                self.mode = Mode::Asleep;
                if self.outcome.receive(cx.id(), leader) {
                    cx.because("the leader's id: record and forward");
                    cx.send(NEXT, msg);
                } else {
                    cx.because("own announcement returned, so every member knows: discard");
                }
            }
            _ if self.outcome.is_announcing() => cx.because("the highest rank, already announced: discard"),
            Msg::First(rank) | Msg::Second(rank) => {
                self.wake(cx);
                if self.has_found(cx, rank) {
                    cx.because(
                        "a rank has gone once round, so it is the highest: announce its owner as the leader",
                    );
                    self.mode = Mode::Relay;
                    self.outcome = Outcome::announce(cx.id(), rank.id());
                    cx.send(NEXT, Msg::Elected(rank.id()));
                } else {
                    self.on_rank(cx, msg);
                }
            }
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl<const IMPROVED: bool> Peterson<IMPROVED> {
    /// Whether the rank that arrives is the highest: its owner receives it again (basic), or its holder does
    /// (improved).
    fn has_found(&self, cx: &Cx<'_, Self>, rank: Rank) -> bool {
        match self.mode {
            Mode::First { tid } | Mode::Second { tid, .. } if IMPROVED => rank == tid,
            _ => !IMPROVED && rank == cx.rank(),
        }
    }

    fn on_rank(&mut self, cx: &mut Cx<'_, Self>, msg: Msg) {
        match (self.mode, msg) {
            (Mode::First { tid }, Msg::First(ntid)) if IMPROVED => {
                if ntid > tid {
                    cx.because("the previous rank is higher: become a relay");
                    self.mode = Mode::Relay;
                } else {
                    cx.because("the held rank is higher than the previous one: send it once more");
                    self.mode = Mode::Second { tid, ntid: None };
                    cx.send(NEXT, Msg::Second(tid));
                }
            }
            (Mode::First { tid }, Msg::First(ntid)) => {
                cx.because("the previous rank arrives: send the higher of the two");
                self.mode = Mode::Second { tid, ntid: Some(ntid) };
                cx.send(NEXT, Msg::Second(tid.max(ntid)));
            }
            (Mode::Second { tid, ntid: None }, Msg::Second(ntid)) if ntid > tid => {
                cx.because("the previous rank is higher: hold it");
                self.hold(cx, ntid);
            }
            (Mode::Second { tid, ntid: Some(ntid) }, Msg::Second(nntid)) if ntid >= tid.max(nntid) => {
                cx.because("the previous rank is higher than both its neighbours: hold it");
                self.hold(cx, ntid);
            }
            (Mode::Second { .. }, Msg::Second(_)) => {
                cx.because("the previous rank is not higher than both its neighbours: become a relay");
                self.mode = Mode::Relay;
            }
            (Mode::Relay, _) => {
                cx.because("relay: forward");
                cx.send(NEXT, msg);
            }
            _ => cx.because("not expected in this state: discard"),
        }
    }

    /// Unless it takes part already. In a new run no member is elected yet.
    fn wake(&mut self, cx: &mut Cx<'_, Self>) {
        if self.mode == Mode::Asleep {
            cx.because("not in an election yet: take part and send own rank");
            self.outcome = Outcome::NONE;
            self.hold(cx, cx.rank());
        }
    }

    /// Begins a phase with this temporary rank.
    fn hold(&mut self, cx: &mut Cx<'_, Self>, tid: Rank) {
        self.mode = Mode::First { tid };
        cx.send(NEXT, Msg::First(tid));
    }
}

impl<const IMPROVED: bool> Protocol for Peterson<IMPROVED> {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "peterson",
        variant: if IMPROVED { "improved" } else { "basic" },
        summary: if IMPROVED {
            "ranks higher than their neighbours move on; compared with the rank before and the rank after in turn"
        } else {
            "ranks higher than both neighbours move on; each phase removes at least half of the ranks"
        },
        sources: &[PETERSON_1982],
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
        claims: if IMPROVED { &figures::IMPROVED } else { &figures::BASIC },
        text: include_str!("page.md"),
    };

    #[inline]
    fn status(&self) -> Status {
        self.outcome.status()
    }

    fn invariant(&self) -> Result<(), Broken> {
        let is_active = matches!(self.mode, Mode::First { .. } | Mode::Second { .. });
        if is_active && self.outcome != Outcome::NONE {
            return Err(Broken("an active member knows no outcome yet".into()));
        }
        Ok(())
    }
}
