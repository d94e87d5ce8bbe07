//! What tests of the algorithms share: members as plain numbers, plans made of them, and what to expect of a run.
//!
//! Nothing here asks the code under test what the right answer is: who is better than whom, and how
//! far apart two members are, is computed from plain numbers.

pub mod disturbed;

use crate::dice::Dice;
use bellwether_core::{Elect, Id, Initiators, Order, Rank, Topology};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{ClaimRuling, Delay, Outcome, Plan, Report, RoundMode, Ruling, simulate};

/// The best rank is elected, or the worst.
pub const BOTH_WAYS: [Elect; 2] = [Elect::Best, Elect::Worst];

/// One of every kind of delay; the first is the unit.
pub const DELAYS: [&str; 5] =
    ["unit", "uniform:1..4", "uniform:0.1..3.0", "exponential:1", "lognormal:0,0.5"];

/// Who takes part, as plain numbers, clockwise.
#[derive(Clone, Debug)]
pub struct Cast {
    /// Which ranks win.
    pub elect: Elect,
    /// Attribute and id.
    pub members: Vec<(i64, u64)>,
}

impl Cast {
    fn of_ids(elect: Elect, ids: impl Iterator<Item = u64>) -> Cast {
        Cast { elect, members: ids.map(|id| (0, id)).collect() }
    }

    /// Every member but the best has a better one next to it.
    pub fn in_best_order(elect: Elect, n: usize) -> Cast {
        let ids = 1..=n as u64;
        if elect == Elect::Best { Cast::of_ids(elect, ids) } else { Cast::of_ids(elect, ids.rev()) }
    }

    /// Everyone has to go all the way to the best.
    pub fn in_worst_order(elect: Elect, n: usize) -> Cast {
        let ids = 1..=n as u64;
        if elect == Elect::Best { Cast::of_ids(elect, ids.rev()) } else { Cast::of_ids(elect, ids) }
    }

    /// Ids with gaps, in any order.
    pub fn shuffled(elect: Elect, n: usize, dice: &mut Dice) -> Cast {
        let mut ids: Vec<u64> = (0..n as u64).map(|k| k * 7).collect();
        dice.shuffle(&mut ids);
        Cast::of_ids(elect, ids.into_iter())
    }

    /// Attributes decide, some negative and many alike, so that ids have to break ties.
    pub fn with_ties(elect: Elect, n: usize, dice: &mut Dice) -> Cast {
        let mut cast = Cast::shuffled(elect, n, dice);
        for member in &mut cast.members {
            member.0 = dice.below(n / 3 + 1) as i64 - 2;
        }
        cast
    }

    /// How many there are.
    pub fn n(&self) -> usize {
        self.members.len()
    }

    /// Whether the first of two members is the better.
    pub fn beats(&self, one: usize, other: usize) -> bool {
        match self.elect {
            Elect::Best => self.members[one] > self.members[other],
            Elect::Worst => self.members[one] < self.members[other],
        }
    }

    /// The best of some members.
    pub fn best_of(&self, members: impl IntoIterator<Item = usize>) -> usize {
        let better = |a, b| if self.beats(b, a) { b } else { a };
        members.into_iter().reduce(better).expect("there is somebody")
    }

    /// The best of all.
    pub fn best(&self) -> usize {
        self.best_of(0..self.n())
    }

    /// All members, the worst first.
    pub fn by_rank(&self) -> Vec<usize> {
        let mut members: Vec<usize> = (0..self.n()).collect();
        members.sort_by_key(|&member| (0..self.n()).filter(|&other| self.beats(member, other)).count());
        members
    }

    /// A member's id.
    pub fn id(&self, member: usize) -> Id {
        Id::new(self.members[member].1).expect("small ids")
    }

    /// Clockwise from a member to the next better one; all the way round for the best.
    pub fn distance_to_better(&self, member: usize) -> u64 {
        let n = self.n();
        (1..n).find(|&hops| self.beats((member + hops) % n, member)).unwrap_or(n) as u64
    }

    /// How far all ranks travel when everyone starts.
    pub fn total_distance(&self) -> u64 {
        (0..self.n()).map(|member| self.distance_to_better(member)).sum()
    }

    /// A plan in which they take part.
    pub fn plan(&self, topology: Topology) -> Plan {
        let ranks = self
            .members
            .iter()
            .map(|&(attribute, id)| Rank::new(self.elect, attribute, Id::new(id).expect("small ids")));
        Plan::new(topology, None, ranks.collect(), Order::Explicit)
    }

    /// On a one-way ring.
    pub fn ring(&self) -> Plan {
        self.plan(Topology::Ring { n: self.n() as u32, two_way: false })
    }

    /// On a ring over a complete network.
    pub fn overlay(&self) -> Plan {
        self.plan(Topology::Overlay { n: self.n() as u32 })
    }

    /// On a ring in which messages pass both ways.
    pub fn two_way_ring(&self) -> Plan {
        self.plan(Topology::Ring { n: self.n() as u32, two_way: true })
    }

    /// Everyone is everyone's neighbour.
    pub fn complete(&self) -> Plan {
        self.plan(Topology::Complete { n: self.n() as u32 })
    }
}

/// How many hops clockwise from one member to another.
pub fn clockwise(n: usize, from: usize, to: usize) -> usize {
    (0..n).find(|hops| (from + hops) % n == to).expect("it is on the ring")
}

/// Gives a plan a delay, and its bound.
pub fn set_delay(plan: &mut Plan, delay: &str) {
    plan.delay = delay.parse::<Delay>().expect("a delay");
    plan.delay_bound = plan.delay.bound();
}

/// Only these members call.
pub fn called_by(mut plan: Plan, members: &[u32]) -> Plan {
    plan.initiators = Initiators::Some(members.to_vec());
    plan
}

/// Runs one of the algorithms.
pub fn run(name: &str, variant: &str, plan: &Plan) -> Report {
    let entry = ALGORITHMS.find(name, Some(variant)).expect("it is registered");
    simulate(&ALGORITHMS.entries[entry], plan, RoundMode::Auto)
}

/// The election ended as it should: one leader, whom everyone names (or only itself).
pub fn assert_elected(report: &Report, leader: Id, agreed: bool, context: &str) {
    let expected = Ruling {
        outcome: Outcome::Elected,
        leader: Some(leader),
        leaders: 1,
        agreed,
        wrongly_led: false,
        unsafe_because: None,
        not_live_because: None,
        required: true,
    };
    assert_eq!(report.ruling, expected, "{context}");
    assert!(report.finished, "{context}");
}

/// The run made exactly these claims, with exactly these figures, and they hold.
pub fn assert_claims(report: &Report, expected: &[(&str, u64)], context: &str) {
    let mut names: Vec<&str> = report.claims.iter().map(|claim| claim.name).collect();
    let mut expected_names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    expected_names.sort_unstable();
    assert_eq!(names, expected_names, "{context}");
    for claim in &report.claims {
        let (_, figure) = expected.iter().find(|(name, _)| *name == claim.name).expect("just compared");
        assert_eq!((claim.relation, claim.holds), ("exactly", true), "{claim:?} {context}");
        assert_eq!((claim.expected, claim.measured), (*figure as f64, *figure as f64), "{claim:?} {context}");
    }
}

/// What came of a claim that the run has to have made.
pub fn claimed<'r>(report: &'r Report, name: &str) -> &'r ClaimRuling {
    report.claims.iter().find(|claim| claim.name == name).unwrap_or_else(|| panic!("{name} is not claimed"))
}

/// Every claim that was made holds.
pub fn assert_claims_hold(report: &Report, context: &str) {
    for claim in &report.claims {
        assert!(claim.holds, "{claim:?} {context}");
    }
}

/// How many messages of a kind were sent.
pub fn sent(report: &Report, kind: &str) -> u64 {
    report.messages.by_kind[kind]
}
