use super::*;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

const AT: Time = Time::ZERO;

/// Member 1, and all its events.
fn onlooker() -> (StatusPublisher, crate::Events) {
    let publisher = StatusPublisher::new(id(1));
    let events = publisher.events(Clock::new()).observe();
    (publisher, events)
}

/// What comes next: it must be there.
fn next(events: &mut crate::Events) -> Option<Event> {
    let next = pin!(events.next()).poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(next) = next else { panic!("neither an event nor the end") };
    next.map(|happened| happened.event)
}

impl StatusPublisher {
    fn is_ready(&self) -> bool {
        self.view.borrow().is_ready
    }

    /// This one leads, as far as is known; in the member's own epoch of this number, if it is itself.
    fn led(&mut self, leader: Option<u64>, term: u64, epoch: u64) {
        let leader = leader.map(id);
        let epoch = (leader == Some(self.member)).then_some(LeaderEpoch { number: epoch, term });
        self.show(AT, Status { leader, term, ..Status::UNDECIDED }, epoch);
    }
}

#[test]
fn a_leader_that_was_ready_before_it_was_known_is_ready() {
    let (mut publisher, mut events) = onlooker();
    publisher.show_ready(AT, id(2), 5);
    assert!(!publisher.is_ready(), "no leader is known");
    publisher.led(Some(3), 4, 0);
    assert!(!publisher.is_ready(), "this one has not said so");
    publisher.led(Some(2), 5, 0);
    assert!(publisher.is_ready());
    publisher.end(AT, None);
    drop(publisher);
    let said: Vec<Event> = std::iter::from_fn(|| next(&mut events)).collect();
    let (former, leader) = (id(3), id(2));
    let told = [
        Event::Elected { leader: former, term: 4 },
        Event::Elected { leader, term: 5 },
        Event::Ready { leader, term: 5 },
        Event::Stopped { why: None },
    ];
    assert_eq!(said, told);
}

#[test]
fn leader_that_is_named_again_in_its_term_is_still_ready() {
    let (mut publisher, _events) = onlooker();
    publisher.led(Some(2), 5, 0);
    publisher.show_ready(AT, id(2), 5);
    assert!(publisher.is_ready());
    publisher.led(None, 5, 0);
    assert!(!publisher.is_ready());
    publisher.show_ready(AT, id(3), 4); // it led before, and was slow to say so
    publisher.led(Some(2), 5, 0);
    assert!(publisher.is_ready());
    publisher.led(Some(2), 6, 0);
    assert!(!publisher.is_ready(), "of another term it has not said so");
}

#[test]
fn without_terms_a_member_that_leads_again_must_say_again_that_it_is_ready() {
    let (mut publisher, _events) = onlooker();
    publisher.led(Some(2), 0, 0);
    publisher.show_ready(AT, id(2), 0);
    assert!(publisher.is_ready());
    publisher.led(Some(1), 0, 1);
    assert!(!publisher.is_ready(), "it is another's readiness");
    publisher.led(Some(2), 0, 0);
    assert!(!publisher.is_ready());
    publisher.led(Some(1), 0, 2);
    publisher.show_ready(AT, id(1), 0);
    assert!(publisher.is_ready());
    publisher.show_loss(AT, 0, Loss::Expired);
    assert!(!publisher.is_ready() && publisher.view.borrow().epoch.is_none());
    publisher.led(Some(1), 0, 3);
    assert!(!publisher.is_ready(), "another epoch of its own");
}

#[test]
fn slow_observer_is_told_how_many_events_it_missed() {
    let (publisher, mut events) = onlooker();
    for _ in 0..BACKLOG + 5 {
        publisher.say(AT, Event::DiskBack);
    }
    assert_eq!(next(&mut events), Some(Event::Missed { count: 5 }));
    assert_eq!(next(&mut events), Some(Event::DiskBack));
}

#[test]
fn streams_end_with_the_member_for_late_observers_too() {
    let mut publisher = StatusPublisher::new(id(1));
    let source = publisher.events(Clock::new());
    let mut early = [source.observe(), source.observe()];
    publisher.end(AT, Some("it is over".to_owned()));
    let mut between = source.observe();
    drop(publisher);
    let mut late = source.observe();
    for events in early.iter_mut().chain([&mut between, &mut late]) {
        let last = Event::Stopped { why: Some("it is over".to_owned()) };
        assert_eq!(next(events), Some(last));
        assert_eq!(next(events), None);
    }
}
