//! An algorithm's member behind bytes: everything that is compiled for each algorithm, and nothing else.
//!
//! The loop around it (sockets, disk, clock) is compiled once and knows messages only as bytes. One virtual call and one
//! copy a message are nothing beside the system calls that brought it.

use crate::surroundings::Surroundings;
use bellwether_core::{
    Algorithm, Buffers, Cx, Id, Local, Port, Reign, Request, Spec, Status, StoreId, Time, TimerChange,
    Verdict, VoterList,
};
use rand::RngExt as _;

/// What reaches a member.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    /// Somebody calls an election.
    Call,
    /// The election under way has come to nothing: the algorithm boots again, and somebody calls an election.
    Anew,
    /// A neighbour said this.
    Message(Port, &'a [u8]),
    /// The first of its timers has run out.
    Timer,
    /// The detector, or a connection that closed or opened, has this to say.
    Suspicion(Port, Verdict),
    /// A neighbour is dead, for certain.
    Death(Port),
    /// Whoever runs the member asks this.
    Request(Request),
    /// A member, perhaps this one, votes from this store.
    Store(Id, StoreId),
}

/// What an input made a member wish for, with messages as bytes. Lists are kept and used again.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    /// Whether `durable` is to be written before anything else.
    pub(crate) persists: bool,
    pub(crate) durable: Vec<u8>,
    /// Where in `bytes` each message ends, and through which port it goes.
    sends: Vec<(Port, usize)>,
    bytes: Vec<u8>,
    /// Which rule it followed.
    pub(crate) reason: Option<&'static str>,
}

impl Wishes {
    fn clear(&mut self) {
        self.persists = false;
        self.sends.clear();
        self.bytes.clear();
        self.reason = None;
    }

    /// The messages, in the order of the wishes, each after the number of the port at which it arrives.
    pub(crate) fn sends(&self) -> impl Iterator<Item = (Port, &[u8])> {
        let starts = std::iter::once(0).chain(self.sends.iter().map(|&(_, end)| end));
        self.sends.iter().zip(starts).map(|(&(port, end), start)| (port, &self.bytes[start..end]))
    }
}

/// The port at which a message arrives, and the message: the other side of [`Wishes::sends`].
pub(crate) fn addressed(bytes: &[u8]) -> Option<(Port, &[u8])> {
    postcard::take_from_bytes::<u32>(bytes).ok().map(|(port, msg)| (Port(port), msg))
}

/// All of the bytes as a value: postcard by itself would leave those that are too many unread, and so could take what
/// another type wrote.
fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Malformed> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(Malformed),
    }
}

/// What was received is no message, or what was saved no state, of this algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// A member of some algorithm.
pub(crate) trait Machine: Send {
    fn spec(&self) -> &'static Spec;

    /// It boots, with what it saved in its life before, if it had one.
    ///
    /// # Errors
    /// What was saved is not its.
    fn start(
        &mut self,
        saved: Option<&[u8]>,
        now: Time,
        around: &mut Surroundings,
        wishes: &mut Wishes,
    ) -> Result<(), Malformed>;

    /// Something reaches it. Nothing does before it has started.
    ///
    /// # Errors
    /// It was no message, and changed nothing.
    fn take(
        &mut self,
        input: Input<'_>,
        now: Time,
        around: &mut Surroundings,
        wishes: &mut Wishes,
    ) -> Result<(), Malformed>;

    fn status(&self) -> Status;

    /// When the first of its timers runs out.
    fn next_timer(&self) -> Option<Time>;

    /// Until when it leads: in the past, or never, if it does not.
    fn leads_until(&self) -> Option<Time>;

    /// Whether it saves what it must not forget, such as votes.
    fn keeps_votes(&self) -> bool;

    /// The voters, if they have changed since the cluster began.
    fn voters(&self) -> Option<VoterList<'_>>;
}

/// A member of this algorithm.
pub(crate) struct Typed<A: Algorithm> {
    state: Option<A>,
    /// What it saved last.
    saved: A::Durable,
    /// When each pending timer runs out. There are a handful: a list is the fastest map.
    timers: Vec<(A::Timer, Time)>,
    buffers: Buffers<A>,
}

impl<A: Algorithm> Typed<A> {
    pub(crate) fn new() -> Self {
        Typed { state: None, saved: A::Durable::default(), timers: Vec::new(), buffers: Buffers::default() }
    }

    fn act(
        &mut self,
        now: Time,
        around: &mut Surroundings,
        wishes: &mut Wishes,
        handle: impl FnOnce(&mut Cx<'_, A>, Option<A>) -> A,
    ) {
        let state = self.state.take();
        let local = Local::new(around.me(), around.my_rank(), around);
        let mut cx = Cx::new(local, now, &mut self.buffers);
        self.state = Some(handle(&mut cx, state));
        let effects = cx.into_effects();
        wishes.reason = effects.reason;
        if let Some(durable) = &effects.persist {
            wishes.persists = true;
            wishes.durable.clear();
            wishes.durable = written(durable, std::mem::take(&mut wishes.durable));
            self.saved.clone_from(durable);
        }
        if effects.has_timers {
            let mut changes = self.buffers.take_timers();
            for change in changes.drain(..) {
                self.change_timer(change, now, around);
            }
            self.buffers.return_timers(changes);
        }
        let mut more = self.buffers.take_sends();
        for (port, msg) in effects.first_send.into_iter().chain(more.drain(..)) {
            let (_, Port(arrives_at)) = around.behind(port);
            wishes.bytes = written(&arrives_at, std::mem::take(&mut wishes.bytes));
            wishes.bytes = written(&msg, std::mem::take(&mut wishes.bytes));
            wishes.sends.push((port, wishes.bytes.len()));
        }
        self.buffers.return_sends(more);
    }

    fn change_timer(&mut self, change: TimerChange<A::Timer>, now: Time, around: &mut Surroundings) {
        match change {
            TimerChange::Set(timer, range) => {
                let span = around
                    .rng()
                    .random_range(range.start().ticks()..=range.end().ticks().max(range.start().ticks()));
                let due = now + bellwether_core::Span::from_ticks(span);
                match self.timers.iter_mut().find(|(pending, _)| *pending == timer) {
                    Some((_, at)) => *at = due,
                    None => self.timers.push((timer, due)),
                }
            }
            TimerChange::Cancel(timer) => self.timers.retain(|(pending, _)| *pending != timer),
        }
    }

    fn first_timer(&self) -> Option<usize> {
        (0..self.timers.len()).min_by_key(|&at| self.timers[at].1)
    }
}

/// A value after what is already in the list.
fn written<T: serde::Serialize>(value: &T, list: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(value, list).expect("messages and states have a wire form: their types are ours")
}

impl<A: Algorithm> Machine for Typed<A> {
    fn spec(&self) -> &'static Spec {
        &A::SPEC
    }

    fn start(
        &mut self,
        saved: Option<&[u8]>,
        now: Time,
        around: &mut Surroundings,
        wishes: &mut Wishes,
    ) -> Result<(), Malformed> {
        wishes.clear();
        let saved: A::Durable = saved.map_or(Ok(A::Durable::default()), read)?;
        self.saved.clone_from(&saved);
        self.act(now, around, wishes, |cx, _| A::start(cx, saved));
        Ok(())
    }

    fn take(
        &mut self,
        input: Input<'_>,
        now: Time,
        around: &mut Surroundings,
        wishes: &mut Wishes,
    ) -> Result<(), Malformed> {
        wishes.clear();
        let msg = match input {
            Input::Message(_, bytes) => Some(read::<A::Msg>(bytes)?),
            _ => None,
        };
        let timer = match (input, self.first_timer()) {
            (Input::Timer, None) => return Ok(()),
            (Input::Timer, Some(at)) => Some(self.timers.swap_remove(at).0),
            _ => None,
        };
        if self.state.is_none() {
            return Ok(());
        }
        if let Input::Anew = input {
            self.timers.clear();
            let saved = self.saved.clone();
            self.act(now, around, wishes, |cx, _| {
                let mut state = A::start(cx, saved);
                state.on_call(cx);
                state
            });
            return Ok(());
        }
        self.act(now, around, wishes, |cx, state| {
            let mut state = state.expect("it has started");
            match (input, msg, timer) {
                (Input::Message(from, _), Some(msg), _) => state.on_message(cx, from, msg),
                (Input::Timer, _, Some(timer)) => state.on_timer(cx, timer),
                (Input::Suspicion(peer, verdict), ..) => state.on_suspicion(cx, peer, verdict),
                (Input::Death(peer), ..) => state.on_death(cx, peer),
                (Input::Request(request), ..) => state.on_request(cx, request),
                (Input::Store(id, store), ..) => state.on_store(cx, id, store),
                (Input::Call | Input::Anew | Input::Message(..) | Input::Timer, ..) => state.on_call(cx),
            }
            state
        });
        Ok(())
    }

    fn status(&self) -> Status {
        self.state.as_ref().map_or(Status::UNDECIDED, A::status)
    }

    fn next_timer(&self) -> Option<Time> {
        self.first_timer().map(|at| self.timers[at].1)
    }

    fn leads_until(&self) -> Option<Time> {
        let state =
            self.state.as_ref().filter(|state| state.status().role == bellwether_core::Role::Leader)?;
        if A::SPEC.reign != Reign::Leased {
            return Some(Time::NEVER);
        }
        let lease = state.lease()?;
        self.timers.iter().find(|(timer, _)| *timer == lease).map(|&(_, until)| until)
    }

    fn keeps_votes(&self) -> bool {
        size_of::<A::Durable>() > 0
    }

    fn voters(&self) -> Option<VoterList<'_>> {
        self.state.as_ref()?.voters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What quorum-lease keeps begins as what raft-vote keeps does.
    #[test]
    fn what_is_longer_is_not_the_same() {
        let longer = postcard::to_stdvec(&(7_u64, Some(3_u64), None::<u64>)).unwrap();
        assert_eq!(read(&longer), Ok((7_u64, Some(3_u64), None::<u64>)));
        assert_eq!(read::<(u64, Option<u64>)>(&longer), Err(Malformed));
    }
}
