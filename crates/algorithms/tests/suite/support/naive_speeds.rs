//! VariableSpeeds as a race of tokens, played round by round.

use bellwether_testkit::casts::Cast;

/// The result of a race.
#[derive(Debug, PartialEq, Eq)]
pub struct Race {
    pub leader: usize,
    pub leader_round: u64,
    /// For each member, the number of times that its token was sent.
    pub hops: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Token {
    at: usize,
    rounds_left: u64,
    dropped: bool,
}

/// Until a member has its own token back. Values must be small: every round is played.
pub fn race(cast: &Cast, values: &[u64]) -> Race {
    let n = cast.n();
    let stay: Vec<u64> = values.iter().map(|&value| 1 << value.min(62)).collect();
    let mut tokens: Vec<Token> =
        (0..n).map(|owner| Token { at: owner, rounds_left: stay[owner], dropped: false }).collect();
    let mut hops = vec![0; n];
    let mut best_seen: Vec<usize> = (0..n).collect();
    for round in 1.. {
        // Tokens that moved in the previous round arrive, and are seen.
        for owner in 0..n {
            let token = tokens[owner];
            if token.dropped {
                continue;
            }
            if token.at == owner && hops[owner] > 0 {
                return Race { leader: owner, leader_round: round, hops };
            }
            if cast.beats(owner, best_seen[token.at]) {
                best_seen[token.at] = owner;
            }
        }
        for owner in 0..n {
            let token = &mut tokens[owner];
            token.dropped |= best_seen[token.at] != owner;
            if token.dropped {
                continue;
            }
            token.rounds_left -= 1;
            if token.rounds_left == 0 {
                *token = Token { at: (token.at + 1) % n, rounds_left: stay[owner], dropped: false };
                hops[owner] += 1;
            }
        }
    }
    unreachable!("the best token comes home")
}
