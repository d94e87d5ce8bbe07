//! Sound algorithms with one thing wrong in what members remember or hear: the rest is the sound one's own code.

use bellwether_core::*;
use serde::Serialize;
use std::fmt::Debug;
use std::hash::Hash;

/// What is wrong; it may remember something for that.
pub trait Flaw: Clone + Debug + Default + Eq + Hash + Serialize + Send + 'static {
    type Sound: Algorithm;

    /// What is found again of what was written.
    fn found(saved: <Self::Sound as Algorithm>::Durable) -> <Self::Sound as Algorithm>::Durable {
        saved
    }

    /// What a member takes a message for, and from whom it thinks it has it.
    fn heard(
        &mut self,
        from: Port,
        msg: <Self::Sound as Protocol>::Msg,
        ports: u32,
    ) -> Vec<(Port, <Self::Sound as Protocol>::Msg)> {
        let _ = ports;
        vec![(from, msg)]
    }
}

/// A member with a flaw.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Twin<F: Flaw> {
    sound: F::Sound,
    flaw: F,
}

impl<F: Flaw> Twin<F> {
    fn pass(&mut self, cx: &mut Cx<'_, Self>, act: impl FnOnce(&mut F::Sound, &mut Cx<'_, F::Sound>)) {
        let ((), saved) = cx.lend(|inner| act(&mut self.sound, inner), |_, msg| Some(msg));
        if let Some(saved) = saved {
            cx.persist(saved);
        }
    }
}

impl<F: Flaw> Protocol for Twin<F> {
    type Msg = <F::Sound as Protocol>::Msg;
    const SPEC: Spec = F::Sound::SPEC;

    fn status(&self) -> Status {
        self.sound.status()
    }
}

impl<F: Flaw> Algorithm for Twin<F> {
    type Timer = <F::Sound as Algorithm>::Timer;
    type Durable = <F::Sound as Algorithm>::Durable;

    fn start(cx: &mut Cx<'_, Self>, saved: Self::Durable) -> Self {
        let (sound, saved) = cx.lend(|inner| F::Sound::start(inner, F::found(saved)), |_, msg| Some(msg));
        if let Some(saved) = saved {
            cx.persist(saved);
        }
        Twin { sound, flaw: F::default() }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.pass(cx, |sound, cx| sound.on_call(cx));
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Self::Msg) {
        let ports = cx.incoming().count() as u32;
        for (from, msg) in self.flaw.heard(from, msg, ports) {
            self.pass(cx, |sound, cx| sound.on_message(cx, from, msg));
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Self::Timer) {
        self.pass(cx, |sound, cx| sound.on_timer(cx, timer));
    }
}
