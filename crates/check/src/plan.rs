//! What to check: an algorithm in a network, once or in a family of checks.

mod error;

pub use error::PlanError;

use crate::check::Wishes;
use crate::family::{InitiatorSets, Seating};
use bellwether_core::{
    CallPolicy, Driving, Entry, Goal, Id, Identities, Knowledge, Lasting, Spec, Starts, Timing, Topology,
};
use bellwether_model::{Liberties, MOST_MEMBERS, Rules, TimeModel};
use bellwether_runspec::{Callers, RunSpec};
use bellwether_sim::network::Shape;
use bellwether_sim::{Plan, SetupError};
use std::time::Duration;

/// How many numbers members of algorithms that draw lots may draw, unless [`FaultOptions`] says.
pub const DEFAULT_DRAWS: u8 = 2;
/// Families beyond this would not be through in a lifetime.
const MOST_CASES: u64 = 1_000_000;

/// What is asked for. [`CheckPlan::new`] says whether it can be checked.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The algorithm.
    pub algorithm: Entry,
    /// Members, network, duties, the bound on drift, and the seed from which random networks and orders come. The rest is
    /// for the checker to choose.
    pub run: RunSpec,
    /// Whether every order of the ids is checked.
    pub all_orders: bool,
    /// Which members start an election.
    pub initiators: InitiatorSets,
    /// What may go wrong.
    pub faults: FaultOptions,
}

/// What may happen in a checked run. What is left open depends on the algorithm.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaultOptions {
    /// The most crashes.
    pub crashes: u8,
    /// The most recoveries.
    pub recoveries: u8,
    /// The most messages that are lost.
    pub losses: u8,
    /// The most messages that arrive twice.
    pub duplicates: u8,
    /// The most pauses of members.
    pub pauses: u8,
    /// The most requests to leaders.
    pub requests: u8,
    /// The most times that members hear of a suspicion, or that one was wrong.
    pub suspicions: u8,
    /// The most times that members without a leader start an election again.
    pub restarts: u8,
    /// With a clock: after how many delay bounds without a leader they do; [`CallPolicy::RESTART_AFTER`].
    pub restart_after: Option<u32>,
    /// The most numbers that a member draws; [`DEFAULT_DRAWS`] for algorithms that draw lots.
    pub draws: Option<u8>,
    /// Whether members may receive messages before they start an election.
    pub late_calls: bool,
    /// Whether a ring closes round its dead; if members may crash.
    pub ring_closes: Option<bool>,
    /// Whether members are told of deaths; if members may crash and the algorithm needs a detector.
    pub detector: Option<bool>,
    /// Whether neighbours receive death certificates.
    pub certified: bool,
    /// Whether there is a clock; if the algorithm needs bounded delays, or goes on for ever.
    pub has_clock: Option<bool>,
    /// How many steps of the clock the bound on delays has; 1.
    pub grain: Option<u16>,
    /// By how many thousandths members' clocks may be too fast or too slow; 0.
    pub drift: Option<u16>,
    /// For how many steps of the clock runs are followed; until they are over.
    pub ticks: Option<u16>,
}

/// Everything that determines a family of checks.
#[derive(Clone, Debug)]
pub struct CheckPlan {
    /// The algorithm.
    pub algorithm: Entry,
    /// The network.
    pub shape: Shape,
    /// What may go wrong.
    pub liberties: Liberties,
    /// How many checks there are.
    pub size: u64,
    /// The members, in the order of the network (where not every order is checked).
    pub ids: Vec<Id>,
    /// Which members start an election.
    pub initiators: InitiatorSets,
    /// If every order of the ids is checked: which of them are alike.
    pub seating: Option<Seating>,
    /// Everything else about each run.
    pub run: RunSpec,
}

/// One check of a family.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is particular to it, and everything else.
    pub run: RunSpec,
    /// The same, for the checker.
    pub plan: Plan,
}

impl Case {
    /// The members, in the order of the network.
    #[must_use]
    pub fn ids(&self) -> Vec<Id> {
        self.plan.ranks.iter().map(|rank| rank.id()).collect()
    }

    /// Which members start an election.
    #[must_use]
    pub fn initiators(&self) -> Vec<Id> {
        match &self.run.initiators {
            Callers::All => self.ids(),
            Callers::Ids(ids) => ids.clone(),
        }
    }
}

impl CheckPlan {
    /// The family of checks that is asked for.
    ///
    /// # Errors
    /// [`PlanError`] says what cannot be checked. No network is searched before.
    pub fn new(request: CheckRequest) -> Result<CheckPlan, PlanError> {
        let CheckRequest { algorithm, run, all_orders, initiators, faults } = request;
        let spec = algorithm.spec;
        refuse_many(&run)?;
        let shape = run.topology.clone().unwrap_or_else(|| Shape::for_need(spec.need));
        let mut run = RunSpec { topology: Some(shape.clone()), ..run };
        let plan = run.plan(spec, run.seed)?;
        let is_ring = matches!(plan.topology, Topology::Ring { .. });
        run.ring_closes = faults.ring_closes.unwrap_or(faults.crashes > 0 && is_ring);
        let liberties = faults.liberties(&algorithm, &plan)?;
        let plan = run.plan(spec, run.seed)?; // a ring that closes may be none
        Rules::fits(&plan, &liberties).map_err(PlanError::Misfit)?;
        if matches!(initiators, InitiatorSets::Any | InitiatorSets::One) && spec.starts == Starts::Everyone {
            return Err(PlanError::EveryoneStarts { algorithm: spec.name, initiators });
        }
        let seating = match spec.identities {
            Identities::Anonymous => Seating::Round,
            Identities::Unique => Seating::of(&plan.topology, liberties.crashes > 0),
        };
        let seating = all_orders.then_some(seating);
        let ids: Vec<Id> = plan.ranks.iter().map(|rank| rank.id()).collect();
        let size = size_of_family(seating, &initiators, ids.len())?;
        let plan = CheckPlan { algorithm, shape, liberties, size, ids, initiators, seating, run };
        // What is wrong with the initiators is told before anything is searched.
        plan.cases().next().transpose()?;
        Ok(plan)
    }

    /// The checks of the family, one after the other.
    pub fn cases(&self) -> impl Iterator<Item = Result<Case, SetupError>> + '_ {
        let orders: Box<dyn Iterator<Item = Vec<Id>>> = match self.seating {
            None => Box::new(std::iter::once(self.ids.clone())),
            Some(seating) => Box::new(seating.orders(&self.ids)),
        };
        orders.flat_map(move |ids| {
            let initiators = self.initiators.sets(&ids);
            initiators.map(move |callers| self.case(ids.clone(), callers))
        })
    }

    fn case(&self, ids: Vec<Id>, callers: Callers) -> Result<Case, SetupError> {
        let run = RunSpec { ids, nodes: None, order: None, initiators: callers, ..self.run.clone() };
        let plan = run.plan(self.algorithm.spec, run.seed)?;
        Ok(Case { run, plan })
    }
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Whether one order may stand for all orders of things that do not affect each other.
    pub reduction: bool,
    /// Whether one state may stand for all that differ by a turn or by names.
    pub symmetry: bool,
    /// How many threads; 0 for one a core.
    pub threads: usize,
    /// How many bytes states may take.
    pub memory: u64,
    /// How many states each check may reach.
    pub states: u64,
    /// How long all checks together may take.
    pub time: Option<Duration>,
}

impl Effort {
    /// The same for one check, with what is left of the time.
    pub(crate) fn for_one(&self, liberties: Liberties, time: Option<Duration>) -> Wishes {
        Wishes {
            liberties,
            reduction: self.reduction,
            symmetry: self.symmetry,
            claims: true,
            threads: self.threads,
            memory: self.memory,
            states: self.states,
            time,
        }
    }
}

/// What cannot be checked is refused before a network is built.
fn refuse_many(run: &RunSpec) -> Result<(), PlanError> {
    let n = if run.ids.is_empty() { run.nodes.unwrap_or(0) } else { run.ids.len() as u64 }; // or the network says
    if n > u64::from(MOST_MEMBERS) { Err(PlanError::TooManyMembers { n }) } else { Ok(()) }
}

impl FaultOptions {
    fn liberties(&self, algorithm: &Entry, plan: &Plan) -> Result<Liberties, PlanError> {
        let spec = algorithm.spec;
        if self.recoveries > 0 && self.crashes == 0 {
            return Err(PlanError::NothingToRecover);
        }
        let most = plan.n() + u32::from(self.recoveries);
        if u32::from(self.crashes) > most {
            return Err(PlanError::TooManyCrashes { crashes: self.crashes, most });
        }
        self.check_restarts(spec)?;
        let liberties = Liberties {
            crashes: self.crashes,
            recoveries: self.recoveries,
            losses: self.losses,
            duplicates: self.duplicates,
            pauses: self.pauses,
            requests: self.requests,
            suspicions: self.suspicions,
            restarts: self.restarts,
            restart_after: self.restart_after.unwrap_or(CallPolicy::RESTART_AFTER),
            draws: self.draws.unwrap_or(if spec.randomised { DEFAULT_DRAWS } else { u8::MAX }),
            late_calls: self.late_calls,
            detector: self.detector.unwrap_or(self.crashes > 0 && spec.knows.contains(Knowledge::DETECTOR)),
            certified: self.certified,
            time: self.time(spec)?,
            ticks: self.ticks.unwrap_or(u16::MAX),
            stops_at_goal: goes_on(algorithm) && self.ticks.is_none(),
        };
        // A clock shows whole ticks: what it gains in a step must be at least one.
        let drift = self.drift.unwrap_or(0);
        let gained = liberties.step(plan).ticks() * u64::from(drift) / 1_000;
        if drift > 0 && gained == 0 { Err(PlanError::DriftUnnoticed { drift }) } else { Ok(liberties) }
    }

    /// Whether elections of an algorithm can be started again from outside, if they are to be.
    fn check_restarts(&self, spec: &Spec) -> Result<(), PlanError> {
        if self.restart_after.is_some() && self.restarts == 0 {
            return Err(PlanError::NothingRestarted);
        }
        if self.restarts > 0 && spec.starts == Starts::Everyone {
            return Err(PlanError::StartByThemselves { algorithm: spec.name });
        }
        if self.restarts > 0 && CallPolicy::begins_anew_in_cluster(spec) {
            return Err(PlanError::BeginsAnew { algorithm: spec.name });
        }
        Ok(())
    }

    fn time(&self, spec: &Spec) -> Result<TimeModel, PlanError> {
        let needs_clock = spec.timing == Timing::BoundedDelay || spec.lasting == Lasting::GoesOn;
        if self.has_clock.unwrap_or(needs_clock) {
            return Ok(TimeModel::Clock { grain: self.grain.unwrap_or(1), drift: self.drift.unwrap_or(0) });
        }
        let of_clocks = [
            ("grain", self.grain.is_some()),
            ("drift", self.drift.is_some()),
            ("ticks", self.ticks.is_some()),
            ("pauses", self.pauses > 0),
            ("restart_after", self.restart_after.is_some()),
        ];
        match of_clocks.into_iter().find(|(_, is_given)| *is_given) {
            Some((field, _)) => Err(PlanError::NoClock { field }),
            None => Ok(TimeModel::Any),
        }
    }
}

/// Whether members act for ever. In rounds they do, unless they halt.
fn goes_on(algorithm: &Entry) -> bool {
    let keeps_in_step = algorithm.driving == Driving::Rounds && algorithm.spec.goal != Goal::EveryoneHalts;
    keeps_in_step || algorithm.spec.lasting == Lasting::GoesOn
}

fn size_of_family(seating: Option<Seating>, initiators: &InitiatorSets, n: usize) -> Result<u64, PlanError> {
    let orders = seating.map_or(Some(1), |seating| seating.count(n));
    let size = orders.zip(initiators.count(n)).and_then(|(orders, sets)| orders.checked_mul(sets));
    size.filter(|&size| size <= MOST_CASES).ok_or(PlanError::TooManyCases { n, most: MOST_CASES })
}
