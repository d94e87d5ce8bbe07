//! Watching a run, and writing down what happened.

use crate::faults::Event;
use bellwether_core::{HOP, Kind, Message, Port, Protocol, Rank, Status, Time, Topology, Verdict};
use serde::{Deserialize, Serialize, Serializer};
use std::io::{self, Write};

/// Sees everything that happens in a run, as it happens. Every method does nothing unless written,
/// and the empty observer `()` costs nothing.
pub trait Observer {
    /// A member booted.
    #[inline]
    fn started(&mut self, at: Time, member: u32) {
        let _ = (at, member);
    }
    /// An election was called at a member.
    #[inline]
    fn called(&mut self, at: Time, member: u32) {
        let _ = (at, member);
    }
    /// A member stopped for good.
    #[inline]
    fn crashed(&mut self, at: Time, member: u32) {
        let _ = (at, member);
    }
    /// A member sent a message, which comes to member and port `to` at `due`.
    #[inline]
    fn sent<M: Message>(&mut self, at: Time, member: u32, port: Port, to: (u32, Port), msg: &M, due: Time) {
        let _ = (at, member, port, to, msg, due);
    }
    /// What a member just sent comes a second time, at `due`.
    #[inline]
    fn duplicated<M: Message>(
        &mut self,
        at: Time,
        member: u32,
        port: Port,
        to: (u32, Port),
        msg: &M,
        due: Time,
    ) {
        let _ = (at, member, port, to, msg, due);
    }
    /// A member sent a message, and the link lost it.
    #[inline]
    fn dropped<M: Message>(&mut self, at: Time, member: u32, port: Port, to: u32, msg: &M, why: Drop) {
        let _ = (at, member, port, to, msg, why);
    }
    /// Something went wrong with a member, or was put right: anything but a crash, a start or a call.
    #[inline]
    fn struck(&mut self, at: Time, member: u32, what: Event) {
        let _ = (at, member, what);
    }
    /// A message reached a member.
    #[inline]
    fn delivered<M: Message>(&mut self, at: Time, member: u32, port: Port, msg: &M) {
        let _ = (at, member, port, msg);
    }
    /// A message reached a member that is dead or has halted.
    #[inline]
    fn lost<M: Message>(&mut self, at: Time, member: u32, port: Port, msg: &M) {
        let _ = (at, member, port, msg);
    }
    /// A member's timer ran out.
    #[inline]
    fn timed_out(&mut self, at: Time, member: u32, timer: &dyn std::fmt::Debug) {
        let _ = (at, member, timer);
    }
    /// A member's failure detector said something of a neighbour.
    #[inline]
    fn suspected(&mut self, at: Time, member: u32, port: Port, verdict: Verdict) {
        let _ = (at, member, port, verdict);
    }
    /// A member said why it acted as it did on the input that it was just given.
    #[inline]
    fn reasoned(&mut self, at: Time, member: u32, reason: &'static str) {
        let _ = (at, member, reason);
    }
    /// A member has dealt with the input that it was just given, and its state is this. What it
    /// sends and publishes comes after.
    #[inline]
    fn settled<P: Protocol>(&mut self, at: Time, member: u32, state: &P) {
        let _ = (at, member, state);
    }
    /// What an outsider sees of a member changed.
    #[inline]
    fn published(&mut self, at: Time, member: u32, status: Status) {
        let _ = (at, member, status);
    }
}

impl Observer for () {}

/// Why a link lost a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Drop {
    /// By chance.
    Loss,
    /// The link is cut.
    Cut,
    /// The message was chosen to be lost.
    Chosen,
    /// The sender keeps silent towards that one.
    Silence,
}

/// One step of a run: which input reached which member when. Everything else follows from it,
/// because members are deterministic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// When.
    pub at: Time,
    /// The member.
    pub member: u32,
    /// What reached it.
    pub input: Input,
}

/// What reached a member in a [`Step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A message of this kind came in at this port.
    Message {
        /// The index of its kind.
        kind: u8,
        /// The port (its lower 24 bits).
        port: Port,
    },
    /// It booted.
    Start,
    /// It was called.
    Call,
    /// It crashed.
    Crash,
    /// A message was lost on it.
    Loss,
    /// A timer ran out.
    Timer,
    /// Its failure detector spoke.
    Suspicion,
}

/// A trace in memory: eight bytes a step, and sixteen each time the clock moves on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryTrace {
    /// For each step its member, and what reached it: input (4 bits), kind (4 bits), port (24 bits).
    steps: Vec<(u32, u32)>,
    /// For each time, the first step at it.
    times: Vec<(Time, usize)>,
    now: Option<Time>,
}

impl MemoryTrace {
    /// The steps so far, in order.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = Step> + '_ {
        let mut times = self.times.iter().peekable();
        let mut at = Time::ZERO;
        self.steps.iter().enumerate().map(move |(number, &(member, what))| {
            if let Some((time, _)) = times.next_if(|(_, first)| *first == number) {
                at = *time;
            }
            Step { at, member, input: Self::unpack(what) }
        })
    }

    #[inline(always)]
    fn note(&mut self, at: Time, member: u32, input: u32, kind: usize, port: Port) {
        if self.now != Some(at) {
            self.move_on(at);
        }
        self.steps.push((member, input << 28 | (kind as u32) << 24 | port.0 & 0x00FF_FFFF));
    }

    #[inline(never)]
    fn move_on(&mut self, at: Time) {
        self.times.push((at, self.steps.len()));
        self.now = Some(at);
    }

    fn unpack(what: u32) -> Input {
        match what >> 28 {
            0 => Input::Message { kind: (what >> 24 & 0xF) as u8, port: Port(what & 0x00FF_FFFF) },
            1 => Input::Start,
            2 => Input::Call,
            3 => Input::Crash,
            4 => Input::Loss,
            5 => Input::Timer,
            _ => Input::Suspicion,
        }
    }
}

impl Observer for MemoryTrace {
    fn started(&mut self, at: Time, member: u32) {
        self.note(at, member, 1, 0, Port(0));
    }
    fn called(&mut self, at: Time, member: u32) {
        self.note(at, member, 2, 0, Port(0));
    }
    fn crashed(&mut self, at: Time, member: u32) {
        self.note(at, member, 3, 0, Port(0));
    }
    #[inline(always)]
    fn delivered<M: Message>(&mut self, at: Time, member: u32, port: Port, msg: &M) {
        self.note(at, member, 0, msg.kind(), port);
    }
    fn lost<M: Message>(&mut self, at: Time, member: u32, port: Port, msg: &M) {
        self.note(at, member, 4, msg.kind(), port);
    }
    fn timed_out(&mut self, at: Time, member: u32, _: &dyn std::fmt::Debug) {
        self.note(at, member, 5, 0, Port(0));
    }
    fn suspected(&mut self, at: Time, member: u32, port: Port, _: Verdict) {
        self.note(at, member, 6, 0, port);
    }
}

/// The version of the format that [`JsonTrace`] writes (see `docs/trace-format.md`).
pub const TRACE_VERSION: u32 = 1;

/// Writes one JSON line an event.
///
/// Writing may fail; the first failure is kept for [`JsonTrace::finish`], and nothing more is
/// written after it.
pub struct JsonTrace<'a, W> {
    to: W,
    ranks: &'a [Rank],
    topology: &'a Topology,
    line: Vec<u8>,
    failure: Option<io::Error>,
}

/// A time in hops: a whole number is written as one.
struct Hops(Time);

impl Serialize for Hops {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let hop = HOP.ticks();
        if self.0.ticks().is_multiple_of(hop) {
            to.serialize_u64(self.0.ticks() / hop)
        } else {
            to.serialize_f64(self.0.hops())
        }
    }
}

#[derive(Serialize)]
struct Line<'a, M> {
    t: Hops,
    event: &'static str,
    member: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    msg: Option<&'a M>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

/// The message type of lines without a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum NoMessage {}

impl Message for NoMessage {
    const KINDS: &'static [Kind] = &[];
    fn kind(&self) -> usize {
        match *self {}
    }
}

impl<'a, W: Write> JsonTrace<'a, W> {
    /// Begins a trace with a header line that says what run this is.
    pub fn new(to: W, topology: &'a Topology, ranks: &'a [Rank], header: &impl Serialize) -> Self {
        let mut trace = JsonTrace { to, ranks, topology, line: Vec::new(), failure: None };
        trace.write(header);
        trace
    }

    /// Ends the trace with a line of its own.
    ///
    /// # Errors
    /// The first failure to write, if any: the trace is then incomplete.
    pub fn finish(mut self, footer: &impl Serialize) -> io::Result<W> {
        self.write(footer);
        if self.failure.is_none() {
            self.failure = self.to.flush().err();
        }
        self.failure.map_or(Ok(self.to), Err)
    }

    fn write(&mut self, line: &impl Serialize) {
        if self.failure.is_some() {
            return;
        }
        self.line.clear();
        let written = serde_json::to_writer(&mut self.line, line).map_err(io::Error::from).and_then(|()| {
            self.line.push(b'\n');
            self.to.write_all(&self.line)
        });
        self.failure = written.err();
    }

    fn event<M: Message>(&self, at: Time, event: &'static str, member: u32) -> Line<'a, M> {
        Line {
            t: Hops(at),
            event,
            member: self.id(member),
            port: None,
            peer: None,
            kind: None,
            msg: None,
            timer: None,
            verdict: None,
            reason: None,
            status: None,
        }
    }

    fn message<M: Message>(
        &mut self,
        at: Time,
        event: &'static str,
        member: u32,
        port: Port,
        peer: u32,
        msg: &M,
    ) {
        let line = Line {
            port: Some(port.0),
            peer: Some(self.id(peer)),
            kind: Some(M::KINDS[msg.kind()].name),
            msg: Some(msg),
            ..self.event(at, event, member)
        };
        self.write(&line);
    }

    fn id(&self, member: u32) -> u64 {
        self.ranks[member as usize].id().value()
    }
}

impl<W: Write> Observer for JsonTrace<'_, W> {
    fn started(&mut self, at: Time, member: u32) {
        self.write(&self.event::<NoMessage>(at, "start", member));
    }
    fn called(&mut self, at: Time, member: u32) {
        self.write(&self.event::<NoMessage>(at, "call", member));
    }
    fn crashed(&mut self, at: Time, member: u32) {
        self.write(&self.event::<NoMessage>(at, "crash", member));
    }
    fn sent<M: Message>(&mut self, at: Time, member: u32, port: Port, to: (u32, Port), msg: &M, _: Time) {
        self.message(at, "send", member, port, to.0, msg);
    }
    fn delivered<M: Message>(&mut self, at: Time, member: u32, port: Port, msg: &M) {
        self.message(at, "deliver", member, port, self.topology.peer(member, port).0, msg);
    }
    fn lost<M: Message>(&mut self, at: Time, member: u32, port: Port, msg: &M) {
        self.message(at, "lose", member, port, self.topology.peer(member, port).0, msg);
    }
    fn timed_out(&mut self, at: Time, member: u32, timer: &dyn std::fmt::Debug) {
        let line = Line { timer: Some(format!("{timer:?}")), ..self.event::<NoMessage>(at, "timer", member) };
        self.write(&line);
    }
    fn suspected(&mut self, at: Time, member: u32, port: Port, verdict: Verdict) {
        let peer = Some(self.id(self.topology.peer(member, port).0));
        let line = Line {
            port: Some(port.0),
            peer,
            verdict: Some(verdict),
            ..self.event::<NoMessage>(at, "suspect", member)
        };
        self.write(&line);
    }
    fn reasoned(&mut self, at: Time, member: u32, reason: &'static str) {
        let line = Line { reason: Some(reason), ..self.event::<NoMessage>(at, "reason", member) };
        self.write(&line);
    }
    fn published(&mut self, at: Time, member: u32, status: Status) {
        let line = Line { status: Some(status), ..self.event::<NoMessage>(at, "status", member) };
        self.write(&line);
    }
}
