//! Who takes part: identities and ranks.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroU64;

/// The value a member brings to the election besides its id: CPU speed, load, free disk, the
/// number of files, or any number of the user's own.
pub type Attribute = i64;

/// A member's identity: any whole number from 0 to [`Id::MAX`].
///
/// Kept as `value + 1` in a non-zero word, so that `Option<Id>` is as small as an `Id`; the top
/// bit stays free for [`Rank`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU64);

/// The id asked for is larger than [`Id::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidId(pub u64);

impl Id {
    /// The largest id.
    pub const MAX: u64 = i64::MAX as u64 - 1;

    /// The id with this value.
    ///
    /// # Errors
    /// [`InvalidId`] if the value is above [`Id::MAX`].
    pub const fn new(value: u64) -> Result<Id, InvalidId> {
        match NonZeroU64::new(value.wrapping_add(1)) {
            Some(raw) if value <= Id::MAX => Ok(Id(raw)),
            _ => Err(InvalidId(value)),
        }
    }

    /// The id's value.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0.get() - 1
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "id {} is too large: ids go from 0 to {}", self.0, Id::MAX)
    }
}

impl std::error::Error for InvalidId {}

/// Which end of the ranking wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Elect {
    /// The highest rank wins (the literature's usual choice).
    #[default]
    Best,
    /// The lowest rank wins.
    Worst,
}

/// A member's standing: `(attribute, id)`, unique because ids are.
///
/// **The greater rank always wins**, so an algorithm compares with `>` and never asks in which
/// direction the election runs: for [`Elect::Worst`] both parts are stored complemented, which
/// turns their order round. (The top bit of the second word, free because ids are at most
/// [`Id::MAX`], tells which it is.)
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rank {
    score: u64,
    tie_break: NonZeroU64,
}

impl Rank {
    /// Both parts as one number: comparing two of these takes a third of the instructions of comparing part by part.
    #[inline]
    const fn whole(self) -> u128 {
        (self.score as u128) << 64 | self.tie_break.get() as u128
    }
}

impl Ord for Rank {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.whole().cmp(&other.whole())
    }
}

impl PartialOrd for Rank {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.whole() < other.whole()
    }

    #[inline]
    fn gt(&self, other: &Self) -> bool {
        self.whole() > other.whole()
    }
}

const TOP_BIT: u64 = 1 << 63;

impl Rank {
    /// The rank of the member `id` that brings `attribute` (0 where the id alone decides).
    #[must_use]
    pub const fn new(elect: Elect, attribute: Attribute, id: Id) -> Rank {
        let score = attribute as u64 ^ TOP_BIT; // order-preserving map of i64 onto u64
        match elect {
            Elect::Best => Rank { score, tie_break: id.0 },
            Elect::Worst => match NonZeroU64::new(!id.0.get()) {
                Some(tie_break) => Rank { score: !score, tie_break },
                None => panic!("an id's raw form never has all bits set"),
            },
        }
    }

    /// The rank of somebody who brings the same and is called `id`.
    #[must_use]
    pub const fn with_id(self, id: Id) -> Rank {
        Rank::new(self.elect(), self.attribute(), id)
    }

    /// Which end of the ranking wins.
    #[must_use]
    pub const fn elect(self) -> Elect {
        if self.tie_break.get() & TOP_BIT == 0 { Elect::Best } else { Elect::Worst }
    }

    /// The member that holds this rank.
    #[must_use]
    pub const fn id(self) -> Id {
        match self.elect() {
            Elect::Best => Id(self.tie_break),
            Elect::Worst => match NonZeroU64::new(!self.tie_break.get()) {
                Some(raw) => Id(raw),
                None => panic!("a rank's raw form never has all bits set"),
            },
        }
    }

    /// What the member brings besides its id.
    #[must_use]
    pub const fn attribute(self) -> Attribute {
        let score = match self.elect() {
            Elect::Best => self.score,
            Elect::Worst => !self.score,
        };
        (score ^ TOP_BIT) as Attribute
    }
}

/// From which range ids and attributes come, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankRange {
    /// The least and the greatest id.
    pub ids: (u64, u64),
    /// The least and the greatest attribute.
    pub attributes: (Attribute, Attribute),
}

impl RankRange {
    /// The range of some members' attributes, and ids from 1 (or 0, if somebody has it) to the
    /// greatest.
    #[must_use]
    pub fn around(ranks: &[Rank]) -> RankRange {
        let mut range = RankRange { ids: (1, 1), attributes: (Attribute::MAX, Attribute::MIN) };
        for rank in ranks {
            let (id, attribute) = (rank.id().value(), rank.attribute());
            range.ids = (range.ids.0.min(id), range.ids.1.max(id));
            range.attributes = (range.attributes.0.min(attribute), range.attributes.1.max(attribute));
        }
        range
    }

    /// How many ranks of the range are better than this one of it; [`u64::MAX`] if there are more.
    #[must_use]
    pub fn better_than(&self, rank: Rank) -> u64 {
        let (id, attribute) = (rank.id().value(), rank.attribute());
        let (better_attributes, better_ids) = match rank.elect() {
            Elect::Best => (self.attributes.1.abs_diff(attribute), self.ids.1 - id),
            Elect::Worst => (attribute.abs_diff(self.attributes.0), id - self.ids.0),
        };
        let ids = self.ids.1 - self.ids.0 + 1;
        better_attributes.saturating_mul(ids).saturating_add(better_ids)
    }
}

impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.attribute() {
            0 => write!(f, "{}", self.id()),
            attribute => write!(f, "{}:{}", self.id(), attribute),
        }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

// On the wire an id takes eight bytes and a rank sixteen, whatever their values: message sizes
// then depend on what is said, not on how ids were numbered. For people they are plain numbers.

impl Serialize for Id {
    #[inline]
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            self.value().serialize(to)
        } else {
            self.0.get().to_le_bytes().serialize(to)
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Id, D::Error> {
        let value = if from.is_human_readable() {
            u64::deserialize(from)?
        } else {
            u64::from_le_bytes(<[u8; 8]>::deserialize(from)?).wrapping_sub(1)
        };
        Id::new(value).map_err(D::Error::custom)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadableRank {
    #[serde(default)]
    attribute: Attribute,
    id: Id,
    #[serde(default)]
    elect: Elect,
}

impl Serialize for Rank {
    #[inline]
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            let readable = ReadableRank { attribute: self.attribute(), id: self.id(), elect: self.elect() };
            readable.serialize(to)
        } else {
            (self.score.to_le_bytes(), self.tie_break.get().to_le_bytes()).serialize(to)
        }
    }
}

impl<'de> Deserialize<'de> for Rank {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Rank, D::Error> {
        if from.is_human_readable() {
            let readable = ReadableRank::deserialize(from)?;
            return Ok(Rank::new(readable.elect, readable.attribute, readable.id));
        }
        let (score, tie_break) = <([u8; 8], [u8; 8])>::deserialize(from)?;
        let tie_break = NonZeroU64::new(u64::from_le_bytes(tie_break))
            .filter(|raw| raw.get() != u64::MAX)
            .ok_or_else(|| D::Error::custom("this is no rank: it names no id"))?;
        Ok(Rank { score: u64::from_le_bytes(score), tie_break })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_counts_the_ranks_that_are_better() {
        for elect in [Elect::Best, Elect::Worst] {
            let range = RankRange { ids: (1, 4), attributes: (-2, 1) };
            let all: Vec<Rank> = (-2..=1)
                .flat_map(|attribute| {
                    (1..=4).map(move |id| Rank::new(elect, attribute, Id::new(id).unwrap()))
                })
                .collect();
            for rank in &all {
                let better = all.iter().filter(|other| *other > rank).count();
                assert_eq!(range.better_than(*rank), better as u64, "{rank:?}");
            }
            assert_eq!(RankRange::around(&all), range);
        }
        let widest = RankRange { ids: (0, Id::MAX), attributes: (i64::MIN, i64::MAX) };
        let worst = Rank::new(Elect::Best, i64::MIN, Id::new(0).unwrap());
        assert_eq!(widest.better_than(worst), u64::MAX);
    }

    fn rank(elect: Elect, attribute: Attribute, id: u64) -> Rank {
        Rank::new(elect, attribute, Id::new(id).unwrap())
    }

    #[test]
    fn ranks_order_by_attribute_then_id_and_turn_round_for_worst() {
        let attributes = [i64::MIN, -1, 0, 1, i64::MAX];
        let ids = [0, 1, 2, Id::MAX - 1, Id::MAX];
        let all: Vec<(i64, u64)> =
            attributes.iter().flat_map(|&a| ids.iter().map(move |&i| (a, i))).collect();
        for &x in &all {
            for &y in &all {
                let best = rank(Elect::Best, x.0, x.1).cmp(&rank(Elect::Best, y.0, y.1));
                let worst = rank(Elect::Worst, x.0, x.1).cmp(&rank(Elect::Worst, y.0, y.1));
                assert_eq!(best, x.cmp(&y), "{x:?} {y:?}");
                assert_eq!(worst, y.cmp(&x), "{x:?} {y:?}");
            }
            for elect in [Elect::Best, Elect::Worst] {
                let rank = rank(elect, x.0, x.1);
                assert_eq!((rank.attribute(), rank.id().value(), rank.elect()), (x.0, x.1, elect));
            }
        }
    }

    #[test]
    fn ids_are_bounded_and_small() {
        assert_eq!(Id::new(Id::MAX + 1), Err(InvalidId(Id::MAX + 1)));
        assert_eq!(Id::new(u64::MAX), Err(InvalidId(u64::MAX)));
        assert_eq!(size_of::<Option<Id>>(), 8);
        assert_eq!(size_of::<Rank>(), 16);
    }

    #[test]
    fn readable_form_round_trips() {
        for elect in [Elect::Best, Elect::Worst] {
            let rank = rank(elect, -7, 42);
            let text = serde_json::to_string(&rank).unwrap();
            assert_eq!(serde_json::from_str::<Rank>(&text).unwrap(), rank, "{text}");
        }
        assert!(serde_json::from_str::<Id>(&u64::MAX.to_string()).is_err());
    }
}
