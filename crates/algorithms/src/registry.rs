//! The list of algorithms: one line each, variants behind their default.

use crate::{bully, chang_roberts, chang_roberts_suppressing, floodmax, lcr, time_slice, variable_speeds};

bellwether_core::registry! {
    /// Every algorithm of Bellwether.
    pub Algorithms {
        rounds lcr::LeaderOnly, lcr::Deciding, lcr::Halting;
        events chang_roberts::ChangRoberts, chang_roberts_suppressing::Suppressing;
        rounds time_slice::TimeSlice;
        rounds variable_speeds::VariableSpeeds;
        rounds floodmax::EveryRound, floodmax::NewsOnly;
        events bully::AtOnce, bully::Waiting;
    }
}
