//! The list of algorithms: one line each, variants behind their default.

use bellwether_core::Entry;

/// Defines a [`bellwether_core::Registry`] of all algorithms of Bellwether. Its entries are of the given type: each
/// driver builds from an algorithm what it needs.
#[macro_export]
macro_rules! algorithms {
    ($(#[$doc:meta])* $visibility:vis static $name:ident: $entry:ident) => {
        $(#[$doc])*
        $visibility static $name: $crate::core::Registry<$entry> = {
            use $crate::*;
            $crate::core::Registry {
                detectors: DETECTORS,
                entries: $crate::core::entries! { $entry:
                    rounds lcr::LeaderOnly, lcr::Deciding, lcr::Halting;
                    events chang_roberts::ChangRoberts, chang_roberts_suppressing::Suppressing,
                        chang_roberts_timeout::NeighbourTimeout, chang_roberts_detector::WithDetector;
                    events modified_ring::ModifiedRing;
                    events ring_skipping::RingSkipping;
                    events hirschberg_sinclair::HirschbergSinclair;
                    events peterson::Basic, peterson::Improved;
                    events dolev_klawe_rodeh::DolevKlaweRodeh;
                    events franklin::Franklin;
                    events itai_rodeh::ItaiRodeh;
                    rounds time_slice::TimeSlice;
                    rounds variable_speeds::VariableSpeeds;
                    rounds floodmax::EveryRound, floodmax::NewsOnly;
                    events aggregation_tree::AggregationTree;
                    events bully::AtOnce, bully::Waiting, bully::Stable, bully::Broadcast;
                    events quorum_lease::QuorumLease, quorum_lease::QuorumLease as quorum_lease::RANDOMISED,
                        quorum_lease::QuorumLease as quorum_lease::ADAPTIVE,
                        quorum_lease::QuorumLease as quorum_lease::TIGHT;
                    events zookeeper::Zookeeper;
                    events paxos::Paxos;
                    events raft_vote::RaftVote, raft_vote::RaftVote as raft_vote::PRE_VOTE;
                    events omega::Omega;
                    events invitation::Invitation;
                },
            }
        };
    };
}

algorithms! {
    /// All algorithms of Bellwether, as data.
    pub static ALGORITHMS: Entry
}
