//! Registered algorithms with something wrong in what their members say or take for said: the rest of them is
//! the sound one's own code.

use bellwether_algorithms::bully;
use bellwether_algorithms::dolev_klawe_rodeh::{self, DolevKlaweRodeh};
use bellwether_algorithms::itai_rodeh::{ItaiRodeh, Token};
use bellwether_core::*;
use serde::Serialize;
use std::fmt::Debug;
use std::hash::Hash;

/// What is wrong with a member; it may remember something for that.
pub trait Fault: Clone + Debug + Default + Eq + Hash + Serialize + Send + Sync + 'static {
    /// The algorithm that the fault is in.
    type Sound: Algorithm;
    /// What it is called with the fault.
    const NAME: &'static str;

    /// What the sound algorithm may know.
    fn known(cx: &mut Cx<'_, Faulty<Self>>) -> Known;

    /// What the sound algorithm draws, if it does.
    fn draw(_: &mut Cx<'_, Faulty<Self>>, _: u64) -> u64 {
        0
    }

    /// Whether a member ignores a message.
    fn ignores(_: &Cx<'_, Faulty<Self>>, _: Port, _: &<Self::Sound as Protocol>::Msg) -> bool {
        false
    }

    /// What a member takes a message for.
    fn hear(&mut self, msg: <Self::Sound as Protocol>::Msg) -> <Self::Sound as Protocol>::Msg {
        msg
    }

    /// What a member takes a word about a neighbour for.
    fn is_told(&mut self, verdict: Verdict) -> Verdict {
        verdict
    }

    /// What a member says when it means to say something.
    fn say(&mut self, msg: <Self::Sound as Protocol>::Msg) -> <Self::Sound as Protocol>::Msg {
        msg
    }
}

/// What a member may know.
pub struct Known {
    rank: Rank,
    flows: Vec<Flow>,
    size: u32,
    peers: Vec<Rank>,
    delay_bound: Span,
    now: Time,
}

impl Known {
    fn new<A: Algorithm>(cx: &Cx<'_, A>, rank: Rank) -> Known {
        let (out, into): (Vec<Port>, Vec<Port>) = (cx.outgoing().collect(), cx.incoming().collect());
        let ports = out.iter().chain(&into).map(|port| port.0 + 1).max().unwrap_or(0);
        let flow = |port| match (out.contains(&port), into.contains(&port)) {
            (true, true) => Flow::Both,
            (true, false) => Flow::Out,
            (false, _) => Flow::In,
        };
        let flows = (0..ports).map(Port).map(flow).collect();
        Known { rank, flows, size: 0, peers: Vec::new(), delay_bound: Span::default(), now: Time::ZERO }
    }
}

struct Surroundings<'a> {
    known: Known,
    draw: &'a mut dyn FnMut(u64) -> u64,
}

/// Nothing is asked for that the faults below do not tell.
impl Environment for Surroundings<'_> {
    fn size(&self) -> u32 {
        self.known.size
    }

    fn diameter(&self) -> u32 {
        unreachable!("none of the algorithms below may know it")
    }

    fn ports(&self, _: u32) -> u32 {
        self.known.flows.len() as u32
    }

    fn flow(&self, _: u32, port: Port) -> Flow {
        self.known.flows[port.0 as usize]
    }

    fn peer_rank(&self, _: u32, port: Port) -> Rank {
        self.known.peers[port.0 as usize]
    }

    fn better_ranks(&self, _: u32) -> u64 {
        unreachable!("none of the algorithms below may know it")
    }

    fn delay_bound(&self) -> Span {
        self.known.delay_bound
    }

    fn drift_bound(&self) -> u32 {
        unreachable!("none of the algorithms below may know it")
    }

    fn parameters(&self) -> &ParamValues {
        unreachable!("none of the algorithms below has any")
    }

    fn knows(&self) -> Knowledge {
        unreachable!("none of the algorithms below asks for its clock")
    }

    fn duty(&self, _: u32) -> Duty {
        unreachable!("none of the algorithms below may know it")
    }

    fn peer_duty(&self, _: u32, _: Port) -> Duty {
        unreachable!("none of the algorithms below may know it")
    }

    fn draw(&mut self, bound: u64) -> u64 {
        (self.draw)(bound)
    }
}

/// A member of a sound algorithm with a fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Faulty<F: Fault> {
    sound: F::Sound,
    fault: F,
}

/// Lets the sound algorithm act, and does what it wishes for.
fn act<F: Fault, T>(
    fault: &mut F,
    cx: &mut Cx<'_, Faulty<F>>,
    act: impl FnOnce(&mut F, &mut Cx<'_, F::Sound>) -> T,
) -> T {
    let known = F::known(cx);
    let (rank, now) = (known.rank, known.now);
    let mut buffers = Buffers::default();
    let mut draw = |bound| F::draw(cx, bound);
    let mut surroundings = Surroundings { known, draw: &mut draw };
    let mut sound = Cx::new(Local::new(0, rank, &mut surroundings), now, &mut buffers);
    let result = act(fault, &mut sound);
    let effects = sound.into_effects();
    if let Some(durable) = effects.persist {
        cx.persist(durable);
    }
    for change in buffers.take_timers() {
        match change {
            TimerChange::Set(timer, range) => cx.set_timer_within(timer, range),
            TimerChange::Cancel(timer) => cx.cancel_timer(timer),
        }
    }
    for (port, msg) in effects.first_send.into_iter().chain(buffers.take_sends()) {
        cx.send(port, fault.say(msg));
    }
    result
}

impl<F: Fault> Algorithm for Faulty<F> {
    type Timer = <F::Sound as Algorithm>::Timer;
    type Durable = <F::Sound as Algorithm>::Durable;

    fn start(cx: &mut Cx<'_, Self>, saved: Self::Durable) -> Self {
        let mut fault = F::default();
        let sound = act(&mut fault, cx, |_, cx| F::Sound::start(cx, saved));
        Faulty { sound, fault }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        act(&mut self.fault, cx, |_, cx| self.sound.on_call(cx));
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Self::Msg) {
        if !F::ignores(cx, from, &msg) {
            act(&mut self.fault, cx, |fault, cx| self.sound.on_message(cx, from, fault.hear(msg)));
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Self::Timer) {
        act(&mut self.fault, cx, |_, cx| self.sound.on_timer(cx, timer));
    }

    fn on_suspicion(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        act(&mut self.fault, cx, |fault, cx| self.sound.on_suspicion(cx, peer, fault.is_told(verdict)));
    }
}

impl<F: Fault> Protocol for Faulty<F> {
    type Msg = <F::Sound as Protocol>::Msg;
    const SPEC: Spec = Spec { name: F::NAME, ..F::Sound::SPEC };

    fn status(&self) -> Status {
        Protocol::status(&self.sound)
    }
}

/// Nothing is wrong: what is found below is not the way it is put in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Nothing;

impl Fault for Nothing {
    type Sound = DolevKlaweRodeh;
    const NAME: &'static str = "nothing-wrong";

    fn known(cx: &mut Cx<'_, Faulty<Self>>) -> Known {
        Known::new(cx, cx.rank())
    }
}

/// Compares the rank before its own with that same rank, and not with the one before that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct WrongNeighbour(Option<Rank>);

impl Fault for WrongNeighbour {
    type Sound = DolevKlaweRodeh;
    const NAME: &'static str = "wrong-neighbour";

    fn known(cx: &mut Cx<'_, Faulty<Self>>) -> Known {
        Known::new(cx, cx.rank())
    }

    fn hear(&mut self, msg: dolev_klawe_rodeh::Msg) -> dolev_klawe_rodeh::Msg {
        use dolev_klawe_rodeh::Msg::{M1, M2};
        match (msg, self.0) {
            (M1(rank), _) => self.0 = Some(rank),
            (M2(_), Some(rank)) => return M2(rank),
            _ => {}
        }
        msg
    }
}

/// Does not say that others drew the same lot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct NotUnique;

impl Fault for NotUnique {
    type Sound = ItaiRodeh;
    const NAME: &'static str = "not-unique";

    fn known(cx: &mut Cx<'_, Faulty<Self>>) -> Known {
        let nobody = Rank::new(Elect::Best, 0, Id::new(0).expect("a small id"));
        Known { size: cx.size(), ..Known::new(cx, nobody) }
    }

    fn draw(cx: &mut Cx<'_, Faulty<Self>>, bound: u64) -> u64 {
        cx.draw(bound)
    }

    fn say(&mut self, token: Token) -> Token {
        let mut parts = serde_json::to_value(token).expect("messages can be written");
        parts["unique"] = true.into();
        serde_json::from_value(parts).expect("and read")
    }
}

/// A better member that hears a worse one announced does not start an election.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Unobjecting;

impl Fault for Unobjecting {
    type Sound = bully::Broadcast;
    const NAME: &'static str = "unobjecting";

    fn known(cx: &mut Cx<'_, Faulty<Self>>) -> Known {
        known_in_bully(cx)
    }

    fn ignores(cx: &Cx<'_, Faulty<Self>>, from: Port, msg: &bully::Msg) -> bool {
        *msg == bully::Msg::Coordinator && cx.peer_rank(from) < cx.rank()
    }
}

/// Takes a suspicion for a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Rash;

impl Fault for Rash {
    type Sound = bully::AtOnce;
    const NAME: &'static str = "rash";

    fn known(cx: &mut Cx<'_, Faulty<Self>>) -> Known {
        known_in_bully(cx)
    }

    fn is_told(&mut self, verdict: Verdict) -> Verdict {
        if verdict == Verdict::Suspected { Verdict::Failed } else { verdict }
    }
}

/// What members of the bully algorithm may know.
fn known_in_bully<F: Fault>(cx: &mut Cx<'_, Faulty<F>>) -> Known {
    Known {
        peers: cx.outgoing().map(|port| cx.peer_rank(port)).collect(),
        delay_bound: cx.delay_bound(),
        now: cx.now(),
        ..Known::new(cx, cx.rank())
    }
}
