//! What an earlier run has left in a directory, and whether the members that are asked for can go on with it.

use crate::error::Failure;
use bellwether::Id;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What matters here of a member's settings.
#[derive(Deserialize)]
struct Kept {
    members: Vec<Peer>,
    data: PathBuf,
}

#[derive(Deserialize)]
struct Peer {
    id: Id,
}

/// Refuses a directory of another number of members, and members that have settings but no state, unless they may begin
/// with a new store.
pub fn check(root: &Path, ids: &[Id], may_be_new: bool) -> Result<(), Failure> {
    let asked: BTreeSet<Id> = ids.iter().copied().collect();
    let mut without_state = Vec::new();
    for id in kept(root)? {
        let path = root.join(format!("member-{id}")).join("settings.json");
        let Some(kept) = read(&path)? else { continue };
        let members: BTreeSet<Id> = kept.members.iter().map(|peer| peer.id).collect();
        if members != asked {
            return Err(Failure::input_with_hint(
                format!(
                    "{} has a cluster of {}, not of {}",
                    root.display(),
                    counted(members.len()),
                    ids.len()
                ),
                format!("ask for --members {}, or name another directory with --data", members.len()),
            ));
        }
        // The directory may have been moved since the settings were written.
        let data = kept.data.file_name().map_or(kept.data.clone(), |name| path.with_file_name(name));
        if !data.join("state").exists() {
            without_state.push(id);
        }
    }
    if without_state.is_empty() || may_be_new {
        return Ok(());
    }
    let those = if without_state.len() == 1 { "it has" } else { "they have" };
    let tokens = if without_state.len() == ids.len() { ", and fencing tokens begin anew" } else { "" };
    Err(Failure::input_with_hint(
        format!(
            "in {} {} {} settings but no state: {those} forgotten all votes{tokens}",
            root.display(),
            members(&without_state),
            if without_state.len() == 1 { "has" } else { "have" },
        ),
        "bring the files named 'state' back; or, if nothing relies on what was decided before, give --new-store",
    ))
}

/// Members' names in a sentence.
pub fn members(ids: &[Id]) -> String {
    let names = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if ids.len() == 1 { format!("member {names}") } else { format!("members {names}") }
}

fn counted(members: usize) -> String {
    if members == 1 { "1 member".to_owned() } else { format!("{members} members") }
}

/// The members that have a directory, in the order of their ids.
fn kept(root: &Path) -> Result<BTreeSet<Id>, Failure> {
    let unreadable = |error: io::Error| Failure::System(format!("cannot read {}: {error}", root.display()));
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix("member-")?.parse().ok());
        found.extend(id.and_then(|id| Id::new(id).ok()));
    }
    Ok(found)
}

/// A member's settings, if it has any.
fn read(path: &Path) -> Result<Option<Kept>, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::System(format!("cannot read the settings in {}: {error}", path.display()))
    };
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error)),
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| unreadable(&error)),
    }
}
