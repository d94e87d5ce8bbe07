//! The Raft paper's experiment with ranges of time-outs (its section 9.3 and figure 16): a leader crashes, and how
//! long it is missed depends on how random time-outs are, and how long.
//!
//! As there: five servers; asking all and hearing back from them takes about 15 ms; logs differ, so that some
//! candidates cannot win; a leader beats twice in the least time-out, and all followers at once; it crashes at any time between two
//! heartbeats. Here a hop is a millisecond, and each message takes 5 to 10 of them.

use crate::outage::{Outage, after_crash};
use crate::parallel::in_parallel;
use crate::progress::Progress;
use crate::seeds::Seeds;
use bellwether_core::{FaultEvent, HOP, Id, Registry, Span, Time};
use bellwether_runspec::{Attributes, RunSpec, Script};
use bellwether_sim::{Delay, Runner, SetupError};

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
#[derive(Clone, Debug)]
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
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let at = ((share * self.crashes as f64).ceil() as usize).max(1) - 1;
        self.hops.get(at).copied()
    }

    /// The mean, where all have been replaced.
    #[must_use]
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

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many members there are.
    pub nodes: u32,
    /// A leader crashes for each seed.
    pub seeds: Seeds,
    /// On how many cores; 0: on all.
    pub threads: usize,
}

impl Graphs {
    /// How many ranges of time-outs there are.
    pub const RANGES: u64 = (RANDOMNESS.len() + LENGTH.len()) as u64;

    /// Measures, range by range. The registry has the algorithm.
    ///
    /// # Errors
    /// The first [`SetupError`].
    pub fn measure(
        registry: &Registry<Runner>,
        effort: &Effort,
        progress: &dyn Progress,
    ) -> Result<Graphs, SetupError> {
        let measure = |ranges: &[(u64, u64)]| {
            ranges.iter().map(|&time_out| missed(registry, effort, time_out, progress)).collect()
        };
        let randomness: Result<_, SetupError> = measure(&RANDOMNESS);
        Ok(Graphs { randomness: randomness?, length: measure(&LENGTH)? })
    }
}

fn missed(
    registry: &Registry<Runner>,
    effort: &Effort,
    time_out: (u64, u64),
    progress: &dyn Progress,
) -> Result<Missed, SetupError> {
    let (least, most) = time_out;
    progress.begin(&format!("{least} to {most} ms"));
    let run = described(time_out, effort.nodes);
    let choice = registry.choose(&run.algorithm)?;
    let machine = registry.entries[choice.entry].machine;
    let Seeds { count: runs, .. } = effort.seeds;
    let outages = in_parallel(effort.threads, runs, |number| {
        progress.advance();
        for attempt in 0..TRIES {
            let seed = effort.seeds.at(number).wrapping_add(attempt * NEXT_SEED);
            let plan = run.plan(choice.spec, seed)?;
            match after_crash(machine, &plan, crash_time(time_out, number, runs), PATIENCE) {
                Outage::NoLeader => {}
                Outage::Lasted(span) => return Ok(Some(Some(span.hops()))),
                Outage::Unended => return Ok(Some(None)),
            }
        }
        Ok(None)
    })?;
    let crashes = outages.iter().flatten().count() as u64;
    let mut hops: Vec<f64> = outages.into_iter().flatten().flatten().collect();
    hops.sort_unstable_by(f64::total_cmp);
    Ok(Missed { time_out, crashes, hops })
}

/// Each member has another log; the one with the freshest starts first, so that it is likely to lead.
fn described((least, most): (u64, u64), nodes: u32) -> RunSpec {
    let ids: Vec<Id> = (1..=nodes).filter_map(|number| Id::new(number.into()).ok()).collect();
    let late = ids.split_last().map_or(&ids[..], |(_, late)| late).iter();
    RunSpec {
        attributes: Attributes::Listed((1..=i64::from(nodes)).collect()),
        script: Script::of(late.map(|&id| (id, FaultEvent::Start, Time::ZERO + HOP * most))),
        ids,
        delay: DELAY,
        ..RunSpec::of(format!("{ALGORITHM}:timeout={least}..{most}"))
    }
}

/// At any time between two heartbeats: all runs together have one at each.
fn crash_time((least, greatest): (u64, u64), run: u64, runs: u64) -> Time {
    let beat = (HOP * least).ticks() / 2;
    Time::ZERO + HOP * (SETTLED.0 + SETTLED.1 * greatest) + Span::from_ticks(beat * run / runs)
}
