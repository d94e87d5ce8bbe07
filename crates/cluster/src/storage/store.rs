//! What a member must not forget: its votes, under which configuration it cast them, how often it has
//! started, and which stores its peers vote from.
//!
//! A file of our own, because what is kept is one small record: two slots, written in turn and in place, each with one
//! write and one sync. A torn write can spoil only the slot that was not acknowledged last. All blocks are written once
//! when the file is made, so that a disk that fills up later does not stop a vote (unless the file system copies on
//! write; then the write fails and the member does not vote).

mod directory;
mod error;
mod identity;
mod image;

use crate::Settings;
use crate::settings::cluster_config::{ClusterConfig, LONGEST_PROMISE, listed};
use bellwether_core::{Id, Span};
pub(crate) use error::READMISSION;
use error::failed;
pub use error::{Flaw, StoreError};
pub use identity::{PeerRecord, StoreId, Stores};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Read;
use std::os::unix::fs::{FileExt, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// A member's durable state. While it is open, no other process can open the same directory.
#[derive(Debug)]
pub struct Store {
    file: File,
    path: PathBuf,
    /// Of the last record.
    sequence: u64,
    /// The last record, or the one to be written next.
    record: image::Record,
    /// What is written: used again.
    slot: Box<[u8; image::SLOT]>,
    /// What went wrong first: after that, nothing is written any more.
    failure: Option<String>,
    /// Held until the store is closed.
    _lock: File,
}

/// A store that was read, and not changed yet. No other process can open the same directory.
#[derive(Debug)]
pub struct Examined {
    path: PathBuf,
    /// The file and the sequence of its last record; nothing if there is no file yet.
    found: Option<(File, u64)>,
    /// The last record; of a store to be made, the first.
    last: image::Record,
    config: ClusterConfig,
    wait: Span,
    lock: File,
}

/// What a store held when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// How often this member has started, this time included.
    pub boot: u64,
    /// What was written last; nothing if nothing was.
    pub durable: Option<Vec<u8>>,
    /// Which store this is, and those of the peers.
    pub stores: Stores,
    /// For so long it must take no part: it may have made promises under other bounds, which may hold for longer than its
    /// algorithm now knows.
    pub wait: Span,
}

impl Store {
    /// The longest state that can be kept.
    pub const MAX_LENGTH: usize = image::MAX_PAYLOAD;

    /// Opens the store of the member `id` of a cluster in this directory, which is made if it does not exist, and
    /// counts this start. From now on this configuration holds. Only its bounds may differ from the one before, and
    /// then the member is told to wait ([`Saved::wait`]).
    ///
    /// # Errors
    /// [`StoreError`] says why it must not or cannot be opened. Nothing has changed then, or only the count of starts.
    pub fn open(
        directory: &Path,
        cluster: &str,
        id: Id,
        config: &ClusterConfig,
    ) -> Result<(Store, Saved), StoreError> {
        let examined = Store::examine(directory, cluster, id, config)?;
        let saved = examined.saved();
        Ok((examined.begin()?, saved))
    }

    /// The first half of [`Store::open`]: reads, and writes nothing but the lock.
    ///
    /// # Errors
    /// [`StoreError`] says why it must not or cannot be opened.
    pub fn examine(
        directory: &Path,
        cluster: &str,
        id: Id,
        config: &ClusterConfig,
    ) -> Result<Examined, StoreError> {
        if cluster.len() > image::MAX_NAME {
            return Err(StoreError::Name(cluster.len()));
        }
        let directory = directory::private(directory)?;
        let lock = lock(&directory)?;
        let path = directory.join("state");
        if !path.try_exists().map_err(failed("look for", &path))? {
            let last = image::Record {
                boot: 0,
                id: id.value(),
                store: identity::draw().ok_or(StoreError::Randomness)?,
                cluster: cluster.to_owned(),
                config: config.clone(),
                is_retired: false,
                wait: 0,
                peers: Vec::new(),
                payload: None,
            };
            let wait = Span::default();
            return Ok(Examined { path, found: None, last, config: config.clone(), wait, lock });
        }
        let mut file =
            OpenOptions::new().read(true).write(true).open(&path).map_err(failed("open", &path))?;
        let mut bytes = Vec::with_capacity(image::FILE + 1);
        Read::by_ref(&mut file)
            .take(image::FILE as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(failed("read", &path))?;
        let (sequence, last) = match image::newest(&bytes) {
            Ok(newest) => newest,
            Err(flaw) => return Err(StoreError::Damaged { path, flaw }),
        };
        if last.id != id.value() || last.cluster != cluster {
            return Err(StoreError::OtherOwner { directory, id: last.id, cluster: last.cluster });
        }
        if last.is_retired {
            return Err(StoreError::Retired { directory });
        }
        let wait = wait_for(&last, config, directory)?;
        Ok(Examined { path, found: Some((file, sequence)), last, config: config.clone(), wait, lock })
    }

    /// Replaces what is kept, and returns when it is on the disk. After a crash, either the old or the new is there.
    ///
    /// # Errors
    /// [`StoreError`]; either may be on the disk then, and unless the state was only too large, every later write
    /// fails too.
    pub fn write(&mut self, durable: &[u8]) -> Result<(), StoreError> {
        if durable.len() > image::MAX_PAYLOAD {
            return Err(StoreError::TooLarge(durable.len()));
        }
        let payload = self.record.payload.get_or_insert_default();
        payload.clear();
        payload.extend_from_slice(durable);
        self.record.wait = 0; // the algorithm starts after the wait: this is its first write, or a later one
        self.write_again()
    }

    /// From now on this is known of a peer, also after a restart.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub fn remember(&mut self, peer: PeerRecord) -> Result<(), StoreError> {
        let peers = &mut self.record.peers;
        peers.retain(|known| known.id != peer.id);
        if peers.len() >= Settings::MOST_MEMBERS {
            peers.remove(0); // of members that are not in the settings any more
        }
        peers.push(peer);
        self.write_again()
    }

    /// From now on no member starts from this store: a later start of it, or of a copy, has taken its place.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub fn retire(&mut self) -> Result<(), StoreError> {
        self.record.is_retired = true;
        self.write_again()
    }

    /// Writes once more what is kept already, as one does to see whether the disk is alive.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub fn write_again(&mut self) -> Result<(), StoreError> {
        if let Some(failure) = &self.failure {
            return Err(StoreError::Failed(failure.clone()));
        }
        let sequence = self.sequence + 1;
        image::fill(&mut self.slot, &self.record, sequence);
        let at = image::offset(sequence) as u64;
        let written = self.file.write_all_at(&self.slot[..], at).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // For good: when a sync fails, the kernel may drop the pages that it could not write and call them clean,
            // so that a second sync succeeds without anything on the disk. Only reading it all anew, in a new start,
            // tells what is there.
            self.failure = Some(error.to_string());
            return Err(failed("write", &self.path)(error));
        }
        self.sequence = sequence;
        Ok(())
    }
}

impl Examined {
    /// What it holds, for the start that is about to begin.
    #[must_use]
    pub fn saved(&self) -> Saved {
        let (boot, durable) = (self.last.boot + 1, self.last.payload.clone());
        let stores =
            Stores { own: self.last.store, is_new: durable.is_none(), peers: self.last.peers.clone() };
        Saved { boot, durable, stores, wait: self.wait }
    }

    /// The second half of [`Store::open`]: makes the file if there is none, and counts this start.
    ///
    /// # Errors
    /// [`StoreError::Io`]; only the count of starts may have changed then.
    pub fn begin(self) -> Result<Store, StoreError> {
        let Examined { path, found, last, config, wait, lock } = self;
        let mut slot = Box::new([0; image::SLOT]);
        let (file, sequence) = match found {
            Some(found) => found,
            None => create(&path, &last, &mut slot)?,
        };
        // No other user may read votes, or hold a lock that keeps this member from starting.
        let _ = file.set_permissions(Permissions::from_mode(0o600));
        let mut store =
            Store { file, path, sequence: sequence - 1, record: last, slot, failure: None, _lock: lock };
        // First the very record that was read, in its place: it may be in the page cache only, if an earlier sync
        // failed, or in one of its copies only. Then the new count and configuration, into the other slot.
        store.write_again()?;
        store.record.boot += 1;
        store.record.config = config;
        store.record.wait = wait.ticks();
        store.write_again()?;
        Ok(store)
    }
}

/// For how long a member must take no part whose last record this is, and which now has this configuration.
fn wait_for(last: &image::Record, config: &ClusterConfig, directory: PathBuf) -> Result<Span, StoreError> {
    if last.config.protocol != config.protocol {
        let (kept, given) = (last.config.protocol.clone(), config.protocol.clone());
        return Err(StoreError::OtherAlgorithm { directory, kept, given });
    }
    if last.config.voters != config.voters {
        let (kept, given) = (listed(&last.config.voters), listed(&config.voters));
        return Err(StoreError::OtherVoters { directory, kept, given });
    }
    let promised = last.config.delay_bound * LONGEST_PROMISE;
    // A member that has never voted has promised nothing.
    let changed = if last.config != *config && last.payload.is_some() { promised } else { Span::default() };
    Ok(changed.max(Span::from_ticks(last.wait)))
}

/// Makes sure that no other process uses the directory, for as long as the file is open.
fn lock(directory: &Path) -> Result<File, StoreError> {
    let path = directory.join("lock");
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
    let mut file = file.map_err(failed("open", &path))?;
    // Another user that may open the file could lock it, and this member could not start.
    let _ = file.set_permissions(Permissions::from_mode(0o600));
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {
            // For the message below only, so it may fail; always of one length, so it never needs a second block.
            let _ = file.write_all_at(format!("{:<10}\n", std::process::id()).as_bytes(), 0);
            Ok(file)
        }
        Err(rustix::io::Errno::WOULDBLOCK) => {
            let mut text = String::new();
            let _ = file.read_to_string(&mut text);
            Err(StoreError::InUse { pid: text.trim().parse().ok(), directory: directory.to_owned() })
        }
        Err(error) => Err(failed("lock", &path)(error.into())),
    }
}

/// Makes the file, complete or not at all, with a first record in both slots. Which sequence is the last.
fn create(
    path: &Path,
    first: &image::Record,
    slot: &mut [u8; image::SLOT],
) -> Result<(File, u64), StoreError> {
    let directory = path.parent().unwrap_or(path);
    let mut bytes = vec![0; image::FILE];
    for sequence in [1, 2] {
        image::fill(slot, first, sequence);
        bytes[image::offset(sequence)..][..image::SLOT].copy_from_slice(slot);
    }
    let draft = directory.join("state.new");
    let _ = fs::remove_file(&draft); // it may be another user's, or readable by others
    let mut options = OpenOptions::new();
    let made = options.read(true).write(true).create_new(true).mode(0o600).open(&draft);
    let made = made.and_then(|file| file.write_all_at(&bytes, 0).map(|()| file));
    let file = made.and_then(|file| file.sync_all().map(|()| file)).map_err(failed("write", &draft))?;
    fs::rename(&draft, path).map_err(failed("make", path))?;
    File::open(directory).and_then(|it| it.sync_all()).map_err(failed("sync", directory))?;
    for above in directory.ancestors().skip(1) {
        // Some may just have been made. Those that cannot be opened were there before.
        let _ = File::open(above).and_then(|it| it.sync_all());
    }
    Ok((file, 2))
}

#[cfg(test)]
mod tests;
