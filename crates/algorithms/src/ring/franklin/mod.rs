//! Franklin's election on a two-way ring: who is better than both its neighbours goes on.

use crate::sources::FRANKLIN_1982;
use bellwether_core::*;
use serde::{Deserialize, Serialize};

mod figures;

/// A member: it still stands for election or not, and knows who was elected or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Franklin {
    stage: Stage,
    /// What came from one side in this round, while nothing has come from the other.
    heard: Option<(Port, Rank)>,
    /// The next round's rank from the same side. Nobody can be more than a round ahead: to end a
    /// round takes a rank that this member sends or passes on when it has ended the one before.
    ahead: Option<Rank>,
    role: Role,
    elected: Option<Id>,
}

/// What a member does with ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Stage {
    /// It has not begun.
    Asleep,
    /// It stands for election, and compares.
    Active,
    /// It has met a better one, and passes on.
    Passive,
}

/// What members say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// An active member's rank, on its way to the next active one.
    Rank(Rank),
    /// Who was elected.
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
            cx.because("it calls an election, and shows its rank both ways");
            self.begin_round(cx);
        } else {
            cx.because("it takes part already, or knows the outcome");
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
                cx.because("it stands no more: the rank goes on to the next who does");
                cx.send(from.across(), msg);
            }
            Msg::Elected(leader) if leader != cx.id() => {
                cx.because("the leader's name: it is noted and goes on");
                self.role = Role::Follower;
                self.elected = Some(leader);
                cx.send(NEXT, msg);
            }
            Msg::Elected(_) => cx.because("its own announcement is back: everyone knows"),
        }
        if sleeps {
            cx.because("its first message wakes it up: it shows its rank both ways, then does as always");
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

    /// The rank of the next active member on one side: with the other side's, the round ends.
    fn hear(&mut self, cx: &mut Cx<'_, Self>, from: Port, rank: Rank) {
        match self.heard {
            None => {
                cx.because("a rank from one side: it waits for the other's");
                self.heard = Some((from, rank));
            }
            Some((side, _)) if side == from => {
                cx.because("this side is a round ahead: its rank is for later");
                self.ahead = Some(rank);
            }
            Some((side, other)) => {
                self.heard = self.ahead.take().map(|next| (side, next));
                if other < cx.rank() && rank < cx.rank() {
                    cx.because("both neighbours that stand are worse: it stands for another round");
                    self.begin_round(cx);
                } else {
                    cx.because("a neighbour that stands is better: it stands no more");
                    self.stage = Stage::Passive;
                    if let Some((side, next)) = self.heard.take() {
                        cx.send(side.across(), Msg::Rank(next));
                    }
                }
            }
        }
    }

    /// Its own rank came all the way round, and soon will from the other side.
    fn lead(&mut self, cx: &mut Cx<'_, Self>) {
        if self.role == Role::Undecided {
            cx.because("its own rank is its neighbour's: nobody else stands, so it leads");
            self.role = Role::Leader;
            self.elected = Some(cx.id());
            cx.send(NEXT, Msg::Elected(cx.id()));
        } else {
            cx.because("its rank is back from the other side too: it has announced itself already");
        }
    }
}

impl Protocol for Franklin {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "franklin",
        variant: "plain",
        summary: "in each round only those go on who are better than both neighbours that are left",
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
            return Err(Broken("only who stands keeps ranks back".into()));
        }
        if self.ahead.is_some() && self.heard.is_none() {
            return Err(Broken("the next round's rank comes after this round's".into()));
        }
        if (self.role == Role::Undecided) != self.elected.is_none() {
            return Err(Broken("a member that knows the outcome names the leader".into()));
        }
        Ok(())
    }
}
