//! A schedule, carried out and written down before anybody is told.

use super::post::Post;
use crate::{Action, CrashPoint, MemberState, Rules, Situation, Transition, Whole};
use bellwether_core::{AnyValue, Fate, FaultEvent, HOP, MachineType, Port, Span, Status, Time, Verdict};
use bellwether_sim::schedule::time_of_next;
use bellwether_sim::{Driver, Ending, Plan, Schedule, SetupError};

/// A schedule, carried out: a whole run in memory. Showing it to an observer boots no member.
#[derive(Clone, Debug)]
pub struct Replay {
    pub(super) steps: Vec<Step>,
    pub(super) post: Post,
    pub(super) machine: &'static MachineType,
    /// What its report names.
    pub(super) driver: Driver,
    /// The members at the end.
    pub(super) seats: Vec<MemberState>,
    pub(super) ending: Ending,
    /// When messages that are still under way would arrive.
    pub(super) after_the_end: Time,
}

/// One step of the schedule.
#[derive(Clone, Debug)]
pub struct Step {
    pub at: Time,
    /// What happens to a member, if anything does.
    pub act: Option<Act>,
    /// Who freezes or wakes.
    pub struck: Option<(u32, FaultEvent)>,
    /// For each member, the term in which it leads then, if it does.
    pub leads: Vec<Option<u64>>,
    /// Who stops, after that.
    pub crashes: Option<u32>,
    /// Messages that come to nobody, or would.
    pub misses: Vec<usize>,
}

/// An input to a member, and what comes of it.
#[derive(Clone, Debug)]
pub struct Act {
    pub member: u32,
    pub cue: Cue,
    pub reason: Option<&'static str>,
    pub before: Status,
    pub after: MemberState,
    /// The messages that it sends.
    pub sends: Vec<usize>,
}

/// What reaches a member.
#[derive(Clone, Debug)]
pub enum Cue {
    Boot,
    Call {
        /// The ports whose neighbours it takes for dead.
        dead: u32,
    },
    Message(usize),
    TimeOut(AnyValue),
    Verdict(Port, Verdict),
    /// It is asked something, or learns of a death.
    Struck(FaultEvent),
}

/// The same with members by longer numbers.
fn widened(event: FaultEvent<u8>) -> FaultEvent {
    let Ok(event) = event.try_map(|member| Ok::<u32, std::convert::Infallible>(member.into()));
    event
}

/// Carries out a schedule as far as it can be, and tells what is wrong if that is not to its end.
pub fn carry_out(
    machine: &'static MachineType,
    plan: &Plan,
    schedule: &Schedule<Transition>,
) -> (Replay, Option<SetupError>) {
    let rules = Rules::new(plan, schedule.liberties);
    let whole = Whole::new(machine, plan, schedule.liberties);
    let mut beginnings = rules.beginnings(machine);
    let ways = beginnings.len();
    let is_known = (schedule.beginning as usize) < ways;
    let begins_at = if is_known { schedule.beginning as usize } else { 0 };
    let now = beginnings.swap_remove(begins_at); // every run has one
    let post = Post::new(&rules.wires, schedule.liberties.grain());
    let mut author = Author { rules, whole, now, post, steps: Vec::new(), at: Time::ZERO };
    let mut problem = (!is_known).then(|| SetupError::Fault {
        key: "beginning",
        problem: format!("the run can begin in {ways} ways: give 'beginning' a number from 1 to {ways}"),
    });
    let mut ending = Ending::AtEndOfSchedule;
    if problem.is_none() {
        match author.carry_out(schedule) {
            Ok(how) => ending = how,
            Err(error) => problem = Some(error),
        }
    }
    let replay = Replay {
        steps: author.steps,
        post: author.post,
        machine,
        driver: Driver::Events,
        seats: author.now.seats,
        ending,
        after_the_end: author.at + HOP,
    };
    (replay, problem)
}

/// Carries out one step after the other.
struct Author<'p> {
    rules: Rules<'p>,
    whole: Whole<'p>,
    now: Situation,
    post: Post,
    steps: Vec<Step>,
    at: Time,
}

impl Author<'_> {
    fn carry_out(&mut self, schedule: &Schedule<Transition>) -> Result<Ending, SetupError> {
        // Where no step says who boots when, everyone does before the first.
        if !schedule.actions.iter().any(|action| action.what.is_boot()) {
            for member in 0..self.now.seats.len() as u8 {
                self.happen(0, Action::Member(member, FaultEvent::Start).into())?;
            }
        }
        let mut loop_begins = None;
        for (step, &action) in schedule.actions.iter().enumerate() {
            if schedule.loop_from == Some(step as u32) {
                loop_begins = Some(self.now.clone());
            }
            self.happen(step, action)?;
        }
        let Some(from) = schedule.loop_from else { return Ok(self.ending()) };
        if loop_begins.as_ref() != Some(&self.now) {
            let problem = format!(
                "the steps from {} on do not lead back to where they began, and so are no loop: leave out \
                 'loops_from', or give all steps of the loop",
                u64::from(from) + 1
            );
            return Err(SetupError::Fault { key: "loops_from", problem });
        }
        for (step, &action) in schedule.actions.iter().enumerate().skip(from as usize) {
            self.happen(step, action)?;
        }
        Ok(Ending::GoesRound)
    }

    /// Whether anything is left that must happen.
    fn ending(&mut self) -> Ending {
        let mut left = Vec::new();
        self.rules.possible(&mut self.whole, &self.now, &mut left);
        let is_over = left.iter().all(|what| what.is_fault());
        if is_over { Ending::ByItself } else { Ending::AtEndOfSchedule }
    }

    fn happen(&mut self, step: usize, action: Transition) -> Result<(), SetupError> {
        let mut possible = Vec::new();
        self.rules.possible(&mut self.whole, &self.now, &mut possible);
        let is_possible = possible.contains(&action.what) || self.can_be_asked(action.what);
        let next = is_possible.then(|| self.whole.apply(&self.rules, &self.now, action)).flatten();
        let Some(next) = next else {
            let (step_text, problem) = (self.rules.write(action), self.instead());
            return Err(SetupError::Step { number: step + 1, step: step_text, problem });
        };
        self.at = time_of_next(self.at, action.what.is_boot());
        let cue = self.cue(action.what);
        match action.what {
            Action::Link(wire, place, Fate::Lost) => self.post.lose(wire, place),
            Action::Link(wire, place, Fate::Twice) => self.post.double(wire, place),
            Action::Tick => self.post.tick(),
            _ => {}
        }
        let (mut act, mut misses) = (None, Vec::new());
        match cue {
            (Some(member), Some(cue)) => act = Some(self.act(member, cue, action)),
            (None, Some(Cue::Message(letter))) => misses.push(letter), // nobody is there
            _ => {}
        }
        let crashes = match action {
            Transition { what: Action::Member(member, FaultEvent::Crash), .. } => Some(member.into()),
            Transition { crash_after: Some(_), .. } => act.as_ref().map(|act| act.member),
            _ => None,
        };
        let struck = match action.what {
            Action::Member(member, event @ (FaultEvent::Pause | FaultEvent::Resume)) => {
                Some((member.into(), widened(event)))
            }
            _ => None,
        };
        misses.extend(self.post.settle(&next.queues, self.at + HALF_A_HOP));
        let leads = next
            .seats
            .iter()
            .map(|seat| seat.facts(self.whole.machine().spec).leads.then(|| seat.status().term))
            .collect();
        self.now = next;
        self.steps.push(Step { at: self.at, act, struck, leads, crashes, misses });
        Ok(())
    }

    /// People may ask more of members than the checker does.
    fn can_be_asked(&mut self, what: Action) -> bool {
        matches!(what, Action::Member(member, FaultEvent::Request(_)) if self.rules.can_be_asked(&mut self.whole, &self.now, member))
    }

    /// What could happen instead, for whoever asked for something else.
    fn instead(&mut self) -> String {
        const MOST_NAMED: usize = 8;
        let enabled = self.whole.enabled(&self.rules, &self.now);
        let mut names: Vec<String> =
            enabled.iter().take(MOST_NAMED).map(|&action| self.rules.write(action)).collect();
        if enabled.len() > MOST_NAMED {
            names.push(format!("... ({} in all)", enabled.len()));
        }
        if names.is_empty() {
            return "this cannot happen then, as nothing can: end the schedule before it".to_owned();
        }
        format!("this cannot happen then: what can is {}", names.join(", "))
    }

    /// Who is given an input, if somebody is, and what reaches it.
    fn cue(&mut self, what: Action) -> (Option<u32>, Option<Cue>) {
        let (member, cue) = match what {
            Action::Member(member, FaultEvent::Call) | Action::CallAgain(member) => {
                let dead = self.rules.known_dead(&mut self.whole, &self.now, member.into());
                (member.into(), Cue::Call { dead })
            }
            Action::TimeOut(member, number) => {
                let timer = self.now.seats[member as usize].timer(number).cloned();
                return (Some(member.into()), timer.map(Cue::TimeOut));
            }
            Action::Tell(member, port, word) => (member.into(), Cue::Verdict(Port(port.into()), word.into())),
            Action::Member(member, FaultEvent::Start | FaultEvent::Recover) => (member.into(), Cue::Boot),
            Action::Deliver(wire, place) => {
                let to = self.rules.wires.get(wire).to;
                let is_up = self.now.seats[to as usize].state().is_some();
                let letter = self.post.arrive(wire, place, self.at);
                return (is_up.then_some(to), Some(Cue::Message(letter)));
            }
            Action::Member(member, event @ (FaultEvent::Request(_) | FaultEvent::Learn(_))) => {
                (member.into(), Cue::Struck(widened(event)))
            }
            Action::Tick | Action::Member(..) | Action::Link(..) => return (None, None),
        };
        (Some(member), Some(cue))
    }

    /// What the input that was just given to a member made of it.
    fn act(&mut self, member: u32, cue: Cue, action: Transition) -> Act {
        let outcome = self.whole.outcomes()[action.draw as usize].clone();
        let before = &self.now.seats;
        let is_dead =
            |other| other != member && before[other as usize].facts(self.whole.machine().spec).is_dead;
        let count = match action.crash_after {
            None => usize::MAX,
            Some(CrashPoint::TornWrite) => 0,
            Some(CrashPoint::Sends(count)) => count.into(),
        };
        let mut sends = Vec::new();
        for (port, msg) in outcome.sends.into_iter().take(count) {
            let wire = self.rules.wires.route(member, port, is_dead);
            sends.push(self.post.send((wire, self.rules.wires.get(wire)), msg));
        }
        let before = before[member as usize].status();
        Act { member, cue, reason: outcome.reason, before, after: outcome.seat, sends }
    }
}

const HALF_A_HOP: Span = Span::from_ticks(HOP.ticks() / 2);
