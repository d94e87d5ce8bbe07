//! What to check: an algorithm in a network, once or in a family of checks.

mod error;

pub use error::PlanError;

use crate::check::CheckOptions;
use crate::family::{InitiatorSets, Seating};
use bellwether_core::{
    CallPolicy, Driving, Entry, Goal, Id, Identities, Knowledge, Lasting, Spec, Starts, Timing, Topology,
};
use bellwether_model::{FaultBudget, MOST_MEMBERS, Rules, TimeModel};
use bellwether_runspec::{Callers, FaultOptions, RunSpec};
use bellwether_sim::network::Shape;
use bellwether_sim::{Plan, SetupError};
use std::time::Duration;

/// How many numbers members of algorithms that draw lots may draw, unless it is asked for otherwise.
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

/// Everything that determines a family of checks.
#[derive(Clone, Debug)]
pub struct CheckPlan {
    /// The algorithm.
    pub algorithm: Entry,
    /// The network.
    pub shape: Shape,
    /// What may go wrong.
    pub liberties: FaultBudget,
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
        let shape = run.shape(spec);
        let callers = match &initiators {
            InitiatorSets::Ids(ids) => Callers::Ids(ids.clone()),
            InitiatorSets::All | InitiatorSets::Any | InitiatorSets::One => Callers::All,
        };
        let topology = Some(shape.clone());
        let ring_closes = faults.ring_closes == Some(true);
        let mut run = RunSpec { topology, initiators: callers, ring_closes, ..run };
        let mut plan = run.plan(spec, run.seed)?;
        if faults.ring_closes.is_none() && faults.budget.crashes > 0 {
            run.ring_closes = matches!(plan.topology, Topology::Ring { .. });
            plan.ring_closes = run.ring_closes;
        }
        let liberties = resolve(&faults, &algorithm, &plan)?;
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
        Ok(CheckPlan { algorithm, shape, liberties, size, ids, initiators, seating, run })
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
    pub(crate) fn for_one(&self, liberties: FaultBudget, time: Option<Duration>) -> CheckOptions {
        CheckOptions {
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

/// What may go wrong in runs of an algorithm.
fn resolve(faults: &FaultOptions, algorithm: &Entry, plan: &Plan) -> Result<FaultBudget, PlanError> {
    let spec = algorithm.spec;
    let asked = faults.budget;
    if asked.recoveries > 0 && asked.crashes == 0 {
        return Err(PlanError::NothingToRecover);
    }
    let most = plan.n() + u32::from(asked.recoveries);
    if u32::from(asked.crashes) > most {
        return Err(PlanError::TooManyCrashes { crashes: asked.crashes, most });
    }
    check_restarts(&asked, spec)?;
    let counts_draws = spec.randomised && asked.draws == u8::MAX;
    let liberties = FaultBudget {
        draws: if counts_draws { DEFAULT_DRAWS } else { asked.draws },
        detector: faults.detector.unwrap_or(asked.crashes > 0 && spec.knows.contains(Knowledge::DETECTOR)),
        time: time(faults, spec)?,
        stops_at_goal: goes_on(algorithm) && asked.ticks == u16::MAX,
        ..asked
    };
    if liberties.false_alarms > 0 && !liberties.detector {
        return Err(PlanError::NoDetector);
    }
    // A clock shows whole ticks: what it gains in a step must be at least one.
    let drift = if let TimeModel::Clock { drift, .. } = liberties.time { drift } else { 0 };
    let gained = liberties.step(plan).ticks() * u64::from(drift) / 1_000;
    if drift > 0 && gained == 0 { Err(PlanError::DriftUnnoticed { drift }) } else { Ok(liberties) }
}

/// Whether elections of an algorithm can be started again from outside, if they are to be.
fn check_restarts(asked: &FaultBudget, spec: &Spec) -> Result<(), PlanError> {
    if asked.restarts == 0 {
        let is_given = asked.restart_after != CallPolicy::RESTART_AFTER;
        return if is_given { Err(PlanError::NothingRestarted) } else { Ok(()) };
    }
    if spec.starts == Starts::Everyone {
        return Err(PlanError::StartByThemselves { algorithm: spec.name });
    }
    if CallPolicy::begins_anew_in_cluster(spec) {
        return Err(PlanError::BeginsAnew { algorithm: spec.name });
    }
    Ok(())
}

fn time(faults: &FaultOptions, spec: &Spec) -> Result<TimeModel, PlanError> {
    let asked = faults.budget;
    let needs_clock = spec.timing == Timing::BoundedDelay || spec.lasting == Lasting::GoesOn;
    if faults.has_clock.unwrap_or(needs_clock) {
        return Ok(match asked.time {
            TimeModel::Any => TimeModel::Clock { grain: 1, drift: 0 },
            clock @ TimeModel::Clock { .. } => clock,
        });
    }
    let of_clocks = [
        ("drift", matches!(asked.time, TimeModel::Clock { drift, .. } if drift > 0)),
        ("grain", asked.time != TimeModel::Any),
        ("ticks", asked.ticks < u16::MAX),
        ("pauses", asked.pauses > 0),
        ("restart_after", asked.restart_after != CallPolicy::RESTART_AFTER),
    ];
    match of_clocks.into_iter().find(|(_, is_given)| *is_given) {
        Some((field, _)) => Err(PlanError::NoClock { field }),
        None => Ok(TimeModel::Any),
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
