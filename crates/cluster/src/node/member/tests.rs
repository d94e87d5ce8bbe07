//! Members with disks that do as the test wants, and with an algorithm that writes whatever it hears.

mod calls;
mod detectors;
mod disk;
mod leadership;

use super::*;
use crate::elector::Elector;
use crate::elector::leadership::NoHandOver;
use crate::elector::start::PreparedMember;
use crate::node::machine::ByteMachine;
use crate::storage::disk::Keep;
use crate::{Peer, PeerRecord, Profile, Saved, Security, Settings, StoreError, StoreId, Stores};
use bellwether_algorithms::ALGORITHMS;
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::chang_roberts_timeout::NeighbourTimeout;
use bellwether_algorithms::franklin::Franklin;
use bellwether_algorithms::itai_rodeh::ItaiRodeh;
use bellwether_algorithms::peterson::Basic;
use bellwether_algorithms::quorum_lease::QuorumLease;
use bellwether_core::{
    Algorithm, Cx, Detector, DetectorChoice, Electorate, Goal, Identities, Kind, Knowledge, Lasting,
    Leadership, Links, MachineType, Message, Need, Never, Params, Protocol, Role, Signal, Spec, Starts,
    Status, Timing, Verdict, WatchCx,
};
use serde::{Deserialize, Serialize};
use std::pin::pin;
use std::sync::{Condvar, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(30);

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

/// How a disk treats writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mood {
    #[default]
    Quick,
    /// They wait.
    Stalled,
    Broken,
}

/// A disk as the test wants it. It stalls no longer when the test has ended, however it ends.
#[derive(Clone, Default)]
struct Platter(Arc<Spindle>);

#[derive(Default)]
struct Spindle {
    mood: Mutex<Mood>,
    turned: Condvar,
    asked: Mutex<Vec<Vec<u8>>>,
}

impl Platter {
    fn be(&self, mood: Mood) {
        *self.0.mood.lock().unwrap() = mood;
        self.0.turned.notify_all();
    }

    /// What it was asked to write, whether it has or not.
    fn asked(&self) -> Vec<Vec<u8>> {
        self.0.asked.lock().unwrap().clone()
    }

    fn act(&self, durable: Option<&[u8]>) -> Result<(), StoreError> {
        self.0.asked.lock().unwrap().extend(durable.map(<[u8]>::to_vec));
        let mood = self.0.mood.lock().unwrap();
        let mood = self.0.turned.wait_while(mood, |mood| *mood == Mood::Stalled).unwrap();
        if *mood == Mood::Broken { Err(StoreError::Failed("as the test says".to_owned())) } else { Ok(()) }
    }
}

impl Keep for Platter {
    fn write(&mut self, durable: &[u8]) -> Result<(), StoreError> {
        self.act(Some(durable))
    }

    fn write_again(&mut self) -> Result<(), StoreError> {
        self.act(None)
    }

    fn remember(&mut self, _: PeerRecord) -> Result<(), StoreError> {
        self.act(None)
    }

    fn retire(&mut self) -> Result<(), StoreError> {
        self.act(None)
    }
}

/// How long a scribe is held up that is asked to dismiss a member.
const HELD_UP: Duration = Duration::from_secs(3);

/// Leads from the beginning. Each suspicion is a term of its own, and written down; so is that it was told to resign.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Scribe {
    term: u64,
    leader: Option<Id>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Nothing;

impl Message for Nothing {
    const KINDS: &'static [Kind] = &[Kind::payload("nothing")];

    fn kind(&self) -> usize {
        0
    }
}

impl Algorithm for Scribe {
    type Timer = Never;
    type Durable = u64;

    fn start(cx: &mut Cx<'_, Self>, term: u64) -> Self {
        Scribe { term, leader: Some(cx.id()) }
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, Nothing: Nothing) {}

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }

    fn on_suspicion(&mut self, cx: &mut Cx<'_, Self>, _: Port, _: Verdict) {
        self.term += 1;
        cx.persist(self.term);
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        match request {
            Request::Resign => {
                self.leader = None;
                cx.persist(self.term);
            }
            Request::Transfer(_) => cx.persist(self.term),
            Request::Admit(_) => panic!("the test wants it to"),
            Request::Dismiss(_) => thread::sleep(HELD_UP),
            _ => {}
        }
    }
}

impl Protocol for Scribe {
    type Msg = Nothing;

    const SPEC: Spec = Spec {
        name: "scribe",
        variant: "plain",
        summary: "writes down what it hears",
        sources: &[],
        need: Need::Complete,
        timing: Timing::Asynchronous,
        links: Links::Any,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: bellwether_core::Reign::AtLast,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::GoesOn,
        knows: Knowledge::empty(),
        goal: Goal::EveryoneKnows,
        survives: Faults::CRASH,
        randomised: false,
        parameters: &[],
        claims: &[],
        text: "",
    };

    fn status(&self) -> Status {
        let role = if self.leader.is_some() { Role::Leader } else { Role::Undecided };
        Status { role, leader: self.leader, term: self.term, halted: false }
    }
}

/// Thinks at once, and of all at once, that they have failed.
#[derive(Clone, Debug)]
struct Gloom;

impl Detector for Gloom {
    fn start(&mut self, cx: &mut WatchCx<'_>) {
        cx.wake_at(cx.now());
    }

    fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}

    fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
        cx.peers().for_each(|peer| cx.judge(peer, Verdict::Failed));
    }

    fn patience(&self) -> Span {
        Span::default()
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}

/// A member and its disk.
struct Stage {
    elector: Elector,
    platter: Platter,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.platter.be(Mood::Quick);
    }
}

impl Stage {
    fn with<A: Algorithm>(
        detector: Option<Box<dyn Detector>>,
        mood: Mood,
        change: impl FnOnce(&mut Settings),
    ) -> Stage {
        Stage::working::<A>(detector, mood, change, Member::run)
    }

    /// A member, and a thread that does this with it.
    fn working<A: Algorithm>(
        detector: Option<Box<dyn Detector>>,
        mood: Mood,
        change: impl FnOnce(&mut Settings),
        work: impl FnOnce(Member) + Send + 'static,
    ) -> Stage {
        let mut settings = Settings {
            members: vec![Peer::new(id(1), "127.0.0.1:0")],
            security: Security::Secret(
                "bw1-c5469b98847dcf399b028e5dc6e44d7b2b9076b40e490d1b9f5578091025f85509f32a21".into(),
            ),
            ..Settings::new("test", id(1))
        };
        change(&mut settings);
        let platter = Platter::default();
        platter.be(mood);
        let stores = Stores { own: StoreId::new([1; 16]), is_new: true, peers: Vec::new() };
        let saved = Saved { boot: 1, durable: None, stores, wait: Span::default() };
        let machine = ByteMachine::new(MachineType::of::<A>(), Params::default());
        let prepared = PreparedMember::new(settings, detector, machine, saved).unwrap();
        let PreparedMember { member, disk, mut shared, .. } = prepared;
        disk.send(platter.clone()).unwrap();
        shared.thread = Mutex::new(Some(thread::spawn(move || work(member))));
        Stage { elector: Elector { shared: Arc::new(shared) }, platter }
    }

    fn alone<A: Algorithm>() -> Stage {
        Stage::with::<A>(None, Mood::Quick, |_| ())
    }

    fn campaign(&self) -> crate::Leadership {
        within(self.elector.campaign()).unwrap()
    }

    /// Until the member has done all that it was told before.
    fn settle(&self) {
        within(self.elector.traffic()).unwrap();
        within(self.elector.traffic()).unwrap();
    }
}

/// The value of a future.
fn within<T>(future: impl Future<Output = T>) -> T {
    let (mut future, begin) = (pin!(future), Instant::now());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        assert!(begin.elapsed() < LIMIT, "it takes far too long");
        thread::sleep(Duration::from_millis(1));
    }
}

fn until(is_so: impl Fn() -> bool) {
    within(std::future::poll_fn(|_| if is_so() { Poll::Ready(()) } else { Poll::Pending }));
}

/// All events until there are no more.
fn to_the_end(events: &mut crate::Events) -> Vec<Event> {
    std::iter::from_fn(|| within(events.next())).map(|happened| happened.event).collect()
}
