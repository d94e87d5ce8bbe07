//! How leadership begins and ends: campaigns, handles that are dropped, requests.

use super::*;

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
fn member_that_panics_leads_no_longer_and_reports_why_it_ends() {
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
fn past_leadership_neither_ends_nor_keeps_a_later_one() {
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
fn dropped_leadership_is_given_up_unless_another_handle_holds_it() {
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
fn member_that_is_always_a_candidate_gives_up_a_dropped_leadership_and_is_a_candidate_again() {
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
    assert!(stage.elector.is_leader(), "it leads even if no caller holds its leadership");
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
