//! Everything that determines a run.

use crate::delay::Delay;
use crate::faults::LinkFaults;
use crate::features::Features;
use crate::schedule::Schedule;
use bellwether_core::{
    CallPolicy, Delivery, DetectorChoice, Duty, FaultEvent, HOP, Initiators, Order, ParamValues, Params,
    Rank, RankRange, Request, Setting, Span, Spec, Time, Topology,
};

/// Later than this (30,000 years of milliseconds) nothing is scheduled, so that times never
/// overflow. In hops.
pub const LATEST_HOPS: f64 = 1e15;

/// How many millionths members are told that a clock can gain or lose, unless said otherwise: one in a hundred, many
/// times what a quartz does.
pub const DRIFT_BOUND: u32 = 10_000;

/// For so many times the delay bound what has gone wrong may show its effects, before a run that goes on for ever
/// is taken to have come right.
pub const SETTLING: u64 = 100;

/// The time after so many hops, to the tick; nothing if nothing can be scheduled then.
#[must_use]
pub fn time_after_hops(hops: f64) -> Option<Time> {
    let can_be = (0.0..=LATEST_HOPS).contains(&hops);
    can_be.then(|| Time::from_ticks((hops * HOP.ticks() as f64).round() as u64))
}

/// A run, before it is run: the same plan gives the same run, to the byte, on every machine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The network.
    pub topology: Topology,
    /// Its diameter, where it is known.
    pub diameter: Option<u32>,
    /// Everyone's rank, by index: in a ring, clockwise.
    pub ranks: Vec<Rank>,
    /// How the ranks came to lie so.
    pub order: Order,
    /// The range from which members are told that ids and attributes come.
    pub range: RankRange,
    /// Who calls the election.
    pub initiators: Initiators,
    /// How long messages take.
    pub delay: Delay,
    /// The bound on delays that members are told; the delay's own unless given.
    pub delay_bound: Span,
    /// How many millionths members are told that a clock can gain or lose.
    pub drift_bound: u32,
    /// What is given of the algorithm's parameters.
    pub params: Params,
    /// What each member is there for, by index; empty if all of them vote and may lead.
    pub duties: Vec<Duty>,
    /// Whether messages of one link keep their order.
    pub links: LinkOrder,
    /// What happens at times of its own, in the order of time.
    pub script: Vec<Happening>,
    /// What the links do to messages.
    pub link_faults: LinkFaults,
    /// Whether a ring closes round its dead: their neighbours then talk to each other.
    pub ring_closes: bool,
    /// Whether the neighbours of whoever crashes are told for certain, as its host lives and somebody there sees it.
    pub certified_crashes: bool,
    /// After how long without a leader a member starts an election again, if it does: [`CallPolicy::with_restarts`].
    pub restart_after: Option<Span>,
    /// Who watches whom, if anyone does. Without one, whoever calls an election is told the truth
    /// about its neighbours, and nobody else is told anything.
    pub detector: Option<DetectorChoice>,
    /// The run step by step, if it is said so: then none of the above that makes things happen counts, and the model
    /// plays it instead of the simulator.
    pub schedule: Option<Schedule>,
    /// From which all randomness is drawn.
    pub seed: u64,
    /// When to give up.
    pub limits: Limits,
}

/// Whether messages of one link keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkOrder {
    /// They do: one that is drawn a shorter delay waits for its predecessor.
    #[default]
    Fifo,
    /// They may overtake each other.
    Reordering,
}

/// Something that happens to a member at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Happening {
    /// When.
    pub at: Time,
    /// What; in this order if it happens at the same time.
    pub what: FaultEvent,
    /// To whom, by index.
    pub member: u32,
}

/// When to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// After so many messages.
    pub messages: u64,
    /// After this time.
    pub time: Time,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { messages: 10_000_000_000, time: Time::NEVER }
    }
}

impl Plan {
    /// An undisturbed run with unit delays in which everyone calls.
    ///
    /// # Panics
    /// If there is not one rank a member: the caller's bug.
    #[must_use]
    pub fn new(topology: Topology, diameter: Option<u32>, ranks: Vec<Rank>, order: Order) -> Plan {
        assert_eq!(topology.n() as usize, ranks.len(), "one rank a member");
        Plan {
            topology,
            diameter,
            range: RankRange::around(&ranks),
            ranks,
            order,
            initiators: Initiators::All,
            delay: Delay::Unit,
            delay_bound: Delay::Unit.bound(),
            drift_bound: DRIFT_BOUND,
            params: Params::default(),
            duties: Vec::new(),
            links: LinkOrder::Fifo,
            script: Vec::new(),
            link_faults: LinkFaults::default(),
            ring_closes: false,
            certified_crashes: false,
            restart_after: None,
            detector: None,
            schedule: None,
            seed: 0,
            limits: Limits::default(),
        }
    }

    /// How many members there are.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.topology.n()
    }

    /// What a member is there for.
    #[must_use]
    pub fn duty(&self, member: u32) -> Duty {
        self.duties.get(member as usize).copied().unwrap_or_default()
    }

    /// What each member is there for in the end, by index, if what was asked about it has come to pass: whoever was
    /// admitted votes and may lead, and whoever was dismissed follows.
    #[must_use]
    pub fn duties_in_the_end(&self) -> Vec<Duty> {
        let mut duties: Vec<Duty> = (0..self.n()).map(|member| self.duty(member)).collect();
        for happening in &self.script {
            let (whom, duty) = match happening.what {
                FaultEvent::Request(Request::Admit(id)) => (id, Duty::Full),
                FaultEvent::Request(Request::Dismiss(id)) => (id, Duty::Observer),
                _ => continue,
            };
            let named = self.ranks.iter().zip(&mut duties).filter(|(rank, _)| rank.id() == whom);
            named.for_each(|(_, its)| *its = duty);
        }
        duties
    }

    /// The most ports that a member has.
    pub(crate) fn max_degree(&self) -> u32 {
        match self.topology {
            Topology::Graph(_) => (0..self.n()).map(|member| self.topology.ports(member)).max().unwrap_or(0),
            _ => self.topology.ports(0), // everyone has as many
        }
    }

    /// Who starts an election when, in a run of an algorithm.
    #[must_use]
    pub fn call_policy(&self, spec: &Spec) -> CallPolicy {
        match self.restart_after {
            Some(after) => CallPolicy::with_restarts(spec, after),
            None => CallPolicy::of_lectures(spec),
        }
    }

    /// Whether a member crashes after the beginning.
    pub(crate) fn has_late_crash(&self) -> bool {
        self.script.iter().any(|h| h.what == FaultEvent::Crash && h.at > Time::ZERO)
    }

    /// When the last of what is scripted happens and links become sound, if they do; nothing where nothing is
    /// scripted and they are sound.
    #[must_use]
    pub fn last_trouble(&self) -> Option<Time> {
        let links = (!self.link_faults.is_none()).then_some(self.link_faults.until);
        let links = links.map(|until| if until == Time::NEVER { Time::ZERO } else { until });
        self.script.last().map(|happening| happening.at).max(links)
    }

    /// From when on a run that goes on for ever is over as soon as it is right: at once where nothing goes wrong,
    /// else [`SETTLING`] times the delay bound after the last that does.
    #[must_use]
    pub fn settles_at(&self) -> Time {
        self.last_trouble().map_or(Time::ZERO, |last| last + self.delay_bound * SETTLING)
    }

    /// Who is dead from the start, by index, in rising order. (It may recover later.)
    #[must_use]
    pub fn dead(&self) -> Vec<u32> {
        let mut dead: Vec<u32> = self
            .script
            .iter()
            .filter(|h| h.what == FaultEvent::Crash && h.at == Time::ZERO)
            .map(|h| h.member)
            .collect();
        dead.sort_unstable();
        dead.dedup();
        dead
    }

    /// The values of the parameters of the algorithm that is run.
    #[must_use]
    pub fn parameters(&self, spec: &Spec) -> ParamValues {
        self.params.values(spec.parameters, self.delay_bound)
    }

    /// What the claims of an algorithm are about, for this run; `dead` is [`Plan::dead`].
    #[must_use]
    pub fn setting<'a>(&'a self, spec: &Spec, dead: &'a [u32]) -> Setting<'a> {
        let is_said = self.schedule.is_some(); // messages take any time, and calls come late
        Setting {
            parameters: self.parameters(spec),
            m: self.topology.links(),
            diameter: self.diameter,
            ranks: &self.ranks,
            order: self.order,
            range: self.range,
            max_degree: self.max_degree(),
            initiators: &self.initiators,
            dead,
            delivery: match self.links {
                LinkOrder::Reordering if !self.delay.is_constant() || is_said => Delivery::Reordering,
                _ if self.delay == Delay::Unit && !is_said => Delivery::Unit,
                _ => Delivery::Fifo,
            },
            bounded: !is_said && self.delay.is_bounded() && self.delay.bound() <= self.delay_bound,
            calm: (Features::EARLY_CRASHES | Features::CERTIFICATES).contains(self.features()),
        }
    }
}
