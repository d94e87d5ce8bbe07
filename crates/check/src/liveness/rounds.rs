//! A fair way round within a part of the states.

use super::{Bounds, depth};
use crate::path::{Stage, Wanted};
use crate::search::{Search, Stopped};
use crate::visited::StateId;
use crate::walk::{is_late, with_worker};
use crate::worker::Worker;
use bellwether_core::FaultEvent;
use bellwether_model::Action;
use bellwether_sim::LinkOrder;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// How many states of a part are tried as the beginning of a short loop.
const TRIED: usize = 64;
/// What a state takes that is on the way to another.
const BYTES_ON_THE_WAY: u64 = 64;

/// Something that must happen some time if it is possible all the time.
type Duty = (u8, u8, u64);

fn duty(search: &Search<'_>, worker: &mut Worker<'_>, what: Action) -> Option<Duty> {
    let (parts, now, _) = worker.loaded();
    match what {
        Action::Tell(..) if what.is_fault() => None,
        Action::Member(member, FaultEvent::Start) => Some((5, member, 0)),
        Action::Member(member, FaultEvent::Call) => Some((0, member, 0)),
        Action::Deliver(wire, _) if search.rules.plan.links == LinkOrder::Fifo => Some((1, wire, 0)),
        Action::Deliver(wire, place) => Some((1, wire, parts.hash_at(now.queues[wire as usize], place))),
        Action::TimeOut(member, timer) => {
            Some((2, member, parts.timer_hash(now.seats[member as usize], timer)))
        }
        Action::Tell(member, port, _) => Some((3, member, port.into())),
        Action::Tick => Some((4, 0, 0)),
        Action::Member(member, FaultEvent::Resume) => Some((6, member, 0)),
        Action::CallAgain(member) => Some((7, member, 0)),
        Action::Member(..) | Action::Link(..) => None,
    }
}

/// What is due in the states of a part, and where each step within it leads. It is noted when it is first asked for: most
/// loops are short, and parts may be very large.
struct Map<'a, 'p> {
    search: &'a Search<'p>,
    worker: &'a mut Worker<'p>,
    part: FxHashSet<StateId>,
    bounds: Bounds,
    known: FxHashMap<StateId, Known>,
    /// Of all known states, one after the other.
    due: Vec<Duty>,
    steps: Vec<Step>,
    visits: u32,
}

type Step = (Action, Option<Duty>, StateId);

/// What a known state has of the lists.
#[derive(Clone)]
struct Known {
    due: Range<usize>,
    steps: Range<usize>,
}

/// What a way is to end with.
#[derive(Clone, Copy)]
enum Aim {
    /// This state.
    State(StateId),
    /// A step that does this, or comes to where it is not due.
    RidOf(Duty),
}

impl<'a, 'p> Map<'a, 'p> {
    fn new(search: &'a Search<'p>, worker: &'a mut Worker<'p>, part: &[StateId], bounds: Bounds) -> Self {
        Map {
            search,
            worker,
            part: part.iter().copied().collect(),
            bounds,
            known: FxHashMap::default(),
            due: Vec::new(),
            steps: Vec::new(),
            visits: 0,
        }
    }

    /// Forgets everything if there is little room left: it can be found out again.
    fn make_room(&mut self) {
        if self.bytes() > self.bounds.room() / 2 {
            self.known = FxHashMap::default();
            (self.due, self.steps) = (Vec::new(), Vec::new());
        }
    }

    fn bytes(&self) -> u64 {
        // A hash table has room for about twice what is in it.
        let known = self.known.capacity() * 2 * size_of::<(StateId, Known)>();
        let lists = self.due.capacity() * size_of::<Duty>() + self.steps.capacity() * size_of::<Step>();
        (known + lists) as u64
    }

    fn know(&mut self, id: StateId) -> Result<Known, Stopped> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        if is_late(self.visits, self.bounds.deadline) {
            return Err(Stopped::Time);
        }
        self.visits += 1;
        let (due, steps) = (self.due.len(), self.steps.len());
        self.search.successors(self.worker, id, |what, next| {
            if self.part.contains(&next) {
                self.steps.push((what, None, next));
            }
        });
        self.worker.load(self.search, id);
        for step in &mut self.steps[steps..] {
            step.1 = duty(self.search, self.worker, step.0);
        }
        let possible = self.worker.loaded().2.to_vec();
        self.due.extend(possible.into_iter().filter_map(|what| duty(self.search, self.worker, what)));
        let known = Known { due: due..self.due.len(), steps: steps..self.steps.len() };
        self.known.insert(id, known.clone());
        Ok(known)
    }

    fn due(&mut self, id: StateId) -> Result<&[Duty], Stopped> {
        let due = self.know(id)?.due;
        Ok(&self.due[due])
    }

    /// What of this is due in that state as well.
    fn keep_due(&mut self, duties: &mut BTreeSet<Duty>, id: StateId) -> Result<(), Stopped> {
        let due = self.due(id)?;
        duties.retain(|duty| due.contains(duty));
        Ok(())
    }

    /// Whether everything that is due in all states of the part is done by some step within it.
    fn has_fair_run(&mut self, part: &[StateId]) -> Result<bool, Stopped> {
        let mut always: BTreeSet<Duty> = self.due(part[0])?.iter().copied().collect();
        let mut done = BTreeSet::new();
        for &id in part {
            self.make_room();
            self.keep_due(&mut always, id)?;
            let steps = self.know(id)?.steps;
            done.extend(self.steps[steps].iter().filter_map(|(_, duty, _)| *duty));
        }
        Ok(always.is_subset(&done))
    }

    /// The shortest way from a state to a step that the aim is met by, that step included.
    fn way(&mut self, from: StateId, aim: Aim) -> Result<Option<Vec<Stage>>, Stopped> {
        let mut came_from: FxHashMap<StateId, (Action, StateId)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            self.make_room();
            if came_from.len() as u64 * BYTES_ON_THE_WAY > self.bounds.room() / 2 {
                return Err(Stopped::Memory);
            }
            for at in self.know(id)?.steps {
                let (what, duty, next) = self.steps[at];
                let is_met = match aim {
                    Aim::State(wanted) => next == wanted,
                    Aim::RidOf(neglected) => duty == Some(neglected) || !self.due(next)?.contains(&neglected),
                };
                if is_met {
                    return Ok(Some(way_back(&came_from, from, id, (Wanted::Just(what), next))));
                }
                if next != from && !came_from.contains_key(&next) {
                    came_from.insert(next, (what, id));
                    queue.push_back(next);
                }
            }
        }
        Ok(None)
    }

    /// What is due all the way round and never done.
    fn neglected(&mut self, start: StateId, round: &[Stage]) -> Result<Option<Duty>, Stopped> {
        let mut due: BTreeSet<Duty> = self.due(start)?.iter().copied().collect();
        let mut before = start;
        for (what, after) in round {
            self.make_room();
            let steps = self.know(before)?.steps;
            let mut steps = self.steps[steps].iter();
            if let Some((_, Some(duty), _)) =
                steps.find(|(it, _, next)| Wanted::Just(*it) == *what && next == after)
            {
                due.remove(duty);
            }
            self.keep_due(&mut due, *after)?;
            before = *after;
        }
        Ok(due.pop_first())
    }

    /// A fair way round from a state. There is one if the part has any.
    fn round(&mut self, start: StateId) -> Result<Option<Vec<Stage>>, Stopped> {
        let mut way: Vec<Stage> = Vec::new();
        loop {
            let end = way.last().map_or(start, |(_, id)| *id);
            let mut round = way.clone();
            if way.is_empty() || end != start {
                let Some(back) = self.way(end, Aim::State(start))? else { return Ok(None) };
                round.extend(back);
            }
            let Some(neglected) = self.neglected(start, &round)? else { return Ok(Some(round)) };
            let Some(detour) = self.way(end, Aim::RidOf(neglected))? else { return Ok(None) };
            way.extend(detour);
        }
    }
}

/// The way from one state to another, and a last step.
fn way_back(
    came_from: &FxHashMap<StateId, (Action, StateId)>,
    from: StateId,
    mut at: StateId,
    last: Stage,
) -> Vec<Stage> {
    let mut way = vec![last];
    while at != from {
        let (what, before) = came_from[&at];
        way.push((Wanted::Just(what), at));
        at = before;
    }
    way.reverse();
    way
}

/// A fair loop through a part, if there is one, as short as a few tries make it.
pub(super) fn fair_loop(
    search: &mut Search<'_>,
    part: &[StateId],
    bounds: Bounds,
) -> Result<Option<(StateId, Vec<Stage>)>, Stopped> {
    with_worker(search, |search, worker| {
        let mut map = Map::new(search, worker, part, bounds);
        if !map.has_fair_run(part)? {
            return Ok(None);
        }
        let mut nearest: Vec<(usize, StateId)> = part.iter().map(|&id| (depth(search, id), id)).collect();
        nearest.sort_unstable();
        let mut best: Option<(usize, StateId, Vec<Stage>)> = None;
        let mut is_cramped = false;
        for &(depth, start) in nearest.iter().take(TRIED) {
            if best.is_some() && is_late(0, bounds.deadline) {
                break; // one will do
            }
            let round = match map.round(start) {
                Ok(Some(round)) => round,
                Ok(None) => continue,
                Err(Stopped::Memory) => {
                    is_cramped = true; // there is one: it may be shorter from elsewhere
                    continue;
                }
                Err(_) if best.is_some() => break,
                Err(stopped) => return Err(stopped),
            };
            let length = depth + round.len();
            if best.as_ref().is_none_or(|(shortest, ..)| length < *shortest) {
                best = Some((length, start, round));
            }
        }
        match best {
            Some((_, start, round)) => Ok(Some((start, round))),
            None if is_cramped => Err(Stopped::Memory),
            None => Ok(None),
        }
    })
}
