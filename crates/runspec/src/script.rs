//! What happens to members and links at which times, in the lines in which users write it.
//!
//! Files, options and the shrinker work on lines; the simulator works on single events.

mod check;
mod file;
mod text;

pub use check::check;
pub use file::{FileLine, file_events, read_events};
pub use text::ScriptOption;

use crate::notation::Interval;
use bellwether_core::{FaultEvent, Id, Port, Time, Topology};
use bellwether_sim::Happening;
use std::ops::Deref;

/// What happens to whom and when, by id.
pub type Scripted = (Id, FaultEvent<Id>, Time);

/// One line of a script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScriptLine {
    /// Something happens to a member. (Not what has lines of its own: see [`ScriptLine::of`].)
    Event(Scripted),
    /// A member freezes, and resumes if the interval ends.
    Pause(Id, Interval),
    /// What two members send each other is lost.
    Cut(Id, Id, Interval),
    /// What the first sends to the second is lost.
    CutOneWay(Id, Id, Interval),
    /// The link between two members works again.
    Mend(Id, Id, Time),
    /// The link from the first to the second works again.
    MendOneWay(Id, Id, Time),
    /// What members of different groups send each other is lost.
    Partition(Partition),
    /// All links work again.
    Heal(Time),
}

impl ScriptLine {
    /// The line in which an event is written.
    #[must_use]
    pub fn of((id, what, at): Scripted) -> ScriptLine {
        let for_good = Interval { from: at, to: None };
        match what {
            FaultEvent::Pause => ScriptLine::Pause(id, for_good),
            FaultEvent::Cut(to) => ScriptLine::CutOneWay(id, to, for_good),
            FaultEvent::Mend(to) => ScriptLine::MendOneWay(id, to, at),
            FaultEvent::Heal => ScriptLine::Heal(at),
            _ => ScriptLine::Event((id, what, at)),
        }
    }

    /// What happens to members and single links. (What happens to all links of a network is left out.)
    #[must_use]
    pub fn events(&self) -> Vec<Scripted> {
        match self {
            ScriptLine::Event(event) => vec![*event],
            ScriptLine::Pause(id, Interval { from, to }) => {
                let resumes = to.map(|to| (*id, FaultEvent::Resume, to));
                [(*id, FaultEvent::Pause, *from)].into_iter().chain(resumes).collect()
            }
            ScriptLine::Cut(a, b, during) => cut(*a, *b, *during).chain(cut(*b, *a, *during)).collect(),
            ScriptLine::CutOneWay(a, b, during) => cut(*a, *b, *during).collect(),
            ScriptLine::Mend(a, b, at) => {
                vec![(*a, FaultEvent::Mend(*b), *at), (*b, FaultEvent::Mend(*a), *at)]
            }
            ScriptLine::MendOneWay(a, b, at) => vec![(*a, FaultEvent::Mend(*b), *at)],
            ScriptLine::Partition(_) | ScriptLine::Heal(_) => Vec::new(),
        }
    }

    /// When it begins.
    #[must_use]
    pub fn first(&self) -> Time {
        match self {
            ScriptLine::Event((_, _, at))
            | ScriptLine::Mend(_, _, at)
            | ScriptLine::MendOneWay(_, _, at)
            | ScriptLine::Heal(at) => *at,
            ScriptLine::Pause(_, during)
            | ScriptLine::Cut(_, _, during)
            | ScriptLine::CutOneWay(_, _, during) => during.from,
            ScriptLine::Partition(partition) => partition.during.from,
        }
    }

    /// When it is over: when the last of its events happens.
    #[must_use]
    pub fn last(&self) -> Time {
        self.during().map_or(self.first(), |during| during.to.unwrap_or(during.from))
    }

    /// How long it lasts, if it lasts.
    #[must_use]
    pub fn during(&self) -> Option<Interval> {
        match self {
            ScriptLine::Pause(_, during)
            | ScriptLine::Cut(_, _, during)
            | ScriptLine::CutOneWay(_, _, during) => Some(*during),
            ScriptLine::Partition(partition) => Some(partition.during),
            _ => None,
        }
    }

    /// The same at other times.
    #[must_use]
    pub fn at(mut self, change: impl Fn(Time) -> Time, end: impl Fn(Interval) -> Interval) -> ScriptLine {
        match &mut self {
            ScriptLine::Event((_, _, at))
            | ScriptLine::Mend(_, _, at)
            | ScriptLine::MendOneWay(_, _, at)
            | ScriptLine::Heal(at) => {
                *at = change(*at);
            }
            ScriptLine::Pause(_, during)
            | ScriptLine::Cut(_, _, during)
            | ScriptLine::CutOneWay(_, _, during) => {
                *during = end(*during);
            }
            ScriptLine::Partition(partition) => partition.during = end(partition.during),
        }
        self
    }

    /// The same with other ids for members.
    #[must_use]
    pub fn renamed(&self, name: impl Fn(Id) -> Id) -> ScriptLine {
        match self {
            ScriptLine::Event((id, what, at)) => ScriptLine::Event((name(*id), what.renamed(&name), *at)),
            ScriptLine::Pause(id, during) => ScriptLine::Pause(name(*id), *during),
            ScriptLine::Cut(a, b, during) => ScriptLine::Cut(name(*a), name(*b), *during),
            ScriptLine::CutOneWay(a, b, during) => ScriptLine::CutOneWay(name(*a), name(*b), *during),
            ScriptLine::Mend(a, b, at) => ScriptLine::Mend(name(*a), name(*b), *at),
            ScriptLine::MendOneWay(a, b, at) => ScriptLine::MendOneWay(name(*a), name(*b), *at),
            ScriptLine::Partition(Partition { groups, during }) => {
                let group = |group: &Vec<Id>| group.iter().map(|id| name(*id)).collect();
                ScriptLine::Partition(Partition {
                    groups: groups.iter().map(group).collect(),
                    during: *during,
                })
            }
            ScriptLine::Heal(at) => ScriptLine::Heal(*at),
        }
    }

    /// What is left of it without a member, if anything is.
    #[must_use]
    pub fn without(&self, gone: Id) -> Option<ScriptLine> {
        if let ScriptLine::Partition(Partition { groups, during }) = self {
            let without =
                |group: &Vec<Id>| group.iter().copied().filter(|id| *id != gone).collect::<Vec<_>>();
            let groups: Vec<Vec<Id>> = groups.iter().map(without).filter(|group| !group.is_empty()).collect();
            return (groups.len() > 1)
                .then_some(ScriptLine::Partition(Partition { groups, during: *during }));
        }
        let names_it = |(id, what, _): &Scripted| *id == gone || what.about() == Some(gone);
        (!self.events().iter().any(names_it)).then(|| self.clone())
    }
}

/// What `from` sends to `to` is lost, until the link is mended if ever.
fn cut(from: Id, to: Id, during: Interval) -> impl Iterator<Item = Scripted> {
    let mend = during.to.map(|end| (from, FaultEvent::Mend(to), end));
    [(from, FaultEvent::Cut(to), during.from)].into_iter().chain(mend)
}

/// The lines of a run, in the order of time: in which order a user writes them makes no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script(Vec<ScriptLine>);

impl Script {
    /// The lines in which events are written.
    pub fn of(events: impl IntoIterator<Item = Scripted>) -> Script {
        events.into_iter().map(ScriptLine::of).collect()
    }

    /// One line more.
    pub fn push(&mut self, line: ScriptLine) {
        self.extend([line]);
    }

    /// What happens to members and single links, line after line.
    pub fn events(&self) -> impl Iterator<Item = Scripted> + '_ {
        self.0.iter().flat_map(ScriptLine::events)
    }

    /// When the last of it happens, if anything does.
    #[must_use]
    pub fn last(&self) -> Option<Time> {
        self.0.iter().map(ScriptLine::last).max()
    }
}

impl Deref for Script {
    type Target = [ScriptLine];

    fn deref(&self) -> &[ScriptLine] {
        &self.0
    }
}

impl FromIterator<ScriptLine> for Script {
    fn from_iter<I: IntoIterator<Item = ScriptLine>>(lines: I) -> Script {
        let mut script = Script(Vec::new());
        script.extend(lines);
        script
    }
}

impl Extend<ScriptLine> for Script {
    fn extend<I: IntoIterator<Item = ScriptLine>>(&mut self, lines: I) {
        self.0.extend(lines);
        self.0.sort_by(|one, other| one.first().cmp(&other.first()).then_with(|| one.cmp(other)));
    }
}

/// Groups that cannot talk to each other. Members that are not named are a group of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition {
    /// Members of one group can still talk to each other.
    pub groups: Vec<Vec<Id>>,
    /// From when to when.
    pub during: Interval,
}

impl Partition {
    /// Groups that have members, and none in common.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn new(groups: Vec<Vec<Id>>, during: Interval) -> Result<Partition, String> {
        if groups.is_empty() || groups.iter().any(Vec::is_empty) {
            return Err("a group of the partition is empty: name its members, as in 1+2/3+4".to_owned());
        }
        let mut named: Vec<Id> = groups.concat();
        named.sort_unstable();
        match named.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("member {} is named twice: everyone is in one group", pair[0])),
            None => Ok(Partition { groups, during }),
        }
    }

    /// What happens, by index. Where a ring may close, any two can come to be neighbours.
    pub(crate) fn happenings(
        &self,
        topology: &Topology,
        closes: bool,
        find: impl Fn(Id) -> Option<u32>,
    ) -> Vec<Happening> {
        let n = topology.n();
        let mut group_of = vec![0; n as usize];
        for (number, group) in self.groups.iter().enumerate() {
            for member in group.iter().filter_map(|id| find(*id)) {
                group_of[member as usize] = number + 1;
            }
        }
        let mut happenings = Vec::new();
        for member in 0..n {
            let neighbours: Vec<u32> = match closes {
                true => (0..n).collect(),
                false => {
                    (0..topology.ports(member)).map(|port| topology.peer(member, Port(port)).0).collect()
                }
            };
            for other in neighbours.into_iter().filter(|&o| group_of[o as usize] != group_of[member as usize])
            {
                happenings.push(Happening { at: self.during.from, what: FaultEvent::Cut(other), member });
                let mend = self.during.to.map(|at| Happening { at, what: FaultEvent::Mend(other), member });
                happenings.extend(mend);
            }
        }
        happenings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(value: u64) -> Id {
        Id::new(value).unwrap()
    }

    fn at(hops: u64) -> Time {
        Time::from_ticks(hops * 1_000)
    }

    #[test]
    fn lines_are_in_the_order_of_time() {
        let late = (id(1), FaultEvent::Crash, at(5));
        let early = (id(2), FaultEvent::Pause, at(1));
        let script = Script::of([late, early]);
        assert_eq!(script, Script::of([early, late]));
        let for_good = Interval { from: at(1), to: None };
        assert_eq!(*script, [ScriptLine::Pause(id(2), for_good), ScriptLine::Event(late)]);
        assert_eq!((script.events().collect::<Vec<_>>(), script.last()), (vec![early, late], Some(at(5))));
    }

    #[test]
    fn a_member_that_is_gone_is_named_nowhere() {
        let during = Interval { from: at(1), to: Some(at(4)) };
        let partition = |groups| ScriptLine::Partition(Partition { groups, during });
        let three = partition(vec![vec![id(1), id(2)], vec![id(3)]]);
        assert_eq!(three.without(id(2)), Some(partition(vec![vec![id(1)], vec![id(3)]])));
        assert_eq!(three.without(id(3)), None);
        assert_eq!(ScriptLine::Cut(id(1), id(2), during).without(id(2)), None);
        let learns = ScriptLine::of((id(1), FaultEvent::Learn(id(2)), at(3)));
        assert_eq!((learns.without(id(2)), learns.without(id(3))), (None, Some(learns.clone())));
    }

    #[test]
    fn a_partition_cuts_what_lies_between_its_groups() {
        let during = Interval { from: at(1), to: Some(at(4)) };
        let partition = Partition::new(vec![vec![id(0), id(1)]], during).unwrap();
        let find = |id: Id| u32::try_from(id.value()).ok();
        let ring = Topology::Ring { n: 4, two_way: false };
        // A ring 0 1 2 3: between {0, 1} and the others lie 1-2 and 3-0.
        let cuts = |happenings: Vec<Happening>| {
            let mut cuts: Vec<(u32, u32)> = Vec::new();
            let mut mends = cuts.clone();
            for Happening { at: when, what, member } in happenings {
                match what {
                    FaultEvent::Cut(other) if when == at(1) => cuts.push((member, other)),
                    FaultEvent::Mend(other) if when == at(4) => mends.push((member, other)),
                    _ => panic!("{what:?} at {when}"),
                }
            }
            cuts.sort_unstable();
            mends.sort_unstable();
            assert_eq!(cuts, mends);
            cuts
        };
        assert_eq!(cuts(partition.happenings(&ring, false, find)), [(0, 3), (1, 2), (2, 1), (3, 0)]);
        let all = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)];
        assert_eq!(cuts(partition.happenings(&ring, true, find)), all);
        assert_eq!(cuts(partition.happenings(&Topology::Complete { n: 4 }, false, find)), all);
        assert!(Partition::new(vec![vec![id(1)], vec![]], during).is_err());
        assert!(
            Partition::new(vec![vec![id(1)], vec![id(2), id(1)]], during)
                .unwrap_err()
                .contains("1 is named twice")
        );
    }
}
