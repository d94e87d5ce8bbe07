//! What a member must not forget: its votes, on which terms it cast them, and how often it has started.
//!
//! A file of our own, because what is kept is one small record: two slots, written in turn and in place, each with one
//! write and one sync. A torn write can spoil only the slot that was not acknowledged last. All blocks are written once
//! when the file is made, so that a disk that fills up later does not stop a vote (unless the file system copies on
//! write; then the write fails and the member does not vote).

mod image;

use crate::terms::{LONGEST_PROMISE, Terms, listed};
use bellwether_core::{Id, Span};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A member's durable state. While it is open, no other process can open the same directory.
#[derive(Debug)]
pub struct Store {
    file: File,
    path: PathBuf,
    /// Of the last record.
    sequence: u64,
    /// The last record, as a slot holds it.
    slot: Box<[u8; image::SLOT]>,
    /// What went wrong first: after that, nothing is written any more.
    failure: Option<String>,
    /// Held until the store is closed.
    _lock: File,
}

/// What a store held when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// How often this member has started, this time included. It is already on the disk.
    pub boot: u64,
    /// What was written last; nothing if nothing was.
    pub durable: Option<Vec<u8>>,
    /// For so long it must take no part: it may have made promises under other bounds, which may hold for longer than its
    /// algorithm now knows.
    pub wait: Span,
}

/// Why a store cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Two processes would vote as one.
    #[error(
        "another process (pid {}) uses this directory: {}; stop it, or give this member a directory of its own",
        pid.map_or("unknown".to_owned(), |pid| pid.to_string()),
        directory.display()
    )]
    InUse {
        /// Which process, if it said so.
        pid: Option<u32>,
        /// The directory.
        directory: PathBuf,
    },
    /// The directory holds another member's votes.
    #[error("{} belongs to member {id} of cluster '{cluster}'; give this member a directory of its own", directory.display())]
    OtherOwner {
        /// The directory.
        directory: PathBuf,
        /// Whose it is.
        id: u64,
        /// Of which cluster.
        cluster: String,
    },
    /// What is on disk means something else to another algorithm.
    #[error(
        "{} has the votes of '{kept}', which mean nothing to '{given}'; run '{kept}', or give all members new data \
         directories",
        directory.display()
    )]
    OtherAlgorithm {
        /// The directory.
        directory: PathBuf,
        /// What wrote it.
        kept: String,
        /// What was to read it.
        given: String,
    },
    /// Majorities of the one list and of the other may have nobody in common.
    #[error(
        "this member's cluster began with the voters {kept}, and now it is told {given}; two majorities could then elect \
         two leaders. List the voters that it began with (whoever comes later as an observer), and change who votes while \
         it runs, with `admit` and `dismiss`; or begin anew, with new data directories for all members ({} is this one's)",
        directory.display()
    )]
    OtherVoters {
        /// The directory.
        directory: PathBuf,
        /// Who voted at first.
        kept: String,
        /// Who is to have voted at first.
        given: String,
    },
    /// Nobody can know what this member has promised.
    #[error(
        "{}: {flaw}. This member could vote twice if it started from nothing or from a backup, so it does not \
         start. Replace it by a member with a new id and an empty directory",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// The name does not fit.
    #[error("the cluster's name has {0} bytes; at most {max} can be kept", max = image::MAX_NAME)]
    Name(usize),
    /// The state does not fit. Nothing was written.
    #[error("a state of {0} bytes cannot be kept; at most {max} can", max = image::MAX_PAYLOAD)]
    TooLarge(usize),
    /// The operating system refused.
    #[error("cannot {action} {}: {error}{}", path.display(), advice(error))]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// How it failed.
        error: io::Error,
    },
    /// An earlier write failed; nothing is written any more.
    #[error("nothing is written any more, because an earlier write failed ({0}); restart this member")]
    Failed(String),
    /// The thread that writes has ended.
    #[error("the thread that writes to the disk has ended; restart this member")]
    Gone,
}

/// What is wrong with a store's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// No record is whole.
    #[error("no record in it is whole: the disk has lost what it had acknowledged")]
    Damaged,
    /// The file was cut or stretched.
    #[error("it has {0} bytes, which this program never wrote")]
    Length(u64),
    /// The records do not follow each other.
    #[error("its records do not follow each other: the disk has lost or mixed up writes")]
    Sequence,
    /// It says nothing of what the votes in it were about.
    #[error("what its members had agreed on cannot be read")]
    Terms,
    /// Another version wrote it.
    #[error("version {0} of the format is unknown; start the version of this program that wrote it")]
    Version(u32),
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "; make room on the disk",
        io::ErrorKind::PermissionDenied => "; the directory must be this user's",
        _ => "",
    }
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> StoreError + 'a {
    move |error| StoreError::Io { action, path: path.to_owned(), error }
}

impl Store {
    /// The longest state that can be kept.
    pub const MAX_LENGTH: usize = image::MAX_PAYLOAD;

    /// Opens the store of the member `id` of a cluster in this directory, which is made if it does not exist, and
    /// counts this start. From now on these terms hold; of those that held before, only the bounds may be others, and
    /// then the member is told to wait ([`Saved::wait`]).
    ///
    /// # Errors
    /// [`StoreError`] says why it must not or cannot be opened. Nothing has changed then, or only the count of starts.
    pub fn open(
        directory: &Path,
        cluster: &str,
        id: Id,
        terms: &Terms,
    ) -> Result<(Store, Saved), StoreError> {
        if cluster.len() > image::MAX_NAME {
            return Err(StoreError::Name(cluster.len()));
        }
        fs::create_dir_all(directory).map_err(failed("make the directory", directory))?;
        let directory = fs::canonicalize(directory).map_err(failed("find", directory))?;
        let lock = lock(&directory)?;
        let path = directory.join("state");
        if !path.try_exists().map_err(failed("look for", &path))? {
            create(&directory, &path, cluster, id, terms)?;
        }
        let mut file =
            OpenOptions::new().read(true).write(true).open(&path).map_err(failed("open", &path))?;
        let mut bytes = Vec::with_capacity(image::FILE + 1);
        Read::by_ref(&mut file)
            .take(image::FILE as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(failed("read", &path))?;
        let last = match image::newest(&bytes) {
            Ok(last) => last,
            Err(flaw) => return Err(StoreError::Damaged { path, flaw }),
        };
        if last.id != id.value() || last.cluster != cluster.as_bytes() {
            let cluster = String::from_utf8_lossy(&last.cluster).into_owned();
            return Err(StoreError::OtherOwner { directory, id: last.id, cluster });
        }
        let wait = wait_for(&last, terms, directory)?;
        let saved = Saved { boot: last.boot + 1, durable: last.payload, wait };
        let mut slot = Box::new([0; image::SLOT]);
        image::set_owner(&mut slot[..image::COPY], last.boot, id.value(), cluster.as_bytes());
        image::set_terms(&mut slot[..image::COPY], &last.terms, last.wait);
        image::set_payload(&mut slot[..image::COPY], saved.durable.as_deref());
        let mut store = Store { file, path, sequence: last.sequence - 1, slot, failure: None, _lock: lock };
        // First the very record that was read, in its place: it may be in the page cache only, if an earlier sync
        // failed, or in one of its copies only. Then the new count and terms, into the other slot.
        store.write_again()?;
        image::set_owner(&mut store.slot[..image::COPY], saved.boot, id.value(), cluster.as_bytes());
        image::set_terms(&mut store.slot[..image::COPY], terms, wait.ticks());
        store.write_again()?;
        // Whoever writes next has waited. Whoever ends before that has to wait again.
        image::set_wait(&mut store.slot[..image::COPY], 0);
        Ok((store, saved))
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
        image::set_payload(&mut self.slot[..image::COPY], Some(durable));
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
        let (first, second) = self.slot.split_at_mut(image::COPY);
        image::seal(first, sequence);
        second.copy_from_slice(first);
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

/// For how long a member must take no part whose last record this is, and which now goes by these terms.
fn wait_for(last: &image::Record, terms: &Terms, directory: PathBuf) -> Result<Span, StoreError> {
    if last.terms.protocol != terms.protocol {
        let (kept, given) = (last.terms.protocol.clone(), terms.protocol.clone());
        return Err(StoreError::OtherAlgorithm { directory, kept, given });
    }
    if last.terms.voters != terms.voters {
        let (kept, given) = (listed(&last.terms.voters), listed(&terms.voters));
        return Err(StoreError::OtherVoters { directory, kept, given });
    }
    let promised = last.terms.delay_bound * LONGEST_PROMISE;
    // Who has voted for nobody has promised nothing.
    let changed = if last.terms != *terms && last.payload.is_some() { promised } else { Span::default() };
    Ok(changed.max(Span::from_ticks(last.wait)))
}

/// Makes sure that no other process uses the directory, for as long as the file is open.
fn lock(directory: &Path) -> Result<File, StoreError> {
    let path = directory.join("lock");
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = file.map_err(failed("open", &path))?;
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

/// Makes the file, complete or not at all, with a first record that says whose it is.
fn create(directory: &Path, path: &Path, cluster: &str, id: Id, terms: &Terms) -> Result<(), StoreError> {
    let mut bytes = vec![0; image::FILE];
    let first = 1;
    let at = image::offset(first);
    let copy = &mut bytes[at..at + image::COPY];
    image::set_owner(copy, 0, id.value(), cluster.as_bytes());
    image::set_terms(copy, terms, 0);
    image::set_payload(copy, None);
    image::seal(copy, first);
    bytes.copy_within(at..at + image::COPY, at + image::COPY);
    let draft = directory.join("state.new");
    // Zeros are written, not only reserved: turning reserved blocks into written ones can need further blocks.
    let made =
        File::create(&draft).and_then(|file| file.write_all_at(&bytes, 0).and_then(|()| file.sync_all()));
    made.map_err(failed("write", &draft))?;
    fs::rename(&draft, path).map_err(failed("make", path))?;
    File::open(directory).and_then(|it| it.sync_all()).map_err(failed("sync", directory))?;
    for above in directory.ancestors().skip(1) {
        // Some may just have been made. Those that cannot be opened were there before.
        let _ = File::open(above).and_then(|it| it.sync_all());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
