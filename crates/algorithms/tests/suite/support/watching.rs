//! An observer that compares what it sees with the final report.

use super::subject::Typed;
use bellwether_core::{DynMessage, Id, Identities, Port, Role, Spec, Status, Time};
use bellwether_sim::{Observer, Outcome, Plan, Report};
use std::collections::BTreeMap;

/// Records all that a report is later compared with.
pub struct Watcher {
    typed: Typed,
    complaints: Vec<String>,
    by_kind: BTreeMap<&'static str, u64>,
    bytes: u64,
    last: Vec<Status>,
    /// When each member began to name the leader that it names.
    knew_at: Vec<Time>,
}

impl Watcher {
    pub fn new(typed: Typed, n: u32) -> Watcher {
        Watcher {
            typed,
            complaints: Vec::new(),
            by_kind: BTreeMap::new(),
            bytes: 0,
            last: vec![Status::UNDECIDED; n as usize],
            knew_at: vec![Time::NEVER; n as usize],
        }
    }

    /// The complaints about messages, and about their counts.
    pub fn wire_complaints(&self, report: &Report) -> Vec<String> {
        let mut found = self.complaints.clone();
        let counted: BTreeMap<_, _> =
            report.messages.by_kind.iter().filter(|(_, count)| **count > 0).map(|(k, c)| (*k, *c)).collect();
        if counted != self.by_kind {
            found.push(format!("{:?} were sent, {counted:?} were counted", self.by_kind));
        }
        let total: u64 = self.by_kind.values().sum();
        let counts = &report.messages;
        if counts.total != total || counts.payload + counts.control != total {
            found.push(format!("{total} were sent, the totals are {counts:?}"));
        }
        if self.bytes != report.bytes {
            found.push(format!("{} bytes were sent, {} were counted", self.bytes, report.bytes));
        }
        found
    }

    /// The differences between the last published states and the ruling.
    pub fn status_complaints(&self, spec: &Spec, plan: &Plan, report: &Report) -> Vec<String> {
        let anonymous = spec.identities == Identities::Anonymous;
        let mut found = Vec::new();
        let id = |member: usize| plan.ranks[member].id();
        let members = 0..plan.ranks.len();
        let leaders: Vec<Id> =
            members.clone().filter(|&member| self.last[member].role == Role::Leader).map(id).collect();
        let named: Vec<Option<Id>> = self.last.iter().map(|status| status.leader).collect();
        let only = if leaders.len() == 1 { Some(leaders[0]) } else { None };
        let agreed = named[0].is_some() && named.iter().all(|other| *other == named[0]);
        if (only, agreed) != (report.ruling.leader, report.ruling.agreed) {
            found.push(format!("{leaders:?} said that they lead: {:?}", report.ruling));
        }
        if report.ruling.outcome == Outcome::Elected && named.iter().flatten().any(|name| Some(*name) != only)
        {
            found.push(format!("elected, but they name {named:?}"));
        }
        if self.knew_at != report.knew_at {
            found.push(format!("they knew at {:?}, not at {:?}", self.knew_at, report.knew_at));
        }
        for member in members {
            let Status { role, leader, .. } = self.last[member];
            let fits = match role {
                // Members without ids cannot name a leader.
                Role::Leader if anonymous => leader.is_none(),
                Role::Leader => leader == Some(id(member)),
                Role::Follower => leader != Some(id(member)),
                Role::Undecided => leader.is_none(),
            };
            if !fits {
                found.push(format!("member {} is a {role:?} and names {leader:?}", id(member)));
            }
        }
        found
    }
}

impl Observer for Watcher {
    fn sent(&mut self, _: Time, member: u32, _: Port, _: (u32, Port), msg: &dyn DynMessage, _: Time) {
        if self.last[member as usize].halted {
            self.complaints.push(format!("member {member} has halted and sends {msg:?}"));
        }
        match msg.all_kinds().get(msg.kind_index()) {
            Some(kind) => *self.by_kind.entry(kind.name).or_default() += 1,
            None => self.complaints.push(format!("{msg:?} is of kind {}", msg.kind_index())),
        }
        let bytes = postcard::to_stdvec(msg).expect("messages have a wire form");
        self.bytes += bytes.len() as u64;
        if !self.typed.reads(&bytes, msg) {
            self.complaints.push(format!("{msg:?} became something else on the wire"));
        }
    }

    fn published(&mut self, at: Time, member: u32, status: Status) {
        let last = &mut self.last[member as usize];
        if last.leader != status.leader {
            self.knew_at[member as usize] = if status.leader.is_some() { at } else { Time::NEVER };
        }
        *last = status;
    }
}
