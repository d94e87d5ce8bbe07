//! Turns what an observer sees into steps.

use super::{Condition, End, Field, Input, MOST_STEPS, Recording, Sent, Snapshot, Step, shown};
use bellwether_core::{DynMessage, DynState, FaultEvent};
use bellwether_core::{HOP, Kind, Port, Status, Time, Topology, Verdict};
use bellwether_sim::schedule::Schedule;
use bellwether_sim::{DropReason, Observer, Plan, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Keeps everything that happens.
///
/// An input waits until its member has dealt with it (`settled`), which makes a step; sends belong
/// to the step just made. In a run in rounds several inputs wait for that, or none.
pub struct Recorder {
    topology: Topology,
    ranks: Vec<bellwether_core::Rank>,
    goes_round_from: Option<Time>,
    kinds: &'static [Kind],
    steps: Vec<Step>,
    messages: Vec<Sent>,
    steps_of: Vec<Vec<usize>>,
    waiting: BTreeMap<u32, Vec<Input>>,
    reason: Option<&'static str>,
    /// For each receiver and port the messages under way, in the order in which they arrive: by
    /// time, at one time in the order sent. Those at a late starter's door keep that order.
    under_way: BTreeMap<u32, BTreeMap<Port, BTreeSet<(Time, usize)>>>,
    is_full: bool,
}

impl Recorder {
    /// Before anything happens.
    pub fn new(plan: &Plan) -> Recorder {
        Recorder {
            topology: plan.topology.clone(),
            ranks: plan.ranks.clone(),
            goes_round_from: plan.schedule.as_ref().and_then(Schedule::goes_round_from),
            kinds: &[],
            steps: Vec::new(),
            messages: Vec::new(),
            steps_of: vec![Vec::new(); plan.n() as usize],
            waiting: BTreeMap::new(),
            reason: None,
            under_way: BTreeMap::new(),
            is_full: false,
        }
    }

    /// The whole run; nothing if it had too many steps.
    pub fn finish(self, report: Report) -> Option<Recording> {
        let Recorder { topology, ranks, goes_round_from, kinds, steps, messages, steps_of, is_full, .. } =
            self;
        let recording =
            Recording { topology, ranks, goes_round_from, kinds, steps, messages, report, steps_of };
        (!is_full).then_some(recording)
    }

    fn wait(&mut self, member: u32, input: Input) {
        self.waiting.entry(member).or_default().push(input);
    }

    fn push(&mut self, at: Time, member: u32, inputs: Vec<Input>, seat: Snapshot) {
        self.is_full |= self.steps.len() >= MOST_STEPS;
        if self.is_full {
            return;
        }
        for input in &inputs {
            if let Input::Message(message) | Input::Loss(message) = input {
                let lost = matches!(input, Input::Loss(_));
                self.messages[*message].end = Some(End { in_step: self.steps.len(), lost });
            }
        }
        self.steps_of[member as usize].push(self.steps.len());
        let (reason, sends) = (self.reason.take(), self.messages.len()..self.messages.len());
        self.steps.push(Step { at, member, inputs, reason, sends, seat });
    }

    /// The member as it was.
    fn seat(&self, member: u32) -> Snapshot {
        let unseen = || Snapshot {
            life: Condition::Absent,
            lies: false,
            state: Arc::default(),
            status: Status::UNDECIDED,
        };
        let last = self.steps_of[member as usize].last();
        last.map_or_else(unseen, |&step| self.steps[step].seat.clone())
    }

    /// A message is under way.
    fn send(
        &mut self,
        at: Time,
        member: u32,
        port: Port,
        (to, to_port): (u32, Port),
        msg: &dyn DynMessage,
        due: Time,
    ) -> Option<&mut Sent> {
        let number = self.messages.len();
        if !self.is_full {
            self.under_way.entry(to).or_default().entry(to_port).or_default().insert((due, number));
        }
        self.note(at, member, port, to, msg, due)
    }

    /// A message is sent, in the step just made.
    fn note(
        &mut self,
        at: Time,
        member: u32,
        port: Port,
        to: u32,
        msg: &dyn DynMessage,
        due: Time,
    ) -> Option<&mut Sent> {
        if self.is_full {
            return None;
        }
        self.kinds = msg.all_kinds();
        self.messages.push(Sent {
            from: member,
            port,
            to,
            kind: msg.kind_index(),
            text: msg.in_brief().unwrap_or_else(|| shown::content(msg)),
            in_step: self.steps.len() - 1,
            at,
            due,
            is_copy: false,
            dropped: None,
            end: None,
        });
        if let Some(step) = self.steps.last_mut() {
            step.sends.end = self.messages.len();
        }
        self.messages.last_mut()
    }

    /// Which message it is that has come.
    fn arrived(&mut self, member: u32, port: Port) -> Option<usize> {
        let (_, message) = self.under_way.get_mut(&member)?.get_mut(&port)?.pop_first()?;
        Some(message)
    }
}

impl Observer for Recorder {
    fn started(&mut self, _: Time, member: u32) {
        let is_back = self.seat(member).life == Condition::Dead;
        self.wait(member, if is_back { Input::Recovery } else { Input::Boot });
    }

    fn called(&mut self, _: Time, member: u32) {
        self.wait(member, Input::Call);
    }

    fn crashed(&mut self, at: Time, member: u32) {
        let seat = Snapshot { life: Condition::Dead, ..self.seat(member) };
        self.push(at, member, vec![Input::Crash], seat);
    }

    fn struck(&mut self, at: Time, member: u32, what: FaultEvent) {
        if let FaultEvent::Request(_) | FaultEvent::Learn(_) = what {
            return self.wait(member, Input::Struck(what)); // it acts on it
        }
        let mut seat = self.seat(member);
        match (what, seat.life) {
            (FaultEvent::Pause, Condition::Up) => seat.life = Condition::Frozen,
            (FaultEvent::Resume, Condition::Frozen) => seat.life = Condition::Up,
            (FaultEvent::Lie(_), _) => seat.lies = true,
            _ => {}
        }
        self.push(at, member, vec![Input::Struck(what)], seat);
    }

    fn sent(&mut self, at: Time, member: u32, port: Port, to: (u32, Port), msg: &dyn DynMessage, due: Time) {
        self.send(at, member, port, to, msg, due);
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
        if let Some(message) = self.send(at, member, port, to, msg, due) {
            message.is_copy = true;
        }
    }

    fn dropped(&mut self, at: Time, member: u32, port: Port, to: u32, msg: &dyn DynMessage, why: DropReason) {
        if let Some(message) = self.note(at, member, port, to, msg, at + HOP) {
            message.dropped = Some(why);
            message.end = Some(End { in_step: message.in_step, lost: true });
        }
    }

    fn delivered(&mut self, _: Time, member: u32, port: Port, _: &dyn DynMessage) {
        if let Some(message) = self.arrived(member, port) {
            self.wait(member, Input::Message(message));
        }
    }

    fn lost(&mut self, at: Time, member: u32, port: Port, _: &dyn DynMessage) {
        if let Some(message) = self.arrived(member, port) {
            let seat = self.seat(member);
            self.push(at, member, vec![Input::Loss(message)], seat);
        }
    }

    fn timed_out(&mut self, _: Time, member: u32, timer: &dyn std::fmt::Debug) {
        self.wait(member, Input::Timer(format!("{timer:?}")));
    }

    fn suspected(&mut self, _: Time, member: u32, port: Port, verdict: Verdict) {
        let (of, _) = self.topology.peer(member, port);
        self.wait(member, Input::Suspicion { of, verdict });
    }

    fn reasoned(&mut self, _: Time, _: u32, reason: &'static str) {
        self.reason = Some(reason);
    }

    fn settled(&mut self, at: Time, member: u32, state: &dyn DynState) {
        let inputs = self.waiting.remove(&member).unwrap_or_default();
        let Snapshot { state: before, lies, .. } = self.seat(member);
        let now: Vec<Field> = shown::fields(state);
        let state_now = if *before == *now { before } else { now.into() };
        self.push(
            at,
            member,
            inputs,
            Snapshot { life: Condition::Up, lies, state: state_now, status: state.seen_status() },
        );
    }
}
