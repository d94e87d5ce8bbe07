//! Checks what an earlier run has left in a directory, and whether the members of this run can continue from it.

use crate::error::Failure;
use bellwether::Id;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directory of a member's votes in its own, unless its settings name another.
pub const DATA: &str = "votes";

/// The settings of a member in the directory, as far as they matter here.
#[derive(Deserialize)]
struct KeptSettings {
    members: Vec<Peer>,
    data: PathBuf,
}

#[derive(Deserialize)]
struct Peer {
    id: Id,
}

/// Refuses a directory of another number of members, and members of a cluster that has run whose state is missing, unless
/// they may begin with a new store. A member's directory that is missing has no state either.
pub fn check(root: &Path, ids: &[Id], may_be_new: bool) -> Result<(), Failure> {
    let asked: BTreeSet<Id> = ids.iter().copied().collect();
    let (mut has_run, mut without_state) = (false, Vec::new());
    for id in members_found(root)?.union(&asked).copied() {
        let path = root.join(format!("member-{id}")).join("settings.json");
        let settings = read(&path)?;
        // The directory may have been moved since the settings were written.
        let data = settings.as_ref().and_then(|settings| settings.data.file_name()).unwrap_or(DATA.as_ref());
        let has_state = path.with_file_name(data).join("state").exists();
        has_run |= has_state || settings.is_some();
        if !has_state {
            without_state.push(id);
        }
        let Some(settings) = settings else { continue };
        let members: BTreeSet<Id> = settings.members.iter().map(|peer| peer.id).collect();
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
    }
    if !has_run || without_state.is_empty() || may_be_new {
        return Ok(());
    }
    let is_one = without_state.len() == 1;
    let (has, those) = if is_one { ("has", "it has") } else { ("have", "they have") };
    let is_all = without_state.len() == ids.len();
    let tokens = if is_all { ", and fencing tokens begin anew" } else { "" };
    let hint = if is_all {
        "bring the files named 'state' back; or, if nothing relies on what was decided before, give --new-store"
    } else {
        "bring what is missing back, or name another directory with --data. With new stores, voters are refused by the \
         others until they are readmitted with `dismiss` and `admit`: see 'When a disk is lost' in the book (book/src/owners/lost-disk.md)"
    };
    Err(Failure::input_with_hint(
        format!(
            "in {} {} {has} no state: {those} forgotten all votes{tokens}",
            root.display(),
            members(&without_state),
        ),
        hint,
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
fn members_found(root: &Path) -> Result<BTreeSet<Id>, Failure> {
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
fn read(path: &Path) -> Result<Option<KeptSettings>, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::System(format!("cannot read the settings in {}: {error}", path.display()))
    };
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error)),
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| unreadable(&error)),
    }
}
