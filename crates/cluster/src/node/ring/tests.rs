//! Rings of real algorithms in which members learn at different times who is dead and who is back, in many random orders.

use super::{Ring, Taken};
use crate::node::machine::{ByteMachine, Effects, Input, addressed};
use crate::node::surroundings::Surroundings;
use crate::{Peer, Settings};
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::chang_roberts_suppressing::Suppressing;
use bellwether_algorithms::chang_roberts_timeout::NeighbourTimeout;
use bellwether_algorithms::dolev_klawe_rodeh::DolevKlaweRodeh;
use bellwether_algorithms::franklin::Franklin;
use bellwether_algorithms::hirschberg_sinclair::HirschbergSinclair;
use bellwether_algorithms::peterson::{Basic, Improved};
use bellwether_core::{
    Algorithm, CallPolicy, Decision, Id, MachineType, NamedLeader, Occasion, Params, Port, Span, Time,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// More steps than any election takes: a message that is still under way then circulates for ever.
const MOST_STEPS: usize = 5_000;
/// More time-outs than any election takes: without a leader then, there is none for ever.
const MOST_TIMEOUTS: usize = 50;
/// How many random orders are tried.
const ORDERS: u64 = 1_000;

/// The rules of a ring that closes, each of which can be left out.
#[derive(Clone, Copy, Debug)]
struct Rules {
    hears_all_members: bool,
    sends_again: bool,
    drops_what_circulates: bool,
    begins_anew: bool,
    numbers_elections: bool,
    tells_standing: bool,
    takes_back: bool,
    gives_way: bool,
}

const ALL: Rules = Rules {
    hears_all_members: true,
    sends_again: true,
    drops_what_circulates: true,
    begins_anew: true,
    numbers_elections: true,
    tells_standing: true,
    takes_back: true,
    gives_way: true,
};

/// How a run can fail.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    Circulates,
    NoLeader,
    /// This member leads, though a better one lives.
    NotTheBest(Id),
}

struct Node {
    machine: ByteMachine,
    around: Surroundings,
    ring: Ring,
    effects: Effects,
    unreachable: BTreeSet<Id>,
}

struct World {
    machine: &'static MachineType,
    n: u64,
    rules: Rules,
    nodes: BTreeMap<Id, Node>,
    /// Messages in flight, in order, from one member to another.
    links: BTreeMap<(Id, Id), VecDeque<Vec<u8>>>,
    /// What each member saved last.
    saved: BTreeMap<Id, Vec<u8>>,
    /// Who has yet to learn of whom: that it is dead, or back.
    unknown: BTreeSet<(Id, Id)>,
    /// Of these the first news is that they have died.
    died: BTreeSet<(Id, Id)>,
    random: Xoshiro256PlusPlus,
}

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

impl World {
    /// Members 1 to n boot, and all call.
    fn new<A: Algorithm>(n: u64, rules: Rules, seed: u64) -> World {
        let mut world = World {
            machine: MachineType::of::<A>(),
            n,
            rules,
            nodes: BTreeMap::new(),
            links: BTreeMap::new(),
            saved: BTreeMap::new(),
            unknown: BTreeSet::new(),
            died: BTreeSet::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        };
        (1..=n).for_each(|me| world.boot(id(me)));
        (1..=n).for_each(|me| assert!(world.consider(id(me), Occasion::Started)));
        world
    }

    fn boot(&mut self, me: Id) {
        let settings = Settings {
            members: (1..=self.n).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
            ..Settings::new("test", me)
        };
        let mut node = Node {
            machine: ByteMachine::new(self.machine, Params::default()),
            around: Surroundings::new(&settings, self.machine.spec, &Params::default(), 1),
            ring: Ring::default(),
            effects: Effects::default(),
            unreachable: BTreeSet::new(),
        };
        let saved = self.saved.get(&me).map(Vec::as_slice);
        node.machine.start(saved, Time::ZERO, &mut node.around, &mut node.effects).unwrap();
        self.nodes.insert(me, node);
    }

    fn node(&mut self, me: Id) -> &mut Node {
        self.nodes.get_mut(&me).unwrap()
    }

    fn leader_of(&self, me: Id) -> Option<Id> {
        self.nodes[&me].machine.status().leader
    }

    fn take(&mut self, me: Id, input: Input<'_>) {
        let node = self.node(me);
        node.ring.let_go();
        node.machine.take(input, Time::ZERO, &mut node.around, &mut node.effects).unwrap();
        self.send_all(me);
    }

    /// A member starts an election, if the policy says so, as [`crate::node::member`] does. Says whether it does.
    fn consider(&mut self, me: Id, occasion: Occasion) -> bool {
        let (policy, leader) = self.policy(me);
        let is_numbered = match occasion {
            Occasion::Leaderless(_) => self.rules.begins_anew,
            _ => self.rules.numbers_elections,
        };
        let next = self.nodes[&me].ring.next_election();
        match policy.decide(occasion, leader) {
            Decision::No | Decision::Wait(_) => return false,
            Decision::Anew if is_numbered => self.begin(me, next),
            Decision::Anew | Decision::Call => self.take(me, Input::Call),
        }
        true
    }

    fn policy(&self, me: Id) -> (CallPolicy, NamedLeader) {
        let Node { machine, unreachable, .. } = &self.nodes[&me];
        let policy = CallPolicy::in_cluster(machine.spec(), self.n as u32, Span::from_ticks(1));
        let is_dead = |id| unreachable.contains(&id);
        (policy, NamedLeader::new(machine.spec(), &machine.status(), |_| false, is_dead))
    }

    fn begin(&mut self, me: Id, election: u64) {
        if self.rules.numbers_elections {
            self.node(me).ring.enter(election);
        }
        self.take(me, Input::Anew);
    }

    fn tell(&mut self, me: Id, to: Id, standing: Option<Vec<u8>>) {
        if let Some(bytes) = standing.filter(|_| self.rules.tells_standing && self.rules.numbers_elections) {
            self.links.entry((me, to)).or_default().push_back(bytes);
        }
    }

    fn receive(&mut self, from: Id, me: Id, bytes: &[u8]) {
        let hears_all = self.rules.hears_all_members;
        let (policy, leader) = self.policy(me);
        let node = self.node(me);
        let (port, wrapped) = addressed(bytes).unwrap();
        let is_heard = node.around.can_hear(port, from) && (hears_all || node.around.behind(port).0 == from);
        if !is_heard && from != me {
            return;
        }
        let Node { machine, around, effects, ring, .. } = node;
        let decide = |occasion| policy.decide(occasion, leader);
        match ring.take((port, wrapped), Time::ZERO, machine, around, effects, decide).unwrap() {
            Taken::Message { .. } => self.send_all(me),
            Taken::TellStanding => {
                let standing = self.nodes[&me].ring.standing(self.leader_of(me).is_some());
                self.tell(me, from, standing);
            }
            Taken::Begin(election) => self.begin(me, election),
            Taken::Nothing => {}
        }
    }

    fn send_all(&mut self, me: Id) {
        let most = if self.rules.drops_what_circulates { self.n as u32 } else { u32::MAX };
        let node = self.nodes.get_mut(&me).unwrap();
        if node.effects.persists {
            self.saved.insert(me, node.effects.durable.clone());
        }
        let wrapped = node.ring.wrap_all(&node.effects, most);
        wrapped.into_iter().for_each(|(port, bytes)| self.send(me, port, bytes));
        self.settle_owed_call(me);
    }

    fn settle_owed_call(&mut self, me: Id) {
        if self.leader_of(me).is_some() && self.node(me).ring.take_owed_call() {
            self.consider(me, Occasion::TakenBack);
        }
    }

    fn send(&mut self, me: Id, port: Port, bytes: Vec<u8>) {
        let spec = self.machine.spec;
        let Node { around, ring, unreachable, .. } = self.nodes.get_mut(&me).unwrap();
        let to = ring.route(around, port, |peer| unreachable.contains(&peer));
        if to != me {
            ring.note_sent(spec, Time::ZERO, to, (port, bytes.clone()));
        }
        self.links.entry((me, to)).or_default().push_back(bytes);
    }

    fn die(&mut self, dead: Id) {
        self.nodes.remove(&dead);
        self.links.retain(|&(from, to), _| from != dead && to != dead);
        self.unknown.retain(|&(me, _)| me != dead);
        self.died.retain(|&(me, _)| me != dead);
        let news: Vec<(Id, Id)> = self.nodes.keys().map(|&me| (me, dead)).collect();
        self.unknown.extend(&news);
        self.died.extend(&news);
    }

    /// A member that died boots again, and calls. It is connected to some of the others sooner than to the rest.
    fn come_back(&mut self, me: Id) {
        self.boot(me);
        self.unknown.extend(self.nodes.keys().filter(|&&other| other != me).map(|&other| (other, me)));
        self.consider(me, Occasion::Started);
    }

    fn learn(&mut self, me: Id, of: Id) {
        if self.died.remove(&(me, of)) {
            self.learn_death(me, of);
        }
        if self.nodes.contains_key(&of) {
            self.learn_return(me, of);
        }
    }

    fn learn_death(&mut self, me: Id, of: Id) {
        let rules = self.rules;
        let node = self.node(me);
        node.unreachable.insert(of);
        let lost = node.ring.lost_with(of, Time::ZERO, Span::from_ticks(1));
        let gives_way = node.ring.leave_out(of) && rules.gives_way && rules.numbers_elections;
        if !(gives_way && self.consider(me, Occasion::LeftOut)) && rules.sends_again {
            lost.into_iter().for_each(|(port, bytes)| self.send(me, port, bytes));
        }
        self.consider(me, Occasion::Died(of));
    }

    fn learn_return(&mut self, me: Id, of: Id) {
        let takes_back = self.rules.takes_back;
        let has_leader = self.leader_of(me).is_some();
        let node = self.node(me);
        node.unreachable.remove(&of);
        node.ring.take_back(of);
        node.ring.owes_call &= takes_back;
        let standing = has_leader.then(|| node.ring.standing(true)).flatten();
        self.tell(me, of, standing);
        self.settle_owed_call(me);
    }

    /// One random thing that can happen happens; whether there was one.
    fn step(&mut self) -> bool {
        self.links.retain(|(_, to), waiting| !waiting.is_empty() && self.nodes.contains_key(to));
        let choices = self.links.len() + self.unknown.len();
        if choices == 0 {
            return false;
        }
        // What a member says to itself is not held up.
        let own = self.links.keys().position(|(from, to)| from == to);
        let chosen = own.unwrap_or_else(|| self.random.random_range(0..choices));
        if let Some(&(from, to)) = self.links.keys().nth(chosen) {
            let bytes = self.links.get_mut(&(from, to)).unwrap().pop_front().unwrap();
            self.receive(from, to, &bytes);
        } else {
            let news = *self.unknown.iter().nth(chosen - self.links.len()).unwrap();
            self.unknown.remove(&news);
            self.learn(news.0, news.1);
        }
        true
    }

    fn steps(&mut self, most: usize) {
        for _ in 0..most {
            self.step();
        }
    }

    /// Until all live members name the same live leader, and nothing is under way.
    fn settle(&mut self) -> Result<Id, Failure> {
        for _ in 0..MOST_TIMEOUTS {
            if !(0..MOST_STEPS).any(|_| !self.step()) {
                return Err(Failure::Circulates);
            }
            let named: BTreeSet<Option<Id>> = self.nodes.keys().map(|&me| self.leader_of(me)).collect();
            if let [Some(leader)] = *named.into_iter().collect::<Vec<_>>()
                && self.nodes.contains_key(&leader)
            {
                return Ok(leader);
            }
            // Each member that has no live leader for long, in a random order.
            let mut waiting: Vec<Id> = self.nodes.keys().copied().collect();
            waiting.retain(|&me| self.leader_of(me).is_none_or(|leader| !self.nodes.contains_key(&leader)));
            while !waiting.is_empty() {
                let me = waiting.swap_remove(self.random.random_range(0..waiting.len()));
                self.consider(me, Occasion::Leaderless(Span::from_ticks(u64::MAX)));
                let steps = self.random.random_range(0..4);
                self.steps(steps);
            }
        }
        Err(Failure::NoLeader)
    }

    /// The same, and it is this one.
    fn settle_on(&mut self, expected: u64) -> Result<(), Failure> {
        match self.settle()? {
            leader if leader == id(expected) => Ok(()),
            leader => Err(Failure::NotTheBest(leader)),
        }
    }
}

/// The best live member leads after the leader, and the next best, die at rest; and the best leads when both are back.
fn at_rest<A: Algorithm>(n: u64, rules: Rules, seed: u64) -> Result<(), Failure> {
    let mut world = World::new::<A>(n, rules, seed);
    world.settle_on(n)?;
    world.die(id(n));
    if n > 3 {
        world.die(id(n - 1));
    }
    let expected = if n > 3 { n - 2 } else { n - 1 };
    world.settle_on(expected)?;
    if n > 3 {
        world.come_back(id(n - 1));
        world.steps(3);
    }
    world.come_back(id(n));
    world.settle_on(n)
}

/// The best member dies during the first election, whatever is under way.
fn in_an_election<A: Algorithm>(n: u64, rules: Rules, seed: u64) -> Result<(), Failure> {
    let mut world = World::new::<A>(n, rules, seed);
    let before = world.random.random_range(0..4 * n as usize);
    world.steps(before);
    world.die(id(n));
    world.settle().map(drop)
}

/// The best member dies during the first election, and comes back during the next.
fn in_both_elections<A: Algorithm>(n: u64, seed: u64) -> Result<(), Failure> {
    let mut world = World::new::<A>(n, ALL, seed);
    let before = world.random.random_range(0..4 * n as usize);
    world.steps(before);
    world.die(id(n));
    let meanwhile = world.random.random_range(0..4 * n as usize);
    world.steps(meanwhile);
    world.come_back(id(n));
    world.settle().map(drop)
}

/// The first random order in which a run fails, and how.
fn first_failure(run: impl Fn(u64) -> Result<(), Failure>) -> Option<(u64, Failure)> {
    (0..ORDERS).find_map(|seed| Some((seed, run(seed).err()?)))
}

/// The runs of one algorithm in rings of two, three and five.
fn elects_in_every_order<A: Algorithm>() {
    for n in [2, 3, 5] {
        let name = (A::SPEC.name, A::SPEC.variant, n);
        assert_eq!(first_failure(|seed| at_rest::<A>(n, ALL, seed)), None, "at rest: {name:?}");
        assert_eq!(first_failure(|seed| in_an_election::<A>(n, ALL, seed)), None, "first: {name:?}");
        assert_eq!(first_failure(|seed| in_both_elections::<A>(n, seed)), None, "both: {name:?}");
    }
}

#[test]
fn one_way_rings_close_round_the_dead_in_every_order_of_learning() {
    elects_in_every_order::<ChangRoberts>();
    elects_in_every_order::<Suppressing>();
    elects_in_every_order::<NeighbourTimeout>();
    elects_in_every_order::<Basic>();
    elects_in_every_order::<Improved>();
    elects_in_every_order::<DolevKlaweRodeh>();
}

#[test]
fn two_way_rings_close_round_the_dead_in_every_order_of_learning() {
    elects_in_every_order::<Franklin>();
    elects_in_every_order::<HirschbergSinclair>();
}

/// A follower dies at rest and comes back. It names the leader again though no election comes to nothing.
fn follower_returns<A: Algorithm>(rules: Rules, seed: u64) -> Result<(), Failure> {
    // What is sent again would pass over the dead member, and so take it in.
    let mut world = World::new::<A>(3, Rules { begins_anew: false, sends_again: false, ..rules }, seed);
    world.settle_on(3)?;
    world.die(id(1));
    world.settle_on(3)?;
    world.come_back(id(1));
    world.settle_on(3)
}

fn failure_of(run: impl Fn(u64) -> Result<(), Failure>) -> Option<Failure> {
    first_failure(run).map(|(_, failure)| failure)
}

/// Without any one of the rules some order has no leader for ever, or a wrong one, or a message that circulates for ever.
#[test]
fn each_rule_is_needed() {
    let at_rest_in_one_way_ring = |rules: Rules| failure_of(|seed| at_rest::<ChangRoberts>(3, rules, seed));
    let at_rest_in_two_way_ring = |rules: Rules| failure_of(|seed| at_rest::<Franklin>(3, rules, seed));
    let without_hearing = Rules { hears_all_members: false, ..ALL };
    assert_eq!(at_rest_in_one_way_ring(without_hearing), Some(Failure::NoLeader));
    let without_beginning_anew = Rules { begins_anew: false, ..ALL };
    assert_eq!(at_rest_in_one_way_ring(without_beginning_anew), Some(Failure::NoLeader));
    let without_numbers = Rules { numbers_elections: false, ..ALL };
    assert_eq!(at_rest_in_two_way_ring(without_numbers), Some(Failure::NotTheBest(id(1))));
    let without_taking_back = Rules { takes_back: false, ..ALL };
    assert_eq!(at_rest_in_two_way_ring(without_taking_back), Some(Failure::NotTheBest(id(1))));

    let without_giving_way = Rules { gives_way: false, ..ALL };
    let first = failure_of(|seed| in_an_election::<Franklin>(3, without_giving_way, seed));
    assert_eq!(first, Some(Failure::NoLeader), "two name each other");
    let circulating = Rules { drops_what_circulates: false, numbers_elections: false, ..ALL };
    let first = failure_of(|seed| in_an_election::<ChangRoberts>(3, circulating, seed));
    assert_eq!(first, Some(Failure::Circulates));
}

/// Two rules save time-outs.
#[test]
fn rules_that_save_time_outs_do() {
    let follower = |rules: Rules| failure_of(|seed| follower_returns::<Franklin>(rules, seed));
    assert_eq!(follower(ALL), None);
    assert_eq!(follower(Rules { tells_standing: false, ..ALL }), Some(Failure::NoLeader));

    let leader = |rules: Rules| failure_of(|seed| at_rest::<HirschbergSinclair>(3, rules, seed));
    let without_time_outs = Rules { begins_anew: false, ..ALL };
    assert_eq!(leader(without_time_outs), None);
    assert_eq!(leader(Rules { sends_again: false, ..without_time_outs }), Some(Failure::NoLeader));
}

#[test]
fn the_number_of_the_last_election_does_not_overflow() {
    for own in [u64::MAX - 1, u64::MAX] {
        let mut world = World::new::<ChangRoberts>(3, ALL, 0);
        world.node(id(1)).ring.enter(own);
        let over = Ring { election: u64::MAX, ..Ring::default() }.standing(true).unwrap();
        world.receive(id(2), id(1), &over);
        assert_eq!(world.nodes[&id(1)].ring.election, u64::MAX);
    }
}
