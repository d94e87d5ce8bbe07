//! What a cluster of an algorithm guarantees, and in which words that is said before it starts.

use bellwether_core::{Electorate, Faults, Identities, Reign, Spec, Starts};

/// What an algorithm guarantees about leaders. The verdict at the end of a run judges this and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarantees {
    /// At most one leader at any instant, and fencing tokens strictly increase.
    pub one_at_once: bool,
    /// At most one leader in each term.
    pub one_a_term: bool,
}

impl Guarantees {
    /// What an algorithm guarantees under any faults of members and network. Without a majority, each part of a partition
    /// may elect, and counts its own terms.
    #[must_use]
    pub fn by(spec: &Spec) -> Guarantees {
        let by_majority = spec.electorate == Electorate::Majority;
        Guarantees {
            one_at_once: by_majority && spec.reign == Reign::Leased,
            one_a_term: by_majority && spec.reign.counts_terms(),
        }
    }
}

/// Which guarantees hold for so many members of this algorithm, and which do not, in one sentence.
#[must_use]
pub fn describe(spec: &Spec, members: u64) -> String {
    if members == 1 {
        return "one leader at most; with a single member nobody takes over when it fails".to_owned();
    }
    match spec.electorate {
        Electorate::Majority => with_majority(spec, members),
        Electorate::WhoeverIsThere => without_majority(spec),
    }
}

fn with_majority(spec: &Spec, members: u64) -> String {
    let guarantees = Guarantees::by(spec);
    let leader = if guarantees.one_at_once { "one leader at most" } else { "one leader a term at most" };
    let needed = match members {
        2 => "with 2 members, both of which are needed: if either fails, nobody leads".to_owned(),
        _ => format!("with {members} members of which {} may fail", (members - 1) / 2),
    };
    let caveat = if guarantees.one_at_once {
        ""
    } else {
        "; there are no leases: a leader of an earlier term may not have heard yet that it leads no longer"
    };
    format!("{leader}, whatever the network does, {needed}{caveat}")
}

fn without_majority(spec: &Spec) -> String {
    let name = spec.name;
    // Rings close round the dead, and an election that came to nothing is begun anew. An algorithm that counts members, or
    // waits for every neighbour, waits for the dead.
    let closes = spec.need.is_ring() && spec.starts == Starts::Callers;
    let crashes = if spec.survives.contains(Faults::CRASH) {
        "a crashed leader is replaced"
    } else if closes && spec.identities == Identities::Unique {
        "a crashed leader is replaced, later if it crashes during an election"
    } else {
        "a crashed leader is not replaced"
    };
    format!(
        "NOT one leader at most: {name} elects among whoever is there, so a partition can have two leaders ({crashes}); \
         quorum-lease never has two"
    )
}

#[cfg(test)]
mod tests {
    use super::describe;
    use crate::ALGORITHMS;

    fn of(name: &str, members: u64) -> String {
        describe(ALGORITHMS.choose(name).unwrap().spec, members)
    }

    #[test]
    fn description_states_what_holds_and_what_does_not() {
        for (members, may_fail) in [(3, 1), (4, 1), (5, 2), (7, 3)] {
            let expected = format!(
                "one leader at most, whatever the network does, with {members} members of which {may_fail} may fail"
            );
            assert_eq!(of("quorum-lease", members), expected);
        }
        assert!(of("quorum-lease", 1).contains("nobody takes over"));
        assert!(of("quorum-lease", 2).contains("both of which are needed"));
        assert!(
            of("raft-vote", 3).starts_with("one leader a term at most")
                && of("raft-vote", 3).contains("no leases")
        );
        for name in ["bully", "chang-roberts", "omega", "invitation"] {
            assert!(of(name, 3).contains("a partition can have two leaders"), "{name}: {}", of(name, 3));
        }
        assert!(of("bully", 3).contains("a crashed leader is replaced"));
        assert!(of("chang-roberts", 3).contains("is replaced, later if it crashes during an election"));
        for name in ["peterson", "dolev-klawe-rodeh", "franklin", "hirschberg-sinclair"] {
            assert!(of(name, 3).contains("a crashed leader is replaced"), "{name}");
        }
        for name in ["lcr", "itai-rodeh", "time-slice", "variable-speeds", "floodmax", "aggregation-tree"] {
            assert!(of(name, 3).contains("a crashed leader is not replaced"), "{name}");
        }
    }
}
