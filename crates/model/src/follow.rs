//! The third driver: plays a run that is said step by step ([`Schedule`]), as the checker finds them.
//!
//! Whoever boots before anything else happens does so at time 0; where no step says who boots, everyone does.
//! From then on each step comes a hop after the one before it: an onlooker sees one thing after the other. So it
//! is where there is a clock, too: a hop is a step of the schedule and not of the clock, and when the clock
//! moves on there is nothing else to be seen. A loop is played twice.
//!
//! What nobody will ever hear, as its receiver is dead for good, is lost half a hop later.

mod post;
mod replay;

pub use replay::Replay;

use crate::actions;
use bellwether_core::{Driving, Entry, MachineType, Port, Time, Verdict};
use bellwether_sim::measure::Tally;
use bellwether_sim::{
    Driver, DropReason, FinishedRun, LinkCounts, Live, Observer, Plan, Report, Schedule, SetupError, Survivor,
};
use replay::{Act, Cue, Step};

/// Makes sure that every step of a schedule can happen when its turn comes.
///
/// # Errors
/// [`SetupError`] says which one cannot, and what can.
pub fn check(machine: &'static MachineType, plan: &Plan, schedule: &Schedule) -> Result<(), SetupError> {
    replay::carry_out(machine, plan, &actions(plan, schedule)?).1.map_or(Ok(()), Err)
}

/// Carries out a schedule: up to the first step that cannot happen, if it is not checked before.
///
/// # Panics
/// If a step names what the plan does not have: [`check`] says so before.
#[must_use]
pub fn replay(algorithm: &Entry, plan: &Plan, schedule: &Schedule) -> Replay {
    let schedule = actions(plan, schedule).expect("a schedule that was checked");
    let (replay, _) = replay::carry_out(algorithm.machine, plan, &schedule);
    let driver = match algorithm.driving {
        Driving::Events => Driver::Events,
        Driving::Rounds => Driver::Synchroniser,
    };
    Replay { driver, ..replay }
}

impl Replay {
    /// Shows the run to an observer, and says what it came to. `plan` is the one that it belongs to.
    pub fn show(&self, plan: &Plan, observer: &mut dyn Observer) -> Report {
        let machine = self.machine;
        let (tally, links) = (Tally::new(plan.n(), machine.spec.reign), LinkCounts::default());
        let mut observed = Observed { replay: self, observer, tally, links };
        self.steps.iter().for_each(|step| observed.show(step));
        let Observed { tally, links, .. } = observed;
        let survivor = |member: u32| {
            let seat = &self.seats[member as usize];
            let (status, facts) = (seat.state()?.status(), seat.facts(machine.spec));
            Some(Survivor { member, status, took_part: facts.took_part })
        };
        FinishedRun {
            plan,
            tally,
            driver: self.driver,
            rounds: None,
            leader_round: None,
            ending: self.ending,
            now: self.steps.last().map_or(Time::ZERO, |step| step.at),
            links,
            signals: 0,
        }
        .report(machine.spec, machine.kinds, Live::Among(plan.n(), &survivor))
    }
}

/// A replay as an observer sees it.
struct Observed<'r, 'o> {
    replay: &'r Replay,
    observer: &'o mut dyn Observer,
    tally: Tally,
    links: LinkCounts,
}

impl Observed<'_, '_> {
    fn show(&mut self, step: &Step) {
        if let Some(act) = &step.act {
            self.cue(step.at, act);
            self.play(step, act);
        }
        if let Some((member, what)) = step.struck {
            self.observer.struck(step.at, member, what);
        }
        if let Some(member) = step.crashes {
            self.tally.crashed(step.at, member);
            self.observer.crashed(step.at, member);
        }
        // Leases run out unseen, and do so before anyone else comes to lead.
        for leads in [false, true] {
            let those = (0..).zip(&step.leads).filter(|(_, term)| term.is_some() == leads);
            those.for_each(|(member, &term)| self.tally.reigns.note(step.at, member, term));
        }
        for &letter in &step.misses {
            let letter = self.replay.post.letter(letter);
            self.observer.lost(letter.due.unwrap_or(step.at), letter.to.0, letter.to.1, &*letter.msg);
        }
    }

    /// What reaches a member.
    fn cue(&mut self, at: Time, act: &Act) {
        let member = act.member;
        match &act.cue {
            Cue::Boot => self.observer.started(at, member),
            Cue::Call { dead } => {
                for port in (0..u32::BITS).filter(|port| dead & 1 << port != 0).map(Port) {
                    self.observer.suspected(at, member, port, Verdict::Failed);
                }
                self.observer.called(at, member);
            }
            Cue::Message(letter) => {
                let letter = self.replay.post.letter(*letter);
                self.observer.delivered(at, member, letter.to.1, &*letter.msg);
            }
            Cue::TimeOut(timer) => self.observer.timed_out(at, member, timer),
            Cue::Verdict(port, verdict) => self.observer.suspected(at, member, *port, *verdict),
            Cue::Struck(event) => self.observer.struck(at, member, *event),
        }
    }

    /// What comes of it, in the contract's order.
    fn play(&mut self, step: &Step, act: &Act) {
        let (at, member) = (step.at, act.member);
        self.tally.last_event = at;
        if let Some(reason) = act.reason {
            self.observer.reasoned(at, member, reason);
        }
        if let Some(state) = act.after.state() {
            self.tally.holds(state.storage());
            self.observer.settled(at, member, state.as_state());
        }
        for &letter in &act.sends {
            self.send(at, letter);
        }
        let (before, after) = (act.before, act.after.status());
        if before != after && step.crashes.is_none() {
            self.tally.named(at, member, before, after);
            self.observer.published(at, member, after);
        }
    }

    /// As the whole run is known, what becomes of a message is told when it is sent: of those that the link
    /// makes of it, which arrive. If it loses one of them, that is the first; if more, nobody can tell.
    fn send(&mut self, at: Time, number: usize) {
        let original = self.replay.post.letter(number);
        self.tally.sent(original.msg.kind_index(), original.msg.encoded_bytes());
        let ((from, port), (to, _)) = (original.from, original.to);
        let all = || {
            let numbers = std::iter::once(&number).chain(&original.copies);
            numbers.map(|&number| self.replay.post.letter(number))
        };
        let mut is_told = all().any(|letter| letter.is_lost);
        if is_told {
            self.links.lost += 1;
            self.observer.dropped(at, from, port, to, &*original.msg, DropReason::Chosen);
        }
        for letter in all().filter(|letter| !letter.is_lost) {
            let due = letter.due.unwrap_or(self.replay.after_the_end);
            if std::mem::replace(&mut is_told, true) {
                self.links.duplicated += 1;
                self.observer.duplicated(at, from, port, letter.to, &*letter.msg, due);
            } else {
                self.observer.sent(at, from, port, letter.to, &*letter.msg, due);
            }
        }
    }
}
