//! What a member shows to whoever looks on: where things stand, and what happens.

use crate::event::{Event, Happened};
use bellwether_core::{Id, Role, Status, Time};
use tokio::sync::{broadcast, watch};

/// How many events a slow onlooker can be behind before it misses some.
const BACKLOG: usize = 1_024;

/// Where things stand at a member.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct View {
    /// What the member says: its role, who leads, in which term.
    pub status: Status,
    /// This member's own leadership, while it lasts.
    pub reign: Option<Reign>,
    /// Whether the leader's application has taken over.
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
}

impl Outlook {
    pub(crate) fn new(member: Id) -> Outlook {
        Outlook { member, events: broadcast::channel(BACKLOG).0, view: watch::channel(View::default()).0 }
    }

    pub(crate) fn events(&self) -> broadcast::Sender<Happened> {
        self.events.clone()
    }

    pub(crate) fn view(&self) -> watch::Receiver<View> {
        self.view.subscribe()
    }

    pub(crate) fn say(&self, at: Time, event: Event) {
        // Nobody looks on: that is no fault.
        let _ = self.events.send(Happened { at, member: self.member, event });
    }

    /// The member's algorithm says this now, and this is its own leadership, if it leads.
    pub(crate) fn show(&self, at: Time, status: Status, reign: Option<Reign>) {
        let mut said = (None, None);
        self.view.send_if_modified(|view| {
            let is_new_leader = (view.status.leader, view.status.term) != (status.leader, status.term);
            let is_known = status.leader.is_some() || view.status.leader.is_some();
            let changed = view.status != status || view.reign != reign;
            if is_new_leader && is_known {
                said.0 = Some(match status.leader {
                    Some(leader) => Event::Elected { leader, term: status.term },
                    None => Event::Leaderless { term: status.term },
                });
                view.is_ready = false;
            }
            if let Some(Reign { term, .. }) = reign.filter(|_| view.reign != reign) {
                said.1 = Some(Event::Gained { term });
            }
            (view.status, view.reign) = (status, reign);
            changed
        });
        [said.0, said.1].into_iter().flatten().for_each(|event| self.say(at, event));
    }

    /// The leader's application has taken over.
    pub(crate) fn show_ready(&self, at: Time, leader: Id, term: u64) {
        let is_news = self.view.send_if_modified(|view| {
            let is_it = view.status.leader == Some(leader) && view.status.term == term;
            is_it && !std::mem::replace(&mut view.is_ready, true)
        });
        if is_news {
            self.say(at, Event::Ready { leader, term });
        }
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
        self.say(at, Event::Stopped { why });
    }
}
