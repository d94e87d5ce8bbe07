//! What arrives in one round.

use bellwether_core::Port;

const NONE: u32 = u32::MAX;

/// Messages of one round, in the order in which they were sent, and for each member those that are
/// its own.
#[derive(Clone, Debug)]
pub struct Mail<M> {
    messages: Vec<(Port, M)>,
    /// For each message, its receiver.
    receivers: Vec<u32>,
    chains: Option<Chains>,
}

/// For networks in which a member may hear from several others in one round: for each member a
/// chain of messages.
#[derive(Clone, Debug)]
struct Chains {
    /// For each member, its last message.
    last: Vec<u32>,
    /// For each message, the one before it in its receiver's chain.
    earlier: Vec<u32>,
}

impl<M: Clone> Mail<M> {
    /// For `n` members, each of which hears from one other at most, or not.
    #[must_use]
    pub fn new(n: usize, one_sender_each: bool) -> Self {
        let chains = (!one_sender_each).then(|| Chains { last: vec![NONE; n], earlier: Vec::new() });
        Mail { messages: Vec::new(), receivers: Vec::new(), chains }
    }

    /// Puts a message in.
    #[inline(always)]
    pub fn post(&mut self, to: u32, port: Port, msg: M) {
        let at = self.messages.len() as u32;
        self.messages.push((port, msg));
        self.receivers.push(to);
        if let Some(chains) = &mut self.chains {
            chains.earlier.push(std::mem::replace(&mut chains.last[to as usize], at));
        }
    }

    /// How many messages there are.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The receiver of message `at`, if this is the last of its messages (so that each receiver is
    /// met once), and all of its messages in the order of ports.
    #[inline(always)]
    pub fn inbox<'a>(&'a self, at: usize, scratch: &'a mut Vec<(Port, M)>) -> Option<(u32, &'a [(Port, M)])> {
        let to = self.receivers[at];
        match &self.chains {
            Some(chains) if chains.last[to as usize] != at as u32 => None,
            Some(chains) if chains.earlier[at] != NONE => {
                scratch.clear();
                let mut link = at as u32;
                while link != NONE {
                    scratch.push(self.messages[link as usize].clone());
                    link = chains.earlier[link as usize];
                }
                scratch.sort_by_key(|(port, _)| *port);
                Some((to, scratch))
            }
            _ => Some((to, std::slice::from_ref(&self.messages[at]))),
        }
    }

    /// Keeps of `members` those for which nothing arrives.
    pub fn retain_without(&self, members: &mut Vec<u32>) {
        if members.is_empty() {
            return;
        }
        if let Some(chains) = &self.chains {
            members.retain(|&member| chains.last[member as usize] == NONE);
        } else {
            let mut with = self.receivers.clone();
            with.sort_unstable();
            members.retain(|member| with.binary_search(member).is_err());
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if let Some(chains) = &mut self.chains {
            for &to in &self.receivers {
                chains.last[to as usize] = NONE;
            }
            chains.earlier.clear();
        }
        self.messages.clear();
        self.receivers.clear();
    }
}
