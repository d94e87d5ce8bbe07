//! From a state back to the beginning: the run that leads to it.

use crate::packed::{Packed, PackedState};
use crate::search::Search;
use crate::visited::StateId;
use bellwether_model::{Action, Transition};

/// One step of a run: what is asked of it, and the state that comes of it.
pub type Stage = (Wanted, StateId);

/// What is asked of a step, besides where it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    Anything,
    /// That this happens. (Not for states that stand for others: there the same happens to somebody else.)
    Just(Action),
    /// That a message of this kind is delivered, or that none is.
    Delivers(Option<usize>),
}

impl Wanted {
    fn is_met_by(self, parts: &mut Packed<'_>, now: &PackedState, what: Action) -> bool {
        match self {
            Wanted::Anything => true,
            Wanted::Just(wanted) => what == wanted,
            Wanted::Delivers(kind) => parts.delivered(now, what) == kind,
        }
    }
}

/// The states from a beginning to this one, which was reached by the fewest steps.
pub fn stages_to(search: &Search<'_>, id: StateId) -> Vec<Stage> {
    let mut stages = vec![(Wanted::Anything, id)];
    let mut at = id;
    loop {
        at = search.shards[at.shard()].parent(at.place());
        if at == StateId::NONE {
            stages.reverse();
            return stages;
        }
        stages.push((Wanted::Anything, at));
    }
}

/// What happens in a run through these states: with which of the beginnings it starts, and what happens then.
///
/// # Panics
/// If no such run exists: the search's bug.
pub fn actions(
    search: &mut Search<'_>,
    beginnings: &[PackedState],
    stages: &[Stage],
) -> (u32, Vec<Transition>) {
    let rows: Vec<Vec<u16>> = stages.iter().map(|(_, id)| search.row(*id).to_vec()).collect();
    let rules = search.rules;
    let (layout, symmetry) = (search.layout.clone(), search.symmetry.clone());
    let worker = search.worker();
    // One state stands for several to the search, but not to the run: it is followed as it is.
    let mut is_first =
        |moment: &PackedState| worker.row_of(&layout, symmetry.as_deref(), moment).1 == rows[0];
    let beginning = beginnings.iter().position(&mut is_first).expect("a run starts at a beginning");
    let mut now = beginnings[beginning].clone();
    let (mut possible, mut next) = (Vec::new(), layout.blank());
    let mut actions = Vec::new();
    for ((wanted, _), row) in stages.iter().zip(&rows).skip(1) {
        rules.possible(&mut worker.parts, &now, &mut possible);
        let mut found: Option<(Transition, PackedState)> = None;
        for &what in &possible {
            if !wanted.is_met_by(&mut worker.parts, &now, what) {
                continue;
            }
            let mut outcomes = Vec::new();
            rules.each_outcome(&mut worker.parts, &now, what, &mut next, |_, action, moment| {
                outcomes.push((action, moment.clone()));
            });
            found = outcomes
                .into_iter()
                .find(|(_, moment)| worker.row_of(&layout, symmetry.as_deref(), moment).1 == *row);
            if found.is_some() {
                break;
            }
        }
        let (action, moment) = found.expect("each state of a run leads to the next");
        actions.push(action);
        now = moment;
    }
    (beginning as u32, boots_first(search, &beginnings[beginning], actions))
}

/// The same run with everyone booting at the beginning, as people would tell it: booting early changes nothing for
/// anyone else. As it is, if it does.
fn boots_first(
    search: &mut Search<'_>,
    beginning: &PackedState,
    actions: Vec<Transition>,
) -> Vec<Transition> {
    let is_boot = |action: &Transition| action.what.is_boot() && action.crash_after.is_none();
    let (mut tidy, rest): (Vec<Transition>, Vec<Transition>) =
        actions.iter().partition(|action| is_boot(action));
    tidy.sort_unstable();
    tidy.extend(rest);
    let end = replay(search, beginning, &actions);
    if end.is_some() && replay(search, beginning, &tidy) == end { tidy } else { actions }
}

/// Where a run ends; nothing if something in it cannot happen.
fn replay(search: &mut Search<'_>, beginning: &PackedState, actions: &[Transition]) -> Option<PackedState> {
    let rules = search.rules;
    let parts = &mut search.worker().parts;
    let (mut now, mut possible) = (beginning.clone(), Vec::new());
    let mut next = now.clone();
    for action in actions {
        rules.possible(parts, &now, &mut possible);
        let mut after = None;
        if possible.contains(&action.what) {
            rules.each_outcome(parts, &now, action.what, &mut next, |_, this, moment| {
                if this == *action {
                    after = Some(moment.clone());
                }
            });
        }
        now = after?;
    }
    Some(now)
}
