//! Runs that go round for ever.
//!
//! Every run either comes to a state in which nothing is left to happen, or goes on for ever; as there are only so
//! many states, it then goes round in a strongly connected part of them. Such a run counts only if it is *fair*:
//! whatever can happen all the time (a message arrive, a timer run out, a member call, a detector speak, the clock move
//! on, a frozen member wake) does happen some time. Faults need never happen. A part has a fair run through it exactly if everything
//! that is possible in all of its states happens in some step within it (weak fairness: Manna and Pnueli).

mod parts;
mod rounds;

use crate::path::Stage;
use crate::search::{Search, Stopped};
use crate::visited::StateId;
use crate::walk::{BYTES_A_STATE, PerState, all, is_late, with_worker};
use parts::strongly_connected;
use rounds::fair_loop;
use std::time::Duration;

/// What was found out about runs without end.
pub enum Endless {
    /// There are none in which the goal is not reached again and again.
    None,
    /// This one: it comes to the loop's first state by the fewest steps, and then goes round. The loop's last
    /// stage is its first state again.
    Loop { start: StateId, round: Vec<Stage> },
    /// There is a loop, but not everything was followed: others may be.
    Unclear,
    /// Time was up, or there was too little memory.
    Unknown(Stopped),
}

/// How long may be looked for loops, and how many bytes that may take together with the states.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub deadline: Option<Duration>,
    pub memory: u64,
}

impl Bounds {
    /// What is kept for ways round, in bytes.
    pub fn room(self) -> u64 {
        self.memory / 8
    }
}

/// Looks for a fair run in which the goal is not reached for ever.
pub fn find(search: &mut Search<'_>, in_full: bool, bounds: Bounds) -> Endless {
    if !search.turns_back {
        return Endless::None;
    }
    if search.bytes + search.states() * BYTES_A_STATE > bounds.memory {
        return Endless::Unknown(Stopped::Memory);
    }
    find_within(search, in_full, bounds).unwrap_or_else(Endless::Unknown)
}

fn find_within(search: &mut Search<'_>, in_full: bool, bounds: Bounds) -> Result<Endless, Stopped> {
    let goals = goals(search, bounds.deadline).ok_or(Stopped::Time)?;
    let parts = strongly_connected(search, bounds.deadline, |id| !goals[id]).ok_or(Stopped::Time)?;
    let mut best: Option<(usize, StateId, Vec<Stage>)> = None;
    let mut is_cramped = false;
    for part in &parts {
        let (start, round) = match fair_loop(search, part, bounds) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(Stopped::Memory) => {
                is_cramped = true;
                continue;
            }
            Err(_) if best.is_some() => break, // that one will do
            Err(stopped) => return Err(stopped),
        };
        let length = depth(search, start) + round.len();
        if best.as_ref().is_none_or(|(shortest, ..)| length < *shortest) {
            best = Some((length, start, round));
        }
    }
    Ok(match best {
        Some((_, start, round)) => Endless::Loop { start, round },
        None if is_cramped => Endless::Unknown(Stopped::Memory),
        None if in_full => Endless::None,
        None if !parts.is_empty() => Endless::Unclear,
        None => {
            let loops = strongly_connected(search, bounds.deadline, |_| true).ok_or(Stopped::Time)?;
            if loops.is_empty() { Endless::None } else { Endless::Unclear }
        }
    })
}

/// The states in which somebody leads and everyone knows it who should, or no election is required. Nothing if time
/// is up.
fn goals(search: &mut Search<'_>, deadline: Option<Duration>) -> Option<PerState<bool>> {
    with_worker(search, |search, worker| {
        let mut goals = PerState::new(search, false);
        for (visits, id) in (0..).zip(all(search)) {
            if is_late(visits, deadline) {
                return None;
            }
            worker.load(search, id);
            let (parts, now, _) = worker.loaded();
            goals[id] = search.rules.is_at_its_goal(parts, now) || !search.rules.is_required(parts, now);
        }
        Some(goals)
    })
}

/// Steps from the beginning.
fn depth(search: &Search<'_>, id: StateId) -> usize {
    crate::path::stages_to(search, id).len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckOptions, with_check};
    use bellwether_algorithms::chang_roberts::ChangRoberts;
    use bellwether_core::{Elect, Id, Order, Rank, Topology};
    use bellwether_model::FaultBudget;
    use bellwether_sim::Plan;

    /// However little time or memory is left, nobody looks for loops beyond that.
    #[test]
    fn when_time_or_memory_is_up_nothing_is_known() {
        let rank = |id| Rank::new(Elect::Best, 0, Id::new(id).expect("a small id"));
        let ring = Topology::Ring { n: 3, two_way: false };
        let plan = Plan {
            ring_closes: true,
            ..Plan::new(ring, None, [1, 2, 3].map(rank).to_vec(), Order::Explicit)
        };
        let options = CheckOptions {
            liberties: FaultBudget { crashes: 1, ..FaultBudget::NONE },
            reduction: false,
            symmetry: false,
            claims: false,
            threads: 1,
            memory: 1 << 30,
            states: u64::MAX,
            time: None,
        };
        with_check(bellwether_core::MachineType::of::<ChangRoberts>(), &plan, &options, &|_| {}, |check| {
            let (mut search, _) = check.search(false, false);
            let now = Some(crate::clock::now());
            let bounds = [(None, 1 << 24), (now, 1 << 24), (None, 512)];
            let [enough, late, cramped] = bounds.map(|(deadline, memory)| Bounds { deadline, memory });
            assert!(matches!(find(&mut search, true, enough), Endless::Loop { .. }));
            assert!(matches!(find(&mut search, true, late), Endless::Unknown(Stopped::Time)));
            assert!(matches!(find(&mut search, true, cramped), Endless::Unknown(Stopped::Memory)));
            let goals = goals(&mut search, None).expect("there is time");
            let parts = strongly_connected(&mut search, None, |id| !goals[id]).expect("there is time");
            let part = parts.first().expect("there is a loop");
            assert!(fair_loop(&mut search, part, enough).is_ok_and(|it| it.is_some()));
            assert!(matches!(fair_loop(&mut search, part, late), Err(Stopped::Time)));
            assert!(matches!(fair_loop(&mut search, part, cramped), Err(Stopped::Memory)));
        });
    }
}
