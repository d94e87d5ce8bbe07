//! What a family of checks comes to.

use crate::error::{Failure, Verdict as Ended};
use crate::inquiry::{Case, Effort, Inquiry};
use crate::output::grouped;
use bellwether_check::{Checked, Counterexample, Finding, Property, Verdict, check};
use bellwether_core::Id;
use bellwether_engine::ALGORITHMS;
use bellwether_model::{Liberties, instructions, run_plan};
use bellwether_sim::{Outcome, Report};
use bellwether_sim::{Plan, RoundMode, Schedule, Setup};
use std::time::{Duration, Instant};

/// What was found in all checks of a family together.
#[derive(Clone, Debug)]
pub struct Found {
    /// How many checks were made.
    pub checked: u64,
    /// States in all of them.
    pub states: u64,
    /// Transitions in all of them.
    pub transitions: u64,
    /// The depth of the deepest.
    pub depth: u32,
    /// Why not everything was seen, if not.
    pub incomplete: Option<String>,
    /// What came of each property.
    pub properties: Vec<Ruled>,
    /// Whether one order stood for many, in any of them.
    pub reduced: bool,
    /// Whether one state stood for its turns, in any of them.
    pub symmetric: bool,
    /// Whether runs were left out in which members draw more numbers than they may.
    pub is_cut: bool,
    /// Whether runs went on after the last step that the clock may make.
    pub goes_on: bool,
    /// Whether runs were not followed to their end in which elections would be started again more often.
    pub restarts_cut: bool,
    /// How long it took.
    pub took: Duration,
}

/// What came of one property.
#[derive(Clone, Debug)]
pub struct Ruled {
    /// Which.
    pub property: Property,
    /// Whether it holds in all of the checks.
    pub verdict: Verdict,
    /// How often its twin was seen.
    pub seen: u64,
    /// The first run that breaks it.
    pub broken: Option<Broken>,
}

/// A run that breaks a property.
#[derive(Clone, Debug)]
pub struct Broken {
    /// In which of the checks.
    pub case: Case,
    /// What happens.
    pub run: Counterexample,
    /// What comes of it when it is played.
    pub report: Report,
    /// The case's setup with the run as its schedule.
    pub setup: Setup,
    /// The plan of that.
    pub plan: Plan,
}

/// Makes all checks of a family, one after the other, within the time for all of them. `tell` is told how it
/// goes.
pub fn find(inquiry: &Inquiry, effort: &Effort, tell: &(dyn Fn(String) + Sync)) -> Result<Found, Failure> {
    let began = Instant::now();
    let mut found = Found::nothing();
    for (ids, callers) in inquiry.cases() {
        let left = effort.time.map(|time| time.saturating_sub(began.elapsed()));
        if left == Some(Duration::ZERO) {
            found.give_up("time was up");
            break;
        }
        let case = inquiry.case(ids, callers)?;
        let number = found.checked + 1;
        let watch = |now: &bellwether_check::Progress| {
            let states = found.states + now.states;
            let rate = (states as f64 / began.elapsed().as_secs_f64().max(1e-9)) as u64;
            let [states, rate, queue] = [states, rate, now.queue].map(grouped);
            let which = if inquiry.size > 1 {
                format!(", check {number} of {}", inquiry.size)
            } else {
                String::new()
            };
            tell(format!(
                "{states} states, {rate} a second, depth {}, {queue} in the queue{which}",
                now.depth
            ));
        };
        let wishes = effort.wishes(inquiry.liberties, left);
        let checked = check(ALGORITHMS.entries[inquiry.choice.entry].machine, &case.plan, &wishes, &watch);
        found.take(inquiry, &case, checked)?;
    }
    found.took = began.elapsed();
    Ok(found)
}

impl Found {
    fn nothing() -> Found {
        let ruled = |property| Ruled { property, verdict: Verdict::Vacuous, seen: 0, broken: None };
        Found {
            checked: 0,
            states: 0,
            transitions: 0,
            depth: 0,
            incomplete: None,
            properties: Property::ALL.map(ruled).into(),
            reduced: false,
            symmetric: false,
            is_cut: false,
            goes_on: false,
            restarts_cut: false,
            took: Duration::ZERO,
        }
    }

    /// The rest of the checks is not made.
    fn give_up(&mut self, why: &str) {
        self.incomplete = Some(why.to_owned());
        for ruled in &mut self.properties {
            if ruled.verdict != Verdict::Violated {
                ruled.verdict = Verdict::Incomplete;
            }
        }
    }

    /// Takes in one more check.
    fn take(&mut self, inquiry: &Inquiry, case: &Case, checked: Checked) -> Result<(), Failure> {
        self.checked += 1;
        self.states += checked.progress.states;
        self.transitions += checked.progress.transitions;
        self.depth = self.depth.max(checked.progress.depth);
        self.incomplete = self.incomplete.take().or(checked.incomplete.map(str::to_owned));
        self.reduced |= checked.reduced;
        self.symmetric |= checked.symmetric;
        self.is_cut |= checked.is_cut;
        self.goes_on |= checked.goes_on;
        self.restarts_cut |= checked.restarts_cut;
        for (ruled, finding) in self.properties.iter_mut().zip(checked.findings) {
            ruled.take(inquiry, case, finding)?;
        }
        if self.verdict_on(Property::Eventually) == Verdict::Vacuous && self.is_cut {
            self.incomplete.get_or_insert_with(|| "nobody may draw enough numbers to be elected".to_owned());
        }
        Ok(())
    }

    /// The verdict on everything: that it holds is said of those properties that are not open, if there is one.
    pub fn verdict(&self) -> Verdict {
        let holds = |ruled: &Ruled| ruled.verdict == Verdict::Holds;
        match self.gravest() {
            Some(_) => Verdict::Violated,
            None if self.incomplete.is_some() || !self.properties.iter().any(holds) => Verdict::Incomplete,
            None => Verdict::Holds,
        }
    }

    /// The verdict on one property.
    pub fn verdict_on(&self, property: Property) -> Verdict {
        let ruled = self.properties.iter().find(|ruled| ruled.property == property);
        ruled.map_or(Verdict::Vacuous, |ruled| ruled.verdict)
    }

    /// The gravest property that is violated, and by which run.
    pub fn gravest(&self) -> Option<(Property, &Broken)> {
        self.properties.iter().find_map(|ruled| Some((ruled.property, ruled.broken.as_ref()?)))
    }

    /// How the program is to end: as the run says that it shows.
    pub fn ended(&self) -> Ended {
        match self.gravest() {
            Some((Property::OneLeader | Property::BestLeads, _)) => Ended::Unsafe,
            Some((Property::Eventually | Property::SomeoneLeads, _)) => Ended::NotLive,
            // Some name another, or some do not know.
            Some((Property::AllAgree, broken)) if broken.report.ruling.outcome == Outcome::Split => {
                Ended::Unsafe
            }
            Some((Property::AllAgree, _)) => Ended::NotLive,
            Some((Property::AsClaimed, _)) => Ended::NotAsClaimed,
            None if self.verdict() == Verdict::Incomplete => Ended::Incomplete,
            None => Ended::Fine,
        }
    }
}

impl Ruled {
    fn take(&mut self, inquiry: &Inquiry, case: &Case, finding: Finding) -> Result<(), Failure> {
        self.seen += finding.seen;
        self.verdict = match (self.verdict, finding.verdict) {
            (Verdict::Violated, _) | (_, Verdict::Violated) => Verdict::Violated,
            (Verdict::Incomplete, _) | (_, Verdict::Incomplete) => Verdict::Incomplete,
            (Verdict::Holds, _) | (_, Verdict::Holds) => Verdict::Holds,
            (Verdict::Vacuous, Verdict::Vacuous) => Verdict::Vacuous,
        };
        if let (None, Some(run)) = (&self.broken, finding.counterexample) {
            self.broken = Some(Broken::new(inquiry, case, run)?);
        }
        Ok(())
    }
}

impl Broken {
    fn new(inquiry: &Inquiry, case: &Case, run: Counterexample) -> Result<Broken, Failure> {
        let schedule = Schedule {
            // The steps say who calls when.
            liberties: Liberties { late_calls: true, ..inquiry.liberties },
            beginning: run.beginning,
            actions: run.actions.clone(),
            loop_from: run.loop_from,
        };
        let setup = Setup { schedule: Some(instructions(&case.plan, &schedule)), ..case.setup.clone() };
        let plan = setup.plan(inquiry.choice.spec, inquiry.seed)?;
        let report = run_plan(&ALGORITHMS.entries[inquiry.choice.entry], &plan, RoundMode::Auto);
        Ok(Broken { case: case.clone(), run, report, setup, plan })
    }

    /// Its steps as people write them.
    pub fn steps(&self) -> Vec<String> {
        let schedule = self.setup.schedule.iter();
        schedule.flat_map(|schedule| &schedule.actions).map(ToString::to_string).collect()
    }

    /// The members, in the order of the network.
    pub fn ids(&self) -> Vec<Id> {
        self.case.ids()
    }
}
