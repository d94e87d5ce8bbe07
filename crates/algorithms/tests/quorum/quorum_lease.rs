//! The quorum lease: its figures, and its behaviour under faults.

use crate::support::*;
use bellwether_algorithms::quorum_lease::*;
use bellwether_core::*;
use bellwether_lab::outage::{Outage, after_crash};
use bellwether_lab::swarm::{Model, Options, draw};
use bellwether_sim::{Outcome, Plan, Report};

fn stays_safe(report: &Report, reigns: &Reigns, context: &str) {
    assert!(report.stability.most_leaders <= 1, "{context}: {:?}", report.stability);
    assert_eq!(reigns.shared_term(), None, "{context}");
}

#[test]
fn first_election_costs_two_messages_per_member_and_the_announcement() {
    for n in 1..=64 {
        for delay in ["unit", "uniform:0.1..1.0"] {
            let plan = with_delay(complete(n), delay);
            let (report, reigns) = run::<QuorumLease>(&plan);
            assert_right(&report, &format!("{n} {delay}"));
            assert_eq!(report.claims.len(), 4);
            assert_eq!(report.messages.payload, 3 * (u64::from(n) - 1), "{n}");
            assert_eq!(reigns.0.len(), 1, "the highest is the only candidate");
            assert_eq!(reigns.0[0].1, n - 1);
            for kind in ["ask", "vote", "renew"] {
                assert_eq!(sent(&report, kind), u64::from(n) - 1, "{n} {kind}");
            }
            for kind in ["probe", "would", "hand-over", "release"] {
                assert_eq!(sent(&report, kind), 0, "{n} {kind}");
            }
        }
    }
}

/// The length of a promise in delay bounds, unless set otherwise.
const LEASE: u64 = 25;
/// For how many delay bounds a higher-ranked member has to answer in time, unless set otherwise.
const STEADY: u64 = 64;
/// Delay bounds between two renewals, unless set otherwise: a third of a lease.
const INTERVAL: u64 = 8;

fn renewing(plan: Plan, renewals: u64) -> Plan {
    Plan { params: given::<QuorumLease>(&format!("renewals={renewals}")), ..plan }
}

#[test]
fn renewing_costs_two_messages_per_member_and_interval() {
    for (n, lease, renewals) in [1, 2, 3, 5, 9].into_iter().flat_map(|n| {
        [5, 25, 60, 128].into_iter().flat_map(move |lease| (3..=12).map(move |renewals| (n, lease, renewals)))
    }) {
        // No answer arrives before two delay bounds are over.
        let interval = (lease / renewals).max(2);
        let params = given::<QuorumLease>(&format!("lease={lease},renewals={renewals}"));
        let plan = Plan { params, ..complete(n) };
        let kept = |span| {
            let (report, reigns) = run_for::<QuorumLease>(&plan, span);
            assert_eq!(reigns.0.len(), 1, "no other member leads");
            sent(&report, "renew") + sent(&report, "kept")
        };
        let (from, intervals) = (20, 25);
        let until = from + intervals * interval;
        assert_eq!(kept(until) - kept(from), intervals * 2 * (u64::from(n) - 1), "{n}, {lease}, {renewals}");
    }
}

/// A delayed leader stays the leader if the rest of its lease is longer than the delay, whenever that begins: the
/// rest is at least the holder's share of 24.5, less the time since the last answered renewal.
#[test]
fn leader_that_renews_more_often_survives_longer_delays() {
    let outlives = |renewals, from, span| {
        let held_up = [at(from, FaultEvent::Pause, 2), at(from + span, FaultEvent::Resume, 2)];
        let (report, reigns) = run::<QuorumLease>(&and(renewing(complete(3), renewals), held_up));
        stays_safe(&report, &reigns, &format!("{renewals} {from} {span}"));
        reigns.0.len() == 1
    };
    let always = |renewals, span| (100..125).all(|from| outlives(renewals, from, span));
    for (renewals, interval) in [(3, 8), (6, 4)] {
        assert!(always(renewals, 24 - interval - 2), "{renewals}");
        assert!(!always(renewals, 24 - interval + 2), "{renewals}");
    }
}

/// The leader crashes: the second-highest is a candidate when its promise has expired, and leads after two round
/// trips.
#[test]
fn next_highest_follows_a_crashed_leader() {
    for n in [3, 4, 5, 9] {
        let plan = and(complete(n), [at(100, FaultEvent::Crash, n - 1)]);
        let (report, reigns) = run::<QuorumLease>(&plan);
        assert_right(&report, &n.to_string());
        stays_safe(&report, &reigns, &n.to_string());
        let (when, leader, term) = reigns.first_after(hops(100)).expect("a member leads");
        assert_eq!((leader, term), (n - 2, 2));
        // The last renewal before the crash was sent at 2 + 8k, arrived a hop later, and is promised for 25.
        let renewed = 2 + (100 - 2) / INTERVAL * INTERVAL;
        assert_eq!(when, hops(renewed + 1 + LEASE + 4), "{n}");
    }
}

/// A request for a promise of length 0 would make all members candidates without a pause, and none would lead.
#[test]
fn requests_for_promises_that_are_too_long_or_too_short_are_ignored() {
    let bound = HOP * 8;
    let pace = |spec: &Spec| Pace::of(&Params::default().values(spec.parameters, bound));
    let (ranked, adaptive) = (pace(&RANKED), pace(&ADAPTIVE));
    for (unit, is_ranked, is_adaptive) in [
        (Span::default(), false, false),
        (Span::from_ticks(1), false, false),
        (HOP, false, true),
        (HOP * 5, false, true),
        (bound, true, true),
        (bound + Span::from_ticks(1), false, true),
        (bound * 4, false, true),
        (bound * 4 + Span::from_ticks(1), false, false),
        (bound * 200, false, false),
    ] {
        assert_eq!(ranked.is_lease(ranked.lease(unit), bound), is_ranked, "{unit:?}");
        assert_eq!(adaptive.is_lease(adaptive.lease(unit), bound), is_adaptive, "{unit:?}");
    }
    assert!(!adaptive.is_lease(adaptive.lease(HOP) + Span::from_ticks(1), bound));
}

#[test]
fn no_leader_without_a_majority() {
    for n in 2..=7 {
        let dead = n - n / 2; // the rest is less than a majority, or half
        let crashes = (n - dead..n).map(|member| at(50, FaultEvent::Crash, member));
        let (report, _) = run::<QuorumLease>(&and(complete(n), crashes));
        assert_eq!(report.ruling.outcome, Outcome::None, "{n}");
        assert!(report.is_as_it_should_be(), "{n}: that is right: {:?}", report.ruling);
    }
}

/// The leader is cut off with a minority: it steps down before the others elect, and when the partition heals its
/// term is over.
#[test]
fn leader_that_is_cut_off_steps_down_before_the_others_elect() {
    let n = 5;
    for minority in [vec![4], vec![4, 0], vec![4, 3]] {
        let cut = partition(&minority, &others(n, &minority), 100, 400);
        let (report, reigns) = run::<QuorumLease>(&and(complete(n), cut));
        assert_right(&report, &format!("{minority:?}"));
        stays_safe(&report, &reigns, &format!("{minority:?}"));
        let leaders = leaders_of(&reigns);
        let next = *others(n, &minority).last().expect("a majority");
        assert_eq!(leaders, [4, next, 4], "the highest leads again when it is back");
    }
}

/// A frozen leader finds that its lease has expired.
#[test]
fn frozen_leader_leads_no_longer_than_its_lease() {
    for resumes_at in [110, 140, 300] {
        let pause = [at(100, FaultEvent::Pause, 2), at(resumes_at, FaultEvent::Resume, 2)];
        let (report, reigns) = run::<QuorumLease>(&and(complete(3), pause));
        assert_right(&report, &resumes_at.to_string());
        stays_safe(&report, &reigns, &resumes_at.to_string());
        assert_eq!(report.stability.changes, if resumes_at == 110 { 0 } else { 2 });
    }
}

/// A member that was cut off returns, without effect: no vote is asked for, and the term stays.
#[test]
fn returning_member_does_not_disturb_the_leader() {
    for back in [FaultEvent::Crash, FaultEvent::Pause] {
        let ends = if back == FaultEvent::Crash { FaultEvent::Recover } else { FaultEvent::Resume };
        let plan = and(complete(5), [at(100, back, 1), at(400, ends, 1)]);
        let (report, reigns) = run::<QuorumLease>(&plan);
        assert_right(&report, back.kind().word());
        assert_eq!(reigns.0.len(), 1, "{back:?}");
    }
    let plan = and(complete(5), partition(&[0, 1], &[2, 3, 4], 100, 400));
    let (report, reigns) = run::<QuorumLease>(&plan);
    assert_right(&report, "two cut off");
    assert_eq!(reigns.0.len(), 1);
    assert_eq!(sent(&report, "ask"), 4, "only the first candidate's");
}

/// The highest-ranked member returns and leads again, but only after it has answered for some time.
#[test]
fn highest_member_leads_again_after_it_has_been_steady() {
    let crash = [at(100, FaultEvent::Crash, 4), at(300, FaultEvent::Recover, 4)];
    let (report, reigns) = run::<QuorumLease>(&and(complete(5), crash));
    assert_right(&report, "back");
    stays_safe(&report, &reigns, "back");
    let leaders = leaders_of(&reigns);
    assert_eq!(leaders, [4, 3, 4]);
    let again = reigns.0[2].0;
    assert!(again > hops(300 + STEADY), "{again}");
    // A member that leaves and returns faster than that does not.
    let flaps = (0..10)
        .flat_map(|k| [at(300 + 40 * k, FaultEvent::Recover, 4), at(330 + 40 * k, FaultEvent::Crash, 4)]);
    let plan = and(complete(5), [at(100, FaultEvent::Crash, 4)].into_iter().chain(flaps));
    let (_, reigns) = run::<QuorumLease>(&plan);
    assert_eq!(reigns.0.len(), 2, "{reigns:?}");
}

#[test]
fn one_member_leads_in_a_later_term_after_a_full_restart() {
    let restart =
        (0..5).flat_map(|member| [at(100, FaultEvent::Crash, member), at(120, FaultEvent::Recover, member)]);
    let (report, reigns) = run::<QuorumLease>(&and(complete(5), restart));
    assert_right(&report, "restart");
    stays_safe(&report, &reigns, "restart");
    let &(when, leader, term) = reigns.0.last().expect("a member leads");
    assert_eq!((leader, term), (4, 2));
    assert!(when >= hops(120 + LEASE), "no member votes before old promises are over");
}

fn as_duties(plan: Plan, duties: &[Duty]) -> Plan {
    Plan { duties: duties.to_vec(), ..plan }
}

#[test]
fn witnesses_vote_and_observers_follow() {
    use Duty::{Full, Observer, Witness};
    // Two sites and a witness: the site with the higher ids dies, and the other leads with the witness's vote.
    let two_sites = as_duties(complete(3), &[Full, Full, Witness]);
    let (report, reigns) = run::<QuorumLease>(&and(two_sites.clone(), [at(100, FaultEvent::Crash, 1)]));
    assert_right(&report, "witness");
    assert_eq!(leaders_of(&reigns), [1, 0]);
    // Only the witness and one site's observer are left: no member leads.
    let both_die = [at(100, FaultEvent::Crash, 0), at(100, FaultEvent::Crash, 1)];
    let (report, _) = run::<QuorumLease>(&and(two_sites, both_die));
    assert_eq!(report.ruling.outcome, Outcome::None);
    // Observers learn the leader, and are not asked: two voters of three are a majority, whatever the number of
    // observers.
    let observed = as_duties(complete(5), &[Full, Full, Full, Observer, Observer]);
    let (report, reigns) = run::<QuorumLease>(&and(observed, [at(100, FaultEvent::Crash, 2)]));
    assert_right(&report, "observers");
    assert_eq!(leaders_of(&reigns), [2, 1]);
    assert_eq!(sent(&report, "ask"), 2 + 2);
}

/// Over many seeds with faults: never two leases at once, never two leaders of a term, and a correct outcome in the
/// end.
#[test]
fn at_most_one_leader_under_all_faults() {
    fn try_all(spec: &'static Spec, seeds: u64) {
        let machine = variant::<QuorumLease>(spec);
        let options = Options { nodes: 5..=9, detector: None };
        let mut led = 0;
        for (seed, model) in (0..seeds).zip(TROUBLES.into_iter().cycle()) {
            let setup = draw(spec, model, seed, &options);
            let mut plan = setup.plan(spec, seed).expect("the plan is valid");
            plan.drift_bound = 100_000; // the largest drift of any clock there
            let (report, reigns) = run_of(machine, &plan);
            let context = format!("{} {model:?} seed {seed}", spec.variant);
            if model == Model::Jump {
                assert_eq!(reigns.shared_term(), None, "{context}"); // a clock that jumps back can extend a lease
                continue;
            }
            stays_safe(&report, &reigns, &context);
            assert!(report.is_as_it_should_be(), "{context}: {:?}", report.ruling);
            led += u64::from(!reigns.0.is_empty());
        }
        assert!(led * 10 > seeds * 9, "too few leaders for a meaningful test: {led}");
    }
    try_all(&RANKED, 1_500);
    try_all(&RANDOMISED, 1_000);
    try_all(&ADAPTIVE, 2_000);
    try_all(&TIGHT, 1_000);
}

#[test]
fn holders_share_of_a_lease_ends_before_any_promise() {
    for lease in [1, 7, 1_000, 25_000, 30_000_000] {
        for drift in [0, 1, 100, 10_000, 200_000, 999_999] {
            let share = holders_share(Span::from_ticks(lease), drift).ticks() as f64;
            let rho = f64::from(drift) / 1e6;
            // The slowest holder's share ends no later in true time than the fastest voter's promise.
            assert!(share / (1.0 - rho) <= lease as f64 / (1.0 + rho) + 1e-6, "{lease} {drift}");
            assert!(
                share + 1.0 > lease as f64 * (1.0 - rho) / (1.0 + rho) - 1e-6,
                "and no shorter than necessary"
            );
        }
    }
    assert_eq!(holders_share(Span::from_ticks(50), u32::MAX), Span::from_ticks(0));
}

fn leaders_of(reigns: &Reigns) -> Vec<u32> {
    reigns.0.iter().map(|&(_, member, _)| member).collect()
}

/// One asks, one is a candidate, all vote and learn the outcome: no time-out passes.
#[test]
fn resignation_and_hand_over_are_followed_by_an_election_at_once() {
    let asked = |request| and(complete(5), [at(50, FaultEvent::Request(request), 4)]);
    let (report, reigns) = run_for::<QuorumLease>(&asked(Request::Transfer(id(2))), 60);
    stays_safe(&report, &reigns, "transfer");
    assert_eq!(leaders_of(&reigns), [4, 1]);
    assert_eq!(reigns.0[1].0, hops(50 + 1 + 2), "hand-over, and a round trip for votes");
    assert_eq!((sent(&report, "hand-over"), sent(&report, "probe"), sent(&report, "ask")), (1, 0, 4 + 4));
    let (report, reigns) = run_for::<QuorumLease>(&asked(Request::Resign), 60);
    stays_safe(&report, &reigns, "resign");
    assert_eq!(leaders_of(&reigns), [4, 3], "the next highest");
    assert_eq!(
        reigns.0[1].0,
        hops(50 + 1 + 2 + 2),
        "release, and a round trip each for probes and for votes"
    );
    assert_eq!(sent(&report, "release"), 4);
}

/// A named successor leads for long, even if higher-ranked members are up.
#[test]
fn named_successor_stays_the_leader() {
    let plan = and(complete(5), [at(50, FaultEvent::Request(Request::Transfer(id(2))), 4)]);
    let (report, reigns) = run::<QuorumLease>(&plan);
    assert_right(&report, "the highest leads in the end");
    assert_eq!(leaders_of(&reigns), [4, 1, 4]);
    let lasted = reigns.0[2].0 - reigns.0[1].0;
    // Sixteen times as long as usual, and a little for the last step.
    assert!(lasted >= HOP * (16 * STEADY), "{lasted}");
    assert!(lasted <= HOP * (16 * STEADY + 2 * INTERVAL), "{lasted}");
}

/// The leader hands over to a dead member only if it is back soon.
#[test]
fn transfer_to_a_dead_member_is_abandoned() {
    let leaders = |back| {
        let script = [
            at(100, FaultEvent::Crash, 0),
            at(120, FaultEvent::Request(Request::Transfer(id(1))), 4),
            at(back, FaultEvent::Recover, 0),
        ];
        let (report, reigns) = run_for::<QuorumLease>(&and(complete(5), script), 400);
        stays_safe(&report, &reigns, "transfer");
        leaders_of(&reigns)
    };
    assert_eq!(leaders(130), [4, 0]);
    assert_eq!(leaders(200), [4]);
}

/// The displayed state is short, and the reasons name what was done.
#[test]
fn displayed_state_and_reasons_can_be_followed() {
    #[derive(Default)]
    struct Onlooker {
        reasons: Vec<&'static str>,
        longest: usize,
    }
    impl bellwether_sim::Observer for Onlooker {
        fn reasoned(&mut self, _: Time, _: u32, reason: &'static str) {
            self.reasons.push(reason);
        }
        fn settled(&mut self, _: Time, _: u32, state: &dyn bellwether_core::DynState) {
            let shown = serde_json::to_string(state).expect("it can be shown");
            self.longest = self.longest.max(shown.len());
        }
    }
    let asked = [at(100, FaultEvent::Request(Request::Admit(id(1))), 8)];
    let mut duties = vec![Duty::Full; 9];
    duties[0] = Duty::Observer;
    let mut plan = and(as_duties(complete(9), &duties), asked);
    plan.limits.time = hops(150);
    let mut onlooker = Onlooker::default();
    bellwether_sim::run_events(
        MachineType::of::<QuorumLease>(),
        &plan,
        &mut onlooker,
        bellwether_sim::Stop::WhenQuiet,
    );
    assert!(onlooker.reasons.contains(&"a majority has the current list: change the voters (rule 8)"));
    assert!(onlooker.reasons.iter().any(|reason| reason.starts_with("stamp the list of voters")));
    assert!(onlooker.longest < 450, "{}", onlooker.longest);
}

/// The leader does not hand over to a member that cannot lead.
#[test]
fn leader_hands_over_only_to_members_that_can_lead() {
    for (member, request) in
        [(4, Request::Transfer(id(9))), (3, Request::Resign), (4, Request::Transfer(id(5)))]
    {
        let (report, reigns) =
            run::<QuorumLease>(&and(complete(5), [at(50, FaultEvent::Request(request), member)]));
        assert_right(&report, &format!("{request:?}"));
        assert_eq!(leaders_of(&reigns), [4], "{request:?}");
    }
    let plan = as_duties(complete(3), &[Duty::Full, Duty::Full, Duty::Witness]);
    let plan = and(plan, [at(50, FaultEvent::Request(Request::Transfer(id(3))), 1)]);
    let (_, reigns) = run::<QuorumLease>(&plan);
    assert_eq!(leaders_of(&reigns), [1], "a witness never leads");
}

/// Three voters become five, of which two may die; and three again, of which one may.
#[test]
fn voters_change_one_at_a_time() {
    use Duty::{Full, Observer};
    let plan = Plan { duties: vec![Observer, Observer, Full, Full, Full], ..complete(5) };
    let asked = |hop, request| at(hop, FaultEvent::Request(request), 4);
    let admits = [asked(100, Request::Admit(id(1))), asked(120, Request::Admit(id(2)))];
    let grown = and(plan, admits);
    let die = |hop, members: &[u32]| {
        members.iter().map(|&member| at(hop, FaultEvent::Crash, member)).collect::<Vec<_>>()
    };
    // Two of the three first voters die: the three that are left are a majority of five.
    let (report, reigns) = run::<QuorumLease>(&and(grown.clone(), die(200, &[4, 3])));
    assert_right(&report, "five voters");
    assert_eq!(leaders_of(&reigns), [4, 2]);
    // Without the change they are not.
    let unchanged = Plan { duties: vec![Observer, Observer, Full, Full, Full], ..complete(5) };
    let (report, _) = run::<QuorumLease>(&and(unchanged, die(200, &[4, 3])));
    assert_eq!(report.ruling.outcome, Outcome::None);
    // Two requests at once: the second has to wait until a majority knows the first change.
    let at_once = [asked(100, Request::Admit(id(1))), asked(100, Request::Admit(id(2)))];
    let plan = Plan { duties: vec![Observer, Observer, Full, Full, Full], ..complete(5) };
    let (report, _) = run_for::<QuorumLease>(&and(and(plan, at_once), die(200, &[4, 3])), 600);
    assert_eq!(report.ruling.outcome, Outcome::Undecided, "there are four voters, and two are alive");
    // The leader itself is dismissed, and another member is elected.
    let dismissed = [asked(200, Request::Dismiss(id(5)))];
    let (report, reigns) = run_for::<QuorumLease>(&and(grown, dismissed), 600);
    stays_safe(&report, &reigns, "dismissed");
    assert_eq!(leaders_of(&reigns), [4, 3]);
}

/// The time without a leader after the leader has crashed, if messages take at most a tenth of the configured delay
/// bound.
fn outage(spec: &'static Spec, seed: u64, renewals: u64) -> f64 {
    let plan = with_seed(with_delay(complete(5), "uniform:0.02..0.1"), seed);
    let plan = Plan { delay_bound: HOP, ..renewing(plan, renewals) };
    match after_crash(variant::<QuorumLease>(spec), &plan, hops(500), HOP * 500) {
        Outage::Lasted(span) => span.hops(),
        other => panic!("{} seed {seed}: {other:?}", spec.variant),
    }
}

/// Messages take at most a tenth of the configured delay bound: leases become as short as that allows.
#[test]
fn time_outs_follow_delays_shorter_than_the_delay_bound() {
    for (seed, renewals) in (0..20).flat_map(|seed| [3, 6, 12].map(|renewals| (seed, renewals))) {
        let (told, measured) = (outage(&RANKED, seed, renewals), outage(&ADAPTIVE, seed, renewals));
        assert!(told > 15.0, "most of a lease of 25: {told}");
        assert!(measured < told / 4.0, "{measured} is much sooner than {told}");
    }
}

/// A variant is given its clock only if it declares to know it: without it, it cannot measure.
#[test]
fn only_a_variant_that_declares_its_clock_reads_it() {
    const BLIND: Spec = Spec { knows: RANKED.knows, ..ADAPTIVE };
    for seed in 0..5 {
        assert_eq!(outage(&BLIND, seed, 3), outage(&RANKED, seed, 3), "seed {seed}");
    }
}

/// Answers arrive after the next round has begun, and are still timed: the round trip takes more than two units, and
/// the next round begins after two. So leases become more than twice as long as the configured bound gives.
#[test]
fn time_outs_follow_delays_longer_than_the_renewal_interval() {
    for seed in 0..20 {
        let plan = with_seed(with_delay(complete(5), "uniform:1.2..1.4"), seed);
        let plan = Plan { delay_bound: HOP, ..renewing(plan, 12) };
        match after_crash(variant::<QuorumLease>(&ADAPTIVE), &plan, hops(500), HOP * 500) {
            Outage::Lasted(span) => assert!(span > HOP * (2 * LEASE), "seed {seed}: {span}"),
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

/// Messages take at least twice the configured delay bound: a member that waits only for the configured time never
/// hears a majority.
#[test]
fn time_outs_follow_delays_longer_than_the_delay_bound() {
    for (seed, renewals) in (0..20).flat_map(|seed| [3, 6, 12].map(|renewals| (seed, renewals))) {
        let plan = with_seed(with_delay(complete(5), "uniform:7..8"), seed);
        let plan = Plan { delay_bound: HOP, ..renewing(plan, renewals) };
        let (report, _) = run_of(variant::<QuorumLease>(&ADAPTIVE), &plan);
        assert_right(&report, &format!("seed {seed}"));
        let (report, reigns) = run::<QuorumLease>(&plan);
        assert_eq!((report.ruling.outcome, reigns.0.len()), (Outcome::Undecided, 0), "seed {seed}");
    }
}
