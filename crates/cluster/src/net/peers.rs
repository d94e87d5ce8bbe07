//! What a member knows of each other member: which incarnation of it, which connection, and when to dial it.

use super::Tally;
use super::timeouts::REFUSED;
use crate::supervisor::death_certificate::{Commitment, DeathCertificate};
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

/// Which incarnations of one member this member has heard of.
///
/// A later incarnation of a member counts more boots. So if two incarnations count the same, or one counts less
/// than the last one did, something is wrong: a second process runs under this identity, or its disk was lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownIncarnations {
    /// The last one that was heard before this member's own start.
    recorded: Option<Incarnation>,
    latest: Option<LatestIncarnation>,
    /// An earlier incarnation was never proven to be dead: until then, what was promised to it may hold.
    in_doubt_until: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LatestIncarnation {
    incarnation: Incarnation,
    commitment: Option<[u8; 32]>,
    is_dead: bool,
}

/// What a Hello of some incarnation means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is the incarnation that is known.
    Same,
    /// It is a new one; whatever was known before is over.
    New,
    /// It may not speak: this other one is known, or it is dead itself.
    Refused(Option<Incarnation>),
}

/// What a death certificate means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateOutcome {
    /// The incarnation is dead, which this member did not know.
    New(Incarnation),
    /// It was known to be dead, or an earlier incarnation may not be: note is taken, and nothing follows.
    Noted,
    /// There is no such incarnation, or it is not the latest: nothing follows.
    Unknown,
}

impl KnownIncarnations {
    /// What is known when this member starts: the last start that it has recorded.
    pub fn recorded(last: Option<Incarnation>) -> KnownIncarnations {
        KnownIncarnations { recorded: last.filter(|last| last.boot > 0), ..KnownIncarnations::default() }
    }

    /// The latest start, if it was heard.
    pub fn latest(&self) -> Option<Incarnation> {
        self.latest.map(|latest| latest.incarnation)
    }

    /// Whether a member can have started so often. Greater counts are lies: they would keep the member out for good.
    pub fn is_plausible(&self, boot: u64) -> bool {
        let heard = self.latest().or(self.recorded).map_or(0, |latest| latest.boot);
        boot.saturating_sub(heard) <= MOST_STARTS
    }

    /// The member votes from another store now: its starts are counted anew. The last start of the former store may not
    /// be dead, and what was promised to it may hold until then.
    pub fn replace(&mut self, promised_until: Instant) {
        self.recorded = None;
        let is_in_doubt = self.latest.take().is_some_and(|latest| !latest.is_dead);
        if is_in_doubt {
            self.in_doubt_until = Some(promised_until);
        }
    }

    /// A process that proved to be this member sent Hello. No promise lasts longer than the longest.
    pub fn greet(
        &mut self,
        incarnation: Incarnation,
        commitment: Option<[u8; 32]>,
        (now, longest_promise): (Instant, Duration),
    ) -> Arrival {
        let is_earlier = |it: &Incarnation| incarnation.boot <= it.boot && incarnation != *it;
        match self.latest {
            None if self.recorded.as_ref().is_some_and(is_earlier) => Arrival::Refused(self.recorded),
            Some(latest) if latest.incarnation == incarnation && latest.is_dead => Arrival::Refused(None),
            Some(latest) if latest.incarnation == incarnation => Arrival::Same,
            Some(latest) if incarnation.boot <= latest.incarnation.boot => {
                Arrival::Refused(Some(latest.incarnation))
            }
            before => {
                if before.is_some_and(|latest| !latest.is_dead) {
                    self.in_doubt_until = Some(now + longest_promise);
                }
                self.latest = Some(LatestIncarnation { incarnation, commitment, is_dead: false });
                Arrival::New
            }
        }
    }

    /// A death certificate of this member has come. It is of the latest incarnation, and frees no member from what may have
    /// been promised to the one before: what that one guarded may live on.
    pub fn accept_certificate(&mut self, certificate: &DeathCertificate, now: Instant) -> CertificateOutcome {
        let is_in_doubt = self.in_doubt_until.is_some_and(|until| now < until);
        let is_proven = |latest: &LatestIncarnation| {
            latest.commitment.is_some_and(|it| certificate.proves_death_of(&Commitment(it)))
        };
        match self.latest.as_mut().filter(|latest| is_proven(latest)) {
            Some(latest) => {
                let was_dead = std::mem::replace(&mut latest.is_dead, true);
                if was_dead || is_in_doubt {
                    CertificateOutcome::Noted
                } else {
                    CertificateOutcome::New(latest.incarnation)
                }
            }
            None => CertificateOutcome::Unknown,
        }
    }
}

/// Which Hello of a peer a connection began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The incarnation that sent it.
    pub incarnation: Incarnation,
    /// The how many-th it was.
    pub number: u64,
}

impl Greeting {
    /// Whether a connection that began with this takes the place of one that began with the other.
    ///
    /// Between two members the smaller id decides which connection is theirs, by its Welcome. It gives
    /// it to the first on which both have sent Hello. If then another turns up, the peer's numbers tell which case it
    /// is. A lower one: both dialled at the same time, and the peer had not yet sent Hello on the one that was taken.
    /// A higher one: the peer sends no Hello on a second connection while it has the first, so it has lost that.
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
    pub known: KnownIncarnations,
    /// The store that it votes from, if it was ever heard.
    pub store: Option<StoreId>,
    /// Nothing was ever saved in that store, by its last Hello.
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
    /// Since the last attempt to dial it began, the process at its address refused us, or we refused it.
    pub is_refused: bool,
    /// How many Hellos were sent to it.
    pub hellos: u64,
    /// The last report about it, so that each is made once.
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
        let record = stores.peers.iter().find(|record| record.id == id);
        Member {
            id,
            address,
            known: KnownIncarnations::recorded(record.map(|record| record.last)),
            store: record.map(|record| record.store),
            is_new: false,
            up: None,
            dialling: Dialling::At(now),
            places: Vec::new(),
            asked_at: None,
            is_asked: false,
            last_seen: None,
            wait: FIRST_PAUSE.min(longest_pause),
            longest_pause,
            is_refused: false,
            hellos: 0,
            complaint: String::new(),
            tally: Tally::default(),
        }
    }

    /// It could not be reached: waits, and longer every time. Peers that were cut off together do not all come back
    /// at the same moment: each waits from half as long to half as long again. After a refusal no member waits for a network to
    /// heal, but for an operator.
    pub fn back_off(&mut self, now: Instant, random: &mut impl RngExt) {
        let pause = self.wait.mul_f64(random.random_range(0.5..1.5));
        let pause = if self.is_refused { REFUSED.mul_f64(random.random_range(1.0..1.5)) } else { pause };
        self.dialling = Dialling::At(now + pause);
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
        self.is_refused = false;
        self.dialling = match self.asked_at {
            _ if !self.places.is_empty() => Dialling::Trying(self.places.iter().rev().copied().collect()),
            Some(at) if !self.is_asked => Dialling::At(at + LOOKED_UP),
            _ => Dialling::Resolving,
        };
        must_ask
    }

    /// Its name has these addresses, or could not be resolved. Returns whether it is now to be dialled.
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
mod tests;
