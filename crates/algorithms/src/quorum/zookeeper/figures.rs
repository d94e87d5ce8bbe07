//! ZooKeeper's figures, for a calm election.
//!
//! Each live member votes for itself and sends its vote to all others. It adopts every better vote that arrives, and
//! sends it to all others again. After one message time all votes have arrived, and every member has the best; after
//! two, every member knows that all have it. No member decides before that, because it waits that long for a better
//! vote. Then all members contact the elected one, which proposes an epoch, and each member accepts it.

use super::FINALIZE_WAIT;
use bellwether_core::*;

pub const CLAIMS: [Claim; 3] = [
    Claim {
        name: "notification",
        measure: Measure::MessagesOf("notification"),
        formula: "(n - 1)(n + changes of votes): from (n - 1)(2n - 1) to (n - 1)(n + n(n - 1)/2)",
        expect: |run| Election::new(run).map(|election| election.notifications()),
    },
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "notifications + 3(n - 1)",
        expect: |run| {
            let election = Election::new(run).filter(Election::is_in_step)?;
            let notifications = election.notifications().figure();
            Some(Expect::Exactly(notifications + 3.0 * (election.alive.len() - 1) as f64))
        },
    },
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "8 (7 where two are a majority)",
        expect: |run| {
            // If a member is dead, runs continue for a while after the outcome.
            let election = Election::new(run).filter(|it| it.is_in_step() && run.dead.is_empty())?;
            Some(Expect::Exactly(election.hops() as f64))
        },
    },
];

/// A calm election in which all live members take part.
struct Election<'a> {
    run: &'a Setting<'a>,
    /// The live members, by index: messages that arrive at the same time are handled in this order of their senders.
    alive: Vec<Rank>,
}

impl<'a> Election<'a> {
    /// None if it is disturbed, or there is no majority.
    fn new(run: &'a Setting<'a>) -> Option<Self> {
        let alive = (0..).zip(run.ranks).filter(|(member, _)| run.is_alive(*member));
        let alive: Vec<Rank> = alive.map(|(_, rank)| *rank).collect();
        (run.calm && run.bounded && alive.len() > run.n() / 2).then_some(Election { run, alive })
    }

    /// Whether all messages take equally long.
    fn is_in_step(&self) -> bool {
        self.run.delivery == Delivery::Unit
    }

    fn notifications(&self) -> Expect {
        let all = |changes: usize| ((self.run.n() - 1) * (self.alive.len() + changes)) as f64;
        if self.is_in_step() {
            return Expect::Exactly(all(self.alive.iter().map(|&own| self.changes(own)).sum()));
        }
        // At most, each adopts every better vote.
        Expect::AtMost(all(self.alive.len() * (self.alive.len() - 1) / 2))
    }

    /// How often a member changes its vote if the votes of all others arrive in the order of their senders.
    fn changes(&self, own: Rank) -> usize {
        let mut vote = own;
        let mut changes = 0;
        for &other in self.alive.iter().filter(|&&other| other > own) {
            changes += usize::from(other > vote);
            vote = vote.max(other);
        }
        changes
    }

    fn hops(&self) -> u64 {
        let majority = self.run.n() / 2 + 1;
        match (self.run.n(), majority) {
            (1, _) => FINALIZE_WAIT,
            // The votes arrive after 1, and with their sender's own vote two agree: the followers have decided, and
            // contacted the elected member, when it decides itself. Then the epoch, its acceptance, and a ping.
            (_, 2) => 2 + FINALIZE_WAIT + 3,
            _ => 2 + FINALIZE_WAIT + 4,
        }
    }
}
