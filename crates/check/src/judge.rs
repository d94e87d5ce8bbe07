//! What is right and wrong in a state.

use crate::packed::{Packed, PackedState};
use crate::property::Property;
use crate::visited::StateId;
use bellwether_core::{Reign, Spec};
use bellwether_model::{Action, Parts, Rules, TimeModel};
use bellwether_sim::{Ending, Live, Outcome, Ruling, rule};

/// What the states seen so far say about the properties of states.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// For each property, the first state that breaks it.
    broken: [Option<StateId>; Property::COUNT],
    /// States in which somebody leads.
    pub with_leader: u64,
    /// Those of them in which all is as it should be at the end.
    pub with_outcome: u64,
    /// States in which nothing is left to happen, but faults.
    pub ends: u64,
    /// Those of them in which somebody leads.
    pub ends_with_leader: u64,
}

impl Judgement {
    /// The first state that breaks a property.
    pub fn breaks(&self, property: Property) -> Option<StateId> {
        self.broken[property as usize]
    }

    /// Whether any property is broken.
    pub fn is_bad(&self) -> bool {
        self.broken.iter().any(Option::is_some)
    }

    /// Takes in what was seen of states that come after these.
    pub fn add(&mut self, later: &Judgement) {
        for (mine, theirs) in self.broken.iter_mut().zip(&later.broken) {
            *mine = mine.or(*theirs);
        }
        self.with_leader += later.with_leader;
        self.with_outcome += later.with_outcome;
        self.ends += later.ends;
        self.ends_with_leader += later.ends_with_leader;
    }

    /// Takes in one more state.
    pub fn judge(
        &mut self,
        spec: &'static Spec,
        rules: &Rules<'_>,
        parts: &mut Packed<'_>,
        now: &PackedState,
        possible: &[Action],
        id: StateId,
    ) {
        let leaders = now.seats.iter().filter(|seat| parts.leads(**seat)).count();
        self.with_leader += u64::from(leaders > 0);
        self.with_outcome += u64::from(leaders > 0 && rules.is_at_its_goal(parts, now));
        let is_divided = match spec.reign {
            Reign::AtOnce => leaders > 1,
            Reign::PerTerm => shares_a_term(parts, now),
            // Where any timer may run out at any time, nobody can tell how long a lease is.
            Reign::Leased if rules.liberties.time == TimeModel::Any => shares_a_term(parts, now),
            Reign::Leased => leaders > 1 || shares_a_term(parts, now),
            Reign::AtLast => false,
        };
        if is_divided {
            self.broken[Property::OneLeader as usize].get_or_insert(id);
        }
        let is_end = possible.iter().all(|what| what.is_fault());
        if is_end && now.seats.iter().any(|seat| parts.facts(seat).is_up) {
            self.ends += 1;
            self.ends_with_leader += u64::from(leaders > 0);
            for property in broken_at_the_end(leaders, &ruling(spec, rules, parts, now)) {
                self.broken[property as usize].get_or_insert(id);
            }
        }
    }
}

/// Whether two members have led in one term.
fn shares_a_term(parts: &mut Packed<'_>, now: &PackedState) -> bool {
    let mut terms: Vec<u64> = Vec::new();
    for seat in &now.seats {
        terms.extend(&parts.facts(seat).led);
    }
    terms.sort_unstable();
    terms.windows(2).any(|pair| pair[0] == pair[1])
}

/// The simulator's ruling on a state in which nothing is left to happen.
fn ruling(spec: &Spec, rules: &Rules<'_>, parts: &mut Packed<'_>, now: &PackedState) -> Ruling {
    let live = rules.live(parts, now);
    rule(spec, rules.plan, Live::Listed(&live), Ending::ByItself)
}

/// What a state in which nothing is left to happen breaks, given how many lead in it.
fn broken_at_the_end(leaders: usize, ruling: &Ruling) -> Vec<Property> {
    let is_leaderless = leaders == 0;
    [
        (Property::Eventually, ruling.not_live_because.is_some()),
        // Where too few are left for anyone to lead, it is right that nobody does.
        (Property::SomeoneLeads, is_leaderless && ruling.not_live_because.is_some()),
        (Property::BestLeads, ruling.wrongly_led),
        (
            Property::AllAgree,
            ruling.outcome == Outcome::Split || !is_leaderless && ruling.not_live_because.is_some(),
        ),
    ]
    .into_iter()
    .filter_map(|(property, is_broken)| is_broken.then_some(property))
    .collect()
}
