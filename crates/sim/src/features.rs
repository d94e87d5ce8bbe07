//! What a plan asks for besides members that start an election and messages that arrive.

use crate::plan::Plan;
use bellwether_core::{FaultEvent, Time};

/// A set of features. What may run how is said by the features that it may have at most, so a new one is left out everywhere
/// until it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u16);

impl Features {
    /// None.
    pub const NONE: Features = Features(0);
    /// Members that are dead from the start.
    pub const EARLY_CRASHES: Features = Features(1);
    /// Members that crash later.
    pub const LATE_CRASHES: Features = Features(1 << 1);
    /// Late starts, calls and requests.
    pub const LATE_INPUTS: Features = Features(1 << 2);
    /// Any other event.
    pub const OTHER_EVENTS: Features = Features(1 << 3);
    /// Links that lose, double or hold up messages.
    pub const LINK_FAULTS: Features = Features(1 << 4);
    /// A ring that closes round its dead.
    pub const CLOSING_RING: Features = Features(1 << 5);
    /// Death certificates.
    pub const CERTIFICATES: Features = Features(1 << 6);
    /// Elections that start again after a time without a leader.
    pub const RESTARTS: Features = Features(1 << 7);
    /// A failure detector.
    pub const DETECTOR: Features = Features(1 << 8);
    /// A schedule.
    pub const SCHEDULE: Features = Features(1 << 9);

    /// These and others.
    #[must_use]
    pub const fn and(self, others: Features) -> Features {
        Features(self.0 | others.0)
    }

    /// Whether all of them are among others.
    #[must_use]
    pub const fn are_within(self, others: Features) -> bool {
        self.0 & !others.0 == 0
    }
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
        events.chain(others).fold(Features::NONE, Features::and)
    }

    /// Whether anything can happen besides crashes, late starts, calls and requests.
    #[must_use]
    pub fn is_disturbed(&self) -> bool {
        const UNDISTURBED: Features = Features::EARLY_CRASHES
            .and(Features::LATE_CRASHES)
            .and(Features::LATE_INPUTS)
            .and(Features::RESTARTS)
            .and(Features::DETECTOR)
            .and(Features::SCHEDULE);
        !self.features().are_within(UNDISTURBED)
    }

    /// Whether only crashes, late starts, calls and requests can happen, and nothing goes on by itself after them.
    #[must_use]
    pub fn ends_by_itself(&self) -> bool {
        const ENDING: Features = Features::EARLY_CRASHES
            .and(Features::LATE_CRASHES)
            .and(Features::LATE_INPUTS)
            .and(Features::SCHEDULE);
        self.features().are_within(ENDING)
    }
}
