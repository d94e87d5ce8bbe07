//! How large a plan may be for its rules.

use crate::{FaultBudget, Rules, TimeModel, Wires};
use bellwether_sim::Plan;

/// Wires are numbered in a byte.
const MOST_WIRES: u32 = u8::MAX as u32;
/// The most members that rules are for: they, and ports, are bits of a word.
pub const MOST_MEMBERS: u32 = u32::BITS;
/// The most steps of the clock in the delay bound.
const FINEST_GRAIN: u16 = 100;
/// Each clock that drifts has three rates: this many have 3^10.
const MOST_DRIFTING: u32 = 10;

impl Rules<'_> {
    /// Whether a plan is small enough for rules.
    ///
    /// # Errors
    /// What is too large, and what to do.
    pub fn fits(plan: &Plan, liberties: &FaultBudget) -> Result<(), String> {
        let n = plan.n();
        if n > MOST_MEMBERS {
            return Err(format!(
                "{n} members are too many to go through step by step: at most {MOST_MEMBERS}"
            ));
        }
        let wires = Wires::new(plan, liberties.crashes.into()).len();
        if wires > MOST_WIRES as usize {
            return Err(format!(
                "there are {wires} ways for messages from member to member, and here there can be \
                 {MOST_WIRES}: use fewer members, or fewer links"
            ));
        }
        if liberties.certified && wires > u32::BITS as usize {
            return Err(format!(
                "there are {wires} ways for messages, and with certified crashes there can be {}: use fewer members",
                u32::BITS
            ));
        }
        match liberties.time {
            TimeModel::Clock { grain, .. } if !(1..=FINEST_GRAIN).contains(&grain) => {
                Err(format!("the delay bound has {grain} steps of the clock: use 1 to {FINEST_GRAIN}"))
            }
            TimeModel::Clock { drift, .. } if drift >= 1_000 => {
                Err(format!("a clock cannot lose {drift} thousandths: use less than 1000"))
            }
            TimeModel::Clock { drift, .. } if drift > 0 && n > MOST_DRIFTING => Err(format!(
                "{n} clocks that drift can do so in too many ways: use at most {MOST_DRIFTING} members, or \
                 no drift"
            )),
            _ => Ok(()),
        }
    }
}
