//! From a run's description to a plan that can be run.

use crate::script::{self, Partition, ScriptLine};
use crate::spec::{Attributes, Callers, RunSpec};
use bellwether_core::{
    AlgorithmError, AlgorithmText, CallPolicy, DetectorChoice, DetectorEntry, Duty, Elect, FaultEvent, Id,
    Identities, Initiators, Knowledge, Lasting, Order, Params, Rank, Span, Spec, Starts, Time, Topology,
};
use bellwether_sim::network::{Network, Shape};
use bellwether_sim::schedule::Schedule;
use bellwether_sim::{
    Bytes, DRIFT_BOUND, Delay, Happening, Limits, LinkOrder, Plan, SetupError, Stream, claimed_rounds, stream,
};
use rand::RngExt as _;
use rand::seq::SliceRandom as _;

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

/// The most delay bounds without a leader after which a member can start an election again.
pub(crate) const LATEST_RESTART: u32 = 1_000_000;

/// What the names in a description stand for.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    /// The algorithm.
    pub spec: &'a Spec,
    /// The failure detector, if there is one.
    pub detector: Option<DetectorChoice>,
}

impl<'a> Chosen<'a> {
    /// An algorithm, and the failure detector that a description names.
    ///
    /// # Errors
    /// [`SetupError::Detector`] if there is none of that name, or its settings are wrong.
    pub fn of(
        spec: &'a Spec,
        run: &RunSpec,
        detectors: &'static [DetectorEntry],
    ) -> Result<Chosen<'a>, SetupError> {
        let detector = run.detector.as_deref().map(|text| DetectorChoice::parse(detectors, text));
        Ok(Chosen { spec, detector: detector.transpose()? })
    }
}

/// An algorithm without a failure detector.
impl<'a> From<&'a Spec> for Chosen<'a> {
    fn from(spec: &'a Spec) -> Chosen<'a> {
        Chosen { spec, detector: None }
    }
}

impl RunSpec {
    /// The plan of a seed. (A description has a seed, but may be run with others.)
    ///
    /// # Errors
    /// [`SetupError`] says what does not fit; nothing has been done then.
    pub fn plan<'a>(&self, chosen: impl Into<Chosen<'a>>, seed: u64) -> Result<Plan, SetupError> {
        self.plan_within(chosen, seed, u64::MAX)
    }

    /// The same for a run that may take no more than so many bytes.
    ///
    /// # Errors
    /// As [`RunSpec::plan`].
    pub fn plan_within<'a>(
        &self,
        chosen: impl Into<Chosen<'a>>,
        seed: u64,
        memory: u64,
    ) -> Result<Plan, SetupError> {
        let Chosen { spec, detector } = chosen.into();
        let shape = self.shape(spec);
        let asked = (!self.ids.is_empty()).then_some(self.ids.len() as u64);
        let asked = asked.or(self.nodes).or(shape.own_size());
        if asked == Some(0) {
            return Err(SetupError::NoMembers);
        }
        if asked.is_none() && !shape.names_members() {
            return Err(SetupError::SizeNeeded);
        }
        self.check_memory(&shape, asked, memory)?;
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
        let (ids, order) = self.members(&shape, &network, seed)?;
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
        if network.diameter().is_none() && spec.knows.contains(Knowledge::DIAMETER) {
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
        plan.script = self.happenings(&plan, memory, find)?;
        plan.link_faults = self.link_faults.faults()?.try_map(|id| find("member", id))?;
        plan.detector = detector;
        plan.initiators = self.callers(spec, &plan, find)?;
        plan.delay = self.delay.clone();
        plan.delay_bound = self.delay_bound.unwrap_or_else(|| self.delay.bound());
        plan.drift_bound = self.drift_bound.map_or(DRIFT_BOUND, |bound| bound.0);
        plan.params = self.params(spec)?;
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

    /// What is given of the algorithm's parameters: they stand behind its name.
    fn params(&self, spec: &Spec) -> Result<Params, SetupError> {
        let Some(settings) = AlgorithmText::of(&self.algorithm).settings else {
            return Ok(Params::default());
        };
        let params = Params::parse(spec.parameters, settings);
        params.map_err(|error| AlgorithmError::Setting { name: spec.name, error }.into())
    }

    /// After how long without a leader a member starts an election again, if it does.
    fn restart_after(&self, spec: &Spec, delay_bound: Span) -> Result<Option<Span>, SetupError> {
        let Some(bounds) = self.restart_after else { return Ok(None) };
        let wrong = |problem| Err(SetupError::Fault { key: "restart_after", problem });
        let name = spec.name;
        if bounds == 0 {
            return wrong("no election is over at once: restart it after 1 delay bound or more".to_owned());
        }
        if bounds > LATEST_RESTART {
            return wrong(format!("`restart_after` is {bounds} delay bounds: give at most {LATEST_RESTART}"));
        }
        if spec.starts == Starts::Everyone {
            return wrong(format!(
                "in {name} every member starts by itself, and needs no call to start again: leave out `restart_after`"
            ));
        }
        if CallPolicy::begins_anew_in_cluster(spec) {
            return wrong(format!(
                "a cluster boots {name} anew for each election, and numbers elections, which is not simulated: leave \
                 out `restart_after`"
            ));
        }
        Ok(Some(delay_bound * bounds.into()))
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
        if !spec.knows.contains(Knowledge::DUTIES) {
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

    /// The schedule, which says everything that happens: nothing else may.
    fn schedule_alone(&self) -> Result<Option<Schedule>, SetupError> {
        let Some(schedule) = &self.schedule else { return Ok(None) };
        let is_limited = self.until.is_some() || self.max_messages.is_some();
        let others = [
            (!self.script.is_empty(), "events"),
            (!self.link_faults.is_none(), "what links do to messages"),
            (self.detector.is_some(), "`detector`"),
            (self.restart_after.is_some(), "`restart_after`"),
            (self.delay != Delay::Unit, "`delay`"),
            (is_limited, "`until` and `max_messages`"),
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
        memory: u64,
        find: impl Fn(&'static str, Id) -> Result<u32, SetupError>,
    ) -> Result<Vec<Happening>, SetupError> {
        let find = |id| find("member", id);
        let mut script = Vec::with_capacity(self.script.len());
        for (id, what, at) in self.script.events() {
            what.about().map(find).transpose()?;
            script.push(Happening { at, what: what.try_map(find)?, member: find(id)? });
        }
        script::check(&self.script).map_err(|(line, problem)| SetupError::Script { line, problem })?;
        for line in self.script.iter() {
            match line {
                ScriptLine::Partition(partition) => {
                    partition.groups.iter().flatten().try_for_each(|&id| find(id).map(drop))?;
                    check_partition(partition, plan, memory)?;
                    script.extend(partition.happenings(&plan.topology, plan.ring_closes, |id| find(id).ok()));
                }
                // It is nobody's in particular.
                ScriptLine::Heal(at) => script.push(Happening { at: *at, what: FaultEvent::Heal, member: 0 }),
                _ => {}
            }
        }
        script.sort_unstable();
        script.dedup();
        Ok(script)
    }

    /// When to give up, which nobody but the user should have to know where nothing can go on for ever.
    fn limits_of(&self, spec: &Spec, plan: &Plan) -> Limits {
        let goes_on = spec.lasting == Lasting::GoesOn;
        let limits = self.limits();
        if plan.ends_by_itself() && !goes_on {
            return limits;
        }
        let messages = limits.messages.min(MOST_WHEN_DISTURBED);
        if self.until.is_some() || self.max_messages.is_some() {
            return Limits { messages, ..limits };
        }
        let from = if goes_on { plan.settles_at() } else { plan.last_trouble().unwrap_or(Time::ZERO) };
        Limits { time: from + PATIENCE, messages }
    }

    /// When to give up, as far as it is said.
    fn limits(&self) -> Limits {
        let Limits { messages, time } = Limits::default();
        Limits { messages: self.max_messages.unwrap_or(messages), time: self.until.unwrap_or(time) }
    }

    fn check_memory(&self, shape: &Shape, asked: Option<u64>, memory: u64) -> Result<(), SetupError> {
        let n = asked.unwrap_or(0);
        let in_order = self.links == LinkOrder::Fifo && !self.delay.is_constant();
        let links = match shape {
            _ if !in_order => 0,
            Shape::Complete | Shape::OverlayRing => n.saturating_mul(n),
            _ => n.saturating_mul(4),
        };
        // Where everyone may ask everyone at once, messages under way outweigh everything else.
        let under_way = match shape {
            Shape::Complete => n.saturating_mul(n).min(self.limits().messages.saturating_mul(2)),
            _ => 0,
        };
        let needed = n
            .saturating_mul(BYTES_A_MEMBER)
            .saturating_add(under_way.saturating_mul(BYTES_A_PAIR))
            .saturating_add(shape.memory_estimate(n))
            .saturating_add(links.saturating_mul(BYTES_A_FIFO_LINK));
        if needed > memory {
            return Err(SetupError::TooLarge { n, needed: Bytes(needed), limit: Bytes(memory) });
        }
        Ok(())
    }

    /// The members, and how they came to lie so.
    fn members(&self, shape: &Shape, network: &Network, seed: u64) -> Result<(Vec<Id>, Order), SetupError> {
        if !self.ids.is_empty() {
            return Ok((self.ids.clone(), Order::Explicit));
        }
        if let Some(ids) = network.ids() {
            if self.order.is_some() {
                let problem = format!("{shape} says which ids lie where: leave out `order`");
                return Err(SetupError::Fault { key: "order", problem });
            }
            return Ok((ids.to_vec(), Order::Explicit));
        }
        let is_listed = shape.names_members() && self.nodes.is_none();
        let order = self.order.unwrap_or(if is_listed { Order::Explicit } else { Order::Random });
        let n = network.n();
        let mut ids: Vec<Id> = (1..=n as u64).filter_map(|id| Id::new(id).ok()).collect();
        // In best order ranks rise clockwise, and for the lowest to win ids must fall.
        match (order, self.elect) {
            (Order::Best, Elect::Worst) | (Order::Worst, Elect::Best) => ids.reverse(),
            (Order::Random, _) => ids.shuffle(&mut stream(seed, Stream::Order)),
            _ => {}
        }
        Ok((ids, order))
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

    fn callers(
        &self,
        spec: &Spec,
        plan: &Plan,
        find: impl Fn(&'static str, Id) -> Result<u32, SetupError>,
    ) -> Result<Initiators, SetupError> {
        let later_calls = plan.script.iter().any(|happening| happening.what == FaultEvent::Call);
        if spec.starts == Starts::Everyone && later_calls {
            return Err(SetupError::EveryoneStarts { algorithm: spec.name, key: "call" });
        }
        let Callers::Ids(callers) = &self.initiators else { return Ok(Initiators::All) };
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
            return Err(SetupError::EveryoneStarts { algorithm: spec.name, key: "initiators" });
        }
        Ok(Initiators::Some(members))
    }
}

/// More rounds than this are not simulated: their times, in thousandths, could not be counted.
const MOST_ROUNDS: f64 = 1e15;

/// Whether a run would claim to take longer than can be simulated.
fn refuse_eternity(spec: &Spec, plan: &Plan) -> Result<(), SetupError> {
    match claimed_rounds(spec, &plan.setting(spec, &plan.dead())) {
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

fn check_partition(partition: &Partition, plan: &Plan, memory: u64) -> Result<(), SetupError> {
    let n = u64::from(plan.n());
    let named: usize = partition.groups.iter().map(Vec::len).sum();
    if partition.groups.len() == 1 && named as u64 == n {
        let problem = "the partition has everyone in one group, and so parts nobody: name another".into();
        return Err(SetupError::Fault { key: "event", problem });
    }
    // Its events can be many more than links: each way, and where a ring closes, between any two.
    let links = if plan.ring_closes { n.saturating_mul(n) } else { plan.topology.links() };
    let needed = links.saturating_mul(4 * size_of::<Happening>() as u64);
    if needed > memory {
        return Err(SetupError::TooLarge { n, needed: Bytes(needed), limit: Bytes(memory) });
    }
    Ok(())
}
