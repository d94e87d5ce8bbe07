//! From the description of a run to runs.

use crate::args::SimulateArgs;
use crate::choice::Choice;
use crate::error::Failure;
use crate::memory::Budget;
use crate::progress::Progress;
use bellwether_engine::ALGORITHMS;
use bellwether_lab::batch::{self, Batch};
use bellwether_lab::{Seeds, plan};
use bellwether_runspec::{RunSpec, command};
use bellwether_sim::network::Shape;
use bellwether_sim::{Plan, RoundMode, Runner};

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
        if given.schedule.is_some() && args.runs > 1 {
            return Err(Failure::input("a schedule is a single run: leave out --runs"));
        }
        let memory = Budget::new(args.memory, args.runs, args.threads)?.for_one_run();
        let run = given.clone().in_full(&choice, DEFAULT_NODES);
        Ok(Request {
            shape: run.shape(choice.spec),
            choice,
            given,
            run,
            runs: args.runs,
            threads: args.threads,
            memory,
        })
    }

    /// The algorithm, ready to run.
    pub fn algorithm(&self) -> &'static Runner {
        &ALGORITHMS.entries[self.choice.entry]
    }

    /// How to drive an algorithm in rounds.
    pub fn mode(&self) -> RoundMode {
        self.run.mode()
    }

    /// The plan of the first seed. What cannot be run is found out here.
    pub fn first_plan(&self) -> Result<Plan, Failure> {
        Ok(plan(self.algorithm(), &self.run, ALGORITHMS.detectors, self.run.seed, self.memory)?)
    }

    /// Runs it once for each seed.
    pub fn run(&self, progress: &Progress) -> Result<Batch, Failure> {
        let seeds = Seeds { first: self.run.seed, count: self.runs };
        Ok(batch::run(
            self.algorithm(),
            &self.run,
            ALGORITHMS.detectors,
            seeds,
            self.threads.into(),
            progress,
        )?)
    }

    /// The command line that gives the same outcome again. What does not bear on the outcome (threads, memory, format,
    /// trace) is left out.
    pub fn again(&self) -> String {
        let runs = if self.runs > 1 { format!(" --runs {}", self.runs) } else { String::new() };
        command(&self.given) + &runs
    }

    /// The command line that runs one seed of many again.
    pub fn again_with(&self, seed: u64) -> String {
        command(&RunSpec { seed, ..self.given.clone() })
    }
}
