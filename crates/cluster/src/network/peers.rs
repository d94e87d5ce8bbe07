//! What a member knows of each other member: which life of it, which connection, and when to dial it.

use super::Tally;
use crate::obituary::{Commitment, Obituary};
use crate::{Incarnation, StoreId, Stores};
use bellwether_core::Id;
use rand::RngExt;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

/// The first pause before a peer is dialled again, unless all pauses are shorter.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
/// A name is looked up again after this time, if its addresses do not answer.
const LOOKED_UP: Duration = Duration::from_secs(1);

/// By how much a boot count can be greater than the last one that was heard. It grows by one at every start.
const MOST_STARTS: u64 = 1 << 32;

/// Which lives of one member were heard of.
///
/// Of one member a later life counts more boots. So of two lives that count the same, or of one that counts less
/// than the last one did, something is wrong: a second process runs under this identity, or its disk was lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    latest: Option<Life>,
    /// An earlier life was never proven to be dead: until then, what was promised to it may hold.
    in_doubt_until: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Life {
    incarnation: Incarnation,
    commitment: Option<[u8; 32]>,
    is_dead: bool,
}

/// What a Hello of some life means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is the life that is known.
    Same,
    /// It is a new one; whatever was known before is over.
    New,
    /// It may not speak: this other one is known, or it is dead itself.
    Refused(Option<Incarnation>),
}

/// What an obituary means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Burial {
    /// That life has just been learnt to be dead.
    New(Incarnation),
    /// It was known to be dead, or an earlier life may not be: note is taken, and nothing follows.
    Noted,
    /// There is no such life, or it is not the latest: nothing follows.
    Unknown,
}

impl Known {
    /// Whether a member can have started so often. Greater counts are lies: they would keep the member out for good.
    pub fn is_plausible(&self, boot: u64) -> bool {
        let heard = self.latest.map_or(0, |life| life.incarnation.boot);
        boot.saturating_sub(heard) <= MOST_STARTS
    }

    /// The member votes from another store now: its starts are counted anew. The last start of the former store may not
    /// be dead, and what was promised to it may hold until then.
    pub fn replace(&mut self, promised_until: Instant) {
        let is_in_doubt = self.latest.take().is_some_and(|life| !life.is_dead);
        if is_in_doubt {
            self.in_doubt_until = Some(promised_until);
        }
    }

    /// Somebody who proved to be this member said Hello. No promise lasts longer than the longest.
    pub fn greet(
        &mut self,
        incarnation: Incarnation,
        commitment: Option<[u8; 32]>,
        (now, longest_promise): (Instant, Duration),
    ) -> Arrival {
        match self.latest {
            Some(life) if life.incarnation == incarnation && life.is_dead => Arrival::Refused(None),
            Some(life) if life.incarnation == incarnation => Arrival::Same,
            Some(life) if incarnation.boot <= life.incarnation.boot => {
                Arrival::Refused(Some(life.incarnation))
            }
            before => {
                if before.is_some_and(|life| !life.is_dead) {
                    self.in_doubt_until = Some(now + longest_promise);
                }
                self.latest = Some(Life { incarnation, commitment, is_dead: false });
                Arrival::New
            }
        }
    }

    /// An obituary of this member has come. It is of the latest life, and frees nobody from what may have been promised to
    /// the one before: what that one guarded may live on.
    pub fn bury(&mut self, obituary: &Obituary, now: Instant) -> Burial {
        let is_in_doubt = self.in_doubt_until.is_some_and(|until| now < until);
        let is_proven =
            |life: &Life| life.commitment.is_some_and(|it| obituary.proves_death_of(&Commitment(it)));
        match self.latest.as_mut().filter(|life| is_proven(life)) {
            Some(life) => {
                let was_dead = std::mem::replace(&mut life.is_dead, true);
                if was_dead || is_in_doubt { Burial::Noted } else { Burial::New(life.incarnation) }
            }
            None => Burial::Unknown,
        }
    }
}

/// Which Hello of a peer a connection began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Which life said it.
    pub incarnation: Incarnation,
    /// The how many-th it was.
    pub number: u64,
}

impl Greeting {
    /// Whether a connection that began with this takes the place of one that began with the other.
    ///
    /// Between two members the smaller id has the last word on which connection is theirs, by its Welcome. It gives
    /// it to the first on which both have said Hello. If then another turns up, the peer's numbers tell which case it
    /// is. A lower one: both dialled at the same time, and the peer had not yet said Hello on the one that was taken.
    /// A higher one: the peer says nothing on a second connection while it has the first, so it has lost that.
    pub fn takes_over_from(self, other: Greeting) -> bool {
        match self.incarnation.boot.cmp(&other.incarnation.boot) {
            std::cmp::Ordering::Equal => self.number > other.number,
            order => order.is_gt(),
        }
    }
}

/// How a peer is being dialled.
#[derive(Debug)]
pub enum Dialling {
    /// Not, until then.
    At(Instant),
    /// Its name is being looked up.
    Resolving,
    /// A connection is being made; these addresses are left to try.
    Trying(Vec<SocketAddr>),
}

/// Another member.
pub struct Member {
    pub id: Id,
    pub address: String,
    pub known: Known,
    /// The store that it votes from, if it was ever heard.
    pub store: Option<StoreId>,
    /// Nothing was ever saved in that store, as it said last.
    pub is_new: bool,
    /// The connection with it.
    pub up: Option<usize>,
    pub dialling: Dialling,
    /// Where its name led last, and when that was asked. Known addresses are dialled while the name is looked up again: in a
    /// cut, a name server does not answer either.
    pub places: Vec<SocketAddr>,
    asked_at: Option<Instant>,
    is_asked: bool,
    /// Where its last connection came from or went to.
    pub last_seen: Option<IpAddr>,
    wait: Duration,
    longest_pause: Duration,
    /// How many Hellos were said to it.
    pub hellos: u64,
    /// For trials: the cable to it is cut.
    pub is_cut: bool,
    /// What was last wrong with it, so that it is said once.
    pub complaint: String,
    /// What went over connections that are gone.
    pub tally: Tally,
}

impl Member {
    /// A member at this address, dialled now, and again after a pause that is never longer than this.
    pub fn new(
        id: Id,
        address: String,
        (longest_pause, now): (Duration, Instant),
        stores: &Stores,
    ) -> Member {
        Member {
            id,
            address,
            known: Known::default(),
            store: stores.peers.iter().find(|(peer, _)| *peer == id).map(|(_, store)| *store),
            is_new: false,
            up: None,
            dialling: Dialling::At(now),
            places: Vec::new(),
            asked_at: None,
            is_asked: false,
            last_seen: None,
            wait: FIRST_PAUSE.min(longest_pause),
            longest_pause,
            hellos: 0,
            is_cut: false,
            complaint: String::new(),
            tally: Tally::default(),
        }
    }

    /// It could not be reached: waits, and longer every time. Peers that were cut off together do not all come back
    /// at the same moment: each waits from half as long to half as long again.
    pub fn back_off(&mut self, now: Instant, random: &mut impl RngExt) {
        self.dialling = Dialling::At(now + self.wait.mul_f64(random.random_range(0.5..1.5)));
        self.wait = (self.wait * 2).min(self.longest_pause);
    }

    /// It was reached: the next wait is short again.
    pub fn reached(&mut self) {
        self.wait = FIRST_PAUSE.min(self.longest_pause);
        self.complaint.clear();
    }

    /// From now on it is dialled there.
    pub fn move_to(&mut self, address: String, now: Instant) {
        self.address = address;
        self.places.clear();
        self.asked_at = None;
        if let Dialling::At(_) = self.dialling {
            self.dialling = Dialling::At(now);
        }
    }

    /// It is to be dialled now: at the addresses that are known. Whether its name must be looked up.
    pub fn begin_dialling(&mut self, now: Instant) -> bool {
        let is_due = self.asked_at.is_none_or(|at| now >= at + LOOKED_UP);
        let must_ask = is_due && !self.is_asked;
        if must_ask {
            (self.asked_at, self.is_asked) = (Some(now), true);
        }
        self.dialling = match self.asked_at {
            _ if !self.places.is_empty() => Dialling::Trying(self.places.iter().rev().copied().collect()),
            Some(at) if !self.is_asked => Dialling::At(at + LOOKED_UP),
            _ => Dialling::Resolving,
        };
        must_ask
    }

    /// Its name leads there, or nobody knows where. Whether it is now to be dialled.
    pub fn resolved(&mut self, address: &str, places: Option<Vec<SocketAddr>>, now: Instant) -> bool {
        self.is_asked = false;
        let is_waited_for = matches!(self.dialling, Dialling::Resolving);
        if address != self.address {
            if is_waited_for {
                self.dialling = Dialling::At(now); // it has moved meanwhile
            }
            return false;
        }
        self.places = places.unwrap_or_else(|| std::mem::take(&mut self.places));
        if is_waited_for {
            self.dialling = Dialling::Trying(self.places.iter().rev().copied().collect());
        }
        is_waited_for
    }

    /// Whether connections from there may be its own.
    pub fn may_be_at(&self, address: IpAddr) -> bool {
        let is_there = |place: IpAddr| place.to_canonical() == address.to_canonical();
        self.places.iter().map(SocketAddr::ip).chain(self.last_seen).any(is_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obituary::Token;
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A commitment and the obituary that meets it.
    fn certified() -> ([u8; 32], Obituary) {
        let token = Token::draw().unwrap();
        (token.commitment().0, Obituary::new("orders", Id::new(1).unwrap(), token))
    }

    fn life(boot: u64, nonce: u64) -> Incarnation {
        Incarnation { boot, nonce }
    }

    const LONGEST: Duration = Duration::from_secs(2);

    #[test]
    fn lives_are_told_apart_by_boot_and_nonce() {
        let refused = |boot, nonce| Arrival::Refused(Some(life(boot, nonce)));
        let now = (Instant::now(), LONGEST);
        // After boot 5 with nonce 1: who comes, and what that means.
        let cases = [
            (life(5, 1), Arrival::Same),
            (life(6, 2), Arrival::New),
            (life(6, 1), Arrival::New),
            (life(5, 2), refused(5, 1)),
            (life(4, 1), refused(5, 1)),
            (life(4, 2), refused(5, 1)),
        ];
        for (comer, expected) in cases {
            let mut known = Known::default();
            assert_eq!(known.greet(life(5, 1), None, now), Arrival::New);
            assert_eq!(known.greet(comer, None, now), expected, "{comer:?}");
        }
    }

    #[test]
    fn the_dead_stay_dead_and_only_the_latest_can_be_buried() {
        let ((first, of_first), (second, of_second)) = (certified(), certified());
        let now = Instant::now();
        let mut known = Known::default();
        assert_eq!(known.bury(&of_first, now), Burial::Unknown);
        known.greet(life(1, 1), Some(first), (now, LONGEST));
        assert_eq!(known.bury(&of_second, now), Burial::Unknown);
        assert_eq!(known.bury(&of_first, now), Burial::New(life(1, 1)));
        assert_eq!(known.bury(&of_first, now), Burial::Noted);
        assert_eq!(known.greet(life(1, 1), Some(first), (now, LONGEST)), Arrival::Refused(None));
        assert_eq!(known.greet(life(1, 2), None, (now, LONGEST)), Arrival::Refused(Some(life(1, 1))));
        known.greet(life(2, 2), Some(second), (now, LONGEST));
        assert_eq!(known.bury(&of_first, now), Burial::Unknown);
        assert_eq!(known.bury(&of_second, now), Burial::New(life(2, 2)));
    }

    /// Of the life before nobody knows whether it is dead, with all that it guarded. Somebody may have promised to it.
    #[test]
    fn a_later_life_s_certificate_says_nothing_of_the_life_before() {
        let ((second, of_second), (third, of_third)) = (certified(), certified());
        let now = Instant::now();
        let (just_before, then) = (now + LONGEST - Duration::from_nanos(1), now + LONGEST);
        let greeted_twice = || {
            let mut known = Known::default();
            known.greet(life(1, 1), Some(certified().0), (now, LONGEST));
            known.greet(life(2, 2), Some(second), (now, LONGEST));
            known
        };
        assert_eq!(greeted_twice().bury(&of_second, just_before), Burial::Noted);
        assert_eq!(greeted_twice().bury(&of_second, then), Burial::New(life(2, 2)));
        // The second is dead for certain; of the first it is still not known.
        let mut known = greeted_twice();
        assert_eq!(known.bury(&of_second, now), Burial::Noted);
        assert_eq!(known.greet(life(2, 2), Some(second), (now, LONGEST)), Arrival::Refused(None));
        known.greet(life(3, 3), Some(third), (just_before, LONGEST));
        assert_eq!(known.clone().bury(&of_third, just_before), Burial::Noted);
        assert_eq!(known.bury(&of_third, then), Burial::New(life(3, 3)));
    }

    #[test]
    fn who_commits_to_nothing_cannot_be_buried() {
        let mut known = Known::default();
        known.greet(life(1, 1), None, (Instant::now(), LONGEST));
        assert_eq!(known.bury(&certified().1, Instant::now()), Burial::Unknown);
    }

    #[test]
    fn the_later_hello_of_the_later_life_takes_over() {
        let greeting = |boot, number| Greeting { incarnation: life(boot, boot), number };
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
    fn a_name_is_looked_up_at_most_once_a_second_and_known_addresses_are_dialled_meanwhile() {
        let (now, place) = (Instant::now(), "10.0.0.1:7".parse::<SocketAddr>().unwrap());
        let (half, whole) = (now + LOOKED_UP / 2, now + LOOKED_UP);
        let mut peer = member("there:1", FIRST_PAUSE, now);
        assert!(peer.begin_dialling(now) && matches!(peer.dialling, Dialling::Resolving));
        assert!(peer.resolved("there:1", None, now), "nobody knows");
        assert!(!peer.begin_dialling(half) && matches!(peer.dialling, Dialling::At(at) if at == whole));
        assert!(peer.begin_dialling(whole) && peer.resolved("there:1", Some(vec![place]), whole));
        let is_tried =
            |peer: &Member| matches!(&peer.dialling, Dialling::Trying(places) if *places == [place]);
        assert!(is_tried(&peer));
        assert!(!peer.begin_dialling(whole) && is_tried(&peer), "it is known");
        assert!(peer.begin_dialling(whole + LOOKED_UP) && is_tried(&peer), "it is known, and asked again");
        assert!(!peer.begin_dialling(whole + 9 * LOOKED_UP) && is_tried(&peer), "one question at a time");
        // It moves: what was asked before says nothing of the new address.
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
        let is_there =
            ["::ffff:10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|it| peer.may_be_at(it.parse().unwrap()));
        assert_eq!(is_there, [true, true, false]);
    }
}
