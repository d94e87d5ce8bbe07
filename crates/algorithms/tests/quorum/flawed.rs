//! Algorithms with one rule broken: the rest is the sound algorithm's own code.

use bellwether_core::{Algorithm, Cx, Port, Protocol, Request, Spec, Status, Verdict};
use serde::Serialize;
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

/// The flaw.
pub trait Flaw: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    type Sound: Algorithm;
    const NAME: &'static str;

    /// The saved state that it reads when it boots.
    fn finds(saved: <Self::Sound as Algorithm>::Durable) -> <Self::Sound as Algorithm>::Durable {
        saved
    }

    /// The message that it takes a message for.
    fn takes_for(_: Status, msg: <Self::Sound as Protocol>::Msg) -> <Self::Sound as Protocol>::Msg {
        msg
    }

    /// The neighbour from which it believes to have another message, of this many neighbours.
    fn also_from(_: Port, _: u32) -> Option<Port> {
        None
    }

    /// The state that it shows.
    fn shows(status: Status) -> Status {
        status
    }

    /// What it does on a request.
    fn is_asked(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, request: Request) {
        member.pass(cx, |sound, cx| sound.on_request(cx, request));
    }

    /// What it does when its detector changes its verdict on a neighbour.
    fn suspects(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, peer: Port, verdict: Verdict) {
        member.pass(cx, |sound, cx| sound.on_suspicion(cx, peer, verdict));
    }

    /// What it does with a message, besides taking it for another.
    fn hears(
        member: &mut Flawed<Self>,
        cx: &mut Cx<'_, Flawed<Self>>,
        from: Port,
        msg: <Self::Sound as Protocol>::Msg,
    ) {
        member.pass(cx, |sound, cx| sound.on_message(cx, from, msg));
    }
}

/// The messages of an algorithm.
type Words<A> = <A as Protocol>::Msg;

/// A member with a flaw.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Flawed<F: Flaw> {
    sound: F::Sound,
    #[serde(skip)]
    flaw: PhantomData<F>,
}

impl<F: Flaw> Flawed<F> {
    /// Runs the sound algorithm.
    pub fn pass(&mut self, cx: &mut Cx<'_, Self>, act: impl FnOnce(&mut F::Sound, &mut Cx<'_, F::Sound>)) {
        self.pass_saying(cx, act, Some);
    }

    /// Runs the sound algorithm, and replaces the messages that it sends.
    pub fn pass_saying(
        &mut self,
        cx: &mut Cx<'_, Self>,
        act: impl FnOnce(&mut F::Sound, &mut Cx<'_, F::Sound>),
        mut say: impl FnMut(Words<F::Sound>) -> Option<Words<F::Sound>>,
    ) {
        let ((), saved) = cx.lend(|inner| act(&mut self.sound, inner), |_, msg| say(msg));
        if let Some(saved) = saved {
            cx.persist(saved);
        }
    }
}

impl<F: Flaw> Protocol for Flawed<F> {
    type Msg = <F::Sound as Protocol>::Msg;
    const SPEC: Spec = Spec { variant: F::NAME, ..<F::Sound as Protocol>::SPEC };

    fn status(&self) -> Status {
        F::shows(self.sound.status())
    }
}

impl<F: Flaw> Algorithm for Flawed<F> {
    type Timer = <F::Sound as Algorithm>::Timer;
    type Durable = <F::Sound as Algorithm>::Durable;

    fn start(cx: &mut Cx<'_, Self>, saved: Self::Durable) -> Self {
        let (sound, saved) = cx.lend(|inner| F::Sound::start(inner, F::finds(saved)), |_, msg| Some(msg));
        if let Some(saved) = saved {
            cx.persist(saved);
        }
        Flawed { sound, flaw: PhantomData }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.pass(cx, |sound, cx| sound.on_call(cx));
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Self::Msg) {
        let msg = F::takes_for(self.sound.status(), msg);
        let neighbours = cx.incoming().count() as u32;
        for from in [from].into_iter().chain(F::also_from(from, neighbours)) {
            F::hears(self, cx, from, msg.clone());
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Self::Timer) {
        self.pass(cx, |sound, cx| sound.on_timer(cx, timer));
    }

    fn on_suspicion(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        F::suspects(self, cx, peer, verdict);
    }

    fn on_death(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        self.pass(cx, |sound, cx| sound.on_death(cx, peer));
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        F::is_asked(self, cx, request);
    }

    fn lease(&self) -> Option<Self::Timer> {
        self.sound.lease()
    }
}
