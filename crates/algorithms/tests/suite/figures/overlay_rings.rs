//! The common part of the rings that skip dead members: the two turns of one initiator.

use bellwether_core::{FaultEvent, HOP, Initiators, Span, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{Happening, LinkOrder, Observer, Plan, Report, RoundMode, simulate_observed};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, DELAYS, assert_claims, assert_elected, called_by, run, sent, set_delay,
};
use bellwether_testkit::dice::Dice;

pub const NAMES: [&str; 2] = ["modified-ring", "ring-skipping"];
/// Those of [`DELAYS`] that have a maximum.
pub const BOUNDED: &[&str] = DELAYS.split_at(3).0;
const MOST: usize = 64;

/// The members dead from the start.
pub fn without(mut plan: Plan, dead: &[u32]) -> Plan {
    plan.script =
        dead.iter().map(|&member| Happening { at: Time::ZERO, what: FaultEvent::Crash, member }).collect();
    plan
}

/// Small rings, and every set of initiators.
pub fn all_calls_in_small_rings(dice: &mut Dice) -> Vec<(Cast, Vec<u32>)> {
    let sets = (1..=6).flat_map(|n| (1_u32..1 << n).map(move |set| (n, set)));
    let members = |n, set: u32| (0..n as u32).filter(|member| set >> member & 1 == 1).collect();
    let both = sets.flat_map(|(n, set)| BOTH_WAYS.map(|elect| (elect, n, set)));
    both.map(|(elect, n, set)| (Cast::with_ties(elect, n, dice), members(n, set))).collect()
}

/// Some members dead, and some of the others initiators.
pub fn dead_and_callers(n: usize, dice: &mut Dice) -> (Vec<u32>, Vec<u32>) {
    let mut members: Vec<u32> = (0..n as u32).collect();
    dice.shuffle(&mut members);
    let mut alive = members.split_off(dice.below(n));
    members.sort_unstable();
    let callers = 1 + dice.below(alive.len());
    alive.truncate(callers);
    alive.sort_unstable();
    (members, alive)
}

/// A run that elects the highest-ranked live member, after this many messages of each kind; each but those to dead
/// members is answered.
pub fn check_counts(name: &str, cast: &Cast, plan: &Plan, election: usize, coordinator: usize) -> Report {
    let dead = plan.dead();
    let context = format!("{name} {cast:?} {:?} {:?} {dead:?}", plan.initiators, plan.delay);
    let report = run(name, "plain", plan);
    let alive = (0..cast.n()).filter(|&member| !dead.contains(&(member as u32)));
    assert_elected(&report, cast.id(cast.best_of(alive)), true, &context);
    let (election, coordinator) = (election as u64, coordinator as u64);
    let counted = (sent(&report, "election"), sent(&report, "coordinator"));
    assert_eq!(counted, (election, coordinator), "{context}");
    assert_eq!(report.messages.payload, election + coordinator, "{context}");
    assert_eq!(report.messages.control, election + coordinator - dead.len() as u64, "{context}");
    let claims = [("messages", election + coordinator), ("election", election), ("coordinator", coordinator)];
    let made: Vec<_> = claims.into_iter().chain(time_claim(cast, plan)).collect();
    assert_claims(&report, &made, &context);
    report
}

/// Two turns and an ack, if that is claimed.
fn time_claim(cast: &Cast, plan: &Plan) -> Option<(&'static str, u64)> {
    let one_calls = matches!(&plan.initiators, Initiators::Some(members) if members.len() == 1);
    let applies = (one_calls || cast.n() == 1) && plan.delay.to_string() == "unit" && plan.dead().is_empty();
    applies.then_some(("time", if cast.n() == 1 { 0 } else { 2 * cast.n() as u64 + 1 }))
}

#[test]
fn one_initiator_takes_2n_messages_and_hops() {
    let mut dice = Dice(1);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            let cast = Cast::with_ties(elect, n, &mut dice);
            let turn = if n == 1 { 0 } else { n };
            for initiator in 0..n {
                let plan = called_by(cast.overlay(), &[initiator as u32]);
                for name in NAMES {
                    let report = check_counts(name, &cast, &plan, turn, turn);
                    let hops = if n == 1 { 0 } else { 2 * n as u64 + 1 };
                    assert_eq!(report.time, Time::ZERO + HOP * hops);
                    // The members learn the leader one after the other from `coordinator`.
                    for step in 1..n {
                        let knew_at = report.knew_at[(initiator + step) % n];
                        assert_eq!(knew_at, Time::ZERO + HOP * (n + step) as u64, "{name} {cast:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn members_dead_from_the_start_cost_one_message_each() {
    let mut dice = Dice(2);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            for &delay in BOUNDED {
                for links in [LinkOrder::Fifo, LinkOrder::Reordering] {
                    let cast = Cast::shuffled(elect, n, &mut dice);
                    let (dead, callers) = dead_and_callers(n, &mut dice);
                    let mut plan = without(called_by(cast.overlay(), &callers[..1]), &dead);
                    set_delay(&mut plan, delay);
                    (plan.links, plan.seed) = (links, n as u64);
                    let turn = if dead.len() + 1 == n { 0 } else { n - dead.len() };
                    for name in NAMES {
                        check_counts(name, &cast, &plan, turn + dead.len(), turn);
                    }
                }
            }
        }
    }
}

#[test]
fn sole_survivor_elects_itself_after_it_has_tried_all_others() {
    for n in 1..=12 {
        let cast = Cast::in_best_order(BOTH_WAYS[0], n);
        for survivor in 0..n as u32 {
            let dead: Vec<u32> = (0..n as u32).filter(|&member| member != survivor).collect();
            let plan = without(called_by(cast.overlay(), &[survivor]), &dead);
            for name in NAMES {
                let report = check_counts(name, &cast, &plan, n - 1, 0);
                // Two hops of waiting for each.
                assert_eq!(report.time, Time::ZERO + HOP * (2 * (n as u64 - 1)));
            }
        }
    }
}

/// Counts the time-outs of `ack`.
struct Waits(u32);

impl Observer for Waits {
    fn timed_out(&mut self, _: Time, _: u32, _: &dyn std::fmt::Debug) {
        self.0 += 1;
    }
}

#[test]
fn late_acks_do_no_lasting_harm() {
    // No member is dead, but some messages take longer than the delay bound, so that live members are skipped.
    for name in NAMES {
        let entry = ALGORITHMS.find(name, None).expect("the algorithm is registered");
        let mut with_waits = 0;
        for delay in &DELAYS[BOUNDED.len()..] {
            for seed in 0..300 {
                let n = 2 + seed as usize % 9;
                let cast = Cast::with_ties(BOTH_WAYS[seed as usize % 2], n, &mut Dice(seed));
                let mut plan = cast.overlay();
                set_delay(&mut plan, delay);
                plan.delay_bound = Span::from_ticks(plan.delay_bound.ticks() / (1 + seed % 2));
                plan.seed = seed;
                plan.limits.messages = 1_000_000;
                let mut waits = Waits(0);
                let report =
                    simulate_observed(&ALGORITHMS.entries[entry], &plan, RoundMode::Auto, &mut waits);
                assert_elected(&report, cast.id(cast.best()), true, &format!("{name} {delay} {seed}"));
                assert_eq!(report.claims, []);
                with_waits += u32::from(waits.0 > 0);
            }
        }
        assert!(with_waits > 50, "{name}: {with_waits} runs in which a live member was skipped");
    }
}
