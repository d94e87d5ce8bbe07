//! Death certificates: the parent of a member's process sees that process end, and tells the member's neighbours.
//!
//! A certificate travels as the member's own messages would: it takes as long, and is lost where they are. It is about one
//! boot of a member, and means nothing to a neighbour that has heard a later one.

use super::Simulation;
use super::disturbed::Passage;
use crate::delay::Sampler;
use crate::plan::Plan;
use crate::world::{Stream, stream};
use bellwether_core::{FaultEvent, FaultKind, Id, Occasion, Port, Rank, Span, Time};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// All certificates of a run, and what members know by them.
pub(super) struct DeathCertificates {
    /// Whether each crash is certified, and not only those that the script names.
    certifies_crashes: bool,
    /// What arrives when, in the order in which it was sent.
    due: BinaryHeap<Reverse<(Time, u64, Certificate)>>,
    numbered: u64,
    /// What has come to frozen members: they receive it when they resume.
    waiting: BTreeMap<u32, Vec<Certificate>>,
    /// How often each member has booted.
    boot_counts: Vec<u32>,
    /// When the first message of a member's present boot comes to another.
    heard_at: BTreeMap<(u32, u32), Time>,
    /// Which member knows of which death: of the dead member and the other, the boot count that has ended.
    known: BTreeMap<(u32, u32), u32>,
    delays: Sampler,
    dice: Xoshiro256PlusPlus,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Certificate {
    to: u32,
    at_port: Port,
    dead: u32,
    /// The boot count that has ended.
    boot_count: u32,
}

impl DeathCertificates {
    /// Nothing where there can be no certificate.
    pub(super) fn new(plan: &Plan) -> Option<Box<DeathCertificates>> {
        let is_scripted = plan.script.iter().any(|happening| happening.what.kind() == FaultKind::Learn);
        (plan.certified_crashes || is_scripted).then(|| {
            Box::new(DeathCertificates {
                certifies_crashes: plan.certified_crashes,
                due: BinaryHeap::new(),
                numbered: 0,
                waiting: BTreeMap::new(),
                boot_counts: vec![0; plan.n() as usize],
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

    /// A member boots. It has forgotten what it knew.
    pub(super) fn note_boot(&mut self, member: u32) {
        self.boot_counts[member as usize] += 1;
        self.heard_at.retain(|(from, _), _| *from != member);
        self.known.retain(|(_, to), _| *to != member);
    }

    /// A message of a member comes to another then.
    pub(super) fn will_hear(&mut self, from: u32, to: u32, at: Time) {
        let first = self.heard_at.entry((from, to)).or_insert(at);
        *first = at.min(*first);
    }

    /// Whether a member has heard no boot after this one.
    fn is_news(&self, dead: u32, to: u32, boot_count: u32, now: Time) -> bool {
        let is_back = self.boot_counts[dead as usize] > boot_count;
        !is_back || self.heard_at.get(&(dead, to)).is_none_or(|&at| at > now)
    }

    /// A certificate has come. False if it is too late.
    fn accept(&mut self, certificate: &Certificate, now: Time) -> bool {
        let Certificate { to, dead, boot_count, .. } = *certificate;
        let is_news = self.is_news(dead, to, boot_count, now);
        if is_news {
            self.known.insert((dead, to), boot_count);
        }
        is_news
    }

    /// The script gives a member a certificate, true or false. If that neighbour is up, the member takes it for dead
    /// until its next message.
    fn accept_scripted(&mut self, dead: u32, to: u32, is_up: bool) {
        let boot_count = self.boot_counts[dead as usize];
        if is_up {
            self.heard_at.remove(&(dead, to));
        }
        self.known.insert((dead, to), boot_count.saturating_sub(is_up.into()));
    }

    /// Whether a member has a certificate of another's death, and has heard no later boot.
    fn knows_dead(&self, member: u32, dead: Id, ranks: &[Rank], now: Time) -> bool {
        self.known.iter().any(|(&(place, to), &boot_count)| {
            to == member && ranks[place as usize].id() == dead && self.is_news(place, to, boot_count, now)
        })
    }
}

impl Simulation<'_, '_> {
    /// A member's process has ended: where crashes are certified, all its neighbours are told.
    pub(super) fn certify(&mut self, dead: u32) {
        let Some(certificates) = self.certificates.as_mut().filter(|it| it.certifies_crashes) else { return };
        let boot_count = certificates.boot_counts[dead as usize];
        for port in (0..self.plan.topology.ports(dead)).map(Port) {
            let (to, at_port) = self.plan.topology.peer(dead, port);
            let mut held_up = Span::default();
            if let Some(disturbed) = &mut self.disturbed {
                // A slot of its own for each pair, beyond those of messages and of detectors' signals.
                let n = self.plan.n() as usize;
                let slot = self.plan.topology.link_slots() + n * n + dead as usize * n + to as usize;
                let faults = &self.plan.link_faults;
                match disturbed.links().pass(faults, self.now, (dead, to), slot, &mut certificates.dice) {
                    Passage::Lost(_) => continue,
                    Passage::Arrives { held_up: by, .. } => held_up = by,
                }
            }
            let at = self.now + certificates.delays.draw(&mut certificates.dice) + held_up;
            certificates.numbered += 1;
            let certificate = Certificate { to, at_port, dead, boot_count };
            certificates.due.push(Reverse((at, certificates.numbered, certificate)));
        }
    }

    /// All certificates that arrive now.
    pub(super) fn receive_certificates(&mut self) {
        while let Some(certificates) = &mut self.certificates
            && certificates.next_time() == Some(self.now)
            && let Some(Reverse((.., certificate))) = certificates.due.pop()
        {
            let is_frozen = self.disturbed.as_ref().is_some_and(|it| it.frozen.contains_key(&certificate.to));
            if is_frozen {
                certificates.waiting.entry(certificate.to).or_default().push(certificate);
            } else if certificates.accept(&certificate, self.now) {
                self.on_peer_dead(certificate.to, certificate.at_port);
            }
        }
    }

    /// A member resumes: it receives the certificates that came while it was frozen.
    pub(super) fn receive_waiting_certificates(&mut self, member: u32) {
        let waiting = self.certificates.as_mut().and_then(|it| it.waiting.remove(&member));
        for certificate in waiting.unwrap_or_default() {
            if self.certificates.as_mut().is_some_and(|it| it.accept(&certificate, self.now)) {
                self.on_peer_dead(certificate.to, certificate.at_port);
            }
        }
    }

    /// The script gives a member a certificate of another's death.
    pub(super) fn receive_scripted_certificate(&mut self, member: u32, dead: u32) {
        let mut ports = (0..self.plan.topology.ports(member)).map(Port);
        let at_port = ports.find(|&port| self.plan.topology.peer(member, port).0 == dead);
        if let Some(at_port) = at_port.filter(|_| self.world.state(member).is_some()) {
            let is_up = self.crashed.binary_search(&dead).is_err();
            if let Some(certificates) = &mut self.certificates {
                certificates.accept_scripted(dead, member, is_up);
            }
            self.on_peer_dead(member, at_port);
        }
    }

    /// A member learns that a neighbour is dead.
    fn on_peer_dead(&mut self, member: u32, port: Port) {
        if self.world.state(member).is_none() {
            return;
        }
        let (peer, _) = self.plan.topology.peer(member, port);
        self.observer.struck(self.now, member, FaultEvent::Learn(peer));
        let step = self.world.on_peer_dead(member, self.clock(member), port);
        self.settle(member, step);
        self.consider(member, Occasion::Died(self.plan.ranks[peer as usize].id()));
    }

    /// Whether a member has a certificate of another's death, and has heard no later boot.
    pub(super) fn knows_dead(&self, member: u32, dead: Id) -> bool {
        let certificates = self.certificates.as_ref();
        certificates.is_some_and(|it| it.knows_dead(member, dead, &self.plan.ranks, self.now))
    }
}
