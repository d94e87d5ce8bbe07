//! From the command line to what the simulator is asked for.

use crate::args::values::{AttributesArg, CallersArg};
use crate::args::{CompareArgs, OrderArg, SimulateArgs};
use crate::choice::Choice;
use crate::error::Failure;
use crate::memory::Budget;
use crate::progress::Progress;
use bellwether_core::{DetectorChoice, Driving, Id, Starts};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::Seeds;
use bellwether_lab::batch::{self, Batch};
use bellwether_sim::network::Shape;
use bellwether_sim::{Attributes, Callers, Delay, Limits, Members, Plan, RoundMode, Setup, check_messages};

/// How many members there are when nothing says so.
const DEFAULT_NODES: u64 = 8;

/// Everything that determines the runs of a command.
#[derive(Debug)]
pub struct Request {
    /// What to run.
    pub choice: Choice,
    /// The network, as asked for or as needed.
    pub shape: Shape,
    /// Everything else about each run.
    pub setup: Setup,
    /// How to drive an algorithm in rounds.
    pub mode: RoundMode,
    /// The first seed.
    pub seed: u64,
    /// How many seeds.
    pub runs: u64,
    /// On how many threads; 0: as many as there are cores.
    pub threads: u16,
}

impl Request {
    /// What `simulate` asks for.
    pub fn from_simulate(args: &SimulateArgs) -> Result<Request, Failure> {
        let choice =
            Choice::find(&args.algorithm, args.variant.as_deref())?.and("renewals", args.renewals)?;
        check_starts(&choice, args)?;
        let shape = match &args.topology {
            Some(text) => text.parse::<Shape>()?,
            None => Shape::for_need(choice.spec.need),
        };
        let budget = Budget::new(args.memory, args.runs, args.threads)?;
        let seed = args.seed.unwrap_or(0);
        let setup = Setup {
            params: choice.params,
            members: members(&Wanted::by_simulate(args), &shape, seed)?,
            shape: Some(shape.clone()),
            elect: args.elect.into(),
            attributes: match &args.attributes {
                None => Attributes::None,
                Some(AttributesArg::Random) => Attributes::Random,
                Some(AttributesArg::Listed(listed)) => Attributes::Listed(listed.clone()),
            },
            id_bound: args.id_bound,
            identical: args.identical,
            witnesses: args.witnesses.clone(),
            observers: args.observers.clone(),
            callers: match &args.initiators {
                None | Some(CallersArg::All) => Callers::All,
                Some(CallersArg::Ids(ids)) => Callers::Ids(ids.clone()),
            },
            delay: args.delay.as_deref().unwrap_or("unit").parse()?,
            delay_bound: args.delay_bound.map(|bound| bound.span()),
            drift_bound: args.drift_bound.map(|bound| bound.0),
            restart_after: args.restart_after,
            links: args.links.into(),
            script: args.faults.script(),
            partitions: args.faults.partitions(),
            heals: args.faults.heal.iter().map(|heal| heal.0).collect(),
            link_faults: args.faults.links().faults().map_err(|(_, problem)| Failure::of_flags(problem))?,
            ring_closes: args.faults.ring_closes,
            certified_crashes: args.faults.certified_crashes,
            detector: args.faults.detector.as_deref().map(find_detector).transpose()?,
            schedule: None,
            limits: Limits {
                messages: args.max_messages.unwrap_or(Limits::default().messages),
                time: args.until.map_or(Limits::default().time, |until| until.0),
            },
            memory_limit: budget.for_one_run(),
        };
        let mode = if args.synchroniser { RoundMode::Synchroniser } else { RoundMode::Auto };
        Ok(Request { choice, shape, setup, mode, seed, runs: args.runs, threads: args.threads })
    }

    /// The plan of the first seed. What cannot be run is found out here.
    pub fn first_plan(&self) -> Result<Plan, Failure> {
        let plan = self.setup.plan(self.choice.spec, self.seed)?;
        check_messages(&ALGORITHMS.entries[self.choice.entry], &plan, self.mode)?;
        Ok(plan)
    }

    /// Runs it once for each seed.
    pub fn run(&self, progress: &Progress) -> Result<Batch, Failure> {
        let seeds = Seeds { first: self.seed, count: self.runs };
        let algorithm = &ALGORITHMS.entries[self.choice.entry];
        let each = || progress.advance();
        Ok(batch::run(algorithm, &self.setup, self.mode, seeds, self.threads.into(), each)?)
    }

    /// What `compare` asks for, of one algorithm in one order and size.
    pub fn from_compare(
        args: &CompareArgs,
        choice: Choice,
        order: OrderArg,
        n: u64,
    ) -> Result<Request, Failure> {
        let shape = Shape::for_need(choice.spec.need);
        let setup = Setup {
            params: choice.params,
            shape: Some(shape.clone()),
            members: Some(Members::Count { n, order: order.into() }),
            elect: args.elect.into(),
            delay: args.delay.parse()?,
            memory_limit: Budget::new(args.memory, args.runs, args.threads)?.for_one_run(),
            ..Setup::default()
        };
        let is_random = order == OrderArg::Random
            || setup.delay != Delay::Unit
            || choice.spec.randomised
            || shape.is_random();
        let runs = if is_random { args.runs } else { 1 };
        let (seed, threads) = (args.seed, args.threads);
        Ok(Request { choice, shape, setup, mode: RoundMode::Auto, seed, runs, threads })
    }
}

fn check_starts(choice: &Choice, args: &SimulateArgs) -> Result<(), Failure> {
    let name = choice.spec.name;
    if args.synchroniser && choice.driving != Driving::Rounds {
        return Err(Failure::input(format!("{name} does not run in rounds: leave out --synchroniser")));
    }
    if !args.faults.call.is_empty() && choice.spec.starts == Starts::Everyone {
        return Err(Failure::input(format!("in {name} every member starts by itself: leave out --call")));
    }
    Ok(())
}

/// Which members a command asks for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// These.
    pub ids: Option<&'a [Id]>,
    /// So many.
    pub nodes: Option<u64>,
    /// In this order.
    pub order: Option<OrderArg>,
    /// How many there are, and in which order, when nothing says so.
    pub usual: (u64, OrderArg),
}

impl Wanted<'_> {
    fn by_simulate(args: &SimulateArgs) -> Wanted<'_> {
        let usual = (DEFAULT_NODES, OrderArg::default());
        Wanted { ids: args.ids.as_deref(), nodes: args.nodes, order: args.order, usual }
    }
}

/// The members that are asked for; nothing if the network names them.
pub fn members(wanted: &Wanted<'_>, shape: &Shape, seed: u64) -> Result<Option<Members>, Failure> {
    if let Some(ids) = wanted.ids {
        return Ok(Some(Members::Ids(ids.to_vec())));
    }
    let (usual_nodes, usual_order) = wanted.usual;
    let count = |n| Ok(Some(Members::Count { n, order: wanted.order.unwrap_or(usual_order).into() }));
    match (wanted.nodes, shape) {
        (Some(0), _) => Err(Failure::input("there are no members: --nodes must be at least 1")),
        (_, Shape::File(_)) => members_of_file(wanted.nodes, wanted.order, shape, seed),
        (Some(n), _) => count(n),
        (None, _) => count(shape.own_size().unwrap_or(usual_nodes)),
    }
}

/// A file says how many members there are and, mostly, who they are; an order is asked for in vain
/// then.
fn members_of_file(
    nodes: Option<u64>,
    order: Option<OrderArg>,
    shape: &Shape,
    seed: u64,
) -> Result<Option<Members>, Failure> {
    let Some(order) = order else {
        return Ok(nodes.map(|n| Members::Count { n, order: OrderArg::default().into() }));
    };
    let network = shape.build(None, seed)?;
    if network.ids().is_some() {
        return Err(Failure::input(format!("{shape} says which ids lie where: leave out --order")));
    }
    Ok(Some(Members::Count { n: nodes.unwrap_or_else(|| network.n().into()), order: order.into() }))
}

fn find_detector(text: &str) -> Result<DetectorChoice, Failure> {
    Ok(DetectorChoice::parse(ALGORITHMS.detectors, text)?)
}
