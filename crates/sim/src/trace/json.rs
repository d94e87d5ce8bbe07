//! A trace as lines of JSON.

use super::{DropReason, Observer};
use bellwether_core::{
    DynMessage, FaultArgument, FaultEvent, FaultKind, HOP, Id, Port, Rank, Status, Time, Topology, Verdict,
};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// The version of the format that [`JsonTrace`] writes (see `book/src/reference/trace-format.md`).
pub const TRACE_VERSION: u64 = 2;

/// Writes one JSON line an event.
///
/// Writing may fail; the first failure is kept for [`JsonTrace::finish`], and nothing more is
/// written after it.
pub struct JsonTrace<'a, W> {
    to: W,
    ranks: &'a [Rank],
    topology: &'a Topology,
    /// For each receiver and port who sent what is under way, in the order in which it arrives; only
    /// where a ring closes, so that a port may hear from several.
    senders: Option<Senders>,
    /// Who is dead.
    dead: BTreeSet<u32>,
    /// How many messages have been sent.
    sent: u64,
    line: Vec<u8>,
    failure: Option<io::Error>,
}

/// By time, at one time in the order sent.
type Senders = BTreeMap<(u32, Port), BTreeSet<(Time, u64, u32)>>;

/// A time in hops, given in ticks: a whole number is written as one.
#[derive(Debug)]
struct Hops(i64);

impl From<Time> for Hops {
    fn from(at: Time) -> Hops {
        Hops(at.ticks().min(i64::MAX as u64) as i64) // nothing is as late as that
    }
}

impl Serialize for Hops {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let hop = HOP.ticks() as i64;
        if self.0 % hop == 0 {
            to.serialize_i64(self.0 / hop)
        } else {
            to.serialize_f64(self.0 as f64 / hop as f64)
        }
    }
}

/// What an event says besides its name: only the keys that it has.
#[derive(Debug, Default, Serialize)]
pub struct EventDetails {
    /// The other member.
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<Id>,
    /// What its clock gains, in millionths.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_ppm: Option<i32>,
    /// By how many hops its clock jumps.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Hops>,
    /// The id by which it goes.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    goes_by: Option<Id>,
    /// The leader that it makes up.
    #[serde(skip_serializing_if = "Option::is_none")]
    leader: Option<Id>,
}

impl EventDetails {
    /// What an event says, in a run of members with these ranks.
    #[must_use]
    pub fn of(what: FaultEvent, ranks: &[Rank]) -> EventDetails {
        let (kind, argument) = what.into_parts();
        let id = |member: u32| ranks.get(member as usize).map(|rank| rank.id());
        let nothing = EventDetails::default();
        match argument {
            None => nothing,
            Some(FaultArgument::Member(other)) => EventDetails { peer: id(other), ..nothing },
            Some(FaultArgument::Rate(rate)) => EventDetails { rate_ppm: Some(rate), ..nothing },
            Some(FaultArgument::Ticks(ticks)) => EventDetails { by: Some(Hops(ticks)), ..nothing },
            Some(FaultArgument::Id(id)) if kind == FaultKind::Forge => {
                EventDetails { leader: Some(id), ..nothing }
            }
            Some(FaultArgument::Id(id)) if kind == FaultKind::Pretend => {
                EventDetails { goes_by: Some(id), ..nothing }
            }
            Some(FaultArgument::Id(id)) => EventDetails { peer: Some(id), ..nothing },
        }
    }
}

#[derive(Serialize)]
struct TraceLine<'m> {
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
    msg: Option<&'m dyn DynMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<DropReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

/// Something went wrong with a member, or was put right.
#[derive(Serialize)]
struct Struck {
    t: Hops,
    event: &'static str,
    member: u64,
    #[serde(flatten)]
    details: EventDetails,
}

impl<'a, W: Write> JsonTrace<'a, W> {
    /// Begins a trace with a header line that says what run this is.
    pub fn new(to: W, topology: &'a Topology, ranks: &'a [Rank], header: &impl Serialize) -> Self {
        let mut trace = JsonTrace {
            to,
            ranks,
            topology,
            senders: None,
            dead: BTreeSet::new(),
            sent: 0,
            line: Vec::new(),
            failure: None,
        };
        trace.write(header);
        trace
    }

    /// The same for a ring that closes round its dead, if it does: there a message's sender is not always
    /// the neighbour.
    #[must_use]
    pub fn in_ring_that_closes(self, closes: bool) -> Self {
        JsonTrace { senders: closes.then(Senders::new), ..self }
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

    fn event<'m>(member: u64, at: Time, event: &'static str) -> TraceLine<'m> {
        TraceLine {
            t: at.into(),
            event,
            member,
            port: None,
            peer: None,
            kind: None,
            msg: None,
            timer: None,
            verdict: None,
            why: None,
            reason: None,
            status: None,
        }
    }

    /// A message is under way.
    fn send(
        &mut self,
        (at, due): (Time, Time),
        event: &'static str,
        (member, port): (u32, Port),
        to: (u32, Port),
        msg: &dyn DynMessage,
    ) {
        self.sent += 1;
        if let Some(senders) = &mut self.senders {
            senders.entry(to).or_default().insert((due, self.sent, member));
        }
        self.message(at, event, member, port, to.0, msg);
    }

    /// A message has come, if only to be lost.
    fn arrive(&mut self, at: Time, event: &'static str, member: u32, port: Port, msg: &dyn DynMessage) {
        let (neighbour, _) = self.topology.peer(member, port);
        let under_way = self.senders.as_mut().and_then(|senders| senders.get_mut(&(member, port)));
        let sender = under_way.and_then(BTreeSet::pop_first).map_or(neighbour, |(_, _, sender)| sender);
        self.message(at, event, member, port, sender, msg);
    }

    fn message(
        &mut self,
        at: Time,
        event: &'static str,
        member: u32,
        port: Port,
        peer: u32,
        msg: &dyn DynMessage,
    ) {
        let line = self.message_line(at, event, member, port, peer, msg);
        self.write(&line);
    }

    fn message_line<'m>(
        &self,
        at: Time,
        event: &'static str,
        member: u32,
        port: Port,
        peer: u32,
        msg: &'m dyn DynMessage,
    ) -> TraceLine<'m> {
        TraceLine {
            port: Some(port.0),
            peer: Some(self.id(peer)),
            kind: Some(msg.kind_of().name),
            msg: Some(msg),
            ..Self::event(self.id(member), at, event)
        }
    }

    /// A line without a message.
    fn nothing(&self, at: Time, event: &'static str, member: u32) -> TraceLine<'static> {
        Self::event(self.id(member), at, event)
    }

    fn plain(&mut self, at: Time, event: &'static str, member: u32) {
        self.write(&self.nothing(at, event, member));
    }

    fn id(&self, member: u32) -> u64 {
        self.ranks[member as usize].id().value()
    }
}

impl<W: Write> Observer for JsonTrace<'_, W> {
    fn started(&mut self, at: Time, member: u32) {
        let event = if self.dead.remove(&member) { "recover" } else { "start" };
        self.plain(at, event, member);
    }
    fn called(&mut self, at: Time, member: u32) {
        self.plain(at, "call", member);
    }
    fn crashed(&mut self, at: Time, member: u32) {
        self.dead.insert(member);
        self.plain(at, "crash", member);
    }
    fn sent(&mut self, at: Time, member: u32, port: Port, to: (u32, Port), msg: &dyn DynMessage, due: Time) {
        self.send((at, due), "send", (member, port), to, msg);
    }
    fn duplicated(
        &mut self,
        at: Time,
        member: u32,
        port: Port,
        to: (u32, Port),
        msg: &dyn DynMessage,
        due: Time,
    ) {
        self.send((at, due), "duplicate", (member, port), to, msg);
    }
    fn dropped(&mut self, at: Time, member: u32, port: Port, to: u32, msg: &dyn DynMessage, why: DropReason) {
        let line = TraceLine { why: Some(why), ..self.message_line(at, "drop", member, port, to, msg) };
        self.write(&line);
    }
    fn struck(&mut self, at: Time, member: u32, what: FaultEvent) {
        let (event, details) = (what.kind().word(), EventDetails::of(what, self.ranks));
        self.write(&Struck { t: at.into(), event, member: self.id(member), details });
    }
    fn delivered(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        self.arrive(at, "deliver", member, port, msg);
    }
    fn lost(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        self.arrive(at, "lose", member, port, msg);
    }
    fn timed_out(&mut self, at: Time, member: u32, timer: &dyn std::fmt::Debug) {
        let line = TraceLine { timer: Some(format!("{timer:?}")), ..self.nothing(at, "timer", member) };
        self.write(&line);
    }
    fn suspected(&mut self, at: Time, member: u32, port: Port, verdict: Verdict) {
        let peer = Some(self.id(self.topology.peer(member, port).0));
        let line = TraceLine {
            port: Some(port.0),
            peer,
            verdict: Some(verdict),
            ..self.nothing(at, "suspect", member)
        };
        self.write(&line);
    }
    fn reasoned(&mut self, at: Time, member: u32, reason: &'static str) {
        let line = TraceLine { reason: Some(reason), ..self.nothing(at, "reason", member) };
        self.write(&line);
    }
    fn published(&mut self, at: Time, member: u32, status: Status) {
        let line = TraceLine { status: Some(status), ..self.nothing(at, "status", member) };
        self.write(&line);
    }
}
