//! How a member begins: everything that can go wrong does so before its thread runs.

use crate::candidates::Candidates;
use crate::clock::Clock;
use crate::disk::{Disk, Keep};
use crate::elector::{Elector, Shared};
use crate::event::Event;
use crate::machine::{Machine, Typed};
use crate::member::{Command, Member, State};
use crate::moves::Moves;
use crate::network::{Network, NetworkError};
use crate::obituary::{Commitment, InvalidCommitment};
use crate::outlook::Outlook;
use crate::seat::Seat;
use crate::settings::{Incarnation, Peer, Security, Settings, SettingsError};
use crate::store::{Saved, Store, StoreError};
use crate::supervisor::{COMMITMENT, commitment_of_supervisor};
use crate::surroundings::Surroundings;
use crate::terms::Terms;
use crate::watch::Watch;
use bellwether_core::{
    Algorithm, Detector, DetectorChoice, Knowledge, Preset, Registry, RoundAlgorithm, Rounds, Span, Spec,
    Starts, Time, Visitor,
};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::mpsc::channel;

/// The failure detector of algorithms that need one, unless another is chosen.
pub const DEFAULT_DETECTOR: &str = "heartbeat";

/// The failure detector of a member of this algorithm: the chosen one; else the default one, if it needs any.
#[must_use]
pub fn detector_of<'a>(spec: &Spec, chosen: Option<&'a str>) -> Option<&'a str> {
    chosen.or((spec.starts == Starts::Callers).then_some(DEFAULT_DETECTOR))
}

/// Why a member could not start. Nothing has been changed, but where the error says so.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It was told something that cannot be.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Its directory cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot listen, or cannot prove who it is.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// There is no such algorithm.
    #[error("there is no algorithm '{name}'; there are {known}")]
    Algorithm {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// There is no such failure detector.
    #[error(transparent)]
    Detector(#[from] bellwether_core::DetectorError),
    /// Nobody knows the truth about a real network.
    #[error("the detector '{0}' is told the truth, which only a simulator can do; take 'heartbeat', say")]
    Oracle(&'static str),
    /// Time-outs would run out before anything can come.
    #[error(
        "the detector waits {name}={given} ms for what may take {bound} ms: a member that lives would be taken for dead; \
         give {name} at least {bound}, or the profile a smaller delay bound"
    )]
    Impatient {
        /// The parameter that is too small.
        name: &'static str,
        /// What it is.
        given: f64,
        /// The delay bound.
        bound: f64,
    },
    /// Whoever started this process is no supervisor of ours, or has been misunderstood.
    #[error("the environment variable {COMMITMENT} is not as a supervisor sets it: {0}")]
    Commitment(InvalidCommitment),
    /// The system gives it no random numbers.
    #[error("the system gives no random numbers; without them members could be mistaken for each other")]
    Randomness,
    /// The system gives it no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl<G: Registry> Elector<G> {
    /// Starts the member that the settings describe.
    ///
    /// If a [`crate::Supervisor`] started this process, it will tell the peers when the process is dead, and the member
    /// tells them beforehand how to know that it is true: it takes the commitment from the environment
    /// ([`COMMITMENT`]), unless the settings have another.
    ///
    /// # Errors
    /// [`StartError`] says why it cannot. Nothing has been started then.
    pub fn start(mut settings: Settings) -> Result<Elector<G>, StartError> {
        if settings.commitment.is_none() {
            settings.commitment = commitment_of_supervisor().map_err(StartError::Commitment)?.map(|it| it.0);
        }
        let algorithm = &*settings.algorithm;
        let (name, variant) =
            algorithm.split_once('/').map_or((algorithm, None), |(name, variant)| (name, Some(variant)));
        let entry = G::find(name, variant).ok_or_else(|| StartError::Algorithm {
            name: algorithm.to_owned(),
            known: G::names().join(", "),
        })?;
        let chosen = detector_of(G::ENTRIES[entry].spec, settings.detector.as_deref());
        let choice = chosen.map(|text| DetectorChoice::parse(G::DETECTORS, text)).transpose()?;
        if let Some(oracle) = choice.as_ref().map(DetectorChoice::entry).filter(|entry| entry.is_oracle) {
            return Err(StartError::Oracle(oracle.name));
        }
        let delay_bound = settings.profile.delay_bound;
        choice.as_ref().map_or(Ok(()), |choice| check_patience(choice, delay_bound))?;
        let detector = choice.map(|choice| choice.build(delay_bound));
        let shared = G::dispatch(entry, Start(settings, detector))?;
        Ok(Elector { shared: Arc::new(shared), registry: PhantomData })
    }
}

/// Starts a member of whichever algorithm a registry has at some place.
struct Start(Settings, Option<Box<dyn Detector>>);

impl Visitor for Start {
    type Output = Result<Shared, StartError>;

    fn events<A: Algorithm>(self) -> Self::Output {
        start(self.0, self.1, Box::new(Typed::<A>::new()))
    }

    fn rounds<R: RoundAlgorithm>(self) -> Self::Output {
        start(self.0, self.1, Box::new(Typed::<Rounds<R>>::new()))
    }
}

/// Everything that can fail is done before the thread begins, so that whoever starts a member hears of it.
fn start(
    settings: Settings,
    detector: Option<Box<dyn Detector>>,
    machine: Box<dyn Machine>,
) -> Result<Shared, StartError> {
    settings.check()?;
    let can_lead = |peer: &Peer| peer.duty.leads();
    if machine.spec().knows.has(Knowledge::DUTIES) && !settings.members.iter().any(can_lead) {
        return Err(SettingsError::NoCandidate.into());
    }
    let terms = Terms::new(&settings, machine.spec());
    let kept = Store::open(&settings.data, &settings.cluster, settings.me, &terms)?;
    start_with(settings, detector, machine, kept)
}

/// The same with whatever keeps its state, and what it has kept.
pub(crate) fn start_with(
    settings: Settings,
    detector: Option<Box<dyn Detector>>,
    machine: Box<dyn Machine>,
    (store, saved): (impl Keep, Saved),
) -> Result<Shared, StartError> {
    let spec = machine.spec();
    let seed = settings.seed.map_or_else(entropy, Ok)?;
    let clock = Clock::that_gains(settings.clock_gains);
    let terms = Terms::new(&settings, spec);
    let incarnation = Incarnation { boot: saved.boot, nonce: entropy()? };
    let network = Network::open(&settings, terms, incarnation)?;
    let around = Surroundings::new(&settings, spec.need, seed);
    let (waker, address) = (network.waker(), network.local_address());
    let disk_wakes = waker.clone();
    let disk = Disk::start(store, clock, move || {
        // The loop may be gone, for it does not wait for a disk that stalls: then there is nobody to wake.
        let _ = disk_wakes.wake();
    })
    .map_err(StartError::Thread)?;
    let (commands, orders) = channel();
    let (seat, outlook) = (Arc::new(Seat::default()), Outlook::new(settings.me));
    let (events, view) = (outlook.events(clock), outlook.view());
    if settings.security == Security::Plaintext {
        outlook.say(clock.now(), Event::InTheClear);
    }
    let candidates = Arc::new(Candidates::default());
    // Nobody can be behind the channel yet to refuse it.
    let _ = commands.send(Command::Candidates);
    let member = Member {
        clock,
        me: settings.me,
        watch: detector.map(|detector| Watch::new(detector, around.my_ports())),
        machine,
        around,
        network,
        disk,
        seat: seat.clone(),
        outlook,
        commands: orders,
        saved: saved.durable,
        candidates: candidates.clone(),
        takes_part_at: Time::ZERO + saved.wait,
        stands: settings.always_stands,
        tells_leases: settings.tells_leases,
        state: State::default(),
    };
    let name = format!("bellwether-{}", settings.me);
    let thread =
        std::thread::Builder::new().name(name).spawn(move || member.run()).map_err(StartError::Thread)?;
    Ok(Shared {
        me: settings.me,
        spec,
        address,
        incarnation,
        clock,
        seat,
        commands,
        waker,
        events,
        view,
        candidates,
        thread: std::sync::Mutex::new(Some(thread)),
        moves: Moves::new(&settings.data, settings.commitment.map(Commitment)),
    })
}

/// A number that nobody can foresee.
fn entropy() -> Result<u64, StartError> {
    let mut bytes = [0; 8];
    SystemRandom::new().fill(&mut bytes).map_err(|_| StartError::Randomness)?;
    Ok(u64::from_le_bytes(bytes))
}

/// What a detector allows messages to take (whatever is a delay bound or more unless given) is no less than they may
/// take. In a simulator that can be tried; here every election would be followed by the next.
fn check_patience(choice: &DetectorChoice, delay_bound: Span) -> Result<(), StartError> {
    let bound = delay_bound.hops(); // a hop is a millisecond
    let values = choice.values(delay_bound);
    for (parameter, given) in choice.entry().parameters.iter().zip(values) {
        let is_wait = matches!(parameter.default, Preset::DelayBounds(times) if times >= 1.0);
        if is_wait && given < bound {
            return Err(StartError::Impatient { name: parameter.name, given, bound });
        }
    }
    Ok(())
}
