use super::*;
use crate::Peer;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

fn certificate() -> DeathCertificate {
    DeathCertificate::new("orders", Id::new(7).unwrap(), Token([0x61; 32].into()))
}

/// Hashes as `sha256sum` prints them.
#[test]
fn certificate_has_the_documented_form() {
    let bytes = certificate().encode();
    let cluster = "1c168adb00d208e42f93314529f1fa9c0427eb63233ceda95a5db52b7012a719";
    let expected = format!("42574f424954{cluster}0700000000000000{}", "61".repeat(32));
    assert_eq!(format!("{:x}", HexDisplay(&bytes)), expected);
    assert_eq!(DeathCertificate::decode(&bytes), Some(certificate()));
}

#[test]
fn only_the_very_token_proves_and_only_of_its_cluster() {
    let commitment = Token([0x61; 32].into()).commitment();
    assert!(certificate().proves_death_of(&commitment));
    assert!(certificate().is_of("orders") && !certificate().is_of("order"));
    for bit in 46 * 8..LENGTH * 8 {
        let mut bytes = certificate().encode();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!DeathCertificate::decode(&bytes).unwrap().proves_death_of(&commitment));
    }
    for byte in 0..MAGIC.len() {
        let mut bytes = certificate().encode();
        bytes[byte] ^= 1;
        assert_eq!(DeathCertificate::decode(&bytes), None);
    }
    let no_id = [&certificate().encode()[..38], &[0xff; 8], &[0x61; 32]].concat();
    assert_eq!(DeathCertificate::decode(&no_id.try_into().unwrap()), None);
}

#[test]
fn tokens_differ_and_are_not_shown() {
    let (one, other) = (Token::draw().unwrap(), Token::draw().unwrap());
    assert_ne!(one, other);
    assert_eq!(format!("{one:?}"), "Token(..)");
}

#[test]
fn a_commitment_survives_being_written() {
    let commitment = Token([0x61; 32].into()).commitment();
    assert_eq!(commitment.to_string(), "3ba3f5f43b92602683c19aee62a20342b084dd5971ddd33808d81a328879a547");
    assert_eq!(commitment.to_string().parse(), Ok(commitment));
    let long = "0".repeat(65);
    let accented = format!("{}é", "0".repeat(62));
    for wrong in ["", "3b", &long, &accented, &"+f".repeat(32)] {
        assert_eq!(wrong.parse::<Commitment>(), Err(InvalidCommitment));
    }
}

/// Takes as many calls as there are answers, and returns what was sent.
fn peer(answers: &'static [&'static [u8]]) -> (String, thread::JoinHandle<Vec<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let take = move |answer: &&[u8]| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut said = vec![0; LENGTH];
        stream.read_exact(&mut said).unwrap();
        stream.write_all(answer).unwrap();
        said
    };
    (address, thread::spawn(move || answers.iter().map(take).collect()))
}

fn peers<const N: usize>(addresses: [String; N]) -> Vec<Peer> {
    (1..).zip(addresses).map(|(id, address)| Peer::new(Id::new(id).unwrap(), address)).collect()
}

#[test]
fn all_are_told_again_until_they_take_note() {
    let attentive = peer(&[&[ACKNOWLEDGED]]);
    let slow_witted = peer(&[&[], &[0], &[ACKNOWLEDGED]]);
    let not_yet_greeted = peer(&[&[UNKNOWN], &[UNKNOWN], &[ACKNOWLEDGED]]);
    let peers = peers([attentive.0, slow_witted.0, not_yet_greeted.0]);
    let mut told = announce(&certificate(), &peers, Duration::from_secs(60));
    told.sort_unstable();
    assert_eq!(told, [peers[0].id, peers[1].id, peers[2].id]);
    let said = certificate().encode().to_vec();
    assert_eq!(attentive.1.join().unwrap().concat(), said);
    assert_eq!(slow_witted.1.join().unwrap().concat(), said.repeat(3));
    assert_eq!(not_yet_greeted.1.join().unwrap().concat(), said.repeat(3));
}

#[test]
fn absent_peer_is_given_up() {
    let absent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let peers = peers([absent, "no such place".to_owned()]);
    assert_eq!(announce(&certificate(), &peers, Duration::from_millis(50)), []);
}

#[test]
fn peer_that_cannot_know_the_dead_process_is_given_up_early() {
    const NO: &[u8] = &[UNKNOWN];
    let absent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let ignorant = peer(&[NO; 100]);
    let (begun, limit) = (Instant::now(), Duration::from_secs(60));
    assert_eq!(announce(&certificate(), &peers([absent, ignorant.0]), limit), []);
    assert!(begun.elapsed() < limit / 2);
}
