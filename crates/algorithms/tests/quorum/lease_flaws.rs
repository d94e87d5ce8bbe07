//! The quorum lease with one rule broken: the rest is the sound one's own code. The checks must find each of them.

use bellwether_algorithms::quorum_lease::{Msg, Pace, QuorumLease, Timer, Version, Word};
use bellwether_core::*;
use serde::Serialize;
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

/// What is wrong.
pub trait Flaw: Clone + Debug + Eq + Hash + Send + 'static {
    const NAME: &'static str;
    /// Whether what was written is found again.
    const IS_DURABLE: bool = true;

    fn hears<P: Pace>(member: &mut Flawed<Self, P>, cx: &mut Cx<'_, Flawed<Self, P>>, from: Port, msg: Msg) {
        member.pass(cx, |sound, cx| sound.on_message(cx, from, msg), |_, msg| Some(msg));
    }

    fn is_asked<P: Pace>(member: &mut Flawed<Self, P>, cx: &mut Cx<'_, Flawed<Self, P>>, request: Request) {
        member.pass(cx, |sound, cx| sound.on_request(cx, request), |_, msg| Some(msg));
    }
}

/// A member with a flaw.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Flawed<F, P> {
    sound: QuorumLease<P>,
    #[serde(skip)]
    flaw: PhantomData<F>,
}

impl<F: Flaw, P: Pace> Flawed<F, P> {
    fn pass(
        &mut self,
        cx: &mut Cx<'_, Self>,
        act: impl FnOnce(&mut QuorumLease<P>, &mut Cx<'_, QuorumLease<P>>),
        say: impl FnMut(Port, Msg) -> Option<Msg>,
    ) {
        let ((), saved) = cx.lend(|inner| act(&mut self.sound, inner), say);
        if let Some(saved) = saved {
            cx.persist(saved);
        }
    }
}

impl<F: Flaw, P: Pace> Protocol for Flawed<F, P> {
    type Msg = Msg;
    const SPEC: Spec = Spec { variant: F::NAME, ..QuorumLease::<P>::SPEC };

    fn status(&self) -> Status {
        self.sound.status()
    }
}

impl<F: Flaw, P: Pace> Algorithm for Flawed<F, P> {
    type Timer = Timer;
    type Durable = <QuorumLease<P> as Algorithm>::Durable;

    fn start(cx: &mut Cx<'_, Self>, saved: Self::Durable) -> Self {
        let saved = if F::IS_DURABLE { saved } else { Self::Durable::default() };
        let (sound, _) = cx.lend(|inner| QuorumLease::start(inner, saved), |_, msg| Some(msg));
        Flawed { sound, flaw: PhantomData }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.pass(cx, |sound, cx| sound.on_call(cx), |_, msg| Some(msg));
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        F::hears(self, cx, from, msg);
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        self.pass(cx, |sound, cx| sound.on_timer(cx, timer), |_, msg| Some(msg));
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        F::is_asked(self, cx, request);
    }

    fn lease(&self) -> Option<Timer> {
        self.sound.lease()
    }
}

/// Nothing is wrong: what the checks find below is not due to the way in which flaws are put in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sound;

impl Flaw for Sound {
    const NAME: &'static str = "sound";
}

/// A vote is not written down: who comes back has forgotten it, and all its promises.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VoteNotDurable;

impl Flaw for VoteNotDurable {
    const NAME: &'static str = "vote-not-durable";
    const IS_DURABLE: bool = false;
}

/// A voter forgets its promise when it is asked for its vote.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VotesDuringPromise;

impl Flaw for VotesDuringPromise {
    const NAME: &'static str = "votes-during-promise";

    fn hears<P: Pace>(member: &mut Flawed<Self, P>, cx: &mut Cx<'_, Flawed<Self, P>>, from: Port, msg: Msg) {
        let is_asked = matches!(msg.word, Word::Ask { .. } | Word::Probe(_));
        let act = |sound: &mut QuorumLease<P>, cx: &mut Cx<'_, QuorumLease<P>>| {
            if is_asked {
                sound.on_timer(cx, Timer::Promise);
            }
            sound.on_message(cx, from, msg);
        };
        member.pass(cx, act, |_, msg| Some(msg));
    }
}

/// A voter votes in a term that is over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StaleTermAccepted;

impl Flaw for StaleTermAccepted {
    const NAME: &'static str = "stale-term-accepted";

    fn hears<P: Pace>(
        member: &mut Flawed<Self, P>,
        cx: &mut Cx<'_, Flawed<Self, P>>,
        from: Port,
        mut msg: Msg,
    ) {
        let asked = msg.term;
        if matches!(msg.word, Word::Ask { .. }) {
            msg.term = asked.max(member.status().term + 1);
        }
        let is_stale = msg.term > asked;
        let answer = |_, said: Msg| match said.word {
            Word::Vote(true) if is_stale => Some(Msg { term: asked, ..said }),
            _ => Some(said),
        };
        member.pass(cx, |sound, cx| sound.on_message(cx, from, msg), answer);
    }
}

/// A leader that is to hand over does so without stopping to lead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeadsOn;

impl Flaw for LeadsOn {
    const NAME: &'static str = "leads-on";

    fn is_asked<P: Pace>(member: &mut Flawed<Self, P>, cx: &mut Cx<'_, Flawed<Self, P>>, request: Request) {
        if let (Request::Transfer(to), Role::Leader) = (request, member.status().role) {
            hand_over(cx, member.status().term, to);
        }
    }
}

/// A leader hands over to one that has not kept up, and its voters do not mind that this one does not know who
/// votes by now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NotCaughtUp;

impl Flaw for NotCaughtUp {
    const NAME: &'static str = "not-caught-up";

    fn hears<P: Pace>(
        member: &mut Flawed<Self, P>,
        cx: &mut Cx<'_, Flawed<Self, P>>,
        from: Port,
        mut msg: Msg,
    ) {
        if let Word::Ask { version, released: Some(_), .. } = &mut msg.word {
            *version = Version { term: u64::MAX, number: 0 };
        }
        member.pass(cx, |sound, cx| sound.on_message(cx, from, msg), |_, msg| Some(msg));
    }

    fn is_asked<P: Pace>(member: &mut Flawed<Self, P>, cx: &mut Cx<'_, Flawed<Self, P>>, request: Request) {
        match (request, member.status().role) {
            (Request::Transfer(to), Role::Leader) => {
                let term = member.status().term;
                // It stops, but frees nobody.
                member.pass(cx, |sound, cx| sound.on_request(cx, Request::Resign), |_, _| None);
                hand_over(cx, term, to);
            }
            _ => member.pass(cx, |sound, cx| sound.on_request(cx, request), |_, msg| Some(msg)),
        }
    }
}

fn hand_over<F: Flaw, P: Pace>(cx: &mut Cx<'_, Flawed<F, P>>, term: u64, to: Id) {
    let port = cx.outgoing().find(|&port| cx.peer_rank(port).id() == to);
    if let Some(port) = port {
        cx.send(port, Msg { term, word: Word::HandOver });
    }
}
