//! The contract between an algorithm and whatever drives it.

use crate::{
    Broken, Data, Id, Knowledge, Local, Message, Port, Rename, Span, Spec, Status, StoreId, Time, VoterList,
};
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Deref, DerefMut, RangeInclusive};

/// What every algorithm is, however it is driven: `Self` is a member's volatile state.
pub trait Protocol: Clone + Debug + Eq + Hash + serde::Serialize + Send + Sync + 'static {
    /// What members say to each other.
    type Msg: Message;

    /// Needs, promises and claims.
    const SPEC: Spec;

    /// All an outsider sees of the member.
    fn status(&self) -> Status;

    /// How many bytes the state takes in memory. An algorithm whose state owns lists adds them.
    #[inline(always)]
    fn storage(&self) -> usize {
        size_of::<Self>()
    }

    /// What must hold in every state.
    ///
    /// # Errors
    /// [`Broken`] says what does not: always a bug of ours.
    fn invariant(&self) -> Result<(), Broken> {
        Ok(())
    }
}

/// An algorithm that reacts to one input at a time.
///
/// Every handler sees one input, changes the state and writes its wishes into [`Cx`]. The driver
/// applies all of them before the next input: persist, sync, set timers, send, publish. A member
/// may crash between any two of these.
///
/// Handlers cannot fail: malformed bytes die in the decoder, and a broken invariant is our bug.
pub trait Algorithm: Protocol {
    /// What the member can be reminded of; [`crate::Never`] if it sets no timers.
    type Timer: Data;
    /// What survives a crash; `()` if nothing does.
    type Durable: Data + Default;

    /// How members' names are replaced, if they only tell members apart.
    const RENAME: Option<Rename<Self>> = None;

    /// The member boots, for the first time (`saved` is the default) or after a crash.
    fn start(cx: &mut Cx<'_, Self>, saved: Self::Durable) -> Self;

    /// Somebody calls an election at this member.
    fn on_call(&mut self, cx: &mut Cx<'_, Self>);

    /// A message arrived.
    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Self::Msg);

    /// A timer ran out.
    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Self::Timer);

    /// The failure detector changed its mind about a neighbour.
    fn on_suspicion(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        let _ = (cx, peer, verdict);
    }

    /// A neighbour's process, as it was last heard, is dead, and so is all that acted for it: this is certain, unlike a
    /// suspicion. (Whoever started it has seen it end, and says so under a seal that only it could have.)
    fn on_death(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        self.on_suspicion(cx, peer, Verdict::Failed);
    }

    /// Whoever runs the members asks something of this one.
    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        let _ = request;
        cx.because("it knows no such request");
    }

    /// This member, or a neighbour, keeps its votes in this store. Told only by drivers in which a store can be lost.
    fn on_store(&mut self, cx: &mut Cx<'_, Self>, id: Id, store: StoreId) {
        let _ = (cx, id, store);
    }

    /// The voters as this member knows them, if they have changed since the cluster began.
    fn voters(&self) -> Option<VoterList<'_>> {
        None
    }

    /// The timer that ends its leadership, where that is for a time only: whoever leads does so until this timer
    /// runs out on its own clock, and not a moment longer, whether it is awake to notice or not. A leader that
    /// names a timer which is not pending does not lead.
    fn lease(&self) -> Option<Self::Timer> {
        None
    }
}

/// What whoever runs the members may ask of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Lead no longer.
    Resign,
    /// Let this member lead.
    Transfer(Id),
    /// Let this member vote.
    Admit(Id),
    /// Let this member no longer vote.
    Dismiss(Id),
    /// Be a candidate, as whoever boots is.
    Stand,
    /// Be no candidate until told to stand, or booted again; a leader leads no longer.
    Withdraw,
}

impl Request {
    /// The other member that it is about, if it is about one.
    #[must_use]
    pub fn about(self) -> Option<Id> {
        match self {
            Request::Resign | Request::Stand | Request::Withdraw => None,
            Request::Transfer(id) | Request::Admit(id) | Request::Dismiss(id) => Some(id),
        }
    }

    /// The same about another.
    #[must_use]
    pub fn renamed(self, name: impl Fn(Id) -> Id) -> Request {
        match self {
            Request::Resign | Request::Stand | Request::Withdraw => self,
            Request::Transfer(id) => Request::Transfer(name(id)),
            Request::Admit(id) => Request::Admit(name(id)),
            Request::Dismiss(id) => Request::Dismiss(name(id)),
        }
    }
}

/// A failure detector's word about a member. It may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It answers.
    Working,
    /// It has been silent for too long.
    Suspected,
    /// It is dead, as far as the detector can tell.
    Failed,
}

/// A wish about a timer. A member has at most one pending timer of each value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerChange<T> {
    /// Remind me once, after a span that the driver picks from the range; a pending reminder of
    /// the same value is replaced.
    Set(T, RangeInclusive<Span>),
    /// Forget the pending reminder, if any.
    Cancel(T),
}

/// Lists that a driver keeps between inputs, so that no input allocates.
#[derive(Debug)]
pub struct Buffers<A: Algorithm> {
    timers: Vec<TimerChange<A::Timer>>,
    sends: Vec<(Port, A::Msg)>,
}

impl<A: Algorithm> Default for Buffers<A> {
    fn default() -> Self {
        Buffers { timers: Vec::new(), sends: Vec::new() }
    }
}

impl<A: Algorithm> Buffers<A> {
    /// Timers to set and forget, in the order of the wishes. Give the list back with
    /// [`Buffers::return_timers`], and it is not allocated again.
    pub fn take_timers(&mut self) -> Vec<TimerChange<A::Timer>> {
        std::mem::take(&mut self.timers)
    }

    /// Takes back a list.
    pub fn return_timers(&mut self, mut list: Vec<TimerChange<A::Timer>>) {
        list.clear();
        self.timers = list;
    }

    /// Messages to send after the first, in the order of the wishes. Give the list back with
    /// [`Buffers::return_sends`], and it is not allocated again.
    pub fn take_sends(&mut self) -> Vec<(Port, A::Msg)> {
        std::mem::take(&mut self.sends)
    }

    /// Takes back a list.
    pub fn return_sends(&mut self, mut list: Vec<(Port, A::Msg)>) {
        list.clear();
        self.sends = list;
    }
}

/// What one input made a member wish for. Fields, not a list: the driver alone fixes the order,
/// which is that of the fields here.
#[derive(Debug)]
#[must_use = "a member's wishes are to be fulfilled"]
pub struct Effects<A: Algorithm> {
    /// First: what to write durably, if anything.
    pub persist: Option<A::Durable>,
    /// Not a wish, but why it acted as it did, for onlookers: [`Cx::because`].
    pub reason: Option<&'static str>,
    /// Second: whether [`Buffers`] holds timers to set and forget.
    pub has_timers: bool,
    /// Third: the first message to send, if any. Most inputs lead to one at most: kept apart, it
    /// never leaves the registers of a driver that was compiled for the algorithm.
    pub first_send: Option<(Port, A::Msg)>,
    /// Fourth: whether [`Buffers`] holds more messages.
    pub has_more_sends: bool,
}

/// What a handler works with: what the member knows ([`Local`]), its clock, and its wishes.
pub struct Cx<'a, A: Algorithm> {
    local: Local<'a, A>,
    now: Time,
    persist: Option<A::Durable>,
    first_port: Port,
    first_msg: Option<A::Msg>,
    // Not read off the buffers: where a handler was inlined, these are known without a look.
    has_timers: bool,
    has_more_sends: bool,
    reason: Option<&'static str>,
    buffers: &'a mut Buffers<A>,
}

impl<'a, A: Algorithm> Cx<'a, A> {
    /// For drivers: the context of one input. The buffers are empty.
    #[inline(always)]
    pub fn new(local: Local<'a, A>, now: Time, buffers: &'a mut Buffers<A>) -> Self {
        Cx {
            local,
            now,
            persist: None,
            first_port: Port(0),
            first_msg: None,
            has_timers: false,
            has_more_sends: false,
            reason: None,
            buffers,
        }
    }

    /// For drivers: what the input made the member wish for.
    #[inline(always)]
    pub fn into_effects(self) -> Effects<A> {
        Effects {
            persist: self.persist,
            reason: self.reason,
            has_timers: self.has_timers,
            has_more_sends: self.has_more_sends,
            first_send: self.first_msg.map(|msg| (self.first_port, msg)),
        }
    }

    /// The member's own clock, which may drift ([`Knowledge::CLOCK`]).
    #[must_use]
    pub fn now(&self) -> Time {
        const {
            assert!(A::SPEC.knows.contains(Knowledge::CLOCK), "the Spec does not declare Knowledge::CLOCK");
        };
        self.now
    }

    /// The member's own clock, in a variant that declares to know it though not all variants do.
    #[must_use]
    pub fn clock(&self) -> Option<Time> {
        self.local.variant_knows().contains(Knowledge::CLOCK).then_some(self.now)
    }

    /// Say, for onlookers, which rule was followed and why: one short sentence in plain words, the
    /// last one counts. Nothing depends on it, and where nobody looks on it costs nothing.
    #[inline(always)]
    pub fn because(&mut self, reason: &'static str) {
        self.reason = Some(reason);
    }

    /// Send a message.
    #[inline(always)]
    pub fn send(&mut self, port: Port, msg: A::Msg) {
        if self.first_msg.is_none() {
            self.first_port = port;
            self.first_msg = Some(msg);
        } else {
            self.has_more_sends = true;
            self.buffers.sends.push((port, msg));
        }
    }

    /// Write this durably before anything is sent or seen.
    pub fn persist(&mut self, durable: A::Durable) {
        self.persist = Some(durable);
    }

    /// Be reminded once, after exactly `after` on the member's clock.
    pub fn set_timer(&mut self, timer: A::Timer, after: Span) {
        self.set_timer_within(timer, after..=after);
    }

    /// Be reminded once, after a span that the driver picks from the range.
    pub fn set_timer_within(&mut self, timer: A::Timer, range: RangeInclusive<Span>) {
        self.has_timers = true;
        self.buffers.timers.push(TimerChange::Set(timer, range));
    }

    /// Forget a pending reminder.
    pub fn cancel_timer(&mut self, timer: A::Timer) {
        self.has_timers = true;
        self.buffers.timers.push(TimerChange::Cancel(timer));
    }

    /// For an algorithm that has another one inside: lets that one act, as the same member. What it says goes
    /// through `say` first; its timers are set; what it wants written is given back.
    pub fn lend<B, T>(
        &mut self,
        act: impl FnOnce(&mut Cx<'_, B>) -> T,
        mut say: impl FnMut(Port, B::Msg) -> Option<A::Msg>,
    ) -> (T, Option<B::Durable>)
    where
        B: Algorithm<Timer = A::Timer>,
    {
        let mut buffers = Buffers::<B>::default();
        let mut cx = Cx::new(self.local.view_of::<B>(), self.now, &mut buffers);
        let result = act(&mut cx);
        let Effects { persist, reason, has_timers, first_send, .. } = cx.into_effects();
        self.reason = reason.or(self.reason);
        self.has_timers |= has_timers;
        self.buffers.timers.append(&mut buffers.timers);
        for (port, msg) in first_send.into_iter().chain(buffers.sends) {
            if let Some(msg) = say(port, msg) {
                self.send(port, msg);
            }
        }
        (result, persist)
    }
}

impl<'a, A: Algorithm> Deref for Cx<'a, A> {
    type Target = Local<'a, A>;
    #[inline(always)]
    fn deref(&self) -> &Local<'a, A> {
        &self.local
    }
}

impl<A: Algorithm> DerefMut for Cx<'_, A> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.local
    }
}
