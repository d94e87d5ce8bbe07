//! A toy that goes on for ever: everyone beats every few delay bounds, and takes the best of those it has heard of
//! since its last beat for the leader, if they and it are a majority of those who vote. A stubborn one does
//! not ask for a majority.

use super::{Ping, TOY};
use bellwether_core::*;
use bellwether_sim::Runner;
use serde::{Deserialize, Serialize};

/// So many delay bounds lie between two beats, unless set otherwise.
pub const BEAT: u64 = 4;

const PERIOD: Parameter =
    Parameter::whole("beat", "how long it is from a beat to the next", "delay bounds", (1, 50), BEAT);
const PERIOD_SET: Key<Beacon<false>, u64> = Key::whole("beat");

/// It beats in every delay bound, and claims that it leads after the first beat.
pub const EAGER: Spec = Spec {
    variant: "eager",
    parameters: &[PERIOD.at(ParamValue::Whole(1))],
    claims: &[Claim {
        name: "time",
        measure: Measure::Time,
        formula: "beat",
        expect: |run| {
            let beats = run.parameters.get(PERIOD_SET) as f64;
            (run.calm && run.delivery == Delivery::Unit).then_some(Expect::Exactly(beats))
        },
    }],
    ..Beacon::<false>::SPEC
};

/// A member that beats.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Beacon<const STUBBORN: bool> {
    own: Id,
    leader: Option<Id>,
    heard: Vec<Port>,
}

impl<const STUBBORN: bool> Beacon<STUBBORN> {
    fn beat(cx: &mut Cx<'_, Self>) {
        let ports: Vec<Port> = cx.outgoing().collect();
        for port in ports {
            cx.send(port, Ping);
        }
        cx.set_timer((), cx.delay_bound() * cx.parameter(const { Key::whole("beat") }));
    }
}

impl<const STUBBORN: bool> Algorithm for Beacon<STUBBORN> {
    type Timer = ();
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        Self::beat(cx);
        Beacon { own: cx.id(), leader: None, heard: Vec::new() }
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, _: &mut Cx<'_, Self>, from: Port, Ping: Ping) {
        if !self.heard.contains(&from) {
            self.heard.push(from);
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, (): ()) {
        let peer = |port: Port| (cx.peer_rank(port), cx.peer_duty(port));
        let heard: Vec<(Rank, Duty)> =
            self.heard.drain(..).map(peer).chain([(cx.rank(), cx.duty())]).collect();
        let voters = 1 + cx.outgoing().filter(|&port| cx.peer_duty(port).votes()).count();
        let voters = voters - usize::from(!cx.duty().votes());
        let enough = STUBBORN || heard.iter().filter(|(_, duty)| duty.votes()).count() * 2 > voters;
        let best = heard.iter().filter(|(_, duty)| duty.leads()).map(|(rank, _)| *rank).max();
        self.leader = best.filter(|_| enough).map(Rank::id);
        Self::beat(cx);
    }
}

impl<const STUBBORN: bool> Protocol for Beacon<STUBBORN> {
    type Msg = Ping;
    const SPEC: Spec = Spec {
        name: "beacon",
        variant: if STUBBORN { "stubborn" } else { "only" },
        need: Need::Complete,
        starts: Starts::Everyone,
        electorate: Electorate::Majority,
        lasting: Lasting::GoesOn,
        reign: Reign::AtLast,
        knows: Knowledge::PEERS.union(Knowledge::DUTIES).union(Knowledge::DELAY_BOUND),
        parameters: &[PERIOD],
        ..TOY
    };

    fn status(&self) -> Status {
        let Some(leader) = self.leader else { return Status::UNDECIDED };
        let role = if leader == self.own { Role::Leader } else { Role::Follower };
        Status { role, leader: Some(leader), ..Status::UNDECIDED }
    }
}

registry! {
    /// Those that ask for a majority.
    pub static BEACONS: Runner = { events Beacon<false>, Beacon<false> as EAGER; }
}
