//! What members bring, and which of them start an election.

use super::{Form, TextError, comma_separated, parse_ids};
use crate::document::{Datum, Flaw, Value};
use crate::spec::{Attributes, Callers};
use bellwether_core::Id;

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
