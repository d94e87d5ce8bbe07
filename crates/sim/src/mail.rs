//! What arrives in one round.

use bellwether_core::{NEXT, PREV, Port, Topology};

/// Messages of one round, by receiver.
pub trait Mail<M> {
    /// Room for the mail of `n` members.
    fn new(n: u32) -> Self;

    /// Where the other end of a member's port is, in the networks that this mail is for.
    fn peer(topology: &Topology, member: u32, port: Port) -> (u32, Port);

    /// Puts a message in.
    fn post(&mut self, to: u32, port: Port, msg: M);

    /// Whether there are none.
    fn is_empty(&self) -> bool;

    /// Calls `visit` once for each member that has mail, with all of it in the order of ports.
    fn deliver(&self, visit: impl FnMut(u32, &[(Port, M)]));

    /// Keeps of `members` (in rising order) those that have no mail.
    fn retain_without(&self, members: &mut Vec<u32>);

    /// Forgets everything.
    fn clear(&mut self);
}

/// For one-way rings, in which a member hears from one other.
///
/// Receivers are kept as runs of neighbours, because whoever spoke in turn is heard in turn.
#[derive(Clone, Debug)]
pub struct RingMail<M> {
    messages: Vec<(Port, M)>,
    /// Runs of receivers but the last: the first of each, and one past its last.
    runs: Vec<(u32, u32)>,
    last_run: (u32, u32),
}

impl<M> RingMail<M> {
    fn all_runs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.runs.iter().copied().chain([self.last_run])
    }

    #[inline(never)]
    fn begin_run(&mut self, to: u32) {
        if self.last_run.0 != self.last_run.1 {
            self.runs.push(self.last_run);
        }
        self.last_run = (to, to);
    }
}

impl<M> Mail<M> for RingMail<M> {
    fn new(n: u32) -> Self {
        RingMail { messages: Vec::with_capacity(n as usize), runs: Vec::new(), last_run: (0, 0) }
    }

    #[inline(always)]
    fn peer(topology: &Topology, member: u32, port: Port) -> (u32, Port) {
        let Topology::Ring { n, two_way: false } = *topology else { unreachable!("mail for one-way rings") };
        assert!(port == NEXT, "in a one-way ring a member sends clockwise");
        (if member + 1 == n { 0 } else { member + 1 }, PREV)
    }

    #[inline(always)]
    fn post(&mut self, to: u32, port: Port, msg: M) {
        if to != self.last_run.1 {
            self.begin_run(to);
        }
        self.last_run.1 += 1;
        self.messages.push((port, msg));
    }

    fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    #[inline(always)]
    fn deliver(&self, mut visit: impl FnMut(u32, &[(Port, M)])) {
        let mut rest = self.messages.as_slice();
        for (first, end) in self.all_runs() {
            let (of_run, others) = rest.split_at((end - first) as usize);
            rest = others;
            for (to, message) in (first..end).zip(of_run) {
                visit(to, std::slice::from_ref(message));
            }
        }
    }

    fn retain_without(&self, members: &mut Vec<u32>) {
        if members.is_empty() || self.is_empty() {
            return;
        }
        let mut runs: Vec<(u32, u32)> = self.all_runs().collect();
        runs.sort_unstable();
        members.retain(|&member| {
            let before = runs.partition_point(|&(first, _)| first <= member);
            before == 0 || runs[before - 1].1 <= member
        });
    }

    fn clear(&mut self) {
        self.messages.clear();
        self.runs.clear();
        self.last_run = (0, 0);
    }
}

const NONE: u32 = u32::MAX;

/// For all other networks: for each member a chain of messages.
#[derive(Clone, Debug)]
pub struct ChainedMail<M> {
    messages: Vec<(Port, M)>,
    receivers: Vec<u32>,
    /// For each message, the one before it in its receiver's chain.
    earlier: Vec<u32>,
    /// For each member, its last message.
    last: Vec<u32>,
}

impl<M: Clone> Mail<M> for ChainedMail<M> {
    fn new(n: u32) -> Self {
        let last = vec![NONE; n as usize];
        ChainedMail { messages: Vec::new(), receivers: Vec::new(), earlier: Vec::new(), last }
    }

    #[inline(always)]
    fn peer(topology: &Topology, member: u32, port: Port) -> (u32, Port) {
        topology.peer(member, port)
    }

    #[inline(always)]
    fn post(&mut self, to: u32, port: Port, msg: M) {
        let at = self.messages.len() as u32;
        self.messages.push((port, msg));
        self.receivers.push(to);
        self.earlier.push(std::mem::replace(&mut self.last[to as usize], at));
    }

    fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    #[inline(always)]
    fn deliver(&self, mut visit: impl FnMut(u32, &[(Port, M)])) {
        let mut inbox = Vec::new();
        for (at, &to) in self.receivers.iter().enumerate() {
            // Each receiver is visited once: at its last message.
            if self.last[to as usize] != at as u32 {
                continue;
            }
            if self.earlier[at] == NONE {
                visit(to, std::slice::from_ref(&self.messages[at]));
                continue;
            }
            inbox.clear();
            let mut link = at as u32;
            while link != NONE {
                inbox.push(self.messages[link as usize].clone());
                link = self.earlier[link as usize];
            }
            inbox.sort_by_key(|(port, _)| *port);
            visit(to, &inbox);
        }
    }

    fn retain_without(&self, members: &mut Vec<u32>) {
        members.retain(|&member| self.last[member as usize] == NONE);
    }

    fn clear(&mut self) {
        for &to in &self.receivers {
            self.last[to as usize] = NONE;
        }
        self.messages.clear();
        self.receivers.clear();
        self.earlier.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inboxes<T: Mail<char>>(posts: &[(u32, u32, char)]) -> (Vec<(u32, String)>, Vec<u32>) {
        let mut mail = T::new(10);
        for _ in 0..2 {
            mail.clear(); // the second time round shows that clearing forgets everything
            for &(to, port, msg) in posts {
                mail.post(to, Port(port), msg);
            }
        }
        let mut seen = Vec::new();
        mail.deliver(|to, inbox| seen.push((to, inbox.iter().map(|(_, msg)| msg).collect())));
        seen.sort();
        let mut without = (0..10).collect();
        mail.retain_without(&mut without);
        (seen, without)
    }

    #[test]
    fn everyone_gets_its_own_in_the_order_of_ports() {
        let ring = [(3, 1, 'a'), (4, 1, 'b'), (8, 1, 'c'), (9, 1, 'd'), (0, 1, 'e'), (1, 1, 'f')];
        let expected: Vec<(u32, String)> = [(0, "e"), (1, "f"), (3, "a"), (4, "b"), (8, "c"), (9, "d")]
            .map(|(to, msg)| (to, msg.to_owned()))
            .into();
        assert_eq!(inboxes::<RingMail<char>>(&ring), (expected.clone(), vec![2, 5, 6, 7]));
        assert_eq!(inboxes::<ChainedMail<char>>(&ring), (expected, vec![2, 5, 6, 7]));
        let web = [(3, 2, 'z'), (5, 0, 'x'), (3, 0, 'a'), (3, 1, 'm')];
        let expected = vec![(3, "amz".to_owned()), (5, "x".to_owned())];
        assert_eq!(inboxes::<ChainedMail<char>>(&web), (expected, vec![0, 1, 2, 4, 6, 7, 8, 9]));
        assert_eq!(inboxes::<RingMail<char>>(&[]), (vec![], (0..10).collect()));
    }
}
