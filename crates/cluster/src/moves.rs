//! Where members have moved to, for the supervisor: it has the settings only, and is to tell the peers of a death where
//! they are then.
//!
//! A file beside the votes, of one life: the supervisor removes it before it starts the member. If it cannot be written
//! or read, peers are told where they were, and those that have moved wait for the lease to end, which is safe.

use crate::Peer;
use bellwether_core::Id;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Notes where members have moved to, if there is a supervisor who could want to know.
#[derive(Debug)]
pub(crate) struct Moves {
    file: Option<PathBuf>,
    known: Mutex<Vec<(Id, String)>>,
}

fn file(data: &Path) -> PathBuf {
    data.join("moved")
}

impl Moves {
    pub(crate) fn new(data: &Path, is_supervised: bool) -> Moves {
        Moves { file: is_supervised.then(|| file(data)), known: Mutex::default() }
    }

    /// This member is there now.
    pub(crate) fn note(&self, id: Id, address: &str) {
        let Some(file) = &self.file else { return };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(moved, _)| *moved != id);
        known.push((id, address.to_owned()));
        // Replaced as a whole, so that nobody ever reads half of it.
        let draft = file.with_extension("new");
        if let Ok(text) = serde_json::to_vec(&*known) {
            let _ = fs::write(&draft, text).and_then(|()| fs::rename(&draft, file));
        }
    }
}

/// Forgets where members had moved to in an earlier life.
pub(crate) fn forget(data: &Path) {
    let _ = fs::remove_file(file(data));
}

/// The same peers, where they are now.
pub(crate) fn follow(mut peers: Vec<Peer>, data: &Path) -> Vec<Peer> {
    let text = fs::read(file(data)).unwrap_or_default();
    let moved: Vec<(Id, String)> = serde_json::from_slice(&text).unwrap_or_default();
    for (id, address) in moved {
        peers.iter_mut().filter(|peer| peer.id == id).for_each(|peer| peer.address.clone_from(&address));
    }
    peers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_of_each_is_found_until_it_is_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let id = |value| Id::new(value).unwrap();
        let addresses = || {
            let peers = (1..=3).map(|it| Peer::new(id(it), "old:1")).collect();
            follow(peers, directory.path()).into_iter().map(|peer| peer.address).collect::<Vec<_>>()
        };
        let nobody_asks = Moves::new(directory.path(), false);
        nobody_asks.note(id(1), "new:1");
        assert_eq!(addresses(), ["old:1", "old:1", "old:1"]);
        let moves = Moves::new(directory.path(), true);
        for (member, place) in [(1, "new:1"), (3, "new:3"), (1, "newer:1"), (9, "nobody:9")] {
            moves.note(id(member), place);
        }
        assert_eq!(addresses(), ["newer:1", "old:1", "new:3"]);
        fs::write(file(directory.path()), "[[1,").unwrap();
        assert_eq!(addresses(), ["old:1", "old:1", "old:1"], "what cannot be read is nothing");
        moves.note(id(2), "new:2");
        assert_eq!(addresses(), ["newer:1", "new:2", "new:3"]);
        forget(directory.path());
        assert_eq!(addresses(), ["old:1", "old:1", "old:1"]);
    }
}
