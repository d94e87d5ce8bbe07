//! What can be set on algorithms and failure detectors, and to what it is set.
//!
//! An algorithm's [`Spec`](crate::Spec) and a detector's entry list their [`Parameter`]s. [`Params`] is what a user gives of
//! them. A driver makes [`ParamValues`] of these when it sets up a run or a member, and algorithms read those by a
//! [`Key`], which is looked up when the program is compiled.

mod key;
mod parameter;
mod written;

pub use key::{Key, ParamType};
pub use parameter::{Domain, ParamValue, Parameter, Preset};
pub use written::{ChangedParams, WrittenValue};

use crate::Span;
use std::fmt;

/// The most parameters that an algorithm or a detector can have.
pub const MAX_PARAMETERS: usize = 8;

/// What is given of the parameters of an algorithm or a detector, by their place in its list. All others have their
/// defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Params([Option<ParamValue>; MAX_PARAMETERS]);

impl Params {
    /// Makes out `a=1,b=2`.
    ///
    /// # Errors
    /// [`ParamError`] says what is wrong.
    pub fn parse(parameters: &'static [Parameter], text: &str) -> Result<Params, ParamError> {
        let mut params = Params::default();
        text.split(',').try_for_each(|setting| params.add(parameters, setting))?;
        Ok(params)
    }

    /// Sets one that is not given yet, as in `T=5`.
    ///
    /// # Errors
    /// [`ParamError`] says what is wrong.
    pub fn add(&mut self, parameters: &'static [Parameter], setting: &str) -> Result<(), ParamError> {
        let before = self.count();
        self.set(parameters, setting)?;
        if self.count() == before {
            return Err(ParamError::new(parameters, setting, "the parameter is given twice".into()));
        }
        Ok(())
    }

    /// Sets one, as in `T=5`.
    ///
    /// # Errors
    /// [`ParamError`] says what is wrong.
    pub fn set(&mut self, parameters: &'static [Parameter], setting: &str) -> Result<(), ParamError> {
        let wrong = |problem| ParamError::new(parameters, setting, problem);
        let (name, value) = setting.split_once('=').ok_or_else(|| wrong("expected NAME=VALUE".into()))?;
        let at = parameters.iter().position(|parameter| parameter.name == name.trim());
        let at = at.ok_or_else(|| wrong(format!("there is no '{}'", name.trim())))?;
        self.0[at] = Some(parameters[at].read(value).map_err(wrong)?);
        Ok(())
    }

    fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// The same without what is as it would be anyway.
    #[must_use]
    pub fn without_defaults(mut self, parameters: &[Parameter]) -> Params {
        for (given, parameter) in self.0.iter_mut().zip(parameters) {
            given.take_if(|value| Preset::Fixed(*value) == parameter.default);
        }
        self
    }

    /// What is given, in the order of the parameters.
    pub fn given<'p>(
        &self,
        parameters: &'p [Parameter],
    ) -> impl Iterator<Item = (&'p Parameter, ParamValue)> + use<'p> {
        parameters.iter().zip(self.0).filter_map(|(parameter, value)| Some((parameter, value?)))
    }

    /// As [`Params::parse`] reads it; empty if nothing is given.
    #[must_use]
    pub fn text(&self, parameters: &[Parameter]) -> String {
        let setting = |(parameter, value): (&Parameter, ParamValue)| {
            format!("{}={}", parameter.name, parameter.domain.show(value))
        };
        self.given(parameters).map(setting).collect::<Vec<_>>().join(",")
    }

    /// What follows a name that is followed by parameters: a colon and [`Params::text`], or nothing if nothing is given.
    #[must_use]
    pub fn suffix(&self, parameters: &[Parameter]) -> String {
        match self.text(parameters) {
            text if text.is_empty() => text,
            text => format!(":{text}"),
        }
    }

    /// Every parameter's value, where messages take at most so long. What is given of other parameters than these does not
    /// count.
    #[must_use]
    pub fn values(&self, parameters: &[Parameter], delay_bound: Span) -> ParamValues {
        let mut values = [ParamValue::Whole(0); MAX_PARAMETERS];
        for ((value, given), parameter) in values.iter_mut().zip(self.0).zip(parameters) {
            let given = given.filter(|value| parameter.domain.has(*value));
            *value = given.unwrap_or_else(|| parameter.default_value(delay_bound));
        }
        ParamValues(values)
    }
}

/// Every parameter's value: what drivers keep, and algorithms read ([`crate::Local::parameter`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamValues([ParamValue; MAX_PARAMETERS]);

impl ParamValues {
    /// The value of a parameter.
    ///
    /// # Panics
    /// If these are the values of another algorithm's parameters: the driver's bug.
    #[must_use]
    pub fn get<P, T: ParamType>(&self, key: Key<P, T>) -> T {
        T::of(self.0[key.place()])
            .expect("a value of this algorithm's parameters: any other is the driver's bug")
    }

    /// The values of so many parameters that are numbers, as those of detectors are.
    ///
    /// # Panics
    /// If one of them is not: the list is wrong then.
    #[must_use]
    pub fn numbers(&self, count: usize) -> Vec<f64> {
        let number = |value: &ParamValue| f64::of(*value).expect("detectors' parameters are numbers");
        self.0[..count].iter().map(number).collect()
    }
}

/// Something that cannot be set so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamError {
    /// What was given.
    pub setting: String,
    /// What is wrong with it.
    pub problem: String,
    /// What can be set.
    pub known: Vec<&'static str>,
}

impl ParamError {
    fn new(parameters: &'static [Parameter], setting: &str, problem: String) -> ParamError {
        let settable = parameters.iter().filter(|parameter| !parameter.is_fixed);
        let known = settable.map(|parameter| parameter.name).collect();
        ParamError { setting: setting.to_owned(), problem, known }
    }

    /// The name of the parameter, if there is none of that name: it may be misspelt.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        let name = self.setting.split('=').next().unwrap_or_default().trim();
        Some(name).filter(|name| !self.known.contains(name))
    }

    /// In a sentence, of an algorithm or a detector of this name.
    #[must_use]
    pub fn of(&self, name: &str) -> String {
        let ParamError { setting, problem, known } = self;
        let known = match known.as_slice() {
            [] => format!("{name} has no parameters"),
            [one] => format!("{name} has the parameter {one}"),
            all => format!("{name} has the parameters {}", all.join(", ")),
        };
        format!("'{setting}' of {name}: {problem}; {known}")
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}': {}", self.setting, self.problem)
    }
}

impl std::error::Error for ParamError {}

#[cfg(test)]
mod tests;
