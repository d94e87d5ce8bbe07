//! Which starts of a peer are heard, and when it is dialled.

use super::*;
use crate::supervisor::death_certificate::Token;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A commitment and the death certificate that meets it.
fn certified() -> ([u8; 32], DeathCertificate) {
    let token = Token::draw().unwrap();
    (token.commitment().0, DeathCertificate::new("orders", Id::new(1).unwrap(), token))
}

fn incarnation(boot: u64, nonce: u64) -> Incarnation {
    Incarnation { boot, nonce }
}

const LONGEST: Duration = Duration::from_secs(2);

#[test]
fn incarnations_are_told_apart_by_boot_and_nonce() {
    let refused = |boot, nonce| Arrival::Refused(Some(incarnation(boot, nonce)));
    let now = (Instant::now(), LONGEST);
    // After boot 5 with nonce 1: the incarnation that comes, and how it is received.
    let cases = [
        (incarnation(5, 1), Arrival::Same),
        (incarnation(6, 2), Arrival::New),
        (incarnation(6, 1), Arrival::New),
        (incarnation(5, 2), refused(5, 1)),
        (incarnation(4, 1), refused(5, 1)),
        (incarnation(4, 2), refused(5, 1)),
    ];
    for (comer, expected) in cases {
        let mut known = KnownIncarnations::default();
        assert_eq!(known.greet(incarnation(5, 1), None, now), Arrival::New);
        assert_eq!(known.greet(comer, None, now), expected, "{comer:?}");
    }
}

#[test]
fn a_start_that_is_earlier_than_the_recorded_one_is_refused() {
    let now = (Instant::now(), LONGEST);
    for (comer, is_accepted) in [
        (incarnation(5, 1), true),
        (incarnation(6, 2), true),
        (incarnation(5, 2), false),
        (incarnation(4, 1), false),
    ] {
        let mut known = KnownIncarnations::recorded(Some(incarnation(5, 1)));
        let refused = Arrival::Refused(Some(incarnation(5, 1)));
        let expected = if is_accepted { Arrival::New } else { refused };
        assert_eq!(known.greet(comer, None, now), expected, "{comer:?}");
        known.replace(now.0);
        assert_ne!(known.greet(incarnation(1, 9), None, now), refused, "of another store");
    }
}

#[test]
fn a_dead_incarnation_stays_dead_and_only_the_latest_can_be_certified_dead() {
    let ((first, of_first), (second, of_second)) = (certified(), certified());
    let now = Instant::now();
    let mut known = KnownIncarnations::default();
    assert_eq!(known.accept_certificate(&of_first, now), CertificateOutcome::Unknown);
    known.greet(incarnation(1, 1), Some(first), (now, LONGEST));
    assert_eq!(known.accept_certificate(&of_second, now), CertificateOutcome::Unknown);
    assert_eq!(known.accept_certificate(&of_first, now), CertificateOutcome::New(incarnation(1, 1)));
    assert_eq!(known.accept_certificate(&of_first, now), CertificateOutcome::Noted);
    assert_eq!(known.greet(incarnation(1, 1), Some(first), (now, LONGEST)), Arrival::Refused(None));
    assert_eq!(
        known.greet(incarnation(1, 2), None, (now, LONGEST)),
        Arrival::Refused(Some(incarnation(1, 1)))
    );
    known.greet(incarnation(2, 2), Some(second), (now, LONGEST));
    assert_eq!(known.accept_certificate(&of_first, now), CertificateOutcome::Unknown);
    assert_eq!(known.accept_certificate(&of_second, now), CertificateOutcome::New(incarnation(2, 2)));
}

/// The incarnation before may not be dead, nor all that it guarded. A member may have made a promise to it.
#[test]
fn a_later_incarnation_s_certificate_does_not_cover_the_one_before() {
    let ((second, of_second), (third, of_third)) = (certified(), certified());
    let now = Instant::now();
    let (just_before, then) = (now + LONGEST - Duration::from_nanos(1), now + LONGEST);
    let greeted_twice = || {
        let mut known = KnownIncarnations::default();
        known.greet(incarnation(1, 1), Some(certified().0), (now, LONGEST));
        known.greet(incarnation(2, 2), Some(second), (now, LONGEST));
        known
    };
    assert_eq!(greeted_twice().accept_certificate(&of_second, just_before), CertificateOutcome::Noted);
    assert_eq!(
        greeted_twice().accept_certificate(&of_second, then),
        CertificateOutcome::New(incarnation(2, 2))
    );
    // The second is dead for certain; of the first it is still not known.
    let mut known = greeted_twice();
    assert_eq!(known.accept_certificate(&of_second, now), CertificateOutcome::Noted);
    assert_eq!(known.greet(incarnation(2, 2), Some(second), (now, LONGEST)), Arrival::Refused(None));
    known.greet(incarnation(3, 3), Some(third), (just_before, LONGEST));
    assert_eq!(known.clone().accept_certificate(&of_third, just_before), CertificateOutcome::Noted);
    assert_eq!(known.accept_certificate(&of_third, then), CertificateOutcome::New(incarnation(3, 3)));
}

#[test]
fn an_incarnation_without_commitment_cannot_be_certified_dead() {
    let mut known = KnownIncarnations::default();
    known.greet(incarnation(1, 1), None, (Instant::now(), LONGEST));
    assert_eq!(known.accept_certificate(&certified().1, Instant::now()), CertificateOutcome::Unknown);
}

#[test]
fn the_later_hello_of_the_later_incarnation_takes_over() {
    let greeting = |boot, number| Greeting { incarnation: incarnation(boot, boot), number };
    assert!(greeting(1, 2).takes_over_from(greeting(1, 1)));
    assert!(greeting(2, 1).takes_over_from(greeting(1, 9)));
    assert!(!greeting(1, 1).takes_over_from(greeting(1, 1)));
    assert!(!greeting(1, 1).takes_over_from(greeting(1, 2)));
    assert!(!greeting(1, 9).takes_over_from(greeting(2, 1)));
}

fn member(address: &str, longest_pause: Duration, now: Instant) -> Member {
    let stores = Stores { own: StoreId::new([1; 16]), is_new: true, peers: Vec::new() };
    Member::new(Id::new(2).unwrap(), address.into(), (longest_pause, now), &stores)
}

#[test]
fn pauses_double_up_to_the_longest_each_at_random_up_to_half_shorter_or_longer_and_begin_anew() {
    let (now, mut random) = (Instant::now(), Xoshiro256PlusPlus::seed_from_u64(7));
    let longest = Duration::from_millis(60);
    let mut peer = member("nowhere:1", longest, now);
    let mut drawn = Vec::new();
    for due in [10, 20, 40, 60, 60, 60, 60, 60, 60].map(Duration::from_millis) {
        peer.back_off(now, &mut random);
        let Dialling::At(at) = peer.dialling else { panic!("it is not dialled yet") };
        drawn.push((at - now).div_duration_f64(due));
    }
    assert!(drawn.iter().all(|part| (0.5..1.5).contains(part)), "{drawn:?}");
    assert!(drawn.iter().any(|&part| part < 0.8) && drawn.iter().any(|&part| part > 1.2), "{drawn:?}");
    peer.reached();
    peer.back_off(now, &mut random);
    assert!(matches!(peer.dialling, Dialling::At(at) if at - now < Duration::from_millis(15)));
}

#[test]
fn after_a_refusal_a_peer_is_left_alone_for_a_second_and_after_silence_it_is_not() {
    let (mut now, mut random) = (Instant::now(), Xoshiro256PlusPlus::seed_from_u64(7));
    let mut peer = member("nowhere:1", Duration::from_millis(5), now);
    let mut pauses = Vec::new();
    for is_refused in [true, true, false, true, false, false] {
        peer.begin_dialling(now);
        peer.is_refused |= is_refused;
        peer.back_off(now, &mut random);
        let Dialling::At(at) = peer.dialling else { panic!("it is not dialled yet") };
        pauses.push((is_refused, at - now));
        now = at;
    }
    let is_right = |(is_refused, pause): &(bool, Duration)| match is_refused {
        true => (1_000..1_500).contains(&pause.as_millis()),
        false => *pause < Duration::from_millis(8),
    };
    assert!(pauses.iter().all(is_right), "{pauses:?}");
    assert_ne!(pauses[0].1, pauses[1].1, "members do not dial in step");
}

#[test]
fn a_name_is_looked_up_at_most_once_a_second_and_known_addresses_are_dialled_meanwhile() {
    let (now, place) = (Instant::now(), "10.0.0.1:7".parse::<SocketAddr>().unwrap());
    let (half, whole) = (now + LOOKED_UP / 2, now + LOOKED_UP);
    let mut peer = member("there:1", FIRST_PAUSE, now);
    assert!(peer.begin_dialling(now) && matches!(peer.dialling, Dialling::Resolving));
    assert!(peer.resolved("there:1", None, now), "the name has no address");
    assert!(!peer.begin_dialling(half) && matches!(peer.dialling, Dialling::At(at) if at == whole));
    assert!(peer.begin_dialling(whole) && peer.resolved("there:1", Some(vec![place]), whole));
    let is_tried = |peer: &Member| matches!(&peer.dialling, Dialling::Trying(places) if *places == [place]);
    assert!(is_tried(&peer));
    assert!(!peer.begin_dialling(whole) && is_tried(&peer), "it is known");
    assert!(peer.begin_dialling(whole + LOOKED_UP) && is_tried(&peer), "it is known, and asked again");
    assert!(!peer.begin_dialling(whole + 9 * LOOKED_UP) && is_tried(&peer), "one question at a time");
    // It moves: an earlier lookup is not about the new address.
    peer.move_to("elsewhere:1".into(), now);
    assert!(!peer.begin_dialling(now) && matches!(peer.dialling, Dialling::Resolving));
    assert!(!peer.resolved("there:1", Some(vec![place]), now) && peer.places.is_empty());
    assert!(matches!(peer.dialling, Dialling::At(at) if at == now) && peer.begin_dialling(now));
}

#[test]
fn a_peer_may_be_at_its_resolved_addresses_and_where_it_was_last() {
    let mut peer = member("there:1", FIRST_PAUSE, Instant::now());
    peer.places = vec!["10.0.0.1:7".parse().unwrap()];
    peer.last_seen = Some("::ffff:10.0.0.2".parse().unwrap());
    let is_there = ["::ffff:10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|it| peer.may_be_at(it.parse().unwrap()));
    assert_eq!(is_there, [true, true, false]);
}
