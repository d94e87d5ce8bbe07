//! Rings of real algorithms in which members learn at different times who is dead and who is back, in many random orders.

use super::Ring;
use crate::machine::{ByteMachine, Input, Wishes, addressed};
use crate::surroundings::Surroundings;
use crate::{Peer, Settings};
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::chang_roberts_timeout::NeighbourTimeout;
use bellwether_core::{Algorithm, Id, MachineType, Port, Span, Time};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// More steps than any election takes: a message that is still under way then circulates for ever.
const MOST_STEPS: usize = 5_000;
/// More time-outs than any election takes: without a leader then, there is none for ever.
const MOST_TIMEOUTS: usize = 50;
/// How many random orders are tried.
const ORDERS: u64 = 3_000;

/// The rules of a ring that closes, each of which can be left out.
#[derive(Clone, Copy)]
struct Rules {
    hears_all_members: bool,
    sends_again: bool,
    drops_what_circulates: bool,
    begins_anew: bool,
}

const ALL: Rules =
    Rules { hears_all_members: true, sends_again: true, drops_what_circulates: true, begins_anew: true };

/// How a run can fail.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    Circulates,
    NoLeader,
}

struct Node {
    machine: ByteMachine,
    around: Surroundings,
    ring: Ring,
    wishes: Wishes,
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
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        };
        (1..=n).for_each(|me| world.boot(id(me)));
        (1..=n).for_each(|me| world.take(id(me), Input::Call));
        world
    }

    fn boot(&mut self, me: Id) {
        let settings = Settings {
            members: (1..=self.n).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
            ..Settings::new("test", me)
        };
        let mut node = Node {
            machine: ByteMachine::new(self.machine),
            around: Surroundings::new(&settings, self.machine.spec.need, 1),
            ring: Ring::default(),
            wishes: Wishes::default(),
            unreachable: BTreeSet::new(),
        };
        let saved = self.saved.get(&me).map(Vec::as_slice);
        node.machine.start(saved, Time::ZERO, &mut node.around, &mut node.wishes).unwrap();
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
        node.machine.take(input, Time::ZERO, &mut node.around, &mut node.wishes).unwrap();
        self.send_all(me);
    }

    fn receive(&mut self, from: Id, me: Id, bytes: &[u8]) {
        let hears_all = self.rules.hears_all_members;
        let node = self.node(me);
        let (port, wrapped) = addressed(bytes).unwrap();
        let is_heard = node.around.can_hear(port, from) && (hears_all || node.around.behind(port).0 == from);
        if !is_heard && from != me {
            return;
        }
        let msg = node.ring.open(wrapped).unwrap();
        node.machine.take(Input::Message(port, msg), Time::ZERO, &mut node.around, &mut node.wishes).unwrap();
        self.send_all(me);
    }

    fn send_all(&mut self, me: Id) {
        let most = if self.rules.drops_what_circulates { self.n as u32 } else { u32::MAX };
        let node = self.nodes.get_mut(&me).unwrap();
        if node.wishes.persists {
            self.saved.insert(me, node.wishes.durable.clone());
        }
        let wrap = |(port, bytes): (Port, &[u8])| {
            let (arrives_at, msg) = addressed(bytes)?;
            Some((port, node.ring.wrap(arrives_at, msg, most)?))
        };
        let wrapped: Vec<(Port, Vec<u8>)> = node.wishes.sends().filter_map(wrap).collect();
        wrapped.into_iter().for_each(|(port, bytes)| self.send(me, port, bytes));
    }

    fn send(&mut self, me: Id, port: Port, bytes: Vec<u8>) {
        let node = self.node(me);
        let to = node.around.behind_past(port, |peer| node.unreachable.contains(&peer));
        node.ring.note_sent(Time::ZERO, to, port, bytes.clone());
        self.links.entry((me, to)).or_default().push_back(bytes);
    }

    fn die(&mut self, dead: Id) {
        self.nodes.remove(&dead);
        self.links.retain(|&(from, to), _| from != dead && to != dead);
        self.unknown.retain(|&(me, _)| me != dead);
        self.unknown.extend(self.nodes.keys().map(|&me| (me, dead)));
    }

    /// A member that died boots again, and calls. It is connected to some of the others sooner than to the rest.
    fn come_back(&mut self, me: Id) {
        self.boot(me);
        self.unknown.extend(self.nodes.keys().filter(|&&other| other != me).map(|&other| (other, me)));
        self.take(me, Input::Call);
    }

    fn learn(&mut self, me: Id, of: Id) {
        if self.nodes.contains_key(&of) {
            self.node(me).unreachable.remove(&of);
            return;
        }
        let sends_again = self.rules.sends_again;
        let node = self.node(me);
        node.unreachable.insert(of);
        let lost = node.ring.lost_with(of, Time::ZERO, Span::from_ticks(1));
        if sends_again {
            lost.into_iter().for_each(|(port, bytes)| self.send(me, port, bytes));
        }
        if self.leader_of(me) == Some(of) {
            self.take(me, Input::Call);
        }
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
                self.take(me, if self.rules.begins_anew { Input::Anew } else { Input::Call });
                let steps = self.random.random_range(0..4);
                self.steps(steps);
            }
        }
        Err(Failure::NoLeader)
    }
}

/// The best live member leads after the leader, and the next best, die at rest; and the best leads when both are back.
fn at_rest<A: Algorithm>(n: u64, rules: Rules, seed: u64) -> Result<(), Failure> {
    let mut world = World::new::<A>(n, rules, seed);
    assert_eq!(world.settle()?, id(n));
    world.die(id(n));
    if n > 3 {
        world.die(id(n - 1));
    }
    let expected = if n > 3 { n - 2 } else { n - 1 };
    assert_eq!(world.settle()?, id(expected));
    if n > 3 {
        world.come_back(id(n - 1));
        world.steps(3);
    }
    world.come_back(id(n));
    assert_eq!(world.settle()?, id(n), "seed {seed}");
    Ok(())
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
fn in_both_elections(n: u64, seed: u64) -> Result<(), Failure> {
    let mut world = World::new::<NeighbourTimeout>(n, ALL, seed);
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

#[test]
fn ring_closes_round_the_dead_in_every_order_of_learning() {
    for n in [2, 3, 5] {
        assert_eq!(first_failure(|seed| at_rest::<ChangRoberts>(n, ALL, seed)), None, "{n}");
        assert_eq!(first_failure(|seed| at_rest::<NeighbourTimeout>(n, ALL, seed)), None, "{n}");
    }
}

#[test]
fn ring_comes_to_a_leader_though_the_best_dies_during_the_election() {
    for n in [2, 3, 5] {
        assert_eq!(first_failure(|seed| in_an_election::<ChangRoberts>(n, ALL, seed)), None, "{n}");
        assert_eq!(first_failure(|seed| in_an_election::<NeighbourTimeout>(n, ALL, seed)), None, "{n}");
        assert_eq!(first_failure(|seed| in_both_elections(n, seed)), None, "{n}");
    }
}

/// Without any one of the rules some order has no leader for ever, or a message that circulates for ever.
#[test]
fn each_rule_is_needed() {
    let at_rest = |rules: Rules| first_failure(|seed| at_rest::<ChangRoberts>(3, rules, seed));
    let in_an_election = |rules: Rules| first_failure(|seed| in_an_election::<ChangRoberts>(3, rules, seed));
    let failure = |first: Option<(u64, Failure)>| first.map(|(_, failure)| failure);
    assert_eq!(failure(at_rest(Rules { hears_all_members: false, ..ALL })), Some(Failure::NoLeader));
    assert_eq!(failure(in_an_election(Rules { begins_anew: false, ..ALL })), Some(Failure::NoLeader));
    assert_eq!(
        failure(in_an_election(Rules { drops_what_circulates: false, ..ALL })),
        Some(Failure::Circulates)
    );
}

/// A message that is sent again makes time-outs unnecessary if the leader dies at rest.
#[test]
fn leader_that_dies_at_rest_is_replaced_without_a_time_out() {
    let replaced = |seed: u64, sends_again: bool| {
        let mut world = World::new::<ChangRoberts>(3, Rules { sends_again, begins_anew: false, ..ALL }, seed);
        world.settle()?;
        world.die(id(3));
        world.settle().map(drop)
    };
    assert_eq!(first_failure(|seed| replaced(seed, true)), None);
    assert!(first_failure(|seed| replaced(seed, false)).is_some());
}
