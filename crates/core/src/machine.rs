//! The object-safe form of an algorithm: what is not hot goes through it, and is compiled once for all algorithms.
//!
//! A [`MachineType`] is an algorithm as data. It boots members, each a `AnyMachine`, and reads messages and saved
//! states from bytes. A [`Machine`] takes one [`Input`] and writes its [`Outputs`]. Messages, timers, saved states and
//! members themselves are values that can be compared, hashed, encoded and shown.

mod values;

use crate::message::Data;
use crate::{
    Algorithm, Broken, Buffers, Cx, Effects, Elect, Environment, Id, Kind, Local, MAX_PARAMETERS, Message,
    Names, Port, Rank, Request, Spec, Status, StoreId, Time, TimerChange, Verdict, VoterList,
};
use std::any::Any;
use std::hash::Hasher;
use values::{cast, is_same};

pub use values::{AnyMachine, AnyMessage, AnyValue, DynMessage, DynState, DynValue};

/// A member of some algorithm that has booted: its volatile state.
pub trait Machine: Any + DynState + Send + Sync {
    /// Takes one input and adds to `outputs` what comes of it.
    fn handle(&mut self, place: Place<'_>, input: Input, outputs: &mut Outputs);
    /// [`crate::Protocol::status`].
    fn status(&self) -> Status;
    /// [`crate::Protocol::storage`].
    fn storage(&self) -> usize;
    /// [`crate::Protocol::invariant`].
    ///
    /// # Errors
    /// [`Broken`] says what does not hold.
    fn invariant(&self) -> Result<(), Broken>;
    /// [`Algorithm::voters`].
    fn voters(&self) -> Option<VoterList<'_>>;
    /// [`Algorithm::lease`].
    fn lease(&self) -> Option<AnyValue>;
    /// A copy.
    fn boxed_clone(&self) -> AnyMachine;
    /// Whether it has the same type and value.
    fn equals(&self, other: &dyn Machine) -> bool;
    /// Feeds the state to a hasher.
    fn hash_into(&self, hasher: &mut dyn Hasher);
    /// Itself, for an observer.
    fn as_state(&self) -> &dyn DynState;
}

impl dyn Machine {
    /// The state, if it is of this algorithm.
    #[must_use]
    pub fn downcast_ref<A: Algorithm>(&self) -> Option<&A> {
        (self as &dyn Any).downcast_ref()
    }
}

/// An algorithm as data: how its members boot, and how its messages and saved states are read.
#[derive(Clone, Copy, Debug)]
pub struct MachineType {
    /// Needs, promises and claims.
    pub spec: &'static Spec,
    /// The kinds of its messages.
    pub kinds: &'static [Kind],
    /// How members' names are replaced, if they only tell members apart: [`Algorithm::RENAME`].
    pub rename: Option<AnyRename>,
    /// Whether members save anything.
    pub saves: bool,
    /// The state that a member boots with for the first time.
    pub unsaved: fn() -> AnyValue,
    /// Boots a member with what it saved.
    pub boot: fn(Place<'_>, &dyn DynValue, &mut Outputs) -> AnyMachine,
    /// How a liar would say that this member has been elected: [`Message::forged`].
    pub forge: fn(Rank) -> Option<AnyMessage>,
    /// Reads a message from its wire form; nothing if the bytes are none.
    pub read_message: fn(&[u8]) -> Option<AnyMessage>,
    /// Reads a saved state from its wire form; nothing if the bytes are none.
    pub read_saved: fn(&[u8]) -> Option<AnyValue>,
}

impl MachineType {
    /// The type of an algorithm's members.
    #[must_use]
    pub const fn of<A: Algorithm>() -> &'static MachineType {
        const { &MachineType::new::<A>() }
    }

    /// The same members in a variant of the algorithm that differs by its parameters alone.
    #[must_use]
    pub const fn variant(self, spec: &'static Spec) -> MachineType {
        MachineType { spec, ..self }
    }

    /// Whether a single message says which member has been elected, so that a liar can forge it.
    #[must_use]
    pub fn can_forge(&self) -> bool {
        let rank = Id::new(0).map(|id| Rank::new(Elect::Best, 0, id));
        rank.is_ok_and(|rank| (self.forge)(rank).is_some())
    }

    const fn new<A: Algorithm>() -> MachineType {
        assert!(A::SPEC.parameters.len() <= MAX_PARAMETERS, "these are more parameters than there can be");
        MachineType {
            spec: &A::SPEC,
            kinds: A::Msg::KINDS,
            rename: if A::RENAME.is_some() { Some(AnyRename::of::<A>()) } else { None },
            saves: size_of::<A::Durable>() > 0,
            unsaved: || AnyValue::new(A::Durable::default()),
            boot: boot::<A>,
            forge: |rank| A::Msg::forged(rank).map(AnyMessage::new),
            read_message: |bytes| read::<A::Msg>(bytes).map(AnyMessage::new),
            read_saved: |bytes| read::<A::Durable>(bytes).map(AnyValue::new),
        }
    }
}

/// All of the bytes as a value: postcard by itself would leave those that are too many unread, and so could take what another
/// type wrote.
fn read<T: Data>(bytes: &[u8]) -> Option<T> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Some(value),
        _ => None,
    }
}

fn boot<A: Algorithm>(place: Place<'_>, saved: &dyn DynValue, outputs: &mut Outputs) -> AnyMachine {
    let saved: A::Durable = cast(saved);
    AnyMachine::new(act(place, outputs, |cx| A::start(cx, saved)))
}

/// How the names of others in members' states are replaced: [`Rename`](crate::Rename) of any algorithm.
#[derive(Clone, Copy, Debug)]
pub struct AnyRename {
    /// In a member's state.
    pub state: fn(&mut AnyMachine, &Names),
    /// In what it has on disk.
    pub saved: fn(&mut AnyValue, &Names),
}

impl AnyRename {
    const fn of<A: Algorithm>() -> AnyRename {
        AnyRename {
            state: |machine, names| {
                let state: &mut dyn Any = &mut *machine.0;
                if let (Some(rename), Some(state)) = (A::RENAME, state.downcast_mut::<A>()) {
                    (rename.state)(state, names);
                }
            },
            saved: |saved, names| {
                if let Some(rename) = A::RENAME {
                    let mut renamed: A::Durable = cast(&*saved.0);
                    (rename.saved)(&mut renamed, names);
                    *saved = AnyValue::new(renamed);
                }
            },
        }
    }
}

/// Where a member is when it takes an input.
pub struct Place<'a> {
    /// Its index.
    pub member: u32,
    /// The rank it takes for its own.
    pub rank: Rank,
    /// What its clock shows.
    pub now: Time,
    /// What surrounds it.
    pub environment: &'a mut dyn Environment,
}

/// What reaches a member.
#[derive(Debug)]
pub enum Input {
    /// Its election is called.
    Call,
    /// A message arrived.
    Message(Port, AnyMessage),
    /// A timer ran out.
    Timer(AnyValue),
    /// The failure detector changed its mind about a neighbour.
    Suspicion(Port, Verdict),
    /// A neighbour's process is dead for certain.
    Death(Port),
    /// A request of the operator.
    Request(Request),
    /// A member, perhaps this one, votes from this store.
    Store(Id, StoreId),
}

/// What an input led to. Fields, not a list: the driver alone fixes the order of effects.
#[derive(Debug, Default)]
pub struct Outputs {
    /// What to write durably, if anything.
    pub persist: Option<AnyValue>,
    /// Why the member acted as it did: [`Cx::because`].
    pub reason: Option<&'static str>,
    /// Timers to set and cancel, in order.
    pub timers: Vec<TimerChange<AnyValue>>,
    /// Messages to send, in order.
    pub sends: Vec<(Port, AnyMessage)>,
}

impl Outputs {
    /// Nothing again; the lists keep their memory.
    pub fn clear(&mut self) {
        self.persist = None;
        self.reason = None;
        self.timers.clear();
        self.sends.clear();
    }

    /// Adds the effects of one handler.
    fn add<A: Algorithm>(&mut self, effects: Effects<A>, buffers: &mut Buffers<A>) {
        if let Some(durable) = effects.persist {
            self.persist = Some(AnyValue::new(durable));
        }
        self.reason = effects.reason.or(self.reason);
        for change in buffers.take_timers() {
            self.timers.push(match change {
                TimerChange::Set(timer, range) => TimerChange::Set(AnyValue::new(timer), range),
                TimerChange::Cancel(timer) => TimerChange::Cancel(AnyValue::new(timer)),
            });
        }
        let sends = effects.first_send.into_iter().chain(buffers.take_sends());
        self.sends.extend(sends.map(|(port, msg)| (port, AnyMessage::new(msg))));
    }
}

/// Runs one handler in a context of its own.
fn act<A: Algorithm, T>(
    place: Place<'_>,
    outputs: &mut Outputs,
    handler: impl FnOnce(&mut Cx<'_, A>) -> T,
) -> T {
    let mut buffers = Buffers::default();
    let local = Local::new(place.member, place.rank, place.environment);
    let mut cx = Cx::new(local, place.now, &mut buffers);
    let result = handler(&mut cx);
    let effects = cx.into_effects();
    outputs.add(effects, &mut buffers);
    result
}

impl<A: Algorithm> Machine for A {
    fn handle(&mut self, place: Place<'_>, input: Input, outputs: &mut Outputs) {
        act(place, outputs, |cx| match input {
            Input::Call => self.on_call(cx),
            Input::Message(port, msg) => self.on_message(cx, port, cast(&*msg.0)),
            Input::Timer(timer) => self.on_timer(cx, cast(&*timer.0)),
            Input::Suspicion(port, verdict) => self.on_suspicion(cx, port, verdict),
            Input::Death(port) => self.on_death(cx, port),
            Input::Request(request) => self.on_request(cx, request),
            Input::Store(id, store) => self.on_store(cx, id, store),
        });
    }
    fn status(&self) -> Status {
        crate::Protocol::status(self)
    }
    fn storage(&self) -> usize {
        crate::Protocol::storage(self)
    }
    fn invariant(&self) -> Result<(), Broken> {
        crate::Protocol::invariant(self)
    }
    fn voters(&self) -> Option<VoterList<'_>> {
        Algorithm::voters(self)
    }
    fn lease(&self) -> Option<AnyValue> {
        Algorithm::lease(self).map(AnyValue::new)
    }
    fn boxed_clone(&self) -> AnyMachine {
        AnyMachine::new(self.clone())
    }
    fn equals(&self, other: &dyn Machine) -> bool {
        is_same(self, other)
    }
    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
    fn as_state(&self) -> &dyn DynState {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What quorum-lease keeps begins as what raft-vote keeps does.
    #[test]
    fn what_is_longer_is_not_the_same() {
        let longer = postcard::to_stdvec(&(7_u64, Some(3_u64), None::<u64>)).unwrap();
        assert_eq!(read(&longer), Some((7_u64, Some(3_u64), None::<u64>)));
        assert_eq!(read::<(u64, Option<u64>)>(&longer), None);
    }
}
