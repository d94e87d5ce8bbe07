//! The voters of the quorum lease while leaders change and all faults occur: lists without a majority do no harm.

use crate::flawed::Flawed;
use crate::lease_flaws::{AnyListWillDo, RestampNotWritten, Sound, VotesDuringPromise};
use crate::support::*;
use bellwether_algorithms::quorum_lease::{ADAPTIVE, QuorumLease, RANDOMISED, RANKED, TIGHT};
use bellwether_core::*;
use bellwether_sim::{Happening, Plan, Report};

pub fn is_safe(report: &Report, reigns: &Reigns) -> bool {
    report.stability.most_leaders <= 1 && reigns.shared_term().is_none()
}

/// For some time, only members of the same group can communicate.
fn groups(n: u32, (from, until): (u64, u64), groups: &[&[u32]]) -> Vec<Happening> {
    let group_of = |member: u32| groups.iter().position(|group| group.contains(&member));
    let pairs = (0..n).flat_map(|one| (0..one).map(move |other| (one, other)));
    let are_apart = |&(one, other): &(u32, u32)| group_of(one) != group_of(other);
    pairs.filter(are_apart).flat_map(|(one, other)| partition(&[one], &[other], from, until)).collect()
}

fn ask(hop: u64, member: u32, request: Request) -> Happening {
    at(hop, FaultEvent::Request(request), member)
}

/// Members 2 to 5 vote, 1 is an observer.
fn four_voters() -> Plan {
    let mut duties = vec![Duty::Full; 5];
    duties[0] = Duty::Observer;
    Plan { duties, ..complete(5) }
}

/// Member 5 leads, is cut off, and is told to admit 1; the others continue without it under 4, which is told to
/// dismiss 5 when the partition changes. If both changed the initial list, 3 and 4 would be a majority of the one,
/// and 1, 2 and 5 of the other. (Ongaro's example of two leaders that change one list.)
#[test]
fn two_leaders_never_change_the_same_list() {
    let cuts =
        [groups(5, (100, 300), &[&[4], &[1, 2, 3], &[0]]), groups(5, (300, 900), &[&[2, 3], &[0, 1, 4]])]
            .concat();
    let asked = [ask(101, 4, Request::Admit(id(1))), ask(301, 3, Request::Dismiss(id(5)))];
    let plan = and(and(four_voters(), cuts), asked);
    for plan in [plan.clone(), and(plan, [ask(310, 3, Request::Resign)])] {
        let (report, reigns) = run_for::<QuorumLease>(&plan, 900);
        assert!(is_safe(&report, &reigns), "{:?} {reigns:?}", report.stability);
    }
}

/// The same, but both leaders were heard before they were cut off. Their renewals stamped the list with their terms,
/// which prevents the first one's change from counting.
#[test]
fn list_is_stamped_with_the_term_before_it_changes() {
    let half = |happening: Happening| Happening { at: happening.at + HALF, ..happening };
    // Their messages about the change are lost, but not the answers for which they wait.
    let cuts = [
        one_way(&[4], &[0, 1, 2, 3], 99, FaultEvent::Cut),
        one_way(&[4], &[0, 1, 2, 3], 100, FaultEvent::Mend),
        groups(5, (100, 300), &[&[4], &[1, 2, 3], &[0]]),
        one_way(&[2, 3], &[0, 1, 4], 299, FaultEvent::Cut),
        one_way(&[2, 3], &[0, 1, 4], 300, FaultEvent::Mend),
        groups(5, (300, 900), &[&[2, 3], &[0, 1, 4]]),
    ];
    let asked = [ask(98, 4, Request::Admit(id(1))), ask(298, 3, Request::Dismiss(id(5)))];
    let plan = and(and(four_voters(), cuts.concat().into_iter().map(half)), asked);
    let is_safe = |(report, reigns): (Report, Reigns)| is_safe(&report, &reigns);
    assert!(!is_safe(run_for::<Flawed<RestampNotWritten>>(&plan, 900)));
    assert!(is_safe(run_for::<Flawed<Sound>>(&plan, 900)));
    assert!(is_safe(run_for::<QuorumLease>(&plan, 900)));
}

/// Member 4 dismisses 2 while 1 is cut off, and then all but 1 withdraw: the only candidate has an older list than
/// the others.
#[test]
fn only_candidate_leads_although_it_missed_the_latest_list() {
    let cut = partition(&[0], &[1, 2, 3], 95, 120);
    let withdrawn = (1..4).map(|member| ask(115, member, Request::Withdraw));
    let plan = and(and(complete(4), cut), withdrawn.chain([ask(100, 3, Request::Dismiss(id(2)))]));
    let (report, reigns) = run_for::<QuorumLease>(&plan, 600);
    assert!(is_safe(&report, &reigns));
    assert_eq!(report.ruling.leader, Some(id(1)), "{reigns:?}");
}

/// Half a hop.
const HALF: Span = Span::from_ticks(HOP.ticks() / 2);

/// Five to nine members, up to three of them observers at first; clocks drift, messages are lost, duplicated and
/// delayed. At intervals the partition changes, a member freezes or restarts, and the leader is told to admit or
/// dismiss a member, to hand over or to resign.
pub fn restless(seed: u64) -> Plan {
    let mut dice = Dice(seed);
    let n = 5 + dice.below(5) as u32;
    let observers = dice.below(4) as u32;
    let mut plan = with_seed(with_delay(complete(n), "uniform:0.1..1.0"), seed);
    plan.duties = (0..n).map(|it| if it < observers { Duty::Observer } else { Duty::Full }).collect();
    plan.drift_bound = 100_000;
    let faults = &mut plan.link_faults;
    faults.loss = [0.0, 0.05, 0.2][dice.below(3) as usize];
    (faults.duplication, faults.reordering) =
        ([0.0, 0.3][dice.below(2) as usize], [0.0, 0.2][dice.below(2) as usize]);
    let mut script: Vec<Happening> = (0..n)
        .map(|it| at(0, FaultEvent::Drift([-100_000, 0, 100_000][dice.below(3) as usize]), it))
        .collect();
    let hops: Vec<u64> = (0..13).map(|step| 20 + step * 40 + dice.below(10)).collect();
    for during in hops.windows(2) {
        let (hop, next) = (during[0], during[1]);
        let mut parts = [vec![], vec![], vec![]];
        let count = 1 + dice.below(3);
        (0..n).for_each(|member| parts[dice.below(count) as usize].push(member));
        script.extend(groups(n, (hop, next), &parts.each_ref().map(Vec::as_slice)));
        let (victim, back) = (dice.below(n.into()) as u32, hop + 3 + dice.below(25));
        match dice.below(4) {
            0 => {
                script.extend([at(hop + 1, FaultEvent::Pause, victim), at(back, FaultEvent::Resume, victim)]);
            }
            1 => {
                script
                    .extend([at(hop + 1, FaultEvent::Crash, victim), at(back, FaultEvent::Recover, victim)]);
            }
            2 => script
                .extend([at(hop + 1, FaultEvent::TornCrash, victim), at(back, FaultEvent::Recover, victim)]),
            _ => {}
        }
        for _ in 0..3 {
            // Often just before that, so that answers arrive and the following messages do not.
            let hop = if dice.below(2) == 0 { hop - 1 - dice.below(3) } else { hop + dice.below(25) };
            let named = id(1 + dice.below(n.into()));
            let request = match dice.below(10) {
                0 => Request::Resign,
                1 => Request::Transfer(named),
                2..6 => Request::Admit(named),
                _ => Request::Dismiss(named),
            };
            script.extend((0..n).map(|member| ask(hop, member, request))); // only leaders act on requests
        }
    }
    and(plan, script)
}

/// The number of these runs in which two leases were valid at once, or two members led in one term; and of those in
/// which several members led, one after the other.
fn unsafe_and_led(machine: &'static MachineType, seeds: u64) -> (usize, usize) {
    let runs = (0..seeds).map(|seed| run_of_for(machine, &restless(seed), 600));
    runs.fold((0, 0), |(broken, led), (report, reigns)| {
        (broken + usize::from(!is_safe(&report, &reigns)), led + usize::from(reigns.0.len() > 1))
    })
}

#[test]
fn at_most_one_leader_under_all_faults_and_changes_of_voters() {
    fn try_all(spec: &'static Spec, seeds: u64) {
        let (broken, led) = unsafe_and_led(variant::<QuorumLease>(spec), seeds);
        assert_eq!(broken, 0, "{}", spec.variant);
        assert!(led as u64 > seeds / 2, "{}: too few leaders for a meaningful test: {led}", spec.variant);
    }
    try_all(&RANKED, 300);
    try_all(&TIGHT, 300);
    try_all(&RANDOMISED, 300);
    try_all(&ADAPTIVE, 600);
    let (votes, _) = unsafe_and_led(MachineType::of::<Flawed<VotesDuringPromise>>(), 30);
    let (lists, _) = unsafe_and_led(variant::<Flawed<AnyListWillDo>>(&TIGHT), 500);
    assert!(votes > 0 && lists > 0, "the flawed rules must fail");
}
