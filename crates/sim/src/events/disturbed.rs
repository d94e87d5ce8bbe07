//! What goes wrong in a run: everything that the undisturbed driver is spared.

use super::Simulation;
use crate::clock::Clock;
use crate::faults::LinkFaults;
use crate::trace::DropReason;
use crate::wheel::Packet;
use crate::world::{Stream, stream};
use bellwether_core::machine::Outputs;
use bellwether_core::{
    AnyMachine, AnyMessage, AnyValue, Fate, FaultEvent, Lie, Occasion, Port, Span, Time, machine::Machine,
};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What links did to messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkCounts {
    /// Lost on the way.
    pub lost: u64,
    /// Arrived twice.
    pub duplicated: u64,
    /// Held up, so that later ones could overtake them.
    pub held_up: u64,
}

/// The state of what is wrong.
pub(super) struct FaultState {
    links: LinkTrouble,
    pub(super) clocks: BTreeMap<u32, Clock>,
    /// Those that are frozen: their states, and timers that have run out since.
    pub(super) frozen: BTreeMap<u32, (AnyMachine, Vec<AnyValue>)>,
    /// Those that crash in the middle of the next that they send or write, and in the middle of which.
    doomed: BTreeMap<u32, ArmedCrash>,
    pub(super) liars: BTreeSet<u32>,
    pub(super) counts: LinkCounts,
    dice: Xoshiro256PlusPlus,
}

/// In the middle of what a member is to crash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ArmedCrash {
    /// The next messages that it sends.
    Sending,
    /// The next that it writes durably.
    Writing,
}

/// What is wrong with links.
#[derive(Default)]
pub(super) struct LinkTrouble {
    /// How many cuts are on each link, one way.
    cut: BTreeMap<(u32, u32), u32>,
    silent: BTreeSet<(u32, u32)>,
    /// For each link, by slot, whether everything is lost on it just now.
    in_burst: BTreeMap<usize, bool>,
    /// For each chosen message, how many that fit have been seen.
    seen: Vec<u64>,
}

/// What becomes of one message.
pub(super) enum Passage {
    Lost(DropReason),
    Arrives { twice: bool, held_up: Span },
}

impl LinkTrouble {
    /// Draws what becomes of a message on the link of this slot. Chosen ones are left to `choose`.
    pub(super) fn pass(
        &mut self,
        faults: &LinkFaults,
        now: Time,
        (from, to): (u32, u32),
        slot: usize,
        dice: &mut Xoshiro256PlusPlus,
    ) -> Passage {
        if self.silent.contains(&(from, to)) {
            return Passage::Lost(DropReason::Silence);
        }
        if self.cut.contains_key(&(from, to)) {
            return Passage::Lost(DropReason::Cut);
        }
        let mut arrives = Passage::Arrives { twice: false, held_up: Span::default() };
        if now >= faults.until {
            return arrives;
        }
        if faults.loss > 0.0 && self.is_lost(faults, slot, dice) {
            return Passage::Lost(DropReason::Loss);
        }
        if let Passage::Arrives { twice, held_up } = &mut arrives {
            *twice = faults.duplication > 0.0 && dice.random_bool(faults.duplication);
            if faults.reordering > 0.0 && dice.random_bool(faults.reordering) {
                *held_up = Span::from_ticks(dice.random_range(1..=faults.held_up.ticks().max(1)));
            }
        }
        arrives
    }

    /// Gilbert's model: bursts of mean length L, between them as much as makes the share right.
    fn is_lost(&mut self, faults: &LinkFaults, slot: usize, dice: &mut Xoshiro256PlusPlus) -> bool {
        if faults.burst <= 1.0 {
            return dice.random_bool(faults.loss);
        }
        let ends = 1.0 / faults.burst;
        let begins = (ends * faults.loss / (1.0 - faults.loss)).min(1.0);
        // A link begins as it goes on: as likely in a burst as at any other time.
        let chance = match self.in_burst.get(&slot) {
            None => faults.loss,
            Some(true) => 1.0 - ends,
            Some(false) => begins,
        };
        let is_in_burst = dice.random_bool(chance);
        self.in_burst.insert(slot, is_in_burst);
        is_in_burst
    }

    /// One cut fewer.
    fn mend(&mut self, link: (u32, u32)) {
        if let Some(cuts) = self.cut.get_mut(&link) {
            *cuts -= 1;
            if *cuts == 0 {
                self.cut.remove(&link);
            }
        }
    }

    /// What was chosen for a message, if it was.
    fn choose(&mut self, faults: &LinkFaults, from: u32, to: u32, kind: &str) -> Option<Fate> {
        self.seen.resize(faults.chosen.len(), 0);
        let mut fate = None;
        for (chosen, seen) in faults.chosen.iter().zip(&mut self.seen) {
            let fits = chosen.from.is_none_or(|only| only == from)
                && chosen.to.is_none_or(|only| only == to)
                && chosen.kind.as_deref().is_none_or(|only| only == kind);
            *seen += u64::from(fits);
            if fits && chosen.nth.is_none_or(|nth| nth == *seen) {
                fate = fate.or(Some(chosen.fate));
            }
        }
        fate
    }
}

impl FaultState {
    pub(super) fn new(seed: u64) -> Self {
        FaultState {
            links: LinkTrouble::default(),
            clocks: BTreeMap::new(),
            frozen: BTreeMap::new(),
            doomed: BTreeMap::new(),
            liars: BTreeSet::new(),
            counts: LinkCounts::default(),
            dice: stream(seed, Stream::Fault),
        }
    }

    pub(super) fn links(&mut self) -> &mut LinkTrouble {
        &mut self.links
    }
}

impl Simulation<'_, '_> {
    /// Something goes wrong with a member, or is put right.
    pub(super) fn strike(&mut self, what: FaultEvent, member: u32) {
        let now = self.now;
        match what {
            FaultEvent::Crash
            | FaultEvent::Start
            | FaultEvent::Call
            | FaultEvent::Request(_)
            | FaultEvent::Learn(_) => {}
            FaultEvent::Recover => return self.recover(member),
            _ => self.observer.struck(now, member, what),
        }
        let Some(disturbed) = &mut self.disturbed else { return };
        match what {
            FaultEvent::CrashSending => {
                disturbed.doomed.insert(member, ArmedCrash::Sending);
            }
            FaultEvent::TornCrash => {
                disturbed.doomed.insert(member, ArmedCrash::Writing);
            }
            FaultEvent::Pause => {
                if let Some(state) = self.world.freeze(member) {
                    disturbed.frozen.insert(member, (state, Vec::new()));
                    self.at_the_door.insert(member, Vec::new());
                }
            }
            FaultEvent::Resume => self.resume(member),
            FaultEvent::Cut(to) => *disturbed.links.cut.entry((member, to)).or_default() += 1,
            FaultEvent::Mend(to) => disturbed.links.mend((member, to)),
            FaultEvent::Heal => disturbed.links.cut.clear(),
            FaultEvent::Drift(gains) => self.change_clock(member, |clock| clock.drift(now, gains)),
            FaultEvent::Jump(ticks) => self.change_clock(member, |clock| clock.jump(now, ticks)),
            FaultEvent::Lie(lie) => self.lie(member, lie),
            FaultEvent::Learn(of) => self.receive_scripted_certificate(member, of),
            FaultEvent::Crash
            | FaultEvent::Start
            | FaultEvent::Recover
            | FaultEvent::Call
            | FaultEvent::Request(_) => {}
        }
    }

    fn recover(&mut self, member: u32) {
        if let Some(disturbed) = &mut self.disturbed {
            disturbed.doomed.remove(&member);
        }
        let Ok(at) = self.crashed.binary_search(&member) else { return };
        self.crashed.remove(at);
        self.start(member);
        self.tell_the_truth(member, true);
        self.consider(member, Occasion::Recovered);
    }

    fn resume(&mut self, member: u32) {
        let Some(disturbed) = &mut self.disturbed else { return };
        let Some((state, overdue)) = disturbed.frozen.remove(&member) else { return };
        self.world.thaw(member, state);
        self.let_in.extend(self.at_the_door.remove(&member).unwrap_or_default());
        for timer in overdue {
            self.timers.set(member, timer, self.now);
        }
        self.wake_watch(member);
        self.receive_waiting_certificates(member);
        self.wake_wait(member);
    }

    /// A frozen member's timer has run out: it will notice when it wakes. A lease is over at once.
    pub(super) fn postpone(&mut self, member: u32, timer: AnyValue) {
        if self.is_leased() && self.frozen(member).is_some_and(|state| state.lease().as_ref() == Some(&timer))
        {
            self.tally.reigns.note(self.now, member, None);
        }
        if let Some((_, overdue)) = self.disturbed.as_mut().and_then(|it| it.frozen.get_mut(&member)) {
            overdue.push(timer);
        }
    }

    /// A frozen member's state.
    pub(super) fn frozen(&self, member: u32) -> Option<&dyn Machine> {
        self.disturbed.as_ref()?.frozen.get(&member).map(|(state, _)| &**state)
    }

    fn change_clock(&mut self, member: u32, change: impl Fn(&mut Clock)) {
        let Some(disturbed) = &mut self.disturbed else { return };
        let clock = disturbed.clocks.entry(member).or_default();
        let before = *clock;
        change(clock);
        let (after, now) = (*clock, self.now);
        self.timers.reschedule(member, |due| after.when(before.show(due)).max(now));
        self.reset_watch_alarm(member);
        self.reset_wait(member);
    }

    fn lie(&mut self, member: u32, lie: Lie) {
        let Some(disturbed) = &mut self.disturbed else { return };
        disturbed.liars.insert(member);
        self.tally.reigns.note(self.now, member, None);
        match lie {
            Lie::Pretend(id) => self.world.pretend(member, self.world.rank(member).with_id(id)),
            Lie::Silence(to) => {
                disturbed.links.silent.insert((member, to));
            }
            // Whoever crashed while it was sending may be dead by the time at which it is to forge.
            Lie::Forge(_) if self.world.state(member).is_none() => {}
            Lie::Forge(leader) => {
                let ranks = self.plan.ranks.iter();
                let rank = ranks.copied().find(|rank| rank.id() == leader);
                let rank = rank.unwrap_or_else(|| self.world.rank(member).with_id(leader));
                for port in (0..self.plan.topology.ports(member)).map(Port) {
                    if self.plan.topology.flow(member, port).sends()
                        && let Some(msg) = (self.world.machine().forge)(rank)
                    {
                        self.send(member, port, msg);
                    }
                }
            }
        }
    }

    /// Whether what a member takes itself for counts.
    pub(super) fn is_honest(&self, member: u32) -> bool {
        self.disturbed.as_ref().is_none_or(|disturbed| !disturbed.liars.contains(&member))
    }

    /// What a member's own clock shows.
    pub(super) fn clock(&self, member: u32) -> Time {
        if self.disturbed.is_none() { self.now } else { self.shown_by_clock(member) }
    }

    fn shown_by_clock(&self, member: u32) -> Time {
        let clock = self.disturbed.as_ref().and_then(|disturbed| disturbed.clocks.get(&member));
        clock.map_or(self.now, |clock| clock.show(self.now))
    }

    /// When a member's own clock will have moved on by a span: not before now, though a slow clock may have shown what it
    /// shows for a tick already.
    pub(super) fn after(&self, member: u32, span: Span) -> Time {
        let clock = self.disturbed.as_ref().and_then(|disturbed| disturbed.clocks.get(&member));
        clock.map_or(self.now + span, |clock| clock.when(clock.show(self.now) + span).max(self.now))
    }

    /// Where a message goes: in a ring that closes round its dead, to the next live member.
    fn route(&self, member: u32, port: Port) -> (u32, Port) {
        let is_dead = |to: u32| self.plan.ring_closes && self.crashed.binary_search(&to).is_ok();
        self.plan.topology.peer_past(member, port, is_dead)
    }

    /// Sends where links may fail.
    pub(super) fn send_disturbed(&mut self, member: u32, port: Port, msg: AnyMessage) {
        self.tally.sent(msg.kind_index(), msg.encoded_bytes());
        let (to, at_port) = self.route(member, port);
        let slot = self.plan.topology.link_slot(member, port);
        let (now, faults) = (self.now, &self.plan.link_faults);
        let Some(disturbed) = &mut self.disturbed else { return };
        let FaultState { links, dice, counts, .. } = &mut **disturbed;
        let mut passage = links.pass(faults, now, (member, to), slot, dice);
        if !faults.chosen.is_empty() {
            match links.choose(faults, member, to, msg.kind_of().name) {
                Some(Fate::Lost) => passage = Passage::Lost(DropReason::Chosen),
                Some(Fate::Twice) if matches!(passage, Passage::Arrives { .. }) => {
                    if let Passage::Arrives { twice, .. } = &mut passage {
                        *twice = true;
                    }
                }
                _ => {}
            }
        }
        let (twice, held_up) = match passage {
            Passage::Lost(why) => {
                counts.lost += 1;
                self.observer.dropped(now, member, port, to, &*msg, why);
                return;
            }
            Passage::Arrives { twice, held_up } => (twice, held_up),
        };
        counts.duplicated += u64::from(twice);
        counts.held_up += u64::from(held_up > Span::default());
        let copy = twice.then(|| (self.arrival(slot, Span::default()), msg.clone()));
        let at = self.arrival(slot, held_up);
        self.observer.sent(now, member, port, (to, at_port), &*msg, at);
        self.wheel.push(at, to, at_port, msg);
        if let Some(certificates) = &mut self.certificates {
            let copied = copy.as_ref().map_or(at, |(copied, _)| *copied);
            certificates.will_hear(member, to, at.min(copied));
        }
        if let Some((at, msg)) = copy {
            self.observer.duplicated(now, member, port, (to, at_port), &*msg, at);
            self.wheel.push(at, to, at_port, msg);
        }
    }

    /// When a message that is sent now arrives: later than its predecessors, unless it is held up.
    fn arrival(&mut self, slot: usize, held_up: Span) -> Time {
        let at = self.now + self.delays.draw(&mut self.delay_dice);
        match self.link_busy_until.get_mut(slot) {
            Some(busy_until) if held_up == Span::default() => {
                *busy_until = at.max(*busy_until);
                *busy_until
            }
            _ => at + held_up,
        }
    }

    /// In the middle of which of an input's effects a member is to crash, if it is.
    pub(super) fn doom(&self, member: u32, outputs: &Outputs) -> Option<ArmedCrash> {
        let doom = self.disturbed.as_ref()?.doomed.get(&member).copied();
        doom.filter(|doom| match doom {
            ArmedCrash::Sending => !outputs.sends.is_empty(),
            ArmedCrash::Writing => outputs.persist.is_some(),
        })
    }

    /// Applies what came of an input, and crashes half-way through its sends, or before it has written.
    pub(super) fn settle_and_crash(&mut self, member: u32, outputs: Outputs, doom: ArmedCrash) {
        if let Some(state) = self.world.state(member) {
            self.observer.settled(self.now, member, state.as_state());
        }
        if let Some(saved) = outputs.persist.filter(|_| doom == ArmedCrash::Sending) {
            self.world.persist(member, saved);
        }
        let half = match doom {
            ArmedCrash::Sending => outputs.sends.len() / 2,
            ArmedCrash::Writing => 0,
        };
        for (port, msg) in outputs.sends.into_iter().take(half) {
            self.send(member, port, msg);
        }
        if let Some(disturbed) = &mut self.disturbed {
            disturbed.doomed.remove(&member);
        }
        self.busy_until = self.now; // somebody may notice
        self.crash(member);
    }

    /// Everything that waits at a member's door is lost with it.
    pub(super) fn forget_frozen(&mut self, member: u32) {
        if let Some(disturbed) = &mut self.disturbed {
            disturbed.frozen.remove(&member);
        }
        for Packet { to, port, msg } in self.at_the_door.remove(&member).into_iter().flatten() {
            self.observer.lost(self.now, to, port, &*msg);
        }
    }
}
