//! Stores that are new, lost and replaced.

mod common;

use bellwether::{Elector, Event, Id, Peer, Request, Security, Settings, StartError};
use bellwether_cluster::network::Incoming;
use common::impostor;
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
    Settings {
        members: (1..=3).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
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
    /// Three members that have a store each, and have voted.
    async fn at_work() -> Cluster {
        let directories: Vec<TempDir> = (0..3).map(|_| TempDir::new().unwrap()).collect();
        let start = |(me, it): (u64, &TempDir)| Elector::start(settings(me, it.path())).unwrap();
        let members: Vec<Elector> = (1..).zip(&directories).map(start).collect();
        let cluster = Cluster { directories, members };
        cluster.introduce();
        for member in &cluster.members {
            until(member, "new cluster", |event| *event == Event::NewCluster).await;
        }
        lead(&cluster.members[2]).await;
        cluster
    }

    fn introduce(&self) {
        for one in &self.members {
            self.members.iter().for_each(|other| one.set_address(other.id(), other.address().to_string()));
        }
    }

    /// Stops the second member, and deletes its store.
    fn lose_second(&mut self) {
        self.members.remove(1).stop();
        std::fs::remove_file(self.directories[1].path().join("state")).unwrap();
    }

    fn start_second(&mut self) -> Elector {
        let second = Elector::start(settings(2, self.directories[1].path())).unwrap();
        self.members.push(second.clone());
        self.introduce();
        second
    }
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
    let mut cluster = Cluster::at_work().await;
    cluster.lose_second();
    for start in 1..=12 {
        let second = cluster.start_second();
        let end = until(&second, "its end", |event| matches!(event, Event::Stopped { .. })).await;
        let Event::Stopped { why: Some(why) } = end else { panic!("nobody told it to stop: {end:?}") };
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
    let mut cluster = Cluster::at_work().await;
    cluster.lose_second();
    cluster.members.drain(..).for_each(Elector::stop);
    for me in [1, 3] {
        let directory = cluster.directories[me as usize - 1].path();
        cluster.members.push(Elector::start(settings(me, directory)).unwrap());
    }
    let second = cluster.start_second();
    until(&second, "its end", |event| matches!(event, Event::Stopped { why: Some(_) })).await;
    cluster.members.pop();
    lead(&cluster.members[1]).await;
}

/// Dismissed first, it comes back with a new store, and votes again once it is admitted.
#[tokio::test]
async fn a_member_that_lost_its_store_is_readmitted_by_dismissing_and_admitting_it() {
    let mut cluster = Cluster::at_work().await;
    cluster.lose_second();
    let leader = cluster.members[1].clone();
    let leadership = tokio::time::timeout(LIMIT, leader.campaign()).await.unwrap().unwrap();
    leader.request(Request::Dismiss(id(2)));
    // Until the others have heard of the dismissal, it is refused, and may be started again.
    let begun = Instant::now();
    let second = loop {
        let second = cluster.start_second();
        let is_over =
            |event: &Event| matches!(event, Event::Stopped { .. } | Event::NewStore | Event::NewCluster);
        match until(&second, "its start or its end", is_over).await {
            Event::NewStore => break second,
            Event::Stopped { .. } if begun.elapsed() < LIMIT => _ = cluster.members.pop(),
            event => panic!("{event:?}"),
        }
    };
    // A hand-over to it is refused for as long as it is no voter.
    leader.request(Request::Admit(id(2)));
    let token = leadership.token();
    let campaign = second.campaign();
    let mut campaign = std::pin::pin!(campaign);
    let next = loop {
        let _ = leader.transfer(id(2));
        match tokio::time::timeout(Duration::from_millis(200), &mut campaign).await {
            Ok(leadership) => break leadership.unwrap(),
            Err(_) => assert!(begun.elapsed() < LIMIT, "it is not admitted"),
        }
    };
    let later = next.token();
    assert!(later > token, "{later} after {token}");
    drop((leadership, next));
    // With the third gone, the first needs the second's vote.
    let third = cluster.members.remove(1);
    assert_eq!(third.id(), id(3));
    drop(leader);
    third.stop();
    let last = lead(&cluster.members[0]).await;
    assert!(last > later, "{last} after {later}");
}

#[tokio::test]
async fn a_start_that_cannot_listen_fixes_nothing() {
    let directory = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut wrong = settings(1, directory.path());
    wrong.listen = Some(taken.local_addr().unwrap().to_string());
    wrong.members.truncate(2); // another mistake, to be corrected at the same time
    let Err(error) = Elector::start(wrong) else { panic!("the port is taken") };
    assert!(matches!(error, StartError::Network(_)), "{error}");
    assert!(!directory.path().join("state").exists(), "nothing was fixed");
    Elector::start(settings(1, directory.path())).unwrap().stop();
}

/// Its former store may have promised not to vote, and one that it promised to may not be connected.
#[tokio::test]
async fn a_new_store_takes_no_part_before_the_longest_promise_is_over_unless_all_voters_are_there() {
    let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let begun = Instant::now();
    let members = [1, 2].map(|me| Elector::start(settings(me, directories[me as usize - 1].path())).unwrap());
    for one in &members {
        members.iter().for_each(|other| one.set_address(other.id(), other.address().to_string()));
    }
    lead(&members[0]).await;
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_millis(200 * 12), "200 delay bounds: {waited:?}");
}

/// A peer that is connected may not have judged the new store yet: the smaller id has the last word on a connection.
#[test]
fn a_new_store_waits_for_the_longest_promise_if_a_connected_peer_has_saved_anything() {
    for (is_peer_new, least) in [(true, 0), (false, 200 * 12)] {
        let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
        let mut pair = [1, 2].map(|me| settings(me, directories[me as usize - 1].path()));
        pair.iter_mut().for_each(|it| (it.always_stands, _) = (true, it.members.truncate(2)));
        let [first, second] = pair;
        let member = Elector::start(first).unwrap();
        let mut events = member.observe();
        let mut peer = impostor(&second, is_peer_new);
        peer.network.set_address(id(1), member.address().to_string());
        peer.until("its first message", |it| matches!(it, Incoming::Message { .. }));
        let begun = std::iter::from_fn(|| events.wait())
            .find(|it| matches!(it.event, Event::NewStore | Event::NewCluster))
            .map(|it| it.at - bellwether_core::Time::ZERO)
            .unwrap();
        assert!(begun.ticks() >= least * 1_000, "{is_peer_new}: {begun:?}");
    }
}
