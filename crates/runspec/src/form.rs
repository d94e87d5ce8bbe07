//! How values are written: in files, and in options.

use crate::document::{Datum, Flaw, Value};
use crate::notation::{DriftBound, Pattern, Share};
use crate::spec::{Attributes, Callers};
use bellwether_core::{Elect, Id, Order, Span, Time};
use bellwether_sim::network::{NetworkError, Shape, parse_links};
use bellwether_sim::{Delay, DelayError, LATEST_HOPS, LinkOrder, time_after_hops};
use std::fmt::{self, Display};

/// What is wrong with the text of an option.
#[derive(Debug)]
pub enum TextError {
    /// It is not as the option needs it.
    Malformed(String),
    /// It names no network.
    Network(NetworkError),
    /// It is no distribution of delays, or names a file that is none.
    Delay(DelayError),
}

impl From<String> for TextError {
    fn from(problem: String) -> TextError {
        TextError::Malformed(problem)
    }
}

impl From<NetworkError> for TextError {
    fn from(error: NetworkError) -> TextError {
        TextError::Network(error)
    }
}

impl From<DelayError> for TextError {
    fn from(error: DelayError) -> TextError {
        TextError::Delay(error)
    }
}

impl Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Malformed(problem) => f.write_str(problem),
            TextError::Network(error) => error.fmt(f),
            TextError::Delay(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TextError {}

/// A type of value.
pub trait Form: Sized {
    /// As files have it.
    fn to_datum(&self) -> Datum;

    /// From a file.
    ///
    /// # Errors
    /// [`Flaw`] says what is wrong, and where.
    fn read(value: &Value<'_>) -> Result<Self, Flaw>;

    /// As an option has it.
    fn to_text(&self) -> String;

    /// From an option.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    fn parse(text: &str) -> Result<Self, TextError>;
}

/// A type of value of which a run's description may have several.
pub trait Listed: Form {
    /// What a file should say, for one that says something else.
    const EXPECTED: &'static str;
}

/// A place in a run's description, which may hold nothing.
pub trait Slot {
    /// As files have it, if anything is given.
    fn datum(&self) -> Option<Datum>;

    /// Takes what a file says.
    ///
    /// # Errors
    /// [`Flaw`] says what is wrong, and where.
    fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw>;

    /// The values of the option.
    fn texts(&self) -> Vec<String>;

    /// Takes a value of the option.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    fn parse(&mut self, text: &str) -> Result<(), TextError>;
}

impl<T: Form> Slot for Option<T> {
    fn datum(&self) -> Option<Datum> {
        self.as_ref().map(Form::to_datum)
    }
    fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw> {
        *self = Some(T::read(value)?);
        Ok(())
    }
    fn texts(&self) -> Vec<String> {
        self.iter().map(Form::to_text).collect()
    }
    fn parse(&mut self, text: &str) -> Result<(), TextError> {
        *self = Some(T::parse(text)?);
        Ok(())
    }
}

impl<T: Listed> Slot for Vec<T> {
    fn datum(&self) -> Option<Datum> {
        (!self.is_empty()).then(|| Datum::list(self.iter().map(Form::to_datum)))
    }
    fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw> {
        *self = value.list(T::EXPECTED, T::read)?.into_iter().map(|item| item.value).collect();
        Ok(())
    }
    fn texts(&self) -> Vec<String> {
        self.iter().map(Form::to_text).collect()
    }
    fn parse(&mut self, text: &str) -> Result<(), TextError> {
        self.push(T::parse(text)?);
        Ok(())
    }
}

/// A switch: its option has no value.
impl Slot for bool {
    fn datum(&self) -> Option<Datum> {
        self.then_some(Datum::Flag(true))
    }
    fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw> {
        *self = value.flag()?;
        Ok(())
    }
    fn texts(&self) -> Vec<String> {
        self.then(String::new).into_iter().collect()
    }
    fn parse(&mut self, _: &str) -> Result<(), TextError> {
        *self = true;
        Ok(())
    }
}

/// Places that always hold something: they are written only if that is not what they hold anyway, or `$always`.
macro_rules! slots {
    ($($type:ty, $always:literal;)*) => {$(
        impl Slot for $type {
            fn datum(&self) -> Option<Datum> {
                ($always || *self != <$type>::default()).then(|| self.to_datum())
            }
            fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw> {
                *self = Form::read(value)?;
                Ok(())
            }
            fn texts(&self) -> Vec<String> {
                ($always || *self != <$type>::default()).then(|| self.to_text()).into_iter().collect()
            }
            fn parse(&mut self, text: &str) -> Result<(), TextError> {
                *self = Form::parse(text)?;
                Ok(())
            }
        }
    )*};
}

slots! {
    String, true;
    u64, true;
    Attributes, false;
    Callers, false;
    Delay, false;
    Elect, false;
    LinkOrder, false;
}

/// A member's id, in an option.
///
/// # Errors
/// What is wrong with it, and what was expected.
pub fn parse_id(text: &str) -> Result<Id, String> {
    let text = text.trim();
    let value = text.parse().map_err(|_| {
        let what = if text.is_empty() { "an id is missing".to_owned() } else { format!("'{text}' is no id") };
        format!("{what}: expected a whole number from 0 to {}", Id::MAX)
    })?;
    Id::new(value).map_err(|error| error.to_string())
}

/// Ids with commas between, in an option.
///
/// # Errors
/// What is wrong with the first that is not one.
pub fn parse_ids(text: &str) -> Result<Vec<Id>, String> {
    text.split(',').map(parse_id).collect()
}

/// A time in hops, with up to three decimals, in an option.
///
/// # Errors
/// What is wrong with it, and what was expected.
pub fn parse_hops(text: &str) -> Result<Time, String> {
    let time = text.trim().parse::<f64>().ok().and_then(time_after_hops);
    time.ok_or_else(|| {
        format!("'{text}' is no time: expected a number of hops, 0 to {LATEST_HOPS:e}, as in 3 or 2.5")
    })
}

/// A list as options have it.
pub fn comma_separated(items: &[impl Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl Form for Id {
    fn to_datum(&self) -> Datum {
        Datum::Whole(self.value().into())
    }
    fn read(value: &Value<'_>) -> Result<Id, Flaw> {
        value.id()
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Id, TextError> {
        Ok(parse_id(text)?)
    }
}

impl Listed for Id {
    const EXPECTED: &'static str = "a list of ids, as in [80, 32, 5]";
}

impl Form for String {
    fn to_datum(&self) -> Datum {
        Datum::Text(self.clone())
    }
    fn read(value: &Value<'_>) -> Result<String, Flaw> {
        value.words()
    }
    fn to_text(&self) -> String {
        self.clone()
    }
    fn parse(text: &str) -> Result<String, TextError> {
        Ok(text.to_owned())
    }
}

impl Form for u64 {
    fn to_datum(&self) -> Datum {
        Datum::Whole((*self).into())
    }
    fn read(value: &Value<'_>) -> Result<u64, Flaw> {
        value.whole()
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<u64, TextError> {
        Ok(text.trim().parse().map_err(|_| format!("'{text}' is no whole number: expected 0 or more"))?)
    }
}

impl Form for u32 {
    fn to_datum(&self) -> Datum {
        Datum::Whole((*self).into())
    }
    fn read(value: &Value<'_>) -> Result<u32, Flaw> {
        u32::try_from(value.whole()?).map_err(|_| value.unlike("a smaller number"))
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<u32, TextError> {
        Ok(text.trim().parse().map_err(|_| format!("'{text}' is no number from 0 to {}", u32::MAX))?)
    }
}

/// Any number.
impl Form for f64 {
    fn to_datum(&self) -> Datum {
        Datum::number(*self)
    }
    fn read(value: &Value<'_>) -> Result<f64, Flaw> {
        value.as_number().ok_or_else(|| value.unlike("a number, 1 or more"))
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<f64, TextError> {
        Ok(text.trim().parse().map_err(|_| format!("'{text}' is no number"))?)
    }
}

impl Form for Time {
    fn to_datum(&self) -> Datum {
        Datum::number(self.hops())
    }
    fn read(value: &Value<'_>) -> Result<Time, Flaw> {
        value.hops()
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Time, TextError> {
        Ok(parse_hops(text)?)
    }
}

impl Form for Span {
    fn to_datum(&self) -> Datum {
        Datum::number(self.hops())
    }
    fn read(value: &Value<'_>) -> Result<Span, Flaw> {
        Ok(value.hops()? - Time::ZERO)
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Span, TextError> {
        Ok(parse_hops(text)? - Time::ZERO)
    }
}

impl Form for Share {
    fn to_datum(&self) -> Datum {
        Datum::number(self.0)
    }
    fn read(value: &Value<'_>) -> Result<Share, Flaw> {
        let share = match value.as_text() {
            Some(text) => text.parse().ok(),
            None => value.as_number().and_then(Share::new),
        };
        share.ok_or_else(|| value.unlike("a share: 0 or more and less than all, as in 0.05 or \"5%\""))
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Share, TextError> {
        Ok(text.parse::<Share>()?)
    }
}

/// Types that are text in files, too.
macro_rules! texts {
    ($($type:ty),*) => {$(
        impl Form for $type {
            fn to_datum(&self) -> Datum {
                Datum::Text(self.to_string())
            }
            fn read(value: &Value<'_>) -> Result<$type, Flaw> {
                value.text()?.parse().map_err(|problem: String| Flaw::new(value.at, problem))
            }
            fn to_text(&self) -> String {
                self.to_string()
            }
            fn parse(text: &str) -> Result<$type, TextError> {
                Ok(text.parse::<$type>()?)
            }
        }
    )*};
}

texts!(DriftBound, Pattern, bellwether_sim::schedule::Instruction);

impl Listed for Pattern {
    const EXPECTED: &'static str = "a list of messages, as in [\"elected:3-1\"]";
}

/// Types that have a few values, each with a word and a help text.
macro_rules! choices {
    ($($type:ty, $words:ident: $($word:literal => $value:expr, $about:literal;)*)*) => {$(
        /// Its words, each with a help text.
        pub const $words: &[(&str, &str)] = &[$(($word, $about)),*];

        impl Form for $type {
            fn to_datum(&self) -> Datum {
                Datum::Text(self.to_text())
            }
            fn read(value: &Value<'_>) -> Result<$type, Flaw> {
                value.choice(&[$(($word, $value)),*])
            }
            fn to_text(&self) -> String {
                let words = [$(($word, $value)),*];
                words.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word).to_owned()
            }
            fn parse(text: &str) -> Result<$type, TextError> {
                match text {
                    $($word => Ok($value),)*
                    _ => Err(format!("expected one of {}", [$($word),*].join(", ")).into()),
                }
            }
        }
    )*};
}

choices! {
    Order, ORDERS:
        "best" => Order::Best, "Rising clockwise: messages of the worse die soonest";
        "worst" => Order::Worst, "Falling clockwise: messages of the worse get furthest";
        "random" => Order::Random, "Shuffled, by the seed";
    Elect, ELECTS:
        "best" => Elect::Best, "The highest attribute, then the highest id";
        "worst" => Elect::Worst, "The lowest attribute, then the lowest id";
    LinkOrder, LINK_ORDERS:
        "fifo" => LinkOrder::Fifo, "They do";
        "reordering" => LinkOrder::Reordering, "They may overtake each other";
}

impl Form for Attributes {
    fn to_datum(&self) -> Datum {
        match self {
            Attributes::None => Datum::list([]),
            Attributes::Random => Datum::Text("random".to_owned()),
            Attributes::Listed(listed) => Datum::list(listed.iter().map(|it| Datum::Whole((*it).into()))),
        }
    }
    fn read(value: &Value<'_>) -> Result<Attributes, Flaw> {
        if value.as_text() == Some("random") {
            return Ok(Attributes::Random);
        }
        let listed = value.list("a list of whole numbers, or 'random'", Value::signed)?;
        Ok(Attributes::Listed(listed.into_iter().map(|attribute| attribute.value).collect()))
    }
    fn to_text(&self) -> String {
        match self {
            Attributes::None => String::new(),
            Attributes::Random => "random".to_owned(),
            Attributes::Listed(listed) => comma_separated(listed),
        }
    }
    fn parse(text: &str) -> Result<Attributes, TextError> {
        if text == "random" {
            return Ok(Attributes::Random);
        }
        let attribute = |word: &str| {
            let expected = "expected whole numbers with commas between, or 'random'";
            word.trim().parse().map_err(|_| format!("'{word}' is no attribute: {expected}"))
        };
        let attributes: Result<_, String> = text.split(',').map(attribute).collect();
        Ok(Attributes::Listed(attributes?))
    }
}

impl Form for Callers {
    fn to_datum(&self) -> Datum {
        match self {
            Callers::All => Datum::Text("all".to_owned()),
            Callers::Ids(ids) => Datum::list(ids.iter().map(Id::to_datum)),
        }
    }
    fn read(value: &Value<'_>) -> Result<Callers, Flaw> {
        if value.as_text() == Some("all") {
            return Ok(Callers::All);
        }
        let expected = "a list of ids (empty if nobody calls at the beginning), or 'all'";
        let callers = value.list(expected, Value::id)?;
        Ok(Callers::Ids(callers.into_iter().map(|caller| caller.value).collect()))
    }
    fn to_text(&self) -> String {
        match self {
            Callers::All => "all".to_owned(),
            Callers::Ids(ids) if ids.is_empty() => "none".to_owned(),
            Callers::Ids(ids) => comma_separated(ids),
        }
    }
    fn parse(text: &str) -> Result<Callers, TextError> {
        match text {
            "all" => Ok(Callers::All),
            "none" => Ok(Callers::Ids(Vec::new())),
            _ => match parse_ids(text) {
                Ok(ids) => Ok(Callers::Ids(ids)),
                Err(error) => Err(format!("{error} (or 'all', or 'none')").into()),
            },
        }
    }
}

impl Form for Delay {
    fn to_datum(&self) -> Datum {
        Datum::Text(self.to_string())
    }
    fn read(value: &Value<'_>) -> Result<Delay, Flaw> {
        value.text()?.parse().map_err(|error: DelayError| Flaw::new(value.at, error.to_string()))
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Delay, TextError> {
        Ok(text.parse::<Delay>()?)
    }
}

/// In files, links can also be listed: `["1 -> 2", "2 -- 3"]`.
impl Form for Shape {
    fn to_datum(&self) -> Datum {
        match self {
            Shape::Links(lines) => Datum::list(lines.lines().map(|line| Datum::Text(line.to_owned()))),
            _ => Datum::Text(self.to_string()),
        }
    }
    fn read(value: &Value<'_>) -> Result<Shape, Flaw> {
        if let Some(links) = value.as_list() {
            return read_links(value, &links);
        }
        let name = value.as_text().ok_or_else(|| {
            value.unlike("a network's name, or a list of links as in [\"1 -> 2\", \"2 -- 3\"]")
        })?;
        name.parse().map_err(|error: NetworkError| {
            let flaw = Flaw::new(value.at, error.to_string());
            match &error {
                NetworkError::UnknownShape { name } => flaw.meant(name, Shape::NAMES),
                _ => flaw,
            }
        })
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Shape, TextError> {
        Ok(text.parse::<Shape>()?)
    }
}

fn read_links(topology: &Value<'_>, links: &[Value<'_>]) -> Result<Shape, Flaw> {
    let mut lines = Vec::with_capacity(links.len());
    for link in links {
        let line = link.text()?;
        if line.trim().is_empty() || line.contains(['\n', '#']) {
            return Err(link.unlike("one link, as in '1 -> 2' or '2 -- 3'"));
        }
        lines.push(line);
    }
    let lines = lines.join("\n");
    let network = parse_links(&lines).map_err(|fault| {
        // The quotation mark stands before the first column.
        let at = links.get(fault.line - 1).map_or(topology.at, |link| link.at + fault.column);
        Flaw::new(at, fault.problem)
    })?;
    if network.ids().is_none() {
        let problem = "members are named by their ids: whole numbers, as in \"1 -> 2\"";
        return Err(Flaw::new(topology.at, problem));
    }
    Ok(Shape::Links(lines.into()))
}
