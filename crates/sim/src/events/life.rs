//! Who boots, calls, dies and comes back when.

use super::{Simulation, Stop};
use bellwether_core::{FaultEvent, Initiators, Occasion, Request, Time};

impl Simulation<'_, '_> {
    /// Everyone who is not dead or late boots; then the initiators call.
    pub(super) fn begin(&mut self) {
        for happening in &self.plan.script {
            if happening.what == FaultEvent::Start && self.crashed.binary_search(&happening.member).is_err() {
                self.at_the_door.insert(happening.member, Vec::new());
            }
        }
        for at in 0..self.crashed.len() {
            self.observer.crashed(self.now, self.crashed[at]);
        }
        let plan = self.plan;
        let at_once = plan.script.iter().take_while(|happening| happening.at == Time::ZERO);
        for happening in at_once.filter(|happening| happening.what.kind().is_condition()) {
            self.strike(happening.what, happening.member);
        }
        for member in 0..plan.n() {
            if self.is_expected(member) {
                self.start(member);
            }
        }
        match &plan.initiators {
            Initiators::All => (0..plan.n()).for_each(|member| self.consider(member, Occasion::Asked)),
            Initiators::Some(members) => {
                members.iter().for_each(|&member| self.consider(member, Occasion::Asked));
            }
        }
        self.something_happened = false; // all of this was at time 0
    }

    /// Whether a member is neither dead from the start nor late.
    pub(super) fn is_expected(&self, member: u32) -> bool {
        self.crashed.binary_search(&member).is_err() && !self.at_the_door.contains_key(&member)
    }

    pub(super) fn happen(&mut self, what: FaultEvent, member: u32) {
        match what {
            FaultEvent::Crash if self.now == Time::ZERO => {} // it never started
            _ if self.now == Time::ZERO && what.kind().is_condition() => {} // it was so from the beginning
            FaultEvent::Crash => self.crash(member),
            FaultEvent::Start => {
                // A member that crashed before its time does not start.
                let Some(waiting) = self.at_the_door.remove(&member) else { return };
                self.start(member);
                let is_asked = self.plan.initiators.contains(member);
                self.consider(member, if is_asked { Occasion::Asked } else { Occasion::Started });
                self.let_in.extend(waiting);
            }
            FaultEvent::Call => self.consider(member, Occasion::Asked),
            FaultEvent::Request(request) => self.request(member, request),
            _ => self.strike(what, member),
        }
    }

    /// The operator asks something of a member. The dead and the frozen do not hear it.
    fn request(&mut self, member: u32, request: Request) {
        if self.world.state(member).is_some() {
            self.observer.struck(self.now, member, FaultEvent::Request(request));
            let step = self.world.request(member, self.clock(member), request);
            self.settle(member, step);
        }
    }

    pub(super) fn crash(&mut self, member: u32) {
        let Err(at) = self.crashed.binary_search(&member) else { return };
        self.world.crash(member);
        self.timers.clear(member);
        self.crashed.insert(at, member);
        self.tally.crashed(self.now, member);
        self.has_news |= self.stop == Stop::WhenRight;
        self.observer.crashed(self.now, member);
        self.forget_frozen(member);
        self.forget_wait(member);
        if let Some(watch) = &mut self.watch {
            watch.leave(member);
        }
        self.tell_the_truth(member, false);
        self.certify(member);
    }

    pub(super) fn start(&mut self, member: u32) {
        self.observer.started(self.now, member);
        if let Some(certificates) = &mut self.certificates {
            certificates.note_boot(member);
        }
        let step = self.world.start(member, self.clock(member));
        if let Some(state) = self.world.state(member) {
            self.tally.holds(state.storage());
        }
        self.settle(member, Some(step));
        self.start_watch(member);
    }
}
