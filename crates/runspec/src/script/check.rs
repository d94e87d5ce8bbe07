//! Scripts that cannot happen.

use super::{ScriptLine, Scripted};
use bellwether_core::{FaultEvent, Id, Lie, Request};
use std::collections::BTreeMap;

/// What a member can be while a script runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    Absent,
    Up,
    Frozen,
    /// Its next sending or writing will be its last: nobody knows when.
    Doomed,
    Dead,
}

/// Refuses a script that cannot happen: the first line that is out of place, by its place in the list, and why. (Which
/// members there are is not looked at.)
///
/// # Errors
/// The line's place, and what is wrong with it.
pub fn check(lines: &[ScriptLine]) -> Result<(), (usize, String)> {
    let placed = lines.iter().enumerate();
    let placed = placed.flat_map(|(place, line)| line.events().into_iter().map(move |event| (place, event)));
    let (places, script): (Vec<usize>, Vec<Scripted>) = placed.unzip();
    check_events(&script).map_err(|(event, problem)| (places[event], problem))
}

fn check_events(script: &[Scripted]) -> Result<(), (usize, String)> {
    let mut order: Vec<usize> = (0..script.len()).collect();
    // As the simulator takes them; what comes first in the list, first among equals.
    order.sort_by_key(|&place| (script[place].2, script[place].1, place));
    let mut lives: BTreeMap<Id, Condition> = BTreeMap::new();
    for (id, what, _) in script {
        if *what == FaultEvent::Start {
            lives.insert(*id, Condition::Absent);
        }
    }
    let mut started: Vec<Id> = Vec::new();
    // Whoever dies frozen is not woken, and yet its pause has an end.
    let mut died_frozen: Vec<Id> = Vec::new();
    for place in order {
        let (id, what, at) = script[place];
        let life = lives.get(&id).copied().unwrap_or(Condition::Up);
        if what == FaultEvent::Start && started.contains(&id) {
            return Err((place, format!("member {id} starts twice: once is for good")));
        }
        if let Some(problem) = out_of_place(id, what, life, died_frozen.contains(&id)) {
            return Err((place, format!("at {at} {problem}")));
        }
        let after = match what {
            FaultEvent::Crash => {
                if life == Condition::Frozen {
                    died_frozen.push(id);
                }
                Condition::Dead
            }
            FaultEvent::CrashSending | FaultEvent::TornCrash => Condition::Doomed,
            FaultEvent::Pause => Condition::Frozen,
            FaultEvent::Resume if life == Condition::Frozen => Condition::Up,
            FaultEvent::Resume => {
                died_frozen.retain(|other| *other != id);
                life
            }
            FaultEvent::Recover => Condition::Up,
            FaultEvent::Start => {
                started.push(id);
                Condition::Up
            }
            _ => life,
        };
        lives.insert(id, after);
    }
    Ok(())
}

/// Why this cannot happen to a member now, if it cannot, and what to do.
fn out_of_place(id: Id, what: FaultEvent<Id>, life: Condition, died_frozen: bool) -> Option<String> {
    let problem = match (what, life) {
        (FaultEvent::Cut(other) | FaultEvent::Mend(other) | FaultEvent::Lie(Lie::Silence(other)), _)
            if other == id =>
        {
            format!("member {id} is to lose what it sends to itself: name two members")
        }
        (FaultEvent::Lie(Lie::Pretend(other)), _) if other == id => {
            format!("member {id} is to pretend to be itself: name another id")
        }
        (FaultEvent::Crash | FaultEvent::TornCrash | FaultEvent::CrashSending, Condition::Dead)
        | (FaultEvent::CrashSending | FaultEvent::TornCrash, Condition::Doomed) => {
            format!("member {id} crashes twice: let it recover between, or leave one out")
        }
        (FaultEvent::Recover, Condition::Up | Condition::Frozen | Condition::Absent) => {
            format!("member {id} has not crashed and cannot recover: let it crash before")
        }
        (FaultEvent::Resume, Condition::Frozen) => return None,
        (FaultEvent::Resume, _) if died_frozen => return None,
        (FaultEvent::Resume, _) => format!("member {id} is not frozen and cannot wake: let it pause before"),
        (FaultEvent::Pause, Condition::Frozen) => {
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
            Condition::Dead,
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
            Condition::Absent,
        ) => {
            let does = does(what);
            format!(
                "member {id} has not started by then and cannot {does}: let it start earlier, or {does} later"
            )
        }
        (FaultEvent::Call | FaultEvent::Lie(_) | FaultEvent::Request(_), Condition::Frozen) => {
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
    use bellwether_core::Time;

    fn id(value: u64) -> Id {
        Id::new(value).unwrap()
    }

    fn at(hops: u64) -> Time {
        Time::from_ticks(hops * 1_000)
    }

    /// What happens to member 1, at which hop.
    type History = [(FaultEvent<Id>, u64)];

    fn verdict(script: &History) -> Result<(), (usize, String)> {
        check_events(&script.iter().map(|&(what, hops)| (id(1), what, at(hops))).collect::<Vec<_>>())
    }

    #[test]
    fn lives_that_can_be_lived_are_let_pass() {
        use FaultEvent::{Call, Crash, CrashSending, Pause, Recover, Resume, Start, TornCrash};
        let sound: &[&History] = &[
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
        let unsound: &[(&History, usize, &str)] = &[
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
}
