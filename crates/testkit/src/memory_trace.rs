//! A trace in memory, to compare runs by.

use bellwether_core::{DynMessage, FaultEvent, Port, Time, Verdict};
use bellwether_sim::{DropReason, Observer};

/// One step of a run: which input reached which member when. Everything else follows from it,
/// because members are deterministic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// When.
    pub at: Time,
    /// The member.
    pub member: u32,
    /// What reached it.
    pub input: Input,
}

/// What reached a member in a [`Step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A message of this kind came in at this port.
    Message {
        /// The index of its kind.
        kind: u8,
        /// The port (its lower 24 bits).
        port: Port,
    },
    /// It booted.
    Start,
    /// It was called.
    Call,
    /// It crashed.
    Crash,
    /// A message was lost on it.
    Loss,
    /// A timer ran out.
    Timer,
    /// Its failure detector spoke.
    Suspicion,
    /// Something went wrong with it, or was put right: the event's kind, as a number.
    Strike(u8),
    /// A link lost what it sent: a message of this kind.
    DropReason {
        /// The index of its kind.
        kind: u8,
        /// The port (its lower 24 bits).
        port: Port,
    },
    /// What it sent comes twice: a message of this kind.
    Duplicate {
        /// The index of its kind.
        kind: u8,
        /// The port (its lower 24 bits).
        port: Port,
    },
}

/// A trace in memory: eight bytes a step, and sixteen each time the clock moves on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryTrace {
    /// For each step its member, and what reached it: input (4 bits), kind (4 bits), port (24 bits).
    steps: Vec<(u32, u32)>,
    /// For each time, the first step at it.
    times: Vec<(Time, usize)>,
    now: Option<Time>,
}

impl MemoryTrace {
    /// The steps so far, in order.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = Step> + '_ {
        let mut times = self.times.iter().peekable();
        let mut at = Time::ZERO;
        self.steps.iter().enumerate().map(move |(number, &(member, what))| {
            if let Some((time, _)) = times.next_if(|(_, first)| *first == number) {
                at = *time;
            }
            Step { at, member, input: Self::unpack(what) }
        })
    }

    #[inline(always)]
    fn note(&mut self, at: Time, member: u32, input: u32, kind: usize, port: Port) {
        if self.now != Some(at) {
            self.move_on(at);
        }
        self.steps.push((member, input << 28 | (kind as u32) << 24 | port.0 & 0x00FF_FFFF));
    }

    #[inline(never)]
    fn move_on(&mut self, at: Time) {
        self.times.push((at, self.steps.len()));
        self.now = Some(at);
    }

    fn unpack(what: u32) -> Input {
        let (kind, port) = ((what >> 24 & 0xF) as u8, Port(what & 0x00FF_FFFF));
        match what >> 28 {
            0 => Input::Message { kind, port },
            1 => Input::Start,
            2 => Input::Call,
            3 => Input::Crash,
            4 => Input::Loss,
            5 => Input::Timer,
            6 => Input::Suspicion,
            7 => Input::Strike(port.0 as u8),
            8 => Input::DropReason { kind, port },
            _ => Input::Duplicate { kind, port },
        }
    }
}

impl Observer for MemoryTrace {
    fn started(&mut self, at: Time, member: u32) {
        self.note(at, member, 1, 0, Port(0));
    }
    fn called(&mut self, at: Time, member: u32) {
        self.note(at, member, 2, 0, Port(0));
    }
    fn crashed(&mut self, at: Time, member: u32) {
        self.note(at, member, 3, 0, Port(0));
    }
    #[inline(always)]
    fn delivered(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        self.note(at, member, 0, msg.kind_index(), port);
    }
    fn lost(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        self.note(at, member, 4, msg.kind_index(), port);
    }
    fn timed_out(&mut self, at: Time, member: u32, _: &dyn std::fmt::Debug) {
        self.note(at, member, 5, 0, Port(0));
    }
    fn suspected(&mut self, at: Time, member: u32, port: Port, _: Verdict) {
        self.note(at, member, 6, 0, port);
    }
    fn struck(&mut self, at: Time, member: u32, what: FaultEvent) {
        self.note(at, member, 7, 0, Port((what.kind() as u8).into()));
    }
    fn dropped(&mut self, at: Time, member: u32, port: Port, _: u32, msg: &dyn DynMessage, _: DropReason) {
        self.note(at, member, 8, msg.kind_index(), port);
    }
    fn duplicated(
        &mut self,
        at: Time,
        member: u32,
        port: Port,
        _: (u32, Port),
        msg: &dyn DynMessage,
        _: Time,
    ) {
        self.note(at, member, 9, msg.kind_index(), port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellwether_core::{FaultArgument, FaultKind, Id};

    /// Every event has a number of its own.
    #[test]
    fn what_strikes_whom_is_told_apart() {
        let id = Id::new(9).unwrap();
        let arguments = [
            None,
            Some(FaultArgument::Member(1)),
            Some(FaultArgument::Id(id)),
            Some(FaultArgument::Rate(-5)),
            Some(FaultArgument::Ticks(7)),
        ];
        let mut trace = MemoryTrace::default();
        for (at, kind) in (0..).zip(FaultKind::ALL) {
            let event = arguments.into_iter().find_map(|argument| FaultEvent::from_parts(kind, argument));
            trace.struck(Time::from_ticks(at), 3, event.unwrap());
        }
        let steps: Vec<Step> = trace.steps().collect();
        let expected: Vec<Step> = (0..23)
            .map(|n| Step { at: Time::from_ticks(n), member: 3, input: Input::Strike(n as u8) })
            .collect();
        assert_eq!(steps, expected);
    }
}
