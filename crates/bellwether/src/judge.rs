//! Judges the leaderships that the members of a cluster have reported: how many there were at once, whether fencing tokens
//! increased, and whether each term had one leader.

use bellwether_core::Id;
use std::collections::BTreeMap;

/// From when until when a member led, in microseconds since the machine booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadershipInterval {
    /// The member.
    pub member: Id,
    /// Which of its processes.
    pub process: u64,
    /// The term in which it led: its fencing token.
    pub term: u64,
    /// When its leadership began.
    pub from: u64,
    /// The first moment at which it led no longer.
    pub until: u64,
}

/// Pairs of leaderships that held at one moment, the one that began first before the other. The leaderships are in the order
/// of their beginnings. One that ends when another begins does not overlap with it.
#[must_use]
pub fn overlaps(leaderships: &[LeadershipInterval]) -> Vec<(LeadershipInterval, LeadershipInterval)> {
    let mut pairs = Vec::new();
    at_beginnings(leaderships, |earlier, later| pairs.extend(earlier.iter().map(|it| (*it, later))));
    pairs
}

/// The most leaderships that held at one moment. They are in the order of their beginnings.
#[must_use]
pub fn most_at_once(leaderships: &[LeadershipInterval]) -> u64 {
    let mut most = 0;
    at_beginnings(leaderships, |earlier, _| most = most.max(earlier.len() as u64 + 1));
    most
}

/// Shows each leadership that lasted, and the earlier ones that held when it began.
fn at_beginnings(
    leaderships: &[LeadershipInterval],
    mut show: impl FnMut(&[LeadershipInterval], LeadershipInterval),
) {
    let mut holding: Vec<LeadershipInterval> = Vec::new();
    for later in leaderships.iter().filter(|it| it.from < it.until) {
        holding.retain(|earlier| earlier.until > later.from);
        show(&holding, *later);
        holding.push(*later);
    }
}

/// The first two successive leaderships, in the order of their beginnings, of which the later does not have the greater token.
/// A process may lead on with its own token.
#[must_use]
pub fn token_not_increased(
    leaderships: &[LeadershipInterval],
) -> Option<(LeadershipInterval, LeadershipInterval)> {
    let holder = |it: &LeadershipInterval| (it.member, it.process, it.term);
    let mut pairs = leaderships.windows(2).map(|pair| (pair[0], pair[1]));
    pairs.find(|(earlier, later)| holder(earlier) != holder(later) && earlier.term >= later.term)
}

/// A term and two of its leaders, if a term had two. It is given terms and their leaders.
pub fn term_with_two_leaders(leaders: impl IntoIterator<Item = (u64, Id)>) -> Option<(u64, [Id; 2])> {
    let mut first = BTreeMap::new();
    leaders.into_iter().find_map(|(term, leader)| {
        let other = *first.entry(term).or_insert(leader);
        (other != leader).then_some((term, [other, leader]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn id(value: u64) -> Id {
        Id::new(value).unwrap()
    }

    fn led(member: u64, process: u64, term: u64, (from, until): (u64, u64)) -> LeadershipInterval {
        LeadershipInterval { member: id(member), process, term, from, until }
    }

    /// By the definition: at each beginning of a leadership that lasted, which ones hold?
    fn holding(leaderships: &[LeadershipInterval], now: u64) -> Vec<LeadershipInterval> {
        leaderships.iter().filter(|it| it.from <= now && now < it.until).copied().collect()
    }

    #[test]
    fn leaderships_at_once_are_those_of_the_definition() {
        let mut state = 7_u64;
        let mut draw = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let mut seen = BTreeSet::new();
        for _ in 0..2_000 {
            // Terms tell them apart.
            let mut leaderships: Vec<LeadershipInterval> = (0..draw(7))
                .map(|term| {
                    let from = draw(12);
                    led(1 + draw(4), 1, term, (from, from + draw(6)))
                })
                .collect();
            leaderships.sort_by_key(|it| it.from);
            let most = leaderships.iter().map(|it| holding(&leaderships, it.from).len()).max().unwrap_or(0);
            assert_eq!(most_at_once(&leaderships), most as u64, "{leaderships:?}");
            let of_pair = |one: LeadershipInterval, other: LeadershipInterval| {
                (one.term.min(other.term), one.term.max(other.term))
            };
            let found = overlaps(&leaderships);
            assert!(found.iter().all(|(earlier, later)| earlier.from <= later.from), "{found:?}");
            let pairs: BTreeSet<(u64, u64)> = found.iter().map(|&(one, other)| of_pair(one, other)).collect();
            assert_eq!(pairs.len(), found.len(), "no pair comes twice");
            let expected = (0..20).flat_map(|now| {
                let at_once = holding(&leaderships, now);
                let all: Vec<(u64, u64)> = at_once
                    .iter()
                    .flat_map(|&one| at_once.iter().map(move |&other| of_pair(one, other)))
                    .collect();
                all
            });
            assert_eq!(pairs, expected.filter(|(one, other)| one != other).collect(), "{leaderships:?}");
            seen.insert(most);
        }
        assert!(seen.is_superset(&(0..=4).collect()), "{seen:?}");
    }

    #[test]
    fn tokens_increase_from_leader_to_leader_and_from_process_to_process() {
        let first = led(1, 1, 5, (0, 10));
        for (next, is_fine) in [
            (led(1, 1, 5, (12, 20)), true), // it leads on
            (led(1, 1, 6, (12, 20)), true),
            (led(2, 1, 6, (12, 20)), true),
            (led(2, 1, 5, (12, 20)), false),
            (led(1, 2, 5, (12, 20)), false), // the process before led with this token
            (led(1, 1, 4, (12, 20)), false),
        ] {
            let expected = (!is_fine).then_some((first, next));
            assert_eq!(token_not_increased(&[first, next]), expected, "{next:?}");
        }
    }

    #[test]
    fn second_leader_of_a_term_is_found() {
        assert_eq!(term_with_two_leaders([(1, id(1)), (2, id(2)), (1, id(1))]), None);
        assert_eq!(term_with_two_leaders([(1, id(1)), (2, id(2)), (1, id(3))]), Some((1, [1, 3].map(id))));
    }
}
