//! Franklin's election on a two-way ring: a member with a higher rank than both its active neighbours stays active.

use crate::sources::FRANKLIN_1982;
use bellwether_core::*;
use serde::{Deserialize, Serialize};

mod figures;

/// A member: whether it is still active, and which leader it knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Franklin {
    stage: Stage,
    /// The rank from one side in this round, while none has come from the other side.
    heard: Option<(Port, Rank)>,
    /// The next round's rank from the same side. No member can be more than one round ahead: to end a round it needs
    /// a rank that this member sends or forwards when it has ended the previous round.
    ahead: Option<Rank>,
    role: Role,
    elected: Option<Id>,
}

/// What a member does with ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Stage {
    /// Has not started.
    Asleep,
    /// Compares ranks.
    Active,
    /// Has met a higher rank; forwards ranks.
    Passive,
}

/// The messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// An active member's rank, on its way to the next active member.
    Rank(Rank),
    /// The id of the leader.
    Elected(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::payload("rank"), Kind::payload("elected")];

    #[inline]
    fn kind(&self) -> usize {
        matches!(self, Msg::Elected(_)).into()
    }

    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg::Elected(leader.id()))
    }
}

impl Algorithm for Franklin {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        Franklin { stage: Stage::Asleep, heard: None, ahead: None, role: Role::Undecided, elected: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        if self.stage == Stage::Asleep {
            cx.because("told to start an election: send own rank both ways");
            self.begin_round(cx);
        } else {
            cx.because("already in an election, or the outcome is known");
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        let sleeps = self.stage == Stage::Asleep;
        if sleeps {
            self.begin_round(cx);
        }
        match msg {
            Msg::Rank(rank) if rank == cx.rank() => self.lead(cx),
            Msg::Rank(rank) if self.stage == Stage::Active => self.hear(cx, from, rank),
            Msg::Rank(_) => {
                cx.because("passive: forward the rank to the next active member");
                cx.send(from.across(), msg);
            }
            Msg::Elected(leader) if leader != cx.id() => {
                cx.because("the leader's id: record and forward");
                self.role = Role::Follower;
                self.elected = Some(leader);
                cx.send(NEXT, msg);
            }
            Msg::Elected(_) => cx.because("own announcement returned, so every member knows: discard"),
        }
        if sleeps {
            cx.because("first message: send own rank both ways, then handle the message");
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl Franklin {
    fn begin_round(&mut self, cx: &mut Cx<'_, Self>) {
        self.stage = Stage::Active;
        for side in [NEXT, PREV] {
            cx.send(side, Msg::Rank(cx.rank()));
        }
    }

    /// The rank of the next active member on one side: with the rank from the other side, the round ends.
    fn hear(&mut self, cx: &mut Cx<'_, Self>, from: Port, rank: Rank) {
        match self.heard {
            None => {
                cx.because("a rank from one side: wait for the other side");
                self.heard = Some((from, rank));
            }
            Some((side, _)) if side == from => {
                cx.because("this side is one round ahead: store its rank for the next round");
                self.ahead = Some(rank);
            }
            Some((side, other)) => {
                self.heard = self.ahead.take().map(|next| (side, next));
                if other < cx.rank() && rank < cx.rank() {
                    cx.because("both active neighbours have lower ranks: begin another round");
                    self.begin_round(cx);
                } else {
                    cx.because("an active neighbour has a higher rank: become passive");
                    self.stage = Stage::Passive;
                    if let Some((side, next)) = self.heard.take() {
                        cx.send(side.across(), Msg::Rank(next));
                    }
                }
            }
        }
    }

    /// Its own rank has gone once round, and will soon arrive from the other side too.
    fn lead(&mut self, cx: &mut Cx<'_, Self>) {
        if self.role == Role::Undecided {
            cx.because("own rank returned, so no other member is active: lead");
            self.role = Role::Leader;
            self.elected = Some(cx.id());
            cx.send(NEXT, Msg::Elected(cx.id()));
        } else {
            cx.because("own rank returned from the other side too, already announced: discard");
        }
    }
}

impl Protocol for Franklin {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "franklin",
        variant: "plain",
        summary: "in each round only members with a higher rank than both active neighbours stay active",
        sources: &[FRANKLIN_1982],
        need: Need::TwoWayRing,
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
        survives: Faults::UNHURRIED,
        randomised: false,
        parameters: &[],
        claims: &figures::CLAIMS,
        text: include_str!("page.md"),
    };

    #[inline]
    fn status(&self) -> Status {
        Status { role: self.role, leader: self.elected, term: 0, halted: false }
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.stage != Stage::Active && self.heard.is_some() {
            return Err(Broken("only an active member stores ranks".into()));
        }
        if self.ahead.is_some() && self.heard.is_none() {
            return Err(Broken("a rank of the next round arrives after one of this round".into()));
        }
        if (self.role == Role::Undecided) != self.elected.is_none() {
            return Err(Broken("a member has a leader if and only if it knows the outcome".into()));
        }
        Ok(())
    }
}
