//! Values of any algorithm: messages, timers, saved states and members that can be compared, hashed, encoded and shown.

use super::{Input, Machine, Outputs, Place};
use crate::message::{Data, encoded_bytes};
use crate::{Algorithm, Kind, Message, Status};
use serde::{Serialize, Serializer};
use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A timer or a saved state of any type.
pub trait DynValue: Any + Debug + Send + Sync + erased_serde::Serialize {
    /// Whether it has the same type and value.
    fn equals(&self, other: &dyn DynValue) -> bool;
    /// Feeds the value to a hasher.
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<T: Data> DynValue for T {
    fn equals(&self, other: &dyn DynValue) -> bool {
        is_same(self, other)
    }
    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

/// A message of any type.
pub trait DynMessage: Any + Debug + Send + Sync + erased_serde::Serialize {
    /// The index of its kind.
    fn kind_index(&self) -> usize;
    /// All kinds of its type.
    fn all_kinds(&self) -> &'static [Kind];
    /// The length of its wire form, in bytes.
    fn encoded_bytes(&self) -> u64;
    /// Its content in a few words, besides its kind: [`Message::brief`].
    fn in_brief(&self) -> Option<String>;
    /// Whether it has the same type and value.
    fn equals(&self, other: &dyn DynMessage) -> bool;
    /// Feeds the value to a hasher.
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<M: Message> DynMessage for M {
    fn kind_index(&self) -> usize {
        self.kind()
    }
    fn all_kinds(&self) -> &'static [Kind] {
        M::KINDS
    }
    fn encoded_bytes(&self) -> u64 {
        encoded_bytes(self)
    }
    fn in_brief(&self) -> Option<String> {
        self.brief()
    }
    fn equals(&self, other: &dyn DynMessage) -> bool {
        is_same(self, other)
    }
    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl dyn DynMessage {
    /// Its kind.
    #[must_use]
    pub fn kind_of(&self) -> &'static Kind {
        &self.all_kinds()[self.kind_index()]
    }
}

/// A member's state, as an observer sees it.
pub trait DynState: Debug + erased_serde::Serialize {
    /// What an outsider sees of it.
    fn seen_status(&self) -> Status;
}

impl<P: crate::Protocol> DynState for P {
    fn seen_status(&self) -> Status {
        self.status()
    }
}

erased_serde::serialize_trait_object!(DynMessage);
erased_serde::serialize_trait_object!(DynState);

/// A type that owns a value behind one of the traits above, and behaves as a value. What never changes is shared.
macro_rules! owned {
    ($($(#[$doc:meta])* $any:ident: $owner:ident<$dynamic:ident>;)+) => {$(
        $(#[$doc])*
        pub struct $any(pub(super) $owner<dyn $dynamic>);

        impl Deref for $any {
            type Target = dyn $dynamic;
            fn deref(&self) -> &Self::Target {
                &*self.0
            }
        }
        impl PartialEq for $any {
            fn eq(&self, other: &Self) -> bool {
                self.0.equals(&*other.0)
            }
        }
        impl Eq for $any {}
        impl Hash for $any {
            fn hash<H: Hasher>(&self, hasher: &mut H) {
                self.0.hash_into(hasher);
            }
        }
        impl Debug for $any {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
        impl Serialize for $any {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                erased_serde::serialize(&*self.0, to)
            }
        }
    )+};
}
owned! {
    /// A message of any algorithm.
    AnyMessage: Arc<DynMessage>;
    /// A timer or a saved state of any algorithm.
    AnyValue: Arc<DynValue>;
    /// A member of any algorithm that has booted.
    AnyMachine: Box<Machine>;
}

impl Clone for AnyMessage {
    fn clone(&self) -> Self {
        AnyMessage(Arc::clone(&self.0))
    }
}

impl Clone for AnyValue {
    fn clone(&self) -> Self {
        AnyValue(Arc::clone(&self.0))
    }
}

impl Clone for AnyMachine {
    fn clone(&self) -> Self {
        self.0.boxed_clone()
    }
}

impl AnyMessage {
    /// This message.
    pub fn new(msg: impl Message) -> AnyMessage {
        AnyMessage(Arc::new(msg))
    }
}

impl AnyValue {
    /// This value.
    pub fn new(value: impl Data) -> AnyValue {
        AnyValue(Arc::new(value))
    }
}

impl AnyMachine {
    /// A member with this state.
    pub fn new(state: impl Algorithm) -> AnyMachine {
        AnyMachine(Box::new(state))
    }

    /// [`Machine::handle`].
    pub fn handle(&mut self, place: Place<'_>, input: Input, outputs: &mut Outputs) {
        self.0.handle(place, input, outputs);
    }
}

/// A copy of a value of a type that the caller knows it to have.
pub(super) fn cast<T: Clone + 'static>(value: &dyn Any) -> T {
    value.downcast_ref::<T>().expect("a value of this algorithm: any other is the driver's bug").clone()
}

pub(super) fn is_same<T: Eq + 'static>(value: &T, other: &dyn Any) -> bool {
    other.downcast_ref::<T>() == Some(value)
}
