//! Itai and Rodeh's election among identical members of a ring, in the form of Fokkink and Pang.

use crate::sources::{FOKKINK_2013, FOKKINK_PANG_2006, ITAI_RODEH_1990};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

mod figures;

/// A member: it draws numbers until another member draws a higher one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ItaiRodeh {
    /// Has not started.
    Asleep,
    /// Active, with the number drawn in its current phase.
    Active(Lot),
    /// Passive: forwards all tokens.
    Passive,
    /// The only member with the highest number.
    Leader,
}

/// A number drawn in a phase. A later phase is higher, then a higher number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lot {
    phase: u32,
    number: u32,
}

/// The message: a number on its way round the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Token {
    lot: Lot,
    /// The hops so far: with n hops the token is back at its owner.
    hops: u32,
    /// Whether it has met no other member with the same number.
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
        cx.because("already in an election");
        self.wake(cx);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, token: Token) {
        self.wake(cx);
        let is_back = token.hops >= cx.size();
        match *self {
            ItaiRodeh::Active(lot) if is_back && token.lot == lot => {
                if token.unique {
                    cx.because("own token returned, and no other member drew the same number: lead");
                    *self = ItaiRodeh::Leader;
                } else {
                    cx.because("own token returned, but other members drew the same number: draw again");
                    self.draw(cx, lot.phase.wrapping_add(1));
                }
            }
            _ if is_back => cx.because("a token that has gone once round and is not its own: discard"),
            ItaiRodeh::Active(lot) if token.lot > lot => {
                cx.because("a higher number: forward, and become passive");
                *self = ItaiRodeh::Passive;
                pass_on(cx, token, token.unique);
            }
            ItaiRodeh::Active(lot) if token.lot == lot => {
                cx.because("the same number as its own: forward, marked as not unique");
                pass_on(cx, token, false);
            }
            ItaiRodeh::Passive => {
                cx.because("passive: forward");
                pass_on(cx, token, token.unique);
            }
            ItaiRodeh::Active(_) => cx.because("a lower number: discard"),
            ItaiRodeh::Asleep | ItaiRodeh::Leader => cx.because("this member leads: discard"),
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl ItaiRodeh {
    /// Unless it has started already.
    fn wake(&mut self, cx: &mut Cx<'_, Self>) {
        if *self == ItaiRodeh::Asleep {
            cx.because("not in an election yet: take part and draw a number");
            self.draw(cx, 1);
        }
    }

    /// Begins a phase.
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
        summary: "identical members draw numbers, phase by phase, until one member alone has the highest",
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
