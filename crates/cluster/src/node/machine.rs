//! An algorithm's member behind bytes: the loop around it (sockets, disk, clock) knows messages only as bytes.

use crate::node::surroundings::Surroundings;
use bellwether_core::machine::{self, Outputs, Place};
use bellwether_core::{
    AnyMachine, AnyValue, Id, MachineType, Params, Port, Reign, Request, Role, Spec, Status, StoreId, Time,
    TimerChange, Verdict, VoterList,
};
use rand::RngExt as _;

/// What reaches a member.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The member is to start an election.
    Call,
    /// The election under way has come to nothing: the algorithm boots again, and starts an election.
    Anew,
    /// A message of a neighbour.
    Message(Port, &'a [u8]),
    /// A message of a neighbour in a later election: the algorithm boots again and takes it.
    MessageAnew(Port, &'a [u8]),
    /// The first of its timers has run out.
    Timer,
    /// The verdict of the detector, or of a connection that closed or opened.
    Suspicion(Port, Verdict),
    /// A neighbour is dead, for certain.
    Death(Port),
    /// A request of the application or the operator.
    Request(Request),
    /// A member, perhaps this one, votes from this store.
    Store(Id, StoreId),
}

/// The effects of one input, with messages as bytes. Lists are kept and used again.
#[derive(Debug, Default)]
pub struct Effects {
    /// Whether `durable` is to be written before anything else.
    pub(crate) persists: bool,
    pub(crate) durable: Vec<u8>,
    /// Where in `bytes` each message ends, and through which port it goes.
    sends: Vec<(Port, usize)>,
    bytes: Vec<u8>,
    /// The rule that the algorithm followed.
    pub(crate) reason: Option<&'static str>,
}

impl Effects {
    fn clear(&mut self) {
        self.persists = false;
        self.sends.clear();
        self.bytes.clear();
        self.reason = None;
    }

    /// The messages, in the order of the effects, each after the number of the port at which it arrives.
    pub fn sends(&self) -> impl Iterator<Item = (Port, &[u8])> {
        let starts = std::iter::once(0).chain(self.sends.iter().map(|&(_, end)| end));
        self.sends.iter().zip(starts).map(|(&(port, end), start)| (port, &self.bytes[start..end]))
    }
}

/// The port at which a message arrives, and the message: the other side of [`Effects::sends`].
pub fn addressed(bytes: &[u8]) -> Option<(Port, &[u8])> {
    postcard::take_from_bytes::<u32>(bytes).ok().map(|(port, msg)| (Port(port), msg))
}

/// What was received is no message, or what was saved no state, of this algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// A member's machine behind bytes, with its timers and what it saved last.
pub struct ByteMachine {
    machine: &'static MachineType,
    /// What is given of the algorithm's parameters.
    params: Params,
    state: Option<AnyMachine>,
    saved: AnyValue,
    /// When each pending timer runs out. There are a handful: a list is the fastest map.
    timers: Vec<(AnyValue, Time)>,
    outputs: Outputs,
}

impl ByteMachine {
    /// A member that has not started.
    pub fn new(machine: &'static MachineType, params: Params) -> Self {
        let saved = (machine.unsaved)();
        ByteMachine { machine, params, state: None, saved, timers: Vec::new(), outputs: Outputs::default() }
    }

    /// The algorithm's needs and promises.
    pub fn spec(&self) -> &'static Spec {
        self.machine.spec
    }

    /// What is given of the algorithm's parameters.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The algorithm boots, with what it saved before the restart, if there was one.
    ///
    /// # Errors
    /// What was saved is of another algorithm.
    pub fn start(
        &mut self,
        saved: Option<&[u8]>,
        now: Time,
        around: &mut Surroundings,
        effects: &mut Effects,
    ) -> Result<(), Malformed> {
        effects.clear();
        self.saved =
            saved.map_or_else(|| Some((self.machine.unsaved)()), self.machine.read_saved).ok_or(Malformed)?;
        self.boot(now, around);
        self.apply(now, around, effects);
        Ok(())
    }

    /// The algorithm takes an input. It takes none before it has started.
    ///
    /// # Errors
    /// The bytes were no message, and changed nothing.
    pub fn take(
        &mut self,
        input: Input<'_>,
        now: Time,
        around: &mut Surroundings,
        effects: &mut Effects,
    ) -> Result<(), Malformed> {
        effects.clear();
        let begins_anew = matches!(input, Input::Anew | Input::MessageAnew(..));
        let input = match input {
            Input::Message(from, bytes) | Input::MessageAnew(from, bytes) => {
                machine::Input::Message(from, (self.machine.read_message)(bytes).ok_or(Malformed)?)
            }
            Input::Timer => match self.first_timer() {
                Some(at) => machine::Input::Timer(self.timers.swap_remove(at).0),
                None => return Ok(()),
            },
            Input::Suspicion(peer, verdict) => machine::Input::Suspicion(peer, verdict),
            Input::Death(peer) => machine::Input::Death(peer),
            Input::Request(request) => machine::Input::Request(request),
            Input::Store(id, store) => machine::Input::Store(id, store),
            Input::Call => machine::Input::Call,
            Input::Anew => machine::Input::Call,
        };
        if begins_anew && self.state.is_some() {
            self.timers.clear();
            self.boot(now, around);
        }
        if let Some(state) = &mut self.state {
            state.handle(place(now, around), input, &mut self.outputs);
            self.apply(now, around, effects);
        }
        Ok(())
    }

    fn boot(&mut self, now: Time, around: &mut Surroundings) {
        self.state = Some((self.machine.boot)(place(now, around), &*self.saved, &mut self.outputs));
    }

    /// Turns what came of an input into effects, and changes timers.
    fn apply(&mut self, now: Time, around: &mut Surroundings, effects: &mut Effects) {
        let mut outputs = std::mem::take(&mut self.outputs);
        effects.reason = outputs.reason;
        if let Some(saved) = outputs.persist.take() {
            effects.persists = true;
            effects.durable.clear();
            effects.durable = written(&saved, std::mem::take(&mut effects.durable));
            self.saved = saved;
        }
        for change in outputs.timers.drain(..) {
            self.change_timer(change, now, around);
        }
        for (port, msg) in outputs.sends.drain(..) {
            let (_, Port(arrives_at)) = around.behind(port);
            effects.bytes = written(&arrives_at, std::mem::take(&mut effects.bytes));
            effects.bytes = written(&msg, std::mem::take(&mut effects.bytes));
            effects.sends.push((port, effects.bytes.len()));
        }
        outputs.clear();
        self.outputs = outputs;
    }

    fn change_timer(&mut self, change: TimerChange<AnyValue>, now: Time, around: &mut Surroundings) {
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

    /// What the algorithm shows: role, leader and term.
    pub fn status(&self) -> Status {
        self.state.as_ref().map_or(Status::UNDECIDED, |state| state.status())
    }

    /// When the first of its timers runs out.
    pub fn next_timer(&self) -> Option<Time> {
        self.first_timer().map(|at| self.timers[at].1)
    }

    /// Until when the member leads: a time in the past, or none, if it does not lead.
    pub fn leads_until(&self) -> Option<Time> {
        let state = self.state.as_ref().filter(|state| state.status().role == Role::Leader)?;
        if self.spec().reign != Reign::Leased {
            return Some(Time::NEVER);
        }
        let lease = state.lease()?;
        self.timers.iter().find(|(timer, _)| *timer == lease).map(|&(_, until)| until)
    }

    /// Whether the algorithm saves state that must survive a crash, such as votes.
    pub(crate) fn keeps_votes(&self) -> bool {
        self.machine.saves
    }

    /// The voters, if they have changed since the cluster began.
    pub(crate) fn voters(&self) -> Option<VoterList<'_>> {
        self.state.as_ref()?.voters()
    }
}

fn place(now: Time, around: &mut Surroundings) -> Place<'_> {
    Place { member: around.me(), rank: around.my_rank(), now, environment: around }
}

/// A value after what is already in the list.
fn written<T: serde::Serialize>(value: &T, list: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(value, list).expect("messages and states have a wire form: their types are ours")
}
