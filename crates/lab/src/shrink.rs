//! Reducing a run that fails to a small one that fails in the same way.
//!
//! Greedy delta debugging: something is taken away (members, faults, callers), made plainer (delays, ids,
//! times) or made certain (messages lost by chance become chosen ones); what still fails is kept, until
//! nothing more can go. What "fails" means is the caller's to say.

use bellwether_core::DynMessage;
use bellwether_core::{HOP, Id, Port, Time};
use bellwether_sim::Delay;
use bellwether_sim::Plan;
use bellwether_sim::faults::notation::Interval;
use bellwether_sim::faults::{Chosen, Event, Fate, Lie, LinkFaults};
use bellwether_sim::network::Shape;
use bellwether_sim::script::{self, Line};
use bellwether_sim::{Callers, Members, Setup};
use bellwether_sim::{Drop, Observer};
use std::collections::BTreeMap;

/// A setup that still fails, as small as was found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The setup.
    pub setup: Setup,
    /// The seed with which it fails.
    pub seed: u64,
    /// How many runs it took to find.
    pub runs: u64,
}

/// Reduces a setup that fails. `fails` tells of any other whether it does; `chances` what chance did to
/// messages in a run ([`Chances`]). No more than `most_runs` are tried. Setups that do not list their members
/// are left as they are.
pub fn shrink(
    setup: &Setup,
    seed: u64,
    most_runs: u64,
    fails: impl FnMut(&Setup, u64) -> bool,
    mut chances: impl FnMut(&Setup, u64) -> Vec<Chosen<Id>>,
) -> Shrunk {
    let mut hunt = Hunt { best: setup.clone(), seed, left: most_runs, fails };
    const PASSES: [fn(&Setup) -> Vec<Setup>; 8] = [
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
        if has_chance(&hunt.best.link_faults) {
            let chosen = chances(&hunt.best, hunt.seed);
            got_smaller |= hunt.try_setup(certain(&hunt.best, chosen));
        }
        got_smaller |= hunt.try_smaller_seeds();
        if !got_smaller || hunt.left == 0 {
            return Shrunk { setup: hunt.best, seed: hunt.seed, runs: most_runs - hunt.left };
        }
    }
}

/// How large a setup is: members, kinds of faults that are left to chance, other faults.
#[must_use]
pub fn size(setup: &Setup) -> (usize, usize, usize) {
    let members = ids(setup).len();
    let LinkFaults { loss, duplication, reordering, chosen, .. } = &setup.link_faults;
    let by_chance = [loss, duplication, reordering].into_iter().filter(|share| **share > 0.0).count();
    (members, by_chance, lines(setup).len() + chosen.len())
}

struct Hunt<F> {
    best: Setup,
    seed: u64,
    left: u64,
    fails: F,
}

impl<F: FnMut(&Setup, u64) -> bool> Hunt<F> {
    fn try_with(&mut self, setup: Setup, seed: u64) -> bool {
        let fails = self.left > 0 && {
            self.left -= 1;
            (self.fails)(&setup, seed)
        };
        if fails {
            (self.best, self.seed) = (setup, seed);
        }
        fails
    }

    fn try_setup(&mut self, setup: Setup) -> bool {
        self.try_with(setup, self.seed)
    }

    /// Takes the first candidate that fails, as long as there is one.
    fn exhaust(&mut self, candidates: fn(&Setup) -> Vec<Setup>) -> bool {
        let mut got_smaller = false;
        while candidates(&self.best).into_iter().any(|candidate| self.try_setup(candidate)) {
            got_smaller = true;
        }
        got_smaller
    }

    fn try_smaller_seeds(&mut self) -> bool {
        (0..self.seed.min(4)).any(|seed| self.try_with(self.best.clone(), seed))
    }
}

fn ids(setup: &Setup) -> &[Id] {
    if let Some(Members::Ids(ids)) = &setup.members { ids } else { &[] }
}

fn lines(setup: &Setup) -> Vec<Line> {
    script::lines(&setup.script, ids(setup))
}

/// The setup with other lines.
fn with_lines(setup: &Setup, lines: &[Line]) -> Setup {
    Setup { script: script::events(lines), ..setup.clone() }
}

/// Without one member, and without everything that names it.
fn fewer_members(setup: &Setup) -> Vec<Setup> {
    let all = ids(setup);
    let without = |&gone: &Id| {
        let names_it = |chosen: &Chosen<Id>| chosen.from == Some(gone) || chosen.to == Some(gone);
        let lines: Vec<Line> = lines(setup).into_iter().filter_map(|line| line_without(line, gone)).collect();
        let mut smaller = with_lines(setup, &lines);
        let rest: Vec<Id> = all.iter().copied().filter(|&id| id != gone).collect();
        smaller.members = Some(Members::Ids(rest));
        if let Callers::Ids(callers) = &mut smaller.callers {
            callers.retain(|&id| id != gone);
        }
        smaller.witnesses.retain(|&id| id != gone);
        smaller.observers.retain(|&id| id != gone);
        smaller.link_faults.chosen.retain(|chosen| !names_it(chosen));
        smaller
    };
    all.iter().map(without).collect()
}

fn line_without(line: Line, gone: Id) -> Option<Line> {
    match line {
        Line::Once((id, what, _)) => {
            let named = match what {
                Event::Cut(other) | Event::Mend(other) | Event::Lie(Lie::Silence(other)) => other,
                Event::Request(request) => request.about().unwrap_or(id),
                _ => id,
            };
            (id != gone && named != gone).then_some(line)
        }
        Line::Pause(id, _) => (id != gone).then_some(line),
        Line::CutOneWay(a, b, _) | Line::Cut(a, b, _) => (a != gone && b != gone).then_some(line),
        Line::Partition(mut groups, interval) => {
            groups.iter_mut().for_each(|group| group.retain(|&id| id != gone));
            groups.retain(|group| !group.is_empty());
            (groups.len() > 1).then_some(Line::Partition(groups, interval))
        }
    }
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

fn fewer_lines(setup: &Setup) -> Vec<Setup> {
    without_parts(&lines(setup)).iter().map(|lines| with_lines(setup, lines)).collect()
}

fn fewer_chosen(setup: &Setup) -> Vec<Setup> {
    let with = |chosen| {
        let mut smaller = setup.clone();
        smaller.link_faults.chosen = chosen;
        smaller
    };
    without_parts(&setup.link_faults.chosen).into_iter().map(with).collect()
}

fn has_chance(faults: &LinkFaults<Id>) -> bool {
    faults.loss + faults.duplication + faults.reordering > 0.0
}

/// Without one kind of fault that is left to chance; or for a shorter time.
fn less_chance(setup: &Setup) -> Vec<Setup> {
    let faults = &setup.link_faults;
    let mut candidates = Vec::new();
    let mut add = |applies: bool, change: fn(&mut LinkFaults<Id>)| {
        if applies {
            let mut smaller = setup.clone();
            change(&mut smaller.link_faults);
            candidates.push(tidied(smaller));
        }
    };
    add(faults.loss > 0.0, |faults| (faults.loss, faults.burst) = (0.0, 1.0));
    add(faults.duplication > 0.0, |faults| faults.duplication = 0.0);
    add(faults.reordering > 0.0, |faults| faults.reordering = 0.0);
    add(faults.loss > 0.0 && faults.burst > 1.0, |faults| faults.burst = 1.0);
    add(has_chance(faults) && faults.until > Time::ZERO + HOP && faults.until != Time::NEVER, |faults| {
        faults.until = halved(Time::ZERO, faults.until);
    });
    candidates
}

/// What chance did to messages, chosen instead of left to chance.
fn certain(setup: &Setup, chosen: Vec<Chosen<Id>>) -> Setup {
    let mut certain = setup.clone();
    let faults = &mut certain.link_faults;
    (faults.loss, faults.burst, faults.duplication, faults.reordering) = (0.0, 1.0, 0.0, 0.0);
    faults.chosen.extend(chosen);
    tidied(certain)
}

/// Where nothing is left to chance, it does not matter for how long.
fn tidied(mut setup: Setup) -> Setup {
    if !has_chance(&setup.link_faults) {
        let chosen = std::mem::take(&mut setup.link_faults.chosen);
        setup.link_faults = LinkFaults { chosen, ..LinkFaults::default() };
    }
    setup
}

fn fewer_callers(setup: &Setup) -> Vec<Setup> {
    let callers = match &setup.callers {
        Callers::All => ids(setup),
        Callers::Ids(callers) if callers.len() > 1 => callers,
        Callers::Ids(_) => return Vec::new(),
    };
    let only = |&id: &Id| Setup { callers: Callers::Ids(vec![id]), ..setup.clone() };
    let without = |gone: &Id| {
        let rest = callers.iter().copied().filter(|id| id != gone).collect();
        Setup { callers: Callers::Ids(rest), ..setup.clone() }
    };
    callers.iter().map(only).chain(callers.iter().map(without)).collect()
}

/// Every message takes a hop; everyone is everyone's neighbour.
fn plainer(setup: &Setup) -> Vec<Setup> {
    let mut candidates = Vec::new();
    if setup.delay != Delay::Unit {
        candidates.push(Setup { delay: Delay::Unit, delay_bound: None, ..setup.clone() });
    }
    if matches!(setup.shape, Some(Shape::Regular { .. })) {
        candidates.push(Setup { shape: Some(Shape::Complete), ..setup.clone() });
    }
    candidates
}

/// Ids from 1 on, in the order in which they were.
fn small_ids(setup: &Setup) -> Vec<Setup> {
    let mut sorted = ids(setup).to_vec();
    sorted.sort_unstable();
    let renumbered: BTreeMap<Id, Id> =
        sorted.iter().zip(1..).filter_map(|(&id, number)| Some((id, Id::new(number).ok()?))).collect();
    if renumbered.iter().all(|(old, new)| old == new) {
        return Vec::new();
    }
    let named = |id: Id| renumbered.get(&id).copied().unwrap_or(id);
    let new = |id: Id| Ok::<Id, std::convert::Infallible>(named(id));
    let Ok(link_faults) = setup.link_faults.try_map(new);
    let rename = |list: &[Id]| list.iter().filter_map(|id| renumbered.get(id).copied()).collect::<Vec<_>>();
    let script = setup.script.iter().map(|&(id, what, at)| {
        let Ok(what) = what.try_map(new);
        let what = match what {
            Event::Lie(Lie::Forge(id)) => Event::Lie(Lie::Forge(named(id))),
            Event::Request(request) => Event::Request(request.renamed(named)),
            what => what,
        };
        (named(id), what, at)
    });
    vec![Setup {
        members: Some(Members::Ids(rename(ids(setup)))),
        callers: match &setup.callers {
            Callers::All => Callers::All,
            Callers::Ids(callers) => Callers::Ids(rename(callers)),
        },
        witnesses: rename(&setup.witnesses),
        observers: rename(&setup.observers),
        script: script.collect(),
        link_faults,
        ..setup.clone()
    }]
}

/// Half-way, in whole hops.
fn halved(from: Time, to: Time) -> Time {
    whole_hops(from + bellwether_core::Span::from_ticks((to - from).ticks() / 2))
}

/// The nearest whole number of hops, but not the very beginning.
fn whole_hops(at: Time) -> Time {
    let hops = (at.ticks() + HOP.ticks() / 2) / HOP.ticks();
    Time::ZERO + HOP * hops.max(1)
}

/// Times in whole hops, all of them or a line's; intervals half as long.
fn plainer_times(setup: &Setup) -> Vec<Setup> {
    let lines = lines(setup);
    let rounded: Vec<Line> = lines.iter().map(|line| with_times(line, whole_hops)).collect();
    let mut candidates = Vec::new();
    if rounded != lines {
        candidates.push(with_lines(setup, &rounded));
    }
    for (at, line) in lines.iter().enumerate() {
        let shorter = shortened(line).filter(|shorter| shorter.last() < line.last());
        for other in
            [Some(&rounded[at]).filter(|other| *other != line), shorter.as_ref()].into_iter().flatten()
        {
            let mut changed = lines.clone();
            changed[at] = other.clone();
            candidates.push(with_lines(setup, &changed));
        }
    }
    candidates
}

fn with_times(line: &Line, change: fn(Time) -> Time) -> Line {
    let mut line = line.clone();
    match &mut line {
        Line::Once((_, _, at)) => *at = change(*at),
        Line::Pause(_, interval)
        | Line::CutOneWay(_, _, interval)
        | Line::Cut(_, _, interval)
        | Line::Partition(_, interval) => {
            let Interval { from, to } = *interval;
            let from = change(from);
            *interval = Interval { from, to: to.map(|to| change(to).max(from + HOP)) };
        }
    }
    line
}

/// Half as long, if it has a length.
fn shortened(line: &Line) -> Option<Line> {
    let mut line = line.clone();
    match &mut line {
        Line::Once(_) => return None,
        Line::Pause(_, interval)
        | Line::CutOneWay(_, _, interval)
        | Line::Cut(_, _, interval)
        | Line::Partition(_, interval) => {
            let to = halved(interval.from, interval.to?);
            interval.to = Some(to).filter(|&to| to > interval.from);
            interval.to?;
        }
    }
    Some(line)
}

/// Watches what chance does to messages, and names each as [`Chosen`] does.
pub struct Chances<'p> {
    plan: &'p Plan,
    sent: BTreeMap<(u32, u32, &'static str), u64>,
    chosen: Vec<Chosen<Id>>,
}

impl<'p> Chances<'p> {
    /// In a run of this plan.
    #[must_use]
    pub fn new(plan: &'p Plan) -> Self {
        Chances { plan, sent: BTreeMap::new(), chosen: Vec::new() }
    }

    /// What chance did.
    #[must_use]
    pub fn into_chosen(self) -> Vec<Chosen<Id>> {
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
        self.chosen.push(Chosen { from: id(from), to: id(to), kind: Some(kind.to_owned()), nth, fate });
    }
}

impl Observer for Chances<'_> {
    fn sent(&mut self, _: Time, member: u32, _: Port, to: (u32, Port), msg: &dyn DynMessage, _: Time) {
        self.count(member, to.0, msg);
    }
    fn duplicated(&mut self, _: Time, member: u32, _: Port, to: (u32, Port), msg: &dyn DynMessage, _: Time) {
        self.note(member, to.0, msg, Fate::Twice);
    }
    fn dropped(&mut self, _: Time, member: u32, _: Port, to: u32, msg: &dyn DynMessage, why: Drop) {
        self.count(member, to, msg);
        if why == Drop::Loss {
            self.note(member, to, msg, Fate::Lost);
        }
    }
}
