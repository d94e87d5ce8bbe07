//! What members say to each other.

use crate::Rank;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::Hash;

/// A plain value: comparable, hashable (for the checker), writable (for wire and trace).
pub trait Data: Clone + Debug + Eq + Hash + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Clone + Debug + Eq + Hash + Serialize + DeserializeOwned + Send + Sync + 'static> Data for T {}

/// The most kinds of messages that an algorithm may have (counters live in an array).
pub const MAX_KINDS: usize = 16;

/// Whether a message carries the algorithm's own words or only keeps its footing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// One of the messages that the literature counts.
    Payload,
    /// Overhead: a synchroniser's markers, acknowledgements, heartbeats.
    Control,
}

/// One of the kinds of messages that an algorithm sends, named as in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Kind {
    /// As the source calls it, in lower case.
    pub name: &'static str,
    /// How it counts.
    pub class: Class,
}

impl Kind {
    /// A kind that the literature counts.
    #[must_use]
    pub const fn payload(name: &'static str) -> Kind {
        Kind { name, class: Class::Payload }
    }

    /// A kind that is overhead.
    #[must_use]
    pub const fn control(name: &'static str) -> Kind {
        Kind { name, class: Class::Control }
    }
}

/// A message: data that knows its kind.
pub trait Message: Data {
    /// All kinds, at most [`MAX_KINDS`].
    const KINDS: &'static [Kind];

    /// The index of this message's kind in [`Message::KINDS`].
    fn kind(&self) -> usize;

    /// What it says besides its kind, in a few words for onlookers, where all its fields in a row would
    /// be more than they can take in.
    fn brief(&self) -> Option<String> {
        None
    }

    /// How a liar would say that `leader` has been elected; nothing if no single message says so.
    #[must_use]
    fn forged(leader: Rank) -> Option<Self> {
        let _ = leader;
        None
    }
}

/// The length of a value's wire form, in bytes.
#[inline]
pub fn encoded_bytes<T: Serialize>(value: &T) -> u64 {
    postcard::experimental::serialized_size(value).expect("messages have a wire form") as u64
}

/// The timer of an algorithm that sets none: no such value exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Never {}
