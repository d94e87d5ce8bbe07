//! Each check of the conformance suite finds an algorithm with exactly the fault that it looks for.

use crate::support::conformance::{self, Check, complaints_about_names, complaints_about_spec};
use crate::support::subject::Subject;
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_core::{Claim, Kind, Protocol, Spec, Time};
use bellwether_sim::{Limits, Outcome, Plan, Report, RoundMode, simulate};
use bellwether_testkit::broken::*;
use bellwether_testkit::casts::Cast;
use std::collections::BTreeSet;

bellwether_core::registry! {
    /// The faulty algorithms, in the order of their faults.
    static BROKEN: Subject = {
        events Ring<SOUND>, Ring<WRONG_WAY>, Ring<NO_FLAG>, Ring<WRONG_CLAIM>, Ring<SILENT>, Ring<FOR_EVER>;
        events Ring<TALKS_ON>, Ring<NAMELESS>, Ring<LOOSE_STATE>, Ring<LOSSY>, Ring<STRANGE_KIND>, Ring<AMBIENT>;
        rounds Sleepy;
        events Deaf;
    }
}

const SLEEPY: usize = AMBIENT as usize + 1;
const DEAF: usize = SLEEPY + 1;

fn failed_checks(entry: usize) -> BTreeSet<Check> {
    conformance::failed_checks(&BROKEN.entries[entry])
}

fn play(entry: usize, plan: &Plan) -> Report {
    simulate(&BROKEN.entries[entry], plan, RoundMode::Auto)
}

fn ring() -> Plan {
    Cast::in_worst_order(bellwether_core::Elect::Best, 6).ring()
}

#[test]
fn sound_algorithm_passes() {
    assert!(failed_checks(SOUND.into()).is_empty());
    assert!(play(SOUND.into(), &ring()).is_as_it_should_be());
}

#[test]
fn electing_the_wrong_member_is_unsafe() {
    assert!(failed_checks(WRONG_WAY.into()).contains(&Check::Safety));
    let report = play(WRONG_WAY.into(), &ring());
    assert_eq!(report.ruling.leader.map(|id| id.value()), Some(1));
    assert!(report.ruling.unsafe_because.is_some() && !report.is_as_it_should_be());
}

#[test]
fn forgotten_participant_flag_breaks_the_count() {
    assert!(failed_checks(NO_FLAG.into()).contains(&Check::Claims));
    // In best order every member meets a lower rank before the highest one.
    let cast = Cast::in_best_order(bellwether_core::Elect::Best, 6);
    let report = play(NO_FLAG.into(), &cast.ring());
    let claim = report.claims.iter().find(|claim| claim.name == "messages").expect("it is claimed");
    assert!(!claim.holds && claim.measured > claim.expected, "{claim:?}");
}

#[test]
fn wrong_claim_is_refuted() {
    assert_eq!(failed_checks(WRONG_CLAIM.into()), [Check::Claims].into());
    let report = play(WRONG_CLAIM.into(), &ring());
    assert_eq!((report.claims[0].expected, report.claims[0].measured), (7.0, 6.0));
    assert!(!report.claims[0].holds && !report.is_as_it_should_be());
}

#[test]
fn algorithm_that_never_elects_is_not_live() {
    assert!(failed_checks(SILENT.into()).contains(&Check::Liveness));
    let report = play(SILENT.into(), &ring());
    assert_eq!(report.ruling.outcome, Outcome::None);
    assert!(report.ruling.not_live_because.is_some() && report.ruling.unsafe_because.is_none());
    assert!(report.finished);
}

#[test]
fn endless_run_is_stopped_undecided() {
    assert!(failed_checks(FOR_EVER.into()).contains(&Check::Liveness));
    for limits in [
        Limits { messages: 1_000, time: Time::NEVER },
        Limits { messages: u64::MAX, time: Time::from_ticks(1_000_000) },
    ] {
        let report = play(FOR_EVER.into(), &Plan { limits, ..ring() });
        assert_eq!(report.ruling.outcome, Outcome::Undecided);
        assert!(report.ruling.not_live_because.is_some());
        assert!(!report.finished);
        assert!(report.messages.total <= 6_100 && report.time <= Time::from_ticks(1_000_000));
    }
}

#[test]
fn messages_of_a_halted_member_are_found() {
    assert!(failed_checks(TALKS_ON.into()).contains(&Check::Messages));
}

#[test]
fn leader_that_names_no_leader_is_found() {
    let failed = failed_checks(NAMELESS.into());
    assert!(failed.contains(&Check::Statuses) && failed.contains(&Check::Liveness));
}

#[test]
fn states_with_a_wrong_equality_are_found() {
    assert_eq!(failed_checks(LOOSE_STATE.into()), [Check::States].into());
}

#[test]
fn messages_that_change_on_the_wire_are_found() {
    assert_eq!(failed_checks(LOSSY.into()), [Check::Messages].into());
}

#[test]
fn messages_of_undeclared_kinds_are_found() {
    assert!(failed_checks(STRANGE_KIND.into()).contains(&Check::Messages));
}

#[test]
fn ambient_state_is_found() {
    assert!(failed_checks(AMBIENT.into()).contains(&Check::Determinism));
}

#[test]
fn wrong_wake_hints_are_found() {
    assert!(failed_checks(SLEEPY).contains(&Check::WakeHints));
}

#[test]
fn bully_without_coordinator_rule_splits() {
    assert!(failed_checks(DEAF).contains(&Check::Safety));
    let report = play(DEAF, &Cast::in_best_order(bellwether_core::Elect::Best, 4).complete());
    assert_eq!(report.ruling.outcome, Outcome::Split);
    assert_eq!((report.ruling.leader, report.ruling.agreed), (None, false));
    assert!(report.ruling.unsafe_because.is_some());
}

#[test]
fn malformed_specs_are_found() {
    const SOURCE: bellwether_core::Citation = ChangRoberts::SPEC.sources[0];
    const CLAIM: Claim = ChangRoberts::SPEC.claims[0];
    let good = ChangRoberts::SPEC;
    let kinds = [Kind::payload("one"), Kind::control("two")];
    assert!(complaints_about_spec(&good, &kinds).is_empty());
    let malformed = [
        Spec { name: "Chang-Roberts", ..good },
        Spec { name: "chang_roberts", ..good },
        Spec { name: "chang--roberts", ..good },
        Spec { variant: "", ..good },
        Spec { summary: " ", ..good },
        Spec { summary: "two\nlines", ..good },
        Spec { sources: &[], ..good },
        Spec { sources: &[bellwether_core::Citation { authors: "", ..SOURCE }], ..good },
        Spec { claims: &[], ..good },
        Spec { claims: &[CLAIM, CLAIM], ..good },
        Spec { claims: &[Claim { name: "mean-messages", ..CLAIM }], ..good },
        Spec { claims: &[Claim { formula: "", ..CLAIM }], ..good },
    ];
    for spec in malformed {
        assert_eq!(complaints_about_spec(&spec, &kinds).len(), 1, "{spec:?}");
    }
    assert!(!complaints_about_spec(&good, &[]).is_empty());
    assert!(!complaints_about_spec(&good, &[Kind::payload("one"); 2]).is_empty());
    assert!(!complaints_about_spec(&good, &[Kind::payload("One")]).is_empty());
    let names: Vec<String> = (0..17).map(|number| format!("kind{number}")).collect();
    let many: Vec<Kind> = names.iter().map(|name| Kind::payload(name.clone().leak())).collect();
    assert!(complaints_about_spec(&good, &many[..16]).is_empty());
    assert!(!complaints_about_spec(&good, &many).is_empty());
    assert!(!complaints_about_names(&[good, good]).is_empty());
    let other = Spec { variant: "other", ..good };
    assert!(complaints_about_names(&[good, other]).is_empty());
    assert!(!complaints_about_names(&[good, Spec { name: "lcr", ..good }, other]).is_empty());
}

#[test]
fn every_fault_is_registered_in_its_order() {
    assert_eq!(BROKEN.entries.len(), DEAF + 1);
    assert_eq!(BROKEN.entries[SLEEPY].spec.name, "sleepy");
    assert_eq!(BROKEN.entries[DEAF].spec.name, "deaf");
}
