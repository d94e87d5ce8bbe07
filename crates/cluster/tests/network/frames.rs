//! Frames that are whole, cut short and changed, drawn from a seed.

use crate::bench::{config, id, nth_incarnation, settings};
use bellwether_cluster::StoreId;
use bellwether_cluster::net::wire::{
    Frame, HEADER, Hello, MAX_BODY, Malformed, Reason, VERSION, decode, encode,
};
use bellwether_core::Signal;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn samples(message: &[u8]) -> Vec<Frame<&[u8]>> {
    let hello = |commitment: Option<[u8; 32]>| {
        let (cluster, config) = ("orders".to_owned(), config(&settings(1, 3)));
        let (from, to, incarnation, number) = (id(1), id(2), nth_incarnation(3), 4);
        let (store, is_new) = (StoreId::new([9; 16]), commitment.is_some());
        let named_in = commitment.map(|_| (u64::MAX, 7));
        Frame::Hello(Box::new(Hello {
            cluster,
            config,
            from,
            to,
            incarnation,
            store,
            is_new,
            named_in,
            number,
            commitment,
        }))
    };
    vec![
        hello(None),
        hello(Some([7; 32])),
        Frame::Welcome,
        Frame::Message(message),
        Frame::Signal(Signal::Beat(1)),
        Frame::Signal(Signal::Ping(u64::MAX)),
        Frame::Signal(Signal::Pong(0)),
        Frame::Ready(77),
        Frame::Farewell(Reason::Leaving),
        Frame::Farewell(Reason::Malformed),
        Frame::Superseded(None),
        Frame::Superseded(Some(nth_incarnation(8))),
        Frame::OtherStore,
    ]
}

#[test]
fn frame_is_read_as_written_and_an_incomplete_one_waits() {
    for message in [&[][..], b"vote", &[9; MAX_BODY]] {
        for frame in samples(message) {
            let mut bytes = Vec::new();
            assert!(encode(&frame, &mut bytes));
            let length = bytes.len();
            for end in 0..length {
                assert_eq!(decode(&bytes[..end]), Ok(None));
            }
            bytes.extend([0xff; 5]);
            assert_eq!(decode(&bytes), Ok(Some((frame, length))));
        }
    }
}

#[test]
fn frame_that_is_too_long_is_neither_written_nor_read() {
    let mut bytes = vec![1, 2];
    assert!(!encode(&Frame::Message(&[0; MAX_BODY + 1]), &mut bytes));
    assert_eq!(bytes, [1, 2]);
    let body = (MAX_BODY as u16 + 1).to_le_bytes();
    assert_eq!(decode(&[3, body[0], body[1]]), Err(Malformed::Long(MAX_BODY + 1)));
}

#[test]
fn only_the_version_is_read_of_a_hello_of_another_version() {
    let mut bytes = Vec::new();
    assert!(encode(&samples(b"")[0], &mut bytes));
    for version in [VERSION - 1, VERSION + 1, u16::MAX] {
        bytes[HEADER + 4..HEADER + 6].copy_from_slice(&version.to_le_bytes());
        assert_eq!(decode(&bytes), Err(Malformed::Version(version)));
        bytes[HEADER + 6..].fill(0xff);
        assert_eq!(decode(&bytes), Err(Malformed::Version(version)));
    }
}

#[test]
fn whatever_comes_is_read_or_refused_and_what_is_read_is_written_the_same() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let samples = samples(b"some message");
    let (mut read, mut refused) = (0, 0);
    for _ in 0..200_000 {
        let mut bytes = Vec::new();
        assert!(encode(&samples[random.random_range(0..samples.len())], &mut bytes));
        for _ in 0..random.random_range(0..4) {
            let at = random.random_range(0..bytes.len());
            match random.random_range(0..3) {
                0 => bytes[at] = random.random(),
                1 => bytes[at] ^= 1 << random.random_range(0..8),
                _ => bytes.truncate(at.max(1)),
            }
        }
        match decode(&bytes) {
            Ok(Some((frame, length))) => {
                let mut again = Vec::new();
                assert!(length <= bytes.len() && encode(&frame, &mut again));
                assert_eq!(again, bytes[..length]);
                read += 1;
            }
            Ok(None) => assert!(bytes.len() < HEADER + MAX_BODY),
            Err(_) => refused += 1,
        }
    }
    assert!(read > 10_000 && refused > 10_000, "both are tried: {read}, {refused}");
}
