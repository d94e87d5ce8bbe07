//! Runs that go round for ever.
//!
//! Every run either comes to a state in which nothing is left to happen, or goes on for ever; as there are only so
//! many states, it then goes round in a strongly connected part of them. Such a run counts only if it is *fair*:
//! whatever can happen all the time (a message arrive, a timer run out, a member call, a detector speak, the clock move
//! on, a frozen member wake) does happen some time. Faults need never happen. A part has a fair run through it exactly if everything
//! that is possible in all of its states happens in some step within it (weak fairness: Manna and Pnueli).

use crate::path::{Stage, Wanted};
use crate::search::Search;
use crate::visited::StateId;
use crate::walk::{PerState, all, is_late, with_worker};
use crate::worker::Worker;
use bellwether_sim::LinkOrder;
use bellwether_sim::rules::What;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

/// How many states of a part are tried as the beginning of a short loop.
const TRIED: usize = 64;

/// What was found out about runs without end.
pub enum Endless {
    /// There are none in which the goal is not reached again and again.
    None,
    /// This one: it comes to the loop's first state by the fewest steps, and then goes round. The loop's last
    /// stage is its first state again.
    Loop { start: StateId, round: Vec<Stage> },
    /// There is a loop, but not everything was followed: others may be.
    Unclear,
    /// Time was up.
    Unknown,
}

/// Looks for a fair run in which the goal is not reached for ever.
pub fn find(search: &mut Search<'_>, in_full: bool, deadline: Option<Instant>) -> Endless {
    if !search.turns_back {
        return Endless::None;
    }
    find_in_time(search, in_full, deadline).unwrap_or(Endless::Unknown)
}

/// The same; nothing if time is up.
fn find_in_time(search: &mut Search<'_>, in_full: bool, deadline: Option<Instant>) -> Option<Endless> {
    let goals = goals(search, deadline)?;
    let parts = strongly_connected(search, deadline, |id| !goals[id])?;
    let mut best: Option<(usize, StateId, Vec<Stage>)> = None;
    for part in &parts {
        let (start, round) = match fair_loop(search, part, deadline) {
            Some(Some(found)) => found,
            Some(None) => continue,
            None if best.is_some() => break, // that one will do
            None => return None,
        };
        let length = depth(search, start) + round.len();
        if best.as_ref().is_none_or(|(shortest, ..)| length < *shortest) {
            best = Some((length, start, round));
        }
    }
    Some(match best {
        Some((_, start, round)) => Endless::Loop { start, round },
        None if in_full => Endless::None,
        None if !parts.is_empty() => Endless::Unclear,
        None if strongly_connected(search, deadline, |_| true)?.is_empty() => Endless::None,
        None => Endless::Unclear,
    })
}

/// The states in which somebody leads and everyone knows it who should. Nothing if time is up.
fn goals(search: &mut Search<'_>, deadline: Option<Instant>) -> Option<PerState<bool>> {
    with_worker(search, |search, worker| {
        let mut goals = PerState::new(search, false);
        for (visits, id) in (0..).zip(all(search)) {
            if is_late(visits, deadline) {
                return None;
            }
            worker.load(search, id);
            let (parts, now, _) = worker.loaded();
            goals[id] = search.rules.is_at_its_goal(parts, now);
        }
        Some(goals)
    })
}

/// Steps from the beginning.
fn depth(search: &Search<'_>, id: StateId) -> usize {
    crate::path::stages_to(search, id).len() - 1
}

/// The parts in which every state leads to every other, among those that count: without lone states that do not
/// lead to themselves. (Tarjan, *Depth-first search and linear graph algorithms*, 1972, without recursion.) Nothing
/// if time is up.
fn strongly_connected(
    search: &mut Search<'_>,
    deadline: Option<Instant>,
    counts: impl Fn(StateId) -> bool,
) -> Option<Vec<Vec<StateId>>> {
    with_worker(search, |search, worker| {
        let unmet = Meeting { order: 0, earliest: 0, is_waiting: false, leads_to_itself: false };
        let met = PerState::new(search, unmet);
        let mut tarjan = Tarjan { met, count: 0, waiting: Vec::new(), parts: Vec::new(), deadline };
        for root in all(search).filter(|id| counts(*id)) {
            tarjan.visit(search, worker, &counts, root)?;
        }
        Some(tarjan.parts)
    })
}

struct Tarjan {
    met: PerState<Meeting>,
    /// How many have been met.
    count: u32,
    waiting: Vec<StateId>,
    parts: Vec<Vec<StateId>>,
    deadline: Option<Instant>,
}

/// A state that was met.
#[derive(Clone, Copy)]
struct Meeting {
    /// When, from 1; 0 if it was not.
    order: u32,
    /// The earliest that it leads back to.
    earliest: u32,
    /// Whether its part is not complete yet.
    is_waiting: bool,
    leads_to_itself: bool,
}

/// A state on the way, with its share of the list of what comes next: where it begins, and how far it has come.
struct Stop {
    id: StateId,
    from: usize,
    at: usize,
}

impl Tarjan {
    fn visit<'p>(
        &mut self,
        search: &Search<'p>,
        worker: &mut Worker<'p>,
        counts: &impl Fn(StateId) -> bool,
        root: StateId,
    ) -> Option<()> {
        let (mut way, mut ahead) = (Vec::new(), Vec::new());
        let mut next = Some(root).filter(|root| self.met[*root].order == 0);
        loop {
            if let Some(id) = next.take() {
                way.push(self.meet(search, worker, counts, id, &mut ahead)?);
            }
            let Some(Stop { id, from, at }) = way.last_mut() else { return Some(()) };
            if let Some(&ahead) = ahead.get(*at) {
                *at += 1;
                let meeting = self.met[ahead];
                if meeting.order == 0 {
                    next = Some(ahead);
                } else if meeting.is_waiting {
                    self.reaches(*id, meeting.order);
                }
                continue;
            }
            let id = *id;
            ahead.truncate(*from);
            way.pop();
            let meeting = self.met[id];
            if let Some(before) = way.last() {
                self.reaches(before.id, meeting.earliest);
            }
            if meeting.earliest == meeting.order {
                self.close(id, meeting.leads_to_itself);
            }
        }
    }

    /// Meets a state, and adds what it leads to. Nothing if time is up.
    fn meet<'p>(
        &mut self,
        search: &Search<'p>,
        worker: &mut Worker<'p>,
        counts: &impl Fn(StateId) -> bool,
        id: StateId,
        ahead: &mut Vec<StateId>,
    ) -> Option<Stop> {
        let from = ahead.len();
        let mut leads_to_itself = false;
        search.successors(worker, id, |_, next| {
            leads_to_itself |= next == id;
            if counts(next) {
                ahead.push(next);
            }
        });
        self.count += 1;
        self.met[id] = Meeting { order: self.count, earliest: self.count, is_waiting: true, leads_to_itself };
        self.waiting.push(id);
        (!is_late(self.count, self.deadline)).then_some(Stop { id, from, at: from })
    }

    fn reaches(&mut self, id: StateId, earlier: u32) {
        let meeting = &mut self.met[id];
        meeting.earliest = meeting.earliest.min(earlier);
    }

    /// A part is complete: all that wait since its first state.
    fn close(&mut self, first: StateId, leads_to_itself: bool) {
        let begins = self.waiting.iter().rposition(|id| *id == first).unwrap_or(0);
        let part = self.waiting.split_off(begins);
        part.iter().for_each(|id| self.met[*id].is_waiting = false);
        if part.len() > 1 || leads_to_itself {
            self.parts.push(part);
        }
    }
}

/// Something that must happen some time if it is possible all the time.
type Duty = (u8, u8, u64);

fn duty(search: &Search<'_>, worker: &mut Worker<'_>, what: What) -> Option<Duty> {
    let (parts, now, _) = worker.loaded();
    match what {
        What::Boot(member) => Some((5, member, 0)),
        What::Call(member) => Some((0, member, 0)),
        What::Deliver(wire, _) if search.rules.plan.links == LinkOrder::Fifo => Some((1, wire, 0)),
        What::Deliver(wire, place) => Some((1, wire, parts.hash_at(now.queues[wire as usize], place))),
        What::TimeOut(member, timer) => {
            Some((2, member, parts.timer_hash(now.seats[member as usize], timer)))
        }
        What::Tell(member, port, _) => Some((3, member, port.into())),
        What::Tick => Some((4, 0, 0)),
        What::Wake(member) => Some((6, member, 0)),
        What::Crash(_) | What::Recover(_) | What::Lose(..) | What::Duplicate(..) => None,
        What::Pause(_) | What::Ask(..) | What::Certify(_) => None,
    }
}

/// A part's states, what is due in each, and where each step within it leads.
struct Map {
    due: FxHashMap<StateId, BTreeSet<Duty>>,
    steps: FxHashMap<StateId, Vec<(What, Option<Duty>, StateId)>>,
}

impl Map {
    /// Nothing if time is up.
    fn new(search: &mut Search<'_>, part: &[StateId], deadline: Option<Instant>) -> Option<Map> {
        let inside: FxHashSet<StateId> = part.iter().copied().collect();
        with_worker(search, |search, worker| {
            let (mut due, mut steps) = (FxHashMap::default(), FxHashMap::default());
            for (visits, &id) in (0..).zip(part) {
                if is_late(visits, deadline) {
                    return None;
                }
                let mut found = Vec::new();
                search.successors(worker, id, |what, next| {
                    if inside.contains(&next) {
                        found.push((what, next));
                    }
                });
                worker.load(search, id);
                let possible = worker.loaded().2.to_vec();
                let duties = possible.into_iter().filter_map(|what| duty(search, worker, what)).collect();
                due.insert(id, duties);
                let named = found.into_iter().map(|(what, next)| (what, duty(search, worker, what), next));
                steps.insert(id, named.collect::<Vec<_>>());
            }
            Some(Map { due, steps })
        })
    }

    /// Duties that are due in all of these states.
    fn always_due<'a>(&self, mut states: impl Iterator<Item = &'a StateId>) -> BTreeSet<Duty> {
        let first = states.next().map(|id| self.due[id].clone()).unwrap_or_default();
        states.fold(first, |all, id| &all & &self.due[id])
    }

    /// The shortest way from a state to a step (with the state it starts from) that is wanted, that step included.
    fn way(
        &self,
        from: StateId,
        wanted: impl Fn(StateId, Option<Duty>, StateId) -> bool,
    ) -> Option<Vec<Stage>> {
        let mut came_from: FxHashMap<StateId, (What, StateId)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        let back = |came_from: &FxHashMap<StateId, (What, StateId)>, mut at: StateId| {
            let mut way = Vec::new();
            while at != from {
                let (what, before) = came_from[&at];
                way.push((Wanted::Just(what), at));
                at = before;
            }
            way.reverse();
            way
        };
        while let Some(id) = queue.pop_front() {
            for &(what, duty, next) in &self.steps[&id] {
                if wanted(id, duty, next) {
                    let mut way = back(&came_from, id);
                    way.push((Wanted::Just(what), next));
                    return Some(way);
                }
                if next != from && !came_from.contains_key(&next) {
                    came_from.insert(next, (what, id));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// What is due all the way round and never done.
    fn neglected(&self, start: StateId, round: &[Stage]) -> Option<Duty> {
        let states: Vec<StateId> = std::iter::once(start).chain(round.iter().map(|(_, id)| *id)).collect();
        let mut due = self.always_due(states.iter());
        for (before, (what, after)) in states.iter().zip(round) {
            let step =
                self.steps[before].iter().find(|(it, _, next)| Wanted::Just(*it) == *what && next == after);
            if let Some((_, Some(duty), _)) = step {
                due.remove(duty);
            }
        }
        due.into_iter().next()
    }

    /// A fair way round from a state. There is one if the part has any.
    fn round(&self, start: StateId) -> Option<Vec<Stage>> {
        let mut way: Vec<Stage> = Vec::new();
        loop {
            let end = way.last().map_or(start, |(_, id)| *id);
            let mut round = way.clone();
            if way.is_empty() || end != start {
                round.extend(self.way(end, |_, _, next| next == start)?);
            }
            let Some(neglected) = self.neglected(start, &round) else { return Some(round) };
            // On the way, either do it or come to where it is not due.
            let detour = self
                .way(end, |_, duty, next| duty == Some(neglected) || !self.due[&next].contains(&neglected))?;
            way.extend(detour);
        }
    }
}

/// A fair loop through a part, if there is one, as short as a few tries make it. Nothing if time is up.
fn fair_loop(
    search: &mut Search<'_>,
    part: &[StateId],
    deadline: Option<Instant>,
) -> Option<Option<(StateId, Vec<Stage>)>> {
    let map = Map::new(search, part, deadline)?;
    let done: BTreeSet<Duty> = map.steps.values().flatten().filter_map(|(_, duty, _)| *duty).collect();
    if !map.always_due(part.iter()).is_subset(&done) {
        return Some(None);
    }
    let mut nearest: Vec<(usize, StateId)> = part.iter().map(|&id| (depth(search, id), id)).collect();
    nearest.sort_unstable();
    let mut best: Option<(usize, StateId, Vec<Stage>)> = None;
    for &(depth, start) in nearest.iter().take(TRIED) {
        if best.is_some() && is_late(0, deadline) {
            break; // one will do
        }
        let Some(round) = map.round(start) else { continue };
        let length = depth + round.len();
        if best.as_ref().is_none_or(|(shortest, ..)| length < *shortest) {
            best = Some((length, start, round));
        }
    }
    Some(best.map(|(_, start, round)| (start, round)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Wishes, with_check};
    use bellwether_algorithms::chang_roberts::ChangRoberts;
    use bellwether_core::{Elect, Id, Order, Rank, Topology};
    use bellwether_sim::Plan;
    use bellwether_sim::rules::Liberties;

    /// However little time is left, nobody looks for loops for longer.
    #[test]
    fn when_time_is_up_nothing_is_known() {
        let rank = |id| Rank::new(Elect::Best, 0, Id::new(id).expect("a small id"));
        let ring = Topology::Ring { n: 3, two_way: false };
        let plan = Plan {
            ring_closes: true,
            ..Plan::new(ring, None, [1, 2, 3].map(rank).to_vec(), Order::Explicit)
        };
        let wishes = Wishes {
            liberties: Liberties { crashes: 1, ..Liberties::NONE },
            reduction: false,
            symmetry: false,
            claims: false,
            threads: 1,
            memory: 1 << 30,
            states: u64::MAX,
            time: None,
        };
        with_check::<ChangRoberts, _>(&plan, &wishes, &|_| {}, |check| {
            let (mut search, _) = check.search(false, false);
            let up = Some(Instant::now());
            assert!(matches!(find(&mut search, true, None), Endless::Loop { .. }));
            assert!(matches!(find(&mut search, true, up), Endless::Unknown));
            let goals = goals(&mut search, None).expect("there is time");
            let parts = strongly_connected(&mut search, None, |id| !goals[id]).expect("there is time");
            let part = parts.first().expect("there is a loop");
            assert!(fair_loop(&mut search, part, None).is_some());
            assert!(fair_loop(&mut search, part, up).is_none());
        });
    }
}
