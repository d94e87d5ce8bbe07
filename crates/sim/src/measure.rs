//! What is counted while a run runs.

use crate::stability::Reigns;
use bellwether_core::{Class, Id, Kind, MAX_KINDS, Reign, Role, Status, Time};
use serde::Serialize;
use std::collections::BTreeMap;

/// Running counts of a run.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Messages sent, by kind.
    by_kind: [u64; MAX_KINDS],
    bytes: u64,
    storage_max: u64,
    /// The last time that anything happened to a member.
    pub last_event: Time,
    /// For each member, when it last changed whom it takes for the leader.
    pub knew_at: Vec<Time>,
    /// Who led when.
    pub reigns: Reigns,
}

impl Tally {
    /// Nothing has happened yet to so many members; the promise says when two leaders are one too many.
    #[must_use]
    pub fn new(n: u32, sense: Reign) -> Self {
        Tally {
            by_kind: [0; MAX_KINDS],
            bytes: 0,
            storage_max: 0,
            last_event: Time::ZERO,
            knew_at: vec![Time::NEVER; n as usize],
            reigns: Reigns::new(sense),
        }
    }

    /// A message counts when it is sent, whether or not it arrives.
    #[inline(always)]
    pub fn sent(&mut self, kind: usize, bytes: u64) {
        self.by_kind[kind % MAX_KINDS] += 1;
        self.bytes += bytes;
    }

    /// Notes how many bytes a member's state takes.
    #[inline(always)]
    pub fn holds(&mut self, bytes: usize) {
        self.storage_max = self.storage_max.max(bytes as u64);
    }

    /// Notes whom a member names, as an outsider sees it.
    pub fn named(&mut self, now: Time, member: u32, before: Status, after: Status) {
        if before.leader != after.leader {
            self.names(now, member, after.leader);
        }
    }

    /// Notes whom a member names from now on, if anyone.
    pub fn names(&mut self, now: Time, member: u32, leader: Option<Id>) {
        self.knew_at[member as usize] = if leader.is_some() { now } else { Time::NEVER };
    }

    /// Notes whom a member names and whether it leads.
    pub fn published(&mut self, now: Time, member: u32, before: Status, after: Status) {
        self.named(now, member, before, after);
        self.reigns.note(now, member, (after.role == Role::Leader).then_some(after.term));
    }

    /// The dead know nothing, and do not lead.
    pub fn crashed(&mut self, now: Time, member: u32) {
        self.knew_at[member as usize] = Time::NEVER;
        self.reigns.note(now, member, None);
    }

    /// Messages sent in all.
    #[inline]
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.by_kind.iter().sum()
    }

    /// Messages sent, where these are their kinds.
    pub(crate) fn counts(&self, kinds: &'static [Kind]) -> Counts {
        let of = |class| {
            let kinds = kinds.iter().zip(self.by_kind);
            kinds.filter(|(kind, _)| kind.class == class).map(|(_, count)| count).sum()
        };
        Counts {
            total: self.messages(),
            payload: of(Class::Payload),
            control: of(Class::Control),
            by_kind: kinds.iter().zip(self.by_kind).map(|(kind, count)| (kind.name, count)).collect(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn storage_max(&self) -> u64 {
        self.storage_max
    }
}

/// Messages sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// In all.
    pub total: u64,
    /// Those that the literature counts.
    pub payload: u64,
    /// Overhead.
    pub control: u64,
    /// By kind.
    pub by_kind: BTreeMap<&'static str, u64>,
}
