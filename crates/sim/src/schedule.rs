//! A run that is said step by step, and not left to delays and chance.

use crate::plan::Plan;
use crate::rules::{Action, Deed, Instruction, Liberties, Rules, TimeModel, What, Word};
use crate::setup::SetupError;
use bellwether_core::{Span, Time};

/// A run, step by step: what [`crate::follow`] plays. In a plan steps are actions, in a setup what people
/// write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule<S = Action> {
    /// What the world may do; part of it, as which wires there are, depends on it.
    pub liberties: Liberties,
    /// From which of the rules' beginnings it starts: 0, but where clocks drift.
    pub beginning: u32,
    /// What happens, in order.
    pub actions: Vec<S>,
    /// If the run goes round for ever: with which step the loop starts, from 0.
    pub loop_from: Option<u32>,
}

impl Schedule {
    /// When the loop starts, if there is one. Whoever boots before anything else happens does so at time 0; from then on
    /// each step comes a hop after the one before it.
    #[must_use]
    pub fn goes_round_from(&self) -> Option<Time> {
        let prelude = self.actions.iter().take_while(|action| matches!(action.what, What::Boot(_))).count();
        let step = (self.loop_from? as usize).saturating_sub(prelude);
        Some(Time::ZERO + Span::from_hops(step as u64 + 1))
    }

    /// As people write it.
    #[must_use]
    pub fn instructions(&self, plan: &Plan) -> Schedule<Instruction> {
        let rules = Rules::new(plan, self.liberties);
        let actions = self.actions.iter().map(|&action| rules.instruction(action)).collect();
        Schedule { liberties: self.liberties, beginning: self.beginning, actions, loop_from: self.loop_from }
    }
}

impl Schedule<Instruction> {
    /// In the numbers of a plan's rules.
    ///
    /// # Errors
    /// [`SetupError`] says what does not fit the plan.
    pub fn actions(&self, plan: &Plan) -> Result<Schedule, SetupError> {
        let problem = |key| move |problem| SetupError::Fault { key, problem };
        Rules::fits(plan, &self.liberties).map_err(problem("schedule"))?;
        let rules = Rules::new(plan, self.liberties);
        let mut actions = Vec::with_capacity(self.actions.len());
        for (step, instruction) in self.actions.iter().enumerate() {
            let action = rules.action(instruction).map_err(|problem| SetupError::Step {
                number: step + 1,
                step: instruction.to_string(),
                problem,
            })?;
            actions.push(action);
        }
        if let Some(from) = self.loop_from.filter(|&from| from as usize >= actions.len()) {
            let (from, last) = (u64::from(from) + 1, actions.len());
            let advice =
                format!("the loop starts with step {from}, and the last step is {last}: name one of them");
            return Err(problem("loops_from")(advice));
        }
        Ok(Schedule {
            liberties: self.liberties,
            beginning: self.beginning,
            actions,
            loop_from: self.loop_from,
        })
    }
}

impl Liberties {
    /// The least that steps need, as far as they tell. As they say who calls when, calls may be late.
    #[must_use]
    pub fn needed_for(steps: &[Instruction]) -> Liberties {
        let count = |fits: &dyn Fn(&Instruction) -> bool| {
            u8::try_from(steps.iter().filter(|step| fits(step)).count()).unwrap_or(u8::MAX)
        };
        let is_suspicion =
            |step: &Instruction| matches!(step.deed, Deed::Tell(_, _, Word::Suspected | Word::Unsuspected));
        let ticks = steps.iter().any(|step| step.deed == Deed::Tick);
        Liberties {
            crashes: count(&|step| matches!(step.deed, Deed::Crash(_)) || step.crash_after.is_some()),
            recoveries: count(&|step| matches!(step.deed, Deed::Recover(_))),
            losses: count(&|step| matches!(step.deed, Deed::Lose(_))),
            duplicates: count(&|step| matches!(step.deed, Deed::Duplicate(_))),
            pauses: count(&|step| matches!(step.deed, Deed::Pause(_))),
            requests: count(&|step| matches!(step.deed, Deed::Ask(..))),
            suspicions: count(&is_suspicion),
            restarts: count(&|step| matches!(step.deed, Deed::CallAgain(_))),
            late_calls: true,
            detector: count(&|step| matches!(step.deed, Deed::Tell(..)) && !is_suspicion(step)) > 0,
            certified: count(&|step| matches!(step.deed, Deed::Certify(..))) > 0,
            time: if ticks { TimeModel::Clock { grain: 1, drift: 0 } } else { TimeModel::Any },
            ..Liberties::default()
        }
    }
}
