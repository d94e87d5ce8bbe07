//! The bully algorithm's figures, against formulas and a naive implementation of the rules.

use crate::support::naive_bully::{Played, Scene, play};
use bellwether_algorithms::bully::AtOnce;
use bellwether_core::{FaultEvent, HOP, Port, Time};
use bellwether_sim::{Happening, Plan, Report};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, assert_claims, assert_claims_hold, assert_elected, called_by, run, sent, set_delay,
};
use bellwether_testkit::dice::Dice;

const MOST: usize = 64;

/// The variants that ask only higher-ranked members.
const VARIANTS: [&str; 3] = ["at-once", "waiting", "broadcast"];

fn kill(mut plan: Plan, dead: &[u32]) -> Plan {
    let crash = |&member: &u32| Happening { at: Time::ZERO, what: FaultEvent::Crash, member };
    plan.script.extend(dead.iter().map(crash));
    plan.script.sort_unstable();
    plan
}

/// Figures of a run with unit delays: `election`, `answer`, `coordinator`, hops.
type Figures = (u64, u64, u64, u64);

fn measured(report: &Report) -> Figures {
    assert_eq!(report.time.ticks() % HOP.ticks(), 0);
    let hops = report.time.ticks() / HOP.ticks();
    (sent(report, "election"), sent(report, "answer"), sent(report, "coordinator"), hops)
}

/// A run of one variant has these figures, claims them if it claims exact figures, and elects the highest-ranked live
/// member.
fn check(variant: &str, cast: &Cast, dead: &[u32], callers: &[u32], figures: Figures) -> Report {
    let context = format!("{variant} {cast:?} dead {dead:?} callers {callers:?}");
    let report = run("bully", variant, &kill(called_by(cast.complete(), callers), dead));
    let live = (0..cast.n()).filter(|&member| !dead.contains(&(member as u32)));
    assert_elected(&report, cast.id(cast.best_of(live)), true, &context);
    assert_eq!(measured(&report), figures, "{context}");
    let (election, answer, coordinator, hops) = figures;
    let messages = election + answer + coordinator;
    assert_eq!((report.messages.payload, report.messages.control), (messages, 0), "{context}");
    assert_eq!(report.bytes, messages, "a message without fields takes one byte: {context}");
    assert_claims_hold(&report, &context);
    for (name, figure) in
        [("election", election), ("answer", answer), ("coordinator", coordinator), ("messages", messages)]
    {
        let claim = report.claims.iter().find(|claim| claim.name == name);
        let claim = claim.unwrap_or_else(|| panic!("{name} is claimed: {context}"));
        assert_eq!(claim.measured, figure as f64, "{context}");
        if claim.relation == "exactly" {
            assert_eq!(claim.expected, figure as f64, "{context}");
        }
    }
    if let Some(claim) = report.claims.iter().find(|claim| claim.name == "time") {
        assert_eq!(claim.expected, hops as f64, "{context}");
    }
    report
}

/// A member's state with a port for each dead member, which initiators suspect; a rank for each other member, of an
/// attribute and an id of eight bytes each; and the delay bound.
fn storage(n: usize, dead: usize) -> u64 {
    let (state, ranks) = (size_of::<AtOnce>() + dead * size_of::<Port>(), (n - 1) * 2 * size_of::<u64>());
    (state + ranks + size_of::<u64>()) as u64
}

/// The same, and every figure is claimed exactly.
fn check_exact(variant: &str, cast: &Cast, dead: &[u32], callers: &[u32], figures: Figures) {
    let report = check(variant, cast, dead, callers, figures);
    let (election, answer, coordinator, time) = figures;
    let messages = election + answer + coordinator;
    let claimed = [
        ("messages", messages),
        ("election", election),
        ("answer", answer),
        ("coordinator", coordinator),
        ("time", time),
        ("storage", storage(cast.n(), dead.len())),
    ];
    assert_claims(&report, &claimed, &format!("{variant} {cast:?} {dead:?} {callers:?}"));
}

fn casts(n: usize) -> Vec<Cast> {
    let mut dice = Dice(n as u64);
    BOTH_WAYS
        .into_iter()
        .flat_map(|elect| [Cast::in_best_order(elect, n), Cast::with_ties(elect, n, &mut dice)])
        .collect()
}

#[test]
fn leader_dead_and_second_highest_starts() {
    for n in 2..=MOST {
        for cast in casts(n) {
            let by_rank = cast.by_rank();
            let (best, second) = (by_rank[n - 1] as u32, by_rank[n - 2] as u32);
            let told = n as u64 - 2;
            // n = 2: there is no member to tell.
            check_exact("at-once", &cast, &[best], &[second], (0, 0, told, u64::from(n > 2)));
            // The dead member is told, too.
            check_exact("broadcast", &cast, &[best], &[second], (0, 0, told + 1, u64::from(n > 2)));
            // Without rule 2 it asks the dead member and waits in vain.
            check_exact("waiting", &cast, &[best], &[second], (1, 0, told, 3 + u64::from(n > 2)));
        }
    }
}

#[test]
fn leader_dead_and_lowest_starts() {
    for n in 3..=MOST {
        let m = n as u64;
        let figures = (m * (m - 1) / 2, (m - 1) * (m - 2) / 2, m - 2, 5);
        assert_eq!(figures.0 + figures.1 + figures.2, m * m - m - 1);
        let broadcast = (figures.0, figures.1, m - 1, 5);
        assert_eq!(broadcast.0 + broadcast.1 + broadcast.2, m * m - m);
        for cast in casts(n) {
            let by_rank = cast.by_rank();
            let (best, worst) = (by_rank[n - 1] as u32, by_rank[0] as u32);
            for variant in ["at-once", "waiting"] {
                check_exact(variant, &cast, &[best], &[worst], figures);
            }
            check_exact("broadcast", &cast, &[best], &[worst], broadcast);
        }
    }
}

#[test]
fn all_alive_and_lowest_starts() {
    for n in 1..=MOST {
        let m = n as u64;
        let half = m * (m - 1) / 2;
        // The highest announces itself in hop 1; answers that it overtook arrive later.
        let hops_at_once = [0, 0, 2, 3][n.min(3)];
        // The highest waits from hop 1 to 4, and is heard in 5.
        let hops_waiting = if n == 1 { 3 } else { 5 };
        for cast in casts(n) {
            let worst = cast.by_rank()[0] as u32;
            for variant in ["at-once", "broadcast"] {
                check_exact(variant, &cast, &[], &[worst], (half, half, m - 1, hops_at_once));
            }
            check_exact("waiting", &cast, &[], &[worst], (half, half, m - 1, hops_waiting));
        }
    }
}

#[test]
fn all_alive_and_highest_starts() {
    for n in 1..=MOST {
        let told = n as u64 - 1;
        let heard = u64::from(n > 1);
        for cast in casts(n) {
            let best = cast.best() as u32;
            for variant in ["at-once", "broadcast"] {
                check_exact(variant, &cast, &[], &[best], (0, 0, told, heard));
            }
            check_exact("waiting", &cast, &[], &[best], (0, 0, told, 3 + heard));
        }
    }
}

#[test]
fn all_alive_and_all_start() {
    for n in 1..=MOST {
        let m = n as u64;
        let half = m * (m - 1) / 2;
        let all_members: Vec<u32> = (0..n as u32).collect();
        let hops_at_once = if n == 1 { 0 } else { 2 };
        let hops_waiting = if n == 1 { 3 } else { 4 };
        for cast in casts(n) {
            for variant in ["at-once", "broadcast"] {
                check_exact(variant, &cast, &[], &all_members, (half, half, m - 1, hops_at_once));
            }
            check_exact("waiting", &cast, &[], &all_members, (half, half, m - 1, hops_waiting));
        }
    }
}

/// Some members dead, and at least one of the others an initiator.
fn dead_and_callers(n: usize, dice: &mut Dice) -> (Vec<u32>, Vec<u32>) {
    let survivor = dice.below(n) as u32;
    let dead: Vec<u32> = (0..n as u32).filter(|&member| member != survivor && dice.below(3) == 0).collect();
    let live: Vec<u32> = (0..n as u32).filter(|member| !dead.contains(member)).collect();
    let callers = dice.some_of(live.len()).into_iter().map(|at| live[at as usize]).collect();
    (dead, callers)
}

fn check_against_naive(cast: &Cast, dead: &[u32], callers: &[u32]) {
    let live = || (0..cast.n()).filter(|&member| !dead.contains(&(member as u32)));
    for variant in VARIANTS {
        let (at_once, tells_all) = (variant != "waiting", variant == "broadcast");
        let scene = Scene { cast, dead, callers, at_once, tells_all };
        let Played { election, answer, coordinator, hops, named } = play(&scene);
        assert!(live().all(|member| named[member] == Some(cast.best_of(live()))));
        check(variant, cast, dead, callers, (election, answer, coordinator, hops));
    }
}

#[test]
fn any_dead_members_and_initiators_agree_with_the_naive_implementation() {
    let mut dice = Dice(7);
    for n in 1..=24 {
        for elect in BOTH_WAYS {
            for _ in 0..40 {
                let cast = Cast::with_ties(elect, n, &mut dice);
                let (dead, callers) = dead_and_callers(n, &mut dice);
                if dead.len() + 1 < n {
                    check_against_naive(&cast, &dead, &callers);
                }
            }
        }
    }
}

#[test]
fn sole_survivor_leads_at_once() {
    // Its messages to the dead are sent and counted, but cause no event when they arrive.
    for n in 1..=6 {
        let cast = Cast::in_best_order(bellwether_core::Elect::Best, n);
        for survivor in 0..n as u32 {
            let dead: Vec<u32> = (0..n as u32).filter(|&member| member != survivor).collect();
            let asked = (n - 1) as u64 - u64::from(survivor);
            check_exact("at-once", &cast, &dead, &[survivor], (0, 0, survivor.into(), 0));
            check_exact("waiting", &cast, &dead, &[survivor], (asked, 0, survivor.into(), 3));
            check_exact("broadcast", &cast, &dead, &[survivor], (0, 0, n as u64 - 1, 0));
            check_against_naive(&cast, &dead, &[survivor]);
        }
    }
}

#[test]
fn claims_hold_and_the_highest_is_elected_with_any_delays_and_message_order() {
    let mut dice = Dice(8);
    for n in 1..=16 {
        for seed in 0..30 {
            let cast = Cast::with_ties(BOTH_WAYS[seed as usize % 2], n, &mut dice);
            let (dead, callers) = dead_and_callers(n, &mut dice);
            let live = (0..n).filter(|&member| !dead.contains(&(member as u32)));
            let best = cast.id(cast.best_of(live));
            for variant in VARIANTS {
                for delay in ["uniform:1..4", "uniform:0.0..2.0", "uniform:0.9..1.0"] {
                    for links in [bellwether_sim::LinkOrder::Fifo, bellwether_sim::LinkOrder::Reordering] {
                        let mut plan = kill(called_by(cast.complete(), &callers), &dead);
                        set_delay(&mut plan, delay);
                        plan.links = links;
                        plan.seed = seed;
                        let report = run("bully", variant, &plan);
                        let context =
                            format!("{variant} {delay} {links:?} {seed} {cast:?} {dead:?} {callers:?}");
                        assert_elected(&report, best, true, &context);
                        assert_claims_hold(&report, &context);
                        let named: Vec<&str> = report.claims.iter().map(|claim| claim.name).collect();
                        assert_eq!(
                            named,
                            ["messages", "election", "answer", "coordinator", "storage"],
                            "{context}"
                        );
                    }
                }
            }
        }
    }
}
