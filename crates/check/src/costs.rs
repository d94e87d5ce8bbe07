//! What runs cost in messages, and whether that is what is claimed.
//!
//! How many messages were sent is no part of a state: it would tell apart what is the same from here on. But once all
//! states are known, the most and the fewest that a run sends are the longest and the shortest way through them. Where
//! no message is lost or comes twice, a run has sent what was delivered in it and what is left on the wires.
//!
//! One order may stand for all here too: those that it stands for deliver the same messages.
//!
//! Where a run can go round for ever no number of messages is the most, and nothing is said. If such a run is fair and
//! comes to no outcome, that is a graver matter, and is said elsewhere.

use crate::path::{Stage, Wanted};
use crate::search::Search;
use crate::visited::StateId;
use crate::walk::{PerState, all, is_late, with_worker};
use crate::worker::Worker;
use bellwether_core::{Class, Delivery, Expect, Kind, Measure, Setting, Spec};
use bellwether_model::{FaultBudget, Parts as _, Rules, TimeModel};
use bellwether_sim::LinkOrder;
use std::time::Duration;

/// A claim that every run of a check is held to, and what the runs came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The claim's name.
    pub name: &'static str,
    /// What is claimed.
    pub expect: Expect,
    /// The fewest messages that a run sends.
    pub fewest: u32,
    /// The most messages that a run sends.
    pub most: u32,
}

/// Kinds of messages, as bits.
type Kinds = u16;

/// Kinds of messages that are counted, and what is claimed of them.
#[derive(Clone, Copy)]
pub struct Held {
    name: &'static str,
    expect: Expect,
    kinds: Kinds,
}

/// What every run is held to: what is claimed of its messages, and not only on average. Nothing where faults may happen,
/// calls may come late, or a run is stopped when it has reached its goal.
pub fn held(spec: &Spec, kinds: &[Kind], rules: &Rules<'_>) -> Vec<Held> {
    let FaultBudget { draws, time, .. } = rules.liberties;
    let planned = rules.plan.setting(spec, &[]);
    let setting = Setting {
        delivery: match rules.plan.links {
            LinkOrder::Fifo => Delivery::Fifo,
            LinkOrder::Reordering => Delivery::Reordering,
        },
        bounded: matches!(time, TimeModel::Clock { drift: 0, .. }),
        calm: planned.calm && rules.liberties == FaultBudget { draws, time, ..FaultBudget::NONE },
        ..planned
    };
    let which = |counts: &dyn Fn(&Kind) -> bool| {
        let bits = (0..Kinds::BITS).zip(kinds).filter(|(_, kind)| counts(kind));
        bits.fold(0, |all, (bit, _)| all | 1 << bit)
    };
    bellwether_sim::claims(spec, &setting)
        .filter(|(_, expect)| setting.calm && expect.holds_for_one(0.0).is_some())
        .filter_map(|(claim, expect)| {
            let kinds = match claim.measure {
                Measure::Messages => which(&|kind| kind.class == Class::Payload),
                Measure::MessagesOf(name) => which(&|kind| kind.name == name),
                Measure::Time | Measure::Rounds | Measure::LeaderRound | Measure::Storage => return None,
            };
            Some(Held { name: claim.name, expect, kinds })
        })
        .collect()
}

/// What was found out about what runs cost.
pub enum Counted {
    /// What each claim came to.
    All(Vec<Cost>),
    /// The same, and a run that breaks one of them: its states, and that claim.
    Broken(Vec<Cost>, Vec<Stage>, Cost),
    /// There is nothing to say: no claim, no end, or runs that go round.
    Nothing,
    /// Not everything was seen.
    Unknown,
}

/// Counts what runs cost, of a search that has seen everything.
pub fn find(search: &mut Search<'_>, held: &[Held], deadline: Option<Duration>) -> Counted {
    if held.is_empty() {
        return Counted::Nothing;
    }
    with_worker(search, |search, worker| {
        let mut ledger = Ledger { held, met: PerState::new(search, UNMET), sums: Vec::new(), deadline };
        let begins = |id: &StateId| search.shards[id.shard()].parent(id.place()) == StateId::NONE;
        let beginnings: Vec<StateId> = all(search).filter(begins).collect();
        for &beginning in &beginnings {
            match ledger.visit(search, worker, beginning) {
                Ok(()) => {}
                Err(Halt::GoesRound) => return Counted::Nothing,
                Err(Halt::Late) => return Counted::Unknown,
            }
        }
        let total = |at| beginnings.iter().fold(Sums::NONE, |all, id| all.or(ledger.sums(*id, at)));
        let totals: Vec<Sums> = (0..held.len()).map(total).collect();
        if totals.iter().any(|sums| sums.is_none()) {
            return Counted::Nothing;
        }
        let cost = |(&Held { name, expect, .. }, &Sums { fewest, most }): (&Held, &Sums)| Cost {
            name,
            expect,
            fewest,
            most,
        };
        let costs: Vec<Cost> = held.iter().zip(&totals).map(cost).collect();
        let Some(at) = costs.iter().position(|cost| !cost.is_as_claimed()) else {
            return Counted::All(costs);
        };
        let extreme: Extreme = if costs[at].is_too_much() { Sums::most } else { Sums::fewest };
        let start = beginnings.into_iter().find(|id| extreme(&ledger.sums(*id, at)) == extreme(&totals[at]));
        let run = start.map(|start| ledger.follow(search, worker, start, at, extreme)).unwrap_or_default();
        Counted::Broken(costs.clone(), run, costs[at])
    })
}

impl Cost {
    fn is_as_claimed(&self) -> bool {
        let holds = |messages: u32| self.expect.holds_for_one(messages.into()) != Some(false);
        holds(self.fewest) && holds(self.most)
    }

    fn is_too_much(&self) -> bool {
        f64::from(self.most) > self.expect.figure()
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Cost { name, expect, fewest, most } = self;
        write!(f, "{name}: {} {} claimed, ", expect.relation(), expect.figure())?;
        if fewest == most { write!(f, "{most} sent") } else { write!(f, "{fewest} to {most} sent") }
    }
}

/// The fewest and the most messages from a state to an end.
#[derive(Clone, Copy)]
struct Sums {
    fewest: u32,
    most: u32,
}

impl Sums {
    /// No run from here comes to an end.
    const NONE: Sums = Sums { fewest: u32::MAX, most: 0 };

    fn is_none(&self) -> bool {
        self.fewest > self.most
    }

    fn fewest(&self) -> u32 {
        self.fewest
    }

    fn most(&self) -> u32 {
        self.most
    }

    fn or(self, other: Sums) -> Sums {
        Sums { fewest: self.fewest.min(other.fewest), most: self.most.max(other.most) }
    }

    fn and(self, more: u32) -> Sums {
        if self.is_none() { self } else { Sums { fewest: self.fewest + more, most: self.most + more } }
    }
}

/// The fewest or the most.
type Extreme = fn(&Sums) -> u32;

/// A step: what comes of it, and the kind of the message that is delivered in it, if one is.
#[derive(Clone, Copy)]
struct Step {
    after: StateId,
    delivers: Option<usize>,
}

impl Step {
    /// How many of these kinds are delivered in it.
    fn counts(&self, kinds: Kinds) -> u32 {
        u32::from(self.delivers.is_some_and(|kind| bit(kind) & kinds != 0))
    }
}

/// A state on the way: where its share of the list of steps begins, and how far it has come.
struct Stop {
    id: StateId,
    from: usize,
    at: usize,
}

/// Why counting came to nothing.
enum Halt {
    GoesRound,
    Late,
}

/// A state not met yet.
const UNMET: u32 = 0;
/// A state of which not all that it leads to has been counted.
const UNDER_WAY: u32 = 1;
/// The first state that has been counted.
const COUNTED: u32 = 2;

struct Ledger<'h> {
    held: &'h [Held],
    /// For each state how far it is; for those that have been counted, where among them.
    met: PerState<u32>,
    /// For each state that has been counted and each claim, the messages from there on.
    sums: Vec<Sums>,
    deadline: Option<Duration>,
}

impl Ledger<'_> {
    /// The messages of a claim from a state on, which has been counted.
    fn sums(&self, id: StateId, claim: usize) -> Sums {
        self.sums[(self.met[id] - COUNTED) as usize * self.held.len() + claim]
    }

    /// Counts from a state on, those first that it leads to.
    fn visit<'p>(&mut self, search: &Search<'p>, worker: &mut Worker<'p>, root: StateId) -> Result<(), Halt> {
        let (mut way, mut steps) = (Vec::new(), Vec::new());
        let mut next = Some(root).filter(|root| self.met[*root] == UNMET);
        let mut visits = 0;
        loop {
            if let Some(id) = next.take() {
                self.met[id] = UNDER_WAY;
                visits += 1;
                if is_late(visits, self.deadline) {
                    return Err(Halt::Late);
                }
                way.push(Stop { id, from: steps.len(), at: steps.len() });
                add_steps(search, worker, id, &mut steps);
            }
            let Some(Stop { id, from, at }) = way.last_mut() else { return Ok(()) };
            if let Some(Step { after, .. }) = steps.get(*at) {
                *at += 1;
                match self.met[*after] {
                    UNMET => next = Some(*after),
                    UNDER_WAY => return Err(Halt::GoesRound),
                    _ => {}
                }
                continue;
            }
            self.count(search, worker, *id, &steps[*from..]);
            steps.truncate(*from);
            way.pop();
        }
    }

    /// Counts a state, all that it leads to having been counted.
    fn count<'p>(&mut self, search: &Search<'p>, worker: &mut Worker<'p>, id: StateId, steps: &[Step]) {
        let place = self.sums.len() / self.held.len();
        let is_end = steps.is_empty() && {
            worker.load(search, id);
            worker.loaded().2.is_empty() // else what happens was left out, as members draw too much
        };
        for (claim, held) in self.held.iter().enumerate() {
            let sums = if is_end {
                let left = on_the_wires(worker, held.kinds);
                Sums { fewest: left, most: left }
            } else {
                let from = |step: &Step| self.sums(step.after, claim).and(step.counts(held.kinds));
                steps.iter().fold(Sums::NONE, |all, step| all.or(from(step)))
            };
            self.sums.push(sums);
        }
        self.met[id] = COUNTED + place as u32;
    }

    /// The run from a beginning that sends the most or the fewest, up to where it is more than is claimed.
    fn follow<'p>(
        &self,
        search: &Search<'p>,
        worker: &mut Worker<'p>,
        start: StateId,
        claim: usize,
        extreme: Extreme,
    ) -> Vec<Stage> {
        let Held { kinds, expect, .. } = self.held[claim];
        let mut run = vec![(Wanted::Anything, start)];
        let (mut at, mut delivered) = (start, 0);
        loop {
            let mut steps = Vec::new();
            add_steps(search, worker, at, &mut steps);
            let here = self.sums(at, claim);
            let leads_there = |step: &&Step| {
                let from = self.sums(step.after, claim).and(step.counts(kinds));
                !from.is_none() && extreme(&from) == extreme(&here)
            };
            let sent = delivered + on_the_wires(worker, kinds);
            match steps.iter().find(leads_there) {
                Some(step) if f64::from(sent) <= expect.figure() => {
                    delivered += step.counts(kinds);
                    at = step.after;
                    run.push((Wanted::Delivers(step.delivers), at));
                }
                _ => return run,
            }
        }
    }
}

/// Adds what can happen in a state, which is then the one that the worker looks at.
fn add_steps<'p>(search: &Search<'p>, worker: &mut Worker<'p>, id: StateId, steps: &mut Vec<Step>) {
    let mut found = Vec::new();
    search.successors(worker, id, |what, after| found.push((what, after)));
    let (parts, now, _) = worker.loaded();
    steps.extend(found.into_iter().map(|(what, after)| Step { after, delivers: parts.delivered(now, what) }));
}

/// How many messages of these kinds are on the wires in the state that the worker looks at.
fn on_the_wires(worker: &mut Worker<'_>, kinds: Kinds) -> u32 {
    let (parts, now, _) = worker.loaded();
    let mut count = 0;
    for queue in &now.queues {
        for place in 0..parts.len(queue) {
            count += u32::from(bit(parts.kind(*queue, place)) & kinds != 0);
        }
    }
    count
}

/// A kind as a bit. One that is not declared is none.
fn bit(kind: usize) -> Kinds {
    u32::try_from(kind).ok().and_then(|kind| Kinds::checked_shl(1, kind)).unwrap_or(0)
}
