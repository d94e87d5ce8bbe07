//! Members with disks that do as the test wants, and with an algorithm that writes whatever it hears.

mod calls;

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

/// What becomes of writes.
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

/// What comes of a future.
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

/// All that is said until there is no more.
fn to_the_end(events: &mut crate::Events) -> Vec<Event> {
    std::iter::from_fn(|| within(events.next())).map(|happened| happened.event).collect()
}

#[test]
fn a_leader_whose_disk_stalls_loses_visibly_and_leads_again_only_when_it_is_back() {
    let stage = Stage::alone::<QuorumLease>();
    let leadership = stage.campaign();
    let mut events = stage.elector.observe();
    stage.platter.be(Mood::Stalled);
    within(leadership.lost());
    assert!(leadership.check().is_err() && !stage.elector.is_leader());
    let why = std::iter::from_fn(|| events.wait()).find_map(|happened| match happened.event {
        Event::Lost { why, .. } => Some(why),
        _ => None,
    });
    assert_eq!(why, Some(Loss::Disk));
    drop(leadership);
    let mut again = pin!(stage.elector.campaign());
    let poll = again.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(poll.is_pending(), "a leadership that is over is not handed out again");
    stage.platter.be(Mood::Quick);
    assert!(within(again).unwrap().check().is_ok());
}

/// It has no lease that would run out, and nothing more to hear: nobody but the disk brings it back.
#[test]
fn a_leader_without_a_lease_leads_again_when_its_disk_is_back() {
    for is_writing in [false, true] {
        let stage = Stage::with::<Scribe>(None, Mood::Quick, |settings| settings.always_stands = true);
        let leadership = stage.campaign();
        stage.platter.be(Mood::Stalled);
        if is_writing {
            stage.elector.request(Request::Transfer(id(1)));
        }
        within(leadership.lost());
        stage.platter.be(Mood::Quick);
        assert!(stage.campaign().check().is_ok(), "{is_writing}");
    }
}

#[test]
fn member_stays_a_candidate_from_stand_until_withdraw() {
    let stage = Stage::alone::<QuorumLease>();
    stage.elector.request(Request::Stand);
    let mut last = 0;
    for _ in 0..2 {
        until(|| stage.elector.view().epoch.is_some_and(|epoch| epoch.term > last));
        last = stage.elector.view().status.term;
        stage.elector.request(Request::Resign);
    }
    until(|| stage.elector.view().epoch.is_some_and(|epoch| epoch.term > last));
    stage.elector.request(Request::Withdraw);
    until(|| stage.elector.view().epoch.is_none());
    let mut campaign = pin!(stage.elector.campaign());
    assert!(campaign.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    stage.settle();
    assert!(!stage.elector.is_leader(), "though a caller campaigns");
    stage.elector.request(Request::Stand);
    within(campaign).unwrap();
}

#[test]
fn leader_after_resigning_has_a_new_token_though_its_lease_has_not_expired() {
    let stage = Stage::with::<QuorumLease>(None, Mood::Quick, |settings| {
        settings.always_stands = true;
        settings.profile.delay_bound = Span::from_ticks(200_000); // a lease of five seconds: longer than a disk may stall
    });
    let leadership = stage.campaign();
    stage.platter.be(Mood::Stalled);
    within(leadership.lost());
    stage.platter.be(Mood::Quick);
    let again = stage.campaign();
    assert!(again.token() > leadership.token(), "what is left of the first is told from the second");
}

#[test]
fn resignation_is_visible_before_the_disk_has_written_it() {
    let stage = Stage::alone::<Scribe>();
    let leadership = stage.campaign();
    stage.platter.be(Mood::Stalled);
    stage.elector.request(Request::Resign);
    within(leadership.lost());
    let view = stage.elector.view();
    assert_eq!((view.epoch, view.status.leader), (None, Some(id(1))), "what is not written is not said");
    stage.platter.be(Mood::Quick);
    until(|| stage.elector.view().status.leader.is_none());
}

#[test]
fn what_is_asked_again_and_again_while_the_disk_stalls_is_asked_once() {
    let stage = Stage::alone::<Scribe>();
    stage.campaign();
    stage.platter.be(Mood::Stalled);
    for _ in 0..5 {
        stage.elector.request(Request::Resign);
        stage.settle();
    }
    stage.platter.be(Mood::Quick);
    stage.settle();
    until(|| stage.elector.view().status.leader.is_none());
    stage.settle();
    assert_eq!(stage.platter.asked().len(), 2, "the one that was under way, and one more");
}

#[test]
fn what_comes_of_one_occasion_is_taken_one_at_a_time_each_after_the_write_before() {
    let stage = Stage::with::<Scribe>(Some(Box::new(Gloom)), Mood::Stalled, |settings| {
        settings.members.extend([2, 3].map(|peer| Peer::new(id(peer), "127.0.0.1:0")));
        settings.profile = Profile::FAST; // it starts before a leader tries its disk for the first time
    });
    until(|| stage.platter.asked().len() == 1);
    stage.settle();
    assert_eq!(stage.elector.view().status.term, 0, "nothing is said before it is written");
    assert_eq!(stage.platter.asked().len(), 1);
    stage.platter.be(Mood::Quick);
    until(|| stage.elector.view().status.term == 2);
    assert_eq!(stage.platter.asked(), [[1], [2]]);
}

/// The detector would not say anything for a minute.
#[test]
fn a_connection_that_closes_is_a_suspicion_at_once_whatever_the_detector_says() {
    let stage = |me: u64| {
        let detector = DetectorChoice::parse(ALGORITHMS.detectors, "heartbeat:T=1000,D=60000").unwrap();
        Stage::with::<Scribe>(Some(detector.build(Span::default())), Mood::Quick, |settings| {
            settings.members.push(Peer::new(id(2), "127.0.0.1:0"));
            settings.me = id(me);
        })
    };
    let (stage, other) = (stage(1), stage(2));
    let mut events = stage.elector.observe();
    stage.elector.set_address(id(2), other.elector.address().to_string());
    let mut next = || within(events.next()).unwrap().event;
    while next() != (Event::Connected { peer: id(2) }) {}
    until(|| stage.elector.is_leader());
    assert_eq!(stage.elector.view().status.term, 0, "nobody is suspected yet");
    other.elector.clone().stop();
    while !matches!(next(), Event::Disconnected { peer, .. } if peer == id(2)) {}
    until(|| stage.elector.view().status.term == 1);
    assert_eq!(stage.platter.asked(), [[1]]);
}

/// Judges a neighbour failed at the moment at which it is connected.
#[derive(Clone, Debug)]
struct Doorman;

impl Detector for Doorman {
    fn start(&mut self, _: &mut WatchCx<'_>) {}

    fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}

    fn on_connected(&mut self, cx: &mut WatchCx<'_>, peer: Port) {
        cx.judge(peer, Verdict::Failed);
    }

    fn on_wake(&mut self, _: &mut WatchCx<'_>) {}

    fn patience(&self) -> Span {
        Span::default()
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}

#[test]
fn detector_hears_of_each_new_connection() {
    let stage = |me: u64, detector: Option<Box<dyn Detector>>| {
        Stage::with::<Scribe>(detector, Mood::Quick, |settings| {
            settings.members.push(Peer::new(id(2), "127.0.0.1:0"));
            settings.me = id(me);
        })
    };
    let (one, two) = (stage(1, Some(Box::new(Doorman))), stage(2, None));
    until(|| one.elector.is_leader()); // it has started without the other
    let mut events = one.elector.observe();
    one.elector.set_address(id(2), two.elector.address().to_string());
    let mut next = || within(events.next()).unwrap().event;
    while next() != (Event::Connected { peer: id(2) }) {}
    assert_eq!(next(), failed(2));
}

/// A heartbeat detector one tick before its deadline, and after it.
#[test]
fn silence_begins_anew_with_a_connection() {
    for (is_connected, expected) in [(false, vec![(Port(0), Verdict::Failed)]), (true, vec![])] {
        let mut settings = Settings::new("test", id(1));
        settings.members = [1, 2].map(|peer| Peer::new(id(peer), "127.0.0.1:0")).into();
        let mut around = Surroundings::new(&settings, &Scribe::SPEC, &Params::default(), 1);
        let detector = DetectorChoice::parse(ALGORITHMS.detectors, "heartbeat:T=60,D=240").unwrap();
        let mut watch = DetectorDriver::new(detector.build(Span::default()), 1);
        let at = Time::from_ticks;
        watch.hear(DetectorInput::Start, at(0), &mut around);
        if is_connected {
            watch.hear(DetectorInput::Connected(Port(0)), at(299_999), &mut around);
        }
        assert_eq!(watch.hear(DetectorInput::Wake, at(300_000), &mut around).verdicts, expected);
        watch.hear(DetectorInput::Wake, at(599_998), &mut around);
        assert_eq!(watch.verdict(Port(0)) == Verdict::Failed, !is_connected);
        watch.hear(DetectorInput::Wake, at(599_999), &mut around);
        assert_eq!(watch.verdict(Port(0)), Verdict::Failed);
    }
}

fn watched_alone<A: Algorithm>() -> (u64, Vec<Event>) {
    let detector = DetectorChoice::parse(ALGORITHMS.detectors, "heartbeat:T=5,D=15").unwrap();
    let stage = Stage::with::<A>(Some(detector.build(Span::default())), Mood::Quick, |_| ());
    let mut events = stage.elector.observe();
    until(|| stage.elector.is_leader());
    thread::sleep(Duration::from_millis(100)); // several times the detector's patience
    let epochs = stage.elector.view().epoch.map_or(0, |epoch| epoch.number);
    stage.elector.clone().stop();
    let judged = to_the_end(&mut events).into_iter().filter(|event| matches!(event, Event::Judged { .. }));
    (epochs, judged.collect())
}

#[test]
fn detector_never_watches_its_own_member() {
    assert_eq!(watched_alone::<ChangRoberts>(), (1, vec![]));
    assert_eq!(watched_alone::<NeighbourTimeout>(), (1, vec![]));
    assert_eq!(watched_alone::<Basic>(), (1, vec![]));
    assert_eq!(watched_alone::<Franklin>(), (1, vec![]));
}

/// How long the detectors of a pair wait for a beat.
const PATIENCE_OF_PAIRS: Duration = Duration::from_secs(2);

/// Two members that are connected, with detectors whose patience is two seconds.
fn watched_pair<A: Algorithm>() -> (Stage, Stage) {
    let stage = |me: u64| {
        let detector = DetectorChoice::parse(ALGORITHMS.detectors, "heartbeat:T=50,D=1950").unwrap();
        Stage::with::<A>(Some(detector.build(Span::default())), Mood::Quick, |settings| {
            settings.members.push(Peer::new(id(2), "127.0.0.1:0"));
            settings.me = id(me);
        })
    };
    let (one, two) = (stage(1), stage(2));
    one.elector.set_address(id(2), two.elector.address().to_string());
    let has_leader = |stage: &Stage| stage.elector.view().status.leader.is_some();
    until(|| has_leader(&one) && has_leader(&two)); // by now they have started
    (one, two)
}

fn failed(peer: u64) -> Event {
    Event::Judged { peer: id(peer), verdict: Verdict::Failed }
}

/// In a two-way ring of two both ports lead to the other member.
#[test]
fn beats_are_heard_at_both_ports_of_a_ring_of_two() {
    let (one, two) = watched_pair::<Franklin>();
    let mut events = one.elector.observe();
    thread::sleep(PATIENCE_OF_PAIRS + PATIENCE_OF_PAIRS / 2);
    let status = one.elector.view().status;
    assert_eq!((status.leader, two.elector.view().status.leader), (Some(id(2)), Some(id(2))));
    one.elector.clone().stop();
    let said = to_the_end(&mut events);
    assert!(!said.contains(&failed(2)), "the other beat all the time: {said:?}");
}

#[test]
fn member_that_waits_for_its_disk_beats_and_hears_beats() {
    let (one, two) = watched_pair::<Scribe>();
    let (mut events, mut others) = (one.elector.observe(), two.elector.observe());
    one.platter.be(Mood::Stalled);
    one.elector.request(Request::Transfer(id(1))); // is written down
    let mut said = Vec::new();
    while said.last() != Some(&Event::DiskStalled) {
        said.push(within(events.next()).unwrap().event); // for longer than the detectors' patience
    }
    assert!(!said.contains(&failed(2)), "it heard the other: {said:?}");
    two.elector.clone().stop();
    let said = to_the_end(&mut others);
    assert!(!said.contains(&failed(1)), "the other heard it: {said:?}");
}

#[test]
fn member_that_was_held_up_hears_what_came_before_it_judges() {
    let (one, two) = watched_pair::<Scribe>();
    let (mut events, mut others) = (one.elector.observe(), two.elector.observe());
    one.elector.request(Request::Dismiss(id(2)));
    let mut next = || within(others.next()).unwrap().event;
    while next() != failed(1) {} // it is silent for too long
    while next() != (Event::Judged { peer: id(1), verdict: Verdict::Working }) {}
    one.elector.clone().stop();
    let said = to_the_end(&mut events);
    assert!(!said.contains(&failed(2)), "the other beat all the time: {said:?}");
}

#[test]
fn a_member_that_panics_leads_no_longer_and_ends_with_a_word() {
    let stage = Stage::alone::<Scribe>();
    let mut events = stage.elector.observe();
    let leadership = stage.campaign();
    stage.elector.request(Request::Admit(id(2)));
    within(leadership.lost());
    assert!(leadership.check().is_err() && !stage.elector.is_leader());
    let said = to_the_end(&mut events);
    assert!(said.contains(&Event::Lost { term: 0, why: Loss::Failed }), "{said:?}");
    assert!(
        matches!(said.last(), Some(Event::Stopped { why: Some(why) }) if why.contains("bug")),
        "{said:?}"
    );
    assert!(within(stage.elector.campaign()).is_err());
}

#[test]
fn a_leader_whose_disk_fails_says_that_it_was_the_disk() {
    let stage = Stage::alone::<Scribe>();
    let mut events = stage.elector.observe();
    drop(stage.campaign());
    stage.platter.be(Mood::Broken);
    let said = to_the_end(&mut events);
    assert!(said.contains(&Event::Lost { term: 0, why: Loss::Disk }), "{said:?}");
}

#[test]
fn stop_does_not_wait_forever_for_a_stalled_disk() {
    let stage = Stage::alone::<Scribe>();
    let leadership = stage.campaign();
    stage.platter.be(Mood::Stalled);
    stage.elector.request(Request::Resign);
    within(leadership.lost());
    let (elector, stopped) = (stage.elector.clone(), Arc::new(Mutex::new(false)));
    let stops = stopped.clone();
    thread::spawn(move || {
        elector.stop();
        *stops.lock().unwrap() = true;
    });
    until(|| *stopped.lock().unwrap());
    assert!(stage.elector.view().is_over);
}

#[test]
fn a_leadership_that_is_over_ends_no_later_one_and_keeps_none_alive() {
    let stage = Stage::alone::<QuorumLease>();
    let (first, also_first) = (stage.campaign(), stage.campaign());
    stage.elector.resign().unwrap();
    within(first.lost());
    let second = stage.campaign();
    within(first.resign()).unwrap();
    stage.settle();
    assert!(second.check().is_ok(), "another resigned, of a leadership that was over");
    drop(second);
    until(|| !stage.elector.is_leader());
    assert!(also_first.check().is_err());
}

#[test]
fn what_is_dropped_is_given_up_unless_another_holds_it() {
    let stage = Stage::alone::<QuorumLease>();
    let (first, second) = (stage.campaign(), stage.campaign());
    drop(first);
    stage.settle();
    assert!(second.check().is_ok());
    drop(second);
    until(|| stage.elector.view().status.leader.is_none());
}

#[test]
fn dropped_leadership_is_given_up_though_a_campaign_begins_at_once() {
    let stage = Stage::alone::<QuorumLease>();
    let first = stage.campaign();
    let epoch = stage.elector.view().epoch;
    drop(first);
    let second = stage.campaign();
    until(|| stage.elector.view().epoch != epoch);
    drop(second);
}

#[test]
fn a_member_that_always_stands_gives_up_what_is_dropped_and_stands_again() {
    let stage = Stage::with::<QuorumLease>(None, Mood::Quick, |settings| settings.always_stands = true);
    let leadership = stage.campaign();
    let before = stage.elector.view().epoch.unwrap().number;
    drop(leadership);
    until(|| stage.elector.view().epoch.is_some_and(|epoch| epoch.number > before));
}

#[test]
fn hand_over_fails_at_once_where_the_algorithm_has_none() {
    let stage = Stage::alone::<Scribe>();
    let leadership = stage.campaign();
    assert_eq!(within(leadership.resign()), Err(NoHandOver("scribe")));
    assert_eq!(stage.elector.resign(), Err(NoHandOver("scribe")));
    assert_eq!(stage.elector.transfer(id(1)), Err(NoHandOver("scribe")));
    stage.settle();
    assert!(stage.elector.is_leader(), "it leads whether anybody holds its leadership or not");
    assert!(stage.campaign().check().is_ok());
}

/// Members of `itai-rodeh` know whether they lead, and no names.
#[test]
fn member_whose_algorithm_names_no_leader_is_elected_once() {
    let stage = Stage::with::<ItaiRodeh>(None, Mood::Quick, |settings| settings.profile = Profile::FAST);
    until(|| stage.elector.is_leader());
    thread::sleep(Duration::from_millis(300)); // several times the patience with an election
    assert_eq!(stage.elector.view().epoch.map(|epoch| epoch.number), Some(1));
}
