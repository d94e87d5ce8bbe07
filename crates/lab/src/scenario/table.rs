//! Tables and values of a TOML file, with the place of each.

use super::error::Flaw;
use bellwether_core::{Id, Time};
use bellwether_sim::{LATEST_HOPS, time_after_hops};
use toml::de::{DeTable, DeValue};

/// The keys of the scenario itself. They are the options of `simulate` where there is one.
pub(super) const KEYS: &[&str] = &[
    "title",
    "about",
    "source",
    "waits_for",
    "algorithm",
    "variant",
    "ids",
    "nodes",
    "order",
    "attributes",
    "id_bound",
    "identical",
    "elect",
    "witnesses",
    "observers",
    "initiators",
    "restart_after",
    "topology",
    "delay",
    "delay_bound",
    "drift_bound",
    "renewals",
    "links",
    "synchroniser",
    "loss",
    "burst",
    "duplication",
    "reordering",
    "held_up",
    "faults_until",
    "lose",
    "duplicate",
    "ring_closes",
    "certified_crashes",
    "detector",
    "schedule",
    "loops_from",
    "beginning",
    "seed",
    "until",
    "max_messages",
    "event",
    "liberties",
    "expect",
];

/// A value, and the byte at which it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct At<T> {
    pub value: T,
    pub at: usize,
}

/// A table that has known keys only.
pub(super) struct Table<'t> {
    entries: &'t DeTable<'t>,
    pub at: usize,
}

impl<'t> Table<'t> {
    /// The table, or the first of its keys that is not one of `keys`. `whose` says whose keys they
    /// are, as in "an event".
    pub fn new(entries: &'t DeTable<'t>, at: usize, whose: &str, keys: &[&str]) -> Result<Self, Flaw> {
        let strangers = entries.keys().filter(|key| !keys.contains(&key.get_ref().as_ref()));
        if let Some(stranger) = strangers.min_by_key(|key| key.span().start) {
            let name = stranger.get_ref().as_ref();
            let flaw = Flaw::new(stranger.span().start, format!("{whose} has no key '{name}'"));
            return Err(if KEYS.contains(&name) {
                flaw.hint(format!("'{name}' is the scenario's own: put it above the first [table]"))
            } else {
                flaw.hint(format!("the keys are {}", keys.join(", "))).meant(name, keys)
            });
        }
        Ok(Table { entries, at })
    }

    /// The value of a key, if it is there.
    pub fn get(&self, key: &'static str) -> Option<Value<'t>> {
        let value = self.entries.get(key)?;
        Some(Value { key, inner: value.get_ref(), at: value.span().start })
    }

    /// The value of a key, as `read` makes it out, if it is there.
    pub fn read<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Value<'t>) -> Result<T, Flaw>,
    ) -> Result<Option<At<T>>, Flaw> {
        self.get(key).map(|value| read(&value).map(|read| At { value: read, at: value.at })).transpose()
    }
}

/// A value of the file.
#[derive(Clone, Copy)]
pub(super) struct Value<'t> {
    /// The key to which it belongs.
    pub key: &'static str,
    inner: &'t DeValue<'t>,
    pub at: usize,
}

impl<'t> Value<'t> {
    /// What is wrong with the value, which should have been something else.
    pub fn unlike(&self, expected: &str) -> Flaw {
        let found = match self.inner {
            DeValue::String(text) => format!("'{text}'"),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(date) => format!("the date {date}"),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        Flaw::new(self.at, format!("'{}' must be {expected}, not {found}", self.key))
    }

    /// Text.
    pub fn text(&self) -> Result<&'t str, Flaw> {
        self.as_text().ok_or_else(|| self.unlike("text in quotes"))
    }

    /// Text, if it is.
    pub fn as_text(&self) -> Option<&'t str> {
        if let DeValue::String(text) = self.inner { Some(text) } else { None }
    }

    /// Text that says something.
    pub fn words(&self) -> Result<String, Flaw> {
        let text = self.text()?.trim();
        if text.is_empty() {
            return Err(Flaw::new(
                self.at,
                format!("'{}' is empty: say something, or leave it out", self.key),
            ));
        }
        // Played, words go to a terminal: nothing in them may steer it.
        if let Some(letter) = text.chars().find(|&letter| letter.is_control() && letter != '\n') {
            let problem = format!("'{}' has a control character, U+{:04X}", self.key, u32::from(letter));
            return Err(Flaw::new(self.at, problem).hint("leave it out"));
        }
        Ok(text.to_owned())
    }

    /// One of a few words, and what each stands for.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, Flaw> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let expected = format!("one of '{}'", names.join("', '"));
        let word = self.as_text().ok_or_else(|| self.unlike(&expected))?;
        let found = choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| *choice);
        found.ok_or_else(|| self.unlike(&expected).meant(word, &names))
    }

    /// A whole number, not negative.
    pub fn whole(&self) -> Result<u64, Flaw> {
        self.as_whole().ok_or_else(|| self.unlike("a whole number, 0 or more"))
    }

    /// A whole number, not negative, if it is one.
    pub fn as_whole(&self) -> Option<u64> {
        let DeValue::Integer(number) = self.inner else { return None };
        u64::from_str_radix(number.as_str(), number.radix()).ok()
    }

    /// A whole number.
    pub fn signed(&self) -> Result<i64, Flaw> {
        let DeValue::Integer(number) = self.inner else { return Err(self.unlike("a whole number")) };
        i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| self.unlike("a smaller number"))
    }

    /// A number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self.inner {
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => self.as_whole().map(|number| number as f64),
        }
    }

    /// A number, which may be negative, if it is one.
    pub fn as_signed_number(&self) -> Option<f64> {
        self.as_number().or_else(|| self.signed().ok().map(|number| number as f64))
    }

    /// A time or a length of time, in hops.
    pub fn hops(&self) -> Result<Time, Flaw> {
        let expected = format!("a number of hops, 0 to {LATEST_HOPS:e}, as in 3 or 2.5");
        self.as_number().and_then(time_after_hops).ok_or_else(|| self.unlike(&expected))
    }

    /// Yes or no.
    pub fn flag(&self) -> Result<bool, Flaw> {
        if let DeValue::Boolean(flag) = self.inner { Ok(*flag) } else { Err(self.unlike("true or false")) }
    }

    /// An id.
    pub fn id(&self) -> Result<Id, Flaw> {
        let value = self.as_whole().ok_or_else(|| self.unlike("an id, a whole number from 0"))?;
        Id::new(value).map_err(|error| Flaw::new(self.at, format!("'{}': {error}", self.key)))
    }

    /// Several values, if it is a list.
    pub fn as_list(&self) -> Option<Vec<Value<'t>>> {
        let DeValue::Array(items) = self.inner else { return None };
        let item = |item: &'t toml::Spanned<DeValue<'t>>| Value {
            key: self.key,
            inner: item.get_ref(),
            at: item.span().start,
        };
        Some(items.iter().map(item).collect())
    }

    /// Several values, each as `read` makes it out.
    pub fn list<T>(
        &self,
        expected: &str,
        read: impl Fn(&Value<'t>) -> Result<T, Flaw>,
    ) -> Result<Vec<At<T>>, Flaw> {
        let items = self.as_list().ok_or_else(|| self.unlike(expected))?;
        items.iter().map(|item| read(item).map(|value| At { value, at: item.at })).collect()
    }

    /// Several ids.
    pub fn ids(&self) -> Result<Vec<At<Id>>, Flaw> {
        self.list("a list of ids, as in [80, 32, 5]", Value::id)
    }

    /// A table with these keys only.
    pub fn table(&self, whose: &str, keys: &[&str]) -> Result<Table<'t>, Flaw> {
        Table::new(self.as_table()?, self.at, whose, keys)
    }

    /// A table whose keys are names of something: each with its place and value, in the order of
    /// the file.
    pub fn named(&self) -> Result<Vec<(At<&'t str>, Value<'t>)>, Flaw> {
        let mut entries: Vec<_> = self
            .as_table()?
            .iter()
            .map(|(name, value)| {
                let name = At { value: name.get_ref().as_ref(), at: name.span().start };
                (name, Value { key: self.key, inner: value.get_ref(), at: value.span().start })
            })
            .collect();
        entries.sort_by_key(|(name, _)| name.at);
        Ok(entries)
    }

    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        matches!(self.inner, DeValue::Table(_))
    }

    fn as_table(&self) -> Result<&'t DeTable<'t>, Flaw> {
        if let DeValue::Table(table) = self.inner { Ok(table) } else { Err(self.unlike("a table")) }
    }
}
