//! Garcia-Molina's invitation algorithm: groups, each with a coordinator, that merge when they find each other.
//!
//! Rules, as in the paper's section on elections where nothing is known about delays (its procedures in brackets):
//! 1. Whoever boots, or has lost its coordinator, makes a group of its own, alone, with a new number \[Recovery\].
//! 2. A coordinator asks everyone now and then whether it coordinates (`are-you-coordinator`). Those that do say so
//!    (`coordinator`) \[Check, AreYouCoordinator\].
//! 3. It has found others: it waits, the longer the more of all members stand between it and the best that it found, so that not
//!    all of them invite at once. Then it makes a group with a new number, and invites those coordinators and
//!    its own members (`invitation`) \[Merge\].
//! 4. A coordinator that is invited hands the invitation on to its members. Whoever is invited leaves its group
//!    and accepts (`accept`) \[Invitation, Accept\].
//! 5. When all acceptances can have come, the group is made up: its members are told (`ready`) \[Ready\]. Those that
//!    wait for that in vain go by rule 1.
//! 6. A member asks its coordinator now and then (`are-you-there`), which answers (`here`) if the group is still the
//!    same. If not in time: rule 1 \[Timeout, AreYouThere\].
//!
//! Group numbers are never used twice: each coordinator counts its groups, durably, and a group's number is that
//! count times n, plus the coordinator's place among all members.
//!
//! Departures: "no" is said by silence. A member heeds invitations from its own coordinator only, so that one
//! that is late does not tear it out of its new group. Who goes by rule 1, or is called, looks for others at once.

use crate::sources::GARCIA_MOLINA_1982;
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// All of these in message times. How long a coordinator is content with its group.
const CHECK: u64 = 10;
/// How long to wait for answers: there, back, and as long again for the work on the way.
const ANSWERS: u64 = 3;
/// How long to leave each better one the chance to invite.
const PRECEDENCE: u64 = 5;
/// How long to wait for acceptances: there, on to members, back, and something for the work on the way.
const ACCEPTANCES: u64 = 4;
/// How long to wait, having accepted, for the group to be ready.
const READY: u64 = 6;
/// How long a member does not ask after its coordinator.
const TRUST: u64 = 5;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Invitation {
    /// How many groups it has made: on disk.
    made: u64,
    group: Group,
    phase: Phase,
    /// Who else is in the group, if it coordinates; who has accepted so far, if it invites.
    members: BTreeSet<Port>,
    /// Other coordinators that it has found.
    found: BTreeSet<Port>,
}

/// A group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Group {
    number: u64,
    coordinator: Id,
}

/// What a member is about. In each phase it waits for one thing, and for so long only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Phase {
    /// It coordinates, and is content.
    Coordinating,
    /// It coordinates, and has asked who else does.
    Looking,
    /// It coordinates, has found others, and leaves better ones the chance to invite.
    GivingPrecedence,
    /// It has invited others into a group of its own.
    Inviting,
    /// It has accepted, and waits for the group to be ready.
    Joining,
    /// It is in another's group.
    Following,
    /// It is in another's group, and has asked whether that one is there.
    Doubting,
}

impl Phase {
    fn coordinates(self) -> bool {
        matches!(self, Phase::Coordinating | Phase::Looking | Phase::GivingPrecedence)
    }

    fn follows(self) -> bool {
        matches!(self, Phase::Following | Phase::Doubting)
    }
}

/// What members say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Do you coordinate?
    AreYouCoordinator,
    /// I do.
    Coordinator,
    /// Come into this group.
    Invitation(Group),
    /// I come.
    Accept(Group),
    /// The group is made up.
    Ready(Group),
    /// Is this still your group, and am I in it?
    AreYouThere(Group),
    /// It is, and you are.
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

/// What it waited for in its phase has not come, or need not be waited for any longer.
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
        cx.because("it begins in a group of its own, and looks for others");
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        match self.phase {
            Phase::Coordinating => self.look(cx),
            Phase::Following => self.doubt(cx),
            _ => cx.because("it is about to find out already"),
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        match msg {
            Msg::AreYouCoordinator if self.phase.coordinates() => {
                cx.because("somebody asks, and this member coordinates: it says so");
                cx.send(from, Msg::Coordinator);
            }
            Msg::Coordinator if self.phase == Phase::Looking => {
                cx.because("there is another group");
                self.found.insert(from);
            }
            Msg::Invitation(group) => self.consider(cx, from, group),
            Msg::Accept(group) if self.phase == Phase::Inviting && group == self.group => {
                cx.because("one comes");
                self.members.insert(from);
            }
            Msg::Ready(group) if self.phase == Phase::Joining && group == self.group => {
                cx.because("the group is made up: its coordinator leads");
                self.go_to(cx, Phase::Following, TRUST);
            }
            Msg::AreYouThere(group)
                if self.phase.coordinates() && group == self.group && self.members.contains(&from) =>
            {
                cx.because("a member of its group asks after it: it is there");
                cx.send(from, Msg::Here(group));
            }
            Msg::Here(group) if self.phase == Phase::Doubting && group == self.group => {
                cx.because("its coordinator is there");
                self.go_to(cx, Phase::Following, TRUST);
            }
            _ => cx.because("that is of no concern to it, or comes too late"),
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, _: PhaseOver) {
        match self.phase {
            Phase::Coordinating => self.look(cx),
            Phase::Looking => self.look_at_found(cx),
            Phase::GivingPrecedence => self.invite(cx),
            Phase::Inviting => {
                cx.because("all that come have come: the group is made up, and it leads");
                self.go_to(cx, Phase::Coordinating, CHECK);
                tell(cx, self.members.clone(), Msg::Ready(self.group));
            }
            Phase::Following => self.doubt(cx),
            Phase::Joining | Phase::Doubting => self.recover(cx),
        }
    }
}

impl Invitation {
    fn go_to(&mut self, cx: &mut Cx<'_, Self>, phase: Phase, message_times: u64) {
        self.phase = phase;
        cx.set_timer(PhaseOver, cx.delay_bound() * message_times);
    }

    /// A new group, with nobody but itself in it so far.
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
        cx.because("its coordinator is gone: it makes a group of its own, and looks for others");
    }

    /// Rule 2.
    fn look(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it asks who else coordinates a group");
        self.found.clear();
        self.go_to(cx, Phase::Looking, ANSWERS);
        tell(cx, cx.outgoing().collect::<Vec<_>>(), Msg::AreYouCoordinator);
    }

    /// Rule 3.
    fn look_at_found(&mut self, cx: &mut Cx<'_, Self>) {
        let best = self.found.iter().map(|&port| cx.peer_rank(port)).max();
        match best {
            None => {
                cx.because("there is no other group");
                self.go_to(cx, Phase::Coordinating, CHECK);
            }
            Some(best) if best > cx.rank() => {
                cx.because("there is a better coordinator: it is left the chance to invite");
                let between = place(cx, best) - place(cx, cx.rank());
                self.go_to(cx, Phase::GivingPrecedence, between.saturating_mul(PRECEDENCE));
            }
            Some(_) => self.invite(cx),
        }
    }

    fn invite(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it invites the coordinators that it has found, and its members, into a new group");
        let invited: BTreeSet<Port> = self.found.union(&self.members).copied().collect();
        self.make_group(cx);
        self.found.clear();
        self.go_to(cx, Phase::Inviting, ACCEPTANCES);
        tell(cx, invited, Msg::Invitation(self.group));
    }

    /// Rule 4.
    fn consider(&mut self, cx: &mut Cx<'_, Self>, from: Port, group: Group) {
        let Some(inviter) = port_of(cx, group.coordinator) else {
            cx.because("there is no such coordinator");
            return;
        };
        if cx.is_too_far_ahead(group.number, self.group.number) {
            return;
        }
        let is_from_its_coordinator = cx.peer_rank(from).id() == self.group.coordinator;
        if self.phase.coordinates() && inviter == from {
            tell(cx, std::mem::take(&mut self.members), Msg::Invitation(group));
        } else if !(self.phase.follows() && is_from_its_coordinator) {
            cx.because("it is not free to come, or not invited by its coordinator");
            return;
        }
        cx.because("it is invited: it comes");
        self.group = group;
        self.found.clear();
        self.go_to(cx, Phase::Joining, READY);
        cx.send(inviter, Msg::Accept(group));
    }

    /// Rule 6.
    fn doubt(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it asks whether its coordinator is there");
        self.go_to(cx, Phase::Doubting, ANSWERS);
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

/// How many members are worse.
fn place(cx: &Cx<'_, Invitation>, rank: Rank) -> u64 {
    let others = cx.outgoing().filter(|&port| cx.peer_rank(port) < rank).count();
    (others + usize::from(cx.rank() < rank)) as u64
}

impl Protocol for Invitation {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "invitation",
        variant: "plain",
        summary: "everyone coordinates a group; coordinators that find each other invite, and groups become one",
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
            return Err(Broken("a member of another's group has no members of its own".into()));
        }
        if self.phase == Phase::GivingPrecedence && self.found.is_empty() {
            return Err(Broken("there is nobody to give precedence to".into()));
        }
        Ok(())
    }
}

mod figures;
