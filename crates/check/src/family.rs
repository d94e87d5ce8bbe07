//! Checks that belong together: every order of the ids that matters, and every set of initiators.

use bellwether_core::{Id, Topology};
use bellwether_runspec::Callers;
use bellwether_runspec::form::parse_ids;
use std::fmt;
use std::str::FromStr;

/// Which orders of ids are the same run under other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seating {
    /// A turn of the ring changes nothing.
    Ring,
    /// It does not matter at all who sits where.
    Round,
    /// Every order is another.
    Other,
}

impl Seating {
    /// The seating in a network. Whoever may crash in the middle of sending has sent to the first of its neighbours:
    /// then it matters who they are.
    #[must_use]
    pub fn of(topology: &Topology, may_crash: bool) -> Seating {
        match topology {
            Topology::Ring { .. } | Topology::Overlay { .. } => Seating::Ring,
            Topology::Complete { .. } if !may_crash => Seating::Round,
            Topology::Complete { .. } | Topology::Graph(_) => Seating::Other,
        }
    }

    /// Of how many seats the order matters.
    fn free_seats(self, n: usize) -> usize {
        match self {
            Seating::Ring => n.saturating_sub(1),
            Seating::Round => 0,
            Seating::Other => n,
        }
    }

    /// How many orders of `n` matter; nothing if they cannot be counted.
    #[must_use]
    pub fn count(self, n: usize) -> Option<u64> {
        (1..=self.free_seats(n) as u64).try_fold(1, u64::checked_mul)
    }

    /// Every order that matters, once. In a ring the greatest sits first.
    pub fn orders<T: Ord + Clone>(self, ids: &[T]) -> impl Iterator<Item = Vec<T>> + use<T> {
        let mut first = ids.to_vec();
        let fixed = first.len() - self.free_seats(first.len());
        if self != Seating::Round {
            first.sort_unstable();
            let greatest_first = fixed.min(1);
            first.rotate_right(greatest_first);
        }
        std::iter::successors(Some(first), move |order| {
            let mut next = order.clone();
            follow(&mut next[fixed..]).then_some(next)
        })
    }
}

/// Makes a list the next in the order of lists. False, and nothing is done, if it is the last.
fn follow<T: Ord>(list: &mut [T]) -> bool {
    // What falls to the end cannot become more: the one before it does, by the least that is more than it.
    let Some(rises) = list.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let more = list.iter().rposition(|item| *item > list[rises]).unwrap_or(rises);
    list.swap(rises, more);
    list[rises + 1..].reverse();
    true
}

/// How many sets [`sets`] gives; nothing if they cannot be counted.
#[must_use]
pub fn count_of_sets(n: usize) -> Option<u64> {
    1u64.checked_shl(n as u32).map(|sets| sets - 1)
}

/// Every set of these but the empty one; of at most 63, as [`count_of_sets`] says.
pub fn sets<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> + use<T> {
    let items = items.to_vec();
    (1..=count_of_sets(items.len()).unwrap_or(0)).map(move |bits| {
        let is_in = |(at, _): &(usize, &T)| bits >> at & 1 != 0;
        items.iter().enumerate().filter(is_in).map(|(_, item)| item.clone()).collect()
    })
}

/// Which sets of members start an election, one check for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitiatorSets {
    /// All members.
    All,
    /// Every set of members but the empty one.
    Any,
    /// Every member alone.
    One,
    /// These.
    Ids(Vec<Id>),
}

impl InitiatorSets {
    /// How many sets there are of `n` members; nothing if they cannot be counted.
    #[must_use]
    pub fn count(&self, n: usize) -> Option<u64> {
        match self {
            InitiatorSets::Any => count_of_sets(n),
            InitiatorSets::One => Some(n as u64),
            InitiatorSets::All | InitiatorSets::Ids(_) => Some(1),
        }
    }

    /// The sets of these members.
    pub fn sets(&self, ids: &[Id]) -> Box<dyn Iterator<Item = Callers>> {
        let ids = ids.to_vec();
        let n = ids.len();
        match self {
            InitiatorSets::All => Box::new(std::iter::once(Callers::All)),
            InitiatorSets::Ids(ids) => Box::new(std::iter::once(Callers::Ids(ids.clone()))),
            InitiatorSets::One => Box::new(ids.into_iter().map(|id| Callers::Ids(vec![id]))),
            InitiatorSets::Any => Box::new(
                sets(&ids).map(move |set| if set.len() == n { Callers::All } else { Callers::Ids(set) }),
            ),
        }
    }
}

impl FromStr for InitiatorSets {
    type Err = String;

    fn from_str(text: &str) -> Result<InitiatorSets, String> {
        match text {
            "all" => Ok(InitiatorSets::All),
            "any" => Ok(InitiatorSets::Any),
            "one" => Ok(InitiatorSets::One),
            _ => match parse_ids(text) {
                Ok(ids) => Ok(InitiatorSets::Ids(ids)),
                Err(error) => Err(format!("{error} (or 'all', 'one' or 'any')")),
            },
        }
    }
}

impl fmt::Display for InitiatorSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InitiatorSets::All => f.write_str("all"),
            InitiatorSets::Any => f.write_str("any"),
            InitiatorSets::One => f.write_str("one"),
            InitiatorSets::Ids(ids) => {
                let ids: Vec<String> = ids.iter().map(Id::to_string).collect();
                f.write_str(&ids.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// All orders, by putting each item at each place.
    fn all_orders(items: &[u32]) -> Vec<Vec<u32>> {
        let Some((first, rest)) = items.split_first() else { return vec![Vec::new()] };
        let mut orders = Vec::new();
        for shorter in all_orders(rest) {
            for place in 0..=shorter.len() {
                let mut order = shorter.clone();
                order.insert(place, *first);
                orders.push(order);
            }
        }
        orders
    }

    fn turns(order: &[u32]) -> Vec<Vec<u32>> {
        let turned = |by| [&order[by..], &order[..by]].concat();
        (0..order.len()).map(turned).collect()
    }

    #[test]
    fn every_order_of_a_ring_is_a_turn_of_exactly_one() {
        for n in 1..=6 {
            let ids: Vec<u32> = (1..=n).collect();
            let listed: Vec<Vec<u32>> = Seating::Ring.orders(&ids).collect();
            assert_eq!(listed.len() as u64, Seating::Ring.count(n as usize).unwrap());
            assert_eq!(listed.len() as u32, (1..n).product::<u32>(), "(n - 1)!");
            assert!(listed.iter().all(|order| order[0] == n), "the greatest first");
            for order in all_orders(&ids) {
                let of = turns(&order);
                assert_eq!(listed.iter().filter(|one| of.contains(one)).count(), 1, "{order:?}");
            }
        }
    }

    #[test]
    fn elsewhere_there_is_every_order_or_just_one() {
        let ids = [3, 1, 4, 2];
        let listed: BTreeSet<Vec<u32>> = Seating::Other.orders(&ids).collect();
        assert_eq!(listed, all_orders(&ids).into_iter().collect());
        assert_eq!((listed.len(), Seating::Other.count(4)), (24, Some(24)));
        assert_eq!(Seating::Round.orders(&ids).collect::<Vec<_>>(), [ids.to_vec()]);
        assert_eq!((Seating::Round.count(32), Seating::Other.count(32)), (Some(1), None));
    }

    #[test]
    fn sets_of_initiators_are_written_as_words_or_ids() {
        for text in ["all", "any", "one", "2,1"] {
            assert_eq!(text.parse::<InitiatorSets>().map(|sets| sets.to_string()), Ok(text.to_owned()));
        }
        assert!("none".parse::<InitiatorSets>().is_err());
    }

    #[test]
    fn sets_are_all_but_the_empty_one() {
        for n in 1..=6 {
            let items: Vec<u32> = (0..n).collect();
            let listed: Vec<Vec<u32>> = sets(&items).collect();
            assert_eq!(listed.len(), 2_usize.pow(n) - 1);
            let distinct: BTreeSet<&Vec<u32>> = listed.iter().collect();
            assert_eq!(distinct.len(), listed.len());
            assert!(listed.iter().all(|set| !set.is_empty() && set.is_sorted()), "{listed:?}");
        }
        assert_eq!((count_of_sets(32), count_of_sets(64)), (Some(u64::from(u32::MAX)), None));
    }
}
