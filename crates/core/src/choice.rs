//! An algorithm as a user chooses it: by its name, with a variant and parameters.

use crate::{ChangedParams, Driving, Entry, ParamError, Params, Registry, Spec};
use serde::{Serialize, Serializer};
use std::fmt;

/// An algorithm of a registry with its parameters: `NAME[/VARIANT][:KEY=VALUE,..]`, as in `quorum-lease`, `bully/waiting` or
/// `quorum-lease:renewals=5`. It is shown in the shortest form that [`Registry::choose`] reads as the same. A parameter that is
/// given its default is as one that is not given.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmChoice {
    /// Its place in the registry.
    pub entry: usize,
    /// Needs, promises and claims of the variant.
    pub spec: &'static Spec,
    /// How it is driven.
    pub driving: Driving,
    /// What is given of its parameters.
    pub params: Params,
    /// Whether the algorithm's name alone stands for this variant.
    pub is_default: bool,
}

impl PartialEq for AlgorithmChoice {
    fn eq(&self, other: &Self) -> bool {
        (self.entry, self.changed()) == (other.entry, other.changed())
    }
}

impl AlgorithmChoice {
    /// The same with one more parameter given, as in `renewals=5`.
    ///
    /// # Errors
    /// [`AlgorithmError::Setting`] says what is wrong.
    pub fn with(mut self, setting: &str) -> Result<AlgorithmChoice, AlgorithmError> {
        let added = self.params.add(self.spec.parameters, setting);
        added.map_err(|error| AlgorithmError::Setting { name: self.spec.name, error })?;
        Ok(self)
    }

    /// The same with a parameter, as in `renewals=5`, if the algorithm has it and it is not given yet.
    ///
    /// # Errors
    /// As [`AlgorithmChoice::with`].
    pub fn or(self, setting: &str) -> Result<AlgorithmChoice, AlgorithmError> {
        let name = setting.split('=').next().unwrap_or_default();
        let parameters = self.spec.parameters;
        let is_had = parameters.iter().any(|parameter| parameter.name == name);
        let is_given = self.params.given(parameters).any(|(parameter, _)| parameter.name == name);
        if is_had && !is_given { self.with(setting) } else { Ok(self) }
    }

    /// Those of its parameters that do not have their default, as in `renewals=5`; empty if all have.
    #[must_use]
    pub fn settings(&self) -> String {
        self.changed().text(self.spec.parameters)
    }

    /// The name without the variant, as in `quorum-lease:renewals=5`, for outputs that name that apart.
    #[must_use]
    pub fn without_variant(&self) -> String {
        format!("{}{}", self.spec.name, self.changed().suffix(self.spec.parameters))
    }

    /// The name with the variant in any case, as in `quorum-lease/ranked:renewals=5`.
    #[must_use]
    pub fn in_full(&self) -> String {
        let Spec { name, variant, parameters, .. } = self.spec;
        format!("{name}/{variant}{}", self.changed().suffix(parameters))
    }

    /// Those of its parameters that do not have their default.
    #[must_use]
    pub fn parameters(&self) -> ChangedParams {
        self.params.changed(self.spec.parameters)
    }

    fn changed(&self) -> Params {
        self.params.without_defaults(self.spec.parameters)
    }
}

impl fmt::Display for AlgorithmChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&if self.is_default { self.without_variant() } else { self.in_full() })
    }
}

/// The parts of an algorithm as a user writes it: `NAME[/VARIANT][:KEY=VALUE,..]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlgorithmText<'t> {
    /// The name.
    pub name: &'t str,
    /// The variant, if it is named.
    pub variant: Option<&'t str>,
    /// The parameters, if any are given.
    pub settings: Option<&'t str>,
}

impl<'t> AlgorithmText<'t> {
    /// The parts of a text.
    #[must_use]
    pub fn of(text: &'t str) -> AlgorithmText<'t> {
        let (named, settings) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let (name, variant) =
            named.split_once('/').map_or((named, None), |(name, variant)| (name, Some(variant)));
        AlgorithmText { name, variant, settings }
    }
}

impl fmt::Display for AlgorithmText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.variant.map_or(Ok(()), |variant| write!(f, "/{variant}"))?;
        self.settings.map_or(Ok(()), |settings| write!(f, ":{settings}"))
    }
}

/// As it is shown.
impl Serialize for AlgorithmChoice {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<E: AsRef<Entry>> Registry<E> {
    /// The algorithm at a place in the registry, with nothing given of its parameters.
    ///
    /// # Panics
    /// If the registry has no such place.
    #[must_use]
    pub fn choice(&self, entry: usize) -> AlgorithmChoice {
        let Entry { spec, driving, .. } = *self.entries[entry].as_ref();
        let is_default = self.find(spec.name, None) == Some(entry);
        AlgorithmChoice { entry, spec, driving, params: Params::default(), is_default }
    }

    /// Makes out an algorithm that a user wrote.
    ///
    /// # Errors
    /// [`AlgorithmError`] says what is wrong, and what there is.
    pub fn choose(&self, text: &str) -> Result<AlgorithmChoice, AlgorithmError> {
        self.choose_variant(text, None)
    }

    /// The same where a variant may be named apart.
    ///
    /// # Errors
    /// [`AlgorithmError`] says what is wrong, and what there is.
    pub fn choose_variant(&self, text: &str, apart: Option<&str>) -> Result<AlgorithmChoice, AlgorithmError> {
        let AlgorithmText { name, variant, settings } = AlgorithmText::of(text);
        if let Some((one, other)) = variant.zip(apart).filter(|(one, other)| one != other) {
            return Err(AlgorithmError::TwoVariants { one: one.to_owned(), other: other.to_owned() });
        }
        let variant = variant.or(apart);
        let entry = self.find(name, variant).ok_or_else(|| match self.variants(name) {
            variants if variants.is_empty() => {
                AlgorithmError::Unknown { name: name.to_owned(), known: self.names() }
            }
            known => {
                let variant = variant.unwrap_or_default().to_owned();
                AlgorithmError::Variant { name: name.to_owned(), variant, known }
            }
        })?;
        let choice = self.choice(entry);
        let Some(settings) = settings else { return Ok(choice) };
        let params = Params::parse(choice.spec.parameters, settings);
        let params = params.map_err(|error| self.explained(choice.spec, error))?;
        Ok(AlgorithmChoice { params, ..choice })
    }

    /// What is wrong with a parameter of a variant; and if another variant sets it so, which one.
    fn explained(&self, spec: &'static Spec, mut error: ParamError) -> AlgorithmError {
        let name = spec.name;
        let sets_it = |spec: &Spec| {
            let fixed = spec.parameters.iter().filter(|parameter| parameter.is_fixed);
            let settings = fixed.map(|it| format!("{}={}", it.name, it.default_text()));
            settings.into_iter().any(|setting| setting == error.setting)
        };
        let other = self.specs().find(|other| other.name == name && sets_it(other));
        if let Some(other) = other.filter(|_| !sets_it(spec)) {
            error.problem = format!("{}; use {name}/{}", error.problem, other.variant);
        }
        AlgorithmError::Setting { name, error }
    }
}

/// An algorithm that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlgorithmError {
    /// There is none of that name.
    Unknown {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<&'static str>,
    },
    /// It has no such variant.
    Variant {
        /// The algorithm.
        name: String,
        /// The variant.
        variant: String,
        /// Those there are.
        known: Vec<&'static str>,
    },
    /// Two variants are named.
    TwoVariants {
        /// With the algorithm.
        one: String,
        /// Apart.
        other: String,
    },
    /// A parameter cannot be set so.
    Setting {
        /// The algorithm.
        name: &'static str,
        /// What is wrong.
        error: ParamError,
    },
}

impl fmt::Display for AlgorithmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AlgorithmError::Unknown { name, known } => {
                write!(f, "there is no algorithm '{name}': use one of {}", known.join(", "))
            }
            AlgorithmError::Variant { name, variant, known } => {
                write!(f, "{name} has no variant '{variant}': use one of {}", known.join(", "))
            }
            AlgorithmError::TwoVariants { one, other } => {
                write!(f, "two variants are asked for, '{one}' and '{other}': name one")
            }
            AlgorithmError::Setting { name, error } => f.write_str(&error.of(name)),
        }
    }
}

impl std::error::Error for AlgorithmError {}
