//! Moments that differ in nothing that matters: one stands for all of them.
//!
//! Two kinds. In a ring of identical members that all begin alike, a turn of the ring changes nothing. In a complete
//! network of members that only their names tell apart ([`Algorithm::RENAME`]), neither does any exchange of places, if
//! states are written with the new names. (Ip and Dill, *Better verification through symmetry*, 1996.)
//!
//! Ranks allow neither: who is better would no longer be where it was. Nor can places be exchanged where somebody may
//! crash in the middle of sending to everyone: whom it has told by then depends on the order of its ports.
//!
//! [`Algorithm::RENAME`]: bellwether_core::Algorithm::RENAME

use crate::packed::{Packed, PackedState};
use bellwether_core::{Id, Identities, Initiators, Leadership, Names, Port, Rank, Spec, Topology};
use bellwether_model::{Rules, Wire};
use bellwether_sim::Plan;
use std::cmp::Ordering;

/// Every exchange is tried on every state: 120 of them are as many as pay.
const MOST_EXCHANGED: u32 = 5;

/// What changes nothing.
pub enum Symmetry {
    /// Turns of a ring, in which each member has so many wires to send on.
    Turns { wires_each: usize },
    /// Exchanges of places.
    Exchanges(Vec<Exchange>),
}

/// One way to exchange places.
pub struct Exchange {
    /// For each place, who comes there, and what it calls the others then.
    comes: Vec<(usize, Names)>,
    /// For each wire, the one whose messages come there.
    wires: Vec<usize>,
}

impl Symmetry {
    /// What changes nothing in runs that keep these rules; `can_rename` if only names tell members apart.
    pub fn of(rules: &Rules<'_>, spec: &Spec, can_rename: bool) -> Option<Symmetry> {
        let Rules { plan, liberties, .. } = rules;
        if plan.initiators != Initiators::All || liberties.certified {
            return None;
        }
        let is_equal = |ranks: &[Rank]| ranks[0].attribute() == ranks[1].attribute();
        let may_exchange = can_rename
            && spec.leadership == Leadership::Incumbent
            && plan.ranks.windows(2).all(is_equal)
            && plan.n() <= MOST_EXCHANGED
            && liberties.crashes == 0;
        match plan.topology {
            Topology::Ring { n, .. } if spec.identities == Identities::Anonymous => {
                Some(Symmetry::Turns { wires_each: rules.wires.len() / n as usize })
            }
            Topology::Complete { n } if may_exchange => {
                let places = permutations(n as usize);
                Some(Symmetry::Exchanges(places.iter().map(|places| Exchange::new(rules, places)).collect()))
            }
            _ => None,
        }
    }

    /// Puts the moment that stands for all that differ from this one in nothing that matters into its place.
    pub fn stand_in(&self, parts: &mut Packed<'_>, moment: &mut PackedState) {
        match self {
            Symmetry::Turns { wires_each } => turn(*wires_each, parts, moment),
            Symmetry::Exchanges(exchanges) => exchange(exchanges, parts, moment),
        }
    }
}

fn turn(wires_each: usize, parts: &mut Packed<'_>, moment: &mut PackedState) {
    let n = moment.seats.len();
    let key = |parts: &mut Packed<'_>, member: usize, part: usize| match part {
        0 => parts.seat_hash(moment.seats[member]),
        _ => parts.line_hash(moment.queues[member * wires_each + part - 1]),
    };
    let mut best = 0;
    for start in 1..n {
        let places = (0..n).flat_map(|at| (0..=wires_each).map(move |part| (at, part)));
        let order = places
            .map(|(at, part)| key(parts, (start + at) % n, part).cmp(&key(parts, (best + at) % n, part)))
            .find(|order| order.is_ne());
        if order == Some(Ordering::Less) {
            best = start;
        }
    }
    moment.seats.rotate_left(best);
    moment.queues.rotate_left(best * wires_each);
}

fn exchange(exchanges: &[Exchange], parts: &mut Packed<'_>, moment: &mut PackedState) {
    let n = moment.seats.len();
    let key = |parts: &mut Packed<'_>, number: usize, at: usize| match at.checked_sub(n) {
        None => {
            let seat = exchanges[number].seat(parts, number, moment, at);
            parts.seat_hash(seat)
        }
        Some(wire) => parts.line_hash(moment.queues[exchanges[number].wires[wire]]),
    };
    let mut best = 0;
    for number in 1..exchanges.len() {
        let order = (0..n + moment.queues.len())
            .map(|at| key(parts, number, at).cmp(&key(parts, best, at)))
            .find(|order| order.is_ne());
        if order == Some(Ordering::Less) {
            best = number;
        }
    }
    let seats = (0..n).map(|place| exchanges[best].seat(parts, best, moment, place)).collect();
    let queues = exchanges[best].wires.iter().map(|&wire| moment.queues[wire]).collect();
    (moment.seats, moment.queues) = (seats, queues);
}

impl Exchange {
    /// `places` says for each member where it goes.
    fn new(rules: &Rules<'_>, places: &[u32]) -> Exchange {
        let plan = rules.plan;
        let came_from = |place: u32| places.iter().position(|at| *at == place).unwrap_or_default();
        let comes = |place| {
            let member = came_from(place);
            (member, names(plan, places, member as u32))
        };
        let wire_from = |to: &Wire| {
            let is_it =
                |from: &Wire| (places[from.from as usize], places[from.to as usize]) == (to.from, to.to);
            rules.wires.iter().position(|(_, from)| is_it(from)).unwrap_or_default()
        };
        Exchange {
            comes: (0..plan.n()).map(comes).collect(),
            wires: rules.wires.iter().map(|(_, wire)| wire_from(wire)).collect(),
        }
    }

    /// Who is at a place afterwards. `number` is this exchange's.
    fn seat(&self, parts: &mut Packed<'_>, number: usize, moment: &PackedState, place: usize) -> u32 {
        let (member, names) = &self.comes[place];
        let number = number * self.comes.len() + place;
        parts.renamed(moment.seats[*member], number as u32, names)
    }
}

/// What a member calls the others when everyone has gone to its new place.
fn names(plan: &Plan, places: &[u32], member: u32) -> Names {
    let id = |member: u32| -> Id { plan.ranks[member as usize].id() };
    let ids = (0..).zip(places).map(|(old, new)| (id(old), id(*new))).collect();
    let neighbour = |member, port| plan.topology.peer(member, Port(port)).0;
    let place = places[member as usize];
    let ports = 0..plan.topology.ports(member);
    let new_port = |old| {
        let is_it = |new: &u32| neighbour(place, *new) == places[neighbour(member, old) as usize];
        Port(ports.clone().find(is_it).unwrap_or_default())
    };
    Names::new(ids, ports.clone().map(new_port).collect())
}

/// Every order of the numbers below n, the one that changes nothing first.
fn permutations(n: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        let longer = |order: &Vec<u32>| {
            let order = order.clone();
            let fresh = (0..n as u32).filter({
                let order = order.clone();
                move |next| !order.contains(next)
            });
            fresh.map(move |next| order.iter().copied().chain([next]).collect())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
