//! Chang and Roberts' rules, implemented naively: one queue for all messages, members as plain numbers.

use bellwether_testkit::casts::Cast;
use std::collections::VecDeque;

/// The messages sent, and the leader that each member names at the end.
#[derive(Debug, PartialEq, Eq)]
pub struct Played {
    pub election: u64,
    pub elected: u64,
    pub named: Vec<Option<usize>>,
}

#[derive(Clone, Copy)]
enum Payload {
    Election(usize),
    Elected(usize),
}

/// The plain algorithm, started by these members.
pub fn play(cast: &Cast, initiators: &[u32]) -> Played {
    let n = cast.n();
    let mut takes_part = vec![false; n];
    let mut named = vec![None; n];
    let mut queue: VecDeque<(usize, Payload)> = VecDeque::new();
    let (mut election, mut elected) = (0, 0);
    let next = |member: usize| (member + 1) % n;
    for &member in initiators {
        takes_part[member as usize] = true;
        queue.push_back((next(member as usize), Payload::Election(member as usize)));
        election += 1;
    }
    while let Some((here, word)) = queue.pop_front() {
        match word {
            Payload::Election(candidate) if candidate == here => {
                takes_part[here] = false;
                named[here] = Some(here);
                queue.push_back((next(here), Payload::Elected(here)));
                elected += 1;
            }
            Payload::Election(candidate) => {
                let best = if cast.beats(candidate, here) { candidate } else { here };
                if best == here && takes_part[here] {
                    continue;
                }
                takes_part[here] = true;
                queue.push_back((next(here), Payload::Election(best)));
                election += 1;
            }
            Payload::Elected(leader) if leader == here => {}
            Payload::Elected(leader) => {
                takes_part[here] = false;
                named[here] = Some(leader);
                queue.push_back((next(here), Payload::Elected(leader)));
                elected += 1;
            }
        }
    }
    Played { election, elected, named }
}
