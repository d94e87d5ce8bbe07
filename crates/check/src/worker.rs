//! What a thread does: it looks at states, and writes down what they lead to.

use crate::judge::Judgement;
use crate::packed::{Packed, PackedState};
use crate::reduce::{Members, is_seen, member_of};
use crate::row::{Layout, halves, join};
use crate::search::Search;
use crate::symmetry::Symmetry;
use crate::visited::{SHARDS, StateId, shard_of};
use bellwether_model::{Action, Parts, Transition, Truncation};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many half-words precede a row in a buffer: the sum for its hash, the state that leads to it, and that
/// one's place among those of which not everything was followed.
pub const HEAD: usize = 8;

/// What a thread works with.
pub struct Worker<'p> {
    pub parts: Packed<'p>,
    now: PackedState,
    next: PackedState,
    /// One that stands for another.
    standing_in: PackedState,
    possible: Vec<Action>,
    clusters: Vec<Members>,
    /// What is being written down.
    record: Vec<u16>,
}

/// What a chunk of states leads to.
#[derive(Default)]
pub struct Successors {
    pub rows: [Vec<u16>; SHARDS],
    transitions: u64,
    pub cut: Truncation,
    pub judgement: Judgement,
    /// States of which not everything was followed.
    pub partly: Vec<Partly>,
}

/// A state of which not everything was followed.
pub struct Partly {
    id: StateId,
    /// Whether it leads to a state further from the beginning.
    pub leads_on: AtomicBool,
    transitions: u64,
}

impl<'p> Worker<'p> {
    pub fn new(parts: Packed<'p>, layout: &Layout) -> Self {
        let blank = layout.blank();
        Worker {
            parts,
            now: blank.clone(),
            next: blank.clone(),
            standing_in: blank,
            possible: Vec::new(),
            clusters: Vec::new(),
            record: Vec::new(),
        }
    }

    /// The sum from which a moment's hash is made, and its row.
    pub fn row_of(
        &mut self,
        layout: &Layout,
        symmetry: Option<&Symmetry>,
        moment: &PackedState,
    ) -> (u64, Vec<u16>) {
        self.standing_in.become_like(moment);
        if let Some(symmetry) = symmetry {
            symmetry.stand_in(&mut self.parts, &mut self.standing_in);
        }
        let mut row = vec![0; layout.width()];
        layout.write(&self.standing_in, &mut row);
        (layout.sum(&mut self.parts, &self.standing_in), row)
    }

    /// Looks at a state, and at what can happen in it.
    pub fn load(&mut self, search: &Search<'p>, id: StateId) {
        search.layout.read(search.row(id), &mut self.now);
        search.rules.possible(&mut self.parts, &self.now, &mut self.possible);
    }

    /// The state looked at, and what can happen in it.
    pub fn loaded(&mut self) -> (&mut Packed<'p>, &PackedState, &[Action]) {
        (&mut self.parts, &self.now, &self.possible)
    }

    pub fn judge(&mut self, search: &Search<'p>, id: StateId, successors: &mut Successors) {
        let Worker { parts, now, possible, .. } = self;
        successors.judgement.judge(search.spec, search.rules, parts, now, possible, id);
    }

    /// Narrows what can happen to what it is enough to follow. False if that is everything.
    pub fn narrow(&mut self, search: &Search<'p>) -> bool {
        let Some(clusters) = &search.clusters else { return false };
        let Worker { parts, now, next, possible, clusters: found, .. } = self;
        clusters.find(search.rules, parts, now, possible, found);
        let is_in = |what: Action, cluster: Members| {
            member_of(search.rules, what).is_some_and(|member| cluster >> member & 1 != 0)
        };
        let is_unseen = |cluster: &&Members| {
            let mut seen = false;
            for &what in possible.iter().filter(|what| is_in(**what, **cluster)) {
                let member = member_of(search.rules, what).unwrap_or_default() as usize;
                let before = parts.facts(&now.seats[member]).clone();
                search.rules.each_outcome(parts, now, what, next, |parts, _, after| {
                    seen |= is_seen(search.rules, search.spec, &before, parts.facts(&after.seats[member]));
                });
            }
            !seen
        };
        let Some(&cluster) = found.iter().find(is_unseen) else { return false };
        possible.retain(|what| is_in(*what, cluster));
        true
    }

    /// Visits everything that comes of what can happen, and says what is left out.
    pub fn each(
        &mut self,
        search: &Search<'p>,
        mut visit: impl FnMut(&mut Packed<'p>, &PackedState, Transition, &PackedState),
    ) -> Truncation {
        let Worker { parts, now, next, standing_in, possible, .. } = self;
        let mut cut = Truncation::default();
        for &what in possible.iter() {
            cut |= search.rules.each_outcome(parts, now, what, next, |parts, action, moment| {
                if let Some(symmetry) = &search.symmetry {
                    standing_in.become_like(moment);
                    symmetry.stand_in(parts, standing_in);
                    visit(parts, now, action, standing_in);
                } else {
                    visit(parts, now, action, moment);
                }
            });
        }
        cut
    }

    /// Writes down what the state looked at leads to.
    pub fn write_down(
        &mut self,
        search: &Search<'p>,
        id: StateId,
        is_narrowed: bool,
        successors: &mut Successors,
    ) {
        let partly = if is_narrowed { successors.partly.len() as u32 } else { u32::MAX };
        let mut transitions = 0;
        let rows = &mut successors.rows;
        let before = search.shards[id.shard()].sum(id.place());
        let mut record = std::mem::take(&mut self.record);
        record.resize(HEAD, 0);
        record.extend_from_slice(search.row(id));
        let mut head = Head { sum: before, parent: id, partly };
        successors.cut |= self.each(search, |parts, now, _, moment| {
            let (start, row) = record.split_at_mut(HEAD);
            if search.symmetry.is_some() {
                search.layout.write(moment, row);
                head.sum = search.layout.sum(parts, moment);
            } else {
                head.sum = search.layout.change(parts, (now, before), moment, row);
            }
            head.write(start);
            rows[shard_of(head.sum)].extend_from_slice(&record);
            if search.symmetry.is_none() {
                search.layout.change_back(parts.touched, now, &mut record[HEAD..]);
            }
            transitions += 1;
        });
        self.record = record;
        if is_narrowed {
            successors.partly.push(Partly { id, leads_on: AtomicBool::new(false), transitions });
        } else {
            successors.transitions += transitions;
        }
    }
}

impl Successors {
    /// Forgets everything but where lists are.
    pub fn clear(&mut self) {
        self.rows.iter_mut().for_each(Vec::clear);
        *self = Successors { rows: std::mem::take(&mut self.rows), ..Successors::default() };
    }

    /// States of which not everything was followed, and that lead no further.
    pub fn stuck(&self) -> impl Iterator<Item = StateId> + '_ {
        self.partly.iter().filter(|partly| !partly.leads_on.load(Ordering::Relaxed)).map(|partly| partly.id)
    }

    pub fn transitions(&self) -> u64 {
        let lead_on = self.partly.iter().filter(|partly| partly.leads_on.load(Ordering::Relaxed));
        self.transitions + lead_on.map(|partly| partly.transitions).sum::<u64>()
    }
}

/// What precedes a row in a buffer.
pub struct Head {
    pub sum: u64,
    pub parent: StateId,
    pub partly: u32,
}

impl Head {
    #[inline]
    fn write(&self, head: &mut [u16]) {
        let words = [self.sum as u32, (self.sum >> 32) as u32, self.parent.raw(), self.partly];
        for (pair, word) in head.as_chunks_mut::<2>().0.iter_mut().zip(words) {
            *pair = halves(word);
        }
    }

    #[inline]
    pub fn read(head: &[u16]) -> Head {
        let word = |at: usize| join(head[2 * at], head[2 * at + 1]);
        let sum = u64::from(word(0)) | u64::from(word(1)) << 32;
        Head { sum, parent: StateId::from_raw(word(2)), partly: word(3) }
    }
}
