//! What a member does while its disk stalls, and when the disk fails.

use super::*;

#[test]
fn leader_loses_visibly_when_its_disk_stalls_and_leads_again_when_it_is_back() {
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

/// The leader has no lease that would run out and no message to wait for: only the disk brings it back.
#[test]
fn leader_without_a_lease_leads_again_when_its_disk_is_back() {
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
fn repeated_request_is_taken_once_while_the_disk_stalls() {
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
fn inputs_of_one_occasion_are_taken_one_at_a_time_each_after_the_write_before() {
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

#[test]
fn leader_whose_disk_fails_reports_the_disk_as_the_reason() {
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
