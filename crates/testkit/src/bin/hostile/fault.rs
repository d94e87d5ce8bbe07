//! Faults of chaos, drawn from a seed.

use rand::{Rng, RngExt as _};
use std::time::Duration;

/// The member that a fault strikes. The leader is known only when it strikes.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    Leader,
    Member(u64),
}

/// What goes wrong, and for how long.
#[derive(Clone, Debug)]
pub enum Fault {
    /// kill -9; it restarts after this time.
    Kill(Target, Duration),
    /// kill -9 of its supervisor; it restarts after this time.
    KillSupervisor(Target, Duration),
    /// SIGTERM; it restarts when it has ended.
    Terminate(Target),
    /// SIGSTOP, then SIGCONT.
    Freeze(Target, Duration),
    /// Nothing passes from the first to the second.
    CutOneWay(u64, u64, Duration),
    /// Nothing passes between the two.
    CutBothWays(u64, u64, Duration),
    /// Nothing of what it sends arrives.
    Mute(Target, Duration),
    /// It receives nothing.
    Deafen(Target, Duration),
    /// Nothing passes between it and the others.
    Isolate(Target, Duration),
    /// Nothing passes between these and the others.
    Split(Vec<u64>, Duration),
    /// Nothing passes at all.
    CutAll(Duration),
    /// Its disk does not answer.
    StallDisk(Target, Duration),
    /// Strangers come with garbage, so many a second.
    Garbage(Target, u32, Duration),
    /// The member with the bad disk loses its votes, and is readmitted after this time: see [`crate::field::Field`].
    LoseDisk(Duration),
    /// It is told to resign.
    Resign(Target),
    /// It is told to hand over to this member.
    Transfer(Target, u64),
}

impl Fault {
    /// Draws one for a cluster of so many members.
    pub fn draw(rng: &mut impl Rng, members: u64) -> Fault {
        let target =
            if rng.random_bool(0.5) { Target::Leader } else { Target::Member(rng.random_range(1..=members)) };
        let one = rng.random_range(1..=members);
        let other = (one + rng.random_range(1..members) - 1) % members + 1;
        let span = span(rng, 5.0, 2_500.0);
        match rng.random_range(0..100) {
            0..12 => Fault::Kill(target, span),
            12..17 => Fault::KillSupervisor(target, span),
            17..22 => Fault::Terminate(target),
            22..37 => Fault::Freeze(target, span),
            37..44 => Fault::CutOneWay(one, other, span),
            44..51 => Fault::CutBothWays(one, other, span),
            51..56 => Fault::Mute(target, span),
            56..61 => Fault::Deafen(target, span),
            61..68 => Fault::Isolate(target, span),
            68..73 => {
                Fault::Split((1..=members).filter(|_| rng.random_bool(0.5)).collect::<Vec<u64>>(), span)
            }
            73..77 => Fault::CutAll(span),
            77..83 => Fault::StallDisk(target, span),
            83..87 => Fault::Garbage(target, rng.random_range(100..1_000), span.min(Duration::from_secs(1))),
            87..91 => Fault::LoseDisk(span),
            91..95 => Fault::Resign(target),
            _ => Fault::Transfer(target, other),
        }
    }

    /// Its kind, for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Kill(..) => "kill -9",
            Fault::KillSupervisor(..) => "kill -9 of a supervisor",
            Fault::Terminate(..) => "SIGTERM",
            Fault::Freeze(..) => "SIGSTOP",
            Fault::CutOneWay(..) => "one-way cut",
            Fault::CutBothWays(..) => "cut",
            Fault::Mute(..) => "mute member",
            Fault::Deafen(..) => "deaf member",
            Fault::Isolate(..) => "isolated member",
            Fault::Split(..) => "partition",
            Fault::CutAll(..) => "all links cut",
            Fault::StallDisk(..) => "disk stall",
            Fault::Garbage(..) => "garbage flood",
            Fault::LoseDisk(..) => "lost disk",
            Fault::Resign(..) => "resign",
            Fault::Transfer(..) => "transfer",
        }
    }

    /// Everything that must not pass between members 1 to `members` because of it.
    pub fn cuts(&self, members: u64, leader: Option<u64>) -> Vec<(u64, u64)> {
        let is_it = |target: &Target, me: u64| match target {
            Target::Leader => leader == Some(me),
            Target::Member(it) => *it == me,
        };
        let is_cut = |from: u64, to: u64| match self {
            Fault::CutOneWay(one, other, _) => (from, to) == (*one, *other),
            Fault::CutBothWays(one, other, _) => [(from, to), (to, from)].contains(&(*one, *other)),
            Fault::Mute(target, _) => is_it(target, from),
            Fault::Deafen(target, _) => is_it(target, to),
            Fault::Isolate(target, _) => is_it(target, from) || is_it(target, to),
            Fault::Split(side, _) => side.contains(&from) != side.contains(&to),
            Fault::CutAll(_) => true,
            _ => false,
        };
        let pairs = (1..=members).flat_map(|from| (1..=members).map(move |to| (from, to)));
        pairs.filter(|&(from, to)| from != to && is_cut(from, to)).collect()
    }
}

/// Short ones as often as long ones: uniform in the logarithm, in milliseconds.
pub fn span(rng: &mut impl Rng, least: f64, most: f64) -> Duration {
    let millis = least * (most / least).powf(rng.random_range(0.0..1.0));
    Duration::from_secs_f64(millis / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::collections::BTreeSet;

    const SPAN: Duration = Duration::from_secs(1);

    #[test]
    fn every_kind_is_drawn_and_no_member_is_cut_from_itself() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let faults: Vec<Fault> = (0..2_000).map(|_| Fault::draw(&mut rng, 3)).collect();
        let kinds: BTreeSet<&str> = faults.iter().map(Fault::kind).collect();
        assert_eq!(kinds.len(), 16);
        let cuts = faults.iter().flat_map(|fault| fault.cuts(3, Some(2)));
        assert!(cuts.into_iter().all(|(from, to)| from != to));
        let is_other = |fault: &Fault| !matches!(fault, Fault::CutOneWay(one, other, _) if one == other);
        assert!(faults.iter().all(is_other));
    }

    #[test]
    fn cuts_are_those_of_the_fault() {
        let cuts = |fault: Fault| fault.cuts(3, Some(3));
        assert_eq!(cuts(Fault::CutOneWay(1, 2, SPAN)), [(1, 2)]);
        assert_eq!(cuts(Fault::CutBothWays(1, 2, SPAN)), [(1, 2), (2, 1)]);
        assert_eq!(cuts(Fault::Mute(Target::Leader, SPAN)), [(3, 1), (3, 2)]);
        assert_eq!(cuts(Fault::Deafen(Target::Member(1), SPAN)), [(2, 1), (3, 1)]);
        assert_eq!(cuts(Fault::Isolate(Target::Leader, SPAN)), [(1, 3), (2, 3), (3, 1), (3, 2)]);
        assert_eq!(cuts(Fault::Split(vec![1], SPAN)), [(1, 2), (1, 3), (2, 1), (3, 1)]);
        assert_eq!(cuts(Fault::CutAll(SPAN)).len(), 6);
        assert_eq!(cuts(Fault::Kill(Target::Leader, SPAN)), []);
    }
}
