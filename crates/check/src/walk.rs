//! What walks through all states of a search share.

use crate::clock;
use crate::search::Search;
use crate::visited::{SHARDS, StateId};
use crate::worker::Worker;
use std::ops::{Index, IndexMut};
use std::time::Duration;

/// What a walk takes besides the states, at most about: marks, and a way through all of them.
pub const BYTES_A_STATE: u64 = 96;

/// How many states are visited before the clock is looked at.
const VISITS: u32 = 1 << 12;

/// Whether time is up, after so many visits.
pub fn is_late(visits: u32, deadline: Option<Duration>) -> bool {
    visits.is_multiple_of(VISITS) && deadline.is_some_and(|at| clock::now() >= at)
}

/// Something for each state.
pub struct PerState<T>(Vec<Vec<T>>);

impl<T: Clone> PerState<T> {
    pub fn new(search: &Search<'_>, value: T) -> Self {
        PerState(search.shards.iter().map(|shard| vec![value.clone(); shard.len()]).collect())
    }
}

impl<T> Index<StateId> for PerState<T> {
    type Output = T;
    fn index(&self, id: StateId) -> &T {
        &self.0[id.shard()][id.place()]
    }
}

impl<T> IndexMut<StateId> for PerState<T> {
    fn index_mut(&mut self, id: StateId) -> &mut T {
        &mut self.0[id.shard()][id.place()]
    }
}

/// All states.
pub fn all(search: &Search<'_>) -> impl Iterator<Item = StateId> {
    let lens: [usize; SHARDS] = std::array::from_fn(|shard| search.shards[shard].len());
    (0..SHARDS).flat_map(move |shard| (0..lens[shard]).map(move |place| StateId::new(shard, place)))
}

/// Lends the first thread's worker to something that also needs the search.
pub fn with_worker<'p, T>(
    search: &mut Search<'p>,
    work: impl FnOnce(&Search<'p>, &mut Worker<'p>) -> T,
) -> T {
    let mut worker = search.lend_worker();
    let result = work(search, &mut worker);
    search.return_worker(worker);
    result
}
