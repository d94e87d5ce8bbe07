//! Events that are no messages of peers, until the caller takes them.

use super::Incoming;
use std::collections::VecDeque;

/// So much may wait to be taken; then only what matters is kept. A member whose disk stalls asks for nothing, perhaps for
/// hours, and strangers come and go.
const MOST: usize = 1_024;

#[derive(Debug, Default)]
pub(super) struct EventQueue(VecDeque<Incoming<'static>>);

impl EventQueue {
    pub fn push(&mut self, new: Incoming<'static>) {
        if self.0.len() >= MOST {
            match new {
                Incoming::Refused { .. } | Incoming::NewStore { .. } => return,
                // Only whether the peer is connected now counts, not how often it has come and gone before.
                Incoming::Up { peer, .. } | Incoming::Down { peer, .. } => self.0.retain(|old| {
                    !matches!(*old, Incoming::Up { peer: it, .. } | Incoming::Down { peer: it, .. } if it == peer)
                }),
                _ => {}
            }
        }
        self.0.push_back(new);
    }

    pub fn pop(&mut self) -> Option<Incoming<'static>> {
        self.0.pop_front()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CloseReason, Party};
    use super::*;
    use crate::Incarnation;
    use bellwether_core::Id;

    #[test]
    fn however_much_happens_what_waits_is_bounded_and_ends_as_it_did() {
        let [one, other] = [1, 2].map(|id| Id::new(id).unwrap());
        let up = |peer| Incoming::Up { peer, incarnation: Incarnation { boot: 1, nonce: 1 } };
        let mut happened = EventQueue::default();
        happened.push(up(other));
        happened.push(Incoming::Dead { peer: one, incarnation: Incarnation { boot: 1, nonce: 1 } });
        for _ in 0..5 * MOST {
            happened.push(up(one));
            happened.push(Incoming::Down { peer: one, why: CloseReason::Closed });
            happened
                .push(Incoming::Refused { from: Party::Member(other), why: "as the test says".to_owned() });
        }
        happened.push(up(one));
        assert!(happened.len() <= MOST + 1, "{}", happened.len());
        let all: Vec<_> = std::iter::from_fn(|| happened.pop()).collect();
        assert!(matches!(all[0], Incoming::Up { peer, .. } if peer == other));
        assert!(matches!(all[1], Incoming::Dead { peer, .. } if peer == one));
        assert!(matches!(all.last(), Some(Incoming::Up { peer, .. }) if *peer == one));
    }
}
