//! What users say about members, as events: intervals and partitions become what begins and ends them.

use super::notation::Interval;
use crate::plan::Happening;
use bellwether_core::{FaultEvent, Id, Lie, Port, Request, Time, Topology};
use std::collections::BTreeMap;

/// What happens to whom and when, by id.
pub type Scripted = (Id, FaultEvent<Id>, Time);

/// A member freezes, and wakes if ever.
pub fn pause(member: Id, during: Interval) -> impl Iterator<Item = Scripted> {
    let resume = during.to.map(|to| (member, FaultEvent::Resume, to));
    [(member, FaultEvent::Pause, during.from)].into_iter().chain(resume)
}

/// What `from` sends to `to` is lost, until the link is mended if ever.
pub fn cut(from: Id, to: Id, during: Interval) -> impl Iterator<Item = Scripted> {
    let mend = during.to.map(|end| (from, FaultEvent::Mend(to), end));
    [(from, FaultEvent::Cut(to), during.from)].into_iter().chain(mend)
}

/// Groups that cannot talk to each other. Members that are not named are a group of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Who can still talk to whom.
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

/// What a member can be while a script runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Absent,
    Up,
    Frozen,
    /// Its next sending or writing will be its last: nobody knows when.
    Doomed,
    Dead,
}

/// Refuses a script that cannot happen: the first event that is out of place, by its place in the list,
/// and why. Who is a member at all is somebody else's matter.
///
/// # Errors
/// The event's place, and what is wrong with it.
pub fn check(script: &[Scripted]) -> Result<(), (usize, String)> {
    let mut order: Vec<usize> = (0..script.len()).collect();
    // As the simulator takes them; what comes first in the list, first among equals.
    order.sort_by_key(|&place| (script[place].2, script[place].1, place));
    let mut lives: BTreeMap<Id, Life> = BTreeMap::new();
    for (id, what, _) in script {
        if *what == FaultEvent::Start {
            lives.insert(*id, Life::Absent);
        }
    }
    let mut started: Vec<Id> = Vec::new();
    // Whoever dies frozen is not woken, and yet its pause has an end.
    let mut died_frozen: Vec<Id> = Vec::new();
    for place in order {
        let (id, what, at) = script[place];
        let life = lives.get(&id).copied().unwrap_or(Life::Up);
        if what == FaultEvent::Start && started.contains(&id) {
            return Err((place, format!("member {id} starts twice: once is for good")));
        }
        if let Some(problem) = out_of_place(id, what, life, died_frozen.contains(&id)) {
            return Err((place, format!("at {at} {problem}")));
        }
        let after = match what {
            FaultEvent::Crash => {
                if life == Life::Frozen {
                    died_frozen.push(id);
                }
                Life::Dead
            }
            FaultEvent::CrashSending | FaultEvent::TornCrash => Life::Doomed,
            FaultEvent::Pause => Life::Frozen,
            FaultEvent::Resume if life == Life::Frozen => Life::Up,
            FaultEvent::Resume => {
                died_frozen.retain(|other| *other != id);
                life
            }
            FaultEvent::Recover => Life::Up,
            FaultEvent::Start => {
                started.push(id);
                Life::Up
            }
            _ => life,
        };
        lives.insert(id, after);
    }
    Ok(())
}

/// Why this cannot happen to a member now, if it cannot, and what to do.
fn out_of_place(id: Id, what: FaultEvent<Id>, life: Life, died_frozen: bool) -> Option<String> {
    let problem = match (what, life) {
        (FaultEvent::Cut(other) | FaultEvent::Mend(other) | FaultEvent::Lie(Lie::Silence(other)), _)
            if other == id =>
        {
            format!("member {id} is to lose what it sends to itself: name two members")
        }
        (FaultEvent::Lie(Lie::Pretend(other)), _) if other == id => {
            format!("member {id} is to pretend to be itself: name another id")
        }
        (FaultEvent::Crash | FaultEvent::TornCrash | FaultEvent::CrashSending, Life::Dead)
        | (FaultEvent::CrashSending | FaultEvent::TornCrash, Life::Doomed) => {
            format!("member {id} crashes twice: let it recover between, or leave one out")
        }
        (FaultEvent::Recover, Life::Up | Life::Frozen | Life::Absent) => {
            format!("member {id} has not crashed and cannot recover: let it crash before")
        }
        (FaultEvent::Resume, Life::Frozen) => return None,
        (FaultEvent::Resume, _) if died_frozen => return None,
        (FaultEvent::Resume, _) => format!("member {id} is not frozen and cannot wake: let it pause before"),
        (FaultEvent::Pause, Life::Frozen) => {
            format!("member {id} is frozen already: make one pause of the two, or leave a gap")
        }
        (FaultEvent::Request(Request::Transfer(other)), _) if other == id => {
            format!("member {id} is to let itself lead: name another, or let it resign")
        }
        (
            FaultEvent::Pause
            | FaultEvent::Start
            | FaultEvent::Call
            | FaultEvent::Lie(_)
            | FaultEvent::Request(_),
            Life::Dead,
        ) => {
            let does = does(what);
            format!("member {id} is dead by then and cannot {does}: let it crash later, or recover before")
        }
        (
            FaultEvent::Pause
            | FaultEvent::Call
            | FaultEvent::Lie(_)
            | FaultEvent::CrashSending
            | FaultEvent::TornCrash
            | FaultEvent::Request(_),
            Life::Absent,
        ) => {
            let does = does(what);
            format!(
                "member {id} has not started by then and cannot {does}: let it start earlier, or {does} later"
            )
        }
        (FaultEvent::Call | FaultEvent::Lie(_) | FaultEvent::Request(_), Life::Frozen) => {
            format!("member {id} is frozen by then and cannot {}: let it wake before", does(what))
        }
        _ => return None,
    };
    Some(problem)
}

/// What a member does, as a verb.
fn does(what: FaultEvent<Id>) -> &'static str {
    match what {
        FaultEvent::Pause => "freeze",
        FaultEvent::Start => "start",
        FaultEvent::Call => "call",
        FaultEvent::Request(_) => "do what is asked of it",
        FaultEvent::CrashSending | FaultEvent::TornCrash => "crash",
        _ => "lie",
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

    /// What happens to member 1, at which hop.
    type Life = [(FaultEvent<Id>, u64)];

    fn verdict(script: &Life) -> Result<(), (usize, String)> {
        check(&script.iter().map(|&(what, hops)| (id(1), what, at(hops))).collect::<Vec<_>>())
    }

    #[test]
    fn lives_that_can_be_lived_are_let_pass() {
        use FaultEvent::{Call, Crash, CrashSending, Pause, Recover, Resume, Start, TornCrash};
        let sound: &[&Life] = &[
            &[],
            &[
                (Crash, 0),
                (Recover, 3),
                (TornCrash, 4),
                (Recover, 4),
                (TornCrash, 5),
                (Crash, 6),
                (Recover, 7),
            ],
            &[(Pause, 1), (Resume, 2), (Pause, 3)],
            &[(Pause, 1), (Crash, 2), (Resume, 3)], // it dies frozen, and the pause still has its end
            &[(Start, 2), (Call, 2), (Crash, 4)],
            &[(CrashSending, 1), (Call, 2), (Crash, 3), (Recover, 4), (Call, 4)],
            &[(CrashSending, 1), (Recover, 9)],
            &[(Recover, 5), (Crash, 1)], // the order of the list does not matter
            &[(FaultEvent::Cut(id(2)), 1), (FaultEvent::Cut(id(2)), 2), (FaultEvent::Mend(id(2)), 3)],
        ];
        for script in sound {
            assert_eq!(verdict(script), Ok(()), "{script:?}");
        }
    }

    #[test]
    fn lives_that_cannot_are_not() {
        use FaultEvent::{Call, Crash, CrashSending, Pause, Recover, Resume, Start, TornCrash};
        let forge = FaultEvent::Lie(Lie::Forge(id(9)));
        let unsound: &[(&Life, usize, &str)] = &[
            (&[(Recover, 1)], 0, "has not crashed"),
            (&[(Crash, 3), (Recover, 1)], 1, "has not crashed"),
            (&[(Crash, 1), (Crash, 3)], 1, "crashes twice"),
            (&[(Crash, 1), (CrashSending, 3)], 1, "crashes twice"),
            (&[(CrashSending, 1), (CrashSending, 3)], 1, "crashes twice"),
            (&[(Crash, 1), (TornCrash, 3)], 1, "crashes twice"),
            (&[(CrashSending, 1), (TornCrash, 3)], 1, "crashes twice"),
            (&[(Start, 3), (TornCrash, 1)], 1, "has not started"),
            (&[(Resume, 1)], 0, "is not frozen"),
            (&[(Pause, 1), (Resume, 2), (Resume, 3)], 2, "is not frozen"),
            (&[(Pause, 1), (Pause, 3)], 1, "frozen already"),
            (&[(Crash, 1), (Pause, 3)], 1, "is dead by then and cannot freeze"),
            (&[(Call, 3), (Crash, 3)], 0, "is dead by then and cannot call"),
            (&[(Start, 3), (Crash, 1)], 0, "is dead by then and cannot start"),
            (&[(Start, 3), (Start, 4)], 1, "starts twice"),
            (&[(Start, 3), (Call, 1)], 1, "has not started"),
            (&[(Pause, 1), (Call, 2)], 1, "is frozen by then"),
            (&[(Crash, 1), (forge, 2)], 1, "cannot lie"),
            (&[(Crash, 1), (FaultEvent::Request(Request::Resign), 2)], 1, "cannot do what is asked"),
            (&[(Pause, 1), (FaultEvent::Request(Request::Admit(id(2))), 2)], 1, "is frozen by then"),
            (&[(Start, 3), (FaultEvent::Request(Request::Resign), 2)], 1, "has not started"),
            (&[(FaultEvent::Request(Request::Transfer(id(1))), 2)], 0, "let itself lead"),
            (&[(FaultEvent::Cut(id(1)), 2)], 0, "to itself"),
            (&[(FaultEvent::Lie(Lie::Silence(id(1))), 2)], 0, "to itself"),
            (&[(FaultEvent::Lie(Lie::Pretend(id(1))), 2)], 0, "pretend to be itself"),
        ];
        for (script, place, words) in unsound {
            let (found, problem) = verdict(script).expect_err("it cannot happen");
            assert_eq!(found, *place, "{script:?}: {problem}");
            assert!(problem.contains(words), "{script:?}: {problem}");
        }
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
