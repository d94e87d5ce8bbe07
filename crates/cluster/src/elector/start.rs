//! How a member starts: everything that can fail is done before anything is written and before its thread runs.

use crate::elector::{Elector, Shared};
use crate::net::{Network, NetworkError};
use crate::node::detector::DetectorDriver;
use crate::node::machine::ByteMachine;
use crate::node::member::{Command, Member, State};
use crate::node::surroundings::Surroundings;
use crate::settings::cluster_config::ClusterConfig;
use crate::settings::{Incarnation, Peer, Profile, Security, Settings, SettingsError, shown};
use crate::status::candidates::Candidates;
use crate::status::event::Event;
use crate::status::lease_cell::LeaseCell;
use crate::status::publisher::StatusPublisher;
use crate::storage::disk::{Disk, Keep};
use crate::storage::store::{Saved, Store, StoreError};
use crate::supervisor::address_overrides::AddressOverrides;
use crate::supervisor::death_certificate::{Commitment, InvalidCommitment};
use crate::supervisor::{COMMITMENT, commitment_of_supervisor};
use bellwether_core::{
    AlgorithmChoice, AlgorithmError, CallPolicy, Detector, DetectorChoice, DetectorError, Environment as _,
    Knowledge, ParamError, Preset, Registry, Span, Spec, Starts, Time,
};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, channel, sync_channel};

/// The failure detector of algorithms that need one, unless another is chosen.
pub const DEFAULT_DETECTOR: &str = "heartbeat";

/// How often members beat by default, in delay bounds, and how much longer they may be silent.
/// Together this is as long as a lease of `quorum-lease`: a silent leader is replaced as soon, and a machine that
/// stands still for a moment loses no leader.
const DEFAULT_BEATS: (u64, u64) = (5, 20);

/// The failure detector of a member of this algorithm: the chosen one; else the default one, if it needs any.
#[must_use]
pub fn detector_of<'a>(spec: &Spec, chosen: Option<&'a str>, delay_bound: Span) -> Option<Cow<'a, str>> {
    let (period, wait) = DEFAULT_BEATS;
    let default = || {
        let (period, wait) = ((delay_bound * period).hops().max(0.1), (delay_bound * wait).hops().max(0.1));
        Cow::Owned(format!("{DEFAULT_DETECTOR}:T={period},D={wait}"))
    };
    chosen.map(Cow::Borrowed).or_else(|| (spec.starts == Starts::Callers).then(default))
}

/// The algorithm that a member runs: the one of this name, with the parameters that the name and the profile give.
///
/// # Errors
/// [`AlgorithmError`] says what is wrong.
pub fn algorithm_of(
    registry: &Registry,
    name: &str,
    profile: &Profile,
) -> Result<AlgorithmChoice, AlgorithmError> {
    let mut parameters = profile.parameters.split_terminator(',');
    let chosen = registry.choose(name).and_then(|choice| parameters.try_fold(choice, AlgorithmChoice::or));
    chosen.map_err(|mut error| {
        match &mut error {
            AlgorithmError::Unknown { name, .. } => *name = shown(name),
            AlgorithmError::Variant { variant, .. } => *variant = shown(variant),
            AlgorithmError::TwoVariants { .. } => {}
            AlgorithmError::Setting { error, .. } => shorten(error),
        }
        error
    })
}

/// Why a member could not start. Nothing has been changed, but where the error says so.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Its directory cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot listen, or cannot load its credentials.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// There is no such algorithm, or it cannot be set so.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
    /// There is no such failure detector.
    #[error(transparent)]
    Detector(#[from] DetectorError),
    /// No detector knows the truth about a real network.
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
    /// The process that started this one is no supervisor of ours, or set a malformed commitment.
    #[error("the environment variable {COMMITMENT} is not as a supervisor sets it: {0}")]
    Commitment(InvalidCommitment),
    /// The system gives it no random numbers.
    #[error("the system gives no random numbers; without them members could be mistaken for each other")]
    Randomness,
    /// The system gives it no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// Starts the member that the settings describe, with an algorithm and a detector of the registry.
///
/// If a [`crate::Supervisor`] started this process, it will tell the peers when the process is dead, and the member
/// tells them beforehand how to know that it is true: it takes the commitment from the environment
/// ([`COMMITMENT`]), unless the settings have another.
///
/// # Errors
/// [`StartError`] says why it cannot. Nothing has been started then.
pub fn start(registry: &Registry, mut settings: Settings) -> Result<Elector, StartError> {
    settings.check()?;
    if settings.commitment.is_none() {
        settings.commitment = commitment_of_supervisor().map_err(StartError::Commitment)?.map(|it| it.0);
    }
    let choice = algorithm_of(registry, &settings.algorithm, &settings.profile)?;
    let delay_bound = settings.profile.delay_bound;
    let chosen = detector_of(choice.spec, settings.detector.as_deref(), delay_bound);
    let detector = chosen.map(|text| DetectorChoice::parse(registry.detectors, &text)).transpose();
    let detector = detector.map_err(shortened)?;
    if let Some(oracle) = detector.as_ref().map(DetectorChoice::entry).filter(|entry| entry.is_oracle) {
        return Err(StartError::Oracle(oracle.name));
    }
    detector.as_ref().map_or(Ok(()), |detector| check_patience(detector, delay_bound))?;
    let detector = detector.map(|detector| detector.build(delay_bound));
    let machine = ByteMachine::new(registry.entries[choice.entry].machine, choice.params);
    let shared = start_machine(settings, detector, machine)?;
    Ok(Elector { shared: Arc::new(shared) })
}

fn start_machine(
    settings: Settings,
    detector: Option<Box<dyn Detector>>,
    machine: ByteMachine,
) -> Result<Shared, StartError> {
    let can_lead = |peer: &Peer| peer.duty.leads();
    if machine.spec().knows.contains(Knowledge::DUTIES) && !settings.members.iter().any(can_lead) {
        return Err(SettingsError::NoCandidate.into());
    }
    let config = ClusterConfig::new(&settings, machine.spec(), machine.params());
    let store = Store::examine(&settings.data, &settings.cluster, settings.me, &config)?;
    let prepared = PreparedMember::new(settings, detector, machine, store.saved())?;
    Ok(prepared.start(store.begin()?))
}

/// A member that is ready to start. All that can fail has been tried, and nothing has been written: a start that fails can be
/// corrected and tried again.
pub(crate) struct PreparedMember<K> {
    pub(crate) member: Member,
    /// The member's thread waits for the member here.
    thread: SyncSender<Member>,
    /// The thread of its disk waits here for what it is to write to.
    pub(crate) disk: SyncSender<K>,
    pub(crate) shared: Shared,
}

impl<K: Keep> PreparedMember<K> {
    /// Prepares a member that has saved this.
    pub(crate) fn new(
        settings: Settings,
        detector: Option<Box<dyn Detector>>,
        machine: ByteMachine,
        saved: Saved,
    ) -> Result<PreparedMember<K>, StartError> {
        let spec = machine.spec();
        let seed = settings.seed.map_or_else(entropy, Ok)?;
        let clock = settings.clock();
        let config = ClusterConfig::new(&settings, spec, machine.params());
        let incarnation = Incarnation { boot: saved.boot, nonce: entropy()? };
        let first_voters = config.voters.clone();
        let network = Network::open(&settings, config, incarnation, &saved.stores)?;
        let around = Surroundings::new(&settings, spec, machine.params(), seed);
        let (waker, address) = (network.waker(), network.local_address());
        let disk_wakes = waker.clone();
        let (disk, keeper) = Disk::prepare(clock, move || {
            // The loop may have ended, as it does not wait for a disk that stalls: then there is nothing to wake.
            let _ = disk_wakes.wake();
        })
        .map_err(StartError::Thread)?;
        let (to_thread, ready) = sync_channel::<Member>(1);
        let name = format!("bellwether-{}", settings.me);
        let run = move || {
            if let Ok(member) = ready.recv() {
                member.run();
            }
        };
        let thread = std::thread::Builder::new().name(name).spawn(run).map_err(StartError::Thread)?;
        let (commands, orders) = channel();
        let (lease_cell, publisher) = (Arc::new(LeaseCell::default()), StatusPublisher::new(settings.me));
        let (events, view) = (publisher.events(clock), publisher.view());
        if settings.security == Security::Plaintext {
            publisher.say(clock.now(), Event::InTheClear);
        }
        let candidates = Arc::new(Candidates::default());
        // The receiver is still in this function, so this cannot fail.
        let _ = commands.send(Command::Candidates);
        let member = Member {
            clock,
            me: settings.me,
            detector: detector.map(|detector| DetectorDriver::new(detector, around.watched_ports())),
            policy: CallPolicy::in_cluster(spec, around.size(), around.delay_bound()),
            machine,
            around,
            network,
            disk,
            lease_cell: lease_cell.clone(),
            publisher,
            commands: orders,
            saved: saved.durable,
            candidates: candidates.clone(),
            first_voters,
            takes_part_at: Time::ZERO + saved.wait,
            stands: settings.always_stands,
            tells_leases: settings.tells_leases,
            state: State::default(),
        };
        let shared = Shared {
            me: settings.me,
            spec,
            address,
            incarnation,
            clock,
            lease_cell,
            commands,
            waker,
            events,
            view,
            candidates,
            thread: std::sync::Mutex::new(Some(thread)),
            address_overrides: AddressOverrides::new(&settings.data, settings.commitment.map(Commitment)),
        };
        Ok(PreparedMember { member, thread: to_thread, disk: keeper, shared })
    }

    /// Lets the member begin, with what its disk is to write to.
    fn start(self, keep: K) -> Shared {
        // Both threads wait.
        let _ = self.disk.send(keep);
        let _ = self.thread.send(self.member);
        self.shared
    }
}

/// The same without values that are long enough to be a secret in the wrong place.
fn shortened(mut error: DetectorError) -> DetectorError {
    match &mut error {
        DetectorError::Unknown { name, .. } => *name = shown(name),
        DetectorError::Setting { error, .. } => shorten(error),
    }
    error
}

fn shorten(error: &mut ParamError) {
    let short = shown(&error.setting);
    if short != error.setting {
        error.problem = "it is too long".to_owned(); // what was wrong may repeat it
    }
    error.setting = short;
}

/// A number that cannot be foreseen.
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

#[cfg(test)]
mod tests;
