//! Algorithms with the properties that only their types give.

use bellwether_core::{Algorithm, AnyMessage, DynMessage, Entry, MachineType, RoundAlgorithm, Spec};
use bellwether_sim::{Plan, Report, Runner, Visit, run_rounds};
use std::ops::Deref;

type ReadMessage = fn(&[u8]) -> Option<AnyMessage>;

/// The properties that only an algorithm's type gives.
#[derive(Clone, Copy)]
pub struct Typed {
    /// Reads a message as an observer sees it: in rounds in step, without a synchroniser's marker.
    read_message: ReadMessage,
    /// Runs rounds in which every member is visited; none for an algorithm without rounds.
    visit_everyone: Option<fn(&'static Spec, &Plan) -> Report>,
}

impl Typed {
    pub const fn events<A: Algorithm>() -> Typed {
        Typed { read_message: MachineType::of::<A>().read_message, visit_everyone: None }
    }

    pub const fn rounds<R: RoundAlgorithm>() -> Typed {
        Typed {
            read_message: |bytes| postcard::from_bytes::<R::Msg>(bytes).ok().map(AnyMessage::new),
            visit_everyone: Some(|spec, plan| run_rounds::<R, ()>(spec, plan, &mut (), Visit::Everyone)),
        }
    }

    /// The same: variants of one type agree.
    pub const fn variant(self, _: &'static Spec, _: &'static MachineType) -> Typed {
        self
    }

    /// Whether these bytes are read as this message.
    pub fn reads(&self, bytes: &[u8], msg: &dyn DynMessage) -> bool {
        (self.read_message)(bytes).is_some_and(|read| read.equals(msg))
    }
}

/// An algorithm with its entry and its type's properties.
#[derive(Clone, Copy)]
pub struct Subject {
    runner: Runner,
    pub typed: Typed,
}

impl Subject {
    pub const fn new(runner: Runner, typed: Typed) -> Subject {
        Subject { runner, typed }
    }

    pub const fn events<A: Algorithm>() -> Subject {
        Subject::new(Runner::events::<A>(), Typed::events::<A>())
    }

    pub const fn rounds<R: RoundAlgorithm>() -> Subject {
        Subject::new(Runner::rounds::<R>(), Typed::rounds::<R>())
    }

    /// A run in rounds in which every member is visited; none for an algorithm without rounds.
    pub fn visiting_everyone(&self, plan: &Plan) -> Option<Report> {
        self.typed.visit_everyone.map(|run| run(self.spec, plan))
    }
}

impl Deref for Subject {
    type Target = Runner;
    fn deref(&self) -> &Runner {
        &self.runner
    }
}

impl AsRef<Entry> for Subject {
    fn as_ref(&self) -> &Entry {
        &self.runner
    }
}
