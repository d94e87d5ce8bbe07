//! Runs in which members die, start or call while an election is under way.

use super::{BOTH_WAYS, Cast, called_by, set_delay};
use crate::dice::Dice;
use bellwether_core::{HOP, Id, Role, Status, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{Event, Happening, LinkOrder, Observer, Plan, Report, RoundMode, simulate_observed};

/// Notes who ever announced itself.
struct Announced(Vec<bool>);

impl Observer for Announced {
    fn published(&mut self, _: Time, member: u32, status: Status) {
        self.0[member as usize] |= status.role == Role::Leader;
    }
}

/// Runs a plan, and notes who ever announced itself.
pub fn watch(name: &str, variant: &str, plan: &Plan) -> (Report, Vec<bool>) {
    let mut announced = Announced(vec![false; plan.n() as usize]);
    let entry = ALGORITHMS.find(name, Some(variant)).expect("it is registered");
    let report = simulate_observed(&ALGORITHMS.entries[entry], plan, RoundMode::Auto, &mut announced);
    (report, announced.0)
}

/// What happens to a member, at a time in ticks.
pub fn happens(what: Event, member: usize, ticks: u64) -> Happening {
    Happening { at: Time::from_ticks(ticks), what, member: member as u32 }
}

/// The best member that does not die.
pub fn best_survivor(cast: &Cast, victims: &[usize]) -> Id {
    cast.id(cast.best_of((0..cast.n()).filter(|member| !victims.contains(member))))
}

/// Every half hop until a time in hops.
pub fn half_hops(until: u64) -> impl Iterator<Item = u64> {
    (1..=2 * until).map(|halves| halves * HOP.ticks() / 2)
}

/// Small casts on their networks with bounded delays, called by everyone or by one of
/// these sets, given by standing (0 is the worst).
pub fn small_runs(network: fn(&Cast) -> Plan, standings: fn(usize) -> Vec<Vec<usize>>) -> Vec<(Cast, Plan)> {
    let mut dice = Dice(1);
    let mut runs = Vec::new();
    for (n, elect) in (2..=6).flat_map(|n| BOTH_WAYS.map(|elect| (n, elect))) {
        let cast = Cast::with_ties(elect, n, &mut dice);
        let by_rank = cast.by_rank();
        for callers in standings(n).into_iter().chain([(0..n).collect()]) {
            let mut callers: Vec<u32> =
                callers.into_iter().map(|standing| by_rank[standing] as u32).collect();
            callers.sort_unstable();
            for (delay, seeds) in [("unit", 1), ("uniform:0.1..1.0", 2), ("uniform:1..3", 2)] {
                for seed in 0..seeds {
                    let mut plan = called_by(network(&cast), &callers);
                    set_delay(&mut plan, delay);
                    plan.seed = seed;
                    runs.push((cast.clone(), plan));
                }
            }
        }
    }
    runs
}

/// The round's cast on its network, where everyone calls: bounded delays and the order of messages
/// are drawn.
fn random_run(n: usize, round: usize, network: fn(&Cast) -> Plan, dice: &mut Dice) -> (Cast, Plan) {
    let cast = Cast::with_ties(BOTH_WAYS[round % 2], n, dice);
    let mut plan = network(&cast);
    set_delay(&mut plan, ["unit", "uniform:0.1..1.0", "uniform:1..3"][dice.below(3)]);
    plan.links = if dice.coin() { LinkOrder::Fifo } else { LinkOrder::Reordering };
    plan.seed = round as u64;
    (cast, plan)
}

/// A random run of some members, of whom some but not all die within so many delay bounds a member,
/// one in four at the start; and who dies.
pub fn random_deaths(
    round: usize,
    network: fn(&Cast) -> Plan,
    bounds: usize,
    dice: &mut Dice,
) -> (Cast, Plan, Vec<usize>) {
    let n = 3 + dice.below(7);
    let (cast, mut plan) = random_run(n, round, network, dice);
    let mut victims: Vec<usize> = (0..n).collect();
    dice.shuffle(&mut victims);
    victims.truncate(1 + dice.below(n - 1));
    let latest = bounds * n * plan.delay_bound.ticks() as usize;
    let mut die =
        |&victim| happens(Event::Crash, victim, dice.below(latest) as u64 * u64::from(dice.below(4) > 0));
    plan.script = victims.iter().map(&mut die).collect();
    plan.script.sort_unstable();
    (cast, plan, victims)
}

/// A random run in which these things happen to members at random times.
pub fn random_events(
    what: &[Event],
    round: usize,
    network: fn(&Cast) -> Plan,
    dice: &mut Dice,
) -> (Cast, Plan) {
    let n = 1 + dice.below(8);
    let (cast, mut plan) = random_run(n, round, network, dice);
    let latest = 20 * plan.delay_bound.ticks() as usize;
    for (member, &what) in (0..n).flat_map(|member| what.iter().map(move |what| (member, what))) {
        for _ in 0..dice.below(3) {
            plan.script.push(happens(what, member, dice.below(latest) as u64));
        }
    }
    plan.script.sort_unstable();
    (cast, plan)
}
