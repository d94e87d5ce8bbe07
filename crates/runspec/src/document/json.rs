//! JSON: the same values, without places.

use super::{At, Datum};
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::Value;

impl From<&Value> for Datum {
    fn from(value: &Value) -> Datum {
        match value {
            Value::Null => Datum::Null,
            Value::Bool(flag) => Datum::Flag(*flag),
            Value::Number(number) => match number.as_i128() {
                Some(whole) => Datum::Whole(whole),
                None => number.as_f64().map_or_else(|| Datum::Other(number.to_string()), Datum::Number),
            },
            Value::String(text) => Datum::Text(text.clone()),
            Value::Array(items) => Datum::list(items.iter().map(Datum::from)),
            Value::Object(entries) => {
                Datum::table(entries.iter().map(|(key, value)| (key, Datum::from(value))))
            }
        }
    }
}

impl Serialize for Datum {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Datum::Text(text) | Datum::Other(text) => to.serialize_str(text),
            Datum::Whole(number) => match (u64::try_from(*number), i64::try_from(*number)) {
                (Ok(number), _) => to.serialize_u64(number),
                (_, Ok(number)) => to.serialize_i64(number),
                _ => to.serialize_i128(*number),
            },
            Datum::Number(number) => to.serialize_f64(*number),
            Datum::Flag(flag) => to.serialize_bool(*flag),
            Datum::Null => to.serialize_unit(),
            Datum::List(items) => {
                let mut list = to.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item: &At<Datum>| list.serialize_element(&item.value))?;
                list.end()
            }
            Datum::Table(entries) => {
                let mut map = to.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| map.serialize_entry(&key.value, &value.value))?;
                map.end()
            }
        }
    }
}
