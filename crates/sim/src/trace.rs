//! Watching a run, and writing down what happened.

mod json;

pub use json::{EventDetails, JsonTrace, TRACE_VERSION};

use bellwether_core::{DynMessage, DynState, FaultEvent, Port, Status, Time, Verdict};
use serde::Serialize;

/// Sees everything that happens in a run, as it happens. Every method does nothing unless written,
/// and the empty observer `()` costs nothing.
pub trait Observer {
    /// A member booted, for the first time or after a crash.
    #[inline]
    fn started(&mut self, at: Time, member: u32) {
        let _ = (at, member);
    }
    /// An election was called at a member.
    #[inline]
    fn called(&mut self, at: Time, member: u32) {
        let _ = (at, member);
    }
    /// A member stopped.
    #[inline]
    fn crashed(&mut self, at: Time, member: u32) {
        let _ = (at, member);
    }
    /// A member sent a message, which comes to member and port `to` at `due`.
    #[inline]
    fn sent(&mut self, at: Time, member: u32, port: Port, to: (u32, Port), msg: &dyn DynMessage, due: Time) {
        let _ = (at, member, port, to, msg, due);
    }
    /// What a member just sent comes a second time, at `due`.
    #[inline]
    fn duplicated(
        &mut self,
        at: Time,
        member: u32,
        port: Port,
        to: (u32, Port),
        msg: &dyn DynMessage,
        due: Time,
    ) {
        let _ = (at, member, port, to, msg, due);
    }
    /// A member sent a message, and the link lost it.
    #[inline]
    fn dropped(&mut self, at: Time, member: u32, port: Port, to: u32, msg: &dyn DynMessage, why: DropReason) {
        let _ = (at, member, port, to, msg, why);
    }
    /// Something went wrong with a member, or was put right, or was asked of it: anything but a crash, a start, a
    /// recovery or a call.
    #[inline]
    fn struck(&mut self, at: Time, member: u32, what: FaultEvent) {
        let _ = (at, member, what);
    }
    /// A message reached a member.
    #[inline]
    fn delivered(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        let _ = (at, member, port, msg);
    }
    /// A message reached a member that is dead or has halted.
    #[inline]
    fn lost(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        let _ = (at, member, port, msg);
    }
    /// A member's timer ran out.
    #[inline]
    fn timed_out(&mut self, at: Time, member: u32, timer: &dyn std::fmt::Debug) {
        let _ = (at, member, timer);
    }
    /// A member's failure detector said something of a neighbour.
    #[inline]
    fn suspected(&mut self, at: Time, member: u32, port: Port, verdict: Verdict) {
        let _ = (at, member, port, verdict);
    }
    /// A member said why it acted as it did on the input that it was just given.
    #[inline]
    fn reasoned(&mut self, at: Time, member: u32, reason: &'static str) {
        let _ = (at, member, reason);
    }
    /// A member has dealt with the input that it was just given, and its state is this. What it
    /// sends and publishes comes after.
    #[inline]
    fn settled(&mut self, at: Time, member: u32, state: &dyn DynState) {
        let _ = (at, member, state);
    }
    /// What an outsider sees of a member changed.
    #[inline]
    fn published(&mut self, at: Time, member: u32, status: Status) {
        let _ = (at, member, status);
    }
}

impl Observer for () {}

/// Why a link lost a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DropReason {
    /// By chance.
    Loss,
    /// The link is cut.
    Cut,
    /// The message was chosen to be lost.
    Chosen,
    /// The sender keeps silent towards that one.
    Silence,
}
