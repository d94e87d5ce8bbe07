//! States and messages in few words, for people.
//!
//! serde tells what a value is made of and what its types are called, so ranks and times can be
//! written as people know them, which neither JSON nor `Debug` does.

use bellwether_core::Time;
use serde::ser::{self, Serialize};
use std::fmt::{self, Display, Write as _};

/// One thing that a member remembers, by the name that it has in the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its value, in few words.
    pub value: String,
}

/// What a state remembers: its fields, and those of a state that it wraps as its own.
pub fn fields<T: Serialize + ?Sized>(state: &T) -> Vec<Field> {
    let mut fields = Vec::new();
    match shown(state) {
        Shown::Fields(parts) => flatten(parts, &mut fields),
        other => fields.push(Field { name: "state", value: other.to_string() }),
    }
    fields
}

fn flatten(parts: Vec<(&'static str, Shown)>, fields: &mut Vec<Field>) {
    for (name, part) in parts {
        match part {
            Shown::Fields(parts) => flatten(parts, fields),
            part => fields.push(Field { name, value: part.to_string() }),
        }
    }
}

/// What a message says besides its kind.
pub fn content<T: Serialize + ?Sized>(msg: &T) -> String {
    match shown(msg) {
        Shown::Word(_) => String::new(), // the kind says it all
        Shown::Tagged(_, inner) => inner.to_string(),
        other => other.to_string(),
    }
}

fn shown<T: Serialize + ?Sized>(value: &T) -> Shown {
    value.serialize(Show).unwrap_or_else(|_| Shown::Text("?".to_owned()))
}

/// A value, as far as it matters how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shown {
    Text(String),
    /// A choice without anything else.
    Word(String),
    /// A choice, and what comes with it.
    Tagged(String, Box<Shown>),
    Fields(Vec<(&'static str, Shown)>),
    List(Vec<Shown>),
    Pairs(Vec<(Shown, Shown)>),
}

impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Text(text) | Shown::Word(text) => f.write_str(text),
            Shown::Tagged(tag, inner) => write!(f, "{tag} {inner}"),
            Shown::Fields(fields) => {
                joined(f, fields, |f, (name, value)| write!(f, "{name}: {}", Inner(value)))
            }
            Shown::List(items) if items.is_empty() => f.write_str("none"),
            Shown::List(items) => joined(f, items, |f, item| Inner(item).fmt(f)),
            Shown::Pairs(pairs) if pairs.is_empty() => f.write_str("none"),
            Shown::Pairs(pairs) => {
                joined(f, pairs, |f, (key, value)| write!(f, "{}: {}", Inner(key), Inner(value)))
            }
        }
    }
}

/// A value within another: what has several parts is held together by brackets.
struct Inner<'a>(&'a Shown);

impl Display for Inner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Shown::Fields(parts) if parts.len() > 1 => write!(f, "({})", self.0),
            Shown::List(items) if items.len() > 1 => write!(f, "({})", self.0),
            Shown::Pairs(pairs) if !pairs.is_empty() => write!(f, "({})", self.0),
            shown => shown.fmt(f),
        }
    }
}

fn joined<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    each: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        each(f, item)?;
    }
    Ok(())
}

/// `AwaitingAnswers` is "awaiting answers".
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// The name under which core writes a rank for people.
const RANK: &str = "ReadableRank";
/// The names of core's times, which count ticks.
const TIMES: [&str; 2] = ["Time", "Span"];
/// The name of core's ports, which are easily taken for ids.
const PORT: &str = "Port";

/// Turns a value into what is shown of it. It fails only where a value's own `Serialize` does.
struct Show;

/// The parts of a value, as they come in.
struct Parts {
    tag: Option<&'static str>,
    of: &'static str,
    fields: Vec<(&'static str, Shown)>,
    items: Vec<Shown>,
    pairs: Vec<(Shown, Shown)>,
}

impl Parts {
    fn new(tag: Option<&'static str>, of: &'static str) -> Result<Parts, fmt::Error> {
        Ok(Parts { tag, of, fields: Vec::new(), items: Vec::new(), pairs: Vec::new() })
    }

    fn tagged(&self, shown: Shown) -> Shown {
        match self.tag {
            Some(tag) => Shown::Tagged(words(tag), Box::new(shown)),
            None => shown,
        }
    }

    /// A rank is its id, and its attribute if it has one.
    fn rank(&self) -> Shown {
        let part = |wanted| self.fields.iter().find(|(name, _)| *name == wanted).map(|(_, part)| part);
        let mut text = part("id").map(ToString::to_string).unwrap_or_default();
        if let Some(Shown::Text(attribute)) = part("attribute")
            && attribute != "0"
        {
            let _ = write!(text, ":{attribute}");
        }
        Shown::Text(text)
    }
}

macro_rules! as_text {
    ($($method:ident: $type:ty),+) => {
        $(fn $method(self, value: $type) -> Result<Shown, fmt::Error> {
            Ok(Shown::Text(value.to_string()))
        })+
    };
}

impl ser::Serializer for Show {
    type Ok = Shown;
    type Error = fmt::Error;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    as_text!(serialize_bool: bool, serialize_char: char, serialize_str: &str);
    as_text!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64);
    as_text!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);
    as_text!(serialize_i128: i128, serialize_u128: u128, serialize_f32: f32, serialize_f64: f64);

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Shown, fmt::Error> {
        bytes.serialize(self)
    }
    fn serialize_none(self) -> Result<Shown, fmt::Error> {
        Ok(Shown::Text("none".to_owned()))
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Shown, fmt::Error> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<Shown, fmt::Error> {
        Ok(Shown::Word(String::new()))
    }
    fn serialize_unit_struct(self, name: &'static str) -> Result<Shown, fmt::Error> {
        Ok(Shown::Word(words(name)))
    }
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Shown, fmt::Error> {
        Ok(Shown::Word(words(variant)))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Shown, fmt::Error> {
        let inner = value.serialize(self)?;
        let ticks = match &inner {
            Shown::Text(text) if TIMES.contains(&name) => text.parse().ok().map(Time::from_ticks),
            _ => None,
        };
        Ok(match ticks {
            Some(Time::NEVER) => Shown::Text("never".to_owned()),
            Some(time) => Shown::Text(time.to_string()),
            None if name == PORT => Shown::Text(format!("port {inner}")),
            None => inner,
        })
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Shown, fmt::Error> {
        Ok(Shown::Tagged(words(variant), Box::new(value.serialize(self)?)))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, fmt::Error> {
        Parts::new(None, "")
    }
    fn serialize_tuple(self, _: usize) -> Result<Parts, fmt::Error> {
        Parts::new(None, "")
    }
    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Parts, fmt::Error> {
        Parts::new(None, name)
    }
    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, fmt::Error> {
        Parts::new(Some(variant), name)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Parts, fmt::Error> {
        Parts::new(None, "")
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Parts, fmt::Error> {
        Parts::new(None, name)
    }
    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, fmt::Error> {
        Parts::new(Some(variant), name)
    }
}

macro_rules! gather_items {
    ($($kind:ident::$method:ident),+) => {
        $(impl ser::$kind for Parts {
            type Ok = Shown;
            type Error = fmt::Error;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
                self.items.push(value.serialize(Show)?);
                Ok(())
            }
            fn end(mut self) -> Result<Shown, fmt::Error> {
                let items = std::mem::take(&mut self.items);
                Ok(self.tagged(Shown::List(items)))
            }
        })+
    };
}

gather_items!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! gather_fields {
    ($($kind:ident),+) => {
        $(impl ser::$kind for Parts {
            type Ok = Shown;
            type Error = fmt::Error;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), fmt::Error> {
                self.fields.push((name, value.serialize(Show)?));
                Ok(())
            }
            fn end(mut self) -> Result<Shown, fmt::Error> {
                if self.of == RANK {
                    return Ok(self.rank());
                }
                let fields = std::mem::take(&mut self.fields);
                Ok(self.tagged(Shown::Fields(fields)))
            }
        })+
    };
}

gather_fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Parts {
    type Ok = Shown;
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), fmt::Error> {
        self.pairs.push((key.serialize(Show)?, Shown::Word(String::new())));
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        if let Some((_, last)) = self.pairs.last_mut() {
            *last = value.serialize(Show)?;
        }
        Ok(())
    }
    fn end(self) -> Result<Shown, fmt::Error> {
        Ok(Shown::Pairs(self.pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellwether_core::{Elect, HOP, Id, Port, Rank, Role, Span};
    use std::collections::{BTreeMap, BTreeSet};

    fn rank(attribute: i64, id: u64) -> Rank {
        Rank::new(Elect::Worst, attribute, Id::new(id).unwrap())
    }

    #[derive(serde::Serialize)]
    enum Say {
        Nothing,
        Name(Rank),
        Both(u8, Option<Rank>),
        Told { rank: Rank, hops: u32 },
    }

    #[derive(serde::Serialize)]
    struct Outer {
        inner: State,
        round: u64,
    }

    #[derive(serde::Serialize)]
    struct State {
        role: Role,
        best: Option<Rank>,
        wait: Span,
        settled_at: Option<Time>,
        heard: BTreeSet<Port>,
        sent: BTreeMap<u64, Vec<Say>>,
        phase: Say,
    }

    #[test]
    fn states_are_fields_in_few_words() {
        let state = State {
            role: Role::Undecided,
            best: Some(rank(-7, 42)),
            wait: HOP * 3,
            settled_at: Some(Time::from_ticks(1500)),
            heard: [Port(2), Port(0)].into(),
            sent: BTreeMap::from([(1, vec![Say::Nothing, Say::Name(rank(0, 5))]), (2, vec![])]),
            phase: Say::Told { rank: rank(0, 1), hops: 2 },
        };
        let fields = fields(&Outer { inner: state, round: 4 });
        let text: Vec<String> =
            fields.iter().map(|field| format!("{}={}", field.name, field.value)).collect();
        let expected = [
            "role=undecided",
            "best=42:-7",
            "wait=3",
            "settled_at=1.5",
            "heard=port 0, port 2",
            "sent=1: (nothing, name 5), 2: none",
            "phase=told rank: 1, hops: 2",
            "round=4",
        ];
        assert_eq!(text, expected);
    }

    #[test]
    fn messages_say_what_their_kind_does_not() {
        assert_eq!(content(&Say::Nothing), "");
        assert_eq!(content(&Say::Name(rank(3, 80))), "80:3");
        assert_eq!(content(&Say::Both(1, None)), "1, none");
        assert_eq!(content(&Say::Told { rank: rank(0, 9), hops: 1 }), "rank: 9, hops: 1");
        assert_eq!(content(&7), "7");
        assert_eq!(fields(&Say::Nothing)[0], Field { name: "state", value: "nothing".into() });
    }
}
