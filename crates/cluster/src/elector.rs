//! Leader election to embed: a member of the cluster inside a service.

use crate::clock::Clock;
use crate::disk::Disk;
use crate::event::Happened;
use crate::machine::{Machine, Typed};
use crate::member::{Command, Member, State};
use crate::network::{Network, NetworkError};
use crate::outlook::{Outlook, Reign, View};
use crate::seat::Seat;
use crate::settings::{Incarnation, Settings, SettingsError};
use crate::store::{Store, StoreError};
use crate::surroundings::Surroundings;
use crate::watch::Watch;
use bellwether_core::{
    Algorithm, Detector, DetectorChoice, Id, Preset, Registry, Request, RoundAlgorithm, Rounds, Span, Spec,
    Starts, Visitor,
};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::fmt;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{broadcast, watch};

/// The failure detector of algorithms that need one, unless another is chosen.
pub const DEFAULT_DETECTOR: &str = "heartbeat";

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
    /// The system gives it no random numbers.
    #[error("the system gives no random numbers; without them members could be mistaken for each other")]
    Randomness,
    /// The system gives it no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// The member has ended: nothing more comes of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the member has ended; what it said last tells why")]
pub struct Stopped;

/// A member of a cluster, at work in a thread of its own. `G` is the list of algorithms that it is chosen from.
///
/// A member that nobody campaigns for votes and follows, and does not lead. When the last handle is dropped, it gives up
/// leading, says farewell, and ends.
pub struct Elector<G> {
    shared: Arc<Shared>,
    registry: PhantomData<fn() -> G>,
}

impl<G> Clone for Elector<G> {
    fn clone(&self) -> Self {
        Elector { shared: self.shared.clone(), registry: PhantomData }
    }
}

impl<G> fmt::Debug for Elector<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = &self.shared;
        f.debug_struct("Elector").field("id", &shared.me).field("algorithm", &shared.spec.name).finish()
    }
}

#[derive(Debug)]
struct Shared {
    me: Id,
    spec: &'static Spec,
    address: SocketAddr,
    incarnation: Incarnation,
    clock: Clock,
    seat: Arc<Seat>,
    commands: Sender<Command>,
    waker: Arc<mio::Waker>,
    events: broadcast::Sender<Happened>,
    /// For whoever wants to know everything from the start.
    from_start: std::sync::Mutex<Option<broadcast::Receiver<Happened>>>,
    view: watch::Receiver<View>,
    /// How many campaign, or hold leadership.
    candidates: AtomicUsize,
    thread: std::sync::Mutex<Option<JoinHandle<()>>>,
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
    let spec = machine.spec();
    let seed = settings.seed.map_or_else(entropy, Ok)?;
    let clock = Clock::that_gains(settings.clock_gains);
    let (store, saved) = Store::open(&settings.data, &settings.cluster, settings.me)?;
    let incarnation = Incarnation { boot: saved.boot, nonce: entropy()? };
    let network = Network::open(&settings, &format!("{}/{}", spec.name, spec.variant), incarnation)?;
    let around = Surroundings::new(&settings, spec.need, seed);
    let (waker, address) = (network.waker(), network.local_address());
    let disk_wakes = waker.clone();
    let disk = Disk::start(store, move || {
        // The loop cannot be gone while its disk works; if it could, there would be nobody to wake.
        let _ = disk_wakes.wake();
    })
    .map_err(StartError::Thread)?;
    let (commands, orders) = channel();
    let (seat, outlook) = (Arc::new(Seat::default()), Outlook::new(settings.me));
    let (events, view) = (outlook.events(), outlook.view());
    let from_start = std::sync::Mutex::new(Some(events.subscribe()));
    if !settings.always_stands {
        // Nobody can be behind the channel yet to refuse it.
        let _ = commands.send(Command::Request(Request::Withdraw));
    }
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
        from_start,
        view,
        candidates: AtomicUsize::new(0),
        thread: std::sync::Mutex::new(Some(thread)),
    })
}

/// A number that nobody can foresee.
fn entropy() -> Result<u64, StartError> {
    let mut bytes = [0; 8];
    SystemRandom::new().fill(&mut bytes).map_err(|_| StartError::Randomness)?;
    Ok(u64::from_le_bytes(bytes))
}

impl Shared {
    fn tell(&self, command: Command) {
        // If the member has ended, its view says so: whoever asks learns it there.
        let _ = self.commands.send(command);
        let _ = self.waker.wake();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.tell(Command::Stop);
        if let Ok(Some(thread)) = self.thread.get_mut().map(Option::take) {
            let _ = thread.join();
        }
    }
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

impl<G: Registry> Elector<G> {
    /// Starts the member that the settings describe.
    ///
    /// # Errors
    /// [`StartError`] says why it cannot. Nothing has been started then.
    pub fn start(settings: Settings) -> Result<Elector<G>, StartError> {
        let algorithm = &*settings.algorithm;
        let (name, variant) =
            algorithm.split_once('/').map_or((algorithm, None), |(name, variant)| (name, Some(variant)));
        let entry = G::find(name, variant).ok_or_else(|| StartError::Algorithm {
            name: algorithm.to_owned(),
            known: G::names().join(", "),
        })?;
        let needs_detector = G::ENTRIES[entry].spec.starts == Starts::Callers;
        let chosen = settings.detector.as_deref().or(needs_detector.then_some(DEFAULT_DETECTOR));
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

impl<G> Elector<G> {
    /// Which member this is.
    #[must_use]
    pub fn id(&self) -> Id {
        self.shared.me
    }

    /// The algorithm's needs and promises.
    #[must_use]
    pub fn spec(&self) -> &'static Spec {
        self.shared.spec
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.shared.address
    }

    /// This process's life of the member.
    #[must_use]
    pub fn incarnation(&self) -> Incarnation {
        self.shared.incarnation
    }

    /// The member's clock: all its times are on it.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.shared.clock
    }

    /// Where things stand.
    #[must_use]
    pub fn view(&self) -> View {
        self.shared.view.borrow().clone()
    }

    /// Whether this member leads at this very moment, on its own clock. What is done after asking may already be too
    /// late: hand on the fencing token with every side effect, or check a [`Leadership`] before each.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.leads_for().is_some()
    }

    /// For how long this member leads, unless its lease is renewed; nothing if it does not lead.
    #[must_use]
    pub fn leads_for(&self) -> Option<Duration> {
        let clock = &self.shared.clock;
        self.shared.seat.current(clock.now()).map(|(_, until)| clock.until(until))
    }

    /// Stands for election, and waits until this member leads. If the future is dropped before, it stands no longer.
    ///
    /// When leadership ends, the member stands no longer: campaign again, as often as you like. Several may campaign
    /// at once, and lead together: they are one member.
    ///
    /// # Errors
    /// [`Stopped`] if the member has.
    pub async fn campaign(&self) -> Result<Leadership, Stopped> {
        let stands = Stands::begin(self.shared.clone());
        let mut view = self.shared.view.clone();
        loop {
            {
                let view = view.borrow_and_update();
                if view.is_over {
                    return Err(Stopped);
                }
                if let Some(reign) = view.reign {
                    return Ok(Leadership { reign, stands });
                }
            }
            stands.say_so(); // again after each change: with the end of its leadership a member withdraws
            if view.changed().await.is_err() {
                return Err(Stopped);
            }
        }
    }

    /// What happens, from now on.
    #[must_use]
    pub fn observe(&self) -> crate::events::Events {
        crate::events::Events::new(self.shared.events.subscribe())
    }

    /// What has happened since the member started, and what happens from now on. For the first who asks: others get the
    /// same as from [`Elector::observe`].
    #[must_use]
    pub fn observe_from_start(&self) -> crate::events::Events {
        let first = self.shared.from_start.lock().ok().and_then(|mut first| first.take());
        first.map_or_else(|| self.observe(), crate::events::Events::new)
    }

    /// Lead no longer, if this member does: another takes over at once.
    pub fn resign(&self) {
        self.shared.tell(Command::Request(Request::Resign));
    }

    /// Let this member lead, if the one asked leads now.
    pub fn transfer(&self, to: Id) {
        self.shared.tell(Command::Request(Request::Transfer(to)));
    }

    /// Anything that an algorithm can be asked.
    pub fn request(&self, request: Request) {
        self.shared.tell(Command::Request(request));
    }

    /// The application of this member has taken over, if it leads: see [`Leadership::ready`].
    pub fn ready(&self) {
        if let Some(reign) = self.view().reign {
            self.shared.tell(Command::Ready(reign));
        }
    }

    /// A member has moved: dial it there from now on.
    pub fn set_address(&self, id: Id, address: impl Into<String>) {
        self.shared.tell(Command::Address(id, address.into()));
    }

    /// For trials: as if the cables to these members were cut. Nothing is closed; nothing passes.
    pub fn cut(&self, peers: Vec<Id>) {
        self.shared.tell(Command::Cut(peers));
    }

    /// For trials: everything passes again.
    pub fn heal(&self) {
        self.shared.tell(Command::Heal);
    }

    /// Gives up leading, says farewell, and ends; waits until that is done.
    pub fn stop(self) {
        self.shared.tell(Command::Stop);
        let thread = self.shared.thread.lock().ok().and_then(|mut thread| thread.take());
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

/// As long as it lives, the member stands.
#[derive(Debug)]
struct Stands(Arc<Shared>);

impl Stands {
    fn begin(shared: Arc<Shared>) -> Stands {
        shared.candidates.fetch_add(1, Ordering::SeqCst);
        Stands(shared)
    }

    fn say_so(&self) {
        self.0.tell(Command::Request(Request::Stand));
    }
}

impl Drop for Stands {
    fn drop(&mut self) {
        if self.0.candidates.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.tell(Command::Request(Request::Withdraw));
        }
    }
}

/// Leadership: held from being elected until it ends, which it does visibly. Dropping it gives it up.
///
/// **What holds, and when.** As long as [`Leadership::check`] succeeds, no other member of the cluster has a valid
/// leadership, provided that the algorithm is a majority's with leases (the default, `quorum-lease`), that no clock is off by
/// more than the drift bound, and that no disk forgets what it has written. Between the check and the side effect the
/// process may be stopped for any time: so pass [`Leadership::token`] on with each side effect, and let whoever carries
/// it out refuse smaller tokens (see [`crate::Fence`]). Tokens strictly grow from one leader to the next.
#[derive(Debug)]
pub struct Leadership {
    reign: Reign,
    stands: Stands,
}

/// This leadership is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the leadership of term {0} is over")]
pub struct Lost(pub u64);

impl Leadership {
    /// The term in which this member leads.
    #[must_use]
    pub fn term(&self) -> u64 {
        self.reign.term
    }

    /// What to hand on with every side effect: greater than every earlier leader's.
    #[must_use]
    pub fn token(&self) -> u64 {
        self.reign.term
    }

    /// How long it lasts yet, unless it is renewed meanwhile.
    ///
    /// # Errors
    /// [`Lost`] if it is over.
    pub fn remaining(&self) -> Result<Duration, Lost> {
        let shared = &self.stands.0;
        let until = shared.seat.held(self.reign.number, shared.clock.now()).ok_or(Lost(self.reign.term))?;
        Ok(shared.clock.until(until))
    }

    /// To be asked before each side effect: gives the token to do it with. It takes a look at the clock and at two
    /// numbers in memory, and waits for nothing.
    ///
    /// # Errors
    /// [`Lost`] if it is over.
    pub fn check(&self) -> Result<u64, Lost> {
        self.remaining().map(|_| self.token())
    }

    /// The application has taken over: everyone may know. Being elected and being ready are two things.
    pub fn ready(&self) {
        self.stands.0.tell(Command::Ready(self.reign));
    }

    /// Comes to an end when the leadership does.
    pub async fn lost(&self) -> Lost {
        let mut view = self.stands.0.view.clone();
        // The sender's end means that the member has ended, and its leadership before it.
        let _ = view.wait_for(|view| view.reign != Some(self.reign)).await;
        Lost(self.reign.term)
    }

    /// Gives it up, and waits until it is.
    pub async fn resign(self) {
        self.stands.0.tell(Command::Request(Request::Resign));
        self.lost().await;
    }
}
