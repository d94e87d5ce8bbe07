//! One member, and two: every algorithm and variant, every kind of delay, both rankings.

use bellwether_core::{Elect, Goal, Identities, Lasting, Leadership, Links, Order, Spec};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::{Attributes, RunSpec};
use bellwether_sim::{LinkOrder, Outcome, RoundMode, simulate};
use bellwether_testkit::casts::{BOTH_WAYS, DELAYS};

/// Whether ids need not decide: members are identical, or the first candidate may lead and stay.
fn may_be_anyone(spec: &Spec) -> bool {
    let stays = spec.leadership == Leadership::Incumbent && spec.lasting == Lasting::GoesOn;
    spec.identities == Identities::Anonymous || stays
}

/// Runs every entry on every small setup that `accepts` selects; the payload messages are as expected.
fn check_all(n: u64, expected: impl Fn(&str, &str, Elect) -> Option<u64>) {
    for (index, entry) in ALGORITHMS.entries.iter().enumerate() {
        for elect in BOTH_WAYS {
            for order in [Order::Best, Order::Worst, Order::Random] {
                for delay in DELAYS {
                    for links in [LinkOrder::Fifo, LinkOrder::Reordering] {
                        if links == LinkOrder::Reordering && entry.spec.links == Links::Fifo {
                            continue;
                        }
                        for mode in [RoundMode::Auto, RoundMode::Synchroniser] {
                            let setup = RunSpec {
                                nodes: Some(n),
                                order: Some(order),
                                elect,
                                delay: delay.parse().expect("a delay"),
                                links,
                                ..RunSpec::default()
                            };
                            let context = format!(
                                "{} {} n {n} {elect:?} {order} {delay} {links:?} {mode:?}",
                                entry.spec.name, entry.spec.variant
                            );
                            let plan = setup.plan(entry.spec, 3).expect("the plan is valid");
                            let report = simulate(&ALGORITHMS.entries[index], &plan, mode);
                            assert_eq!(report.ruling.outcome, Outcome::Elected, "{context}");
                            let best = if elect == BOTH_WAYS[0] { n } else { 1 };
                            let is_anonymous = entry.spec.identities == Identities::Anonymous;
                            let leader = report.ruling.leader.map(|id| id.value());
                            assert!(leader == Some(best) || may_be_anyone(entry.spec), "{context}");
                            let names = matches!(entry.spec.goal, Goal::EveryoneKnows | Goal::EveryoneHalts);
                            assert_eq!(report.ruling.agreed, names || (n == 1 && !is_anonymous), "{context}");
                            if let Some(payload) = expected(entry.spec.name, entry.spec.variant, elect) {
                                assert_eq!(report.messages.payload, payload, "{context}");
                            }
                            assert!(report.is_as_it_should_be(), "{context}: {report:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn one_member_elects_itself() {
    check_all(1, |name, variant, _| match (name, variant) {
        ("lcr", "leader-only" | "deciding") => Some(1),
        ("chang-roberts", "detector") => Some(0),
        ("lcr", "halting") | ("chang-roberts" | "peterson" | "dolev-klawe-rodeh", _) => Some(2),
        ("hirschberg-sinclair" | "franklin", _) => Some(3),
        ("itai-rodeh", _) => Some(1),
        ("bully", _) => Some(0),
        _ => None, // the algorithm's own figures give the count
    });
}

#[test]
fn higher_of_two_members_is_elected() {
    check_all(2, |name, variant, elect| match (name, variant) {
        ("lcr", "leader-only" | "deciding") => Some(3),
        // The highest initiator is not the highest-ranked if the lowest id wins: one hop more to it.
        ("chang-roberts", "suppressing") if elect == Elect::Worst => Some(6),
        ("lcr", "halting") | ("chang-roberts", _) => Some(5),
        ("hirschberg-sinclair", _) => Some(12), // a phase of 6, one of 4, and 2 to announce
        ("franklin", _) => Some(10),            // two rounds of 4, and 2 to announce
        // The higher one's rank goes to the other and home, twice more from there: then the other holds it.
        ("peterson", "basic") => Some(2 + 1 + 2 + 2),
        ("peterson", "improved") => Some(2 + 2 + 2),
        ("dolev-klawe-rodeh", _) => Some(4 + 2 + 2),
        ("bully", "stable") => Some(4), // each asks the other
        ("bully", _) => Some(3),        // election, answer, coordinator
        _ => None,                      // the algorithm's own figures give the count
    });
}

#[test]
fn id_decides_between_two_members_with_equal_attributes() {
    for (index, entry) in ALGORITHMS.entries.iter().enumerate() {
        for (elect, best) in BOTH_WAYS.into_iter().zip([2, 1]) {
            let setup = RunSpec {
                nodes: Some(2),
                order: Some(Order::Best),
                attributes: Attributes::Listed(vec![-7, -7]),
                elect,
                ..RunSpec::default()
            };
            let plan = setup.plan(entry.spec, 0).expect("the plan is valid");
            let report = simulate(&ALGORITHMS.entries[index], &plan, RoundMode::Auto);
            let leader = report.ruling.leader.map(|id| id.value());
            assert!(leader == Some(best) || may_be_anyone(entry.spec));
            assert!(report.is_as_it_should_be());
        }
    }
}
