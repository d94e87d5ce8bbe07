//! Whoever comes to a member's door without being a member: the cluster goes on as if nobody had.

use crate::cluster::{Cluster, calm, places};
use crate::process::{LIMIT, id};
use bellwether::{Event, Security};
use bellwether_cluster::death_certificate::{DeathCertificate, Token};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Members 1 and 2 have a leader, and one of them has turned the third away for this reason, and it knows nobody.
fn assert_third_is_turned_away(mut cluster: Cluster, why: &str) {
    for me in cluster.ids() {
        cluster.start(me);
    }
    cluster.leader_of(&[1, 2], 0);
    cluster.until_said("they say why", |me, event| {
        me != 3 && matches!(event, Event::Refused { why: said, .. } if said.contains(why))
    });
    cluster.until_said("it says so, too", |me, event| me == 3 && matches!(event, Event::Refused { .. }));
    assert!(!cluster.was_said(|me, event| match event {
        Event::Connected { peer } => me == 3 || peer.value() == 3,
        Event::Elected { leader, .. } => me == 3 || leader.value() == 3,
        _ => false,
    }));
    cluster.finish(&[1, 2]);
}

#[test]
fn who_has_another_secret_is_turned_away() {
    let cluster = Cluster::of(3, |settings| {
        if settings.me.value() == 3 {
            settings.security = Security::Secret("another secret of as many bytes as one must have".into());
        }
    });
    assert_third_is_turned_away(cluster, "another secret");
}

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate that names the member, valid until that year.
fn certify(me: u64, signer: &Authority, trusted: &Authority, until: i32, at: &Path) -> Security {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![format!("member-{me}.test")]).unwrap();
    params.not_after = date_time_ymd(until, 1, 1);
    let certificate = params.signed_by(&key, signer).unwrap();
    let write = |kind: &str, text: String| {
        let path = at.join(format!("{me}.{kind}"));
        std::fs::write(&path, text).unwrap();
        path
    };
    Security::Certificates {
        ca: write("ca", trusted.pem()),
        certificate: write("certificate", certificate.pem()),
        key: write("key", key.serialize_pem()),
    }
}

#[test]
fn who_has_an_expired_or_a_foreign_certificate_is_turned_away() {
    let (ours, foreign) = (authority(), authority());
    for (signer, until, why) in [(&ours, 2001, "expired"), (&foreign, 4000, "not signed by our authority")] {
        let mut cluster = Cluster::of(3, |_| ());
        let directory = cluster.directory().to_owned();
        cluster.change_all(|settings| {
            let me = settings.me.value();
            let (signer, until) = if me == 3 { (signer, until) } else { (&ours, 4000) };
            settings.security = certify(me, signer, &ours, until, &directory);
        });
        assert_third_is_turned_away(cluster, why);
    }
}

/// Says something to a member, and waits until it has hung up.
fn say(place: &str, bytes: &[u8]) {
    let mut stream = TcpStream::connect(place).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write)); // it may hang up at once
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer); // reset or closed
}

/// Bytes that mean nothing, the same every time.
fn noise(length: usize) -> Vec<u8> {
    let next = |state: &mut u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((*state >> 56) as u8)
    };
    let mut state = 7;
    std::iter::from_fn(|| next(&mut state)).take(length).collect()
}

/// A frame of this kind, with a body of so many bytes and as long as it says.
fn frame(kind: u8, length: u16) -> Vec<u8> {
    let [low, high] = length.to_le_bytes();
    [vec![kind, low, high], noise(length.into())].concat()
}

fn garbage() -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new(), vec![0], noise(1_000), noise(1_000_000)];
    // What looks like TLS, like a death certificate, like HTTP.
    for start in [&b"\x16\x03\x01"[..], b"\x16\x03\x01\xff\xff", b"BWOBIT", b"B", b"GET / HTTP/1.1\r\n\r\n"] {
        all.extend([0, 200, 100_000].map(|length| [start, &noise(length)[..]].concat()));
    }
    // Frames of all kinds, as long as is allowed, longer, and as long as can be said.
    for kind in 0..9 {
        all.extend([0, 1, 100, 16_384, 16_385, u16::MAX].map(|length| frame(kind, length)));
    }
    all
}

#[test]
fn garbage_and_frames_that_are_too_long_disturb_nobody() {
    for security in [None, Some(Security::Plaintext)] {
        let (mut cluster, leader, term) = Cluster::at_work(3, |settings| {
            calm(settings);
            security.iter().for_each(|security| settings.security = security.clone());
        });
        let places: Vec<String> =
            cluster.settings(1).members.iter().map(|peer| peer.address.clone()).collect();
        for place in &places {
            garbage().iter().for_each(|bytes| say(place, bytes));
            // More than are let in at once, who all say nothing.
            let silent: Vec<_> = (0..100).map(|_| TcpStream::connect(place).unwrap()).collect();
            drop(silent);
        }
        for me in cluster.ids() {
            cluster.until_said("it turned them away", |at, event| {
                at == me && matches!(event, Event::Refused { from, .. } if from.starts_with("a client at"))
            });
        }
        let all = cluster.ids();
        cluster.assert_keep(&all, (leader, term));
        cluster.finish(&all);
    }
}

/// Otherwise any client that can reach a member could free the voters of their promises.
#[test]
fn death_certificate_by_a_stranger_is_refused() {
    let (mut cluster, leader, term) = Cluster::at_work(3, calm);
    let certificate = DeathCertificate::new("test", id(leader), Token::draw().unwrap()).encode();
    for peer in cluster.settings(1).members.clone() {
        say(&peer.address, &certificate);
    }
    let all = cluster.ids();
    cluster.assert_keep(&all, (leader, term));
    assert!(!cluster.was_said(|_, event| matches!(event, Event::Died { .. })));
    cluster.finish(&all);
}

/// Lets everything through between whoever comes here and `to`, and remembers what those who came have said.
fn listen_in(to: String) -> (String, Arc<Mutex<Vec<Vec<u8>>>>) {
    let place = places().next().unwrap();
    let (listener, heard) = (TcpListener::bind(&place).unwrap(), Arc::new(Mutex::new(Vec::new())));
    let remembered = heard.clone();
    std::thread::spawn(move || {
        for from in listener.incoming().map_while(Result::ok) {
            let Ok(to) = TcpStream::connect(&to) else { continue };
            let at = {
                let mut heard = heard.lock().unwrap();
                heard.push(Vec::new());
                heard.len() - 1
            };
            let (answers, asker) = (to.try_clone().unwrap(), from.try_clone().unwrap());
            let heard = heard.clone();
            std::thread::spawn(move || pass_on(from, to, |bytes| heard.lock().unwrap()[at].extend(bytes)));
            std::thread::spawn(move || pass_on(answers, asker, |_| ()));
        }
    });
    (place, remembered)
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, mut remember: impl FnMut(&[u8])) {
    let mut bytes = [0; 4_096];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        remember(&bytes[..length]);
        if to.write_all(&bytes[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write); // it may be closed already
}

#[test]
fn what_was_overheard_and_is_said_again_is_not_heard() {
    let mut cluster = Cluster::of(3, calm);
    let place = cluster.settings(2).members[1].address.clone();
    let (listener, heard) = listen_in(place.clone());
    // Member 1 finds member 2 only through somebody who listens in, and nobody finds member 1.
    cluster.settings(1).members[1].address = listener;
    cluster.settings(2).members[0].address = places().next().unwrap();
    let (leader, term) = cluster.start_all();
    cluster.assert_keep(&[1, 2, 3], (leader, term)); // so that something was said
    let overheard = heard.lock().unwrap().clone();
    assert!(overheard.iter().any(|bytes| bytes.len() > 500), "votes went through here");
    for _ in 0..5 {
        overheard.iter().for_each(|bytes| say(&place, bytes));
    }
    cluster.until_said("it was turned away", |me, event| {
        me == 2 && matches!(event, Event::Refused { from, .. } if from.starts_with("a client at"))
    });
    let all = cluster.ids();
    cluster.assert_keep(&all, (leader, term));
    cluster.finish(&all);
}
