//! Runs that go on for ever: when they are over, and what is right where too few are left to elect.

use bellwether_core::FaultEvent;
use bellwether_core::*;
use bellwether_sim::{
    Ending, Limits, Live, Outcome, Plan, Report, SETTLING, Stop, Survivor, rule, run_events,
};
use bellwether_testkit::toys::beacon::{BEAT, Beacon};
use bellwether_testkit::toys::{complete, hops, id, with_script};

fn run(plan: Plan) -> Report {
    run_with::<false>(plan)
}

fn run_with<const STUBBORN: bool>(mut plan: Plan) -> Report {
    plan.limits = Limits { time: hops(1_000.0), ..Limits::default() };
    let spec = &<Beacon<STUBBORN> as Protocol>::SPEC;
    run_events(MachineType::of::<Beacon<STUBBORN>>(), &plan, &mut (), Stop::of(spec))
}

/// Five members, of which these crash after ten hops.
fn five_without(ids: &[u64]) -> Plan {
    let script: Vec<_> = ids.iter().map(|&id| (FaultEvent::Crash, id, 10.0)).collect();
    with_script(complete(5), &script)
}

/// The first beat at this hop or later.
fn beat_from(hop: u64) -> Time {
    hops((hop.div_ceil(BEAT) * BEAT) as f64)
}

#[test]
fn a_calm_run_is_over_when_it_is_right() {
    let report = run(complete(5));
    assert!(report.is_as_it_should_be() && report.finished, "{:?}", report.ruling);
    assert_eq!(report.ruling.leader, Some(id(5)));
    assert_eq!(report.time, hops(BEAT as f64));
    // All that were sent by then: everyone's to everyone, at the beginning and now.
    assert_eq!(report.messages.total, 2 * 5 * 4);
}

#[test]
fn what_goes_wrong_has_time_to_show() {
    let report = run(five_without(&[5]));
    assert!(report.is_as_it_should_be(), "{:?}", report.ruling);
    assert_eq!(report.ruling.leader, Some(id(4)));
    // Somebody's beat arrives, or all beat, whatever is first; beats arrive a hop later.
    let (after, until) = (10 + SETTLING, report.time);
    assert!(until >= hops(after as f64) && until <= beat_from(after), "{until}");
    // The same where links lose something: until it ceases, and if that is never, from the beginning.
    let mut plan = complete(5);
    (plan.link_faults.loss, plan.link_faults.until) = (0.2, hops(30.0));
    let until = run(plan.clone()).time;
    assert!(until >= hops((30 + SETTLING) as f64) && until <= beat_from(30 + SETTLING), "{until}");
    plan.link_faults.until = Time::NEVER;
    assert!(run(plan).time >= hops(SETTLING as f64));
}

#[test]
fn without_a_majority_nobody_leads_and_that_is_right() {
    let report = run(five_without(&[4, 5]));
    assert_eq!((report.ruling.outcome, report.ruling.leader), (Outcome::Elected, Some(id(3))));
    let report = run(five_without(&[1, 4, 5]));
    assert_eq!((report.ruling.outcome, report.ruling.leader), (Outcome::None, None));
    assert!(report.is_as_it_should_be() && report.finished, "{:?}", report.ruling);
    // Whoever leads on is wrong, and the run does not come right.
    let report = run_with::<true>(five_without(&[1, 4, 5]));
    let why = report.ruling.not_live_because.expect("it leads on");
    assert_eq!(why, "member 3 leads on without a majority of those who vote");
    assert!(!report.finished);
}

#[test]
fn duties_say_who_votes_and_who_may_lead() {
    use Duty::{Full, Observer, Witness};
    let with = |duties: [Duty; 5], dead: &[u64]| run(Plan { duties: duties.to_vec(), ..five_without(dead) });
    // The best of those that may lead.
    let report = with([Full, Full, Full, Witness, Observer], &[]);
    assert_eq!(report.ruling.leader, Some(id(3)));
    assert!(report.is_as_it_should_be(), "{:?}", report.ruling);
    // Two of three voters are a majority, whoever looks on; one is not.
    let report = with([Full, Full, Full, Observer, Observer], &[3]);
    assert_eq!(report.ruling.leader, Some(id(2)));
    let report = with([Full, Full, Full, Observer, Observer], &[2, 3]);
    assert_eq!((report.ruling.leader, report.ruling.is_right()), (None, true), "{:?}", report.ruling);
    // A majority of which nobody may lead.
    let report = with([Full, Witness, Witness, Witness, Observer], &[1]);
    assert_eq!((report.ruling.leader, report.ruling.is_right()), (None, true), "{:?}", report.ruling);
}

#[test]
fn whoever_was_dismissed_is_judged_as_if_it_did_not_vote() {
    let dismissed = |id: u64| FaultEvent::Request(Request::Dismiss(bellwether_testkit::toys::id(id)));
    // Beacons know no requests: the best goes on, and should not for ever, though it may for a while.
    let report = run(with_script(complete(5), &[(dismissed(5), 1, 10.0)]));
    assert_eq!(report.ruling.unsafe_because, None);
    let why = report.ruling.not_live_because.expect("5 should not lead");
    assert!(why.ends_with("takes 5 for the leader, but the best live member is 4"), "{why}");
    // Two of five are too few, and two of the three that are left are not.
    let mut plan = five_without(&[1, 2, 3]);
    let judged = |plan: &Plan| {
        let status = Status::UNDECIDED;
        let live = [3, 4].map(|member| Survivor { member, status, took_part: true });
        rule(&<Beacon<false> as Protocol>::SPEC, plan, Live::Listed(&live), Ending::ByItself).is_right()
    };
    assert!(judged(&plan));
    plan.script.extend(with_script(complete(5), &[(dismissed(1), 4, 11.0), (dismissed(2), 4, 12.0)]).script);
    assert!(!judged(&plan), "somebody should lead");
    let admitted = FaultEvent::Request(Request::Admit(id(2)));
    plan.script.extend(with_script(complete(5), &[(admitted, 4, 13.0)]).script);
    assert!(judged(&plan), "two of four");
}

/// What somebody sees of members 0 to 2, of whom these lead and each names one.
fn seen(leading: [bool; 3], named: [u64; 3]) -> [Survivor; 3] {
    [0, 1, 2].map(|member| {
        let (leads, named) = (leading[member as usize], named[member as usize]);
        let role = if leads { Role::Leader } else { Role::Follower };
        let status = Status { role, leader: Some(id(named)), ..Status::UNDECIDED };
        Survivor { member, status, took_part: true }
    })
}

#[test]
fn where_members_go_on_only_what_may_never_be_is_unsafe() {
    let plan = complete(3);
    let beacon = <Beacon<false> as Protocol>::SPEC;
    let sentence = |lasting, reign, leading, named| {
        let spec = Spec { lasting, reign, ..beacon };
        let ruling = rule(&spec, &plan, Live::Listed(&seen(leading, named)), Ending::AtALimit);
        assert!(ruling.wrongly_led && !ruling.is_right(), "{ruling:?}");
        (ruling.unsafe_because, ruling.not_live_because.unwrap_or_default())
    };
    let worse = "member 1 takes 2 for the leader, but the best live member is 3";
    let both = "members 2 and 3 both lead";
    for reign in [Reign::PerTerm, Reign::Leased, Reign::AtLast] {
        // A worse one leads.
        let (danger, missing) = sentence(Lasting::GoesOn, reign, [false, true, false], [2, 2, 2]);
        assert_eq!((danger, missing.as_str()), (None, worse), "{reign:?}");
    }
    let (danger, _) = sentence(Lasting::Ends, Reign::Leased, [false, true, false], [2, 2, 2]);
    assert_eq!(danger.as_deref(), Some(worse), "it is settled");
    // Two lead: that is never to be, or not for ever.
    let two = |lasting, reign| sentence(lasting, reign, [false, true, true], [3, 3, 3]);
    for reign in [Reign::AtOnce, Reign::Leased] {
        assert!(two(Lasting::GoesOn, reign).0.is_some_and(|why| why.starts_with(both)), "{reign:?}");
    }
    for reign in [Reign::PerTerm, Reign::AtLast] {
        let (danger, missing) = two(Lasting::GoesOn, reign);
        assert!(danger.is_none() && missing.starts_with(both), "{reign:?}: {danger:?}, {missing}");
        assert!(two(Lasting::Ends, reign).0.is_some_and(|why| why.starts_with(both)), "{reign:?}");
    }
}
