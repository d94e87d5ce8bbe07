//! All there is to one member.

use bellwether_core::machine::Machine;
use bellwether_core::{
    AnyMachine, AnyMessage, AnyRename, AnyValue, Knowledge, MachineType, Names, Port, Request, Role, Span,
    Spec, Status, Verdict,
};
use serde::Serialize;

/// All there is to one member: a value that can be compared and hashed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct MemberState {
    /// Its volatile state; none while it is down.
    pub(super) state: Option<AnyMachine>,
    /// Whether it is yet to boot for the first time: it is down, but not dead.
    pub(super) boots: bool,
    /// Whether it handles anything.
    attention: Attention,
    /// What it finds when it boots.
    pub(super) saved: AnyValue,
    /// Its pending timers, and how much of its clock is left of each.
    pub(super) timers: Vec<(AnyValue, i64)>,
    /// Whether it is yet to call an election.
    pub(super) calls: bool,
    /// The ports whose neighbours its detector takes for dead.
    pub(super) told: u32,
    /// What its clock shows, if it may read it.
    pub(super) clock: u64,
    /// How far its clock moves on in one step of the world's.
    rate: u32,
    /// The terms in which it has led, where no two may lead in one.
    pub(super) led: Vec<u64>,
    /// How many numbers it has drawn, where it may not draw as many as it likes.
    pub(super) drawn: u8,
    /// Whether it has taken part in an election, where elections are called.
    pub(super) took_part: bool,
    /// The ports whose neighbours are dead for certain, as far as it knows, where elections are called.
    pub(super) dead: u32,
    /// How much of its clock is left until it starts an election again, if it is to: it has no leader that works.
    pub(super) patience: Option<i64>,
}

/// Whether a member that is up handles anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Attention {
    /// Whatever comes.
    #[default]
    Awake,
    /// Nothing: it is frozen, and all that comes waits for it.
    Paused,
    /// It has woken in this step of the clock, and handles all that waits for it in any order.
    Waking,
}

/// What can happen to a member without its doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It stops.
    Crash,
    /// The world's clock moves on by a step.
    Tick,
    /// It freezes.
    Pause,
    /// It wakes.
    Wake,
}

impl Change {
    /// How many there are.
    pub const COUNT: usize = 4;
}

/// Whether a member waits for a leader, and is to start an election again if there is none in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patience {
    /// It has a leader, or waits for as long as it takes.
    #[default]
    Unbounded,
    /// It waits.
    Waiting,
    /// It has waited for long enough.
    Over,
}

/// The most timers of a member that are looked at: as many as fit into a word.
const MOST_TIMERS: usize = u64::BITS as usize;

/// What matters of a member to those that only look on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Whether it is up.
    pub is_up: bool,
    /// Whether it has crashed and not come back. (Who has not booted yet is neither up nor dead.)
    pub is_dead: bool,
    /// Whether it handles anything.
    pub attention: Attention,
    /// What an outsider sees of it.
    pub status: Status,
    /// Whether it leads: if that is for a time only, until that is up on its own clock, be it awake or not. (Where
    /// there is no clock nobody can tell, and its word counts.)
    pub leads: bool,
    /// Whether it knows what it should at the end.
    pub is_satisfied: bool,
    /// Whether it is yet to call an election.
    pub calls: bool,
    /// Whether it has taken part in an election, where elections are called.
    pub took_part: bool,
    /// The ports whose neighbours its detector takes for dead.
    pub told: u32,
    /// The ports whose neighbours are dead for certain, as far as it knows, where elections are called.
    pub known_dead: u32,
    /// Whether it waits for a leader.
    pub patience: Patience,
    /// How many timers are pending.
    pub timers: u8,
    /// Those of them that can run out now.
    pub due: u64,
    /// The terms in which it has led, where no two may lead in one.
    pub led: Vec<u64>,
}

/// What can be done to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input<M> {
    /// It boots, for the first time or again; whoever comes back is to call an election.
    Boot {
        /// After a crash.
        again: bool,
    },
    /// It calls an election, and takes the neighbours at these ports for dead.
    Call {
        /// The ports whose neighbours are dead.
        dead: u32,
    },
    /// A message arrives.
    Message(Port, M),
    /// One of its timers, by number, runs out.
    TimeOut(u8),
    /// Its detector changes its mind about a neighbour.
    Verdict(Port, Verdict),
    /// Something is asked of it.
    Request(Request),
    /// It learns for certain that a neighbour is dead.
    Death(Port),
    /// The next life of a neighbour that was dead for certain is about to be heard. Its algorithm is not told.
    Back(Port),
}

/// What an input can make of a member.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The member after it.
    pub seat: MemberState,
    /// Whether it writes something durably, before it sends anything.
    pub writes: bool,
    /// What it sends.
    pub sends: Vec<(Port, AnyMessage)>,
    /// Why it acted as it did.
    pub reason: Option<&'static str>,
}

impl Facts {
    /// Whether it is yet to boot for the first time.
    #[must_use]
    pub fn boots(&self) -> bool {
        !self.is_up && !self.is_dead
    }

    /// Whether it starts an election again: it has waited for a leader for long enough. One that is yet to be called does
    /// not.
    #[must_use]
    pub fn restarts(&self) -> bool {
        self.is_up && !self.calls && self.patience == Patience::Over
    }

    /// Whether it does nothing by itself.
    #[must_use]
    pub fn is_still(&self) -> bool {
        let waits = self.boots() || self.calls || self.timers > 0 || self.patience != Patience::Unbounded;
        !waits && self.attention == Attention::Awake
    }
}

impl MemberState {
    /// A member that has not booted. Its clock gains so many thousandths.
    pub(super) fn new(machine: &'static MachineType, calls: bool, step: Span, gains: i32) -> Self {
        let rate = (step.ticks() as i64 * i64::from(1_000 + gains) / 1_000) as u32;
        MemberState {
            state: None,
            boots: true,
            attention: Attention::Awake,
            saved: (machine.unsaved)(),
            timers: Vec::new(),
            calls,
            told: 0,
            clock: 0,
            rate,
            led: Vec::new(),
            drawn: 0,
            took_part: false,
            dead: 0,
            patience: None,
        }
    }

    /// Its state, if it is up.
    #[must_use]
    pub fn state(&self) -> Option<&dyn Machine> {
        self.state.as_deref()
    }

    /// A pending timer, by number.
    #[must_use]
    pub fn timer(&self, number: u8) -> Option<&AnyValue> {
        self.timers.get(number as usize).map(|(timer, _)| timer)
    }

    /// What an outsider sees of it.
    #[must_use]
    pub fn status(&self) -> Status {
        self.state.as_ref().map_or(Status::UNDECIDED, |state| state.status())
    }

    /// Whether it leads: see [`Facts::leads`].
    pub(super) fn leads(&self) -> bool {
        let Some(state) = self.state.as_ref().filter(|state| state.status().role == Role::Leader) else {
            return false;
        };
        let has_clock = self.rate > 0;
        let is_valid = |lease| self.timers.iter().any(|(timer, left)| *timer == lease && *left > 0);
        !has_clock || state.lease().is_none_or(is_valid)
    }

    /// What matters of it.
    #[must_use]
    pub fn facts(&self, spec: &Spec) -> Facts {
        let due = |(_, left): &(AnyValue, i64)| *left <= 0;
        let status = self.status();
        Facts {
            is_up: self.state.is_some(),
            is_dead: self.state.is_none() && !self.boots,
            attention: self.attention,
            status,
            leads: self.leads(),
            is_satisfied: spec.goal.is_met_by(&status),
            calls: self.calls && self.state.is_some(),
            took_part: self.took_part,
            told: self.told,
            known_dead: self.dead,
            patience: match self.patience {
                None => Patience::Unbounded,
                Some(left) if left > 0 => Patience::Waiting,
                Some(_) => Patience::Over,
            },
            timers: self.timers.len().min(MOST_TIMERS) as u8,
            due: (0..MOST_TIMERS)
                .zip(&self.timers)
                .fold(0, |mask, (at, timer)| mask | u64::from(due(timer)) << at),
            led: self.led.clone(),
        }
    }

    /// The member when something has happened to it without its doing.
    #[must_use]
    pub fn changed(&self, spec: &Spec, change: Change) -> Self {
        let seat = self.clone();
        match change {
            Change::Crash => MemberState {
                state: None,
                boots: false,
                attention: Attention::Awake,
                timers: Vec::new(),
                calls: false,
                told: 0,
                took_part: false,
                dead: 0,
                patience: None,
                ..seat
            },
            Change::Tick => self.a_step_later(spec),
            Change::Pause => MemberState { attention: Attention::Paused, ..seat },
            Change::Wake => MemberState { attention: Attention::Waking, ..seat },
        }
    }

    /// The member as it would be if others had other names.
    #[must_use]
    pub fn renamed(&self, rename: &AnyRename, names: &Names) -> Self {
        let mut seat = self.clone();
        if let Some(state) = &mut seat.state {
            (rename.state)(state, names);
        }
        (rename.saved)(&mut seat.saved, names);
        let renamed = |ports: u32| {
            let those = (0..u32::BITS).filter(|port| ports >> port & 1 != 0);
            those.fold(0, |ports, port| ports | 1 << names.port(Port(port)).0)
        };
        (seat.told, seat.dead) = (renamed(self.told), renamed(self.dead));
        seat
    }

    fn a_step_later(&self, spec: &Spec) -> Self {
        let mut later = self.clone();
        if later.attention == Attention::Waking {
            later.attention = Attention::Awake;
        }
        // While it is frozen nobody counts for how long a timer has been due.
        let least = if self.attention == Attention::Paused { 0 } else { i64::MIN };
        later.timers.iter_mut().for_each(|(_, left)| *left = (*left - i64::from(self.rate)).max(least));
        if let Some(left) = &mut later.patience {
            *left = (*left - i64::from(self.rate)).max(0); // nor for how long it has been over
        }
        if spec.knows.contains(Knowledge::CLOCK) {
            later.clock += u64::from(self.rate);
        }
        later
    }
}
