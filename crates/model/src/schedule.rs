//! Schedules in the numbers of a plan's rules, and back.

use crate::{Rules, Transition};
use bellwether_sim::schedule::{Instruction, Schedule};
use bellwether_sim::{Plan, SetupError};

/// A schedule as people write it.
#[must_use]
pub fn instructions(plan: &Plan, schedule: &Schedule<Transition>) -> Schedule {
    let rules = Rules::new(plan, schedule.liberties);
    schedule.with(schedule.actions.iter().map(|&action| rules.instruction(action)).collect())
}

/// A schedule in the numbers of a plan's rules.
///
/// # Errors
/// [`SetupError`] says what does not fit the plan.
pub fn actions(plan: &Plan, schedule: &Schedule) -> Result<Schedule<Transition>, SetupError> {
    let problem = |key| move |problem| SetupError::Fault { key, problem };
    Rules::fits(plan, &schedule.liberties).map_err(problem("schedule"))?;
    let rules = Rules::new(plan, schedule.liberties);
    let read = |(step, instruction): (usize, &Instruction)| {
        let wrong = |problem| SetupError::Step { number: step + 1, step: instruction.to_string(), problem };
        rules.action(instruction).map_err(wrong)
    };
    let actions = schedule.actions.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    if let Some(from) = schedule.loop_from.filter(|&from| from as usize >= actions.len()) {
        let (from, last) = (u64::from(from) + 1, actions.len());
        let advice =
            format!("the loop starts with step {from}, and the last step is {last}: name one of them");
        return Err(problem("loops_from")(advice));
    }
    Ok(schedule.with(actions))
}
