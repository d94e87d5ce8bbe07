//! The third driver: plays a run that is said step by step ([`Schedule`]), as the checker finds them.
//!
//! Whoever boots before anything else happens does so at time 0; where no step says who boots, everyone does.
//! From then on each step comes a hop after the one before it: an onlooker sees one thing after the other. So it
//! is where there is a clock, too: a hop is a step of the schedule and not of the clock, and when the clock
//! moves on there is nothing else to be seen. A loop is played twice.
//!
//! What nobody will ever hear, as its receiver is dead for good, is lost half a hop later.

mod post;
mod story;

use crate::actions;
use bellwether_core::{MachineType, Port, Time, Verdict};
use bellwether_sim::Event;
use bellwether_sim::LinkCounts;
use bellwether_sim::Plan;
use bellwether_sim::Schedule;
use bellwether_sim::SetupError;
use bellwether_sim::measure::{Tally, encoded_bytes};
use bellwether_sim::{Driver, Ended, Report};
use bellwether_sim::{Drop, Observer};
use bellwether_sim::{Live, Survivor};
use story::{Act, Cue, Scene, Story};

/// Makes sure that every step of a schedule can happen when its turn comes.
///
/// # Errors
/// [`SetupError`] says which one cannot, and what can.
pub fn check(machine: &'static MachineType, plan: &Plan, schedule: &Schedule) -> Result<(), SetupError> {
    story::write(machine, plan, &actions(plan, schedule)?).1.map_or(Ok(()), Err)
}

/// Plays a schedule; up to the first step that cannot happen, if it is not checked before.
///
/// # Panics
/// If a step names what the plan does not have: [`check`] says so before.
pub fn run(
    machine: &'static MachineType,
    plan: &Plan,
    schedule: &Schedule,
    observer: &mut dyn Observer,
    driver: Driver,
) -> Report {
    let schedule = actions(plan, schedule).expect("a schedule that was checked");
    let (story, _) = story::write(machine, plan, &schedule);
    let (tally, links) = (Tally::new(plan.n(), machine.spec.reign), LinkCounts::default());
    let mut teller = Teller { story: &story, observer, tally, links };
    story.scenes.iter().for_each(|scene| teller.tell(scene));
    let Teller { tally, links, .. } = teller;
    let survivor = |member: u32| {
        let seat = &story.seats[member as usize];
        let (status, facts) = (seat.state()?.status(), seat.facts(machine.spec));
        Some(Survivor { member, status, took_part: facts.took_part })
    };
    Ended {
        plan,
        tally,
        driver,
        rounds: None,
        leader_round: None,
        ending: story.ending,
        now: story.scenes.last().map_or(Time::ZERO, |scene| scene.at),
        links,
        signals: 0,
    }
    .report(machine.spec, machine.kinds, Live::Among(plan.n(), &survivor))
}

/// Tells a story to an observer.
struct Teller<'s, 'o> {
    story: &'s Story,
    observer: &'o mut dyn Observer,
    tally: Tally,
    links: LinkCounts,
}

impl Teller<'_, '_> {
    fn tell(&mut self, scene: &Scene) {
        if let Some(act) = &scene.act {
            self.cue(scene.at, act);
            self.play(scene, act);
        }
        if let Some((member, what)) = scene.struck {
            self.observer.struck(scene.at, member, what);
        }
        if let Some(member) = scene.crashes {
            self.tally.crashed(scene.at, member);
            self.observer.crashed(scene.at, member);
        }
        // Leases run out unseen, and do so before anyone else comes to lead.
        for leads in [false, true] {
            let those = (0..).zip(&scene.leads).filter(|(_, term)| term.is_some() == leads);
            those.for_each(|(member, &term)| self.tally.reigns.note(scene.at, member, term));
        }
        for &letter in &scene.misses {
            let letter = self.story.post.letter(letter);
            self.observer.lost(letter.due.unwrap_or(scene.at), letter.to.0, letter.to.1, &*letter.msg);
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
                let letter = self.story.post.letter(*letter);
                self.observer.delivered(at, member, letter.to.1, &*letter.msg);
            }
            Cue::TimeOut(timer) => self.observer.timed_out(at, member, timer),
            Cue::Word(port, verdict) => self.observer.suspected(at, member, *port, *verdict),
            Cue::Request(request) => self.observer.struck(at, member, Event::Request(*request)),
            Cue::Learn(dead) => self.observer.struck(at, member, Event::Learn(*dead)),
        }
    }

    /// What comes of it, in the contract's order.
    fn play(&mut self, scene: &Scene, act: &Act) {
        let (at, member) = (scene.at, act.member);
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
        if before != after && scene.crashes.is_none() {
            self.tally.named(at, member, before, after);
            self.observer.published(at, member, after);
        }
    }

    /// As the whole run is known, what becomes of a message is told when it is sent: of those that the link
    /// makes of it, which arrive. If it loses one of them, that is the first; if more, nobody can tell.
    fn send(&mut self, at: Time, number: usize) {
        let original = self.story.post.letter(number);
        self.tally.sent(original.msg.kind_index(), encoded_bytes(&original.msg));
        let ((from, port), (to, _)) = (original.from, original.to);
        let all = || {
            let numbers = std::iter::once(&number).chain(&original.copies);
            numbers.map(|&number| self.story.post.letter(number))
        };
        let mut is_told = all().any(|letter| letter.is_lost);
        if is_told {
            self.links.lost += 1;
            self.observer.dropped(at, from, port, to, &*original.msg, Drop::Chosen);
        }
        for letter in all().filter(|letter| !letter.is_lost) {
            let due = letter.due.unwrap_or(self.story.after_the_end);
            if std::mem::replace(&mut is_told, true) {
                self.links.duplicated += 1;
                self.observer.duplicated(at, from, port, letter.to, &*letter.msg, due);
            } else {
                self.observer.sent(at, from, port, letter.to, &*letter.msg, due);
            }
        }
    }
}
