//! What `check` asks for: one check, or a family of them, and what may happen in each.

use crate::args::values::WhoCalls;
use crate::args::{CheckArgs, MayArgs, OrderArg, TimingArg};
use crate::choice::Choice;
use crate::error::Failure;
use crate::memory;
use crate::request::{Wanted, members};
use bellwether_check::Wishes;
use bellwether_check::family::{self, Seating};
use bellwether_core::{Driving, Goal, Id, Identities, Knowledge, Lasting, Starts, Timing, Topology};
use bellwether_sim::network::Shape;
use bellwether_sim::rules::{Liberties, MOST_MEMBERS, Rules, TimeModel};
use bellwether_sim::{Callers, Members, Plan, Setup};
use std::time::Duration;

/// How many members there are when nothing says so.
const DEFAULT_NODES: u64 = 3;
/// How many numbers members of algorithms that draw lots may draw, unless the user says.
pub const DEFAULT_DRAWS: u8 = 2;
/// Families beyond this would not be through in a lifetime.
const MOST_CASES: u64 = 1_000_000;

/// Everything that determines a family of checks.
#[derive(Clone, Debug)]
pub struct Inquiry {
    /// What to check.
    pub choice: Choice,
    /// The network, as asked for or as needed.
    pub shape: Shape,
    /// What may go wrong.
    pub liberties: Liberties,
    /// How many checks there are.
    pub size: u64,
    /// The members, in the order of the network (where not every order is checked).
    pub ids: Vec<Id>,
    /// Who calls.
    pub callers: WhoCalls,
    /// If every order of the ids is checked: which of them are alike.
    pub seating: Option<Seating>,
    /// Everything else about each run.
    pub setup: Setup,
    /// From which random networks come.
    pub seed: u64,
}

/// One check of a family.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is particular to it, and everything else.
    pub setup: Setup,
    /// The same, for the checker.
    pub plan: Plan,
}

impl Case {
    /// The members, in the order of the network.
    pub fn ids(&self) -> Vec<Id> {
        self.plan.ranks.iter().map(|rank| rank.id()).collect()
    }

    /// Who calls.
    pub fn callers(&self) -> Vec<Id> {
        match &self.setup.callers {
            Callers::All => self.ids(),
            Callers::Ids(ids) => ids.clone(),
        }
    }
}

/// What a check is about, without what may happen in it.
#[derive(Clone, Debug)]
pub struct Topic<'a> {
    /// The algorithm.
    pub choice: Choice,
    /// The network.
    pub shape: Shape,
    /// Who takes part.
    pub wanted: Wanted<'a>,
    /// Whether every order of the ids is checked.
    pub all_orders: bool,
    /// Who calls.
    pub callers: WhoCalls,
    /// What else is particular: duties, and the bound on drift.
    pub setup: Setup,
    /// From which random networks and orders come.
    pub seed: u64,
}

impl Inquiry {
    /// What the command line asks for.
    pub fn from_args(args: &CheckArgs) -> Result<Inquiry, Failure> {
        let name = args.algorithm.as_deref().unwrap_or_default();
        let choice = Choice::find(name, args.variant.as_deref())?;
        let shape = match &args.topology {
            Some(text) => text.parse::<Shape>()?,
            None => Shape::for_need(choice.spec.need),
        };
        let usual = (DEFAULT_NODES, OrderArg::Worst);
        let wanted = Wanted { ids: args.ids.as_deref(), nodes: args.nodes, order: args.order, usual };
        let (all_orders, callers) = (args.orders.is_some(), args.initiators.clone());
        let setup = Setup {
            witnesses: args.witnesses.clone(),
            observers: args.observers.clone(),
            drift_bound: args.drift_bound.map(|bound| bound.0),
            ..Setup::default()
        };
        let topic = Topic { choice, shape, wanted, all_orders, callers, setup, seed: args.seed };
        Inquiry::new(topic, &args.may)
    }

    /// What is to be checked, if it can be.
    pub fn new(topic: Topic<'_>, may: &MayArgs) -> Result<Inquiry, Failure> {
        let Topic { choice, shape, wanted, all_orders, callers, setup, seed } = topic;
        refuse_many(&wanted)?;
        let mut setup = Setup {
            params: choice.params,
            members: members(&wanted, &shape, seed)?,
            shape: Some(shape.clone()),
            links: may.links.into(),
            ..setup
        };
        let plan = setup.plan(choice.spec, seed)?;
        let is_ring = matches!(plan.topology, Topology::Ring { .. });
        setup.ring_closes = may.ring_closes.or(may.crashes > 0 && is_ring);
        let liberties = liberties(&choice, may, &plan)?;
        let plan = setup.plan(choice.spec, seed)?; // a ring that closes may be none
        Rules::fits(&plan, &liberties).map_err(Failure::input)?;
        if matches!(callers, WhoCalls::Any | WhoCalls::One) && choice.spec.starts == Starts::Everyone {
            return Err(Failure::input(format!(
                "in {} every member starts by itself: leave out --initiators {callers}",
                choice.spec.name
            )));
        }
        let seating = match choice.spec.identities {
            Identities::Anonymous => Seating::Round,
            Identities::Unique => Seating::of(&plan.topology, liberties.crashes > 0),
        };
        let seating = all_orders.then_some(seating);
        let ids: Vec<Id> = plan.ranks.iter().map(|rank| rank.id()).collect();
        let size = size_of_family(seating, &callers, ids.len())?;
        let inquiry = Inquiry { choice, shape, liberties, size, ids, callers, seating, setup, seed };
        // What is wrong with the initiators is told before anything is searched.
        inquiry.cases().next().map(|(ids, callers)| inquiry.case(ids, callers)).transpose()?;
        Ok(inquiry)
    }

    /// The members of the family: who sits where, and who calls.
    pub fn cases(&self) -> impl Iterator<Item = (Vec<Id>, Callers)> + '_ {
        let orders: Box<dyn Iterator<Item = Vec<Id>>> = match self.seating {
            None => Box::new(std::iter::once(self.ids.clone())),
            Some(seating) => Box::new(seating.orders(&self.ids)),
        };
        orders.flat_map(|ids| {
            let n = ids.len();
            let callers: Box<dyn Iterator<Item = Callers>> = match &self.callers {
                WhoCalls::All => Box::new(std::iter::once(Callers::All)),
                WhoCalls::Ids(callers) => Box::new(std::iter::once(Callers::Ids(callers.clone()))),
                WhoCalls::One => {
                    let each = ids.clone().into_iter().map(|id| vec![id]);
                    Box::new(each.map(Callers::Ids))
                }
                WhoCalls::Any => Box::new(
                    family::sets(&ids)
                        .map(move |set| if set.len() == n { Callers::All } else { Callers::Ids(set) }),
                ),
            };
            callers.map(move |callers| (ids.clone(), callers))
        })
    }

    /// One member of the family.
    pub fn case(&self, ids: Vec<Id>, callers: Callers) -> Result<Case, Failure> {
        let setup = Setup { members: Some(Members::Ids(ids)), callers, ..self.setup.clone() };
        let plan = setup.plan(self.choice.spec, self.seed)?;
        Ok(Case { setup, plan })
    }
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Whether one order may stand for many.
    pub reduction: bool,
    /// Whether one state may stand for its turns.
    pub symmetry: bool,
    /// On how many threads; 0: as many as there are cores.
    pub threads: u16,
    /// How many bytes states may take.
    pub memory: u64,
    /// How many states a check may have.
    pub states: u64,
    /// How long all may take together.
    pub time: Option<Duration>,
}

impl Effort {
    /// What the command line says.
    pub fn from_args(args: &CheckArgs) -> Result<Effort, Failure> {
        Ok(Effort {
            reduction: !args.no_reduction,
            symmetry: !args.no_symmetry,
            threads: args.threads,
            memory: memory::for_states(args.memory)?,
            states: args.states.unwrap_or(u64::MAX),
            time: args.time,
        })
    }

    /// The same for one check, with what is left of the time.
    pub fn wishes(&self, liberties: Liberties, time: Option<Duration>) -> Wishes {
        Wishes {
            liberties,
            reduction: self.reduction,
            symmetry: self.symmetry,
            claims: true,
            threads: self.threads.into(),
            memory: self.memory,
            states: self.states,
            time,
        }
    }
}

/// What cannot be checked is refused before a network is built.
fn refuse_many(wanted: &Wanted<'_>) -> Result<(), Failure> {
    let n = wanted.ids.map(|ids| ids.len() as u64).or(wanted.nodes).unwrap_or(0);
    if n > u64::from(MOST_MEMBERS) {
        return Err(Failure::input(format!(
            "{n} members are too many to check: at most {MOST_MEMBERS} can be, and few algorithms with more \
             than 8"
        )));
    }
    Ok(())
}

fn liberties(choice: &Choice, may: &MayArgs, plan: &Plan) -> Result<Liberties, Failure> {
    let spec = choice.spec;
    if may.recoveries > 0 && may.crashes == 0 {
        return Err(Failure::input(
            "nobody can come back who has not crashed: --recoveries goes with --crashes",
        ));
    }
    let most = plan.n() + u32::from(may.recoveries);
    if u32::from(may.crashes) > most {
        return Err(Failure::input(format!("there cannot be {} crashes: use at most {most}", may.crashes)));
    }
    let has_clock = match may.timing {
        TimingArg::Auto => spec.timing == Timing::BoundedDelay || spec.lasting == Lasting::GoesOn,
        TimingArg::Any => false,
        TimingArg::Clock => true,
    };
    let (grain, drift) = (may.grain.unwrap_or(1), may.drift.map_or(0, |drift| drift.0));
    let given = [
        ("--grain", may.grain.is_some()),
        ("--drift", may.drift.is_some()),
        ("--ticks", may.ticks.is_some()),
        ("--pauses", may.pauses > 0),
    ];
    let stray = given.iter().find_map(|(option, is_given)| is_given.then_some(*option));
    if let (false, Some(option)) = (has_clock, stray) {
        return Err(Failure::input(format!("there is no clock here: {option} goes with --timing clock")));
    }
    let time = if has_clock { TimeModel::Clock { grain, drift } } else { TimeModel::Any };
    // In rounds members go on for ever, unless they halt.
    let keeps_in_step = choice.driving == Driving::Rounds && spec.goal != Goal::EveryoneHalts;
    let goes_on = keeps_in_step || spec.lasting == Lasting::GoesOn;
    let liberties = Liberties {
        crashes: may.crashes,
        recoveries: may.recoveries,
        losses: may.losses,
        duplicates: may.duplicates,
        pauses: may.pauses,
        requests: may.requests,
        draws: may.draws.unwrap_or(if spec.randomised { DEFAULT_DRAWS } else { u8::MAX }),
        late_calls: may.late_calls,
        detector: may.detector.or(may.crashes > 0 && spec.knows.has(Knowledge::DETECTOR)),
        certified: may.certified,
        time,
        ticks: may.ticks.unwrap_or(u16::MAX),
        stops_at_goal: goes_on && may.ticks.is_none(),
    };
    // A clock shows whole ticks: what it gains in a step must be at least one.
    let gained = liberties.step(plan).ticks() * u64::from(drift) / 1_000;
    if drift > 0 && gained == 0 {
        return Err(Failure::input(format!(
            "in a step of the clock nobody would notice a drift of {}: use a smaller --grain, or a larger \
             --drift",
            may.drift.map(|drift| drift.to_string()).unwrap_or_default()
        )));
    }
    Ok(liberties)
}

fn size_of_family(seating: Option<Seating>, callers: &WhoCalls, n: usize) -> Result<u64, Failure> {
    let orders = seating.map_or(Some(1), |seating| seating.count(n));
    let sets = match callers {
        WhoCalls::Any => family::count_of_sets(n),
        WhoCalls::One => Some(n as u64),
        WhoCalls::All | WhoCalls::Ids(_) => Some(1),
    };
    let size = orders.zip(sets).and_then(|(orders, sets)| orders.checked_mul(sets));
    size.filter(|&size| size <= MOST_CASES).ok_or_else(|| {
        Failure::input(format!(
            "with {n} members there are more than {MOST_CASES} orders and sets of initiators: use fewer \
             members"
        ))
    })
}
