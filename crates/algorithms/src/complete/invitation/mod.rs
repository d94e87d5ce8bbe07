//! Garcia-Molina's invitation algorithm: groups, each with a coordinator, that merge when they find each other.
//!
//! Rules, as in the paper's section on elections in which nothing is known about delays (its procedures in brackets):
//! 1. A member that boots, or has lost its coordinator, forms a group of its own with a new number \[Recovery\].
//! 2. A coordinator asks all members at regular intervals whether they coordinate (`are-you-coordinator`). Those that
//!    do answer (`coordinator`) \[Check, AreYouCoordinator\].
//! 3. It has found other coordinators: it waits, longer if more members rank between it and the highest-ranked one
//!    that it found, so that they do not all invite at once. Then it forms a group with a new number, and invites
//!    those coordinators and its own members (`invitation`) \[Merge\].
//! 4. A coordinator that is invited forwards the invitation to its members. Each invited member leaves its group and
//!    accepts (`accept`) \[Invitation, Accept\].
//! 5. When all acceptances have had time to arrive, the group is complete: its members are told (`ready`) \[Ready\].
//!    A member that waits for `ready` in vain applies rule 1.
//! 6. A member asks its coordinator at regular intervals (`are-you-there`), which answers (`here`) if the group is
//!    still the same. No answer in time: rule 1 \[Timeout, AreYouThere\].
//!
//! Group numbers are unique: each coordinator counts its groups on disk, and a group's number is that count times n,
//! plus the coordinator's place among all members.
//!
//! Departures: a member says "no" by silence. A member accepts invitations only from its own coordinator, so that a
//! late one does not remove it from its new group. A member that applies rule 1, or is told to start an election,
//! looks for other coordinators at once.

use crate::sources::GARCIA_MOLINA_1982;
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// All times are in delay bounds. How long a coordinator waits before it looks for other groups.
const CHECK: u64 = 10;
/// How long to wait for answers: there, back, and as long again for processing.
const ANSWERS: u64 = 3;
/// How long each lower-ranked coordinator waits per place, to let higher-ranked ones invite first.
const PRECEDENCE: u64 = 5;
/// How long to wait for acceptances: there, on to members, back, and some time for processing.
const ACCEPTANCES: u64 = 4;
/// How long to wait for `ready` after `accept`.
const READY: u64 = 6;
/// How long a member waits before it asks its coordinator.
const TRUST: u64 = 5;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Invitation {
    /// The number of groups that it has formed: on disk.
    made: u64,
    group: Group,
    phase: Phase,
    /// If it coordinates, the other members of its group; if it invites, the members that have accepted so far.
    members: BTreeSet<Port>,
    /// The other coordinators that it has found.
    found: BTreeSet<Port>,
}

/// A group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Group {
    number: u64,
    coordinator: Id,
}

/// The state of a member. In each phase it waits for one event, with a time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Phase {
    /// It coordinates a group.
    Coordinating,
    /// It coordinates, and has asked which other members coordinate.
    Looking,
    /// It coordinates, has found others, and gives higher-ranked ones time to invite.
    GivingPrecedence,
    /// It has invited others into its new group.
    Inviting,
    /// It has accepted, and waits for the group to be ready.
    Joining,
    /// It is in another coordinator's group.
    Following,
    /// It is in another coordinator's group, and has asked whether that coordinator is alive.
    Checking,
}

impl Phase {
    fn coordinates(self) -> bool {
        matches!(self, Phase::Coordinating | Phase::Looking | Phase::GivingPrecedence)
    }

    fn follows(self) -> bool {
        matches!(self, Phase::Following | Phase::Checking)
    }
}

/// The messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Do you coordinate a group?
    AreYouCoordinator,
    /// I coordinate a group.
    Coordinator,
    /// Join this group.
    Invitation(Group),
    /// I join this group.
    Accept(Group),
    /// The group is complete.
    Ready(Group),
    /// Do you coordinate this group, and am I a member?
    AreYouThere(Group),
    /// I coordinate it, and you are a member.
    Here(Group),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::payload("are-you-coordinator"),
        Kind::payload("coordinator"),
        Kind::payload("invitation"),
        Kind::payload("accept"),
        Kind::payload("ready"),
        Kind::payload("are-you-there"),
        Kind::payload("here"),
    ];

    fn kind(&self) -> usize {
        match self {
            Msg::AreYouCoordinator => 0,
            Msg::Coordinator => 1,
            Msg::Invitation(_) => 2,
            Msg::Accept(_) => 3,
            Msg::Ready(_) => 4,
            Msg::AreYouThere(_) => 5,
            Msg::Here(_) => 6,
        }
    }
}

/// The time-out of the current phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PhaseOver;

impl Algorithm for Invitation {
    type Timer = PhaseOver;
    type Durable = u64;

    fn start(cx: &mut Cx<'_, Self>, made: u64) -> Self {
        let mut member = Invitation {
            made,
            group: Group { number: 0, coordinator: cx.id() },
            phase: Phase::Coordinating,
            members: BTreeSet::new(),
            found: BTreeSet::new(),
        };
        member.make_group(cx);
        member.look(cx);
        cx.because("no group yet: form a group of its own and look for others");
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        match self.phase {
            Phase::Coordinating => self.look(cx),
            Phase::Following => self.check_coordinator(cx),
            _ => cx.because("the search for a coordinator is under way: nothing to do"),
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        match msg {
            Msg::AreYouCoordinator if self.phase.coordinates() => {
                cx.because("this member coordinates: answer");
                cx.send(from, Msg::Coordinator);
            }
            Msg::Coordinator if self.phase == Phase::Looking => {
                cx.because("another coordinator: remember it");
                self.found.insert(from);
            }
            Msg::Invitation(group) => self.on_invitation(cx, from, group),
            Msg::Accept(group) if self.phase == Phase::Inviting && group == self.group => {
                cx.because("a member accepts the invitation: add it to the group");
                self.members.insert(from);
            }
            Msg::Ready(group) if self.phase == Phase::Joining && group == self.group => {
                cx.because("the group is complete: follow its coordinator");
                self.go_to(cx, Phase::Following, TRUST);
            }
            Msg::AreYouThere(group)
                if self.phase.coordinates() && group == self.group && self.members.contains(&from) =>
            {
                cx.because("a member of its group asks: answer that its coordinator is alive");
                cx.send(from, Msg::Here(group));
            }
            Msg::Here(group) if self.phase == Phase::Checking && group == self.group => {
                cx.because("the coordinator is alive: stay in the group");
                self.go_to(cx, Phase::Following, TRUST);
            }
            _ => cx.because("not expected in this state, or too late: ignored"),
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, _: PhaseOver) {
        match self.phase {
            Phase::Coordinating => self.look(cx),
            Phase::Looking => self.look_at_found(cx),
            Phase::GivingPrecedence => self.invite(cx),
            Phase::Inviting => {
                cx.because("all acceptances had time to arrive: the group is complete, lead it");
                self.go_to(cx, Phase::Coordinating, CHECK);
                tell(cx, self.members.clone(), Msg::Ready(self.group));
            }
            Phase::Following => self.check_coordinator(cx),
            Phase::Joining | Phase::Checking => self.recover(cx),
        }
    }
}

impl Invitation {
    fn go_to(&mut self, cx: &mut Cx<'_, Self>, phase: Phase, message_times: u64) {
        self.phase = phase;
        cx.set_timer(PhaseOver, cx.delay_bound() * message_times);
    }

    /// Forms a new group, with no other member yet.
    fn make_group(&mut self, cx: &mut Cx<'_, Self>) {
        self.made = self.made.saturating_add(1);
        cx.persist(self.made);
        let number = self.made.saturating_mul(members(cx)).saturating_add(place(cx, cx.rank()));
        self.group = Group { number, coordinator: cx.id() };
        self.members.clear();
    }

    /// Rule 1.
    fn recover(&mut self, cx: &mut Cx<'_, Self>) {
        self.make_group(cx);
        self.look(cx);
        cx.because("no answer from the coordinator in time: form a group of its own and look for others");
    }

    /// Rule 2.
    fn look(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("time to look for other groups: ask all members whether they coordinate");
        self.found.clear();
        self.go_to(cx, Phase::Looking, ANSWERS);
        tell(cx, cx.outgoing().collect::<Vec<_>>(), Msg::AreYouCoordinator);
    }

    /// Rule 3.
    fn look_at_found(&mut self, cx: &mut Cx<'_, Self>) {
        let best = self.found.iter().map(|&port| cx.peer_rank(port)).max();
        match best {
            None => {
                cx.because("no other group found: keep this one");
                self.go_to(cx, Phase::Coordinating, CHECK);
            }
            Some(best) if best > cx.rank() => {
                cx.because("a coordinator with a higher rank: give it time to invite");
                let between = place(cx, best) - place(cx, cx.rank());
                self.go_to(cx, Phase::GivingPrecedence, between.saturating_mul(PRECEDENCE));
            }
            Some(_) => self.invite(cx),
        }
    }

    fn invite(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("other coordinators found: invite them and its own members into a new group");
        let invited: BTreeSet<Port> = self.found.union(&self.members).copied().collect();
        self.make_group(cx);
        self.found.clear();
        self.go_to(cx, Phase::Inviting, ACCEPTANCES);
        tell(cx, invited, Msg::Invitation(self.group));
    }

    /// Rule 4.
    fn on_invitation(&mut self, cx: &mut Cx<'_, Self>, from: Port, group: Group) {
        let Some(inviter) = port_of(cx, group.coordinator) else {
            cx.because("no such coordinator: ignored");
            return;
        };
        if cx.is_too_far_ahead(group.number, self.group.number) {
            return;
        }
        let is_from_its_coordinator = cx.peer_rank(from).id() == self.group.coordinator;
        if self.phase.coordinates() && inviter == from {
            tell(cx, std::mem::take(&mut self.members), Msg::Invitation(group));
        } else if !(self.phase.follows() && is_from_its_coordinator) {
            cx.because("not free to join, or not invited by its own coordinator: ignored");
            return;
        }
        cx.because("invited into a group: accept");
        self.group = group;
        self.found.clear();
        self.go_to(cx, Phase::Joining, READY);
        cx.send(inviter, Msg::Accept(group));
    }

    /// Rule 6.
    fn check_coordinator(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("time to check the coordinator: ask whether it is alive");
        self.go_to(cx, Phase::Checking, ANSWERS);
        tell(cx, port_of(cx, self.group.coordinator), Msg::AreYouThere(self.group));
    }
}

fn tell(cx: &mut Cx<'_, Invitation>, ports: impl IntoIterator<Item = Port>, msg: Msg) {
    for port in ports {
        cx.send(port, msg);
    }
}

fn port_of(cx: &Cx<'_, Invitation>, id: Id) -> Option<Port> {
    cx.outgoing().find(|&port| cx.peer_rank(port).id() == id)
}

fn members(cx: &Cx<'_, Invitation>) -> u64 {
    cx.outgoing().count() as u64 + 1
}

/// The number of lower-ranked members.
fn place(cx: &Cx<'_, Invitation>, rank: Rank) -> u64 {
    let others = cx.outgoing().filter(|&port| cx.peer_rank(port) < rank).count();
    (others + usize::from(cx.rank() < rank)) as u64
}

impl Protocol for Invitation {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "invitation",
        variant: "plain",
        summary: "each member coordinates a group; coordinators that find each other invite, and groups merge",
        sources: &[GARCIA_MOLINA_1982],
        need: Need::Complete,
        timing: Timing::BoundedDelay,
        links: Links::Any,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Incumbent,
        reign: Reign::PerTerm,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::GoesOn,
        knows: Knowledge::PEERS.union(Knowledge::DELAY_BOUND),
        goal: Goal::EveryoneKnows,
        survives: Faults::UNHURRIED
            .union(Faults::CRASH)
            .union(Faults::RECOVERY)
            .union(Faults::LOSS)
            .union(Faults::LINK)
            .union(Faults::PARTITION)
            .union(Faults::CLOCK),
        randomised: false,
        parameters: &[],
        claims: &figures::CLAIMS,
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        let role = match self.phase {
            phase if phase.coordinates() => Role::Leader,
            phase if phase.follows() => Role::Follower,
            _ => Role::Undecided,
        };
        let leader = (role != Role::Undecided).then_some(self.group.coordinator);
        Status { role, leader, term: self.group.number, halted: false }
    }

    fn storage(&self) -> usize {
        size_of::<Self>() + (self.members.len() + self.found.len()) * size_of::<Port>()
    }

    fn invariant(&self) -> Result<(), Broken> {
        let coordinates = self.phase.coordinates() || self.phase == Phase::Inviting;
        let knows_others = !self.members.is_empty() || !self.found.is_empty();
        if !coordinates && knows_others {
            return Err(Broken("only a coordinator has members and known coordinators".into()));
        }
        if self.phase == Phase::GivingPrecedence && self.found.is_empty() {
            return Err(Broken("a member gives precedence only to coordinators that it has found".into()));
        }
        Ok(())
    }
}

mod figures;
