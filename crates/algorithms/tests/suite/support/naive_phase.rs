//! Peterson's rules and those of Dolev, Klawe and Rodeh, implemented naively: all start, one queue for all messages,
//! ranks are their owners' numbers, and the meaning of a message follows from its turn.

use bellwether_testkit::casts::Cast;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    PetersonBasic,
    PetersonImproved,
    DolevKlaweRodeh,
}

/// The messages sent, and the leader that each member names at the end.
#[derive(Debug, PartialEq, Eq)]
pub struct Played {
    pub ranks: u64,
    pub elected: u64,
    pub named: Vec<Option<usize>>,
}

#[derive(Clone, Copy)]
enum Payload {
    Rank(usize),
    Elected(usize),
}

struct Member {
    holds: usize,
    heard: Option<usize>,
    /// The improved algorithm: in an even phase.
    even: bool,
    out: bool,
    announced: bool,
    named: Option<usize>,
}

pub fn play(cast: &Cast, rules: Rules) -> Played {
    let n = cast.n();
    let mut members: Vec<Member> = (0..n)
        .map(|holds| Member { holds, heard: None, even: false, out: false, announced: false, named: None })
        .collect();
    let mut queue: VecDeque<(usize, Payload)> = (0..n).map(|at| ((at + 1) % n, Payload::Rank(at))).collect();
    let (mut ranks, mut elected) = (n as u64, 0);
    while let Some((here, word)) = queue.pop_front() {
        let member = &mut members[here];
        let said = match word {
            Payload::Elected(_) if member.announced => None,
            Payload::Elected(leader) => {
                member.named = Some(leader);
                Some(word)
            }
            Payload::Rank(rank) => member.hear(cast, rules, here, rank),
        };
        if let Some(word) = said {
            match word {
                Payload::Rank(_) => ranks += 1,
                Payload::Elected(_) => elected += 1,
            }
            queue.push_back(((here + 1) % n, word));
        }
    }
    Played { ranks, elected, named: members.iter().map(|member| member.named).collect() }
}

impl Member {
    fn hear(&mut self, cast: &Cast, rules: Rules, me: usize, rank: usize) -> Option<Payload> {
        if self.announced {
            return None;
        }
        let is_found = match rules {
            Rules::PetersonBasic => rank == me,
            Rules::PetersonImproved => !self.out && rank == self.holds,
            Rules::DolevKlaweRodeh => !self.out && self.heard.is_none() && rank == self.holds,
        };
        if is_found {
            self.announced = true;
            self.named = Some(rank);
            return Some(Payload::Elected(rank));
        }
        if self.out {
            return Some(Payload::Rank(rank));
        }
        let better = |one, other| if cast.beats(one, other) { one } else { other };
        match (rules, self.heard) {
            (Rules::PetersonImproved, _) => {
                let stays = cast.beats(rank, self.holds) == self.even;
                self.out = !stays;
                if self.even {
                    self.holds = better(rank, self.holds);
                }
                self.even = !self.even;
                stays.then_some(Payload::Rank(self.holds))
            }
            (_, None) => {
                self.heard = Some(rank);
                let second = if rules == Rules::DolevKlaweRodeh { rank } else { better(rank, self.holds) };
                Some(Payload::Rank(second))
            }
            (_, Some(before)) => {
                // In Peterson's algorithm the same rank may arrive twice: it is not higher than itself.
                self.heard = None;
                self.out = cast.beats(self.holds, before) || cast.beats(rank, before);
                self.holds = before;
                (!self.out).then_some(Payload::Rank(before))
            }
        }
    }
}
