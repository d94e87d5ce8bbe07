//! Death certificates: whoever started a member has seen its process end, and tells its neighbours.
//!
//! The word travels as the member's own messages would: it takes as long, and is lost where they are. It is about one
//! life of a member, and comes to nothing once the next one has been heard.

use super::Simulation;
use super::disturbed::Passage;
use crate::delay::Sampler;
use crate::plan::Plan;
use crate::world::{Stream, stream};
use bellwether_core::{FaultEvent, Id, Occasion, Port, Rank, Span, Time};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// All certificates of a run.
pub(super) struct Obituaries {
    /// What arrives when, in the order in which it was said: to whom, and of whose death.
    due: BinaryHeap<Reverse<(Time, u64, Word)>>,
    numbered: u64,
    /// What has come to frozen members: they hear it when they wake.
    waiting: BTreeMap<u32, Vec<Word>>,
    /// How often each member has booted.
    lives: Vec<u32>,
    /// When the first message of a member's present life comes to another.
    heard_at: BTreeMap<(u32, u32), Time>,
    /// Of whose death which member has learned: of the dead one and the member, which of its lives was over.
    known: BTreeMap<(u32, u32), u32>,
    delays: Sampler,
    dice: Xoshiro256PlusPlus,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    to: u32,
    at_port: Port,
    dead: u32,
    /// Which of its lives is over.
    life: u32,
}

impl Obituaries {
    pub(super) fn new(plan: &Plan) -> Option<Box<Obituaries>> {
        plan.certified_crashes.then(|| {
            Box::new(Obituaries {
                due: BinaryHeap::new(),
                numbered: 0,
                waiting: BTreeMap::new(),
                lives: vec![0; plan.n() as usize],
                heard_at: BTreeMap::new(),
                known: BTreeMap::new(),
                delays: plan.delay.sampler(),
                dice: stream(plan.seed, Stream::Certificate),
            })
        })
    }

    pub(super) fn next_time(&self) -> Option<Time> {
        self.due.peek().map(|Reverse((at, ..))| *at)
    }

    /// A member boots.
    pub(super) fn begin_life(&mut self, member: u32) {
        self.lives[member as usize] += 1;
        self.heard_at.retain(|(from, _), _| *from != member);
        self.known.retain(|(_, to), _| *to != member); // it has forgotten
    }

    /// What a member says comes to another then.
    pub(super) fn will_hear(&mut self, from: u32, to: u32, at: Time) {
        let first = self.heard_at.entry((from, to)).or_insert(at);
        *first = at.min(*first);
    }

    /// Whether a member has heard nothing of a life after this one.
    fn is_news(&self, dead: u32, to: u32, life: u32, now: Time) -> bool {
        let is_back = self.lives[dead as usize] > life;
        !is_back || self.heard_at.get(&(dead, to)).is_none_or(|&at| at > now)
    }

    /// A certificate has come. False if it is too late.
    fn takes(&mut self, word: &Word, now: Time) -> bool {
        let Word { to, dead, life, .. } = *word;
        let is_news = self.is_news(dead, to, life, now);
        if is_news {
            self.known.insert((dead, to), life);
        }
        is_news
    }

    /// Whether a member has learned of another's death, and has heard nothing of its next life.
    fn knows_dead(&self, member: u32, dead: Id, ranks: &[Rank], now: Time) -> bool {
        self.known.iter().any(|(&(place, to), &life)| {
            to == member && ranks[place as usize].id() == dead && self.is_news(place, to, life, now)
        })
    }
}

impl Simulation<'_, '_> {
    /// A member's process has ended: all its neighbours are told.
    pub(super) fn certify(&mut self, dead: u32) {
        let Some(obituaries) = &mut self.obituaries else { return };
        let life = obituaries.lives[dead as usize];
        for port in (0..self.plan.topology.ports(dead)).map(Port) {
            let (to, at_port) = self.plan.topology.peer(dead, port);
            let mut held_up = Span::default();
            if let Some(disturbed) = &mut self.disturbed {
                // A slot of its own for each pair, beyond those of messages and of detectors' signals.
                let n = self.plan.n() as usize;
                let slot = self.plan.topology.link_slots() + n * n + dead as usize * n + to as usize;
                let faults = &self.plan.link_faults;
                match disturbed.links().pass(faults, self.now, (dead, to), slot, &mut obituaries.dice) {
                    Passage::Lost(_) => continue,
                    Passage::Arrives { held_up: by, .. } => held_up = by,
                }
            }
            let at = self.now + obituaries.delays.draw(&mut obituaries.dice) + held_up;
            obituaries.numbered += 1;
            obituaries.due.push(Reverse((at, obituaries.numbered, Word { to, at_port, dead, life })));
        }
    }

    /// All certificates that arrive now.
    pub(super) fn hear_certificates(&mut self) {
        while let Some(obituaries) = &mut self.obituaries
            && obituaries.next_time() == Some(self.now)
            && let Some(Reverse((.., word))) = obituaries.due.pop()
        {
            let is_frozen = self.disturbed.as_ref().is_some_and(|it| it.frozen.contains_key(&word.to));
            if is_frozen {
                obituaries.waiting.entry(word.to).or_default().push(word);
            } else if obituaries.takes(&word, self.now) {
                self.learn(word.to, word.at_port);
            }
        }
    }

    /// A member has woken from its freeze.
    pub(super) fn hear_what_waited(&mut self, member: u32) {
        let waiting = self.obituaries.as_mut().and_then(|obituaries| obituaries.waiting.remove(&member));
        for word in waiting.unwrap_or_default() {
            if self.obituaries.as_mut().is_some_and(|obituaries| obituaries.takes(&word, self.now)) {
                self.learn(word.to, word.at_port);
            }
        }
    }

    /// A script says that a member learns of another's death.
    pub(super) fn learn_of(&mut self, member: u32, dead: u32) {
        let mut ports = (0..self.plan.topology.ports(member)).map(Port);
        if let Some(port) = ports.find(|&port| self.plan.topology.peer(member, port).0 == dead) {
            self.learn(member, port);
        }
    }

    /// A member learns of a neighbour's death.
    pub(super) fn learn(&mut self, member: u32, port: Port) {
        if self.world.state(member).is_none() {
            return;
        }
        let (peer, _) = self.plan.topology.peer(member, port);
        self.observer.struck(self.now, member, FaultEvent::Learn(peer));
        let step = self.world.on_peer_dead(member, self.clock(member), port);
        self.settle(member, step);
        self.consider(member, Occasion::Died(self.plan.ranks[peer as usize].id()));
    }

    /// Whether a member has a certificate of another's death, and has heard nothing of its next life.
    pub(super) fn knows_dead(&self, member: u32, dead: Id) -> bool {
        let obituaries = self.obituaries.as_ref();
        obituaries.is_some_and(|it| it.knows_dead(member, dead, &self.plan.ranks, self.now))
    }
}
