//! Toys with a parameter whose runs end: every member waits, tells all others its rank, and takes the best of all ranks for
//! the leader. One waits for rounds, the other for a timer.

use super::TOY;
use bellwether_core::*;
use bellwether_sim::Runner;
use serde::{Deserialize, Serialize};

/// How long a member waits, unless set otherwise.
pub const WAIT: u64 = 2;
/// How long it waits in the variant.
pub const LONG_WAIT: u64 = 5;

const SETTING: Parameter = Parameter::whole(
    "wait",
    "how long a member waits before it speaks",
    "rounds or delay bounds",
    (0, 9),
    WAIT,
);

/// The rank of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Here(Rank);

impl Message for Here {
    const KINDS: &'static [Kind] = &[Kind::payload("here")];

    fn kind(&self) -> usize {
        0
    }
}

const MESSAGES: Claim = Claim {
    name: "messages",
    measure: Measure::Messages,
    formula: "n(n-1)",
    expect: |run| run.calm.then(|| Expect::Exactly((run.n() * (run.n() - 1)) as f64)),
};

const PATIENT: Spec = Spec {
    name: "patient",
    need: Need::Complete,
    starts: Starts::Everyone,
    knows: Knowledge::SIZE,
    parameters: &[SETTING],
    ..TOY
};

/// A member that waits for rounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InRounds {
    own: Rank,
    wait: u64,
    round: u64,
    leader: Option<Id>,
}

impl RoundAlgorithm for InRounds {
    fn start(cx: &mut RoundCx<'_, Self>) -> Self {
        let wait = cx.parameter(const { Key::whole("wait") });
        InRounds { own: cx.rank(), wait, round: 0, leader: None }
    }

    fn msgs(&self, cx: &RoundCx<'_, Self>, out: &mut impl Outbox<Here>) {
        if cx.round() == self.wait + 1 {
            cx.outgoing().for_each(|port| out.send(port, Here(self.own)));
        }
    }

    fn trans(&mut self, cx: &mut RoundCx<'_, Self>, inbox: &[(Port, Here)]) {
        self.round = cx.round();
        if self.round == self.wait + 2 {
            let best = inbox.iter().map(|(_, Here(rank))| *rank).chain([self.own]).max();
            self.leader = best.map(|rank| rank.id());
        }
    }
}

impl Protocol for InRounds {
    type Msg = Here;
    const SPEC: Spec = Spec {
        variant: "in-rounds",
        timing: Timing::Rounds,
        goal: Goal::EveryoneHalts,
        claims: &[
            MESSAGES,
            Claim {
                name: "rounds",
                measure: Measure::Rounds,
                formula: "wait + 2",
                expect: |run| {
                    let wait = run.parameters.get(const { Key::<InRounds, u64>::whole("wait") });
                    run.calm.then_some(Expect::Exactly((wait + 2) as f64))
                },
            },
        ],
        ..PATIENT
    };

    fn status(&self) -> Status {
        let role = match self.leader {
            None => Role::Undecided,
            Some(leader) if leader == self.own.id() => Role::Leader,
            Some(_) => Role::Follower,
        };
        Status { role, leader: self.leader, halted: self.leader.is_some(), ..Status::UNDECIDED }
    }
}

/// It waits longer.
pub const IN_MORE_ROUNDS: Spec = Spec {
    variant: "in-more-rounds",
    parameters: &[SETTING.at(ParamValue::Whole(LONG_WAIT))],
    ..InRounds::SPEC
};

/// A member that waits for a timer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WithTimer {
    own: Rank,
    best: Rank,
    unheard: u32,
}

impl Algorithm for WithTimer {
    type Timer = ();
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        cx.set_timer((), cx.delay_bound() * cx.parameter(const { Key::whole("wait") }));
        WithTimer { own: cx.rank(), best: cx.rank(), unheard: cx.size() - 1 }
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, Here(rank): Here) {
        self.best = self.best.max(rank);
        self.unheard -= 1;
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, (): ()) {
        let ports: Vec<Port> = cx.outgoing().collect();
        for port in ports {
            cx.send(port, Here(cx.rank()));
        }
    }
}

impl Protocol for WithTimer {
    type Msg = Here;
    const SPEC: Spec = Spec {
        variant: "with-timer",
        timing: Timing::BoundedDelay,
        knows: Knowledge::SIZE.union(Knowledge::DELAY_BOUND),
        claims: &[
            MESSAGES,
            Claim {
                name: "time",
                measure: Measure::Time,
                formula: "wait + 1",
                expect: |run| {
                    let wait = run.parameters.get(const { Key::<WithTimer, u64>::whole("wait") });
                    let is_exact = run.calm && run.delivery == Delivery::Unit && run.n() > 1;
                    is_exact.then_some(Expect::Exactly((wait + 1) as f64))
                },
            },
        ],
        ..PATIENT
    };

    fn status(&self) -> Status {
        if self.unheard > 0 {
            return Status::UNDECIDED;
        }
        let role = if self.best == self.own { Role::Leader } else { Role::Follower };
        Status { role, leader: Some(self.best.id()), ..Status::UNDECIDED }
    }
}

/// It waits longer.
pub const WITH_LONG_TIMER: Spec = Spec {
    variant: "with-long-timer",
    parameters: &[SETTING.at(ParamValue::Whole(LONG_WAIT))],
    ..WithTimer::SPEC
};

registry! {
    /// Each with its variant that differs by the parameter alone.
    pub static PATIENTS: Runner = {
        rounds InRounds, InRounds as IN_MORE_ROUNDS;
        events WithTimer, WithTimer as WITH_LONG_TIMER;
    }
}
