//! A test's own algorithm, in one folder: each member sends its rank to all others, and the highest is elected.

use bellwether_core::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shout {
    best: Rank,
    unheard: u32,
    own: Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Here(Rank);

impl Message for Here {
    const KINDS: &'static [Kind] = &[Kind::payload("here")];

    fn kind(&self) -> usize {
        0
    }
}

impl Algorithm for Shout {
    type Timer = Never;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        let ports: Vec<Port> = cx.outgoing().collect();
        for port in ports {
            cx.send(port, Here(cx.rank()));
        }
        Shout { best: cx.rank(), unheard: cx.size() - 1, own: cx.id() }
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, Here(rank): Here) {
        self.best = self.best.max(rank);
        self.unheard -= 1;
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl Protocol for Shout {
    type Msg = Here;

    const SPEC: Spec = Spec {
        name: "shout",
        variant: "plain",
        summary: "each member sends its rank to all others",
        sources: &[Citation { authors: "Bellwether", title: "An algorithm for tests", year: 2024 }],
        need: Need::Complete,
        timing: Timing::Asynchronous,
        links: Links::Any,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::SIZE,
        goal: Goal::EveryoneKnows,
        survives: Faults::empty(),
        randomised: false,
        parameters: &[],
        claims: &[Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "n(n-1)",
            expect: |run| {
                let n = run.n() as f64;
                (run.calm && run.dead.is_empty()).then_some(Expect::Exactly(n * (n - 1.0)))
            },
        }],
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        if self.unheard > 0 {
            return Status::UNDECIDED;
        }
        let leader = self.best.id();
        let role = if leader == self.own { Role::Leader } else { Role::Follower };
        Status { role, leader: Some(leader), ..Status::UNDECIDED }
    }
}
