//! What a family of checks finds, with the runs that break properties: each is replayed once, into a recording.

use crate::check::{CheckResult, Checked, Counterexample, Finding, check, overall};
use crate::clock;
use crate::plan::{Case, CheckPlan, Effort};
use crate::property::Property;
use crate::search::Progress;
use bellwether_core::Id;
use bellwether_model::follow::{Replay, replay};
use bellwether_model::recording::{Recording, record_replay};
use bellwether_model::{FaultBudget, instructions};
use bellwether_runspec::RunSpec;
use bellwether_sim::{Observer, Plan, Report, Schedule, SetupError};
use std::time::Duration;

/// What was found in all checks of a family together.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// How many checks were made.
    pub checked: u64,
    /// States in all of them.
    pub states: u64,
    /// Transitions in all of them.
    pub transitions: u64,
    /// The depth of the deepest.
    pub depth: u32,
    /// Why not everything was seen, if not.
    pub incomplete: Option<&'static str>,
    /// One for each property.
    pub properties: Vec<PropertyReport>,
    /// Whether one order stood for many, in any of them.
    pub reduced: bool,
    /// Whether one state stood for several that differ in nothing that matters, in any of them.
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

/// What was found about one property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// Which.
    pub property: Property,
    /// Whether it holds in all of the checks.
    pub verdict: CheckResult,
    /// How often its witness was seen.
    pub seen: u64,
    /// The first run that breaks it.
    pub violation: Option<Violation>,
}

/// A run that breaks a property. It has been replayed: whatever is to be known of it is here.
#[derive(Clone, Debug)]
pub struct Violation {
    /// In which of the checks.
    pub case: Case,
    /// What happens.
    pub run: Counterexample,
    /// The case with the counterexample as its schedule.
    pub described: RunSpec,
    /// The plan of that.
    pub plan: Plan,
    /// The run step by step; nothing if it is too long to be recorded.
    pub recording: Option<Recording>,
    /// What it came to when it was replayed.
    pub report: Report,
    replay: Replay,
}

/// How far a family of checks has come.
#[derive(Clone, Copy, Debug)]
pub struct FamilyProgress {
    /// Which check is being made, from 1.
    pub check: u64,
    /// States so far, in all checks.
    pub states: u64,
    /// How far the current check has come.
    pub current: Progress,
    /// How long it has taken so far.
    pub elapsed: Duration,
}

impl CheckPlan {
    /// Makes all checks of the family, one after the other. `watch` is told how it goes, from any thread.
    ///
    /// # Errors
    /// [`SetupError`] says why a check cannot be made. What was found before is lost.
    pub fn run(
        &self,
        effort: &Effort,
        watch: &(dyn Fn(&FamilyProgress) + Sync),
    ) -> Result<CheckReport, SetupError> {
        let began = clock::now();
        let mut report = CheckReport::new();
        for case in self.cases() {
            let left = effort.time.map(|time| time.saturating_sub(clock::now() - began));
            if left == Some(Duration::ZERO) {
                report.give_up("time was up");
                break;
            }
            let case = case?;
            let (check_number, before) = (report.checked + 1, report.states);
            let watch = |current: &Progress| {
                watch(&FamilyProgress {
                    check: check_number,
                    states: before + current.states,
                    current: *current,
                    elapsed: clock::now() - began,
                });
            };
            let options = effort.for_one(self.liberties, left);
            let checked = check(self.algorithm.machine, &case.plan, &options, &watch);
            report.add(self, &case, checked)?;
        }
        report.took = clock::now() - began;
        Ok(report)
    }
}

impl CheckReport {
    fn new() -> CheckReport {
        let unseen =
            |property| PropertyReport { property, verdict: CheckResult::Vacuous, seen: 0, violation: None };
        CheckReport {
            checked: 0,
            states: 0,
            transitions: 0,
            depth: 0,
            incomplete: None,
            properties: Property::ALL.map(unseen).into(),
            reduced: false,
            symmetric: false,
            is_cut: false,
            goes_on: false,
            restarts_cut: false,
            took: Duration::ZERO,
        }
    }

    /// The rest of the checks is not made.
    fn give_up(&mut self, why: &'static str) {
        self.incomplete = Some(why);
        for one in &mut self.properties {
            if one.verdict != CheckResult::Violated {
                one.verdict = CheckResult::Incomplete;
            }
        }
    }

    /// Adds one more check.
    fn add(&mut self, plan: &CheckPlan, case: &Case, checked: Checked) -> Result<(), SetupError> {
        self.checked += 1;
        self.states += checked.progress.states;
        self.transitions += checked.progress.transitions;
        self.depth = self.depth.max(checked.progress.depth);
        self.incomplete = self.incomplete.or(checked.incomplete);
        self.reduced |= checked.reduced;
        self.symmetric |= checked.symmetric;
        self.is_cut |= checked.is_cut;
        self.goes_on |= checked.goes_on;
        self.restarts_cut |= checked.restarts_cut;
        for (one, finding) in self.properties.iter_mut().zip(checked.findings) {
            one.add(plan, case, finding)?;
        }
        if self.verdict_on(Property::Eventually) == CheckResult::Vacuous && self.is_cut {
            self.incomplete.get_or_insert("nobody may draw enough numbers to be elected");
        }
        Ok(())
    }

    /// The verdict on all properties: that they hold is said of those that are not open, if there is one.
    #[must_use]
    pub fn verdict(&self) -> CheckResult {
        overall(self.properties.iter().map(|one| one.verdict), self.incomplete.is_some())
    }

    /// The verdict on one property.
    #[must_use]
    pub fn verdict_on(&self, property: Property) -> CheckResult {
        let one = self.properties.iter().find(|one| one.property == property);
        one.map_or(CheckResult::Vacuous, |one| one.verdict)
    }

    /// The gravest property that is violated, and by which run.
    #[must_use]
    pub fn gravest(&self) -> Option<(Property, &Violation)> {
        self.properties.iter().find_map(|one| Some((one.property, one.violation.as_ref()?)))
    }
}

impl PropertyReport {
    fn add(&mut self, plan: &CheckPlan, case: &Case, finding: Finding) -> Result<(), SetupError> {
        self.seen += finding.seen;
        self.verdict = match (self.verdict, finding.verdict) {
            (CheckResult::Violated, _) | (_, CheckResult::Violated) => CheckResult::Violated,
            (CheckResult::Incomplete, _) | (_, CheckResult::Incomplete) => CheckResult::Incomplete,
            (CheckResult::Holds, _) | (_, CheckResult::Holds) => CheckResult::Holds,
            (CheckResult::Vacuous, CheckResult::Vacuous) => CheckResult::Vacuous,
        };
        if let (None, Some(run)) = (&self.violation, finding.counterexample) {
            self.violation = Some(Violation::new(plan, case, run)?);
        }
        Ok(())
    }
}

impl Violation {
    /// Replays a counterexample: the only time that its members boot again.
    fn new(of: &CheckPlan, case: &Case, run: Counterexample) -> Result<Violation, SetupError> {
        let schedule = Schedule {
            // The steps say who starts an election when.
            liberties: FaultBudget { late_calls: true, ..of.liberties },
            beginning: run.beginning,
            actions: run.actions.clone(),
            loop_from: run.loop_from,
        };
        let schedule = instructions(&case.plan, &schedule);
        let described = RunSpec { schedule: Some(schedule.clone()), ..case.run.clone() };
        let plan = described.plan(of.algorithm.spec, described.seed)?;
        let replay = replay(&of.algorithm, &plan, &schedule);
        let recording = record_replay(&replay, &plan).ok();
        let report = replay.show(&plan, &mut ());
        Ok(Violation { case: case.clone(), run, described, plan, recording, report, replay })
    }

    /// Shows it to an observer, as the replay showed it.
    pub fn show(&self, observer: &mut dyn Observer) -> Report {
        self.replay.show(&self.plan, observer)
    }

    /// Its steps as people write them.
    #[must_use]
    pub fn steps(&self) -> Vec<String> {
        let schedule = self.described.schedule.iter();
        schedule.flat_map(|schedule| &schedule.actions).map(ToString::to_string).collect()
    }

    /// The members, in the order of the network.
    #[must_use]
    pub fn ids(&self) -> Vec<Id> {
        self.case.ids()
    }
}
