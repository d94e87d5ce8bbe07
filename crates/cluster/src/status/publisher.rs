//! Publishes what a member shows to its observers: its status, and events.

use crate::os::clock::Clock;
use crate::status::event::{Event, Happened, Loss};
use crate::status::events::Source;
use bellwether_core::{Id, Role, Status, Time};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use tokio::sync::{broadcast, watch};

/// How many events a slow observer can be behind before it misses some.
const BACKLOG: usize = 1_024;

/// The state of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct View {
    /// The status by the member's algorithm: role, leader and term. Whether the member leads *now* is in `epoch`: while it
    /// waits for its disk, the status may be older than that.
    pub status: Status,
    /// This member's own leadership, while it lasts.
    #[serde(rename = "reign")]
    pub epoch: Option<LeaderEpoch>,
    /// Whether the leader's application has reported, in this term, that it has taken over.
    pub is_ready: bool,
    /// Whether the member has ended.
    pub is_over: bool,
}

/// One leadership of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LeaderEpoch {
    /// Which one of this process's, from 1.
    pub number: u64,
    /// In which term.
    pub term: u64,
}

/// The member's side.
#[derive(Debug)]
pub(crate) struct StatusPublisher {
    member: Id,
    events: broadcast::Sender<Happened>,
    view: watch::Sender<View>,
    /// What the channel shows. It has a lock, which is left alone as long as nothing changes.
    shown: View,
    /// The term in which the application of each member took over, if it has reported that. The report may come before
    /// this member knows that the other leads.
    ready: BTreeMap<Id, u64>,
    /// The last known leader, and its term.
    led_by: Option<(Id, u64)>,
    last: Arc<OnceLock<Happened>>,
}

impl StatusPublisher {
    pub(crate) fn new(member: Id) -> StatusPublisher {
        StatusPublisher {
            member,
            events: broadcast::channel(BACKLOG).0,
            view: watch::channel(View::default()).0,
            shown: View::default(),
            ready: BTreeMap::new(),
            led_by: None,
            last: Arc::default(),
        }
    }

    pub(crate) fn events(&self, clock: Clock) -> Source {
        Source::new(self.member, clock, &self.events, self.last.clone())
    }

    pub(crate) fn view(&self) -> watch::Receiver<View> {
        self.view.subscribe()
    }

    pub(crate) fn say(&self, at: Time, event: Event) {
        // There may be no observers: that is no fault.
        let _ = self.events.send(Happened { at, member: self.member, event });
    }

    /// Shows the algorithm's status, and the member's own leadership, if it leads.
    pub(crate) fn show(&mut self, at: Time, status: Status, epoch: Option<LeaderEpoch>) {
        self.forget_former(status);
        let is_ready = status.leader.is_some_and(|leader| self.ready.get(&leader) == Some(&status.term));
        let before = self.shown.clone();
        self.put(View { status, epoch, is_ready, is_over: before.is_over });
        let is_new_leader = (before.status.leader, before.status.term) != (status.leader, status.term);
        match status.leader {
            Some(leader) if is_new_leader => self.say(at, Event::Elected { leader, term: status.term }),
            None if before.status.leader.is_some() => self.say(at, Event::Leaderless { term: status.term }),
            _ => {}
        }
        if let Some(LeaderEpoch { term, .. }) = epoch.filter(|_| before.epoch != epoch) {
            self.say(at, Event::Gained { term });
        }
        if let Some(leader) = status.leader.filter(|_| is_ready && (is_new_leader || !before.is_ready)) {
            self.say(at, Event::Ready { leader, term: status.term });
        }
    }

    /// Shows this from now on.
    fn put(&mut self, view: View) {
        if self.shown != view {
            self.shown = view.clone();
            self.view.send_replace(view);
        }
    }

    /// Where terms are not counted, a member that leads again has to say again that it is ready.
    fn forget_former(&mut self, status: Status) {
        let Some(leader) = status.leader else { return };
        if let Some((former, term)) = self.led_by.replace((leader, status.term))
            && former != leader
            && self.ready.get(&former).is_some_and(|&ready_in| ready_in <= term)
        {
            self.ready.remove(&former);
        }
    }

    /// A member's application has taken over, in this term.
    pub(crate) fn show_ready(&mut self, at: Time, leader: Id, term: u64) {
        self.ready.insert(leader, term);
        let Status { leader: led_by, term: in_term, .. } = self.shown.status;
        if (led_by, in_term) == (Some(leader), term) && !self.shown.is_ready {
            self.put(View { is_ready: true, ..self.shown.clone() });
            self.say(at, Event::Ready { leader, term });
        }
    }

    /// A member's process has ended: its application has not taken over until it reports that again.
    pub(crate) fn forget_ready(&mut self, member: Id) {
        self.ready.remove(&member);
    }

    /// The member's own leadership has ended, even if its algorithm still shows one.
    pub(crate) fn show_loss(&mut self, at: Time, term: u64, why: Loss) {
        self.forget_ready(self.member);
        let is_ready = self.shown.is_ready && self.shown.status.leader != Some(self.member);
        self.put(View { epoch: None, is_ready, ..self.shown.clone() });
        self.say(at, Event::Lost { term, why });
    }

    /// It has ended.
    pub(crate) fn end(&mut self, at: Time, why: Option<String>) {
        let status = Status { role: Role::Undecided, leader: None, ..self.shown.status };
        self.put(View { status, is_over: true, ..View::default() });
        let last = Happened { at, member: self.member, event: Event::Stopped { why } };
        let _ = self.last.set(last.clone()); // a member ends once
        let _ = self.events.send(last);
    }
}

#[cfg(test)]
mod tests;
