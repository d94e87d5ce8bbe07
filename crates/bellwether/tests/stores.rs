//! Stores that are new, lost and replaced.

mod common;

use bellwether::{Elector, Event, Id, Leadership, Peer, Request, Security, Settings, StartError};
use bellwether_cluster::net::{Incoming, Party};
use bellwether_core::ListVersion;
use common::{Impostor, Lie, impostor, liar};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(60);

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

/// The member `me` of three.
fn settings(me: u64, data: &Path) -> Settings {
    settings_of(3, me, data)
}

fn settings_of(count: u64, me: u64, data: &Path) -> Settings {
    Settings {
        members: (1..=count).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
        data: data.into(),
        security: Security::Secret("a secret of thirty-two bytes or more".into()),
        ..Settings::new("test", id(me))
    }
}

struct Cluster {
    directories: Vec<TempDir>,
    members: Vec<Elector>,
}

impl Cluster {
    /// Members that have a store each, and have voted.
    async fn at_work(count: u64) -> Cluster {
        let directories: Vec<TempDir> = (0..count).map(|_| TempDir::new().unwrap()).collect();
        let start = |(me, it): (u64, &TempDir)| bellwether::start(settings_of(count, me, it.path())).unwrap();
        let members: Vec<Elector> = (1..).zip(&directories).map(start).collect();
        let cluster = Cluster { directories, members };
        cluster.introduce();
        for member in &cluster.members {
            until(member, "new cluster", |event| is_new_cluster(event, &[])).await;
        }
        lead(cluster.members.last().unwrap()).await;
        cluster
    }

    fn introduce(&self) {
        for one in &self.members {
            self.members.iter().for_each(|other| one.set_address(other.id(), other.address().to_string()));
        }
    }

    fn stop(&mut self, me: u64) {
        let at = self.members.iter().position(|member| member.id() == id(me)).unwrap();
        self.members.remove(at).stop();
    }

    /// Stops the second member, and deletes its store.
    fn lose_second(&mut self) {
        self.stop(2);
        self.delete_store(2);
    }

    fn delete_store(&self, me: u64) {
        std::fs::remove_file(self.directories[me as usize - 1].path().join("state")).unwrap();
    }

    fn settings(&self, me: u64) -> Settings {
        settings_of(self.directories.len() as u64, me, self.directories[me as usize - 1].path())
    }

    fn start(&mut self, me: u64) -> Elector {
        let member = bellwether::start(self.settings(me)).unwrap();
        self.members.push(member.clone());
        self.introduce();
        member
    }

    /// Dismisses a member, starts it with a new store, admits it, and lets it lead.
    async fn readmit(&mut self, me: u64, leader: &Elector) -> (Elector, Leadership) {
        let _leadership = tokio::time::timeout(LIMIT, leader.campaign()).await.unwrap().unwrap();
        leader.request(Request::Dismiss(id(me)));
        let member = self.start(me);
        until(&member, "its start", |event| *event == Event::NewStore).await;
        leader.request(Request::Admit(id(me)));
        // A hand-over to it is refused for as long as it is no voter.
        let begun = Instant::now();
        let mut campaign = std::pin::pin!(member.campaign());
        loop {
            let _ = leader.transfer(id(me));
            match tokio::time::timeout(Duration::from_millis(200), &mut campaign).await {
                Ok(leadership) => return (member.clone(), leadership.unwrap()),
                Err(_) => assert!(begun.elapsed() < LIMIT, "it is not admitted"),
            }
        }
    }
}

fn is_new_cluster(event: &Event, without: &[u64]) -> bool {
    matches!(event, Event::NewCluster { unheard } if unheard.iter().map(|id| id.value()).eq(without.iter().copied()))
}

/// Leads once.
async fn lead(member: &Elector) -> u64 {
    let leadership = tokio::time::timeout(LIMIT, member.campaign()).await.expect("it takes far too long");
    let leadership = leadership.unwrap();
    let token = leadership.token();
    leadership.resign().await.unwrap();
    token
}

/// Waits until a member has said this.
async fn until(member: &Elector, what: &str, is_it: impl Fn(&Event) -> bool) -> Event {
    let mut events = member.observe();
    let found = async {
        while let Some(happened) = events.next().await {
            if is_it(&happened.event) {
                return Some(happened.event);
            }
        }
        None
    };
    let found = tokio::time::timeout(LIMIT, found).await.unwrap_or_else(|_| panic!("{what} did not come"));
    found.unwrap_or_else(|| panic!("{what}: the member has ended"))
}

/// However often it starts: its boot count grows, and means nothing.
#[tokio::test]
async fn a_member_that_lost_its_store_is_refused_however_often_it_starts() {
    let mut cluster = Cluster::at_work(3).await;
    cluster.lose_second();
    for start in 1..=12 {
        let second = cluster.start(2);
        let end = until(&second, "its end", |event| matches!(event, Event::Stopped { .. })).await;
        let Event::Stopped { why: Some(why) } = end else { panic!("it was not told to stop: {end:?}") };
        assert!(
            why.contains("voted from another store") && why.contains("Readmit it"),
            "start {start}: {why}"
        );
        cluster.members.pop();
    }
    lead(&cluster.members[0]).await;
}

/// The peers remember it, too, when they start again.
#[tokio::test]
async fn peers_that_start_again_still_refuse_a_store_that_they_do_not_know() {
    let mut cluster = Cluster::at_work(3).await;
    cluster.lose_second();
    cluster.members.drain(..).for_each(Elector::stop);
    for me in [1, 3] {
        let directory = cluster.directories[me as usize - 1].path();
        cluster.members.push(bellwether::start(settings(me, directory)).unwrap());
    }
    let second = cluster.start(2);
    until(&second, "its end", |event| matches!(event, Event::Stopped { why: Some(_) })).await;
    cluster.members.pop();
    lead(&cluster.members[1]).await;
}

/// Dismissed first, it comes back with a new store, and votes again once it is admitted.
#[tokio::test]
async fn a_member_that_lost_its_store_is_readmitted_by_dismissing_and_admitting_it() {
    let mut cluster = Cluster::at_work(3).await;
    cluster.lose_second();
    let leader = cluster.members[1].clone();
    let (_, leadership) = cluster.readmit(2, &leader).await;
    let later = leadership.token();
    leadership.resign().await.unwrap();
    // With the third gone, the first needs the second's vote.
    let third = cluster.members.remove(1);
    assert_eq!(third.id(), id(3));
    drop(leader);
    third.stop();
    let last = lead(&cluster.members[0]).await;
    assert!(last > later, "{last} after {later}");
}

/// The absent member knows the former store, and a list of voters without dismissals. The readmitted member leads.
#[tokio::test]
async fn a_member_that_was_absent_during_a_readmission_hears_the_readmitted_one() {
    let mut cluster = Cluster::at_work(5).await;
    cluster.stop(1);
    cluster.lose_second();
    let leader = cluster.members.last().unwrap().clone();
    let (second, leadership) = cluster.readmit(2, &leader).await;
    let first = cluster.start(1);
    let begun = Instant::now();
    while first.view().status.leader != Some(id(2)) {
        let views: Vec<_> = cluster.members.iter().map(|member| (member.id(), member.view())).collect();
        assert!(begun.elapsed() < LIMIT, "the first does not follow the second: {views:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Without these two, all others are needed.
    cluster.stop(4);
    cluster.stop(5);
    leadership.resign().await.unwrap();
    lead(&second).await;
    lead(&first).await;
}

/// The other two have lost nothing, and are a majority.
#[tokio::test]
async fn peer_with_false_claims_about_stores_and_starts_stops_no_member() {
    for lie in [Lie::OtherStore, Lie::Superseded] {
        let mut cluster = Cluster::at_work(3).await;
        cluster.stop(3);
        let addresses: Vec<_> =
            cluster.members.iter().map(|it| (it.id(), it.address().to_string())).collect();
        let lying = liar(&cluster.settings(3), lie).lies_to(addresses);
        for member in &cluster.members {
            let says_so = |event: &Event| matches!(event, Event::Refused { from, .. } if from == "member 3");
            until(member, "word of the refusal", says_so).await;
        }
        for member in &cluster.members {
            lead(member).await;
        }
        drop(lying);
    }
}

/// A third member in the eyes of the other two, with a store of its own that this list of voters is said to name.
fn forger(cluster: &Cluster, named_in: ListVersion) -> Impostor {
    let mut forger = impostor(&cluster.settings(3), true);
    forger.network.set_named_in(Some(named_in));
    for member in &cluster.members[..2] {
        forger.network.set_address(member.id(), member.address().to_string());
    }
    forger
}

#[tokio::test]
async fn claim_of_an_impossible_list_stops_no_member() {
    let cluster = Cluster::at_work(3).await;
    let mut forger = forger(&cluster, (u64::MAX, u32::MAX));
    forger.until_each("a refusal", |it| match it {
        Incoming::Refused { from: Party::Member(id), .. } => Some(*id),
        _ => None,
    });
    drop(forger);
    for member in &cluster.members {
        lead(member).await;
    }
}

/// The secret is shared, so a process with it can take the place of another member, and keeps it out with a list of the
/// future. That ends with the readmission: the claim is of no list of voters, and no list comes for a long time.
#[tokio::test]
async fn a_member_that_was_shut_out_by_a_false_claim_is_readmitted_while_its_peers_run() {
    let mut cluster = Cluster::at_work(3).await;
    let mut forger = forger(&cluster, (1 << 31, 0));
    forger.until_each("a connection", |it| match it {
        Incoming::Up { peer, .. } => Some(*peer),
        _ => None,
    });
    let third = cluster.members.pop().unwrap();
    let end = until(&third, "its end", |event| matches!(event, Event::Stopped { .. })).await;
    assert!(matches!(&end, Event::Stopped { why: Some(why) } if why.contains("another store")), "{end:?}");
    drop(third);
    drop(forger);
    cluster.delete_store(3);
    let leader = cluster.members[1].clone();
    let (third, leadership) = cluster.readmit(3, &leader).await;
    leadership.resign().await.unwrap();
    cluster.stop(2);
    lead(&third).await;
}

/// However often it is started again: its boot count grows.
#[tokio::test]
async fn a_store_that_was_restored_from_a_backup_is_refused_for_good() {
    let mut cluster = Cluster::at_work(3).await;
    let state = cluster.directories[1].path().join("state");
    let backup = std::fs::read(&state).unwrap();
    cluster.stop(2);
    let again = cluster.start(2);
    until(&again, "a connection", |event| matches!(event, Event::Connected { .. })).await;
    lead(&again).await;
    cluster.stop(2);
    // The peers have recorded its last start, and start again themselves.
    for me in [1, 3] {
        cluster.stop(me);
        cluster.start(me);
    }
    std::fs::write(&state, backup).unwrap();
    let restored = cluster.start(2);
    let end = until(&restored, "its end", |event| matches!(event, Event::Stopped { .. })).await;
    assert!(
        matches!(&end, Event::Stopped { why: Some(why) } if why.contains("a copy or a backup")),
        "{end:?}"
    );
    for _ in 0..3 {
        let Err(error) = bellwether::start(cluster.settings(2)) else { panic!("it is refused for good") };
        assert!(error.to_string().contains("Readmit it"), "{error}");
    }
}

#[tokio::test]
async fn a_start_that_cannot_listen_fixes_nothing() {
    let directory = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut wrong = settings(1, directory.path());
    wrong.listen = Some(taken.local_addr().unwrap().to_string());
    wrong.members.truncate(2); // another mistake, to be corrected at the same time
    let Err(error) = bellwether::start(wrong) else { panic!("the port is taken") };
    assert!(matches!(error, StartError::Network(_)), "{error}");
    assert!(!directory.path().join("state").exists(), "nothing was fixed");
    bellwether::start(settings(1, directory.path())).unwrap().stop();
}

/// Its former store may have promised not to vote, and one that it promised to may not be connected.
#[tokio::test]
async fn a_new_store_takes_no_part_before_the_longest_promise_is_over_unless_all_voters_are_there() {
    let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let begun = Instant::now();
    let members =
        [1, 2].map(|me| bellwether::start(settings(me, directories[me as usize - 1].path())).unwrap());
    for one in &members {
        members.iter().for_each(|other| one.set_address(other.id(), other.address().to_string()));
    }
    lead(&members[0]).await;
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_millis(200 * 12), "200 delay bounds: {waited:?}");
    for member in &members {
        until(member, "which voter was not heard", |event| is_new_cluster(event, &[3])).await;
    }
}

/// A peer that is connected may not have judged the new store yet: the smaller id has the last word on a connection.
#[test]
fn a_new_store_waits_for_the_longest_promise_if_a_connected_peer_has_saved_anything() {
    for (is_peer_new, least) in [(true, 0), (false, 200 * 12)] {
        let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
        let mut pair = [1, 2].map(|me| settings(me, directories[me as usize - 1].path()));
        pair.iter_mut().for_each(|it| (it.always_stands, _) = (true, it.members.truncate(2)));
        let [first, second] = pair;
        let member = bellwether::start(first).unwrap();
        let mut events = member.observe();
        let mut peer = impostor(&second, is_peer_new);
        peer.network.set_address(id(1), member.address().to_string());
        peer.until("its first message", |it| matches!(it, Incoming::Message { .. }));
        let begun = std::iter::from_fn(|| events.wait())
            .find(|it| matches!(it.event, Event::NewStore | Event::NewCluster { .. }))
            .map(|it| it.at - bellwether_core::Time::ZERO)
            .unwrap();
        assert!(begun.ticks() >= least * 1_000, "{is_peer_new}: {begun:?}");
    }
}
