//! Peterson's one-way ring election in O(n log n) messages: the basic and the improved algorithm.

use crate::ring::news::News;
use crate::sources::PETERSON_1982;
use bellwether_core::*;
use serde::{Deserialize, Serialize};

mod figures;

/// The basic algorithm: each phase compares three neighbouring ranks at once.
pub type Basic = Peterson<false>;
/// The improved algorithm: a phase compares with the rank before, the next with the rank after.
pub type Improved = Peterson<true>;

/// A member: where it is in the race, and what it knows of the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Peterson<const IMPROVED: bool> {
    mode: Mode,
    news: News,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Mode {
    /// Takes part in no election.
    Asleep,
    /// Active: has sent its temporary rank and waits for that of the active member before it.
    First { tid: Rank },
    /// Active: has sent its second message and waits for one. The basic algorithm needs to
    /// remember what it heard first.
    Second { tid: Rank, ntid: Option<Rank> },
    /// Out of the race: passes on what it hears.
    Relay,
}

/// What members say. The paper numbers phases by the order of messages; names make it plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The first message of a phase (improved: of an odd phase): a temporary rank.
    First(Rank),
    /// The second message of a phase (improved: of an even phase).
    Second(Rank),
    /// Who was elected.
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
        Peterson { mode: Mode::Asleep, news: News::NONE }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it takes part already");
        self.wake(cx);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, msg: Msg) {
        match msg {
            Msg::Elected(leader) => {
                self.mode = Mode::Asleep;
                if self.news.arrive(cx.id(), leader) {
                    cx.because("the leader's name: it is noted and goes on");
                    cx.send(NEXT, msg);
                } else {
                    cx.because("the announcement is back: everyone knows");
                }
            }
            _ if self.news.is_announcing() => cx.because("the best rank again: everyone is being told"),
            Msg::First(rank) | Msg::Second(rank) => {
                self.wake(cx);
                if self.has_found(cx, rank) {
                    cx.because("a rank that came all the way round: nobody is better, so its owner leads");
                    self.mode = Mode::Relay;
                    self.news = News::announce(cx.id(), rank.id());
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
    /// Whether a rank that arrives has to be the best: the owner knows its own again (basic), or
    /// the holder that which it holds (improved).
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
                    cx.because("the rank before the one it holds is better: it drops out");
                    self.mode = Mode::Relay;
                } else {
                    cx.because("it holds the better of two ranks: it sends it once more");
                    self.mode = Mode::Second { tid, ntid: None };
                    cx.send(NEXT, Msg::Second(tid));
                }
            }
            (Mode::First { tid }, Msg::First(ntid)) => {
                cx.because("it holds one rank and hears another: it passes on the better");
                self.mode = Mode::Second { tid, ntid: Some(ntid) };
                cx.send(NEXT, Msg::Second(tid.max(ntid)));
            }
            (Mode::Second { tid, ntid: None }, Msg::Second(ntid)) if ntid > tid => {
                cx.because("the rank before its own is better: it holds that one from now on");
                self.hold(cx, ntid);
            }
            (Mode::Second { tid, ntid: Some(ntid) }, Msg::Second(nntid)) if ntid >= tid.max(nntid) => {
                cx.because("the rank before its own is better than both beside it: it holds it from now on");
                self.hold(cx, ntid);
            }
            (Mode::Second { .. }, Msg::Second(_)) => {
                cx.because("the rank before its own is not better than those beside it: it drops out");
                self.mode = Mode::Relay;
            }
            (Mode::Relay, _) => {
                cx.because("it is out of the race: it passes on what it hears");
                cx.send(NEXT, msg);
            }
            _ => cx.because("out of turn: it goes no further"),
        }
    }

    /// Unless it takes part already. In a new run nobody has been elected yet.
    fn wake(&mut self, cx: &mut Cx<'_, Self>) {
        if self.mode == Mode::Asleep {
            cx.because("it takes part from now on, and sends its own rank");
            self.news = News::NONE;
            self.hold(cx, cx.rank());
        }
    }

    /// A phase begins with this temporary rank.
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
            "ranks move on while better than those beside them, compared before and after in turn"
        } else {
            "ranks move on while better than those beside them; in each phase at least half are lost"
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
        self.news.status()
    }

    fn invariant(&self) -> Result<(), Broken> {
        let is_active = matches!(self.mode, Mode::First { .. } | Mode::Second { .. });
        if is_active && self.news != News::NONE {
            return Err(Broken("who is in the race knows nothing of the outcome yet".into()));
        }
        Ok(())
    }
}
