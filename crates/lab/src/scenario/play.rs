//! From a scenario to a run.

use super::error::{ScenarioError, in_file};
use super::members::setup_flaw;
use super::{MOST_MESSAGES, Scenario};
use crate::{Roster, Seat};
use bellwether_core::{AlgorithmChoice, AlgorithmError, Driving, FaultEvent, Id, Registry, Time};
use bellwether_model::{check_schedule, run_plan_observed};
use bellwether_runspec::document::Flaw;
use bellwether_runspec::{Chosen, RunSpec};
use bellwether_sim::{
    Limits, Plan, Report, RoundMode, Runner, SetupError, check_messages, kinds, runs_in_step,
};

/// A scenario whose algorithm was found, ready to run.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The algorithm, as it is chosen.
    pub choice: AlgorithmChoice,
    /// The same, ready to run.
    pub algorithm: Runner,
    /// What the scenario asks for, with the limits that scenarios have.
    pub run: RunSpec,
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

impl Scenario {
    /// Finds the algorithm in a registry, and makes sure that the scenario can be run and its
    /// expectation met.
    ///
    /// # Errors
    /// [`ScenarioError`] says what does not fit, and where the file says so. A scenario that waits
    /// for something cannot be run.
    pub fn resolve(&self, registry: &Registry<Runner>) -> Result<Resolved, ScenarioError> {
        self.try_resolve(registry).map_err(|flaw| in_file(flaw, &self.path, &self.text))
    }

    fn try_resolve(&self, registry: &Registry<Runner>) -> Result<Resolved, Flaw> {
        if let Some(reason) = &self.waits_for {
            let problem = format!("this scenario waits for {reason}: it cannot be run yet");
            return Err(Flaw::new(self.place("waits_for"), problem));
        }
        let choice = self.find(registry)?;
        let algorithm = registry.entries[choice.entry];
        let mode = self.run.mode();
        if mode == RoundMode::Synchroniser && algorithm.driving != Driving::Rounds {
            let problem = format!("{} does not run in rounds: leave this out", algorithm.spec.name);
            return Err(Flaw::new(self.place("synchroniser"), problem));
        }
        let flawed = |error: SetupError| self.flaw_of(&error);
        let chosen = Chosen::of(algorithm.spec, &self.run, registry.detectors).map_err(flawed)?;
        let mut plan = self.run.plan(chosen, self.run.seed).map_err(flawed)?;
        // Unless the file says otherwise: a scenario is to be watched.
        if self.run.max_messages.is_none() {
            plan.limits.messages = MOST_MESSAGES;
        }
        check_messages(&algorithm, &plan, mode)
            .and_then(|()| check_schedule(&algorithm, &plan))
            .map_err(flawed)?;
        let in_step = algorithm.driving == Driving::Rounds && mode == RoundMode::Auto && runs_in_step(&plan);
        let kinds = kinds(&algorithm, &plan, mode);
        self.expect.check_algorithm(algorithm.spec, kinds, in_step)?;
        Ok(Resolved { choice, algorithm, run: self.as_planned(&plan), plan, mode })
    }

    /// The run with the limits that a scenario has.
    fn as_planned(&self, plan: &Plan) -> RunSpec {
        let Limits { messages, time } = plan.limits;
        let until = (time != Time::NEVER && plan.schedule.is_none()).then_some(time);
        let max_messages = plan.schedule.is_none().then_some(messages);
        RunSpec { until, max_messages, ..self.run.clone() }
    }

    fn find(&self, registry: &Registry<Runner>) -> Result<AlgorithmChoice, Flaw> {
        let choice = registry.choose_variant(&self.run.algorithm, self.run.variant.as_deref());
        choice.map_err(|error| self.flaw_of(&SetupError::Algorithm(error)))
    }

    /// What cannot be run, at its place in the file.
    fn flaw_of(&self, error: &SetupError) -> Flaw {
        setup_flaw(self.place_of(error), error)
    }

    /// Where the file says what an error is about.
    fn place_of(&self, error: &SetupError) -> usize {
        if let SetupError::Step { number, .. } = error
            && let Some(&place) = self.steps_at.get(number - 1)
        {
            return place;
        }
        let calls_later = self.run.script.events().any(|(_, what, _)| what == FaultEvent::Call);
        self.place(match error {
            SetupError::NoMembers | SetupError::SizeNeeded | SetupError::TooLarge { .. } => "nodes",
            SetupError::DuplicateId(_) => "ids",
            SetupError::AttributeCount { .. } => "attributes",
            SetupError::Symmetric { .. } if self.run.identical => "identical",
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
            SetupError::Detector(_) => "detector",
            SetupError::Algorithm(AlgorithmError::Variant { .. }) => "variant",
            SetupError::Algorithm(AlgorithmError::Setting { error, .. })
                if error.setting.starts_with("renewals=") =>
            {
                "renewals"
            }
            SetupError::Fault { key, .. } | SetupError::NoSuchKind { key, .. } => key,
            SetupError::Step { .. } => "schedule",
            SetupError::Script { .. } | SetupError::NothingToForge { .. } => "event",
            SetupError::Algorithm(_) | SetupError::TooLong { .. } | SetupError::Threads(_) => "algorithm",
        })
    }
}
