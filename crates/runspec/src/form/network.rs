//! The network, and how long messages take.

use super::{Form, TextError};
use crate::document::{Datum, Flaw, Value};
use bellwether_sim::network::{NetworkError, Shape, parse_links};
use bellwether_sim::{Delay, DelayError};

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
