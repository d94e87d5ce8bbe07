//! The rules of two-way rings, implemented naively: every message takes one hop, time advances hop by hop, members
//! are plain numbers and start when a message first reaches them.

use bellwether_testkit::casts::Cast;
use std::collections::{BTreeMap, VecDeque};

/// The messages sent, the time, and the leader that each member names at the end.
#[derive(Debug, PartialEq, Eq)]
pub struct Played {
    pub sent: BTreeMap<&'static str, u64>,
    pub hops: u64,
    pub named: Vec<Option<usize>>,
}

impl Played {
    pub fn messages(&self) -> u64 {
        self.sent.values().sum()
    }
}

/// A direction: clockwise or back.
const WAYS: [bool; 2] = [true, false];

struct Ring<W> {
    /// Receiver, direction, message: to arrive in the next hop.
    leaving: Vec<(usize, bool, W)>,
    played: Played,
}

impl<W> Ring<W> {
    fn new(n: usize) -> Self {
        let played = Played { sent: BTreeMap::new(), hops: 0, named: vec![None; n] };
        Ring { leaving: Vec::new(), played }
    }

    fn send(&mut self, kind: &'static str, from: usize, clockwise: bool, word: W) {
        let n = self.played.named.len();
        let to = if clockwise { (from + 1) % n } else { (from + n - 1) % n };
        *self.played.sent.entry(kind).or_default() += 1;
        self.leaving.push((to, clockwise, word));
    }

    fn run(mut self, mut hear: impl FnMut(&mut Self, usize, bool, W)) -> Played {
        while !self.leaving.is_empty() {
            self.played.hops += 1;
            for (here, clockwise, word) in std::mem::take(&mut self.leaving) {
                hear(&mut self, here, clockwise, word);
            }
            assert!(self.played.hops < 10_000, "this ends");
        }
        self.played
    }
}

/// A member's id goes round, from the first member that leads.
fn announce<W>(ring: &mut Ring<W>, leader: usize, here: usize, word: W) {
    if ring.played.named[here].is_none() {
        ring.played.named[here] = Some(leader);
        ring.send("elected", here, true, word);
    }
}

#[derive(Clone, Copy)]
enum Asking {
    Probe { of: usize, hops: u64, at_most: u64 },
    Reply { to: usize },
    Elected(usize),
}

pub fn hirschberg_sinclair(cast: &Cast, initiators: &[u32]) -> Played {
    let mut ring = Ring::new(cast.n());
    let mut phase: Vec<Option<u32>> = vec![None; cast.n()];
    let mut replies = vec![0; cast.n()];
    let begin = |ring: &mut Ring<Asking>, phase: &mut Option<u32>, member: usize| {
        let next = phase.map_or(0, |phase| phase + 1);
        *phase = Some(next);
        for clockwise in WAYS {
            let at_most = 2_u64.pow(next);
            ring.send("probe", member, clockwise, Asking::Probe { of: member, hops: 1, at_most });
        }
    };
    for &member in initiators {
        begin(&mut ring, &mut phase[member as usize], member as usize);
    }
    ring.run(|ring, here, clockwise, word| {
        if phase[here].is_none() {
            begin(ring, &mut phase[here], here);
        }
        match word {
            Asking::Probe { of, .. } if of == here => announce(ring, here, here, Asking::Elected(here)),
            Asking::Probe { of, .. } if cast.beats(here, of) => {}
            Asking::Probe { of, hops, at_most } if hops < at_most => {
                ring.send("probe", here, clockwise, Asking::Probe { of, hops: hops + 1, at_most });
            }
            Asking::Probe { of, .. } => ring.send("reply", here, !clockwise, Asking::Reply { to: of }),
            Asking::Reply { to } if to == here => {
                replies[here] += 1;
                if replies[here] % 2 == 0 {
                    begin(ring, &mut phase[here], here);
                }
            }
            Asking::Reply { .. } => ring.send("reply", here, clockwise, word),
            Asking::Elected(leader) => announce(ring, leader, here, word),
        }
    })
}

#[derive(Clone, Copy)]
enum Comparing {
    Rank(usize),
    Elected(usize),
}

#[derive(Clone)]
struct Comparer {
    begun: bool,
    active: bool,
    /// The messages from the clockwise side, and from the other.
    queues: [VecDeque<usize>; 2],
}

pub fn franklin(cast: &Cast, initiators: &[u32]) -> Played {
    let mut ring = Ring::new(cast.n());
    let asleep = Comparer { begun: false, active: true, queues: [VecDeque::new(), VecDeque::new()] };
    let mut members = vec![asleep; cast.n()];
    let show = |ring: &mut Ring<Comparing>, member: usize| {
        for clockwise in WAYS {
            ring.send("rank", member, clockwise, Comparing::Rank(member));
        }
    };
    for &member in initiators {
        members[member as usize].begun = true;
        show(&mut ring, member as usize);
    }
    ring.run(|ring, here, clockwise, word| {
        let member = &mut members[here];
        if !member.begun {
            member.begun = true;
            show(ring, here);
        }
        match word {
            Comparing::Rank(of) if of == here => announce(ring, here, here, Comparing::Elected(here)),
            Comparing::Rank(of) => member.queues[usize::from(!clockwise)].push_back(of),
            Comparing::Elected(leader) => announce(ring, leader, here, word),
        }
        while member.active && member.queues.iter().all(|queue| !queue.is_empty()) {
            let neighbours = member.queues.each_mut().map(|queue| queue.pop_front().expect("not empty"));
            member.active = neighbours.into_iter().all(|other| cast.beats(here, other));
            if member.active {
                show(ring, here);
            }
        }
        if !member.active {
            for clockwise in WAYS {
                for of in member.queues[usize::from(!clockwise)].drain(..) {
                    ring.send("rank", here, clockwise, Comparing::Rank(of));
                }
            }
        }
    })
}
