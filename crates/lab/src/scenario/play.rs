//! From a scenario to a run.

use super::error::{Flaw, ScenarioError};
use super::members::setup_flaw;
use super::{MOST_MESSAGES, Scenario};
use crate::{Roster, Seat};
use bellwether_core::{
    AlgorithmChoice, AlgorithmError, DetectorChoice, DetectorEntry, DetectorError, Driving, FaultEvent, Id,
    ParamError, Registry,
};
use bellwether_model::{check_schedule, run_plan_observed};
use bellwether_sim::Report;
use bellwether_sim::Runner;
use bellwether_sim::{Limits, Plan};
use bellwether_sim::{RoundMode, check_messages, kinds, runs_in_step};
use bellwether_sim::{Setup, SetupError};

/// A scenario whose algorithm was found, ready to run.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The algorithm, as it is chosen.
    pub choice: AlgorithmChoice,
    /// The same, ready to run.
    pub algorithm: Runner,
    /// What the scenario asks for.
    pub setup: Setup,
    /// The run, in full.
    pub plan: Plan,
    /// How to drive an algorithm in rounds.
    pub mode: RoundMode,
}

/// A scenario that was run.
#[derive(Clone, Debug)]
pub struct Played {
    /// What was run.
    pub plan: Plan,
    /// What came of it.
    pub report: Report,
    /// What there is to be seen of each member at the end, by index.
    pub seats: Vec<Seat>,
}

impl Played {
    /// What there is to be seen of a member at the end.
    #[must_use]
    pub fn seat(&self, id: Id) -> Option<&Seat> {
        let member = self.plan.ranks.iter().position(|rank| rank.id() == id)?;
        self.seats.get(member)
    }
}

impl Resolved {
    /// Runs it.
    #[must_use]
    pub fn play(&self) -> Played {
        let mut roster = Roster::new(self.plan.n(), ());
        let report = run_plan_observed(&self.algorithm, &self.plan, self.mode, &mut roster);
        Played { plan: self.plan.clone(), report, seats: roster.into_parts().0 }
    }
}

/// A parameter that cannot be set so: it may be misspelt.
fn of_setting(flaw: Flaw, error: &ParamError) -> Flaw {
    match error.unknown() {
        Some(name) => flaw.meant(name, &error.known),
        None => flaw,
    }
}

impl Scenario {
    /// Finds the algorithm in a registry, and makes sure that the scenario can be run and its
    /// expectation met.
    ///
    /// # Errors
    /// [`ScenarioError`] says what does not fit, and where the file says so. A scenario that waits
    /// for something cannot be run.
    pub fn resolve(&self, registry: &Registry<Runner>) -> Result<Resolved, ScenarioError> {
        self.try_resolve(registry).map_err(|flaw| flaw.in_file(&self.path, &self.text))
    }

    fn try_resolve(&self, registry: &Registry<Runner>) -> Result<Resolved, Flaw> {
        if let Some(reason) = &self.waits_for {
            let problem = format!("this scenario waits for {reason}: it cannot be run yet");
            return Err(Flaw::new(self.place("waits_for"), problem));
        }
        let choice = self.find(registry)?;
        let algorithm = registry.entries[choice.entry];
        if self.mode == RoundMode::Synchroniser && algorithm.driving != Driving::Rounds {
            let problem = format!("{} does not run in rounds: leave this out", algorithm.spec.name);
            return Err(Flaw::new(self.place("synchroniser"), problem));
        }
        let detector = self.find_detector(registry.detectors)?;
        let setup = Setup { params: choice.params, detector, ..self.setup.clone() };
        let plan = setup.plan(algorithm.spec, self.seed);
        let mut plan = plan.map_err(|error| setup_flaw(self.place_of(&error), &error))?;
        // Unless the file says otherwise: a scenario is to be watched.
        if setup.limits.messages == Limits::default().messages {
            plan.limits.messages = MOST_MESSAGES;
        }
        check_messages(&algorithm, &plan, self.mode)
            .and_then(|()| check_schedule(&algorithm, &plan))
            .map_err(|error| setup_flaw(self.place_of(&error), &error))?;
        let in_step =
            algorithm.driving == Driving::Rounds && self.mode == RoundMode::Auto && runs_in_step(&plan);
        let kinds = kinds(&algorithm, &plan, self.mode);
        self.expect.check_algorithm(algorithm.spec, kinds, in_step)?;
        Ok(Resolved { choice, algorithm, setup, plan, mode: self.mode })
    }

    fn find(&self, registry: &Registry<Runner>) -> Result<AlgorithmChoice, Flaw> {
        let choice = registry.choose_variant(&self.algorithm, self.variant.as_deref());
        let choice = choice.map_err(|error| {
            let key = if matches!(error, AlgorithmError::Variant { .. }) { "variant" } else { "algorithm" };
            let flaw = Flaw::new(self.place(key), error.to_string());
            match error {
                AlgorithmError::Unknown { name, known } => flaw.meant(&name, &known),
                AlgorithmError::Variant { variant, known, .. } => flaw.meant(&variant, &known),
                AlgorithmError::TwoVariants { .. } => flaw,
                AlgorithmError::Setting { error, .. } => of_setting(flaw, &error),
            }
        })?;
        let Some(renewals) = self.renewals else { return Ok(choice) };
        let set = choice.with(&format!("renewals={renewals}"));
        set.map_err(|error| Flaw::new(self.place("renewals"), error.to_string()))
    }

    fn find_detector(&self, detectors: &'static [DetectorEntry]) -> Result<Option<DetectorChoice>, Flaw> {
        let choice = self.detector.as_ref().map(|text| DetectorChoice::parse(detectors, text));
        choice.transpose().map_err(|error| {
            let flaw = Flaw::new(self.place("detector"), error.to_string());
            match error {
                DetectorError::Unknown { name, known } => flaw.meant(&name, &known),
                DetectorError::Setting { error, .. } => of_setting(flaw, &error),
            }
        })
    }

    /// Where the file says what an error is about.
    fn place_of(&self, error: &SetupError) -> usize {
        if let SetupError::Step { number, .. } = error
            && let Some(&place) = self.steps_at.get(number - 1)
        {
            return place;
        }
        let calls_later = self.setup.script.iter().any(|(_, what, _)| *what == FaultEvent::Call);
        self.place(match error {
            SetupError::NoMembers | SetupError::SizeNeeded | SetupError::TooLarge { .. } => "nodes",
            SetupError::DuplicateId(_) => "ids",
            SetupError::AttributeCount { .. } => "attributes",
            SetupError::Symmetric { .. } if self.setup.identical => "identical",
            SetupError::Symmetric { .. } => "ids",
            SetupError::AboveIdBound { .. } => "id_bound",
            SetupError::EveryoneStarts { .. } if calls_later => "event",
            SetupError::NotAMember { .. }
            | SetupError::DeadInitiator(_)
            | SetupError::NoInitiator
            | SetupError::EveryoneStarts { .. } => "initiators",
            SetupError::Unfit { .. }
            | SetupError::NotConnected { .. }
            | SetupError::NoDiameter { .. }
            | SetupError::Network(_) => "topology",
            SetupError::Fault { key, .. } | SetupError::NoSuchKind { key, .. } => key,
            SetupError::Step { .. } => "schedule",
            SetupError::Script { .. } | SetupError::NothingToForge { .. } => "event",
            SetupError::TooLong { .. } | SetupError::Threads(_) => "algorithm",
        })
    }
}
