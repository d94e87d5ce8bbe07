//! Reading values, with errors that name the key and the place.

use super::{At, Datum, Entries, Flaw};
use bellwether_core::{Id, Time};
use bellwether_sim::{LATEST_HOPS, time_after_hops};

/// A table that has known keys only.
#[derive(Clone, Copy)]
pub struct Table<'t> {
    entries: &'t Entries,
    /// Where it stands.
    pub at: usize,
}

impl<'t> Table<'t> {
    /// The table. The first of its keys that is not one of `keys` is refused, with advice if it is one of `outside`, the
    /// keys of the file itself. `whose` says whose keys they are, as in "an event".
    ///
    /// # Errors
    /// [`Flaw`] names that key.
    pub fn new(
        entries: &'t Entries,
        at: usize,
        whose: &str,
        keys: &[&str],
        outside: &[&str],
    ) -> Result<Self, Flaw> {
        let stranger = entries.iter().map(|(key, _)| key).find(|key| !keys.contains(&key.value.as_str()));
        if let Some(At { value: name, at }) = stranger {
            let flaw = Flaw::new(*at, format!("{whose} has no key '{name}'"));
            return Err(if outside.contains(&name.as_str()) {
                flaw.hint(format!("'{name}' is the scenario's own: put it above the first [table]"))
            } else {
                flaw.hint(format!("the keys are {}", keys.join(", "))).meant(name, keys)
            });
        }
        Ok(Table { entries, at })
    }

    /// A table whatever its keys.
    #[must_use]
    pub fn of_any(entries: &'t Entries, at: usize) -> Self {
        Table { entries, at }
    }

    /// The value of a key, if it is there.
    #[must_use]
    pub fn get(&self, key: &'static str) -> Option<Value<'t>> {
        let (_, value) = self.entries.iter().find(|(name, _)| name.value == key)?;
        Some(Value { key, inner: &value.value, at: value.at })
    }

    /// The value of a key, as `read` makes it out, if it is there.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Value<'t>) -> Result<T, Flaw>,
    ) -> Result<Option<At<T>>, Flaw> {
        self.get(key).map(|value| read(&value).map(|read| At { value: read, at: value.at })).transpose()
    }
}

/// A value of a file.
#[derive(Clone, Copy)]
pub struct Value<'t> {
    /// The key to which it belongs.
    pub key: &'t str,
    inner: &'t Datum,
    /// Where it stands.
    pub at: usize,
}

impl<'t> Value<'t> {
    /// The value of a key.
    #[must_use]
    pub fn new(key: &'t str, value: &'t At<Datum>) -> Self {
        Value { key, inner: &value.value, at: value.at }
    }

    /// What is wrong with the value, which should have been something else.
    #[must_use]
    pub fn unlike(&self, expected: &str) -> Flaw {
        let found = match self.inner {
            Datum::Text(text) => format!("'{text}'"),
            Datum::Whole(number) => number.to_string(),
            Datum::Number(number) => number.to_string().to_lowercase(),
            Datum::Flag(flag) => flag.to_string(),
            Datum::Other(other) => other.clone(),
            Datum::Null => "null".to_owned(),
            Datum::List(_) => "a list".to_owned(),
            Datum::Table(_) => "a table".to_owned(),
        };
        Flaw::new(self.at, format!("'{}' must be {expected}, not {found}", self.key))
    }

    /// Text.
    ///
    /// # Errors
    /// If it is not.
    pub fn text(&self) -> Result<&'t str, Flaw> {
        self.as_text().ok_or_else(|| self.unlike("text in quotes"))
    }

    /// Text, if it is.
    #[must_use]
    pub fn as_text(&self) -> Option<&'t str> {
        if let Datum::Text(text) = self.inner { Some(text) } else { None }
    }

    /// Text that says something.
    ///
    /// # Errors
    /// If it does not.
    pub fn words(&self) -> Result<String, Flaw> {
        let text = self.text()?.trim();
        if text.is_empty() {
            let problem = format!("'{}' is empty: say something, or leave it out", self.key);
            return Err(Flaw::new(self.at, problem));
        }
        // Words are shown on terminals, and nothing in them may steer it.
        if let Some(letter) = text.chars().find(|&letter| letter.is_control() && letter != '\n') {
            let problem = format!("'{}' has a control character, U+{:04X}", self.key, u32::from(letter));
            return Err(Flaw::new(self.at, problem).hint("leave it out"));
        }
        Ok(text.to_owned())
    }

    /// One of a few words, and what each stands for.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, Flaw> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let expected = format!("one of '{}'", names.join("', '"));
        let word = self.as_text().ok_or_else(|| self.unlike(&expected))?;
        let found = choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| *choice);
        found.ok_or_else(|| self.unlike(&expected).meant(word, &names))
    }

    /// A whole number, not negative.
    ///
    /// # Errors
    /// If it is not one.
    pub fn whole(&self) -> Result<u64, Flaw> {
        self.as_whole().ok_or_else(|| self.unlike("a whole number, 0 or more"))
    }

    /// A whole number, not negative, if it is one.
    #[must_use]
    pub fn as_whole(&self) -> Option<u64> {
        if let Datum::Whole(number) = self.inner { u64::try_from(*number).ok() } else { None }
    }

    /// A whole number.
    ///
    /// # Errors
    /// If it is not one.
    pub fn signed(&self) -> Result<i64, Flaw> {
        let Datum::Whole(number) = self.inner else { return Err(self.unlike("a whole number")) };
        i64::try_from(*number).map_err(|_| self.unlike("a smaller number"))
    }

    /// A number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self.inner {
            Datum::Number(number) => Some(*number),
            _ => self.as_whole().map(|number| number as f64),
        }
    }

    /// A number, which may be negative, if it is one.
    #[must_use]
    pub fn as_signed_number(&self) -> Option<f64> {
        self.as_number().or_else(|| self.signed().ok().map(|number| number as f64))
    }

    /// A time or a length of time, in hops.
    ///
    /// # Errors
    /// If it is not one.
    pub fn hops(&self) -> Result<Time, Flaw> {
        let expected = format!("a number of hops, 0 to {LATEST_HOPS:e}, as in 3 or 2.5");
        self.as_number().and_then(time_after_hops).ok_or_else(|| self.unlike(&expected))
    }

    /// Yes or no.
    ///
    /// # Errors
    /// If it is neither.
    pub fn flag(&self) -> Result<bool, Flaw> {
        if let Datum::Flag(flag) = self.inner { Ok(*flag) } else { Err(self.unlike("true or false")) }
    }

    /// An id.
    ///
    /// # Errors
    /// If it is not one.
    pub fn id(&self) -> Result<Id, Flaw> {
        let value = self.as_whole().ok_or_else(|| self.unlike("an id, a whole number from 0"))?;
        Id::new(value).map_err(|error| Flaw::new(self.at, format!("'{}': {error}", self.key)))
    }

    /// Several values, if it is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<Vec<Value<'t>>> {
        let Datum::List(items) = self.inner else { return None };
        Some(items.iter().map(|item| Value::new(self.key, item)).collect())
    }

    /// Several values, each as `read` makes it out.
    ///
    /// # Errors
    /// If it is no list, or one of them is wrong.
    pub fn list<T>(
        &self,
        expected: &str,
        read: impl Fn(&Value<'t>) -> Result<T, Flaw>,
    ) -> Result<Vec<At<T>>, Flaw> {
        let items = self.as_list().ok_or_else(|| self.unlike(expected))?;
        items.iter().map(|item| read(item).map(|value| At { value, at: item.at })).collect()
    }

    /// Several ids.
    ///
    /// # Errors
    /// If they are not.
    pub fn ids(&self) -> Result<Vec<At<Id>>, Flaw> {
        self.list("a list of ids, as in [80, 32, 5]", Value::id)
    }

    /// A table with these keys only.
    ///
    /// # Errors
    /// If it is none, or has others.
    pub fn table(&self, whose: &str, keys: &[&str], outside: &[&str]) -> Result<Table<'t>, Flaw> {
        Table::new(self.entries()?, self.at, whose, keys, outside)
    }

    /// A table whose keys are names of something: each with its place and value, in the order of
    /// the file.
    ///
    /// # Errors
    /// If it is none.
    pub fn named(&self) -> Result<Vec<(At<&'t str>, Value<'t>)>, Flaw> {
        let entry = |(name, value): &'t (At<String>, At<Datum>)| {
            (At { value: name.value.as_str(), at: name.at }, Value::new(self.key, value))
        };
        Ok(self.entries()?.iter().map(entry).collect())
    }

    /// Whether it is a table.
    #[must_use]
    pub fn is_table(&self) -> bool {
        matches!(self.inner, Datum::Table(_))
    }

    /// Whether it says nothing, as `null` does in JSON.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.inner, Datum::Null)
    }

    fn entries(&self) -> Result<&'t Entries, Flaw> {
        if let Datum::Table(entries) = self.inner { Ok(entries) } else { Err(self.unlike("a table")) }
    }
}
