//! What becomes of a description: what members are told, when a run is given up, and what is refused.

use bellwether_core::*;
use bellwether_runspec::{Attributes, Callers, PATIENCE, RunSpec};
use bellwether_sim::{Plan, SetupError};
use bellwether_testkit::toys::beacon::{BEACONS, Beacon};
use bellwether_testkit::toys::{TOY, id};

fn with_bound(ids: &[u64], bound: Option<u64>) -> RunSpec {
    let ids = ids.iter().map(|&value| id(value)).collect();
    RunSpec { ids, id_bound: bound, ..RunSpec::default() }
}

fn plan(setup: &RunSpec) -> Result<Plan, SetupError> {
    setup.plan(&TOY, 0)
}

#[test]
fn members_are_told_the_greatest_id_there_is_unless_a_bound_is_given() {
    let ids = |values: &[u64], bound| plan(&with_bound(values, bound)).expect("it can be run").range.ids;
    assert_eq!(ids(&[3, 9, 5], None), (1, 9));
    assert_eq!(ids(&[3, 0, 5], None), (0, 5));
    assert_eq!(ids(&[3, 9, 5], Some(9)), (1, 9));
    assert_eq!(ids(&[3, 9, 5], Some(20)), (1, 20));
    assert_eq!(ids(&[3, 9, 5], Some(u64::MAX)), (1, Id::MAX), "there are no greater ids");
}

#[test]
fn attributes_range_from_the_least_to_the_greatest_there_is() {
    let setup =
        RunSpec { attributes: Attributes::Listed(vec![-4, 7, 0]), ..with_bound(&[3, 9, 5], Some(20)) };
    let range = plan(&setup).expect("it can be run").range;
    assert_eq!(range, RankRange { ids: (1, 20), attributes: (-4, 7) });
}

#[test]
fn a_bound_below_an_id_is_refused() {
    let refused = plan(&with_bound(&[3, 9, 5], Some(8))).expect_err("9 is above 8");
    assert!(matches!(refused, SetupError::AboveIdBound { id: 9, bound: 8 }));
    let message = refused.to_string();
    assert!(message.contains("id 9 is above") && message.contains("raise `id_bound`"), "{message}");
}

/// Claims a number of rounds that has to do with the range only.
const SLOW: Spec = Spec {
    name: "slow",
    claims: &[
        Claim {
            name: "leader_round",
            measure: Measure::LeaderRound,
            formula: "few",
            expect: |_| Some(Expect::Exactly(1.0)),
        },
        Claim {
            name: "rounds",
            measure: Measure::Rounds,
            formula: "the tenth power of the greatest id",
            expect: |run| Some(Expect::Exactly((run.range.ids.1 as f64).powi(10))),
        },
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "many, but that is another matter",
            expect: |_| Some(Expect::Exactly(1e300)),
        },
    ],
    ..TOY
};

#[test]
fn what_would_take_more_rounds_than_can_be_counted_is_refused() {
    let refusal = |bound| with_bound(&[1, 2], Some(bound)).plan(&SLOW, 0).err().map(|why| why.to_string());
    assert_eq!(refusal(31), None, "31^10 is less than 10^15");
    let message = refusal(32).expect("32^10 is more");
    for words in ["slow would need about 1.1e15 rounds", "the tenth power", "a lower `id_bound`"] {
        assert!(message.contains(words), "no '{words}' in: {message}");
    }
}

#[test]
fn the_refusal_can_name_numbers_beyond_all_numbers() {
    let eternal = Spec {
        claims: &[Claim {
            name: "rounds",
            measure: Measure::Rounds,
            formula: "too many",
            expect: |_| Some(Expect::Exactly(f64::INFINITY)),
        }],
        ..SLOW
    };
    let refused = with_bound(&[1, 2], None).plan(&eternal, 0).expect_err("it never ends").to_string();
    assert!(refused.contains("more than 1.8e308 rounds (too many)"), "{refused}");
}

fn five() -> RunSpec {
    RunSpec { ids: (1..=5).map(id).collect(), ..RunSpec::default() }
}

#[test]
fn duties_that_cannot_be_are_refused() {
    let lasting = <Beacon<false> as Protocol>::SPEC;
    let refused = |spec: &Spec, witnesses: &[u64], observers: &[u64]| {
        let ids = |ids: &[u64]| ids.iter().map(|&value| id(value)).collect();
        let setup = RunSpec { witnesses: ids(witnesses), observers: ids(observers), ..five() };
        setup.plan(spec, 1).map(|plan| plan.duties).map_err(|error| error.to_string())
    };
    use Duty::{Full, Observer, Witness};
    assert_eq!(
        refused(&lasting, &[3], &[1, 5]).as_deref(),
        Ok(&[Observer, Full, Witness, Full, Observer][..])
    );
    assert_eq!(refused(&TOY, &[], &[]).as_deref(), Ok(&[][..]));
    let cases: [(&Spec, &[u64], &[u64], &str); 5] = [
        (&TOY, &[3], &[], "in toy every member votes and may lead: leave out `witnesses`"),
        (&TOY, &[], &[3], "in toy every member votes and may lead: leave out `observers`"),
        (&lasting, &[9], &[], "witness 9 is not a member; the members are 1, 2, 3, 4, 5"),
        (&lasting, &[3], &[3], "member 3 is named twice: it is a witness or an observer, once"),
        (
            &lasting,
            &[1, 2],
            &[3, 4, 5],
            "nobody is left that may lead: name fewer `witnesses` or `observers`",
        ),
    ];
    for (spec, witnesses, observers, problem) in cases {
        assert_eq!(refused(spec, witnesses, observers), Err(problem.to_owned()));
    }
}

#[test]
fn a_setup_gives_up_in_time() {
    let limit = |spec: &Spec| five().plan(spec, 1).expect("it fits").limits.time;
    let lasting = <Beacon<false> as Protocol>::SPEC;
    assert_eq!(limit(&lasting), Time::ZERO + PATIENCE);
    assert_eq!(limit(&Spec { lasting: Lasting::Ends, ..lasting }), Time::NEVER);
}

#[test]
fn what_cannot_be_started_again_is_refused() {
    let refusal = |spec: Spec, run: &RunSpec| run.plan(&spec, 0).expect_err("it is refused").to_string();
    let of_three = |restart_after| RunSpec {
        nodes: Some(3),
        order: Some(Order::Worst),
        restart_after,
        ..RunSpec::default()
    };
    let cases = [
        (TOY, Some(0), "1 delay bound or more"),
        (Spec { starts: Starts::Everyone, ..TOY }, Some(50), "every member starts by itself"),
        (Spec { need: Need::OneWayRing, ..TOY }, Some(50), "numbers elections"),
    ];
    for (spec, restart_after, why) in cases {
        let refused = refusal(spec, &of_three(restart_after));
        assert!(refused.contains(why), "{refused}");
    }
    // A ring that makes good a crash by itself is called like any other network.
    let repaired = Spec { need: Need::OneWayRing, survives: Faults::CRASH, ..TOY };
    let plan = of_three(Some(50)).plan(&repaired, 0).expect("it can be run");
    assert_eq!(plan.topology.n(), 3);
    let slow = RunSpec { delay_bound: Some(HOP * 2), ..of_three(Some(50)) };
    assert_eq!(slow.plan(&TOY, 0).expect("it can be run").restart_after, Some(HOP * 100), "in delay bounds");
    // Nobody need call at the beginning.
    let nobody = RunSpec { initiators: Callers::Ids(Vec::new()), ..of_three(Some(50)) };
    assert!(nobody.plan(&TOY, 0).is_ok());
    assert!(RunSpec { restart_after: None, ..nobody }.plan(&TOY, 0).is_err());
}

#[test]
fn a_plan_has_the_parameters_that_stand_behind_the_algorithms_name() {
    let choice = BEACONS.choose("beacon:beat=11").expect("it is listed");
    let plan = |algorithm: &str| RunSpec { nodes: Some(3), ..RunSpec::of(algorithm) }.plan(choice.spec, 1);
    assert_eq!(plan("beacon:beat=11").expect("it can be run").params, choice.params);
    assert_eq!(plan("beacon").expect("it can be run").params, Params::default());
    let refused = plan("beacon:beta=11").expect_err("there is no such parameter").to_string();
    assert!(refused.contains("there is no 'beta'"), "{refused}");
}
