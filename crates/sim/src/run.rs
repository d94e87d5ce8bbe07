//! Running an algorithm by its place in a registry: once, or many times on all cores.

use crate::delay::Delay;
use crate::events::{self, Stop};
use crate::faults::{Event, Fate, Lie};
use crate::follow;
use crate::plan::Plan;
use crate::report::{Driver, Report};
use crate::rounds::{self, Visit};
use crate::schedule::Schedule;
use crate::setup::{Setup, SetupError};
use crate::trace::Observer;
use bellwether_core::{
    Algorithm, Elect, Id, Kind, Message, Protocol, Rank, Registry, RoundAlgorithm, Rounds, Visitor,
};
use rayon::prelude::*;

/// How to drive an algorithm in rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoundMode {
    /// In step where the plan allows it, else over a synchroniser.
    #[default]
    Auto,
    /// Over a synchroniser in any case.
    Synchroniser,
}

/// Runs a plan with the algorithm at `entry` of a registry.
pub fn simulate<G: Registry, O: Observer + ?Sized>(
    entry: usize,
    plan: &Plan,
    mode: RoundMode,
    observer: &mut O,
) -> Report {
    G::dispatch(entry, Run { plan, mode, observer })
}

/// The same with an onlooker that is in no hurry: compiled once for all of them.
pub fn simulate_before<G: Registry>(
    onlooker: &mut dyn Observer,
    entry: usize,
    plan: &Plan,
    mode: RoundMode,
) -> Report {
    simulate::<G, dyn Observer + '_>(entry, plan, mode, onlooker)
}

struct Run<'a, O: ?Sized> {
    plan: &'a Plan,
    mode: RoundMode,
    observer: &'a mut O,
}

impl<O: Observer + ?Sized> Visitor for Run<'_, O> {
    type Output = Report;

    fn events<A: Algorithm>(self) -> Report {
        if let Some(schedule) = &self.plan.schedule {
            return follow::run::<A, O>(self.plan, schedule, self.observer, Driver::Events);
        }
        events::run::<A, O>(self.plan, self.observer, Stop::of(&A::SPEC))
    }

    fn rounds<R: RoundAlgorithm>(self) -> Report {
        if let Some(schedule) = &self.plan.schedule {
            return follow::run::<Rounds<R>, O>(self.plan, schedule, self.observer, Driver::Synchroniser);
        }
        if self.mode == RoundMode::Auto && runs_in_step(self.plan) {
            return rounds::run::<R, O>(self.plan, self.observer, Visit::Awake);
        }
        events::run_synchronised::<R, O>(self.plan, self.observer)
    }
}

/// Whether a plan has nothing that rounds in step cannot express.
pub(crate) fn runs_in_step(plan: &Plan) -> bool {
    let is_plain = plan.schedule.is_none()
        && plan.link_faults.is_none()
        && !plan.ring_closes
        && !plan.certified_crashes
        && plan.detector.is_none();
    is_plain
        && plan.delay == Delay::Unit
        && plan.script.iter().all(|happening| happening.what == Event::Crash)
}

/// Makes sure that an algorithm has the messages that a plan speaks of: those chosen to be lost, and
/// those to be forged.
///
/// # Errors
/// [`SetupError`] says what it does not have.
pub fn check_messages<G: Registry>(entry: usize, plan: &Plan, mode: RoundMode) -> Result<(), SetupError> {
    let (kinds, can_forge) = G::dispatch(entry, Messages { plan, mode });
    let algorithm = G::ENTRIES[entry].spec.name;
    let is_known = |name: &String| kinds.iter().any(|kind| kind.name == name);
    for chosen in &plan.link_faults.chosen {
        if let Some(kind) = chosen.kind.clone().filter(|kind| !is_known(kind)) {
            let kinds = kinds.iter().map(|kind| kind.name).collect();
            let key = if chosen.fate == Fate::Lost { "lose" } else { "duplicate" };
            return Err(SetupError::NoSuchKind { algorithm, kind, kinds, key });
        }
    }
    let is_forgery = |what| matches!(what, Event::Lie(Lie::Forge(_)));
    if !can_forge && plan.script.iter().any(|happening| is_forgery(happening.what)) {
        return Err(SetupError::NothingToForge { algorithm });
    }
    Ok(())
}

/// Makes sure that every step of a plan's schedule, if it has one, can happen when its turn comes.
///
/// # Errors
/// [`SetupError`] says which one cannot, and what can.
pub fn check_schedule<G: Registry>(entry: usize, plan: &Plan) -> Result<(), SetupError> {
    struct Check<'a>(&'a Plan, &'a Schedule);
    impl Visitor for Check<'_> {
        type Output = Result<(), SetupError>;
        fn events<A: Algorithm>(self) -> Self::Output {
            follow::check::<A>(self.0, self.1)
        }
        fn rounds<R: RoundAlgorithm>(self) -> Self::Output {
            follow::check::<Rounds<R>>(self.0, self.1)
        }
    }
    plan.schedule.as_ref().map_or(Ok(()), |schedule| G::dispatch(entry, Check(plan, schedule)))
}

/// The kinds of messages that a run of an algorithm has, a synchroniser's marker among them where there
/// is one.
pub(crate) fn kinds<G: Registry>(entry: usize, plan: &Plan, mode: RoundMode) -> &'static [Kind] {
    G::dispatch(entry, Messages { plan, mode }).0
}

/// Whether in an algorithm that does not run in step one message says who leads.
pub(crate) fn can_forge<G: Registry>(entry: usize) -> bool {
    struct Forging;
    impl Visitor for Forging {
        type Output = bool;
        fn events<A: Algorithm>(self) -> bool {
            forges::<A::Msg>()
        }
        fn rounds<R: RoundAlgorithm>(self) -> bool {
            forges::<<Rounds<R> as Protocol>::Msg>()
        }
    }
    G::dispatch(entry, Forging)
}

/// Whether a message can say who leads.
fn forges<M: Message>() -> bool {
    let anyone = Id::new(0).map(|id| Rank::new(Elect::Best, 0, id));
    anyone.is_ok_and(|rank| M::forged(rank).is_some())
}

/// The kinds of messages that a run has, and whether one of them can be forged.
struct Messages<'a> {
    plan: &'a Plan,
    mode: RoundMode,
}

impl Messages<'_> {
    fn of<M: Message>(&self) -> (&'static [Kind], bool) {
        (M::KINDS, forges::<M>())
    }
}

impl Visitor for Messages<'_> {
    type Output = (&'static [Kind], bool);

    fn events<A: Algorithm>(self) -> Self::Output {
        self.of::<A::Msg>()
    }

    fn rounds<R: RoundAlgorithm>(self) -> Self::Output {
        let in_step = self.mode == RoundMode::Auto && runs_in_step(self.plan);
        if in_step { self.of::<R::Msg>() } else { self.of::<<Rounds<R> as Protocol>::Msg>() }
    }
}

/// Runs a setup with the algorithm at `entry` of a registry once for each of `runs` seeds from
/// `first_seed` on, on `threads` cores (0: all of them). `each` is told of every run as it ends,
/// from any thread, and what it makes of them comes back in the order of seeds: the result does
/// not depend on the number of cores.
///
/// # Errors
/// A seed's [`SetupError`] (mostly every seed's, as setups depend on it only where a random network
/// cannot be drawn), or [`SetupError::Threads`].
pub fn simulate_many<G: Registry, T: Send>(
    entry: usize,
    setup: &Setup,
    mode: RoundMode,
    first_seed: u64,
    runs: u64,
    threads: usize,
    each: impl Fn(&Plan, Report) -> T + Sync,
) -> Result<Vec<T>, SetupError> {
    let spec = G::ENTRIES[entry].spec;
    in_parallel(threads, runs, |run| {
        let plan = setup.plan(spec, first_seed.wrapping_add(run))?;
        let report = simulate::<G, ()>(entry, &plan, mode, &mut ());
        Ok(each(&plan, report))
    })
}

/// Does something for every number below `count`, on `threads` cores (0: all of them). What comes of it is
/// in the order of the numbers.
///
/// # Errors
/// The first [`SetupError`], or [`SetupError::Threads`].
pub fn in_parallel<T: Send>(
    threads: usize,
    count: u64,
    each: impl Fn(u64) -> Result<T, SetupError> + Sync,
) -> Result<Vec<T>, SetupError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| SetupError::Threads(error.to_string()))?;
    pool.install(|| (0..count).into_par_iter().map(&each).collect())
}
