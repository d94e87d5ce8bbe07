//! The list of algorithms: one line each, variants behind their default.

use crate::{
    aggregation_tree, bully, chang_roberts, chang_roberts_detector, chang_roberts_suppressing,
    chang_roberts_timeout, dolev_klawe_rodeh, floodmax, franklin, hirschberg_sinclair, invitation,
    itai_rodeh, lcr, modified_ring, omega, paxos, peterson, raft_vote, ring_skipping, time_slice,
    variable_speeds, zookeeper,
};

use crate::quorum_lease::{Adaptive, QuorumLease, Randomised, Ranked, Tight};

bellwether_core::registry! {
    /// Every algorithm of Bellwether.
    pub Algorithms, detectors crate::detectors::DETECTORS {
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
        events QuorumLease<Ranked>, QuorumLease<Randomised>, QuorumLease<Adaptive>, QuorumLease<Tight>;
        events zookeeper::Zookeeper;
        events paxos::Paxos;
        events raft_vote::Plain, raft_vote::PreVote;
        events omega::Omega;
        events invitation::Invitation;
    }
}
