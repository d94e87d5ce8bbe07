//! Messages that wait inside a member: those to itself, and those that came before it had started.

use bellwether_core::Port;
use std::collections::VecDeque;

/// So many messages, and so many bytes of them, can come before a member has started. What is more is lost, as on any
/// network.
const MOST_EARLY: (usize, usize) = (4_096, 1024 * 1024);

/// Messages in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct WaitingMessages {
    waiting: VecDeque<(Port, Vec<u8>)>,
    bytes: usize,
}

impl WaitingMessages {
    /// A message of the member's own.
    pub(super) fn put(&mut self, port: Port, msg: &[u8]) {
        self.bytes += msg.len();
        self.waiting.push_back((port, msg.to_vec()));
    }

    /// A message of a peer, if there is room for it.
    pub(super) fn put_early(&mut self, port: Port, msg: &[u8]) {
        let (messages, bytes) = MOST_EARLY;
        if self.waiting.len() < messages && self.bytes + msg.len() <= bytes {
            self.put(port, msg);
        }
    }

    pub(super) fn take(&mut self) -> Option<(Port, Vec<u8>)> {
        let (port, msg) = self.waiting.pop_front()?;
        self.bytes -= msg.len();
        Some((port, msg))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many early messages of this length are kept, of very many.
    fn kept(length: usize) -> usize {
        let mut messages = WaitingMessages::default();
        (0..10_000).for_each(|_| messages.put_early(Port(0), &vec![7; length]));
        std::iter::from_fn(|| messages.take()).count()
    }

    #[test]
    fn early_messages_are_kept_up_to_a_number_and_up_to_a_mebibyte() {
        assert_eq!(kept(10), 4_096);
        assert_eq!(kept(16 * 1024), 64);
    }

    #[test]
    fn taken_messages_make_room() {
        let mut messages = WaitingMessages::default();
        for round in 0..200 {
            messages.put_early(Port(round), &[1; 16 * 1024]);
            assert_eq!(messages.take(), Some((Port(round), vec![1; 16 * 1024])));
        }
        assert_eq!(messages.take(), None);
    }
}
