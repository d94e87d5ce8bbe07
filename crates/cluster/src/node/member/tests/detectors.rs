//! What a member hears of its connections and from its failure detector.

use super::*;

/// The detector would be silent for a minute.
#[test]
fn closed_connection_is_a_suspicion_at_once_whatever_the_detector_says() {
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
    assert_eq!(stage.elector.view().status.term, 0, "no member is suspected yet");
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
