//! Synchronous rounds, and a synchroniser for networks that have none.
//!
//! A round is lecture 001's: a member takes in what was sent to it in the round before (`trans`),
//! then sends (`msgs`). In round 1 nothing has been sent yet, so there is only `msgs`.

use crate::message::{Class, Kind, MAX_KINDS, Message, Never};
use crate::{Algorithm, Broken, Cx, Local, Port, Protocol, Spec, Status, Timing};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};

/// An algorithm in synchronous rounds, in the form of Lynch, *Distributed Algorithms* (1996),
/// section 2.1: states with a start, a message-generation function and a transition function.
pub trait RoundAlgorithm: Protocol {
    /// The state before round 1.
    fn start(cx: &mut RoundCx<'_, Self>) -> Self;

    /// What the member sends in this round: a function of its state.
    fn msgs(&self, cx: &RoundCx<'_, Self>, out: &mut impl Outbox<Self::Msg>);

    /// The new state after what arrived, in the order of ports, at most one message each. From
    /// round 2 on; called with nothing where nothing came, unless [`RoundAlgorithm::wake`] says
    /// that this changes nothing.
    fn trans(&mut self, cx: &mut RoundCx<'_, Self>, inbox: &[(Port, Self::Msg)]);

    /// When the member acts next if nothing arrives. A driver may skip the rounds before that: in
    /// them an empty `trans` and the `msgs` after it must do nothing that anyone could notice.
    fn wake(&self) -> Wake {
        if self.status().halted { Wake::OnMessage } else { Wake::NextRound }
    }
}

/// When a member acts next if nothing arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// In the next round.
    NextRound,
    /// In this round (a later one than now).
    At(u64),
    /// Not before something arrives.
    OnMessage,
}

/// What a member in rounds works with: what it knows ([`Local`]) and the round's number.
pub struct RoundCx<'a, R: Protocol> {
    local: Local<'a, R>,
    round: u64,
    reason: Option<&'static str>,
}

impl<'a, R: Protocol> RoundCx<'a, R> {
    /// For drivers: the context of one round (0 for the start).
    #[inline]
    pub fn new(local: Local<'a, R>, round: u64) -> Self {
        RoundCx { local, round, reason: None }
    }

    /// Say, for onlookers, which rule was followed and why: [`Cx::because`].
    #[inline(always)]
    pub fn because(&mut self, reason: &'static str) {
        self.reason = Some(reason);
    }

    /// For drivers: what was said last.
    #[inline(always)]
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// The number of this round; the first is 1.
    #[inline]
    #[must_use]
    pub fn round(&self) -> u64 {
        self.round
    }
}

impl<'a, R: Protocol> Deref for RoundCx<'a, R> {
    type Target = Local<'a, R>;
    #[inline]
    fn deref(&self) -> &Local<'a, R> {
        &self.local
    }
}

impl<R: Protocol> DerefMut for RoundCx<'_, R> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.local
    }
}

/// Where a member in rounds puts what it sends: at most one message a port.
pub trait Outbox<M> {
    /// Send a message in this round.
    fn send(&mut self, port: Port, msg: M);
}

impl<M> Outbox<M> for Vec<(Port, M)> {
    fn send(&mut self, port: Port, msg: M) {
        self.push((port, msg));
    }
}

/// A synchroniser: runs a [`RoundAlgorithm`] where messages take any time.
///
/// In every round a member sends something on each of its links, the algorithm's message or an
/// empty marker (counted as control), and goes on to the next round when it has heard from all its
/// neighbours. This is the simplest of Awerbuch's synchronisers (*Complexity of network
/// synchronization*, JACM 32, 1985), without acknowledgements because links lose nothing. A member
/// that halts says so, and nobody waits for it any more.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Rounds<R: Protocol> {
    inner: R,
    round: u64,
    /// For this and later rounds, what arrived at which port; `None` is an empty marker.
    arrived: BTreeMap<u64, BTreeMap<Port, Option<R::Msg>>>,
    /// Ports on which nothing more will come.
    closed: BTreeSet<Port>,
}

/// A synchroniser's message: a round's word, or the absence of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamped<M> {
    /// The round in which it was sent.
    pub round: u64,
    /// The algorithm's message, if it sent one.
    pub payload: Option<M>,
    /// The sender has halted: this is its last message.
    pub last: bool,
}

impl<M: Message> Stamped<M> {
    /// The algorithm's kinds, then the marker.
    const ALL_KINDS: [Kind; MAX_KINDS] = {
        assert!(M::KINDS.len() < MAX_KINDS, "no room for the synchroniser's marker");
        let mut kinds = [Kind { name: "marker", class: Class::Control }; MAX_KINDS];
        let mut at = 0;
        while at < M::KINDS.len() {
            kinds[at] = M::KINDS[at];
            at += 1;
        }
        kinds
    };
}

impl<M: Message> Message for Stamped<M> {
    const KINDS: &'static [Kind] = Self::ALL_KINDS.split_at(M::KINDS.len() + 1).0;

    fn kind(&self) -> usize {
        self.payload.as_ref().map_or(M::KINDS.len(), Message::kind)
    }

    fn brief(&self) -> Option<String> {
        let say = |payload: &M| payload.brief().unwrap_or_else(|| format!("{payload:?}"));
        let payload = self.payload.as_ref().map(|payload| format!("{} ", say(payload))).unwrap_or_default();
        Some(format!("{payload}of round {}", self.round))
    }
}

impl<R: RoundAlgorithm> Rounds<R> {
    /// Sends this round's messages and markers.
    fn speak(&mut self, cx: &mut Cx<'_, Self>) {
        let mut messages: Vec<(Port, R::Msg)> = Vec::new();
        self.inner.msgs(&RoundCx::new(cx.view_of::<R>(), self.round), &mut messages);
        let last = self.inner.status().halted;
        let ports: Vec<Port> = cx.outgoing().collect();
        for port in ports {
            let payload =
                messages.iter().position(|(to, _)| *to == port).map(|at| messages.swap_remove(at).1);
            cx.send(port, Stamped { round: self.round, payload, last });
        }
    }

    /// Goes on to the next rounds, as far as everything for them has arrived.
    fn advance(&mut self, cx: &mut Cx<'_, Self>) {
        while self.may_advance(cx) {
            let arrived = self.arrived.remove(&self.round).unwrap_or_default();
            let inbox: Vec<(Port, R::Msg)> =
                arrived.into_iter().filter_map(|(port, payload)| Some((port, payload?))).collect();
            self.round += 1;
            let mut round = RoundCx::new(cx.view_of::<R>(), self.round);
            self.inner.trans(&mut round, &inbox);
            if let Some(reason) = round.reason() {
                cx.because(reason);
            }
            self.speak(cx);
        }
    }

    fn may_advance(&self, cx: &Cx<'_, Self>) -> bool {
        if self.inner.status().halted {
            return false;
        }
        let mut hears_anything = false;
        let arrived = self.arrived.get(&self.round);
        for port in cx.incoming() {
            let here = arrived.is_some_and(|arrived| arrived.contains_key(&port));
            if !here && !self.closed.contains(&port) {
                return false;
            }
            hears_anything |= here || !self.closed.contains(&port);
        }
        // Alone in the world, a member goes on only while it has something to do by itself.
        hears_anything || self.inner.wake() != Wake::OnMessage
    }
}

impl<R: RoundAlgorithm> Protocol for Rounds<R> {
    type Msg = Stamped<R::Msg>;

    const SPEC: Spec = Spec { timing: Timing::Asynchronous, ..R::SPEC };

    fn status(&self) -> Status {
        self.inner.status()
    }

    fn storage(&self) -> usize {
        let waiting: usize = self.arrived.values().map(BTreeMap::len).sum();
        size_of::<Self>() - size_of::<R>()
            + self.inner.storage()
            + waiting * size_of::<(Port, Option<R::Msg>)>()
            + self.closed.len() * size_of::<Port>()
    }

    fn invariant(&self) -> Result<(), Broken> {
        if let Some((round, _)) = self.arrived.first_key_value()
            && *round < self.round
        {
            return Err(Broken(format!("messages of round {round} were never taken in")));
        }
        self.inner.invariant()
    }
}

impl<R: RoundAlgorithm> Algorithm for Rounds<R> {
    type Timer = Never;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        let inner = R::start(&mut RoundCx::new(cx.view_of::<R>(), 0));
        let mut member = Rounds { inner, round: 1, arrived: BTreeMap::new(), closed: BTreeSet::new() };
        member.speak(cx);
        member.advance(cx);
        member
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Self::Msg) {
        if self.inner.status().halted || msg.round < self.round {
            return;
        }
        if msg.last {
            self.closed.insert(from);
        }
        self.arrived.entry(msg.round).or_default().insert(from, msg.payload);
        self.advance(cx);
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}
