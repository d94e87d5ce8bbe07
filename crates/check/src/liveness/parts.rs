//! Parts of the states in which a run can go round for ever.

use crate::search::Search;
use crate::visited::StateId;
use crate::walk::{PerState, all, is_late, with_worker};
use crate::worker::Worker;
use std::time::Duration;

/// The parts in which every state leads to every other, among those that count: without lone states that do not
/// lead to themselves. (Tarjan, *Depth-first search and linear graph algorithms*, 1972, without recursion.) Nothing
/// if time is up.
pub(super) fn strongly_connected(
    search: &mut Search<'_>,
    deadline: Option<Duration>,
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
    deadline: Option<Duration>,
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
