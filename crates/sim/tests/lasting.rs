//! Runs that go on for ever: when they are over, and what is right where too few are left to elect.

mod support;

use bellwether_core::*;
use bellwether_sim::{
    Event, Limits, Members, Outcome, PATIENCE, Plan, Report, SETTLING, Setup, Stop, run_events,
};
use support::beacon::{BEAT, Beacon};
use support::{complete, hops, id, with_script};

fn run(plan: Plan) -> Report {
    run_with::<false>(plan)
}

fn run_with<const STUBBORN: bool>(mut plan: Plan) -> Report {
    plan.limits = Limits { time: hops(1_000.0), ..Limits::default() };
    let spec = &<Beacon<STUBBORN> as Protocol>::SPEC;
    run_events::<Beacon<STUBBORN>, ()>(&plan, &mut (), Stop::of(spec))
}

/// Five members, of which these crash after ten hops.
fn five_without(ids: &[u64]) -> Plan {
    let script: Vec<_> = ids.iter().map(|&id| (Event::Crash, id, 10.0)).collect();
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
fn a_setup_gives_up_in_time() {
    let members = Some(Members::Count { n: 5, order: Order::Best });
    let setup = Setup { members, ..Setup::default() };
    let limit = |spec: &Spec| setup.plan(spec, 1).expect("it fits").limits.time;
    let lasting = <Beacon<false> as Protocol>::SPEC;
    assert_eq!(limit(&lasting), Time::ZERO + PATIENCE);
    assert_eq!(limit(&Spec { lasting: Lasting::Ends, ..lasting }), Time::NEVER);
}
