//! What the world may do to members.

use super::{ActionText, Instruction, Notice};
use crate::plan::Plan;
use bellwether_core::{CallPolicy, Fate, FaultKind, Span, Spec};

/// Which faults may happen in a check, and how many of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultBudget {
    /// How many times a member may crash, all members together.
    pub crashes: u8,
    /// How many times a member may come back.
    pub recoveries: u8,
    /// How many messages may be lost.
    pub losses: u8,
    /// How many messages may come twice.
    pub duplicates: u8,
    /// How many times a member may freeze for a while. Where there is no clock that changes nothing: there, everything
    /// may take any time anyway.
    pub pauses: u8,
    /// How many times a member that leads may be asked to resign, or to let another lead.
    pub requests: u8,
    /// How many times members may hear a suspicion, right or wrong, or that a suspicion was wrong.
    pub suspicions: u8,
    /// How many times a member's detector may declare a neighbour failed that lives.
    pub false_alarms: u8,
    /// How many times members that have had no leader for long may start an election again, as those of a cluster do. Runs
    /// in which they would do so once more are not followed.
    pub restarts: u8,
    /// For how many delay bounds a member then has had no leader, where there is a clock. (Where there is none, that may be
    /// any time.)
    pub restart_after: u32,
    /// How many numbers each member may draw; any number if it is [`u8::MAX`].
    pub draws: u8,
    /// Whether those that are to call an election may hear from others before they do. If not, they call first,
    /// as the simulator's initiators do.
    pub late_calls: bool,
    /// Whether detectors stand by: members are told of their neighbours' deaths and returns, some time after.
    pub detector: bool,
    /// Whether crashes are certified: each neighbour may be told for certain of a death, at any time until it hears the
    /// dead one's next life.
    pub certified: bool,
    /// What time is.
    pub time: TimeModel,
    /// How many steps the clock may make; any number if it is [`u16::MAX`]. Runs that go on for ever are followed so far.
    pub ticks: u16,
    /// Whether a run is over when the algorithm's goal is reached, as members would go on for ever.
    pub stops_at_goal: bool,
}

/// What time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeModel {
    /// Messages take any time, and a timer runs out at any time.
    Any,
    /// Messages take at most the delay bound, and timers run out on time.
    Clock {
        /// The delay bound in steps of the clock.
        grain: u16,
        /// How many thousandths a member's clock may gain or lose.
        drift: u16,
    },
}

impl Default for FaultBudget {
    fn default() -> Self {
        FaultBudget::NONE
    }
}

impl FaultBudget {
    /// Nothing goes wrong.
    pub const NONE: FaultBudget = FaultBudget {
        crashes: 0,
        recoveries: 0,
        losses: 0,
        duplicates: 0,
        pauses: 0,
        requests: 0,
        suspicions: 0,
        false_alarms: 0,
        restarts: 0,
        restart_after: CallPolicy::RESTART_AFTER,
        draws: u8::MAX,
        late_calls: false,
        detector: false,
        certified: false,
        time: TimeModel::Any,
        ticks: u16::MAX,
        stops_at_goal: false,
    };

    /// Who starts an election when, in runs of an algorithm.
    #[must_use]
    pub fn call_policy(&self, spec: &Spec, plan: &Plan) -> CallPolicy {
        match (self.restarts, self.time) {
            (0, _) => CallPolicy::of_lectures(spec),
            (_, TimeModel::Any) => CallPolicy::with_restarts(spec, Span::default()),
            _ => CallPolicy::with_restarts(spec, plan.delay_bound * self.restart_after.into()),
        }
    }

    /// For how many steps of the clock a message can be under way.
    #[must_use]
    pub fn grain(&self) -> u16 {
        match self.time {
            TimeModel::Any => 1,
            TimeModel::Clock { grain, .. } => grain.max(1),
        }
    }

    /// One step of the clock.
    #[must_use]
    pub fn step(&self, plan: &Plan) -> Span {
        match self.time {
            TimeModel::Any => Span::default(),
            TimeModel::Clock { .. } => {
                Span::from_ticks((plan.delay_bound.ticks() / u64::from(self.grain())).max(1))
            }
        }
    }

    /// The least that steps need, as far as they tell. As they say who calls when, calls may be late.
    #[must_use]
    pub fn needed_for(steps: &[Instruction]) -> FaultBudget {
        let count = |fits: &dyn Fn(&Instruction) -> bool| {
            u8::try_from(steps.iter().filter(|step| fits(step)).count()).unwrap_or(u8::MAX)
        };
        let told =
            |step: &Instruction| if let ActionText::Tell(_, _, word) = step.deed { Some(word) } else { None };
        let ticks = steps.iter().any(|step| step.deed == ActionText::Tick);
        FaultBudget {
            crashes: count(&|step| step.event() == Some(FaultKind::Crash) || step.crash_after.is_some()),
            recoveries: count(&|step| step.event() == Some(FaultKind::Recover)),
            losses: count(&|step| matches!(step.deed, ActionText::Link(_, Fate::Lost))),
            duplicates: count(&|step| matches!(step.deed, ActionText::Link(_, Fate::Twice))),
            pauses: count(&|step| step.event() == Some(FaultKind::Pause)),
            requests: count(&|step| step.event().is_some_and(FaultKind::is_request)),
            suspicions: count(&|step| told(step).is_some_and(Notice::is_suspicion)),
            false_alarms: count(&|step| told(step) == Some(Notice::FalselyFailed)),
            restarts: count(&|step| matches!(step.deed, ActionText::CallAgain(_))),
            late_calls: true,
            detector: steps.iter().filter_map(told).any(|word| !word.is_suspicion()),
            certified: count(&|step| step.event() == Some(FaultKind::Learn)) > 0,
            time: if ticks { TimeModel::Clock { grain: 1, drift: 0 } } else { TimeModel::Any },
            ..FaultBudget::default()
        }
    }
}
