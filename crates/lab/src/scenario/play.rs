//! From a scenario to a run.

use super::error::{ScenarioError, in_file};
use super::{MOST_MESSAGES, Scenario, contradiction};
use crate::{FinalState, Roster, plan};
use bellwether_core::{AlgorithmChoice, AlgorithmError, DetectorError, Driving, Id, Registry, Time};
use bellwether_model::run_plan_observed;
use bellwether_runspec::RunSpec;
use bellwether_runspec::document::{Flaw, Table, Value};
use bellwether_runspec::notation::Pattern;
use bellwether_sim::network::{NetworkError, Shape};
use bellwether_sim::{Limits, Plan, Report, RoundMode, Runner, SetupError, kinds, runs_in_step};

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
    pub seats: Vec<FinalState>,
}

impl Played {
    /// What there is to be seen of a member at the end.
    #[must_use]
    pub fn seat(&self, id: Id) -> Option<&FinalState> {
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
        let plan = plan(&algorithm, &self.run, registry.detectors, self.run.seed, u64::MAX);
        let mut plan = plan.map_err(|error| self.flaw_of(&error))?;
        let ids: Vec<Id> = plan.ranks.iter().map(|rank| rank.id()).collect();
        // A run said step by step may end early.
        let is_limited =
            plan.limits.time != Time::NEVER || self.run.max_messages.is_some() || plan.schedule.is_some();
        let (events, until) = (&self.events, self.run.until);
        self.expect.check_against(&contradiction::Run { ids: &ids, events, is_limited, until })?;
        // Unless the file says otherwise: a scenario is to be watched. A schedule has its own end.
        if self.run.max_messages.is_none() && plan.schedule.is_none() {
            plan.limits.messages = MOST_MESSAGES;
        }
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

    /// Where a value stands that is part of a key's, if an error is about one.
    fn place_within(&self, error: &SetupError) -> Option<usize> {
        let file = Table::of_any(&self.entries, 0);
        let items = |key| file.get(key).and_then(|value| value.as_list()).unwrap_or_default();
        let place_of_id = |key, id: Id, nth| {
            items(key).iter().filter(|item| item.as_whole() == Some(id.value())).nth(nth).map(|item| item.at)
        };
        match *error {
            SetupError::Step { number, .. } => items("schedule").get(number - 1).map(|step| step.at),
            SetupError::DuplicateId(id) => place_of_id("ids", id, 1),
            SetupError::DeadInitiator(id) => place_of_id("initiators", id, 0),
            SetupError::Script { line, .. } => self.events.place_of_line(&self.run.script, line),
            SetupError::NotAMember { role: "initiator", id, .. } => place_of_id("initiators", id, 0),
            SetupError::NotAMember { role: "witness", id, .. } => place_of_id("witnesses", id, 0),
            SetupError::NotAMember { role: "observer", id, .. } => place_of_id("observers", id, 0),
            SetupError::NotAMember { id, .. } => {
                let names = |item: &Value<'_>| {
                    let pattern = item.as_text().and_then(|text| text.parse::<Pattern>().ok());
                    pattern.is_some_and(|pattern| [pattern.from, pattern.to].contains(&Some(id)))
                };
                let patterns = || [items("lose"), items("duplicate")].concat().into_iter().find(names);
                self.events.place_of_member(id).or_else(|| patterns().map(|pattern| pattern.at))
            }
            _ => None,
        }
    }

    /// Where the value of a key stands, or else the name of the algorithm.
    fn place(&self, key: &'static str) -> usize {
        let file = Table::of_any(&self.entries, 0);
        file.get(key).or_else(|| file.get("algorithm")).map_or(0, |value| value.at)
    }

    /// Where the file says what an error is about.
    fn place_of(&self, error: &SetupError) -> usize {
        if let Some(place) = self.place_within(error) {
            return place;
        }
        self.place(match error {
            SetupError::NoMembers | SetupError::TooLarge { .. } => "nodes",
            SetupError::SizeNeeded | SetupError::DuplicateId(_) => "ids",
            SetupError::AttributeCount { .. } => "attributes",
            SetupError::Symmetric { .. } if self.run.identical => "identical",
            SetupError::Symmetric { .. } => "ids",
            SetupError::AboveIdBound { .. } => "id_bound",
            SetupError::EveryoneStarts { key: "call", .. } => "event",
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

/// What cannot be run, at its place in the file.
pub(super) fn setup_flaw(at: usize, error: &SetupError) -> Flaw {
    let flaw = Flaw::new(at, error.to_string());
    match error {
        SetupError::Network(NetworkError::UnknownShape { name }) => flaw.meant(name, Shape::NAMES),
        SetupError::NoSuchKind { kind, kinds, .. } => flaw.meant(kind, kinds),
        SetupError::Detector(DetectorError::Unknown { name, known })
        | SetupError::Algorithm(AlgorithmError::Unknown { name, known }) => flaw.meant(name, known),
        SetupError::Algorithm(AlgorithmError::Variant { variant, known, .. }) => flaw.meant(variant, known),
        SetupError::Detector(DetectorError::Setting { error, .. })
        | SetupError::Algorithm(AlgorithmError::Setting { error, .. }) => match error.unknown() {
            Some(name) => flaw.meant(name, &error.known),
            None => flaw,
        },
        _ => flaw,
    }
}
