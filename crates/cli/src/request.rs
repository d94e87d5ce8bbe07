//! From the description of a run to runs.

use crate::args::{CompareArgs, SimulateArgs};
use crate::choice::Choice;
use crate::error::Failure;
use crate::memory::Budget;
use crate::progress::Progress;
use bellwether_core::{Driving, Order, Starts};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::Seeds;
use bellwether_lab::batch::{self, Batch};
use bellwether_model::check_schedule;
use bellwether_runspec::{Chosen, RunSpec, Word};
use bellwether_sim::network::Shape;
use bellwether_sim::{Delay, Plan, RoundMode, check_messages};

/// How many members there are when nothing says so.
const DEFAULT_NODES: u64 = 8;

/// Everything that determines the runs of a command.
#[derive(Debug)]
pub struct Request {
    /// What to run.
    pub choice: Choice,
    /// The network, as asked for or as needed.
    pub shape: Shape,
    /// The run as it is asked for.
    pub given: RunSpec,
    /// The same in full: with the algorithm's variant, the network and the number of members.
    pub run: RunSpec,
    /// How many seeds, from that of the run on.
    pub runs: u64,
    /// On how many threads; 0: as many as there are cores.
    pub threads: u16,
    /// How many bytes one run may take.
    memory: u64,
}

impl Request {
    /// What `simulate` asks for.
    pub fn from_simulate(args: &SimulateArgs) -> Result<Request, Failure> {
        let given = args.described()?;
        let choice = Choice::find(&given.algorithm, given.variant.as_deref())?;
        check_starts(&choice, &given)?;
        if given.schedule.is_some() && args.runs > 1 {
            return Err(Failure::input("a schedule is a single run: leave out --runs"));
        }
        let memory = Budget::new(args.memory, args.runs, args.threads)?.for_one_run();
        Ok(Request::new(choice, given, memory, args.runs, args.threads))
    }

    fn new(choice: Choice, given: RunSpec, memory: u64, runs: u64, threads: u16) -> Request {
        let shape = given.topology.clone().unwrap_or_else(|| Shape::for_need(choice.spec.need));
        let run = RunSpec { topology: Some(shape.clone()), ..given.clone() };
        let run = run.of_choice(&choice).or_nodes(DEFAULT_NODES);
        Request { choice, shape, given, run, runs, threads, memory }
    }

    /// How to drive an algorithm in rounds.
    pub fn mode(&self) -> RoundMode {
        self.run.mode()
    }

    /// The plan of the first seed. What cannot be run is found out here.
    pub fn first_plan(&self) -> Result<Plan, Failure> {
        let algorithm = &ALGORITHMS.entries[self.choice.entry];
        let chosen = Chosen::of(self.choice.spec, &self.run, ALGORITHMS.detectors)?;
        let plan = self.run.plan_within(chosen, self.run.seed, self.memory)?;
        check_messages(algorithm, &plan, self.mode())?;
        check_schedule(algorithm, &plan)?;
        Ok(plan)
    }

    /// Runs it once for each seed.
    pub fn run(&self, progress: &Progress) -> Result<Batch, Failure> {
        let seeds = Seeds { first: self.run.seed, count: self.runs };
        let algorithm = &ALGORITHMS.entries[self.choice.entry];
        Ok(batch::run(algorithm, &self.run, ALGORITHMS.detectors, seeds, self.threads.into(), progress)?)
    }

    /// The command line that gives the same outcome again. What does not bear on the outcome (threads, memory, format,
    /// trace) is left out.
    pub fn again(&self) -> String {
        let runs = if self.runs > 1 { format!(" --runs {}", self.runs) } else { String::new() };
        bellwether_runspec::command(&self.given) + &runs
    }

    /// The command line that runs one seed of many again.
    pub fn again_with(&self, seed: u64) -> String {
        bellwether_runspec::command(&RunSpec { seed, ..self.given.clone() })
    }

    /// What `compare` asks for, of one algorithm in one order and size.
    pub fn from_compare(
        args: &CompareArgs,
        choice: Choice,
        order: Order,
        n: u64,
    ) -> Result<Request, Failure> {
        let given = RunSpec {
            nodes: Some(n),
            order: Some(order),
            elect: args.elect,
            delay: args.delay.parse()?,
            seed: args.seed,
            ..RunSpec::of(choice.label())
        };
        let shape = Shape::for_need(choice.spec.need);
        let is_random = order == Order::Random
            || given.delay != Delay::Unit
            || choice.spec.randomised
            || shape.is_random();
        let runs = if is_random { args.runs } else { 1 };
        let memory = Budget::new(args.memory, args.runs, args.threads)?.for_one_run();
        Ok(Request::new(choice, given, memory, runs, args.threads))
    }
}

fn check_starts(choice: &Choice, run: &RunSpec) -> Result<(), Failure> {
    let name = choice.spec.name;
    if run.synchroniser && choice.driving != Driving::Rounds {
        return Err(Failure::input(format!("{name} does not run in rounds: leave out --synchroniser")));
    }
    let calls_later = run.script.iter().any(|line| Word::of(line).flag() == "call");
    if calls_later && choice.spec.starts == Starts::Everyone {
        return Err(Failure::input(format!("in {name} every member starts by itself: leave out --call")));
    }
    Ok(())
}
