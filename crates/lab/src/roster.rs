//! Who thinks what at the end of a run.

use bellwether_core::{DynMessage, DynState, FaultEvent, Port, Status, Time, Verdict};
use bellwether_sim::{DropReason, Observer};

/// Watches what members publish, and lets another observer watch too.
pub struct Roster<O> {
    seats: Vec<FinalState>,
    other: O,
}

/// What is to be seen of a member at the end.
#[derive(Clone, Copy, Debug, Default)]
pub enum FinalState {
    /// It has not booted.
    #[default]
    Absent,
    /// It is up, and says this.
    Up(Status),
    /// It has crashed.
    Dead,
}

impl<O: Observer> Roster<O> {
    /// For so many members.
    pub fn new(n: u32, other: O) -> Self {
        Roster { seats: vec![FinalState::Absent; n as usize], other }
    }

    /// What there was to be seen, and the other observer.
    pub fn into_parts(self) -> (Vec<FinalState>, O) {
        (self.seats, self.other)
    }
}

impl<O: Observer> Observer for Roster<O> {
    fn started(&mut self, at: Time, member: u32) {
        self.seats[member as usize] = FinalState::Up(Status::UNDECIDED);
        self.other.started(at, member);
    }
    fn called(&mut self, at: Time, member: u32) {
        self.other.called(at, member);
    }
    fn crashed(&mut self, at: Time, member: u32) {
        self.seats[member as usize] = FinalState::Dead;
        self.other.crashed(at, member);
    }
    fn sent(&mut self, at: Time, member: u32, port: Port, to: (u32, Port), msg: &dyn DynMessage, due: Time) {
        self.other.sent(at, member, port, to, msg, due);
    }
    fn duplicated(
        &mut self,
        at: Time,
        member: u32,
        port: Port,
        to: (u32, Port),
        msg: &dyn DynMessage,
        due: Time,
    ) {
        self.other.duplicated(at, member, port, to, msg, due);
    }
    fn dropped(&mut self, at: Time, member: u32, port: Port, to: u32, msg: &dyn DynMessage, why: DropReason) {
        self.other.dropped(at, member, port, to, msg, why);
    }
    fn struck(&mut self, at: Time, member: u32, what: FaultEvent) {
        self.other.struck(at, member, what);
    }
    fn delivered(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        self.other.delivered(at, member, port, msg);
    }
    fn lost(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        self.other.lost(at, member, port, msg);
    }
    fn timed_out(&mut self, at: Time, member: u32, timer: &dyn std::fmt::Debug) {
        self.other.timed_out(at, member, timer);
    }
    fn suspected(&mut self, at: Time, member: u32, port: Port, verdict: Verdict) {
        self.other.suspected(at, member, port, verdict);
    }
    fn reasoned(&mut self, at: Time, member: u32, reason: &'static str) {
        self.other.reasoned(at, member, reason);
    }
    fn settled(&mut self, at: Time, member: u32, state: &dyn DynState) {
        self.other.settled(at, member, state);
    }
    fn published(&mut self, at: Time, member: u32, status: Status) {
        self.seats[member as usize] = FinalState::Up(status);
        self.other.published(at, member, status);
    }
}
