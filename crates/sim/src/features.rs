//! What a plan asks for besides members that start an election and messages that arrive.

use crate::plan::Plan;
use bellwether_core::{FaultEvent, Time};
use bitflags::bitflags;

bitflags! {
    /// A set of features. What may run how is said by the features that it may have at most, so a new one is left out
    /// everywhere until it is named.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Features: u16 {
        /// Members that are dead from the start.
        const EARLY_CRASHES = 1;
        /// Members that crash later.
        const LATE_CRASHES = 1 << 1;
        /// Late starts, calls and requests.
        const LATE_INPUTS = 1 << 2;
        /// Any other event.
        const OTHER_EVENTS = 1 << 3;
        /// Links that lose, double or hold up messages.
        const LINK_FAULTS = 1 << 4;
        /// A ring that closes round its dead.
        const CLOSING_RING = 1 << 5;
        /// Death certificates.
        const CERTIFICATES = 1 << 6;
        /// Elections that start again after a time without a leader.
        const RESTARTS = 1 << 7;
        /// A failure detector.
        const DETECTOR = 1 << 8;
        /// A schedule.
        const SCHEDULE = 1 << 9;
    }
}

impl Features {
    /// Crashes, late starts, calls and requests.
    const MEMBERS: Features =
        Features::EARLY_CRASHES.union(Features::LATE_CRASHES).union(Features::LATE_INPUTS);
}

impl Plan {
    /// What is asked for.
    #[must_use]
    pub fn features(&self) -> Features {
        // No `..` here: a new field has to be placed.
        let Plan {
            topology: _,
            diameter: _,
            ranks: _,
            order: _,
            range: _,
            initiators: _,
            delay: _,
            delay_bound: _,
            drift_bound: _,
            params: _,
            duties: _,
            links: _,
            script,
            link_faults,
            ring_closes,
            certified_crashes,
            restart_after,
            detector,
            schedule,
            seed: _,
            limits: _,
        } = self;
        let events = script.iter().map(|happening| match happening.what {
            FaultEvent::Crash if happening.at == Time::ZERO => Features::EARLY_CRASHES,
            FaultEvent::Crash => Features::LATE_CRASHES,
            FaultEvent::Start | FaultEvent::Call | FaultEvent::Request(_) => Features::LATE_INPUTS,
            _ => Features::OTHER_EVENTS,
        });
        let others = [
            (!link_faults.is_none(), Features::LINK_FAULTS),
            (*ring_closes, Features::CLOSING_RING),
            (*certified_crashes, Features::CERTIFICATES),
            (restart_after.is_some(), Features::RESTARTS),
            (detector.is_some(), Features::DETECTOR),
            (schedule.is_some(), Features::SCHEDULE),
        ];
        let others = others.into_iter().filter(|(is_given, _)| *is_given).map(|(_, feature)| feature);
        events.chain(others).collect()
    }

    /// Whether anything can happen besides crashes, late starts, calls and requests.
    #[must_use]
    pub fn is_disturbed(&self) -> bool {
        let undisturbed = Features::MEMBERS | Features::RESTARTS | Features::DETECTOR | Features::SCHEDULE;
        !undisturbed.contains(self.features())
    }

    /// Whether only crashes, late starts, calls and requests can happen, and nothing goes on by itself after them.
    #[must_use]
    pub fn ends_by_itself(&self) -> bool {
        (Features::MEMBERS | Features::SCHEDULE).contains(self.features())
    }
}
