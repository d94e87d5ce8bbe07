//! What arrives in one round.

use bellwether_core::{NEXT, PREV, Port, Topology};
use std::ops::Range;

/// Messages of one round, by receiver.
pub trait Mail<M> {
    /// Room for the mail of a network's members.
    fn new(topology: &Topology) -> Self;

    /// Puts in a message that leaves a member by a port. Senders come in rising order in a round, each with a few.
    fn post(&mut self, topology: &Topology, from: u32, port: Port, msg: M);

    /// Whether there are none.
    fn is_empty(&self) -> bool;

    /// Calls `visit` once for each member that has mail, with what is its own of `members` and all of its mail in the order of
    /// ports. Then there is none.
    fn deliver<T>(&mut self, members: &mut [T], visit: impl FnMut(u32, &mut T, &[(Port, M)]));

    /// Keeps of `members` (in rising order) those that have no mail.
    fn retain_without(&self, members: &mut Vec<u32>);
}

/// For one-way rings, in which a member hears from one other.
///
/// Senders are kept as runs of neighbours, because members that are heard in turn speak in turn.
#[derive(Clone, Debug)]
pub struct RingMail<M> {
    n: u32,
    messages: Vec<M>,
    /// Runs of senders but the last: the first of each, and one past its last.
    runs: Vec<(u32, u32)>,
    last_run: (u32, u32),
}

impl<M> RingMail<M> {
    #[inline(never)]
    fn begin_run(&mut self, from: u32) {
        if self.last_run.0 != self.last_run.1 {
            self.runs.push(self.last_run);
        }
        self.last_run = (from, from);
    }
}

/// The receivers of a run of senders: each sender's next, where the first member comes after the last of `n`.
fn receivers((first, end): (u32, u32), n: u32) -> [Range<u32>; 2] {
    if end < n || first == end { [first + 1..end + 1, 0..0] } else { [first + 1..n, 0..1] }
}

impl<M> Mail<M> for RingMail<M> {
    fn new(topology: &Topology) -> Self {
        let Topology::Ring { n, two_way: false } = *topology else { unreachable!("mail for one-way rings") };
        RingMail { n, messages: Vec::with_capacity(n as usize), runs: Vec::new(), last_run: (0, 0) }
    }

    #[inline(always)]
    fn post(&mut self, _: &Topology, from: u32, port: Port, msg: M) {
        assert!(port == NEXT, "in a one-way ring a member sends clockwise");
        if from != self.last_run.1 {
            self.begin_run(from);
        }
        self.last_run.1 += 1;
        self.messages.push(msg);
    }

    fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    #[inline(always)]
    fn deliver<T>(&mut self, members: &mut [T], mut visit: impl FnMut(u32, &mut T, &[(Port, M)])) {
        let (n, last_run) = (self.n, std::mem::take(&mut self.last_run));
        let mut messages = self.messages.drain(..);
        for to in self.runs.drain(..).chain([last_run]).flat_map(|run| receivers(run, n)) {
            let of_run = &mut members[to.start as usize..to.end as usize];
            for ((to, member), msg) in to.zip(of_run).zip(messages.by_ref()) {
                visit(to, member, &[(PREV, msg)]);
            }
        }
    }

    fn retain_without(&self, members: &mut Vec<u32>) {
        if members.is_empty() || self.is_empty() {
            return;
        }
        let runs = self.runs.iter().copied().chain([self.last_run]);
        let mut runs: Vec<_> =
            runs.flat_map(|run| receivers(run, self.n)).filter(|run| !run.is_empty()).collect();
        runs.sort_unstable_by_key(|run| run.start);
        members.retain(|&member| {
            let before = runs.partition_point(|run| run.start <= member);
            before == 0 || runs[before - 1].end <= member
        });
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
    fn new(topology: &Topology) -> Self {
        let last = vec![NONE; topology.n() as usize];
        ChainedMail { messages: Vec::new(), receivers: Vec::new(), earlier: Vec::new(), last }
    }

    #[inline(always)]
    fn post(&mut self, topology: &Topology, from: u32, port: Port, msg: M) {
        let (to, port) = topology.peer(from, port);
        let at = self.messages.len() as u32;
        self.messages.push((port, msg));
        self.receivers.push(to);
        self.earlier.push(std::mem::replace(&mut self.last[to as usize], at));
    }

    fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    #[inline(always)]
    fn deliver<T>(&mut self, members: &mut [T], mut visit: impl FnMut(u32, &mut T, &[(Port, M)])) {
        let mut inbox = Vec::new();
        for (at, &to) in self.receivers.iter().enumerate() {
            // Each receiver is visited once: at its last message.
            if self.last[to as usize] != at as u32 {
                continue;
            }
            if self.earlier[at] == NONE {
                visit(to, &mut members[to as usize], std::slice::from_ref(&self.messages[at]));
                continue;
            }
            inbox.clear();
            let mut link = at as u32;
            while link != NONE {
                inbox.push(self.messages[link as usize].clone());
                link = self.earlier[link as usize];
            }
            inbox.sort_by_key(|(port, _)| *port);
            visit(to, &mut members[to as usize], &inbox);
        }
        self.clear();
    }

    fn retain_without(&self, members: &mut Vec<u32>) {
        members.retain(|&member| self.last[member as usize] == NONE);
    }
}

impl<M> ChainedMail<M> {
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

    fn inboxes<T: Mail<char>>(
        topology: &Topology,
        posts: &[(u32, Port, char)],
    ) -> (Vec<(u32, String)>, Vec<u32>) {
        let mut mail = T::new(topology);
        let mut members: Vec<u32> = (0..topology.n()).collect();
        for _ in 0..2 {
            mail.deliver(&mut members, |_, _, _| {}); // the second time round shows that delivering forgets everything
            for &(from, port, msg) in posts {
                mail.post(topology, from, port, msg);
            }
        }
        let mut without = members.clone();
        mail.retain_without(&mut without);
        let mut seen = Vec::new();
        mail.deliver(&mut members, |to, member, inbox| {
            assert_eq!(to, *member, "each member comes with what is its own");
            seen.push((to, inbox.iter().map(|(_, msg)| msg).collect()));
        });
        assert!(mail.is_empty());
        seen.sort();
        (seen, without)
    }

    #[test]
    fn each_member_gets_its_own_mail_in_the_order_of_ports() {
        let ring = Topology::Ring { n: 10, two_way: false };
        let posts =
            [(2, 'a'), (3, 'b'), (7, 'c'), (8, 'd'), (9, 'e'), (0, 'f')].map(|(from, msg)| (from, NEXT, msg));
        let expected: Vec<(u32, String)> = [(0, "e"), (1, "f"), (3, "a"), (4, "b"), (8, "c"), (9, "d")]
            .map(|(to, msg)| (to, msg.to_owned()))
            .into();
        assert_eq!(inboxes::<RingMail<char>>(&ring, &posts), (expected.clone(), vec![2, 5, 6, 7]));
        assert_eq!(inboxes::<ChainedMail<char>>(&ring, &posts), (expected, vec![2, 5, 6, 7]));
        assert_eq!(inboxes::<RingMail<char>>(&ring, &[]), (vec![], (0..10).collect()));

        let web = Topology::Complete { n: 4 };
        let posts = [(2, Port(1), 'm'), (0, Port(0), 'x'), (3, Port(1), 'z')]; // all to member 1
        assert_eq!(inboxes::<ChainedMail<char>>(&web, &posts), (vec![(1, "xmz".to_owned())], vec![0, 2, 3]));
    }
}
