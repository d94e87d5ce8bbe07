//! A script in as few lines as the notation allows: what ends is one line with what began it.
//!
//! Files, command lines and the shrinker work on lines; the simulator works on single events.

use crate::faults::notation::Interval;
use crate::faults::{Scripted, cut, pause};
use bellwether_core::{FaultEvent, Id, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Links, one way each.
type Links = BTreeSet<(Id, Id)>;

/// One line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Something happens to a member.
    Once(Scripted),
    /// A member freezes, and wakes if the interval ends.
    Pause(Id, Interval),
    /// What the first sends to the second is lost.
    CutOneWay(Id, Id, Interval),
    /// What two send each other is lost.
    Cut(Id, Id, Interval),
    /// What members of different groups send each other is lost.
    Partition(Vec<Vec<Id>>, Interval),
}

/// What lines make happen, event by event.
#[must_use]
pub fn events(lines: &[Line]) -> Vec<Scripted> {
    lines.iter().flat_map(Line::events).collect()
}

impl Line {
    /// What it makes happen, event by event.
    #[must_use]
    pub fn events(&self) -> Vec<Scripted> {
        match self {
            Line::Once(one) => vec![*one],
            Line::Pause(id, interval) => pause(*id, *interval).collect(),
            Line::CutOneWay(a, b, interval) => cut(*a, *b, *interval).collect(),
            Line::Cut(a, b, interval) => cut(*a, *b, *interval).chain(cut(*b, *a, *interval)).collect(),
            Line::Partition(groups, interval) => {
                let apart = |(a, b): &(Id, Id)| group_of(groups, *a) != group_of(groups, *b);
                let members: Vec<Id> = groups.concat();
                pairs(&members).filter(apart).flat_map(|(a, b)| cut(a, b, *interval)).collect()
            }
        }
    }

    /// When it is over: when the last of its events happens.
    #[must_use]
    pub fn last(&self) -> Time {
        match self {
            Line::Once((_, _, at)) => *at,
            Line::Pause(_, interval)
            | Line::CutOneWay(_, _, interval)
            | Line::Cut(_, _, interval)
            | Line::Partition(_, interval) => interval.to.unwrap_or(interval.from),
        }
    }
}

fn group_of(groups: &[Vec<Id>], id: Id) -> Option<usize> {
    groups.iter().position(|group| group.contains(&id))
}

/// All ordered pairs of different members.
fn pairs(members: &[Id]) -> impl Iterator<Item = (Id, Id)> + '_ {
    members.iter().flat_map(move |&a| members.iter().filter(move |&&b| b != a).map(move |&b| (a, b)))
}

/// The lines of a script, among these members. Together they make the same happen.
#[must_use]
pub fn lines(script: &[Scripted], members: &[Id]) -> Vec<Line> {
    let mut ends = Ends::default();
    for &(id, what, at) in script {
        match what {
            FaultEvent::Resume => ends.0.entry((id, None)).or_default().insert(at),
            FaultEvent::Mend(other) => ends.0.entry((id, Some(other))).or_default().insert(at),
            _ => continue,
        };
    }
    let mut sorted: Vec<Scripted> = script.to_vec();
    sorted.sort_by_key(|&(_, _, at)| at);
    let (mut lines, mut cuts) = (Vec::new(), Vec::new());
    for (id, what, at) in sorted {
        match what {
            FaultEvent::Pause => lines.push(Line::Pause(id, ends.take(id, None, at))),
            FaultEvent::Cut(other) => cuts.push((id, other, ends.take(id, Some(other), at))),
            FaultEvent::Resume | FaultEvent::Mend(_) => {}
            _ => lines.push(Line::Once((id, what, at))),
        }
    }
    lines.extend(joined_cuts(cuts, members));
    // What ends without having begun does nothing, but is part of the script.
    for ((id, other), times) in ends.0 {
        let what = other.map_or(FaultEvent::Resume, FaultEvent::Mend);
        lines.extend(times.into_iter().map(|at| Line::Once((id, what, at))));
    }
    lines
}

/// When what a member does (towards another) ends; each end belongs to one beginning.
#[derive(Default)]
struct Ends(BTreeMap<(Id, Option<Id>), BTreeSet<Time>>);

impl Ends {
    fn take(&mut self, id: Id, other: Option<Id>, from: Time) -> Interval {
        let times = self.0.get_mut(&(id, other));
        let to = times.and_then(|times| {
            let first = times.range(from..).next().copied()?;
            times.take(&first)
        });
        Interval { from, to }
    }
}

/// Cuts of the same interval joined: to partitions where they are, else to cuts both ways.
fn joined_cuts(cuts: Vec<(Id, Id, Interval)>, members: &[Id]) -> Vec<Line> {
    let mut by_interval: BTreeMap<(Time, Option<Time>), Links> = BTreeMap::new();
    for (a, b, Interval { from, to }) in cuts {
        by_interval.entry((from, to)).or_default().insert((a, b));
    }
    let mut lines = Vec::new();
    for ((from, to), mut cut) in by_interval {
        let interval = Interval { from, to };
        if let Some(groups) = partition(&cut, members) {
            lines.push(Line::Partition(groups, interval));
            continue;
        }
        while let Some((a, b)) = cut.pop_first() {
            let both = cut.remove(&(b, a));
            lines.push(if both { Line::Cut(a, b, interval) } else { Line::CutOneWay(a, b, interval) });
        }
    }
    lines
}

/// The groups into which cuts divide the members, if they cut everything between groups and nothing
/// within. Two members that are cut off each other are no partition, but a cut.
fn partition(cut: &BTreeSet<(Id, Id)>, members: &[Id]) -> Option<Vec<Vec<Id>>> {
    let mut groups: Vec<Vec<Id>> = Vec::new();
    for &id in members {
        match groups.iter_mut().find(|group| !cut.contains(&(group[0], id))) {
            Some(group) => group.push(id),
            None => groups.push(vec![id]),
        }
    }
    let divides =
        |&(a, b): &(Id, Id)| (group_of(&groups, a) != group_of(&groups, b)) == cut.contains(&(a, b));
    let is_partition = groups.len() > 1 && members.len() > 2 && pairs(members).all(|pair| divides(&pair));
    let known = |&(a, b): &(Id, Id)| a != b && members.contains(&a) && members.contains(&b);
    (is_partition && cut.iter().all(known)).then_some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(value: u64) -> Id {
        Id::new(value).unwrap()
    }

    fn as_set(script: Vec<Scripted>) -> BTreeSet<Scripted> {
        script.into_iter().collect()
    }

    #[test]
    fn what_ends_is_one_line_with_what_began_it() {
        let (from, to) = (Time::from_ticks(1000), Some(Time::from_ticks(4000)));
        let interval = Interval { from, to };
        let members: Vec<Id> = (1..=5).map(id).collect();
        let groups = vec![vec![id(1), id(3)], vec![id(2), id(4), id(5)]];
        for line in [
            Line::Pause(id(2), interval),
            Line::Pause(id(2), Interval { from, to: None }),
            Line::Cut(id(1), id(2), interval),
            Line::CutOneWay(id(2), id(1), interval),
            Line::Partition(groups, interval),
            Line::Once((id(3), FaultEvent::Crash, from)),
        ] {
            assert_eq!(lines(&line.events(), &members), [line]);
        }
    }

    #[test]
    fn a_partition_cuts_every_link_between_groups_both_ways() {
        let interval = Interval { from: Time::ZERO, to: None };
        let line = Line::Partition(vec![vec![id(1), id(2)], vec![id(3)]], interval);
        let expected = [(1, 3), (2, 3), (3, 1), (3, 2)];
        let expected = expected.map(|(a, b)| (id(a), FaultEvent::Cut(id(b)), Time::ZERO));
        assert_eq!(as_set(line.events()), as_set(expected.to_vec()));
    }

    fn scripted() -> impl Strategy<Value = Scripted> {
        let what = prop_oneof![
            Just(FaultEvent::Pause),
            Just(FaultEvent::Resume),
            Just(FaultEvent::Crash),
            (1..=4_u64).prop_map(|other| FaultEvent::Cut(id(other))),
            (1..=4_u64).prop_map(|other| FaultEvent::Mend(id(other))),
        ];
        (1..=4_u64, what, 0..6_u64).prop_map(|(member, what, at)| (id(member), what, Time::from_ticks(at)))
    }

    proptest! {
        #[test]
        fn lines_make_the_same_happen(script in prop::collection::vec(scripted(), 0..40)) {
            let members: Vec<Id> = (1..=4).map(id).collect();
            prop_assert_eq!(as_set(events(&lines(&script, &members))), as_set(script));
        }
    }
}
