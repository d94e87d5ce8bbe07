//! The values of members in algorithms that count in ranks: found by counting all possible ranks.

use bellwether_core::Elect;
use bellwether_sim::Plan;
use bellwether_testkit::casts::Cast;
use bellwether_testkit::dice::Dice;

/// Each member's value if ids go up to a bound: one more than the number of higher possible ranks.
pub fn values(cast: &Cast, greatest_id: u64) -> Vec<u64> {
    let least_id = cast.members.iter().map(|(_, id)| *id).chain([1]).min().expect("there is a member");
    let attributes = || cast.members.iter().map(|(attribute, _)| *attribute);
    let (least, greatest) = attributes().min().zip(attributes().max()).expect("there is a member");
    let all: Vec<(i64, u64)> = (least..=greatest)
        .flat_map(|attribute| (least_id..=greatest_id).map(move |id| (attribute, id)))
        .collect();
    let is_better = |one: &(i64, u64), other: &(i64, u64)| match cast.elect {
        Elect::Best => one > other,
        Elect::Worst => one < other,
    };
    let value = |rank| 1 + all.iter().filter(|other| is_better(other, rank)).count() as u64;
    cast.members.iter().map(value).collect()
}

/// The greatest id of the cast.
pub fn greatest_id(cast: &Cast) -> u64 {
    cast.members.iter().map(|(_, id)| *id).max().expect("there is a member").max(1)
}

/// A one-way ring whose members know that ids go up to a bound.
pub fn ring_with_ids_up_to(cast: &Cast, greatest_id: u64) -> Plan {
    let mut plan = cast.ring();
    plan.range.ids.1 = greatest_id;
    plan
}

/// Ids 1 to n, in any order, and few different attributes.
pub fn dense_with_ties(elect: Elect, n: usize, dice: &mut Dice) -> Cast {
    let mut cast = Cast::in_best_order(elect, n);
    dice.shuffle(&mut cast.members);
    for member in &mut cast.members {
        member.0 = dice.below(3) as i64 - 1;
    }
    cast
}
