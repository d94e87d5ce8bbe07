//! Who led when: how stable leadership was in a run.

use bellwether_core::{Span, Time};
use serde::Serialize;
use std::collections::BTreeSet;

/// How stable leadership was, as an onlooker sees it who sees every live member at once. Members that
/// lie are not looked at; one that is frozen still takes itself for what it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stability {
    /// How often somebody came to lead who was not the last to do so.
    pub changes: u64,
    /// How long nobody led, the first election included.
    pub without_leader: Span,
    /// How long several led at once.
    pub with_several: Span,
    /// The most that led at once.
    pub most_leaders: u32,
}

/// Keeps count while a run runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reign {
    leading: BTreeSet<u32>,
    last: Option<u32>,
    since: Time,
    so_far: Stability,
}

impl Reign {
    /// A member leads from now on, or does not.
    pub fn note(&mut self, now: Time, member: u32, leads: bool) {
        if leads == self.leading.contains(&member) {
            return;
        }
        self.pass_to(now);
        if leads {
            self.leading.insert(member);
            self.so_far.changes += u64::from(self.last.is_some_and(|last| last != member));
            self.last = Some(member);
            self.so_far.most_leaders = self.so_far.most_leaders.max(self.leading.len() as u32);
        } else {
            self.leading.remove(&member);
        }
    }

    fn pass_to(&mut self, now: Time) {
        let passed = now - self.since;
        match self.leading.len() {
            0 => self.so_far.without_leader = self.so_far.without_leader + passed,
            1 => {}
            _ => self.so_far.with_several = self.so_far.with_several + passed,
        }
        self.since = now;
    }

    /// At the end.
    pub fn sum_up(mut self, now: Time) -> Stability {
        self.pass_to(now);
        self.so_far
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_changes_add_up() {
        let at = Time::from_ticks;
        let mut reign = Reign::default();
        reign.note(at(5), 1, true); // nobody for 5
        reign.note(at(5), 1, true);
        reign.note(at(8), 2, true); // two from 8 to 12
        reign.note(at(12), 1, false);
        reign.note(at(20), 2, false); // nobody from 20 to 30
        reign.note(at(30), 2, true); // the same again: no change
        let expected = Stability {
            changes: 1,
            without_leader: Span::from_ticks(15),
            with_several: Span::from_ticks(4),
            most_leaders: 2,
        };
        assert_eq!(reign.clone().sum_up(at(40)), expected);
        reign.note(at(40), 2, false);
        let without_leader = Span::from_ticks(25);
        assert_eq!(reign.sum_up(at(50)), Stability { without_leader, ..expected });
    }
}
