//! What is known of each member, from what it has reported.

use bellwether::process::ReportKind;
use bellwether::{Event, Id, Verdict};
use std::collections::BTreeMap;

/// How a member's process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// It has been started, and has not said anything yet.
    #[default]
    Starting,
    /// It works.
    Running,
    /// It is frozen.
    Paused,
    /// It is dead.
    Dead,
}

/// What one member thinks of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It may have failed.
    Suspected,
    /// It is dead.
    Dead,
}

/// A member's own leadership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// In which term.
    pub term: u64,
    /// Until when, in microseconds since the machine booted.
    pub until_us: u64,
    /// How long it was when it was last renewed.
    pub length_us: u64,
}

/// What is known of all members.
pub type ClusterView = BTreeMap<Id, MemberView>;

/// What is known of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberView {
    /// Its process.
    pub condition: Condition,
    /// Whether it is cut off from all others.
    pub is_cut: bool,
    /// Its process's number.
    pub pid: Option<u32>,
    /// Whom it takes for the leader.
    pub leader: Option<Id>,
    /// The last term that it knows of.
    pub term: Option<u64>,
    /// Its own leadership.
    pub lease: Option<Lease>,
    /// What it thinks of others.
    pub doubts: BTreeMap<Id, Doubt>,
}

impl MemberView {
    /// Whether its process works, and is not frozen.
    pub fn is_running(&self) -> bool {
        self.condition == Condition::Running
    }

    /// The term in which it leads at this time, if it does.
    pub fn leads_in(&self, now_us: u64) -> Option<u64> {
        let is_alive = matches!(self.condition, Condition::Running | Condition::Paused);
        self.lease.filter(|lease| is_alive && lease.until_us > now_us).map(|lease| lease.term)
    }

    /// It is dead: nothing of it is left, but what it was called.
    pub fn die(&mut self) {
        *self = MemberView { condition: Condition::Dead, ..MemberView::default() };
    }

    /// It says something.
    pub fn hear(&mut self, at_us: u64, what: &ReportKind) {
        match what {
            ReportKind::Lease { leads_in, until_us } => {
                let length_us = until_us.saturating_sub(at_us);
                self.lease = Some(Lease { term: *leads_in, until_us: *until_us, length_us });
            }
            ReportKind::Shown { .. } => {}
            ReportKind::Event(event) => self.hear_event(event),
        }
    }

    fn hear_event(&mut self, event: &Event) {
        match event {
            Event::Started { pid, .. } => {
                *self = MemberView {
                    condition: Condition::Running,
                    is_cut: self.is_cut,
                    pid: Some(*pid),
                    ..MemberView::default()
                };
            }
            Event::Elected { leader, term } => (self.leader, self.term) = (Some(*leader), Some(*term)),
            Event::Leaderless { term } => (self.leader, self.term) = (None, Some(*term)),
            Event::Lost { .. } => self.lease = None,
            Event::Connected { peer } => {
                self.doubts.remove(peer);
            }
            Event::Disconnected { peer, .. } => self.doubt(*peer, Doubt::Suspected),
            Event::Died { peer } => self.doubt(*peer, Doubt::Dead),
            Event::Judged { peer, verdict } => match verdict {
                Verdict::Working => {
                    self.doubts.remove(peer);
                }
                Verdict::Suspected => self.doubt(*peer, Doubt::Suspected),
                Verdict::Failed => self.doubt(*peer, Doubt::Dead),
            },
            Event::Stopped { .. } => (self.leader, self.lease) = (None, None),
            Event::InTheClear
            | Event::NewCluster { .. }
            | Event::NewStore
            | Event::Gained { .. }
            | Event::Extended { .. }
            | Event::Ready { .. }
            | Event::Refused { .. }
            | Event::DiskStalled
            | Event::DiskBack
            | Event::Missed { .. } => {}
        }
    }

    /// A certain death is not doubted because a connection closes too.
    fn doubt(&mut self, peer: Id, doubt: Doubt) {
        let known = self.doubts.entry(peer).or_insert(doubt);
        if doubt == Doubt::Dead {
            *known = doubt;
        }
    }
}
