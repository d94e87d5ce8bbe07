//! One check: a search with reductions, and where they leave something open, one without.

use crate::clock;
use crate::costs::{self, Cost, Counted, Held};
use crate::liveness::{self, Bounds, Endless};
use crate::packed::{EMPTY, Packed, PackedState};
use crate::path::{Stage, actions, stages_to};
use crate::property::Property;
use crate::row::Layout;
use crate::search::{Limits, Progress, Search, Stopped};
use crate::store::{Numbered, StateStore, Values, WireContents};
use crate::symmetry::Symmetry;
use crate::visited::StateId;
use bellwether_core::{MachineType, Reign, Spec};
use bellwether_model::{FaultBudget, Rules, Transition};
use bellwether_sim::Plan;
use std::sync::Arc;
use std::time::Duration;

/// How many more states are looked at once something is wrong, for what else is wrong.
const AFTER_WRONG: u64 = 1_000_000;

/// What to check, and how hard to try.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions {
    /// What may go wrong.
    pub liberties: FaultBudget,
    /// Whether one order may stand for all orders of things that do not affect each other.
    pub reduction: bool,
    /// Whether one state may stand for all that differ by a turn of the ring, where members are identical, or by names,
    /// where only names tell members apart.
    pub symmetry: bool,
    /// Whether runs are held to what is claimed of their messages, for which all states are walked through again.
    pub claims: bool,
    /// How many threads; 0 for one a core.
    pub threads: usize,
    /// How many bytes states may take.
    pub memory: u64,
    /// How many states may be reached.
    pub states: u64,
    /// How long it may take.
    pub time: Option<Duration>,
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// How far it went.
    pub progress: Progress,
    /// Why it did not go further; nothing if it saw everything.
    pub incomplete: Option<&'static str>,
    /// One for each property.
    pub findings: Vec<Finding>,
    /// What runs came to of which something is claimed; nothing where that was not counted.
    pub costs: Vec<Cost>,
    /// Whether one order stood for many.
    pub reduced: bool,
    /// Whether one state stood for several that differ in nothing that matters.
    pub symmetric: bool,
    /// Whether runs were left out in which members draw more numbers than they may.
    pub is_cut: bool,
    /// Whether runs went on after the last step that the clock may make.
    pub goes_on: bool,
    /// Whether runs went on after the last election that may be started again.
    pub restarts_cut: bool,
}

/// What came of one property.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Which.
    pub property: Property,
    /// Whether it holds.
    pub verdict: CheckResult,
    /// How often its witness was seen: without, it would mean nothing.
    pub seen: u64,
    /// A run that breaks it.
    pub counterexample: Option<Counterexample>,
}

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckResult {
    /// In every run.
    Holds,
    /// Not in this run.
    Violated,
    /// In all that was seen, but that was not everything.
    Incomplete,
    /// In every run, but there was never anything to hold.
    Vacuous,
}

/// A run that breaks a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// With which of [`Rules::beginnings`] it starts.
    pub beginning: u32,
    /// What happens.
    pub actions: Vec<Transition>,
    /// From this step on it goes round for ever.
    pub loop_from: Option<u32>,
    /// Whether it is known that no shorter run breaks the property. (Not of loops, nor of claims.)
    pub is_shortest: bool,
    /// The claim that it breaks, if that is what it breaks.
    pub claim: Option<String>,
}

impl Checked {
    /// The verdict on all properties together.
    #[must_use]
    pub fn verdict(&self) -> CheckResult {
        overall(self.findings.iter().map(|finding| finding.verdict), self.incomplete.is_some())
    }

    /// The gravest property that is violated.
    #[must_use]
    pub fn broken(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.verdict == CheckResult::Violated)
    }
}

/// The verdict on all properties together: that they hold is said of those that are not open, if there is one.
pub(crate) fn overall(
    verdicts: impl Iterator<Item = CheckResult> + Clone,
    is_incomplete: bool,
) -> CheckResult {
    let has = |wanted| verdicts.clone().any(|verdict| verdict == wanted);
    if has(CheckResult::Violated) {
        CheckResult::Violated
    } else if is_incomplete || !has(CheckResult::Holds) {
        CheckResult::Incomplete
    } else {
        CheckResult::Holds
    }
}

/// Checks an algorithm. `watch` is told how it goes, from any thread.
pub fn check(
    machine: &'static MachineType,
    plan: &Plan,
    options: &CheckOptions,
    watch: &(dyn Fn(&Progress) + Sync),
) -> Checked {
    with_check(machine, plan, options, watch, |check| check.run())
}

/// Prepares a check of an algorithm.
pub(crate) fn with_check<T>(
    machine: &'static MachineType,
    plan: &Plan,
    options: &CheckOptions,
    watch: &(dyn Fn(&Progress) + Sync),
    work: impl FnOnce(&Check<'_>) -> T,
) -> T {
    let rules = Rules::new(plan, options.liberties);
    let values = Values::new();
    let lines: Arc<Numbered<WireContents>> = Arc::new(Numbered::new());
    let nothing = lines.number(WireContents::new());
    debug_assert_eq!(nothing, EMPTY);
    let situations = rules.beginnings(machine);
    let beginnings = situations.iter().map(|situation| {
        let (seats, queues) = values.pack(situation, &lines);
        PackedState { seats, queues, spent: situation.spent }
    });
    let new_parts = || {
        let source = StateStore::new(machine, plan, options.liberties, values.clone());
        Packed::new(Box::new(source), lines.clone(), plan.links)
    };
    work(&Check {
        spec: machine.spec,
        can_rename: machine.rename.is_some(),
        held: if options.claims { costs::held(machine.spec, machine.kinds, &rules) } else { Vec::new() },
        rules: &rules,
        beginnings: beginnings.collect(),
        new_parts: &new_parts,
        parts: &|| values.seats().max(lines.count()),
        options,
        deadline: options.time.map(|time| clock::now() + time),
        watch,
    })
}

/// One check, ready to be made.
pub(crate) struct Check<'a> {
    spec: &'static Spec,
    /// Whether only names tell members apart.
    can_rename: bool,
    /// What every run is held to.
    held: Vec<Held>,
    rules: &'a Rules<'a>,
    beginnings: Vec<PackedState>,
    new_parts: &'a dyn Fn() -> Packed<'a>,
    /// How many parts of one kind there are so far.
    parts: &'a (dyn Fn() -> usize + Sync),
    options: &'a CheckOptions,
    deadline: Option<Duration>,
    watch: &'a (dyn Fn(&Progress) + Sync),
}

impl Check<'_> {
    fn run(&self) -> Checked {
        let is_symmetric = self.options.symmetry && self.symmetry().is_some();
        let (reduction, symmetry) = (self.options.reduction, is_symmetric);
        let (first, unclear) = self.attempt(reduction, symmetry);
        if !(reduction || symmetry) || !unclear && first.broken().is_none() {
            return first;
        }
        if first.incomplete.is_some() && first.broken().is_none() {
            return first; // more would not fit
        }
        // In full, so that what is wrong is shown by the shortest run, and nothing stays unclear.
        let (second, _) = self.attempt(false, false);
        if second.incomplete.is_none() {
            return second;
        }
        // It did not fit: the first saw more, but perhaps not the shortest run.
        let mut both = first;
        for (known, found) in both.findings.iter_mut().zip(second.findings) {
            let is_open = unclear && known.property == Property::Eventually;
            if found.verdict == CheckResult::Violated || is_open && known.verdict != CheckResult::Violated {
                *known = Finding { seen: known.seen, ..found };
            }
        }
        both.incomplete = both.incomplete.or(second.incomplete);
        both
    }

    fn symmetry(&self) -> Option<Symmetry> {
        Symmetry::of(self.rules, self.spec, self.can_rename)
    }

    fn bounds(&self) -> Bounds {
        Bounds { deadline: self.deadline, memory: self.options.memory }
    }

    /// One search, in rows that are no wider than they need be.
    pub(crate) fn search(&self, reduction: bool, symmetry: bool) -> (Search<'_>, Stopped) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.options.threads).build();
        let threads = pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads);
        let limits = Limits {
            memory: self.options.memory - self.bounds().room(),
            states: self.options.states.min(StateId::MOST / 2),
            deadline: self.deadline,
            after_wrong: AFTER_WRONG,
            is_walked: !self.held.is_empty(),
            parts: self.parts,
        };
        let mut is_wide = false;
        loop {
            let parts = (0..threads.max(1)).map(|_| (self.new_parts)()).collect();
            let layout = Layout::new(self.rules, is_wide);
            let reductions = (reduction, symmetry.then(|| self.symmetry()).flatten());
            let mut search = Search::new(self.rules, self.spec, layout, reductions, parts, &self.beginnings);
            let stopped = match &pool {
                Ok(pool) => pool.install(|| search.run(&limits, self.watch)),
                // Without threads of its own, on whatever there is.
                Err(_) => search.run(&limits, self.watch),
            };
            if stopped != Stopped::Narrow {
                return (search, stopped);
            }
            is_wide = true;
        }
    }

    /// One search, and what it finds. True if it was not in full and leaves it unclear whether there are runs without
    /// end.
    fn attempt(&self, reduction: bool, symmetry: bool) -> (Checked, bool) {
        let (mut search, mut stopped) = self.search(reduction, symmetry);
        if stopped == Stopped::Complete && search.cut.countless {
            stopped = Stopped::Countless;
        }
        let in_full = !reduction && !symmetry;
        let endless = match liveness::find(&mut search, in_full, self.bounds()) {
            Endless::Loop { .. } if symmetry => Endless::Unclear, // states that stand for others: not yet a loop
            endless => endless,
        };
        let is_unclear = matches!(endless, Endless::Unclear);
        let counted = if stopped == Stopped::Complete || self.held.is_empty() {
            costs::find(&mut search, &self.held, self.deadline)
        } else {
            Counted::Unknown
        };
        let seen = Seen { stopped, endless, counted, in_full };
        let findings = Property::ALL.map(|property| self.finding(&mut search, property, &seen));
        let stopped = match (stopped, &seen.endless, &seen.counted) {
            (Stopped::Complete, Endless::Unknown(stopped), _) => *stopped,
            (Stopped::Complete, _, Counted::Unknown) => Stopped::Time,
            _ => stopped,
        };
        let checked = Checked {
            progress: search.progress,
            incomplete: why_incomplete(stopped),
            findings: findings.into(),
            costs: match seen.counted {
                Counted::All(costs) | Counted::Broken(costs, ..) => costs,
                Counted::Nothing | Counted::Unknown => Vec::new(),
            },
            reduced: reduction,
            symmetric: symmetry,
            is_cut: search.cut.numbers,
            goes_on: search.cut.ticks,
            restarts_cut: search.cut.restarts,
        };
        (checked, is_unclear)
    }

    fn finding(&self, search: &mut Search<'_>, property: Property, seen: &Seen) -> Finding {
        let judgement = &search.judgement;
        let witness = match property {
            // Who promises it only at last promises it of no state: it is part of what all agree on at the end.
            Property::OneLeader if self.spec.reign == Reign::AtLast => 0,
            Property::OneLeader => judgement.with_leader,
            Property::Eventually => judgement.with_outcome,
            Property::SomeoneLeads => judgement.ends,
            Property::BestLeads | Property::AllAgree => judgement.ends_with_leader,
            Property::AsClaimed if matches!(seen.counted, Counted::Nothing) => 0,
            Property::AsClaimed => judgement.ends,
        };
        let bad_state = judgement.breaks(property);
        let counterexample = match (property, &seen.endless, &seen.counted) {
            (Property::Eventually, Endless::Loop { start, round }, _) => {
                Some(self.endless_run(search, *start, round))
            }
            (Property::AsClaimed, _, Counted::Broken(_, stages, cost)) => {
                let claim = Some(cost.to_string());
                Some(Counterexample { claim, ..self.run_through(search, stages) })
            }
            _ => bad_state.map(|id| {
                // The nearest bad state is met first.
                let stages = stages_to(search, id);
                Counterexample { is_shortest: seen.in_full, ..self.run_through(search, &stages) }
            }),
        };
        let verdict = match counterexample {
            Some(_) => CheckResult::Violated,
            None if seen.leaves_open(property, search.cut.ticks || search.cut.restarts) => {
                CheckResult::Incomplete
            }
            None if witness == 0 => CheckResult::Vacuous,
            None => CheckResult::Holds,
        };
        Finding { property, verdict, seen: witness, counterexample }
    }

    /// The run that comes to a loop by the fewest steps, and then goes round. The shortest is not looked for so hard.
    fn endless_run(&self, search: &mut Search<'_>, start: StateId, round: &[Stage]) -> Counterexample {
        let mut stages = stages_to(search, start);
        let stem = stages.len() as u32 - 1;
        stages.extend_from_slice(round);
        Counterexample { loop_from: Some(stem), ..self.run_through(search, &stages) }
    }

    fn run_through(&self, search: &mut Search<'_>, stages: &[Stage]) -> Counterexample {
        let (beginning, actions) = actions(search, &self.beginnings, stages);
        Counterexample { beginning, actions, loop_from: None, is_shortest: false, claim: None }
    }
}

/// What a search saw.
struct Seen {
    stopped: Stopped,
    endless: Endless,
    counted: Counted,
    /// Whether every order was followed, and every state.
    in_full: bool,
}

impl Seen {
    /// Whether a property that nothing seen breaks may yet be broken. `goes_on` if runs were not followed to their end.
    fn leaves_open(&self, property: Property, goes_on: bool) -> bool {
        let is_complete = self.stopped == Stopped::Complete;
        match property {
            Property::OneLeader => !is_complete,
            Property::AsClaimed => matches!(self.counted, Counted::Unknown),
            // How a run ends nobody knows that has only seen its beginning.
            _ if goes_on || !is_complete => true,
            Property::Eventually => matches!(self.endless, Endless::Unknown(_) | Endless::Unclear),
            Property::SomeoneLeads | Property::BestLeads | Property::AllAgree => false,
        }
    }
}

fn why_incomplete(stopped: Stopped) -> Option<&'static str> {
    match stopped {
        Stopped::Complete => None,
        Stopped::Narrow => Some("there are more parts than rows have room for"),
        Stopped::Memory => Some("the memory limit was reached"),
        Stopped::States => Some("the limit of states was reached"),
        Stopped::Time => Some("time was up"),
        Stopped::Countless => Some("there are more messages, or numbers to draw, than can be counted"),
        Stopped::Wrong => Some("something is wrong, and enough was seen"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop that is none yet, as not everything was followed, is a question and no answer: also where time was up
    /// before anybody could follow everything.
    #[test]
    fn what_is_unclear_stays_open() {
        let seen = |endless, counted| Seen { stopped: Stopped::Complete, endless, counted, in_full: false };
        let open = |seen: Seen| -> Vec<Property> {
            Property::ALL.into_iter().filter(|property| seen.leaves_open(*property, false)).collect()
        };
        assert_eq!(open(seen(Endless::None, Counted::Nothing)), []);
        assert_eq!(open(seen(Endless::Unknown(Stopped::Memory), Counted::Nothing)), [Property::Eventually]);
        assert_eq!(
            open(seen(Endless::Unclear, Counted::Unknown)),
            [Property::Eventually, Property::AsClaimed]
        );
    }
}
