//! `bellwether trials`: what ordeals do to leadership.

mod json;
mod markdown;
mod text;

use crate::args::{PageFormat, TrialsArgs};
use crate::choice::Choice;
use crate::error::{Failure, Verdict};
use crate::output;
use crate::progress::Progress;
use bellwether_core::{Driving, Lasting, Spec};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::swarm::Options;
use bellwether_lab::trials::{self, Ordeal, Trial};
use bellwether_lab::{Summary, in_parallel};

/// What one ordeal did to one algorithm. Times are in delay bounds.
pub struct Tried {
    /// The algorithm.
    pub choice: Choice,
    /// What whoever led went through.
    pub ordeal: Ordeal,
    /// How often.
    pub runs: u64,
    /// How long nobody led.
    pub without_leader: Option<Summary>,
    /// In how many runs several led at once.
    pub runs_with_several: u64,
    /// For how long, at the most.
    pub longest_with_several: f64,
    /// In how many terms several led, in all runs together.
    pub shared_terms: u64,
    /// How often leadership changed.
    pub changes: Option<Summary>,
    /// In how many runs all was right at the end.
    pub came_right: u64,
}

/// Puts algorithms through ordeals, and prints what came of it.
pub fn run(args: &TrialsArgs) -> Result<Verdict, Failure> {
    let choices: Vec<Choice> = if args.algorithms.is_empty() {
        Choice::defaults().filter(|choice| is_tried(choice.spec)).collect()
    } else {
        Choice::find_all(&args.algorithms)?
    };
    if let Some(choice) = choices.iter().find(|choice| choice.driving == Driving::Rounds) {
        let message = format!("{} runs in rounds, and is over before an ordeal could strike", choice.label());
        return Err(Failure::input_with_hint(message, "name algorithms that do not, as raft-vote or bully"));
    }
    let ordeals = if args.ordeal.is_empty() { Ordeal::ALL.to_vec() } else { args.ordeal.clone() };
    let cells: Vec<(Ordeal, Choice)> =
        ordeals.iter().flat_map(|&ordeal| choices.iter().map(move |&choice| (ordeal, choice))).collect();
    let progress = Progress::new(args.runs.saturating_mul(cells.len() as u64), "runs");
    let tried: Vec<Tried> = cells
        .into_iter()
        .map(|(ordeal, choice)| try_one(args, ordeal, choice, &progress))
        .collect::<Result<_, _>>()?;
    drop(progress);
    match args.format {
        PageFormat::Table => output::print(text::as_text(args, &tried).as_bytes())?,
        PageFormat::Markdown => output::print(markdown::as_markdown(args, &tried).as_bytes())?,
        PageFormat::Json => output::print_json(&json::as_json(args, &tried))?,
    }
    Ok(Verdict::Fine)
}

/// Those that go on for ever; and bully, which has no quorum, to show the difference.
fn is_tried(spec: &Spec) -> bool {
    spec.lasting == Lasting::GoesOn || spec.name == "bully"
}

fn try_one(args: &TrialsArgs, ordeal: Ordeal, choice: Choice, progress: &Progress) -> Result<Tried, Failure> {
    progress.say(format!("({}, {ordeal})", choice.label()));
    // Those that go on for ever notice silence by themselves.
    let detector =
        Options::usual(ALGORITHMS.detectors).detector.filter(|_| choice.spec.lasting == Lasting::Ends);
    let trials = in_parallel(args.threads.into(), args.runs, |run| {
        let seed = args.seed.wrapping_add(run);
        let algorithm = &ALGORITHMS.entries[choice.entry];
        let trial = trials::run(algorithm, choice.params, ordeal, args.nodes, detector.clone(), seed);
        progress.advance();
        trial
    })?;
    let count = |is_so: fn(&Trial) -> bool| trials.iter().filter(|trial| is_so(trial)).count() as u64;
    let summary = |of: fn(&Trial) -> f64| Summary::of(trials.iter().map(of).collect());
    Ok(Tried {
        choice,
        ordeal,
        runs: args.runs,
        without_leader: summary(|trial| trial.without_leader.hops()),
        runs_with_several: count(|trial| trial.with_several.ticks() > 0),
        longest_with_several: trials.iter().map(|trial| trial.with_several.hops()).fold(0.0, f64::max),
        shared_terms: trials.iter().map(|trial| trial.shared_terms).sum(),
        changes: summary(|trial| trial.changes as f64),
        came_right: count(|trial| trial.came_right),
    })
}
