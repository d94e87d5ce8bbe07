//! What a member can know of the others: the driver's side of [`bellwether_core::Local`].

use crate::settings::{Profile, Settings};
use bellwether_core::{
    Duty, Environment, Flow, Id, Knowledge, Need, ParamValues, Params, Port, Rank, RankRange, Span, Spec,
    Topology,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The members, in the order of their ids, and how the algorithm at hand sees them.
#[derive(Debug)]
pub struct Surroundings {
    me: u32,
    ranks: Vec<Rank>,
    duties: Vec<Duty>,
    range: RankRange,
    topology: Topology,
    profile: Profile,
    parameters: ParamValues,
    knows: Knowledge,
    rng: Xoshiro256PlusPlus,
}

impl Surroundings {
    /// The members of these settings, as an algorithm with this need sees them.
    ///
    /// # Panics
    /// If the settings do not have the member itself: they were not checked.
    pub fn new(settings: &Settings, spec: &Spec, params: &Params, seed: u64) -> Surroundings {
        let mut members: Vec<_> = settings.members.iter().collect();
        members.sort_unstable_by_key(|peer| peer.id);
        let me =
            members.iter().position(|peer| peer.id == settings.me).expect("settings were checked") as u32;
        let ranks: Vec<Rank> = members.iter().map(|peer| peer.rank()).collect();
        Surroundings {
            me,
            range: RankRange::around(&ranks),
            duties: members.iter().map(|peer| peer.duty).collect(),
            topology: topology(spec.need, ranks.len() as u32),
            ranks,
            profile: settings.profile.clone(),
            parameters: params.values(spec.parameters, settings.profile.delay_bound),
            knows: spec.knows,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    pub(crate) fn me(&self) -> u32 {
        self.me
    }

    pub(crate) fn my_rank(&self) -> Rank {
        self.ranks[self.me as usize]
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        self.ranks.iter().map(|rank| rank.id())
    }

    pub(crate) fn rng(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.rng
    }

    /// How many ports this member has.
    pub fn my_ports(&self) -> u32 {
        self.topology.ports(self.me)
    }

    /// How many ports a failure detector watches. In a ring of one, both ports lead to the member itself: none.
    pub(crate) fn watched_ports(&self) -> u32 {
        if self.topology.n() == 1 { 0 } else { self.my_ports() }
    }

    /// The member behind a port of this member, and the port of its own at which it sees this member.
    pub(crate) fn behind(&self, port: Port) -> (Id, Port) {
        let (peer, at) = self.topology.peer(self.me, port);
        (self.ranks[peer as usize].id(), at)
    }

    /// Whether the network is a ring, which closes round members that cannot be reached.
    pub(crate) fn closes(&self) -> bool {
        matches!(self.topology, Topology::Ring { .. })
    }

    /// The member that receives what leaves by a port, if these are passed over.
    pub(crate) fn behind_past(&self, port: Port, is_passed_over: impl Fn(Id) -> bool) -> Id {
        let is_passed_over = |member: u32| is_passed_over(self.ranks[member as usize].id());
        let (peer, _) = self.topology.peer_past(self.me, port, is_passed_over);
        self.ranks[peer as usize].id()
    }

    /// The members that a message passes after it leaves by a port, up to its receiver.
    pub(crate) fn between(&self, port: Port, gets_it: Id) -> impl Iterator<Item = Id> {
        let mut at = self.me;
        std::iter::from_fn(move || {
            at = self.topology.peer(at, port).0;
            Some(at).filter(|&member| member != self.me)
        })
        .map(|member| self.ranks[member as usize].id())
        .take_while(move |&id| id != gets_it)
    }

    /// Whether a message from this member can arrive at a port. In a ring it may come from any member: the sender knows
    /// which members it must pass over, and this member may not know yet.
    pub(crate) fn can_hear(&self, port: Port, from: Id) -> bool {
        let is_member =
            || from != self.ranks[self.me as usize].id() && self.ranks.iter().any(|it| it.id() == from);
        port.0 < self.my_ports() && (self.behind(port).0 == from || self.closes() && is_member())
    }

    /// The ports that lead to a member: none, one, or two in a ring of two.
    pub(crate) fn ports_to(&self, id: Id) -> impl Iterator<Item = Port> + use<> {
        let ports: [Option<Port>; 2] = {
            let mut found = (0..self.my_ports()).map(Port).filter(|&port| self.behind(port).0 == id);
            [found.next(), found.next()]
        };
        ports.into_iter().flatten()
    }
}

/// The network that an algorithm sees. Where any network will do, all members are neighbours of each other.
fn topology(need: Need, n: u32) -> Topology {
    match need {
        Need::OneWayRing => Topology::Ring { n, two_way: false },
        Need::TwoWayRing => Topology::Ring { n, two_way: true },
        Need::OverlayRing => Topology::Overlay { n },
        Need::Complete | Need::StronglyConnected | Need::ConnectedTwoWay => Topology::Complete { n },
    }
}

impl Environment for Surroundings {
    fn size(&self) -> u32 {
        self.topology.n()
    }

    fn diameter(&self) -> u32 {
        match self.topology {
            Topology::Ring { n, two_way: true } => n / 2,
            Topology::Ring { n, two_way: false } => n.saturating_sub(1),
            _ => u32::from(self.topology.n() > 1),
        }
    }

    fn ports(&self, member: u32) -> u32 {
        self.topology.ports(member)
    }

    fn flow(&self, member: u32, port: Port) -> Flow {
        self.topology.flow(member, port)
    }

    fn peer_rank(&self, member: u32, port: Port) -> Rank {
        self.ranks[self.topology.peer(member, port).0 as usize]
    }

    fn better_ranks(&self, member: u32) -> u64 {
        self.range.better_than(self.ranks[member as usize])
    }

    fn delay_bound(&self) -> Span {
        self.profile.delay_bound
    }

    fn drift_bound(&self) -> u32 {
        self.profile.drift_bound
    }

    fn parameters(&self) -> &ParamValues {
        &self.parameters
    }

    fn knows(&self) -> Knowledge {
        self.knows
    }

    fn duty(&self, member: u32) -> Duty {
        self.duties[member as usize]
    }

    fn peer_duty(&self, member: u32, port: Port) -> Duty {
        self.duties[self.topology.peer(member, port).0 as usize]
    }

    fn draw(&mut self, bound: u64) -> u64 {
        self.rng.random_range(0..bound.max(1))
    }
}
