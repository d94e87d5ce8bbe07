//! A toy that elects well as long as nothing goes wrong: everyone tells everyone its rank, and whoever has
//! heard as many as there are others takes the best for the leader, for good.

use super::TOY;
use bellwether_core::*;
use bellwether_sim::Runner;
use serde::{Deserialize, Serialize};

/// A member that tells everyone its rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shouting<const PROMISES: bool> {
    own: Rank,
    best: Rank,
    unheard: u32,
}

/// The rank of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Here(Rank);

impl Message for Here {
    const KINDS: &'static [Kind] = &[Kind::payload("here")];

    fn kind(&self) -> usize {
        0
    }
}

impl<const PROMISES: bool> Algorithm for Shouting<PROMISES> {
    type Timer = Never;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        let ports: Vec<Port> = cx.outgoing().collect();
        for port in ports {
            cx.send(port, Here(cx.rank()));
        }
        Shouting { own: cx.rank(), best: cx.rank(), unheard: cx.size() - 1 }
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, Here(rank): Here) {
        if self.unheard > 0 {
            self.best = self.best.max(rank);
            self.unheard -= 1;
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl<const PROMISES: bool> Protocol for Shouting<PROMISES> {
    type Msg = Here;
    const SPEC: Spec = Spec {
        name: "shouting",
        variant: if PROMISES { "promising" } else { "modest" },
        need: Need::Complete,
        starts: Starts::Everyone,
        knows: Knowledge::SIZE,
        survives: if PROMISES { Faults::DUPLICATION } else { Faults::empty() },
        ..TOY
    };

    fn status(&self) -> Status {
        if self.unheard > 0 {
            return Status::UNDECIDED;
        }
        let role = if self.best == self.own { Role::Leader } else { Role::Follower };
        Status { role, leader: Some(self.best.id()), ..Status::UNDECIDED }
    }
}

registry! {
    /// One that promises nothing.
    pub static MODEST: Runner = { events Shouting<false>; }
}

registry! {
    /// One that promises what it cannot keep.
    pub static PROMISING: Runner = { events Shouting<true>; }
}
