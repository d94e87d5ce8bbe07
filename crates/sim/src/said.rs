//! Messages and states as onlookers see them, whatever their types: so an [`crate::Observer`] can be
//! a trait object, and only what is hot is compiled for each algorithm and each observer.

use bellwether_core::{Kind, Message, Protocol, Status};
use std::fmt::Debug;

/// A message, whatever its type.
pub trait Said: Debug + erased_serde::Serialize {
    /// The index of its kind.
    fn kind_index(&self) -> usize;
    /// All kinds that there are of its type.
    fn all_kinds(&self) -> &'static [Kind];
    /// What it says besides its kind, in a few words: [`Message::brief`].
    fn in_brief(&self) -> Option<String>;
    /// Its wire form.
    fn on_the_wire(&self) -> Vec<u8>;
    /// Whether these bytes are its wire form.
    fn is_read_from(&self, wire: &[u8]) -> bool;
}

impl<M: Message> Said for M {
    #[inline(always)]
    fn kind_index(&self) -> usize {
        self.kind()
    }
    fn all_kinds(&self) -> &'static [Kind] {
        M::KINDS
    }
    fn in_brief(&self) -> Option<String> {
        self.brief()
    }
    fn on_the_wire(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("messages have a wire form")
    }
    fn is_read_from(&self, wire: &[u8]) -> bool {
        postcard::from_bytes::<M>(wire).is_ok_and(|read| read == *self)
    }
}

impl dyn Said + '_ {
    /// Its kind.
    #[must_use]
    pub fn kind_of(&self) -> &'static Kind {
        &self.all_kinds()[self.kind_index()]
    }
}

/// A member's state, whatever its type.
pub trait Seen: Debug + erased_serde::Serialize {
    /// What an outsider sees of it.
    fn seen_status(&self) -> Status;
}

impl<P: Protocol> Seen for P {
    fn seen_status(&self) -> Status {
        self.status()
    }
}

erased_serde::serialize_trait_object!(Said);
erased_serde::serialize_trait_object!(Seen);
