//! Algorithms that mean nothing, drawn at random: whatever they do, the search finds the same with and
//! without reductions, and the same as a search that is plainly right.

use bellwether_check::{CheckResult, Checked, Property};
use bellwether_core::*;
use bellwether_model::{Action, FaultBudget, Rules, Situation, Transition};
use bellwether_sim::{LinkOrder, Plan};
use bellwether_testkit::checks::explored::Explored;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// A member that is in one of a few moods. What it does when something happens to it is drawn, once for each
/// mood, member and happening: the same in every run. So is whether it leads, unless the first does in any case: then
/// nothing is wrong, and what was reduced is not done again in full.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Moody<const FIRST_LEADS: bool, const GOES_ON: bool = false, const WAITS: bool = false> {
    mood: u64,
    /// How many more messages it sends that are not only passed on: so there are not ever more of them.
    breath: u8,
    leads: bool,
}

const MOODS: u64 = 3;
const WORDS: u64 = 2;

/// SplitMix64 of Steele, Lea and Flood.
fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl<const FIRST_LEADS: bool, const GOES_ON: bool, const WAITS: bool> Moody<FIRST_LEADS, GOES_ON, WAITS> {
    /// What is drawn for a happening. The attribute, everyone's the same, says which algorithm it is.
    fn react(&mut self, cx: &mut ToyCx<'_, Self>, happening: u64, may_reply: bool) {
        let seed = cx.rank().attribute() as u64;
        let mut lot = mixed(mixed(mixed(seed) ^ cx.id().value()) ^ (self.mood << 8 | happening));
        let mut below = |bound: u64| {
            let drawn = lot % bound;
            lot /= bound;
            drawn
        };
        self.mood = below(MOODS);
        self.leads = below(4) == 0 && !FIRST_LEADS || self.leads && FIRST_LEADS;
        let ports: Vec<Port> = cx.outgoing().collect();
        for _ in 0..below(3) {
            let (port, word) = (ports[below(ports.len() as u64) as usize], below(WORDS) as u8);
            if may_reply || self.breath > 0 {
                self.breath -= u8::from(!may_reply);
                cx.send(port, Said(word));
            }
            if may_reply {
                return; // one for the one that it has heard
            }
        }
        if below(4) == 0 {
            cx.set_timer(below(2) as u8, HOP);
        }
    }
}

impl<const FIRST_LEADS: bool, const GOES_ON: bool, const WAITS: bool> Toy
    for Moody<FIRST_LEADS, GOES_ON, WAITS>
{
    type Word = u8;
    type Saved = ();
    const SPEC: Spec = Spec {
        starts: Starts::Callers,
        leadership: if FIRST_LEADS || GOES_ON { Leadership::Incumbent } else { Leadership::Best },
        lasting: if GOES_ON { Lasting::GoesOn } else { Lasting::Ends },
        electorate: if GOES_ON { Electorate::Majority } else { Electorate::WhoeverIsThere },
        goal: if WAITS { Goal::EveryoneDecides } else { Goal::LeaderOnly },
        claims: &[COUNTED],
        ..TOY
    };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        self.breath = 1;
        self.leads = FIRST_LEADS && cx.id().value() == 1;
    }

    fn is_called(&mut self, cx: &mut ToyCx<'_, Self>) {
        self.react(cx, 0, false);
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, from: Port, word: u8) {
        let happening = 1 + u64::from(word) + WORDS * u64::from(from.0);
        let seed = cx.rank().attribute() as u64;
        // Some let what they hear go on, so that it may go round for ever; others are out of breath soon.
        self.react(cx, happening, seed.is_multiple_of(2));
    }

    fn is_reminded(&mut self, cx: &mut ToyCx<'_, Self>, timer: u8) {
        self.react(cx, 100 + u64::from(timer), false);
    }

    fn is_told(&mut self, cx: &mut ToyCx<'_, Self>, peer: Port, verdict: bellwether_core::Verdict) {
        self.react(cx, 200 + 4 * u64::from(peer.0) + verdict as u64, false);
    }

    fn status(&self) -> Status {
        leads(self.leads)
    }
}

type Member = Played<Moody<false>>;

/// Something that must happen some time if it can happen all the time.
fn duty(links: LinkOrder, now: &Situation, what: Action) -> Option<String> {
    match what {
        Action::Deliver(wire, place) if links == LinkOrder::Reordering => {
            Some(format!("deliver {wire} {:?}", now.queues[wire as usize][place as usize].0))
        }
        Action::Deliver(wire, _) => Some(format!("deliver {wire}")),
        Action::TimeOut(member, timer) => {
            Some(format!("time-out {member} {:?}", now.seats[member as usize].timer(timer)))
        }
        _ if what.is_fault() => None,
        _ => Some(format!("{what:?}")),
    }
}

/// For each situation, who is up and has called or heard a message: by what has happened on the way to it.
fn participants(plan: &Plan, liberties: FaultBudget, graph: &Explored) -> Vec<BTreeSet<u32>> {
    let rules = Rules::new(plan, liberties);
    let mut known: Vec<Option<BTreeSet<u32>>> = vec![None; graph.situations.len()];
    let mut ahead = vec![(0, BTreeSet::new())];
    while let Some((at, members)) = ahead.pop() {
        if let Some(before) = &known[at] {
            assert_eq!(*before, members, "one situation, by whatever way");
            continue;
        }
        for &(action, next) in &graph.steps[at] {
            let mut members = members.clone();
            members.extend(match action.what {
                Action::Member(member, FaultEvent::Call) => Some(member.into()),
                Action::Deliver(wire, _) => Some(rules.wires.get(wire).to),
                _ => None,
            });
            members.retain(|member| graph.situations[next].seats[*member as usize].state().is_some());
            ahead.push((next, members));
        }
        known[at] = Some(members);
    }
    known.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether a fair run goes round for ever without a leader, though somebody takes part: by what can be reached from
/// where, for every two situations.
fn goes_round(plan: &Plan, graph: &Explored, is_known: &impl Fn(usize) -> bool) -> bool {
    let n = graph.situations.len();
    let counts = |at: usize| leaders(&graph.situations[at]) == 0 && is_known(at);
    let reached: Vec<BTreeSet<usize>> = (0..n)
        .map(|from| {
            let (mut reached, mut ahead) = (BTreeSet::new(), vec![from]);
            while let Some(at) = ahead.pop().filter(|_| counts(from)) {
                let next = graph.steps[at].iter().map(|(_, next)| *next).filter(|next| counts(*next));
                ahead.extend(next.filter(|next| reached.insert(*next)));
            }
            reached
        })
        .collect();
    (0..n).filter(|at| reached[*at].contains(at)).any(|at| {
        let part: Vec<usize> =
            reached[at].iter().copied().filter(|other| reached[*other].contains(&at)).collect();
        let due = |at: usize| -> BTreeSet<String> {
            let duties = graph.steps[at]
                .iter()
                .filter_map(|(action, _)| duty(plan.links, &graph.situations[at], action.what));
            duties.collect()
        };
        let always = part.iter().map(|at| due(*at)).reduce(|one, other| &one & &other).unwrap_or_default();
        let within = |&at: &usize| {
            let steps = graph.steps[at].iter().filter(|(_, next)| part.contains(next));
            steps.filter_map(move |(action, _)| duty(plan.links, &graph.situations[at], action.what))
        };
        let done: BTreeSet<String> = part.iter().flat_map(within).collect();
        always.is_subset(&done)
    })
}

/// More than any run sends that does not go round for ever.
const MOST_MESSAGES: usize = 100;

/// The fewest and the most messages that a run sends which ends, found by trying every number of them in every
/// situation; nothing if there is no such run, or there are too many messages to try.
fn messages(graph: &Explored) -> Option<(u32, u32)> {
    let mut reached = BTreeSet::from([(0, 0)]);
    let mut ahead = vec![(0, 0)];
    while let Some((at, sent)) = ahead.pop() {
        if sent > MOST_MESSAGES {
            return None;
        }
        let after = |&(action, next): &(Transition, usize)| {
            (next, sent + sent_in(&graph.situations[at], action, &graph.situations[next]))
        };
        ahead.extend(graph.steps[at].iter().map(after).filter(|pair| reached.insert(*pair)));
    }
    let ends = reached.iter().filter(|(at, _)| graph.steps[*at].is_empty()).map(|(_, sent)| *sent as u32);
    ends.clone().min().zip(ends.max())
}

/// How often something was found and how often not: neither may be never.
#[derive(Debug, Default)]
struct Tally {
    two_leaders: u32,
    bad_ends: u32,
    endless: u32,
    spotless: u32,
    reduced: u32,
    costs_differ: u32,
    differ_reduced: u32,
    not_required: u32,
}

/// What runs cost is the same where one order stands for many.
fn compare_costs(plan: &Plan, liberties: FaultBudget, name: &str, tally: &mut Tally) {
    type Ruled = Played<Moody<true>>;
    let full = check_in_full::<Ruled>(plan, liberties);
    let few = check::<Ruled>(plan, &reduced(liberties));
    assert_eq!(few.costs, full.costs, "{name}");
    let differ = full.costs.iter().any(|cost| cost.fewest < cost.most);
    tally.differ_reduced += u32::from(differ && few.progress.states < full.progress.states);
}

fn verdicts(checked: &Checked) -> Vec<CheckResult> {
    checked.findings.iter().map(|finding| finding.verdict).collect()
}

fn compare(plan: &Plan, liberties: FaultBudget, seed: u64, tally: &mut Tally) {
    let name = format!("seed {seed} {liberties:?} {:?} {:?}", plan.topology, plan.links);
    let full = check_in_full::<Member>(plan, liberties);
    let few = check::<Member>(plan, &reduced(liberties));
    assert_eq!(verdicts(&few), verdicts(&full), "{name}");
    assert!(few.progress.states <= full.progress.states, "{name}");
    tally.reduced += u32::from(few.progress.states < full.progress.states);
    compare_costs(plan, liberties, &name, tally);
    if full.progress.states > 400 {
        return; // what can be reached from where would take too long
    }
    let graph = Explored::new::<Member>(plan, liberties);
    assert_eq!(full.progress.states, graph.situations.len() as u64, "{name}");
    assert_eq!(full.progress.transitions, graph.transitions(), "{name}");
    let two_leaders = graph.situations.iter().any(|now| leaders(now) > 1);
    let is_end = |at: usize| graph.steps[at].iter().all(|(action, _)| action.what.is_fault());
    let someone_is_up = |at: usize| graph.situations[at].seats.iter().any(|seat| seat.state().is_some());
    let participants = participants(plan, liberties, &graph);
    let is_known = |at: usize| !participants[at].is_empty();
    let is_leaderless = |at: usize| is_end(at) && someone_is_up(at) && leaders(&graph.situations[at]) == 0;
    let bad_end = (0..graph.steps.len()).any(|at| is_leaderless(at) && is_known(at));
    tally.not_required += u32::from((0..graph.steps.len()).any(|at| is_leaderless(at) && !is_known(at)));
    let endless = goes_round(plan, &graph, &is_known);
    for (property, is_broken) in [
        (Property::OneLeader, two_leaders),
        (Property::SomeoneLeads, bad_end),
        (Property::Eventually, bad_end || endless),
    ] {
        assert_eq!(verdict(&full, property) == CheckResult::Violated, is_broken, "{name} {property:?}");
    }
    if let [cost] = full.costs[..] {
        assert_eq!(messages(&graph), Some((cost.fewest, cost.most)), "{name}");
        tally.costs_differ += u32::from(cost.fewest < cost.most);
    }
    tally.two_leaders += u32::from(two_leaders);
    tally.bad_ends += u32::from(bad_end);
    tally.endless += u32::from(endless);
    tally.spotless += u32::from(!two_leaders && !bad_end && !endless);
}

/// Small networks whose members do what is drawn for them with this seed.
fn drawn(seed: i64) -> [Plan; 3] {
    let shapes = [ring(&[1, 2, 3]), two_way_ring(&[1, 2]), graph(&[1, 2, 3], &[(0, 1), (1, 2)])];
    shapes.map(|mut plan| {
        for rank in &mut plan.ranks {
            *rank = Rank::new(Elect::Best, seed, rank.id());
        }
        plan.links = if seed % 3 == 0 { LinkOrder::Reordering } else { LinkOrder::Fifo };
        plan.initiators = Initiators::Some(if seed % 5 == 0 { vec![0] } else { vec![0, 1] });
        plan
    })
}

#[test]
fn whatever_they_do_the_same_is_found() {
    let mut tally = Tally::default();
    for seed in 0..150 {
        for plan in drawn(seed) {
            let liberties = match seed % 7 {
                0 | 1 => NONE,
                2 => FaultBudget { late_calls: true, ..NONE },
                3 => FaultBudget { time: CLOCK, ..NONE },
                4 => FaultBudget { losses: 1, ..NONE },
                5 => FaultBudget { crashes: 1, ..NONE },
                _ => FaultBudget { crashes: 1, recoveries: 1, late_calls: true, ..NONE },
            };
            compare(&plan, liberties, seed as u64, &mut tally);
        }
    }
    let Tally {
        two_leaders,
        bad_ends,
        endless,
        spotless,
        reduced,
        costs_differ,
        differ_reduced,
        not_required,
    } = tally;
    let all = [two_leaders, bad_ends, endless, spotless, reduced, costs_differ, differ_reduced, not_required];
    assert!(all.iter().all(|&times| times > 5), "{tally:?}");
}

/// Members that wait to lead start elections again, and hear suspicions.
#[test]
fn with_suspicions_and_restarts_the_same_is_found() {
    type Waits = Played<Moody<false, false, true>>;
    let (mut cut, mut violated, mut fewer) = (0, 0, 0);
    for seed in 0..120 {
        for plan in drawn(seed) {
            let liberties = match seed % 4 {
                0 => FaultBudget { suspicions: 1, ..NONE },
                1 => FaultBudget { restarts: 1, ..NONE },
                2 => FaultBudget { restarts: 1, restart_after: 3, time: CLOCK, ..NONE },
                _ => FaultBudget { suspicions: 1, restarts: 1, restart_after: 2, time: CLOCK, ..NONE },
            };
            let name = format!("seed {seed} {liberties:?} {:?} {:?}", plan.topology, plan.links);
            let full = check_in_full::<Waits>(&plan, liberties);
            let few = check::<Waits>(&plan, &reduced(liberties));
            assert_eq!(verdicts(&few), verdicts(&full), "{name}");
            assert_eq!(few.restarts_cut, full.restarts_cut, "{name}");
            let graph = Explored::new::<Waits>(&plan, liberties);
            assert_eq!(full.progress.states, graph.situations.len() as u64, "{name}");
            assert_eq!(full.progress.transitions, graph.transitions(), "{name}");
            let is_divided = graph.situations.iter().any(|now| leaders(now) > 1);
            assert_eq!(verdict(&full, Property::OneLeader) == CheckResult::Violated, is_divided, "{name}");
            cut += u32::from(full.restarts_cut);
            violated += u32::from(is_divided);
            fewer += u32::from(few.progress.states < full.progress.states);
        }
    }
    let all = [cut, violated, fewer];
    assert!(all.iter().all(|&times| times > 5), "{all:?}");
}

/// Where members go on for ever, a run is over when all is right: also where that is so because too few are left.
#[test]
fn where_runs_are_over_at_their_goal_the_same_is_found() {
    type GoesOn = Played<Moody<false, true>>;
    let (mut two_leaders, mut spotless, mut fewer) = (0, 0, 0);
    for seed in 0..150 {
        for plan in drawn(seed) {
            let crashes = (seed % 3) as u8;
            let liberties = FaultBudget { crashes, stops_at_goal: true, ..NONE };
            let name = format!("seed {seed} {crashes} {:?} {:?}", plan.topology, plan.links);
            let full = check_in_full::<GoesOn>(&plan, liberties);
            let few = check::<GoesOn>(&plan, &reduced(liberties));
            assert_eq!(verdicts(&few), verdicts(&full), "{name}");
            let graph = Explored::new::<GoesOn>(&plan, liberties);
            let is_divided = graph.situations.iter().any(|now| leaders(now) > 1);
            assert_eq!(verdict(&full, Property::OneLeader) == CheckResult::Violated, is_divided, "{name}");
            two_leaders += u32::from(is_divided);
            spotless += u32::from(full.broken().is_none());
            fewer += u32::from(few.progress.states < full.progress.states);
        }
    }
    let all = [two_leaders, spotless, fewer];
    assert!(all.iter().all(|&times| times > 5), "{all:?}");
}
