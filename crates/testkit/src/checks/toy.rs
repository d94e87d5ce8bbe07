//! A short way to write algorithms that exist only to be checked.

use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::Hash;

/// What a toy's members do; whatever is not said, they do not.
pub trait Toy: Clone + Debug + Default + Eq + Hash + Serialize + Send + Sync + 'static {
    /// What members say.
    type Word: Data;
    /// What survives a crash.
    type Saved: Data + Default;
    /// What the toy needs and promises.
    const SPEC: Spec = TOY;

    /// The member starts, for the first time or again.
    fn boots(&mut self, _: &mut ToyCx<'_, Self>, _: Self::Saved) {}
    /// Somebody calls an election.
    fn is_called(&mut self, _: &mut ToyCx<'_, Self>) {}
    /// A word arrives.
    fn hears(&mut self, _: &mut ToyCx<'_, Self>, _: Port, _: Self::Word) {}
    /// A timer runs out.
    fn is_reminded(&mut self, _: &mut ToyCx<'_, Self>, _: u8) {}
    /// The application asks for something.
    fn is_asked(&mut self, _: &mut ToyCx<'_, Self>, _: Request) {}
    /// It hears something of a neighbour.
    fn is_told(&mut self, _: &mut ToyCx<'_, Self>, _: Port, _: Verdict) {}
    /// The timer with which its lease ends, if it has one.
    fn lease(&self) -> Option<u8> {
        None
    }
    /// What an outsider sees.
    fn status(&self) -> Status;
}

/// What a toy's member acts through.
pub type ToyCx<'a, T> = Cx<'a, Played<T>>;

/// Everyone begins, only the leader need know that it leads, and nothing is claimed.
pub const TOY: Spec = Spec {
    name: "toy",
    need: Need::StronglyConnected,
    starts: Starts::Everyone,
    goal: Goal::LeaderOnly,
    claims: &[],
    ..ChangRoberts::SPEC
};

/// A claim that is always kept, so that what runs cost is counted.
pub const COUNTED: Claim = Claim {
    name: "messages",
    measure: Measure::Messages,
    formula: "any number",
    expect: |_| Some(Expect::AtMost(f64::INFINITY)),
};

/// A member of a toy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Played<T: Toy>(pub T);

/// A toy's word as a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound = "W: Data")]
pub struct Said<W>(pub W);

impl<W: Data> Message for Said<W> {
    const KINDS: &'static [Kind] = &[Kind::payload("word")];

    fn kind(&self) -> usize {
        0
    }
}

impl<T: Toy> Algorithm for Played<T> {
    type Timer = u8;
    type Durable = T::Saved;

    fn start(cx: &mut Cx<'_, Self>, saved: T::Saved) -> Self {
        let mut toy = T::default();
        toy.boots(cx, saved);
        Played(toy)
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.0.is_called(cx);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, Said(word): Said<T::Word>) {
        self.0.hears(cx, from, word);
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: u8) {
        self.0.is_reminded(cx, timer);
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        self.0.is_asked(cx, request);
    }

    fn on_suspicion(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        self.0.is_told(cx, peer, verdict);
    }

    fn lease(&self) -> Option<u8> {
        self.0.lease()
    }
}

impl<T: Toy> Protocol for Played<T> {
    type Msg = Said<T::Word>;
    const SPEC: Spec = T::SPEC;

    fn status(&self) -> Status {
        self.0.status()
    }
}

/// Whoever leads, or does not.
pub fn leads(it_does: bool) -> Status {
    Status { role: if it_does { Role::Leader } else { Role::Undecided }, ..Status::UNDECIDED }
}

/// Identical members that say a word, and so many for each that they hear: for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Echoing<const TIMES: u8>;

impl<const TIMES: u8> Toy for Echoing<TIMES> {
    type Word = ();
    type Saved = ();
    const SPEC: Spec = Spec { identities: Identities::Anonymous, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        cx.send(NEXT, Said(()));
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, _: Port, (): ()) {
        (0..TIMES).for_each(|_| cx.send(NEXT, Said(())));
    }

    fn status(&self) -> Status {
        Status::UNDECIDED
    }
}
