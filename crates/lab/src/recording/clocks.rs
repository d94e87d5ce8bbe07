//! Vector clocks, as Fidge and Mattern (1988) have them: who could have known of what.

use super::{Input, Recording};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Gives each step's vector clock, in order: for every member, how many of its steps have been able
/// to bear on this one, itself included.
///
/// A loss is not counted, as nothing happens to the member: its step has no clock.
#[derive(Debug)]
pub struct Clocks<'r> {
    recording: &'r Recording,
    next: usize,
    /// Everyone's clock after its last step.
    members: Vec<Arc<[u64]>>,
    /// The clocks that messages under way carry.
    carried: BTreeMap<usize, Arc<[u64]>>,
}

impl<'r> Clocks<'r> {
    pub(super) fn new(recording: &'r Recording) -> Self {
        let none: Arc<[u64]> = vec![0; recording.ranks.len()].into();
        Clocks { recording, next: 0, members: vec![none; recording.ranks.len()], carried: BTreeMap::new() }
    }
}

impl Iterator for Clocks<'_> {
    type Item = Option<Arc<[u64]>>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.recording.steps.get(self.next)?;
        self.next += 1;
        if step.inputs.iter().all(|input| matches!(input, Input::Loss(_))) && !step.inputs.is_empty() {
            return Some(None);
        }
        let own = step.member as usize;
        let mut clock = self.members[own].to_vec();
        clock[own] += 1;
        for input in &step.inputs {
            if let Input::Message(message) = input
                && let Some(theirs) = self.carried.remove(message)
            {
                clock.iter_mut().zip(&*theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
            }
        }
        let clock: Arc<[u64]> = clock.into();
        self.members[own] = clock.clone();
        self.carried.extend(step.sends.clone().map(|message| (message, clock.clone())));
        Some(Some(clock))
    }
}
