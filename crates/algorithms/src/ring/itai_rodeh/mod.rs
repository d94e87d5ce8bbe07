//! Itai and Rodeh's election among identical members of a ring, in the form of Fokkink and Pang.

use crate::sources::{FOKKINK_2013, FOKKINK_PANG_2006, ITAI_RODEH_1990};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

mod figures;

/// A member: it draws lots as long as nobody draws better.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ItaiRodeh {
    /// Has not begun.
    Asleep,
    /// In the race with what it drew in its present phase.
    Active(Lot),
    /// Out of the race: passes on what it hears.
    Passive,
    /// Its lot alone was the best.
    Leader,
}

/// A number drawn in a phase. Later phases are better, then greater numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lot {
    phase: u32,
    number: u32,
}

/// What members say: a lot on its way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Token {
    lot: Lot,
    /// How far it has come: with n hops it is back.
    hops: u32,
    /// Whether it has met no other member with the same lot.
    unique: bool,
}

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::payload("token")];

    #[inline]
    fn kind(&self) -> usize {
        0
    }

    fn brief(&self) -> Option<String> {
        let Token { lot: Lot { phase, number }, hops, unique } = self;
        Some(format!("{number} phase {phase} hop {hops}{}", if *unique { "" } else { " met" }))
    }
}

impl Algorithm for ItaiRodeh {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        ItaiRodeh::Asleep
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it takes part already");
        self.wake(cx);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, token: Token) {
        self.wake(cx);
        let is_back = token.hops >= cx.size();
        match *self {
            ItaiRodeh::Active(lot) if is_back && token.lot == lot => {
                if token.unique {
                    cx.because("its lot is back, and nobody drew the same: it leads");
                    *self = ItaiRodeh::Leader;
                } else {
                    cx.because("its lot is back, but others drew the same: it draws again");
                    self.draw(cx, lot.phase.wrapping_add(1));
                }
            }
            _ if is_back => cx.because("a lot of nobody's that came all the way round: it goes no further"),
            ItaiRodeh::Active(lot) if token.lot > lot => {
                cx.because("a better lot: it goes on, and the member drops out");
                *self = ItaiRodeh::Passive;
                pass_on(cx, token, token.unique);
            }
            ItaiRodeh::Active(lot) if token.lot == lot => {
                cx.because("the same lot as its own: it goes on, no longer as the only one");
                pass_on(cx, token, false);
            }
            ItaiRodeh::Passive => {
                cx.because("it is out of the race: it passes on what it hears");
                pass_on(cx, token, token.unique);
            }
            ItaiRodeh::Active(_) => cx.because("a worse lot: it goes no further"),
            ItaiRodeh::Asleep | ItaiRodeh::Leader => cx.because("it leads: other lots go no further"),
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl ItaiRodeh {
    /// Unless it has begun already.
    fn wake(&mut self, cx: &mut Cx<'_, Self>) {
        if *self == ItaiRodeh::Asleep {
            cx.because("it takes part from now on, and draws a number");
            self.draw(cx, 1);
        }
    }

    /// A phase begins.
    fn draw(&mut self, cx: &mut Cx<'_, Self>, phase: u32) {
        let n = cx.size();
        let number = cx.draw(n.into()) as u32 + 1;
        let lot = Lot { phase, number };
        *self = ItaiRodeh::Active(lot);
        cx.send(NEXT, Token { lot, hops: 1, unique: true });
    }
}

fn pass_on(cx: &mut Cx<'_, ItaiRodeh>, token: Token, unique: bool) {
    cx.send(NEXT, Token { hops: token.hops + 1, unique, ..token });
}

impl Protocol for ItaiRodeh {
    type Msg = Token;

    const SPEC: Spec = Spec {
        name: "itai-rodeh",
        variant: "plain",
        summary: "identical members draw lots, phase by phase, until one of them alone has the best",
        sources: &[ITAI_RODEH_1990, FOKKINK_PANG_2006, FOKKINK_2013],
        need: Need::OneWayRing,
        timing: Timing::Asynchronous,
        links: Links::Fifo,
        starts: Starts::Callers,
        identities: Identities::Anonymous,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::SIZE,
        goal: Goal::EveryoneDecides,
        survives: Faults::UNHURRIED.union(Faults::CLOCK),
        randomised: true,
        parameters: &[],
        claims: &figures::CLAIMS,
        text: include_str!("page.md"),
    };

    #[inline]
    fn status(&self) -> Status {
        let role = match self {
            ItaiRodeh::Asleep | ItaiRodeh::Active(_) => Role::Undecided,
            ItaiRodeh::Passive => Role::Follower,
            ItaiRodeh::Leader => Role::Leader,
        };
        Status { role, ..Status::UNDECIDED }
    }
}
