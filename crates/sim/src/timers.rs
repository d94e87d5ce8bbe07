//! Members' pending timers, in the order of time.

use bellwether_core::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pending timers. A member has at most one of each value; setting it again replaces it.
#[derive(Clone, Debug)]
pub struct Timers<T> {
    /// Time, number, member; those whose number is no longer pending are passed over.
    due: BinaryHeap<Reverse<(Time, u64, u32)>>,
    /// For each member, its pending timers with their numbers and when they run out; empty until the
    /// first is set.
    pending: Vec<Vec<(T, u64, Time)>>,
    numbered: u64,
}

impl<T: Eq> Timers<T> {
    /// No timers.
    #[must_use]
    pub fn new() -> Self {
        Timers { due: BinaryHeap::new(), pending: Vec::new(), numbered: 0 }
    }

    /// Sets a member's timer, in place of a pending one of the same value.
    pub fn set(&mut self, member: u32, timer: T, at: Time) {
        self.cancel(member, &timer);
        if self.pending.len() <= member as usize {
            self.pending.resize_with(member as usize + 1, Vec::new);
        }
        self.pending[member as usize].push((timer, self.numbered, at));
        self.due.push(Reverse((at, self.numbered, member)));
        self.numbered += 1;
    }

    /// Forgets a member's timer of this value, if it is pending.
    pub fn cancel(&mut self, member: u32, timer: &T) {
        if let Some(pending) = self.pending.get_mut(member as usize) {
            pending.retain(|(other, ..)| other != timer);
        }
    }

    /// Forgets all timers of a member.
    pub fn clear(&mut self, member: u32) {
        if let Some(pending) = self.pending.get_mut(member as usize) {
            pending.clear();
        }
    }

    /// Changes when a member's timers run out: its clock has changed.
    pub fn reschedule(&mut self, member: u32, when: impl Fn(Time) -> Time) {
        let Some(pending) = self.pending.get_mut(member as usize) else { return };
        for (_, number, at) in pending {
            *at = when(*at);
            *number = self.numbered;
            self.due.push(Reverse((*at, self.numbered, member)));
            self.numbered += 1;
        }
    }

    /// When a member's timer of this value runs out, if it is pending.
    pub fn runs_out_at(&self, member: u32, timer: &T) -> Option<Time> {
        let pending = self.pending.get(member as usize)?;
        pending.iter().find(|(other, ..)| other == timer).map(|(.., at)| *at)
    }

    /// When the next timer runs out.
    pub fn next_time(&mut self) -> Option<Time> {
        while let Some(&Reverse((at, number, member))) = self.due.peek() {
            if self.pending[member as usize].iter().any(|(_, pending, _)| *pending == number) {
                return Some(at);
            }
            self.due.pop();
        }
        None
    }

    /// Takes out a timer that runs out at this time, if any: its member, and which it is.
    pub fn pop_at(&mut self, now: Time) -> Option<(u32, T)> {
        if self.next_time()? != now {
            return None;
        }
        let Reverse((_, number, member)) = self.due.pop()?;
        let pending = &mut self.pending[member as usize];
        let at = pending.iter().position(|(_, pending, _)| *pending == number)?;
        Some((member, pending.swap_remove(at).0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_replaced_forgotten_and_run_out_in_order() {
        let at = Time::from_ticks;
        let mut timers = Timers::new();
        timers.set(1, 'a', at(5));
        timers.set(0, 'a', at(5));
        timers.set(1, 'b', at(3));
        timers.set(1, 'a', at(7)); // replaces the first
        timers.set(2, 'c', at(1));
        timers.cancel(2, &'c');
        timers.set(3, 'd', at(2));
        timers.clear(3);
        assert_eq!(timers.runs_out_at(1, &'a'), Some(at(7)));
        assert_eq!([timers.runs_out_at(2, &'c'), timers.runs_out_at(9, &'a')], [None, None]);
        let mut seen = Vec::new();
        while let Some(now) = timers.next_time() {
            assert_eq!(timers.pop_at(at(now.ticks() - 1)), None, "not before its time");
            seen.push((now.ticks(), timers.pop_at(now).unwrap()));
        }
        assert_eq!(seen, [(3, (1, 'b')), (5, (0, 'a')), (7, (1, 'a'))]);
    }
}
