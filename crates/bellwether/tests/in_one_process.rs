//! Clusters whose members all run in the test's own process: what the library promises to a service that embeds it.

use bellwether::{
    Elector, Event, Fence, Id, Leadership, Loss, Lost, Peer, Profile, Security, Settings, Verdict, View,
};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SECRET: &str = "bw1-c5469b98847dcf399b028e5dc6e44d7b2b9076b40e490d1b9f5578091025f85509f32a21";
/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(60);

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

struct Cluster {
    members: Vec<Elector>,
    directories: Vec<TempDir>,
}

impl Cluster {
    /// Members 1 to n, on ports that happen to be free: each is told afterwards where the others are.
    fn of(n: u64, change: impl Fn(&mut Settings)) -> Cluster {
        let directories: Vec<TempDir> = (0..n).map(|_| TempDir::new().unwrap()).collect();
        let members: Vec<Elector> = (1..=n)
            .zip(&directories)
            .map(|(me, directory)| {
                let mut settings = Settings {
                    members: (1..=n).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
                    data: directory.path().into(),
                    security: Security::Secret(SECRET.into()),
                    ..Settings::new("test", id(me))
                };
                change(&mut settings);
                bellwether::start(settings).unwrap()
            })
            .collect();
        introduce(&members);
        Cluster { members, directories }
    }
}

fn introduce(members: &[Elector]) {
    for one in members {
        for other in members {
            one.set_address(other.id(), other.address().to_string());
        }
    }
}

/// Cuts the links of a member with these peers, and no others.
fn cut_off(member: &Elector, peers: &[u64]) {
    member.cut_links(peers.iter().copied().map(id));
}

async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, future).await.unwrap_or_else(|_| panic!("{what}: it takes far too long"))
}

/// Waits until a member's view is as it should be.
async fn until(member: &Elector, what: &str, is_so: impl Fn(&View) -> bool) -> View {
    within(what, async {
        let mut events = member.observe();
        loop {
            let view = member.view();
            if is_so(&view) {
                return view;
            }
            let _ = tokio::time::timeout(Duration::from_millis(20), events.next()).await;
        }
    })
    .await
}

async fn campaign(member: &Elector) -> Leadership {
    within("campaign", member.campaign()).await.unwrap()
}

#[tokio::test]
async fn campaign_leads_to_leadership_that_all_members_see() {
    let cluster = Cluster::of(3, |_| ());
    let leadership = campaign(&cluster.members[1]).await;
    assert!(leadership.term() >= 1);
    assert_eq!(leadership.check(), Ok(leadership.token()));
    let (begun, deadline) = (cluster.members[1].clock().now(), leadership.deadline().unwrap());
    let latest = cluster.members[1].clock().now() + Profile::STEADY.delay_bound * 25;
    assert!(begun < deadline && deadline <= latest, "a lease, and no longer: {deadline:?}");
    assert!(cluster.members[1].is_leader());
    for member in &cluster.members {
        let view = until(member, "everyone knows", |view| view.status.leader == Some(id(2))).await;
        assert_eq!(view.status.term, leadership.term());
        assert_eq!(member.is_leader(), member.id() == id(2));
    }
    leadership.ready();
    for member in &cluster.members {
        until(member, "everyone knows that it is ready", |view| view.is_ready).await;
    }
}

#[tokio::test]
async fn leadership_passes_on_with_a_greater_token_and_the_former_one_ends_visibly() {
    let cluster = Cluster::of(3, |_| ());
    let (fence, mut tokens) = (Fence::new(), Vec::new());
    for round in 0..4 {
        let member = &cluster.members[round % 3];
        let leadership = campaign(member).await;
        fence.admit(leadership.check().unwrap()).unwrap();
        tokens.push(leadership.token());
        let (mut events, term) = (member.observe(), leadership.term());
        within("resignation", leadership.resign()).await.unwrap();
        within("word of it", async {
            while let Some(happened) = events.next().await {
                if matches!(happened.event, Event::Lost { term: lost, .. } if lost == term) {
                    return;
                }
            }
            panic!("it ended without a word");
        })
        .await;
        assert!(!member.is_leader());
    }
    assert!(tokens.windows(2).all(|pair| pair[0] < pair[1]), "{tokens:?}");
    assert!(fence.admit(tokens[0]).is_err());
}

#[tokio::test]
async fn dropping_leadership_gives_it_up_and_another_that_waits_takes_over() {
    let cluster = Cluster::of(3, |_| ());
    let first = campaign(&cluster.members[2]).await;
    let second = tokio::spawn({
        let member = cluster.members[0].clone();
        async move { campaign(&member).await.token() }
    });
    let token = first.token();
    drop(first);
    assert!(within("the next", second).await.unwrap() > token);
    // No caller campaigns any more, so no member leads.
    for member in &cluster.members {
        until(member, "no leader", |view| view.status.leader.is_none()).await;
    }
}

#[tokio::test]
async fn a_leader_that_is_cut_off_stops_before_the_next_begins() {
    let cluster = Cluster::of(3, |_| ());
    let old = campaign(&cluster.members[2]).await;
    let next = tokio::spawn({
        let member = cluster.members[1].clone();
        async move { campaign(&member).await }
    });
    cut_off(&cluster.members[2], &[1, 2]);
    let lost = within("the end of the lease", old.lost()).await;
    assert_eq!(lost.0, old.term());
    assert!(old.check().is_err(), "when the next leads, the former does not");
    let next = within("the next", next).await.unwrap();
    assert!(next.token() > old.token());
    cluster.members[2].cut_links([]);
    until(&cluster.members[2], "it follows", |view| view.status.leader == Some(id(2))).await;
    assert!(next.check().is_ok(), "a member that comes back does not disturb the leader");
}

#[tokio::test]
async fn leadership_says_how_long_it_lasts_yet_and_lasts_that_long() {
    let cluster = Cluster::of(3, |_| ());
    let leadership = campaign(&cluster.members[1]).await;
    let lease = Duration::from_millis(25 * 12); // of 25 delay bounds
    let begun = Instant::now();
    let left = leadership.remaining().unwrap();
    assert!(!left.is_zero() && left <= lease, "{left:?}");
    let renewed = within("a renewal", async {
        loop {
            let left = leadership.remaining().unwrap();
            if left > lease.mul_f64(0.5) && begun.elapsed() > lease {
                return left; // it has lasted longer than the first lease
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    assert!(renewed <= lease);
    let cut = Instant::now();
    let left = leadership.remaining().unwrap();
    cut_off(&cluster.members[1], &[1, 3]);
    assert_eq!(within("the end", leadership.lost()).await.0, leadership.term());
    assert!(cut.elapsed() >= left, "it was told {left:?}, and had {:?}", cut.elapsed());
    assert_eq!(leadership.remaining(), Err(Lost(leadership.term())));
    assert_eq!(leadership.check(), Err(Lost(leadership.term())));
    assert_eq!(cluster.members[1].leads_for(), None);
}

#[tokio::test]
async fn gained_ready_and_lost_are_told_in_this_order() {
    let cluster = Cluster::of(3, |_| ());
    let (mut own, mut others) = (cluster.members[0].observe(), cluster.members[1].observe());
    let leadership = campaign(&cluster.members[0]).await;
    let (leader, term) = (id(1), leadership.term());
    leadership.ready();
    until(&cluster.members[1], "everyone knows that it is ready", |view| view.is_ready).await;
    within("resignation", leadership.resign()).await.unwrap();
    let mut told = Vec::new();
    within("the events", async {
        while !matches!(told.last(), Some(Event::Lost { .. })) {
            let event = own.next().await.unwrap().event;
            if matches!(event, Event::Gained { .. } | Event::Ready { .. } | Event::Lost { .. }) {
                told.push(event);
            }
        }
    })
    .await;
    let lost = Event::Lost { term, why: Loss::GaveUp };
    assert_eq!(told, [Event::Gained { term }, Event::Ready { leader, term }, lost]);
    let mut told = Vec::new();
    within("the events", async {
        while !matches!(told.last(), Some(Event::Leaderless { .. })) {
            let event = others.next().await.unwrap().event;
            let is_about_leaders =
                matches!(event, Event::Elected { .. } | Event::Ready { .. } | Event::Leaderless { .. });
            told.extend(is_about_leaders.then_some(event));
        }
    })
    .await;
    let elected = Event::Elected { leader, term };
    assert_eq!(told, [elected, Event::Ready { leader, term }, Event::Leaderless { term }]);
}

/// `bully` elects again only if its detector says so.
#[tokio::test]
async fn every_detector_notices_over_a_real_network_that_the_leader_is_silent() {
    for detector in ["heartbeat", "ping", "three-valued", "learned", "bayes"] {
        let cluster = Cluster::of(3, |settings| {
            settings.algorithm = "bully".into();
            settings.detector = Some(detector.into());
            settings.always_stands = true;
        });
        for member in &cluster.members {
            until(member, detector, |view| view.status.leader == Some(id(3))).await;
        }
        let mut events = cluster.members[0].observe();
        cut_off(&cluster.members[2], &[1, 2]);
        within(detector, async {
            let is_doubt = |event: &Event| matches!(event, Event::Judged { peer, verdict } if *peer == id(3) && *verdict != Verdict::Working);
            while !is_doubt(&events.next().await.unwrap().event) {}
        })
        .await;
        for member in &cluster.members[..2] {
            until(member, detector, |view| view.status.leader == Some(id(2))).await;
        }
    }
}

/// A ring of members of this algorithm, led by the best.
async fn ring(n: u64, algorithm: &str) -> Cluster {
    let cluster = Cluster::of(n, |settings| {
        settings.algorithm = algorithm.into();
        settings.always_stands = true;
    });
    all_name(&cluster.members, n).await;
    cluster
}

async fn all_name(members: &[Elector], leader: u64) {
    for member in members {
        until(member, &format!("{leader} leads"), |view| view.status.leader == Some(id(leader))).await;
    }
}

#[tokio::test]
async fn ring_closes_round_members_that_have_gone() {
    for algorithm in [
        "chang-roberts",
        "chang-roberts/suppressing",
        "chang-roberts/neighbour-timeout",
        "hirschberg-sinclair",
        "peterson/basic",
        "peterson/improved",
        "dolev-klawe-rodeh",
        "franklin",
    ] {
        let mut cluster = ring(5, algorithm).await;
        for leader in [5, 4] {
            cluster.members.pop().unwrap().stop();
            all_name(&cluster.members, leader - 1).await;
        }
        until(&cluster.members[2], algorithm, |view| view.epoch.is_some()).await;
    }
}

#[tokio::test]
async fn ring_closes_round_a_silent_leader_and_takes_it_back() {
    for algorithm in ["chang-roberts", "chang-roberts/neighbour-timeout"] {
        let cluster = ring(4, algorithm).await;
        cut_off(&cluster.members[3], &[1, 2, 3]);
        all_name(&cluster.members[..3], 3).await;
        cluster.members[3].cut_links([]);
        all_name(&cluster.members, 4).await;
        until(&cluster.members[3], algorithm, |view| view.epoch.is_some()).await;
        assert!(cluster.members[..3].iter().all(|member| !member.is_leader()), "{algorithm}");
    }
}

#[tokio::test]
async fn leader_hands_over_to_the_member_that_is_named() {
    let cluster = Cluster::of(3, |settings| settings.always_stands = true);
    until(&cluster.members[2], "the best leads", |view| view.epoch.is_some()).await;
    cluster.members[2].transfer(id(1)).unwrap();
    let view = until(&cluster.members[0], "member 1 leads", |view| view.epoch.is_some()).await;
    assert!(view.status.term > 1);
}

#[tokio::test]
async fn members_are_themselves_wherever_they_are() {
    let mut cluster = Cluster::of(3, |settings| settings.always_stands = true);
    let before = until(&cluster.members[2], "a leader", |view| view.epoch.is_some()).await.status.term;
    cluster.members.drain(..).for_each(Elector::stop);
    let directories: Vec<_> = cluster.directories.iter().map(|it| it.path().to_owned()).collect();
    // The same disks; every address is another.
    let again: Vec<Elector> = (1..=3)
        .zip(directories)
        .map(|(me, data)| {
            bellwether::start(Settings {
                members: (1..=3).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
                data,
                security: Security::Secret(SECRET.into()),
                profile: Profile::FAST,
                always_stands: true,
                ..Settings::new("test", id(me))
            })
            .unwrap()
        })
        .collect();
    introduce(&again);
    let after = until(&again[0], "a leader again", |view| view.status.leader.is_some()).await.status.term;
    assert!(after > before, "terms go on where they were: {before}, then {after}");
    assert!(again.iter().all(|member| member.incarnation().boot == 2));
}

#[tokio::test]
async fn a_cluster_of_one_and_of_two_work() {
    for n in [1, 2] {
        let cluster = Cluster::of(n, |_| ());
        let leadership = campaign(&cluster.members[0]).await;
        assert!(leadership.check().is_ok(), "{n}");
    }
}

#[tokio::test]
async fn traffic_is_counted_at_both_ends() {
    let cluster = Cluster::of(2, |settings| settings.always_stands = true);
    until(&cluster.members[0], "a leader", |view| view.status.leader == Some(id(2))).await;
    cut_off(&cluster.members[1], &[1]); // so that nothing is under way when it is counted
    until(&cluster.members[0], "silence", |view| view.status.leader.is_none()).await;
    let of = |at: usize| within("traffic", cluster.members[at].traffic());
    let (one, other) = (of(0).await.unwrap(), of(1).await.unwrap());
    let (one, other) = (one.peers[0].1, other.peers[0].1);
    assert!(one.frames_in > 0 && one.frames_in <= other.frames_out, "{one:?} {other:?}");
    assert!(one.bytes_in > one.frames_in && one.bytes_in <= other.bytes_out, "{one:?} {other:?}");
    assert_eq!(one.connections, 1);
}

/// Every algorithm there is, as it is in the simulator: members come to know a leader, the same for all.
#[tokio::test]
async fn every_algorithm_elects_over_a_real_network() {
    use bellwether::ALGORITHMS;
    for entry in ALGORITHMS.entries {
        let (spec, name) = (entry.spec, format!("{}/{}", entry.spec.name, entry.spec.variant));
        let cluster = Cluster::of(3, |settings| {
            settings.algorithm = name.clone();
            settings.profile = Profile::FAST;
            settings.always_stands = true;
        });
        within(&name, async {
            loop {
                let views: Vec<View> = cluster.members.iter().map(Elector::view).collect();
                let leaders = views.iter().filter(|view| view.epoch.is_some()).count();
                if leaders == 1 && views.iter().all(|view| spec.goal.is_met_by(&view.status)) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }
}
