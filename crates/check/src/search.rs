//! The search: breadth first, level by level, on all cores.
//!
//! A level is worked off in batches. First every thread takes states of the batch and writes down what they lead to,
//! sorted by shard; then every thread takes shards and adds what is new. Nobody waits for a lock, and the
//! states come in the same order whatever the number of threads.

use crate::clock;
use crate::judge::Judgement;
use crate::packed::{Packed, PackedState};
use crate::reduce::Clusters;
use crate::row::Layout;
use crate::symmetry::Symmetry;
use crate::visited::{SHARDS, Shard, StateId, shard_of};
use crate::walk::BYTES_A_STATE;
use crate::worker::{HEAD, Head, Successors, Worker};
use bellwether_core::Spec;
use bellwether_model::{Action, Rules, Truncation};
use rayon::prelude::*;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many states a thread takes at a time.
const CHUNK: usize = 128;
/// How many chunks are worked off before what they lead to is added.
const CHUNKS_A_BATCH: usize = 32;
/// How many states are looked up at once: the memory that one is at is on its way while the next is asked for.
const AT_ONCE: usize = 16;
/// What a part takes about, and what each thread notes of it.
const BYTES_A_PART: u64 = 500;
const BYTES_A_NOTE: u64 = 500;
/// How many states a state may lead to before fewer are looked at in one go.
const USUAL_BRANCHING: u64 = 32;

/// When to stop.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Bytes that states may take.
    pub memory: u64,
    /// States that may be reached.
    pub states: u64,
    /// When time is up.
    pub deadline: Option<Duration>,
    /// How many more states to look at once something is wrong, for what else is wrong.
    pub after_wrong: u64,
    /// Whether states are walked through once more in any case, which takes memory.
    pub is_walked: bool,
    /// How many parts of one kind there are so far.
    pub parts: &'a (dyn Fn() -> usize + Sync),
}

/// Why a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing was left.
    Complete,
    /// States take as much memory as they may.
    Memory,
    /// There are as many states as there may be.
    States,
    /// Time is up.
    Time,
    /// Something is wrong, and enough has been seen.
    Wrong,
    /// There are more parts than its rows have room for.
    Narrow,
    /// Nothing was left but what cannot be counted: more messages on a wire, or more ways in which numbers fall, than
    /// there are numbers for.
    Countless,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States reached.
    pub states: u64,
    /// Things that happened in them.
    pub transitions: u64,
    /// Levels: the beginning is the first, and what is a step further from it the next.
    pub depth: u32,
    /// States reached and not yet followed.
    pub queue: u64,
}

/// A search under way, or over.
pub struct Search<'p> {
    pub rules: &'p Rules<'p>,
    pub spec: &'static Spec,
    pub layout: Layout,
    /// If one state stands for several: for which.
    pub symmetry: Option<Arc<Symmetry>>,
    pub shards: Vec<Shard>,
    pub progress: Progress,
    /// What states and their parts take.
    pub bytes: u64,
    pub judgement: Judgement,
    /// What was left out.
    pub cut: Truncation,
    /// Whether anything led to a state no further from the beginning: without, there is no loop.
    pub turns_back: bool,
    /// If not everything is followed: how to choose.
    pub clusters: Option<Clusters>,
    workers: Vec<Mutex<Worker<'p>>>,
    /// Emptied harvests: their lists are not allocated again.
    spare: Vec<Successors>,
}

impl<'p> Search<'p> {
    /// Begins with these moments. There is one thread for each of the `parts`.
    pub fn new(
        rules: &'p Rules<'p>,
        spec: &'static Spec,
        layout: Layout,
        (reduces, symmetry): (bool, Option<Symmetry>),
        parts: Vec<Packed<'p>>,
        beginnings: &[PackedState],
    ) -> Self {
        let workers = parts.into_iter().map(|parts| Mutex::new(Worker::new(parts, &layout))).collect();
        let mut search = Search {
            rules,
            spec,
            shards: (0..SHARDS).map(|_| Shard::new(layout.width())).collect(),
            layout,
            symmetry: symmetry.map(Arc::new),
            progress: Progress::default(),
            judgement: Judgement::default(),
            cut: Truncation::default(),
            bytes: 0,
            turns_back: false,
            clusters: reduces.then(|| Clusters::new(rules)),
            workers,
            spare: Vec::new(),
        };
        for beginning in beginnings {
            let Search { layout, symmetry, shards, workers, .. } = &mut search;
            let worker = workers[0].get_mut().unwrap_or_else(PoisonError::into_inner);
            let (sum, row) = worker.row_of(layout, symmetry.as_deref(), beginning);
            shards[shard_of(sum)].insert(sum, &row, StateId::NONE);
        }
        search
    }

    /// A thread's worker.
    pub fn worker(&mut self) -> &mut Worker<'p> {
        self.workers[0].get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a thread's worker out, so that it can be used beside the search.
    pub fn lend_worker(&mut self) -> Worker<'p> {
        self.workers.swap_remove(0).into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts it back.
    pub fn return_worker(&mut self, worker: Worker<'p>) {
        self.workers.push(Mutex::new(worker));
    }

    /// A state as a row.
    pub fn row(&self, id: StateId) -> &[u16] {
        self.shards[id.shard()].row(id.place())
    }

    /// How many states there are.
    pub fn states(&self) -> u64 {
        self.shards.iter().map(|shard| shard.len() as u64).sum()
    }

    /// Follows everything, until there is nothing left or a limit is reached. `watch` is told how it goes.
    pub fn run(&mut self, limits: &Limits<'_>, watch: &(dyn Fn(&Progress) + Sync)) -> Stopped {
        let mut level_begins = [0; SHARDS];
        let mut wrong_at = None;
        loop {
            let level_ends: [usize; SHARDS] = std::array::from_fn(|shard| self.shards[shard].len());
            let level = chunks(&level_begins, &level_ends);
            if level.is_empty() {
                return Stopped::Complete;
            }
            let mut queue: u64 = level.iter().map(|chunk| chunk.len() as u64).sum();
            let mut rest = &level[..];
            while !rest.is_empty() {
                let (batch, later) = rest.split_at(self.chunks_a_batch().min(rest.len()));
                rest = later;
                self.follow(batch, &level_ends);
                queue -= batch.iter().map(|chunk| chunk.len() as u64).sum::<u64>();
                self.progress.states = self.states();
                let new: usize = (0..SHARDS).map(|shard| self.shards[shard].len() - level_ends[shard]).sum();
                self.progress.queue = queue + new as u64;
                watch(&self.progress);
                let parts = (limits.parts)();
                self.bytes = self.shards.iter().map(|shard| shard.bytes() as u64).sum();
                self.bytes += parts as u64 * (BYTES_A_PART + BYTES_A_NOTE * self.workers.len() as u64);
                let is_walked = self.turns_back || limits.is_walked;
                let walk = if is_walked { self.progress.states * BYTES_A_STATE } else { 0 };
                // First of all: rows that had no room must not be read.
                if !self.layout.has_room_for(parts) {
                    return Stopped::Narrow;
                }
                if self.bytes + walk > limits.memory {
                    return Stopped::Memory;
                }
                if self.progress.states > limits.states {
                    return Stopped::States;
                }
                if limits.deadline.is_some_and(|deadline| clock::now() >= deadline) {
                    return Stopped::Time;
                }
                if self.judgement.is_bad() {
                    let since = *wrong_at.get_or_insert(self.progress.states);
                    if self.progress.states - since > limits.after_wrong {
                        return Stopped::Wrong;
                    }
                }
            }
            level_begins = level_ends;
            self.progress.depth += 1;
        }
    }

    /// Limits are looked at after each batch: where a state leads to very many, batches are smaller.
    fn chunks_a_batch(&self) -> usize {
        let followed = self.progress.states.saturating_sub(self.progress.queue).max(1);
        let branching = (self.progress.transitions / followed).max(USUAL_BRANCHING);
        (CHUNKS_A_BATCH * USUAL_BRANCHING as usize / branching as usize).max(1)
    }

    /// Follows the states of a batch.
    fn follow(&mut self, batch: &[Chunk], level_ends: &[usize; SHARDS]) {
        let harvests = self.reap(batch.len(), |search, worker, at, successors| {
            for id in batch[at].ids() {
                worker.load(search, id);
                worker.judge(search, id, successors);
                let is_narrowed = worker.narrow(search);
                worker.write_down(search, id, is_narrowed, successors);
            }
        });
        self.gather(&harvests, level_ends);
        // Where nothing led further, something might be put off for ever: everything is followed.
        let stuck: Vec<Vec<StateId>> =
            harvests.iter().map(|successors| successors.stuck().collect()).collect();
        self.clear(harvests);
        if stuck.iter().all(Vec::is_empty) {
            return;
        }
        for id in stuck.iter().flatten() {
            self.shards[id.shard()].set_in_full(id.place());
        }
        let again = self.reap(stuck.len(), |search, worker, at, successors| {
            for &id in &stuck[at] {
                worker.load(search, id);
                worker.write_down(search, id, false, successors);
            }
        });
        self.gather(&again, level_ends);
        self.clear(again);
    }

    /// Keeps the lists of harvests for the next.
    fn clear(&mut self, mut harvests: Vec<Successors>) {
        harvests.iter_mut().for_each(Successors::clear);
        self.spare = harvests;
    }

    /// Lets threads write down what states lead to: one successors a chunk.
    fn reap(
        &mut self,
        chunks: usize,
        each: impl Fn(&Search<'p>, &mut Worker<'p>, usize, &mut Successors) + Sync,
    ) -> Vec<Successors> {
        let mut harvests = std::mem::take(&mut self.spare);
        harvests.resize_with(chunks, Successors::default);
        let reap = |(at, successors): (usize, &mut Successors)| {
            let worker = &self.workers[rayon::current_thread_index().unwrap_or(0) % self.workers.len()];
            // Each thread has a worker of its own: this never waits.
            let mut worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
            each(self, &mut worker, at, successors);
        };
        harvests.par_iter_mut().enumerate().for_each(reap);
        harvests
    }

    /// Adds what is new, shard by shard.
    fn gather(&mut self, harvests: &[Successors], level_ends: &[usize; SHARDS]) {
        let stride = HEAD + self.layout.width();
        let add = |(number, shard): (usize, &mut Shard)| {
            let mut turns_back = false;
            for successors in harvests {
                for group in successors.rows[number].chunks(stride * AT_ONCE) {
                    let mut guesses = [None; AT_ONCE];
                    for (guess, record) in guesses.iter_mut().zip(group.chunks_exact(stride)) {
                        *guess = shard.guess(Head::read(record).sum);
                    }
                    for (guess, record) in guesses.into_iter().zip(group.chunks_exact(stride)) {
                        let (head, row) = record.split_at(HEAD);
                        let Head { sum, parent, partly } = Head::read(head);
                        let place = shard.place(guess, sum, row, parent);
                        let leads_on = place >= level_ends[number];
                        turns_back |= !leads_on;
                        if leads_on && let Some(partly) = successors.partly.get(partly as usize) {
                            partly.leads_on.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
            turns_back
        };
        let turns_back =
            self.shards.par_iter_mut().enumerate().map(add).reduce(|| false, |one, other| one | other);
        self.turns_back |= turns_back;
        for successors in harvests {
            self.progress.transitions += successors.transitions();
            self.cut |= successors.cut;
            self.judgement.add(&successors.judgement);
        }
    }

    /// Everything that the search followed from a state: what happens, and what comes of it, if that has been reached.
    pub fn successors(&self, worker: &mut Worker<'p>, id: StateId, mut visit: impl FnMut(Action, StateId)) {
        worker.load(self, id);
        if !self.shards[id.shard()].is_in_full(id.place()) {
            worker.narrow(self);
        }
        let mut row = vec![0; self.layout.width()];
        worker.each(self, |parts, _, action, moment| {
            let sum = self.layout.sum(parts, moment);
            self.layout.write(moment, &mut row);
            let shard = shard_of(sum);
            if let Some(place) = self.shards[shard].find(sum, &row) {
                visit(action.what, StateId::new(shard, place));
            }
        });
    }
}

/// Some states of one shard.
#[derive(Clone, Copy)]
struct Chunk {
    shard: usize,
    from: usize,
    to: usize,
}

impl Chunk {
    fn len(&self) -> usize {
        self.to - self.from
    }

    fn ids(&self) -> impl Iterator<Item = StateId> + use<> {
        let shard = self.shard;
        (self.from..self.to).map(move |place| StateId::new(shard, place))
    }
}

/// The states of a level, in chunks.
fn chunks(begins: &[usize; SHARDS], ends: &[usize; SHARDS]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for shard in 0..SHARDS {
        for from in (begins[shard]..ends[shard]).step_by(CHUNK) {
            chunks.push(Chunk { shard, from, to: ends[shard].min(from + CHUNK) });
        }
    }
    chunks
}
