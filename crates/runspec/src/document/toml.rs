//! TOML: from the text of a file to values, and back.

use super::{At, Datum, Entries, Flaw};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Makes out the text of a file.
///
/// # Errors
/// [`Flaw`] says what is not TOML.
pub fn parse(text: &str) -> Result<Entries, Flaw> {
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(text.len(), |span| span.start.min(text.len()));
        Flaw::new(at, format!("this is not TOML: {}", error.message()))
    })?;
    Ok(entries(document.get_ref()))
}

fn entries(table: &DeTable<'_>) -> Entries {
    let mut entries: Entries = table
        .iter()
        .map(|(key, value)| (At { value: key.get_ref().to_string(), at: key.span().start }, datum(value)))
        .collect();
    entries.sort_by_key(|(key, _)| key.at);
    entries
}

fn datum(value: &Spanned<DeValue<'_>>) -> At<Datum> {
    let datum = match value.get_ref() {
        DeValue::String(text) => Datum::Text(text.to_string()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(whole) => Datum::Whole(whole),
            Err(_) => Datum::Other(number.to_string()),
        },
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(float) => Datum::Number(float),
            Err(_) => Datum::Other(number.to_string()),
        },
        DeValue::Boolean(flag) => Datum::Flag(*flag),
        DeValue::Datetime(date) => Datum::Other(format!("the date {date}")),
        DeValue::Array(items) => Datum::List(items.iter().map(self::datum).collect()),
        DeValue::Table(table) => Datum::Table(entries(table)),
    };
    At { value: datum, at: value.span().start }
}

/// The text of a file: first what is not a table, then tables. A list of long texts has a line for each.
#[must_use]
pub fn write(entries: &Entries) -> String {
    let (mut text, mut tables) = (String::new(), String::new());
    for (key, value) in entries {
        let key = &key.value;
        match &value.value {
            Datum::Table(inner) => block(&mut tables, &format!("[{key}]"), inner),
            Datum::List(items) if is_tables(items) => {
                for item in items {
                    if let Datum::Table(inner) = &item.value {
                        block(&mut tables, &format!("[[{key}]]"), inner);
                    }
                }
            }
            Datum::List(items) if items.iter().any(|item| is_a_sentence(&item.value)) => {
                let items: Vec<String> =
                    items.iter().map(|item| format!("  {},\n", inline(&item.value))).collect();
                text.push_str(&format!("{key} = [\n{}]\n", items.concat()));
            }
            value => text.push_str(&format!("{key} = {}\n", inline(value))),
        }
    }
    text + &tables
}

fn is_tables(items: &[At<Datum>]) -> bool {
    items.first().is_some_and(|item| matches!(item.value, Datum::Table(_)))
}

/// Whether it is text of several words, as the steps of a schedule are.
fn is_a_sentence(value: &Datum) -> bool {
    matches!(value, Datum::Text(text) if text.contains(' '))
}

fn block(text: &mut String, title: &str, entries: &Entries) {
    let line = |(key, value): &(At<String>, At<Datum>)| format!("{} = {}\n", key.value, inline(&value.value));
    text.push_str(&format!("\n{title}\n{}", entries.iter().map(line).collect::<String>()));
}

fn inline(value: &Datum) -> String {
    match value {
        Datum::Text(text) | Datum::Other(text) => toml::Value::String(text.clone()).to_string(),
        Datum::Whole(number) => number.to_string(),
        Datum::Number(number) => number.to_string(),
        Datum::Flag(flag) => flag.to_string(),
        Datum::Null => "\"\"".to_owned(), // TOML has none, and no description has one
        Datum::List(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Datum::Table(entries) => {
            let entry =
                |(key, value): &(At<String>, At<Datum>)| format!("{} = {}", key.value, inline(&value.value));
            let entries: Vec<String> = entries.iter().map(entry).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}
