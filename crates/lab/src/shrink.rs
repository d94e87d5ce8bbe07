//! Reducing a run that fails to a small one that fails in the same way.
//!
//! Greedy delta debugging: something is taken away (members, faults, callers), made plainer (delays, ids,
//! times) or made certain (messages lost by chance become chosen ones); what still fails is kept, until
//! nothing more can go. What "fails" means is the caller's to say.

use bellwether_core::{DynMessage, Fate, HOP, Id, Port, Span, Time};
use bellwether_runspec::notation::{Interval, Pattern};
use bellwether_runspec::{Callers, LinkOptions, RunSpec, ScriptLine};
use bellwether_sim::network::Shape;
use bellwether_sim::{Delay, DropReason, Observer, Plan};
use std::collections::BTreeMap;

/// A run that still fails, as small as was found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The run.
    pub run: RunSpec,
    /// How many runs it took to find.
    pub tried: u64,
}

/// Reduces a run that fails. `fails` tells of any other whether it does; `chances` what chance did to
/// messages in a run ([`Chances`]). No more than `most_runs` are tried. Runs that do not list their members
/// are left as they are.
pub fn shrink(
    run: &RunSpec,
    most_runs: u64,
    fails: impl FnMut(&RunSpec) -> bool,
    mut chances: impl FnMut(&RunSpec) -> Vec<(Fate, Pattern)>,
) -> Shrunk {
    let mut hunt = Hunt { best: run.clone(), left: most_runs, fails };
    const PASSES: [fn(&RunSpec) -> Vec<RunSpec>; 8] = [
        fewer_members,
        fewer_lines,
        fewer_chosen,
        less_chance,
        fewer_callers,
        plainer,
        small_ids,
        plainer_times,
    ];
    loop {
        let mut got_smaller = false;
        for pass in PASSES {
            got_smaller |= hunt.exhaust(pass);
        }
        if hunt.best.link_faults.has_chance() {
            let chosen = chances(&hunt.best);
            got_smaller |= hunt.try_run(certain(&hunt.best, chosen));
        }
        got_smaller |= hunt.try_smaller_seeds();
        if !got_smaller || hunt.left == 0 {
            return Shrunk { run: hunt.best, tried: most_runs - hunt.left };
        }
    }
}

/// How large a run is: members, kinds of faults that are left to chance, other faults.
#[must_use]
pub fn size(run: &RunSpec) -> (usize, usize, usize) {
    let LinkOptions { loss, duplication, reordering, lose, duplicate, .. } = &run.link_faults;
    let by_chance =
        [loss, duplication, reordering].into_iter().flatten().filter(|share| share.0 > 0.0).count();
    (run.ids.len(), by_chance, run.script.len() + lose.len() + duplicate.len())
}

struct Hunt<F> {
    best: RunSpec,
    left: u64,
    fails: F,
}

impl<F: FnMut(&RunSpec) -> bool> Hunt<F> {
    fn try_run(&mut self, run: RunSpec) -> bool {
        let fails = self.left > 0 && {
            self.left -= 1;
            (self.fails)(&run)
        };
        if fails {
            self.best = run;
        }
        fails
    }

    /// Takes the first candidate that fails, as long as there is one.
    fn exhaust(&mut self, candidates: fn(&RunSpec) -> Vec<RunSpec>) -> bool {
        let mut got_smaller = false;
        while candidates(&self.best).into_iter().any(|candidate| self.try_run(candidate)) {
            got_smaller = true;
        }
        got_smaller
    }

    fn try_smaller_seeds(&mut self) -> bool {
        (0..self.best.seed.min(4)).any(|seed| self.try_run(RunSpec { seed, ..self.best.clone() }))
    }
}

/// The run with other lines.
fn with_lines(run: &RunSpec, lines: impl IntoIterator<Item = ScriptLine>) -> RunSpec {
    RunSpec { script: lines.into_iter().collect(), ..run.clone() }
}

/// Without one member, and without everything that names it.
fn fewer_members(run: &RunSpec) -> Vec<RunSpec> {
    let without = |&gone: &Id| {
        let names_it = |pattern: &Pattern| pattern.from == Some(gone) || pattern.to == Some(gone);
        let mut smaller = with_lines(run, run.script.iter().filter_map(|line| line.without(gone)));
        smaller.ids.retain(|&id| id != gone);
        if let Callers::Ids(callers) = &mut smaller.initiators {
            callers.retain(|&id| id != gone);
        }
        smaller.witnesses.retain(|&id| id != gone);
        smaller.observers.retain(|&id| id != gone);
        smaller.link_faults.lose.retain(|pattern| !names_it(pattern));
        smaller.link_faults.duplicate.retain(|pattern| !names_it(pattern));
        smaller
    };
    run.ids.iter().map(without).collect()
}

/// Without all of a list, without each half, each quarter, down to each one.
fn without_parts<T: Clone>(list: &[T]) -> Vec<Vec<T>> {
    let mut shorter = Vec::new();
    let mut length = list.len();
    while length > 0 {
        for start in (0..list.len()).step_by(length) {
            let end = (start + length).min(list.len());
            shorter.push([&list[..start], &list[end..]].concat());
        }
        length /= 2;
    }
    shorter
}

fn fewer_lines(run: &RunSpec) -> Vec<RunSpec> {
    without_parts(&run.script).into_iter().map(|lines| with_lines(run, lines)).collect()
}

/// The messages that are chosen, and what becomes of each.
fn chosen(run: &RunSpec) -> Vec<(Fate, Pattern)> {
    let with = |fate| move |pattern: &Pattern| (fate, pattern.clone());
    let LinkOptions { lose, duplicate, .. } = &run.link_faults;
    lose.iter().map(with(Fate::Lost)).chain(duplicate.iter().map(with(Fate::Twice))).collect()
}

fn choose(faults: &mut LinkOptions, chosen: Vec<(Fate, Pattern)>) {
    for (fate, pattern) in chosen {
        match fate {
            Fate::Lost => faults.lose.push(pattern),
            Fate::Twice => faults.duplicate.push(pattern),
        }
    }
}

fn fewer_chosen(run: &RunSpec) -> Vec<RunSpec> {
    let with = |chosen| {
        let mut smaller = run.clone();
        (smaller.link_faults.lose, smaller.link_faults.duplicate) = (Vec::new(), Vec::new());
        choose(&mut smaller.link_faults, chosen);
        smaller
    };
    without_parts(&chosen(run)).into_iter().map(with).collect()
}

/// Without one kind of fault that is left to chance; or for a shorter time.
fn less_chance(run: &RunSpec) -> Vec<RunSpec> {
    let faults = &run.link_faults;
    let mut candidates = Vec::new();
    let mut add = |applies: bool, change: fn(&mut LinkOptions)| {
        if applies {
            let mut smaller = run.clone();
            change(&mut smaller.link_faults);
            candidates.push(tidied(smaller));
        }
    };
    add(faults.loss.is_some(), |faults| (faults.loss, faults.burst) = (None, None));
    add(faults.duplication.is_some(), |faults| faults.duplication = None);
    add(faults.reordering.is_some(), |faults| (faults.reordering, faults.held_up) = (None, None));
    add(faults.loss.is_some() && faults.burst.is_some(), |faults| faults.burst = None);
    let is_long = faults.until.is_some_and(|until| until > Time::ZERO + HOP);
    add(faults.has_chance() && is_long, |faults| {
        faults.until = faults.until.map(|until| halved(Time::ZERO, until));
    });
    candidates
}

/// What chance did to messages, chosen instead of left to chance.
fn certain(run: &RunSpec, chosen: Vec<(Fate, Pattern)>) -> RunSpec {
    let mut certain = run.clone();
    let LinkOptions { lose, duplicate, .. } = std::mem::take(&mut certain.link_faults);
    (certain.link_faults.lose, certain.link_faults.duplicate) = (lose, duplicate);
    choose(&mut certain.link_faults, chosen);
    certain
}

/// Where nothing is left to chance, it does not matter for how long.
fn tidied(mut run: RunSpec) -> RunSpec {
    if !run.link_faults.has_chance() {
        let LinkOptions { lose, duplicate, .. } = std::mem::take(&mut run.link_faults);
        run.link_faults = LinkOptions { lose, duplicate, ..LinkOptions::default() };
    }
    run
}

fn fewer_callers(run: &RunSpec) -> Vec<RunSpec> {
    let callers = match &run.initiators {
        Callers::All => &run.ids,
        Callers::Ids(callers) if callers.len() > 1 => callers,
        Callers::Ids(_) => return Vec::new(),
    };
    let only = |&id: &Id| RunSpec { initiators: Callers::Ids(vec![id]), ..run.clone() };
    let without = |gone: &Id| {
        let rest = callers.iter().copied().filter(|id| id != gone).collect();
        RunSpec { initiators: Callers::Ids(rest), ..run.clone() }
    };
    callers.iter().map(only).chain(callers.iter().map(without)).collect()
}

/// Every message takes a hop; everyone is everyone's neighbour.
fn plainer(run: &RunSpec) -> Vec<RunSpec> {
    let mut candidates = Vec::new();
    if run.delay != Delay::Unit {
        candidates.push(RunSpec { delay: Delay::Unit, delay_bound: None, ..run.clone() });
    }
    if matches!(run.topology, Some(Shape::Regular { .. })) {
        candidates.push(RunSpec { topology: Some(Shape::Complete), ..run.clone() });
    }
    candidates
}

/// Ids from 1 on, in the order in which they were.
fn small_ids(run: &RunSpec) -> Vec<RunSpec> {
    let mut sorted = run.ids.clone();
    sorted.sort_unstable();
    let renumbered: BTreeMap<Id, Id> =
        sorted.iter().zip(1..).filter_map(|(&id, number)| Some((id, Id::new(number).ok()?))).collect();
    if renumbered.iter().all(|(old, new)| old == new) {
        return Vec::new();
    }
    let named = |id: Id| renumbered.get(&id).copied().unwrap_or(id);
    let rename = |list: &[Id]| list.iter().map(|id| named(*id)).collect::<Vec<_>>();
    let mut renamed = with_lines(run, run.script.iter().map(|line| line.renamed(named)));
    renamed.ids = rename(&run.ids);
    if let Callers::Ids(callers) = &mut renamed.initiators {
        *callers = rename(callers);
    }
    (renamed.witnesses, renamed.observers) = (rename(&run.witnesses), rename(&run.observers));
    for pattern in renamed.link_faults.lose.iter_mut().chain(&mut renamed.link_faults.duplicate) {
        (pattern.from, pattern.to) = (pattern.from.map(named), pattern.to.map(named));
    }
    vec![renamed]
}

/// Half-way, in whole hops.
fn halved(from: Time, to: Time) -> Time {
    whole_hops(from + Span::from_ticks((to - from).ticks() / 2))
}

/// The nearest whole number of hops, but not the very beginning.
fn whole_hops(at: Time) -> Time {
    let hops = (at.ticks() + HOP.ticks() / 2) / HOP.ticks();
    Time::ZERO + HOP * hops.max(1)
}

/// Times in whole hops, all of them or a line's; intervals half as long.
fn plainer_times(run: &RunSpec) -> Vec<RunSpec> {
    let lines = &*run.script;
    let whole = |interval: Interval| {
        let from = whole_hops(interval.from);
        Interval { from, to: interval.to.map(|to| whole_hops(to).max(from + HOP)) }
    };
    let rounded: Vec<ScriptLine> = lines.iter().map(|line| line.clone().at(whole_hops, whole)).collect();
    let mut candidates = Vec::new();
    if rounded != lines {
        candidates.push(with_lines(run, rounded.iter().cloned()));
    }
    for (at, line) in lines.iter().enumerate() {
        let shorter = shortened(line).filter(|shorter| shorter.last() < line.last());
        for other in
            [Some(&rounded[at]).filter(|other| *other != line), shorter.as_ref()].into_iter().flatten()
        {
            let mut changed = lines.to_vec();
            changed[at] = other.clone();
            candidates.push(with_lines(run, changed));
        }
    }
    candidates
}

/// Half as long, if it has a length.
fn shortened(line: &ScriptLine) -> Option<ScriptLine> {
    let Interval { from, to } = line.during()?;
    let to = Some(halved(from, to?)).filter(|&to| to > from)?;
    Some(line.clone().at(|at| at, |_| Interval { from, to: Some(to) }))
}

/// Watches what chance does to messages, and names each.
pub struct Chances<'p> {
    plan: &'p Plan,
    sent: BTreeMap<(u32, u32, &'static str), u64>,
    chosen: Vec<(Fate, Pattern)>,
}

impl<'p> Chances<'p> {
    /// In a run of this plan.
    #[must_use]
    pub fn new(plan: &'p Plan) -> Self {
        Chances { plan, sent: BTreeMap::new(), chosen: Vec::new() }
    }

    /// What chance did.
    #[must_use]
    pub fn into_chosen(self) -> Vec<(Fate, Pattern)> {
        self.chosen
    }

    fn count(&mut self, from: u32, to: u32, msg: &dyn DynMessage) {
        *self.sent.entry((from, to, msg.kind_of().name)).or_default() += 1;
    }

    /// Something became of the message that was counted last between those two.
    fn note(&mut self, from: u32, to: u32, msg: &dyn DynMessage, fate: Fate) {
        let kind = msg.kind_of().name;
        let id = |member: u32| Some(self.plan.ranks[member as usize].id());
        let nth = self.sent.get(&(from, to, kind)).copied();
        let pattern = Pattern { from: id(from), to: id(to), kind: Some(kind.to_owned()), nth };
        self.chosen.push((fate, pattern));
    }
}

impl Observer for Chances<'_> {
    fn sent(&mut self, _: Time, member: u32, _: Port, to: (u32, Port), msg: &dyn DynMessage, _: Time) {
        self.count(member, to.0, msg);
    }
    fn duplicated(&mut self, _: Time, member: u32, _: Port, to: (u32, Port), msg: &dyn DynMessage, _: Time) {
        self.note(member, to.0, msg, Fate::Twice);
    }
    fn dropped(&mut self, _: Time, member: u32, _: Port, to: u32, msg: &dyn DynMessage, why: DropReason) {
        self.count(member, to, msg);
        if why == DropReason::Loss {
            self.note(member, to, msg, Fate::Lost);
        }
    }
}
