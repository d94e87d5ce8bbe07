//! Fail-back in the quorum lease: a higher-ranked member leads again when it has answered in time for long enough and
//! can win, and not before.

use crate::flawed::Flawed;
use crate::lease_flaws::{AbleUnasked, Sound};
use crate::support::*;
use bellwether_algorithms::quorum_lease::{ADAPTIVE, QuorumLease, RANKED};
use bellwether_core::*;
use bellwether_sim::{Happening, Observer, Plan, Report, Stop, run_events};

/// Five members. Member 4, the last, is the highest-ranked.
const N: u32 = 5;
const BEST: u32 = N - 1;

/// For how many delay bounds a higher-ranked member has to answer in time before it leads.
const SPAN: u64 = 64;

/// The time scale of a profile: a hop is its delay bound.
#[derive(Clone, Copy, Debug)]
struct Profile {
    hop_us: u64,
    renewals: u64,
}

const STEADY: Profile = Profile { hop_us: 12_000, renewals: 3 };
const FAST: Profile = Profile { hop_us: 1_160, renewals: 5 };

impl Profile {
    fn hops(self, ms: u64) -> u64 {
        ms * 1_000 / self.hop_us
    }

    fn plan(self, seed: u64) -> Plan {
        let mut plan = with_seed(with_delay(complete(N), "uniform:0.1..1.0"), seed);
        plan.params = given::<QuorumLease>(&format!("renewals={}", self.renewals));
        plan.limits.messages = 2_000_000;
        plan
    }
}

fn assert_safe(report: &Report, reigns: &Reigns, context: &str) {
    assert!(report.stability.most_leaders <= 1, "{context}: {:?}", report.stability);
    assert_eq!(reigns.shared_term(), None, "{context}");
}

/// The highest-ranked member is frozen for the second half of each second.
fn freezes(profile: Profile, seconds: u64) -> Vec<(u64, u64)> {
    (0..seconds)
        .map(|second| (profile.hops(second * 1_000 + 500), profile.hops((second + 1) * 1_000)))
        .collect()
}

/// When a member began and ceased to lead.
#[derive(Default)]
struct Leading(Vec<(Time, u32, bool)>);

impl Observer for Leading {
    fn published(&mut self, at: Time, member: u32, status: Status) {
        self.0.push((at, member, status.role == Role::Leader));
    }
}

/// The share of a run in which a member led and was awake.
fn present(leading: &Leading, freezes: &[(u64, u64)], until: u64) -> f64 {
    let changes = freezes.iter().flat_map(|&(from, until)| [(hops(from), false), (hops(until), true)]);
    let mut changes: Vec<(Time, u32, Option<bool>, Option<bool>)> =
        changes.map(|(at, is_awake)| (at, BEST, None, Some(is_awake))).collect();
    changes.extend(leading.0.iter().map(|&(at, member, leads)| (at, member, Some(leads), None)));
    changes.sort_by_key(|&(at, ..)| at);
    let (mut leads, mut is_awake) = ([false; N as usize], [true; N as usize]);
    let (mut total, mut since) = (0.0, Time::ZERO);
    for (at, member, now_leads, now_awake) in changes {
        if leads.iter().zip(is_awake).any(|(&leads, is_awake)| leads && is_awake) {
            total += (at - since).hops();
        }
        since = at;
        let member = member as usize;
        leads[member] = now_leads.unwrap_or(leads[member]);
        is_awake[member] = now_awake.unwrap_or(is_awake[member]);
    }
    total / since.hops().max(until as f64)
}

/// The least over some seeds, with these additional parameters.
fn present_while_flapping(spec: &'static Spec, profile: Profile, besides: &str) -> f64 {
    let machine = variant::<QuorumLease>(spec);
    let seconds = 60;
    let freezes = freezes(profile, seconds);
    let script: Vec<Happening> = freezes
        .iter()
        .flat_map(|&(from, until)| [at(from, FaultEvent::Pause, BEST), at(until, FaultEvent::Resume, BEST)])
        .collect();
    let shares = (0..5).map(|seed| {
        let mut plan = and(profile.plan(seed), script.clone());
        for setting in besides.split_terminator(',') {
            plan.params.add(spec.parameters, setting).expect("the parameters are valid");
        }
        let until = profile.hops(seconds * 1_000);
        plan.limits.time = hops(until);
        let mut leading = Leading::default();
        let report = run_events(machine, &plan, &mut leading, Stop::WhenQuiet);
        assert!(report.stability.most_leaders <= 1, "{profile:?} seed {seed}: {:?}", report.stability);
        present(&leading, &freezes, until)
    });
    shares.fold(1.0, f64::min)
}

#[test]
fn leader_is_present_while_the_highest_member_freezes_every_second() {
    for profile in [STEADY, FAST] {
        let shares = [const { &RANKED }, const { &ADAPTIVE }];
        let shares = shares.map(|spec| present_while_flapping(spec, profile, ""));
        assert!(shares.iter().all(|&share| share >= 0.99), "{profile:?}: {shares:?}");
    }
    // One interval in time is enough, and lapses have no effect.
    let hasty = present_while_flapping(&RANKED, STEADY, "steady=1,penalties=0");
    assert!(hasty < 0.99, "an interval is too short a span: {hasty}");
    let undamped = present_while_flapping(&RANKED, FAST, "penalties=0");
    assert!(undamped < 0.99, "a short lease needs a longer span after each lapse: {undamped}");
}

/// A member answers a backlog of renewals at once when it resumes. Late answers do not count.
#[test]
fn late_answers_do_not_count() {
    let freezes = (0..40)
        .flat_map(|k| [at(60 + 70 * k, FaultEvent::Pause, BEST), at(110 + 70 * k, FaultEvent::Resume, BEST)]);
    let (report, reigns) = run_for::<QuorumLease>(&and(complete(N), freezes), 2_860);
    assert_safe(&report, &reigns, "flapping");
    assert_eq!(reigns.0.len(), 2, "the highest led first, and never for 20 hops in 70: {reigns:?}");
}

/// The span quadruples with each lapse after the first; after a leadership that has lasted, the count starts again.
#[test]
fn lapses_lengthen_the_span_and_are_forgotten() {
    let failbacks = |crashes: &[u64], until: u64| {
        let crash = |&hop: &u64| [at(hop, FaultEvent::Crash, BEST), at(hop + 40, FaultEvent::Recover, BEST)];
        let mut plan = and(complete(N), crashes.iter().flat_map(crash));
        plan.limits.messages = 2_000_000;
        let (report, reigns) = run_for::<QuorumLease>(&plan, until);
        assert_safe(&report, &reigns, "crashes");
        let again = reigns.0.iter().filter(|&&(_, member, term)| member == BEST && term > 1);
        again.map(|&(when, ..)| when.hops() as u64).collect::<Vec<_>>()
    };
    let took = |crashes: &[u64], until: u64| {
        let failbacks = failbacks(crashes, until);
        assert_eq!(failbacks.len(), crashes.len(), "{failbacks:?}");
        crashes.iter().zip(failbacks).map(|(crash, back)| back - (crash + 40)).collect::<Vec<u64>>()
    };
    let (span, slack) = (SPAN, 40);
    let spans = took(&[100, 300, 800], 3_000);
    for (took, expected) in spans.iter().zip([span, 4 * span, 16 * span]) {
        assert!((expected..expected + slack).contains(took), "{spans:?}");
    }
    let lasting = 1_024 * 8 + 400;
    let spans = took(&[100, lasting, lasting + 300], lasting + 3_000);
    for (took, expected) in spans.iter().zip([span, span, 4 * span]) {
        assert!((expected..expected + slack).contains(took), "{spans:?}");
    }
}

/// From `from` on, the highest-ranked member does not hear these members, or they do not hear it, or both.
fn cut_best(from: u64, others: &[u32], hears: bool, is_heard: bool) -> Vec<Happening> {
    let mut cuts = Vec::new();
    if !hears {
        cuts.extend(one_way(others, &[BEST], from, FaultEvent::Cut));
    }
    if !is_heard {
        cuts.extend(one_way(&[BEST], others, from, FaultEvent::Cut));
    }
    cuts
}

/// The highest-ranked member boots late, and its links to these members are broken: member 3, the second-highest,
/// leads.
fn partial_partition(profile: Profile, seed: u64, cuts: &[Happening]) -> Plan {
    let late = [at(0, FaultEvent::Crash, BEST), at(60, FaultEvent::Recover, BEST)];
    and(and(profile.plan(seed), late), cuts.iter().copied())
}

/// How often a member became the leader in 20 seconds, and how long there was none after the first election.
fn leaderships_and_gap<A: Algorithm>(profile: Profile, seed: u64, cuts: &[Happening]) -> (usize, f64) {
    let plan = partial_partition(profile, seed, cuts);
    let (report, reigns) = run_for::<A>(&plan, profile.hops(20_000));
    assert_safe(&report, &reigns, &format!("{profile:?} seed {seed}"));
    let first = reigns.0.first().expect("a leader").0;
    (reigns.0.len(), (report.stability.without_leader.hops() - first.hops()).max(0.0))
}

#[test]
fn leader_keeps_its_lease_while_the_highest_member_cannot_win() {
    let cases: [(&str, Vec<Happening>); 4] = [
        ("reaches the leader only", cut_best(0, &[0, 1, 2], false, false)),
        ("reaches the leader and one more", cut_best(0, &[0, 1], false, false)),
        ("hears the leader only, and is heard by all", cut_best(0, &[0, 1, 2], false, true)),
        ("is heard by the leader only, and hears all", cut_best(0, &[0, 1, 2], true, false)),
    ];
    for profile in [STEADY, FAST] {
        for (case, cuts) in &cases {
            for seed in 0..5 {
                let found = leaderships_and_gap::<QuorumLease>(profile, seed, cuts);
                assert_eq!(found, (1, 0.0), "{profile:?} {case}, seed {seed}");
            }
        }
        let only_leader = &cases[0].1;
        let (leaderships, gap) = leaderships_and_gap::<Flawed<AbleUnasked>>(profile, 0, only_leader);
        assert!(
            leaderships > 1 && gap > 0.0,
            "{profile:?}: a leader that does not ask first hands over in vain"
        );
        assert_eq!(leaderships_and_gap::<Flawed<Sound>>(profile, 0, only_leader), (1, 0.0));
    }
}

/// The highest-ranked member leads when its links break: its lease expires, and the highest-ranked member that can
/// win leads, and stays.
#[test]
fn highest_member_that_can_win_leads_when_the_leader_loses_its_majority() {
    for (profile, seed) in
        [STEADY, FAST].into_iter().flat_map(|profile| (0..5).map(move |seed| (profile, seed)))
    {
        let plan = and(profile.plan(seed), cut_best(100, &[0, 1, 2], false, false));
        let (report, reigns) = run_for::<QuorumLease>(&plan, profile.hops(20_000));
        assert_safe(&report, &reigns, &format!("{profile:?} seed {seed}"));
        let leaders: Vec<u32> = reigns.0.iter().map(|&(_, member, _)| member).collect();
        // The second-highest may be bound by its promise for a moment longer than the third.
        let expected = leaders == [BEST, BEST - 1] || leaders == [BEST, BEST - 2, BEST - 1];
        assert!(expected, "{profile:?} seed {seed}: {leaders:?}");
    }
}

/// When its links work again the highest-ranked member leads, with no time without a leader but for the hand-over.
#[test]
fn highest_member_leads_again_when_its_links_work() {
    for seed in 0..20 {
        let heals = [at(600, FaultEvent::Heal, 0)];
        let plan = and(partial_partition(STEADY, seed, &cut_best(0, &[0, 1, 2], false, false)), heals);
        let (report, reigns) = run_for::<QuorumLease>(&plan, 1_000);
        assert_safe(&report, &reigns, &format!("seed {seed}"));
        let leaders: Vec<u32> = reigns.0.iter().map(|&(_, member, _)| member).collect();
        assert_eq!(leaders, [BEST - 1, BEST], "seed {seed}");
        let (first, again) = (reigns.0[0].0, reigns.0[1].0);
        assert!(again < hops(600 + 2 * SPAN), "seed {seed}: {again}");
        let gap = report.stability.without_leader.hops() - first.hops();
        assert!(gap <= 3.0, "seed {seed}: told, and there and back for votes: {gap}");
    }
}
