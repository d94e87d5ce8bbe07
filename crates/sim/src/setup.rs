//! From what a user asks for to a plan that can be run.

mod error;

pub use error::{Bytes, SetupError};

use crate::delay::Delay;
use crate::faults::{self, LinkFaults, Partition, Scripted};
use crate::network::Shape;
use crate::plan::{DRIFT_BOUND, Happening, Limits, LinkOrder, Plan};
use crate::schedule::Schedule;
use crate::world::{Stream, stream};
use bellwether_core::{
    Attribute, CallPolicy, DetectorChoice, Duty, Elect, FaultEvent, Id, Identities, Initiators, Knowledge,
    Lasting, Order, Params, Rank, Span, Spec, Starts, Time, Topology,
};
use rand::RngExt as _;
use rand::seq::SliceRandom;

/// What a user asks for: everything but the algorithm. Each seed makes a [`Plan`] of it.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The network; what the algorithm needs, unless given.
    pub shape: Option<Shape>,
    /// Who takes part; as many as the network's file names, unless given.
    pub members: Option<Members>,
    /// Which end of the ranking wins.
    pub elect: Elect,
    /// What members bring besides their ids.
    pub attributes: Attributes,
    /// The greatest id that members are told there could be; the greatest there is, unless given.
    pub id_bound: Option<u64>,
    /// Whether members are identical: only algorithms for such members can be run then.
    pub identical: bool,
    /// Who votes and never leads.
    pub witnesses: Vec<Id>,
    /// Who neither votes nor leads.
    pub observers: Vec<Id>,
    /// Who calls the election.
    pub callers: Callers,
    /// How long messages take.
    pub delay: Delay,
    /// The bound on delays that members are told, unless the delay's own.
    pub delay_bound: Option<Span>,
    /// How far members are told that clocks can be off, in millionths; one in a hundred unless given.
    pub drift_bound: Option<u32>,
    /// What is given of the algorithm's parameters.
    pub params: Params,
    /// Whether messages of one link keep their order.
    pub links: LinkOrder,
    /// What happens to whom and when.
    pub script: Vec<Scripted>,
    /// Groups that cannot talk to each other.
    pub partitions: Vec<Partition>,
    /// When all links work again.
    pub heals: Vec<Time>,
    /// What the links do to messages.
    pub link_faults: LinkFaults<Id>,
    /// Whether a ring closes round its dead.
    pub ring_closes: bool,
    /// Whether the neighbours of whoever crashes are told for certain: a death certificate.
    pub certified_crashes: bool,
    /// After so many delay bounds without a leader a member starts an election again, as in a cluster; never, unless given.
    pub restart_after: Option<u32>,
    /// Who watches whom, if anyone does.
    pub detector: Option<DetectorChoice>,
    /// The run step by step, if it is said so: then nothing else makes anything happen.
    pub schedule: Option<Schedule>,
    /// When to give up. Unless anything is said, a run in which something goes wrong is given up
    /// [`PATIENCE`] after the last event, as it might go on for ever; and so is one of an algorithm that does
    /// go on for ever, if it has not come right.
    pub limits: Limits,
    /// The most bytes a run may take; more is refused before it begins.
    pub memory_limit: u64,
}

/// Who takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// The ids 1 to n, in this order.
    Count {
        /// How many.
        n: u64,
        /// How they lie in the network.
        order: Order,
    },
    /// These, in this order: in a ring, clockwise.
    Ids(Vec<Id>),
}

/// What members bring besides their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Attributes {
    /// Nothing: ids decide.
    #[default]
    None,
    /// These, in the order of the members.
    Listed(Vec<Attribute>),
    /// Drawn from 0 to n - 1, so that some are alike.
    Random,
}

/// Who calls the election.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Callers {
    /// Everyone.
    #[default]
    All,
    /// These.
    Ids(Vec<Id>),
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            shape: None,
            members: None,
            elect: Elect::Best,
            attributes: Attributes::None,
            id_bound: None,
            identical: false,
            witnesses: Vec::new(),
            observers: Vec::new(),
            callers: Callers::All,
            delay: Delay::Unit,
            delay_bound: None,
            drift_bound: None,
            params: Params::default(),
            links: LinkOrder::Fifo,
            script: Vec::new(),
            partitions: Vec::new(),
            heals: Vec::new(),
            link_faults: LinkFaults::default(),
            ring_closes: false,
            certified_crashes: false,
            restart_after: None,
            detector: None,
            schedule: None,
            limits: Limits::default(),
            memory_limit: u64::MAX,
        }
    }
}

/// How long a run in which something goes wrong may go on after the last event, unless the user says.
pub const PATIENCE: Span = Span::from_hops(10_000);

/// How many messages and signals there may be in a run in which something goes wrong, at the most: a few
/// seconds' worth.
const MOST_WHEN_DISTURBED: u64 = 50_000_000;

/// What a member takes besides its links: rank, state, bookkeeping and a message under way, with
/// room to grow. Measured at about 100 (`cargo bench -p bellwether-benches`).
const BYTES_A_MEMBER: u64 = 200;
/// What messages under way take for each pair of members, where everyone asks everyone at once.
const BYTES_A_PAIR: u64 = 16;
/// What a link takes where messages have to be kept in order: when the last one arrives.
const BYTES_A_FIFO_LINK: u64 = 8;

impl Setup {
    /// The plan of a seed for an algorithm.
    ///
    /// # Errors
    /// [`SetupError`] says what does not fit; nothing has been done then.
    pub fn plan(&self, spec: &Spec, seed: u64) -> Result<Plan, SetupError> {
        let shape = self.shape.clone().unwrap_or_else(|| Shape::for_need(spec.need));
        let asked = match &self.members {
            Some(Members::Count { n, .. }) => Some(*n),
            Some(Members::Ids(ids)) => Some(ids.len() as u64),
            None => None,
        };
        if asked == Some(0) {
            return Err(SetupError::NoMembers);
        }
        if asked.is_none() && !shape.names_members() {
            return Err(SetupError::SizeNeeded);
        }
        self.check_memory(&shape, asked)?;
        let too_many = |n| SetupError::TooLarge {
            n,
            needed: Bytes(n.saturating_mul(BYTES_A_MEMBER)),
            limit: Bytes(u64::from(u32::MAX) * BYTES_A_MEMBER),
        };
        let asked = asked.map(|n| u32::try_from(n).map_err(|_| too_many(n))).transpose()?;
        let network = shape.build(asked, seed)?;

        if self.identical && spec.identities == Identities::Unique {
            return Err(SetupError::Symmetric { algorithm: spec.name });
        }
        let (ids, order) = self.ids(network.n() as usize, network.ids(), seed);
        let by_id = sorted_by_id(&ids, spec)?;
        let find = |role: &'static str, id: Id| find(&ids, &by_id, role, id);
        let ranks = self.ranks(&ids, seed)?;

        if !spec.need.fits(network.topology()) {
            let instead = Shape::for_need(spec.need);
            return Err(SetupError::Unfit { algorithm: spec.name, need: spec.need, shape, instead });
        }
        if !network.strongly_connected() {
            return Err(SetupError::NotConnected { algorithm: spec.name, shape });
        }
        if network.diameter().is_none() && spec.knows.has(Knowledge::DIAMETER) {
            return Err(SetupError::NoDiameter { algorithm: spec.name, shape });
        }
        let diameter = network.diameter();
        let mut plan = Plan::new(network.into_topology(), diameter, ranks, order);
        if self.ring_closes && !matches!(plan.topology, Topology::Ring { .. }) {
            let problem = format!("`ring_closes` is for rings, and {shape} is not one: leave it out");
            return Err(SetupError::Fault { key: "ring_closes", problem });
        }
        plan.ring_closes = self.ring_closes;
        plan.certified_crashes = self.certified_crashes;
        plan.duties = self.duties(spec, plan.n(), find)?;
        plan.script = self.happenings(&plan, find)?;
        plan.link_faults = self.link_faults.try_map(|id| find("member", id))?;
        plan.detector = self.detector.clone();
        plan.initiators = self.initiators(spec, &plan, find)?;
        plan.delay = self.delay.clone();
        plan.delay_bound = self.delay_bound.unwrap_or_else(|| self.delay.bound());
        plan.drift_bound = self.drift_bound.unwrap_or(DRIFT_BOUND);
        plan.params = self.params;
        plan.restart_after = self.restart_after(spec, plan.delay_bound)?;
        plan.links = self.links;
        plan.seed = seed;
        plan.limits = self.limits_of(spec, &plan);
        if let Some(bound) = self.id_bound {
            if plan.range.ids.1 > bound {
                return Err(SetupError::AboveIdBound { id: plan.range.ids.1, bound });
            }
            plan.range.ids.1 = bound.min(Id::MAX);
        }
        refuse_eternity(spec, &plan)?;
        plan.schedule = self.schedule_alone()?;
        Ok(plan)
    }

    /// What each member is there for; nothing if all of them vote and may lead.
    fn duties(
        &self,
        spec: &Spec,
        n: u32,
        find: impl Fn(&'static str, Id) -> Result<u32, SetupError>,
    ) -> Result<Vec<Duty>, SetupError> {
        let given = [("witnesses", &self.witnesses), ("observers", &self.observers)];
        let Some((key, _)) = given.into_iter().find(|(_, ids)| !ids.is_empty()) else {
            return Ok(Vec::new());
        };
        let wrong = |problem| Err(SetupError::Fault { key, problem });
        if !spec.knows.has(Knowledge::DUTIES) {
            let name = spec.name;
            return wrong(format!("in {name} every member votes and may lead: leave out `{key}`"));
        }
        let mut duties = vec![Duty::Full; n as usize];
        let named = self.witnesses.iter().map(|id| ("witness", *id, Duty::Witness));
        let named = named.chain(self.observers.iter().map(|id| ("observer", *id, Duty::Observer)));
        for (role, id, duty) in named {
            let member = find(role, id)? as usize;
            if std::mem::replace(&mut duties[member], duty) != Duty::Full {
                return wrong(format!("member {id} is named twice: it is a witness or an observer, once"));
            }
        }
        if !duties.iter().any(|duty| duty.leads()) {
            return wrong("nobody is left that may lead: name fewer `witnesses` or `observers`".to_owned());
        }
        Ok(duties)
    }

    /// After how long without a leader a member starts an election again, if it does.
    fn restart_after(&self, spec: &Spec, delay_bound: Span) -> Result<Option<Span>, SetupError> {
        let wrong = |problem| Err(SetupError::Fault { key: "restart_after", problem });
        match self.restart_after {
            None => Ok(None),
            Some(0) => {
                wrong("no election is over at once: restart it after 1 delay bound or more".to_owned())
            }
            Some(_) if spec.starts == Starts::Everyone => {
                let name = spec.name;
                wrong(format!(
                    "in {name} every member starts by itself, and needs no call to start again: leave it out"
                ))
            }
            Some(_) if CallPolicy::begins_anew_in_cluster(spec) => {
                let name = spec.name;
                wrong(format!(
                    "a cluster boots {name} anew for each election, and numbers elections, which is not simulated: leave it out"
                ))
            }
            Some(bounds) => Ok(Some(delay_bound * bounds.into())),
        }
    }

    /// The schedule, which says everything that happens: nothing else may.
    fn schedule_alone(&self) -> Result<Option<Schedule>, SetupError> {
        let Some(schedule) = &self.schedule else { return Ok(None) };
        let is_eventful = !(self.script.is_empty() && self.partitions.is_empty() && self.heals.is_empty());
        let others = [
            (is_eventful, "events"),
            (!self.link_faults.is_none(), "what links do to messages"),
            (self.detector.is_some(), "`detector`"),
            (self.restart_after.is_some(), "`restart_after`"),
            (self.delay != Delay::Unit, "`delay`"),
            (self.limits != Limits::default(), "`until` and `max_messages`"),
        ];
        if let Some((_, other)) = others.into_iter().find(|(is_given, _)| *is_given) {
            let problem =
                format!("a schedule says everything that happens, and when it ends: leave out {other}");
            return Err(SetupError::Fault { key: "schedule", problem });
        }
        Ok(Some(schedule.clone()))
    }

    /// What happens to whom, in order.
    fn happenings(
        &self,
        plan: &Plan,
        find: impl Fn(&'static str, Id) -> Result<u32, SetupError>,
    ) -> Result<Vec<Happening>, SetupError> {
        let find = |id| find("member", id);
        let mut script = Vec::with_capacity(self.script.len());
        for &(id, what, at) in &self.script {
            what.about().map(find).transpose()?;
            script.push(Happening { at, what: what.try_map(find)?, member: find(id)? });
        }
        faults::check(&self.script).map_err(|(_, problem)| SetupError::Script { problem })?;
        for partition in &self.partitions {
            partition.groups.iter().flatten().try_for_each(|&id| find(id).map(drop))?;
            self.check_partition(partition, plan)?;
            script.extend(partition.happenings(&plan.topology, plan.ring_closes, |id| find(id).ok()));
        }
        // It is nobody's in particular.
        script.extend(self.heals.iter().map(|&at| Happening { at, what: FaultEvent::Heal, member: 0 }));
        script.sort_unstable();
        script.dedup();
        Ok(script)
    }

    fn check_partition(&self, partition: &Partition, plan: &Plan) -> Result<(), SetupError> {
        let n = u64::from(plan.n());
        let named: usize = partition.groups.iter().map(Vec::len).sum();
        if partition.groups.len() == 1 && named as u64 == n {
            let problem = "the partition has everyone in one group, and so parts nobody: name another".into();
            return Err(SetupError::Fault { key: "event", problem });
        }
        // Its events can be many more than links: each way, and where a ring closes, between any two.
        let links = if plan.ring_closes { n.saturating_mul(n) } else { plan.topology.links() };
        let needed = links.saturating_mul(4 * size_of::<Happening>() as u64);
        if needed > self.memory_limit {
            return Err(SetupError::TooLarge { n, needed: Bytes(needed), limit: Bytes(self.memory_limit) });
        }
        Ok(())
    }

    /// When to give up, which nobody but the user should have to know where nothing can go on for ever.
    fn limits_of(&self, spec: &Spec, plan: &Plan) -> Limits {
        let goes_on = spec.lasting == Lasting::GoesOn;
        let is_calm = !plan.is_disturbed() && plan.detector.is_none() && plan.restart_after.is_none();
        if is_calm && !goes_on {
            return self.limits;
        }
        let messages = self.limits.messages.min(MOST_WHEN_DISTURBED);
        if self.limits != Limits::default() {
            return Limits { messages, ..self.limits };
        }
        let from = if goes_on { plan.settles_at() } else { plan.last_trouble().unwrap_or(Time::ZERO) };
        Limits { time: from + PATIENCE, messages }
    }

    fn check_memory(&self, shape: &Shape, asked: Option<u64>) -> Result<(), SetupError> {
        let n = asked.unwrap_or(0);
        let in_order = self.links == LinkOrder::Fifo && !self.delay.is_constant();
        let links = match shape {
            _ if !in_order => 0,
            Shape::Complete | Shape::OverlayRing => n.saturating_mul(n),
            _ => n.saturating_mul(4),
        };
        // Where everyone may ask everyone at once, messages under way outweigh everything else.
        let under_way = match shape {
            Shape::Complete => n.saturating_mul(n).min(self.limits.messages.saturating_mul(2)),
            _ => 0,
        };
        let needed = n
            .saturating_mul(BYTES_A_MEMBER)
            .saturating_add(under_way.saturating_mul(BYTES_A_PAIR))
            .saturating_add(shape.memory_estimate(n))
            .saturating_add(links.saturating_mul(BYTES_A_FIFO_LINK));
        if needed > self.memory_limit {
            return Err(SetupError::TooLarge { n, needed: Bytes(needed), limit: Bytes(self.memory_limit) });
        }
        Ok(())
    }

    fn ids(&self, n: usize, of_file: Option<&[Id]>, seed: u64) -> (Vec<Id>, Order) {
        let order = match &self.members {
            Some(Members::Ids(ids)) => return (ids.clone(), Order::Explicit),
            Some(Members::Count { order, .. }) => *order,
            None => Order::Explicit,
        };
        if let Some(ids) = of_file {
            return (ids.to_vec(), Order::Explicit);
        }
        let mut ids: Vec<Id> = (1..=n as u64).filter_map(|id| Id::new(id).ok()).collect();
        // In best order ranks rise clockwise, and for the lowest to win ids must fall.
        match (order, self.elect) {
            (Order::Best, Elect::Worst) | (Order::Worst, Elect::Best) => ids.reverse(),
            (Order::Random, _) => ids.shuffle(&mut stream(seed, Stream::Order)),
            _ => {}
        }
        (ids, order)
    }

    fn ranks(&self, ids: &[Id], seed: u64) -> Result<Vec<Rank>, SetupError> {
        let rank = |attribute, &id| Rank::new(self.elect, attribute, id);
        match &self.attributes {
            Attributes::None => Ok(ids.iter().map(|id| rank(0, id)).collect()),
            Attributes::Listed(listed) if listed.len() != ids.len() => {
                Err(SetupError::AttributeCount { given: listed.len(), n: ids.len() })
            }
            Attributes::Listed(listed) => Ok(listed.iter().zip(ids).map(|(&a, id)| rank(a, id)).collect()),
            Attributes::Random => {
                let mut dice = stream(seed, Stream::Attribute);
                Ok(ids.iter().map(|id| rank(dice.random_range(0..ids.len() as i64), id)).collect())
            }
        }
    }

    fn initiators(
        &self,
        spec: &Spec,
        plan: &Plan,
        find: impl Fn(&'static str, Id) -> Result<u32, SetupError>,
    ) -> Result<Initiators, SetupError> {
        let later_calls = plan.script.iter().any(|happening| happening.what == FaultEvent::Call);
        if spec.starts == Starts::Everyone && later_calls {
            return Err(SetupError::EveryoneStarts { algorithm: spec.name });
        }
        let Callers::Ids(callers) = &self.callers else { return Ok(Initiators::All) };
        // Whoever comes back calls too.
        let recoveries = plan.script.iter().any(|happening| happening.what == FaultEvent::Recover);
        if callers.is_empty() && !later_calls && !recoveries && self.restart_after.is_none() {
            return Err(SetupError::NoInitiator);
        }
        let dead = plan.dead();
        let mut members = Vec::with_capacity(callers.len());
        for &id in callers {
            let member = find("initiator", id)?;
            if dead.binary_search(&member).is_ok() {
                return Err(SetupError::DeadInitiator(id));
            }
            members.push(member);
        }
        members.sort_unstable();
        members.dedup();
        if spec.starts == Starts::Everyone && members.len() != plan.n() as usize {
            return Err(SetupError::EveryoneStarts { algorithm: spec.name });
        }
        Ok(Initiators::Some(members))
    }
}

/// More rounds than this are not simulated: their times, in thousandths, could not be counted.
const MOST_ROUNDS: f64 = 1e15;

/// Whether a run would claim to take longer than can be simulated.
fn refuse_eternity(spec: &Spec, plan: &Plan) -> Result<(), SetupError> {
    match crate::judge::claimed_rounds(spec, &plan.setting(spec, &plan.dead())) {
        Some((rounds, formula)) if rounds > MOST_ROUNDS => {
            Err(SetupError::TooLong { algorithm: spec.name, rounds, formula })
        }
        _ => Ok(()),
    }
}

/// Members in the order of their ids, which must differ.
fn sorted_by_id(ids: &[Id], spec: &Spec) -> Result<Vec<u32>, SetupError> {
    let mut by_id: Vec<u32> = (0..ids.len() as u32).collect();
    by_id.sort_unstable_by_key(|&member| ids[member as usize]);
    match by_id.windows(2).find(|pair| ids[pair[0] as usize] == ids[pair[1] as usize]) {
        Some(_) if ids.iter().all(|id| *id == ids[0]) && spec.identities == Identities::Unique => {
            Err(SetupError::Symmetric { algorithm: spec.name })
        }
        Some(pair) => Err(SetupError::DuplicateId(ids[pair[0] as usize])),
        None => Ok(by_id),
    }
}

fn find(ids: &[Id], by_id: &[u32], role: &'static str, id: Id) -> Result<u32, SetupError> {
    let at = by_id.binary_search_by_key(&id, |&member| ids[member as usize]);
    at.map(|at| by_id[at]).map_err(|_| SetupError::not_a_member(ids, role, id))
}
