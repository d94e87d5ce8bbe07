//! What all members must have been told alike: a restart cannot change it unnoticed.

use bellwether::{
    ALGORITHMS, Duty, Elector, Event, Id, Peer, Profile, Security, Settings, SettingsError, StartError,
    algorithm_of,
};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(60);

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

/// The member `me` of so many.
fn settings(me: u64, count: u64, data: &Path) -> Settings {
    Settings {
        members: (1..=count).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
        data: data.into(),
        security: Security::Secret(
            "bw1-c5469b98847dcf399b028e5dc6e44d7b2b9076b40e490d1b9f5578091025f85509f32a21".into(),
        ),
        ..Settings::new("test", id(me))
    }
}

fn introduce(members: &[Elector]) {
    for one in members {
        members.iter().for_each(|other| one.set_address(other.id(), other.address().to_string()));
    }
}

/// Leads once, so that there are votes on all disks that are needed for that.
async fn lead(member: &Elector) {
    let leadership = tokio::time::timeout(LIMIT, member.campaign()).await.expect("it takes far too long");
    leadership.unwrap().resign().await.unwrap();
}

/// Three run, and the third starts again with two more on its list, which start too. If it could, a cable between the
/// first two and the others would part a majority of three from a majority of five.
#[tokio::test]
async fn a_longer_list_does_not_make_a_second_majority() {
    let directories: Vec<TempDir> = (0..5).map(|_| TempDir::new().unwrap()).collect();
    let start = |me: u64, count| bellwether::start(settings(me, count, directories[me as usize - 1].path()));
    let mut members: Vec<Elector> = (1..=3).map(|me| start(me, 3).unwrap()).collect();
    introduce(&members);
    lead(&members[0]).await;
    members.pop().unwrap().stop();
    let Err(error) = start(3, 5) else { panic!("it is told of another majority") };
    assert!(matches!(error, StartError::Store(_)), "{error}");
    let error = error.to_string();
    assert!(error.contains("began with the voters 1, 2 and 3"), "{error}");
    assert!(error.contains("`admit` and `dismiss`"), "{error}");
    // A member that comes later is told the first voters.
    let mut grown = settings(3, 5, directories[2].path());
    grown.members[3..].iter_mut().for_each(|peer| peer.duty = Duty::Observer);
    members.push(bellwether::start(grown).unwrap());
    introduce(&members);
    lead(&members[2]).await;
}

#[tokio::test]
async fn votes_of_one_algorithm_mean_nothing_to_another() {
    let directory = TempDir::new().unwrap();
    let member = bellwether::start(settings(1, 1, directory.path())).unwrap();
    lead(&member).await;
    member.stop();
    for algorithm in ["raft-vote", "quorum-lease/adaptive"] {
        let other = Settings { algorithm: algorithm.into(), ..settings(1, 1, directory.path()) };
        let Err(error) = bellwether::start(other) else { panic!("{algorithm} takes what it did not write") };
        let error = error.to_string();
        assert!(error.contains("'quorum-lease/ranked'") && error.contains(algorithm), "{error}");
        assert!(error.contains("new data directories"), "{error}");
    }
}

/// It may have promised something for as long as the longest lease of before, which its new profile knows nothing of.
#[tokio::test]
async fn under_another_profile_nobody_takes_part_before_promises_of_the_last_one_are_over() {
    let directory = TempDir::new().unwrap();
    let start =
        |profile| bellwether::start(Settings { profile, ..settings(1, 1, directory.path()) }).unwrap();
    let member = start(Profile::STEADY);
    lead(&member).await;
    member.stop();
    for _ in 0..2 {
        // The second time, the first had not come to an end.
        let started = Instant::now();
        let member = start(Profile::FAST);
        let campaign = tokio::time::timeout(Duration::from_millis(400), member.campaign()).await;
        assert!(campaign.is_err() || started.elapsed() >= Duration::from_millis(2400), "{campaign:?}");
        member.stop();
    }
    let started = Instant::now();
    let member = start(Profile::FAST);
    lead(&member).await;
    let waited = started.elapsed();
    assert!(waited >= Duration::from_millis(200 * 12), "200 delay bounds of before: {waited:?}");
}

#[test]
fn the_fast_profile_sets_a_parameter_where_there_is_one_and_it_is_not_given() {
    let chosen = |name: &str, profile| algorithm_of(&ALGORITHMS, name, &profile).unwrap().to_string();
    for (algorithm, steady, fast) in [
        ("quorum-lease", "quorum-lease", "quorum-lease:renewals=5"),
        (
            "quorum-lease/adaptive:lease=20",
            "quorum-lease/adaptive:lease=20",
            "quorum-lease/adaptive:renewals=5,lease=20",
        ),
        ("quorum-lease:renewals=3", "quorum-lease", "quorum-lease"),
        ("quorum-lease:renewals=9", "quorum-lease:renewals=9", "quorum-lease:renewals=9"),
        ("bully", "bully", "bully"),
    ] {
        assert_eq!(chosen(algorithm, Profile::STEADY), steady);
        assert_eq!(chosen(algorithm, Profile::FAST), fast);
    }
}

/// Two of three were told alike: the third, which was not, is none of them until it is told the same.
#[tokio::test]
async fn members_with_other_parameters_refuse_each_other() {
    let directories: Vec<TempDir> = (0..3).map(|_| TempDir::new().unwrap()).collect();
    let start = |me: u64, algorithm: &str| {
        let algorithm = algorithm.to_owned();
        let settings = Settings { algorithm, ..settings(me, 3, directories[me as usize - 1].path()) };
        bellwether::start(settings).unwrap()
    };
    let mut members = vec![
        start(1, "quorum-lease:lease=20"),
        start(2, "quorum-lease/ranked:lease=20"),
        start(3, "quorum-lease"),
    ];
    let mut events = members[2].observe();
    introduce(&members);
    let refused = async {
        while let Some(happened) = events.next().await {
            match happened.event {
                Event::Refused { why, .. } => return Some(why),
                Event::Connected { peer } => panic!("{peer} was told something else"),
                _ => {}
            }
        }
        None
    };
    let why = tokio::time::timeout(LIMIT, refused).await.expect("it takes far too long").unwrap();
    assert!(
        why.contains("of the parameters of quorum-lease/ranked it sets 'lease=20', and we none"),
        "{why}"
    );
    lead(&members[0]).await;
    members.pop().unwrap().stop();
    members.push(start(3, "quorum-lease:lease=20"));
    introduce(&members);
    lead(&members[2]).await;
}

#[test]
fn cluster_without_a_possible_leader_is_refused() {
    let directory = TempDir::new().unwrap();
    for duty in [Duty::Witness, Duty::Observer] {
        let mut nobody_leads = settings(1, 3, directory.path());
        nobody_leads.members.iter_mut().for_each(|peer| peer.duty = duty);
        let Err(error) = bellwether::start(nobody_leads) else { panic!("{duty:?}") };
        assert!(matches!(error, StartError::Settings(SettingsError::NoCandidate)), "{error}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "nothing was changed");
}

/// A caller that stops a member finds its directory free, even if another caller has stopped it before.
#[test]
fn every_caller_that_stops_a_member_waits_for_its_end() {
    let directory = TempDir::new().unwrap();
    for _ in 0..20 {
        let member = bellwether::start(settings(1, 1, directory.path())).unwrap();
        let other = member.clone();
        let at_once = std::thread::spawn(move || other.stop());
        member.stop();
        bellwether::start(settings(1, 1, directory.path())).unwrap().stop();
        at_once.join().unwrap();
    }
}
