//! What a member shows to whoever looks on: where things stand, and what happens.

use crate::clock::Clock;
use crate::event::{Event, Happened, Loss};
use crate::events::Source;
use bellwether_core::{Id, Role, Status, Time};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use tokio::sync::{broadcast, watch};

/// How many events a slow onlooker can be behind before it misses some.
const BACKLOG: usize = 1_024;

/// Where things stand at a member.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct View {
    /// What the member's algorithm says: its role, who leads, in which term. Whether it leads *now* is in `reign`: what
    /// it says may be older than that, while it waits for its disk.
    pub status: Status,
    /// This member's own leadership, while it lasts.
    pub reign: Option<Reign>,
    /// Whether the leader's application has said, in this term, that it has taken over.
    pub is_ready: bool,
    /// Whether the member has ended.
    pub is_over: bool,
}

/// One time that a member came to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reign {
    /// Which one of this process's, from 1.
    pub number: u64,
    /// In which term.
    pub term: u64,
}

/// The member's side.
#[derive(Debug)]
pub(crate) struct Outlook {
    member: Id,
    events: broadcast::Sender<Happened>,
    view: watch::Sender<View>,
    /// Of each member that has said so, in which term its application took over. It may say so before this member knows
    /// that it leads.
    ready: BTreeMap<Id, u64>,
    /// Who led last, as far as was known, and in which term.
    led_by: Option<(Id, u64)>,
    last: Arc<OnceLock<Happened>>,
}

impl Outlook {
    pub(crate) fn new(member: Id) -> Outlook {
        Outlook {
            member,
            events: broadcast::channel(BACKLOG).0,
            view: watch::channel(View::default()).0,
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
        // Nobody looks on: that is no fault.
        let _ = self.events.send(Happened { at, member: self.member, event });
    }

    /// The member's algorithm says this now, and this is its own leadership, if it leads.
    pub(crate) fn show(&mut self, at: Time, status: Status, reign: Option<Reign>) {
        self.forget_former(status);
        let is_ready = status.leader.is_some_and(|leader| self.ready.get(&leader) == Some(&status.term));
        let mut said = (None, None, None);
        self.view.send_if_modified(|view| {
            let is_new_leader = (view.status.leader, view.status.term) != (status.leader, status.term);
            let is_known = status.leader.is_some() || view.status.leader.is_some();
            if is_new_leader && is_known {
                said.0 = Some(match status.leader {
                    Some(leader) => Event::Elected { leader, term: status.term },
                    None => Event::Leaderless { term: status.term },
                });
            }
            if let Some(Reign { term, .. }) = reign.filter(|_| view.reign != reign) {
                said.1 = Some(Event::Gained { term });
            }
            if let Some(leader) = status.leader.filter(|_| is_ready && (is_new_leader || !view.is_ready)) {
                said.2 = Some(Event::Ready { leader, term: status.term });
            }
            let now = View { status, reign, is_ready, is_over: view.is_over };
            let changed = *view != now;
            *view = now;
            changed
        });
        [said.0, said.1, said.2].into_iter().flatten().for_each(|event| self.say(at, event));
    }

    /// Where terms are not counted, whoever leads again has to say again that it is ready.
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
        let is_news = self.view.send_if_modified(|view| {
            let is_it = view.status.leader == Some(leader) && view.status.term == term;
            is_it && !std::mem::replace(&mut view.is_ready, true)
        });
        if is_news {
            self.say(at, Event::Ready { leader, term });
        }
    }

    /// A member's process has ended: its application has not taken over until it says so again.
    pub(crate) fn forget_ready(&mut self, member: Id) {
        self.ready.remove(&member);
    }

    /// Its own leadership has ended, whatever its algorithm says yet.
    pub(crate) fn show_loss(&mut self, at: Time, term: u64, why: Loss) {
        self.forget_ready(self.member);
        self.view.send_modify(|view| {
            view.reign = None;
            view.is_ready &= view.status.leader != Some(self.member);
        });
        self.say(at, Event::Lost { term, why });
    }

    /// It has ended.
    pub(crate) fn end(&self, at: Time, why: Option<String>) {
        self.view.send_modify(|view| {
            *view = View {
                status: Status { role: Role::Undecided, leader: None, ..view.status },
                is_over: true,
                ..View::default()
            };
        });
        let last = Happened { at, member: self.member, event: Event::Stopped { why } };
        let _ = self.last.set(last.clone()); // a member ends once
        let _ = self.events.send(last);
    }
}

#[cfg(test)]
mod tests;
