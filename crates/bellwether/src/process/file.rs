//! A member's settings in a file. Nothing that the file says is repeated in an error: a value in the wrong place may be the
//! secret.

use super::ProcessError;
use crate::{Peer, Security, Settings};
use rustix::process::geteuid;
use serde::Deserialize;
use serde_path_to_error::{Path as Place, Segment};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use zeroize::Zeroizing;

/// The most bytes of a file of settings: a hundred members take a tenth of it.
const MOST_BYTES: u64 = 1 << 20;
/// Room that reading needs to notice the end of a file.
const SPARE: usize = 64;
/// The longest word of a file that an error repeats, if it can be a field's name. No secret is so short.
const LONGEST_FIELD: usize = 24;

/// Reads a member's settings, and checks them.
///
/// # Errors
/// [`ProcessError::Unreadable`] if the file cannot be read; [`ProcessError::Settings`] if it makes no sense.
pub fn read_settings(path: &Path) -> Result<Settings, ProcessError> {
    read(path).map(|(settings, _)| settings)
}

/// The settings of a member that is a process of its own: a candidate, unless the file says otherwise. No application
/// campaigns there.
pub(super) fn read_member_settings(path: &Path) -> Result<Settings, ProcessError> {
    let (mut settings, given) = read(path)?;
    settings.always_stands = given.always_stands.unwrap_or(true);
    Ok(settings)
}

/// Fields for which it matters whether the file has them.
#[derive(Deserialize)]
struct GivenFields {
    always_stands: Option<bool>,
}

fn read(path: &Path) -> Result<(Settings, GivenFields), ProcessError> {
    let wrong = |why: String| ProcessError::Settings { path: path.display().to_string(), why };
    let unreadable = |error: io::Error| ProcessError::Unreadable { path: path.display().to_string(), error };
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    // With room for all of it: a buffer that grew would leave copies behind that are not wiped.
    let length = if metadata.is_file() { metadata.len().min(MOST_BYTES) } else { MOST_BYTES };
    let mut bytes = Zeroizing::new(Vec::with_capacity(length as usize + SPARE));
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong(format!("it has more than {MOST_BYTES} bytes; is it the right file?")));
    }
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let settings: Settings = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let place = place(error.path());
        let why = without_values(error.inner());
        wrong(if place.is_empty() { why } else { format!("`{place}`: {why}") })
    })?;
    let in_words = |error: serde_json::Error| wrong(without_values(&error));
    json.end().map_err(in_words)?;
    let given = serde_json::from_slice(&bytes).map_err(in_words)?;
    if matches!(settings.security, Security::Secret(_)) {
        check_access(metadata.uid(), metadata.mode(), geteuid().as_raw()).map_err(wrong)?;
    }
    settings.check().map_err(|error| wrong(error.to_string()))?;
    check_ports(&settings).map_err(wrong)?;
    Ok((settings, given))
}

/// In one process a member is told later where its peers are. Members of a file dial what the file says.
fn check_ports(settings: &Settings) -> Result<(), String> {
    let is_nowhere = |peer: &&Peer| {
        let port = peer.address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        peer.id != settings.me && port == Some(0)
    };
    match settings.members.iter().find(is_nowhere) {
        Some(peer) => Err(format!(
            "`address` of member {}: nobody can dial port 0; give the port at which it listens",
            peer.id
        )),
        None => Ok(()),
    }
}

/// Where in the file: fields and places in lists, as far as the fields are ours.
fn place(path: &Place) -> String {
    let mut place = String::new();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => place += &format!("[{index}]"),
            Segment::Map { key } | Segment::Enum { variant: key } if is_field_name(key) => {
                place += if place.is_empty() { "" } else { "." };
                place += key;
            }
            _ => break,
        }
    }
    place
}

/// A secret in a file is no secret if others may read it, or put their own there. Root may own it for a group that a service
/// is of.
fn check_access(owner: u32, mode: u32, user: u32) -> Result<(), String> {
    if ![0, user].contains(&owner) {
        return Err(format!(
            "it holds a secret and belongs to user {owner}, who can read and change it; run `chown {user}` on it"
        ));
    }
    let allowed = if owner == 0 { 0o740 } else { 0o700 };
    let mode = mode & 0o777;
    if mode & !allowed == 0 {
        return Ok(());
    }
    Err(format!(
        "it holds a secret and its mode is {mode:04o}, so others can read or change it; run `chmod 600` on it"
    ))
}

/// What is wrong with a file, and where, but nothing of what it says.
fn without_values(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if !error.is_data() || names_our_field(&text) {
        return text;
    }
    let text = in_plain_words(&text);
    let (line, column) = (error.line(), error.column());
    // The end of the message is ours, whatever the value is.
    let expected = text.rsplit_once(", expected ").and_then(|(_, rest)| rest.rsplit_once(" at line "));
    let expected = expected.map_or_else(String::new, |(expected, _)| format!(", expected {expected}"));
    let what = if text.starts_with("unknown field") { "field" } else { "value" };
    format!(
        "the {what} before line {line} column {column} cannot be there{expected} (it may be secret, so it is not shown)"
    )
}

/// Whether the message is about a field, and not about a long word that stands where a field should.
fn names_our_field(text: &str) -> bool {
    let about_field = ["missing field `", "unknown field `", "duplicate field `"];
    let rest = about_field.iter().find_map(|start| text.strip_prefix(start));
    rest.and_then(|rest| rest.split('`').next()).is_some_and(is_field_name)
}

fn is_field_name(name: &str) -> bool {
    name.len() <= LONGEST_FIELD && name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-".contains(&byte))
}

/// What a message says at its end that it expected, without Rust's names for it.
fn in_plain_words(text: &str) -> String {
    let Some((before, rest)) = text.rsplit_once(", expected ") else { return text.to_owned() };
    let Some((expected, place)) = rest.rsplit_once(" at line ") else { return text.to_owned() };
    let plain = match expected {
        "u16" | "u32" | "u64" | "usize" => "a whole number, not negative",
        "i32" | "i64" => "a whole number",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "path string" => "a path",
        _ if expected.contains("nonzero") => "a whole number from 1",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    };
    format!("{before}, expected {plain} at line {place}")
}

#[cfg(test)]
mod tests;
