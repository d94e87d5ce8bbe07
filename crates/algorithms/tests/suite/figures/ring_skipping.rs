//! The ring that skips dead members: any number of initiators, and each member's view of the ring.

use super::overlay_rings::{BOUNDED, all_calls_in_small_rings, check_counts, dead_and_callers, without};
use bellwether_core::{DynState, Elect, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{LinkOrder, Observer, Plan, Report, RoundMode, simulate_observed};
use bellwether_testkit::casts::{BOTH_WAYS, Cast, assert_elected, called_by, set_delay};
use bellwether_testkit::dice::Dice;

/// Records each member's view of the ring.
struct Views(Vec<Vec<u64>>);

impl Observer for Views {
    fn settled(&mut self, _: Time, member: u32, state: &dyn DynState) {
        let state = serde_json::to_value(state).expect("states can be written");
        let members = state["outcome"]["members"].as_array();
        let ids = members.into_iter().flatten().map(|id| id.as_u64().expect("an id"));
        self.0[member as usize] = ids.collect();
    }
}

fn watch(plan: &Plan) -> (Report, Vec<Vec<u64>>) {
    let mut views = Views(vec![Vec::new(); plan.n() as usize]);
    let entry = ALGORITHMS.find("ring-skipping", None).expect("the algorithm is registered");
    let report = simulate_observed(&ALGORITHMS.entries[entry], plan, RoundMode::Auto, &mut views);
    (report, views.0)
}

/// All live members have the same view: the live members, clockwise from any start.
fn check_views(cast: &Cast, dead: &[u32], views: &[Vec<u64>], context: &str) {
    let alive: Vec<usize> = (0..cast.n()).filter(|&member| !dead.contains(&(member as u32))).collect();
    let ring: Vec<u64> = alive.iter().map(|&member| cast.members[member].1).collect();
    let view = &views[alive[0]];
    let first = ring.iter().position(|id| Some(id) == view.first()).expect("a live member");
    let turned: Vec<u64> = ring[first..].iter().chain(&ring[..first]).copied().collect();
    assert_eq!(*view, turned, "{context}");
    for &member in &alive {
        assert_eq!(views[member], *view, "{context}");
    }
}

#[test]
fn every_set_of_initiators_goes_round_twice() {
    for (cast, initiators) in all_calls_in_small_rings(&mut Dice(1)) {
        let turns = if cast.n() == 1 { 0 } else { cast.n() * initiators.len() };
        check_counts("ring-skipping", &cast, &called_by(cast.overlay(), &initiators), turns, turns);
    }
}

#[test]
fn counts_do_not_depend_on_delays_and_all_learn_the_live_members() {
    let mut dice = Dice(2);
    for n in (1..=16).chain([32, 64]) {
        for elect in BOTH_WAYS {
            for &delay in BOUNDED {
                for links in [LinkOrder::Fifo, LinkOrder::Reordering] {
                    let cast = Cast::shuffled(elect, n, &mut dice);
                    let (dead, initiators) = dead_and_callers(n, &mut dice);
                    let mut plan = without(called_by(cast.overlay(), &initiators), &dead);
                    set_delay(&mut plan, delay);
                    (plan.links, plan.seed) = (links, n as u64);
                    let alive = n - dead.len();
                    let turns = if alive == 1 { 0 } else { alive * initiators.len() };
                    check_counts("ring-skipping", &cast, &plan, turns + dead.len(), turns);
                    if n <= 16 {
                        let context = format!("{cast:?} {dead:?} {initiators:?} {delay} {links:?}");
                        check_views(&cast, &dead, &watch(&plan).1, &context);
                    }
                }
            }
        }
    }
}

#[test]
fn all_start_in_any_order() {
    for n in [2, 3, 5, 8, 13, 21, 34, 64] {
        for elect in BOTH_WAYS {
            for cast in [Cast::in_best_order(elect, n), Cast::in_worst_order(elect, n)] {
                check_counts("ring-skipping", &cast, &cast.overlay(), n * n, n * n);
            }
        }
    }
}

#[test]
fn two_initiators_of_the_book_have_the_same_outcome() {
    // Figure 6.21: P0 to P7, 7 is dead, 3 and 6 detect it; both messages go round.
    let cast = Cast { elect: Elect::Best, members: (0..8).map(|id| (0, id)).collect() };
    let plan = without(called_by(cast.overlay(), &[3, 6]), &[7]);
    check_counts("ring-skipping", &cast, &plan, 2 * 7 + 1, 2 * 7);
    let (report, views) = watch(&plan);
    assert_elected(&report, cast.id(6), true, "the book's example");
    for view in &views[..7] {
        assert_eq!(*view, [6, 0, 1, 2, 3, 4, 5]);
    }
}
