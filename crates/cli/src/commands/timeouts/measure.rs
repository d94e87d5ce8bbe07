//! The Raft paper's experiment with ranges of time-outs (its section 9.3 and figure 16): a leader crashes, and how
//! long it is missed depends on how random time-outs are, and how long.
//!
//! As there: five servers; asking all and hearing back from them takes about 15 ms; logs differ, so that some
//! candidates cannot win; a leader beats twice in the least time-out, and all followers at once; it crashes at any time between two
//! heartbeats. Here a hop is a millisecond, and each message takes 5 to 10 of them.

use crate::args::TimeoutsArgs;
use crate::error::Failure;
use crate::progress::Progress;
use bellwether_core::{AlgorithmChoice, Elect, FaultEvent, HOP, Id, Order, Rank, Span, Time, Topology};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::in_parallel;
use bellwether_lab::outage::{Outage, after_crash};
use bellwether_sim::{Delay, Happening, Plan};

/// The algorithm that is measured.
const ALGORITHM: &str = "raft-vote";
/// Ranges of time-outs in hops of which the least is the same and the greatest is not.
const RANDOMNESS: [(u64, u64); 6] = [(150, 150), (150, 151), (150, 155), (150, 175), (150, 200), (150, 300)];
/// Ranges of which the greatest is twice the least.
const LENGTH: [(u64, u64); 5] = [(12, 24), (25, 50), (50, 100), (100, 200), (150, 300)];
/// How long a message takes, in hops. A tenth of the bound is a hop: so time-outs in tenths of bounds are in hops.
const DELAY: Delay = Delay::Uniform { least: 5.0, most: 10.0 };
/// For so long a new leader is waited for.
pub const PATIENCE: Span = Span::from_hops(20_000);
/// A leader is there long before it crashes. In hops, and in greatest time-outs.
const SETTLED: (u64, u64) = (500, 5);
/// Where nobody leads when a leader should crash, others are looked for with seeds so far apart.
const NEXT_SEED: u64 = 1 << 40;
/// So often.
const TRIES: u64 = 100;

/// How long leaders were missed, with time-outs of one range.
pub struct Missed {
    /// The range, in hops.
    pub time_out: (u64, u64),
    /// How many leaders crashed.
    pub crashes: u64,
    /// How long they were missed, in hops, the shortest first; nothing of those that were for longer than [`PATIENCE`].
    pub hops: Vec<f64>,
}

impl Missed {
    /// The least time that a share of the crashed leaders were missed for at most; nothing if fewer have
    /// been replaced at all.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let at = ((share * self.crashes as f64).ceil() as usize).max(1) - 1;
        self.hops.get(at).copied()
    }

    /// The mean, where all have been replaced.
    pub fn mean(&self) -> Option<f64> {
        (self.hops.len() as u64 == self.crashes).then(|| self.hops.iter().sum::<f64>() / self.crashes as f64)
    }
}

/// The paper's two graphs: time-outs that are more and less random, and longer and shorter ones.
pub struct Graphs {
    /// The least is the same, the greatest is not.
    pub randomness: Vec<Missed>,
    /// The greatest is twice the least.
    pub length: Vec<Missed>,
}

impl Graphs {
    /// Measures, range by range.
    pub fn measure(args: &TimeoutsArgs) -> Result<Graphs, Failure> {
        let progress = Progress::new(args.runs * (RANDOMNESS.len() + LENGTH.len()) as u64, "crashes");
        let measure = |ranges: &[(u64, u64)]| {
            ranges.iter().map(|&time_out| missed(args, time_out, &progress)).collect::<Result<_, _>>()
        };
        Ok(Graphs { randomness: measure(&RANDOMNESS)?, length: measure(&LENGTH)? })
    }
}

fn missed(args: &TimeoutsArgs, time_out: (u64, u64), progress: &Progress) -> Result<Missed, Failure> {
    let (least, most) = time_out;
    progress.say(format!("{least} to {most} ms"));
    let choice = ALGORITHMS.choose(&format!("{ALGORITHM}:timeout={least}..{most}"))?;
    let machine = ALGORITHMS.entries[choice.entry].machine;
    let outages = in_parallel(args.threads.into(), args.runs, |run| {
        progress.advance();
        Ok((0..TRIES).find_map(|attempt| {
            let seed = args.seed.wrapping_add(run).wrapping_add(attempt * NEXT_SEED);
            let plan = plan(&choice, args.nodes, most, seed);
            match after_crash(machine, &plan, crash_time(time_out, run, args.runs), PATIENCE) {
                Outage::NoLeader => None,
                Outage::Lasted(span) => Some(Some(span.hops())),
                Outage::Unended => Some(None),
            }
        }))
    })?;
    let crashes = outages.iter().flatten().count() as u64;
    let mut hops: Vec<f64> = outages.into_iter().flatten().flatten().collect();
    hops.sort_unstable_by(f64::total_cmp);
    Ok(Missed { time_out, crashes, hops })
}

/// Everyone has another log; the one with the freshest starts first, so that it is likely to lead.
fn plan(choice: &AlgorithmChoice, nodes: u32, greatest: u64, seed: u64) -> Plan {
    let ranks = (1..=nodes).filter_map(|number| {
        let id = Id::new(number.into()).ok()?;
        Some(Rank::new(Elect::Best, number.into(), id))
    });
    let topology = Topology::Complete { n: nodes };
    let mut plan = Plan::new(topology, Some(1), ranks.collect(), Order::Explicit);
    plan.params = choice.params;
    plan.delay_bound = DELAY.bound();
    plan.delay = DELAY;
    plan.seed = seed;
    let late = Time::ZERO + HOP * greatest;
    plan.script =
        (0..nodes - 1).map(|member| Happening { at: late, what: FaultEvent::Start, member }).collect();
    plan
}

/// At any time between two heartbeats: all runs together have one at each.
fn crash_time((least, greatest): (u64, u64), run: u64, runs: u64) -> Time {
    let beat = (HOP * least).ticks() / 2;
    Time::ZERO + HOP * (SETTLED.0 + SETTLED.1 * greatest) + Span::from_ticks(beat * run / runs)
}
