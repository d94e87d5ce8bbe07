//! Runs that go on for ever: when they are over, and what is right where too few are left to elect.

use crate::support::beacon::{BEACONS, BEAT, Beacon};
use crate::support::{complete, hops, id, with_script};
use bellwether_core::*;
use bellwether_sim::scenario::{Draft, Scenario, write};
use bellwether_sim::swarm::{self, Case, Model, Options, draw_for};
use bellwether_sim::{
    Ending, Event, Limits, Members, Outcome, PATIENCE, Plan, Report, RoundMode, SETTLING, Setup, Stop,
    Survivor, rule, run_events, simulate,
};
use std::path::Path;

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
fn whoever_was_dismissed_is_judged_as_if_it_did_not_vote() {
    let dismissed = |id: u64| Event::Request(Request::Dismiss(crate::support::id(id)));
    // Beacons know no requests: the best goes on, and should not for ever, though it may for a while.
    let report = run(with_script(complete(5), &[(dismissed(5), 1, 10.0)]));
    assert_eq!(report.ruling.unsafe_because, None);
    let why = report.ruling.not_live_because.expect("5 should not lead");
    assert!(why.ends_with("takes 5 for the leader, but the best live member is 4"), "{why}");
    // Two of five are too few, and two of the three that are left are not.
    let mut plan = five_without(&[1, 2, 3]);
    let judged = |plan: &Plan| {
        let status = Status::UNDECIDED;
        let live = [3, 4].into_iter().map(|member| Survivor { member, status, took_part: true });
        rule(&<Beacon<false> as Protocol>::SPEC, plan, live, Ending::ByItself).is_right()
    };
    assert!(judged(&plan));
    plan.script.extend(with_script(complete(5), &[(dismissed(1), 4, 11.0), (dismissed(2), 4, 12.0)]).script);
    assert!(!judged(&plan), "somebody should lead");
    let admitted = Event::Request(Request::Admit(id(2)));
    plan.script.extend(with_script(complete(5), &[(admitted, 4, 13.0)]).script);
    assert!(judged(&plan), "two of four");
}

/// What somebody sees of members 0 to 2, of whom these lead and each names one.
fn seen(leading: [bool; 3], named: [u64; 3]) -> impl Iterator<Item = Survivor> + Clone {
    (0..).zip(leading.into_iter().zip(named)).map(|(member, (leads, named))| {
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
        let ruling = rule(&spec, &plan, seen(leading, named), Ending::AtALimit);
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

fn five() -> Setup {
    Setup { members: Some(Members::Ids((1..=5).map(id).collect())), ..Setup::default() }
}

#[test]
fn duties_that_cannot_be_are_refused() {
    let lasting = <Beacon<false> as Protocol>::SPEC;
    let refused = |spec: &Spec, witnesses: &[u64], observers: &[u64]| {
        let ids = |ids: &[u64]| ids.iter().map(|&value| id(value)).collect();
        let setup = Setup { witnesses: ids(witnesses), observers: ids(observers), ..five() };
        setup.plan(spec, 1).map(|plan| plan.duties).map_err(|error| error.to_string())
    };
    use Duty::{Full, Observer, Witness};
    assert_eq!(
        refused(&lasting, &[3], &[1, 5]).as_deref(),
        Ok(&[Observer, Full, Witness, Full, Observer][..])
    );
    assert_eq!(refused(&crate::support::TOY, &[], &[]).as_deref(), Ok(&[][..]));
    let cases: [(&Spec, &[u64], &[u64], &str); 5] = [
        (&crate::support::TOY, &[3], &[], "in toy every member votes and may lead: leave out --witnesses"),
        (&crate::support::TOY, &[], &[3], "in toy every member votes and may lead: leave out --observers"),
        (&lasting, &[9], &[], "witness 9 is not a member; the members are 1, 2, 3, 4, 5"),
        (&lasting, &[3], &[3], "member 3 is named twice: it is a witness or an observer, once"),
        (
            &lasting,
            &[1, 2],
            &[3, 4, 5],
            "nobody is left that may lead: name fewer --witnesses or --observers",
        ),
    ];
    for (spec, witnesses, observers, problem) in cases {
        assert_eq!(refused(spec, witnesses, observers), Err(problem.to_owned()));
    }
}

#[test]
fn a_scenario_keeps_what_is_asked_of_whom_and_what_they_are_there_for() {
    let at = |hop: u64| hops(hop as f64);
    let requests = [
        Request::Resign,
        Request::Transfer(id(2)),
        Request::Admit(id(5)),
        Request::Dismiss(id(1)),
        Request::Withdraw,
        Request::Stand,
    ];
    let script =
        requests.into_iter().zip(3..).map(|(request, hop)| (id(4), Event::Request(request), at(hop)));
    let setup = Setup {
        witnesses: vec![id(3)],
        observers: vec![id(1), id(5)],
        drift_bound: Some(500),
        params: Params::parse(BEACONS.entries[0].spec.parameters, "beat=7").expect("it can be so"),
        script: script.collect(),
        ..five()
    };
    let spec = BEACONS.entries[0].spec;
    let plan = setup.plan(spec, 1).expect("it fits");
    let report = simulate(&BEACONS.entries[0], &plan, RoundMode::Auto);
    let text = write(&Draft { title: "T", about: "A", spec, setup: &setup, seed: 1, report: &report });
    let scenario =
        Scenario::parse(&text, Path::new("t.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut resolved = scenario.resolve(&BEACONS).unwrap_or_else(|error| panic!("{error}\n{text}"));
    resolved.plan.limits.messages = plan.limits.messages; // scenarios give up sooner
    assert_eq!(format!("{:?}", resolved.plan), format!("{plan:?}"), "{text}");
    assert!(scenario.expect.check(&resolved.play()).is_empty(), "{text}");
}

#[test]
fn a_swarm_leaves_lasting_runs_the_time_to_settle() {
    let options = Options::usual(BEACONS.detectors);
    for model in Model::ALL {
        for seed in 0..30 {
            let case = Case { choice: BEACONS.choice(0), model, seed };
            let setup = draw_for(&BEACONS, case, &options);
            let plan = setup.plan(BEACONS.entries[0].spec, seed).expect("it fits");
            assert!(plan.limits.time > plan.settles_at(), "{model} {seed}");
            let class = swarm::run(&BEACONS, case, &options).expect("it can be run").class;
            // Beats are heard anew each time, so whatever ceases is forgotten. Clocks that go on drifting apart and
            // members that go on lying are another matter.
            let ceases = !matches!(model, Model::Drift | Model::Lie | Model::Mix);
            assert!(!ceases || !class.is_failure(), "{model} {seed}: {class}");
        }
    }
}

#[test]
fn a_setup_gives_up_in_time() {
    let limit = |spec: &Spec| five().plan(spec, 1).expect("it fits").limits.time;
    let lasting = <Beacon<false> as Protocol>::SPEC;
    assert_eq!(limit(&lasting), Time::ZERO + PATIENCE);
    assert_eq!(limit(&Spec { lasting: Lasting::Ends, ..lasting }), Time::NEVER);
}
