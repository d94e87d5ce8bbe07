//! Where members have moved to, for the supervisor: it has the settings only, and is to tell the peers of a death where
//! they are then.
//!
//! A file beside the votes. It names the incarnation of the member by its supervisor's commitment. If it cannot be
//! written or read, peers are told where they were, and those that have moved wait for the lease to end, which is safe.

use crate::Peer;
use crate::supervisor::death_certificate::Commitment;
use bellwether_core::Id;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Notes where members have moved to, for the supervisor, if there is one.
#[derive(Debug)]
pub(crate) struct AddressOverrides(Option<Arc<Notes>>);

#[derive(Debug)]
struct Notes {
    file: PathBuf,
    commitment: String,
    known: Mutex<Known>,
    /// Told when all that is known has been written, or cannot be.
    settled: Condvar,
}

#[derive(Debug, Default)]
struct Known {
    moved: Vec<(Id, String)>,
    /// Not all of it is in the file, and a thread is about to write it there.
    is_being_written: bool,
}

fn file(data: &Path) -> PathBuf {
    data.join("moved")
}

impl AddressOverrides {
    pub(crate) fn new(data: &Path, commitment: Option<Commitment>) -> AddressOverrides {
        let notes = |commitment: Commitment| Notes {
            file: file(data),
            commitment: commitment.to_string(),
            known: Mutex::default(),
            settled: Condvar::new(),
        };
        AddressOverrides(commitment.map(|commitment| Arc::new(notes(commitment))))
    }

    /// This member is there now. The caller does not wait for the disk.
    pub(crate) fn note(&self, id: Id, address: String) {
        let Some(notes) = &self.0 else { return };
        let mut known = notes.known();
        known.moved.retain(|(moved, _)| *moved != id);
        known.moved.push((id, address));
        if !std::mem::replace(&mut known.is_being_written, true) {
            let writer = Arc::clone(notes);
            let begun = thread::Builder::new().name("overrides".to_owned()).spawn(move || writer.write());
            known.is_being_written = begun.is_ok();
        }
    }

    /// Waits until all of it has been written, but not for ever for a disk that stalls. Says whether it has.
    pub(crate) fn settle(&self, patience: Duration) -> bool {
        let Some(notes) = &self.0 else { return true };
        let waited =
            notes.settled.wait_timeout_while(notes.known(), patience, |known| known.is_being_written);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Notes {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is known, until nothing has been added meanwhile.
    fn write(&self) {
        loop {
            let moved = self.known().moved.clone();
            // Replaced as a whole, so that no reader ever sees half of it.
            let draft = self.file.with_extension("new");
            if let Ok(text) = serde_json::to_vec(&(&self.commitment, &moved)) {
                let _ = write(&draft, &text).and_then(|()| fs::rename(&draft, &self.file));
            }
            let mut known = self.known();
            known.is_being_written = known.moved != moved;
            if !known.is_being_written {
                return self.settled.notify_all();
            }
        }
    }
}

/// Writes a file that no other user can read.
fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?; // it may have been there
    file.write_all(text)
}

/// The same peers, where they were last known to be in this incarnation of the member.
pub(crate) fn apply(mut peers: Vec<Peer>, data: &Path, commitment: &Commitment) -> Vec<Peer> {
    let text = fs::read(file(data)).unwrap_or_default();
    let (whose, moved): (String, Vec<(Id, String)>) = serde_json::from_slice(&text).unwrap_or_default();
    for (id, address) in moved.into_iter().filter(|_| whose == commitment.to_string()) {
        peers.iter_mut().filter(|peer| peer.id == id).for_each(|peer| peer.address.clone_from(&address));
    }
    peers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_of_each_is_found_in_the_same_incarnation() {
        let directory = tempfile::tempdir().unwrap();
        let id = |value| Id::new(value).unwrap();
        let [first, second] = [Commitment([1; 32]), Commitment([2; 32])];
        let addresses = |commitment| {
            let peers = (1..=3).map(|it| Peer::new(id(it), "old:1")).collect();
            apply(peers, directory.path(), commitment)
                .into_iter()
                .map(|peer| peer.address)
                .collect::<Vec<_>>()
        };
        let settle = |overrides: &AddressOverrides| assert!(overrides.settle(Duration::from_secs(30)));
        let nobody_asks = AddressOverrides::new(directory.path(), None);
        nobody_asks.note(id(1), "new:1".to_owned());
        assert_eq!(addresses(&first), ["old:1", "old:1", "old:1"]);
        let overrides = AddressOverrides::new(directory.path(), Some(Commitment([1; 32])));
        for (member, place) in [(1, "new:1"), (3, "new:3"), (1, "newer:1"), (9, "nobody:9")] {
            overrides.note(id(member), place.to_owned());
        }
        settle(&overrides);
        assert_eq!(addresses(&first), ["newer:1", "old:1", "new:3"]);
        assert_eq!(addresses(&second), ["old:1", "old:1", "old:1"], "of another incarnation");
        let mode = fs::metadata(file(directory.path())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "no other user can read it");
        fs::write(file(directory.path()), "[[1,").unwrap();
        assert_eq!(addresses(&first), ["old:1", "old:1", "old:1"], "what cannot be read is nothing");
        overrides.note(id(2), "new:2".to_owned());
        settle(&overrides);
        assert_eq!(addresses(&first), ["newer:1", "new:2", "new:3"]);
    }
}
