//! Flooding without messages: the ranks that a member can know follow from a matrix of distances.

use bellwether_core::Topology;
use bellwether_testkit::casts::Cast;

/// The distance between each two members, along the links.
pub struct Distances(Vec<Vec<usize>>);

impl Distances {
    /// The algorithm of Floyd and Warshall: each member in turn is allowed as an intermediate stop.
    pub fn of(topology: &Topology) -> Distances {
        let n = topology.n() as usize;
        let mut from = vec![vec![n; n]; n];
        for (member, to) in from.iter_mut().enumerate() {
            topology.successors(member as u32).for_each(|neighbour| to[neighbour as usize] = 1);
            to[member] = 0;
        }
        for via in 0..n {
            for start in 0..n {
                for end in 0..n {
                    from[start][end] = from[start][end].min(from[start][via] + from[via][end]);
                }
            }
        }
        Distances(from)
    }

    pub fn diameter(&self) -> usize {
        self.0.iter().flatten().copied().max().expect("there is a member")
    }

    /// The highest-ranked member that a member can know after this many rounds.
    fn best_within(&self, cast: &Cast, member: usize, rounds: usize) -> usize {
        cast.best_of((0..cast.n()).filter(|&other| self.0[other][member] <= rounds))
    }

    /// In how many of the rounds 1 to D a member knows a higher rank than in the previous round.
    pub fn news(&self, cast: &Cast, member: usize) -> usize {
        let best: Vec<usize> =
            (0..self.diameter()).map(|rounds| self.best_within(cast, member, rounds)).collect();
        let changes = best.windows(2).filter(|pair| pair[0] != pair[1]).count();
        changes + best.len().min(1) // in round 1 every rank is new
    }
}
