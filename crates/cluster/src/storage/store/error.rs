//! Why a store cannot be used, and what an operator does about it.

use super::image;
use std::io;
use std::path::{Path, PathBuf};

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
    /// Others could replace votes in it.
    #[error(
        "other users can write the directory {} (mode {mode:04o}), and could replace this member's votes; give it a directory of \
         its own below that one",
        directory.display()
    )]
    Shared {
        /// The directory.
        directory: PathBuf,
        /// Its mode.
        mode: u32,
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
    /// Majorities of the one list and of the other may have no member in common.
    #[error(
        "this member's cluster began with the voters {kept}, and now it is told {given}; two majorities could then elect \
         two leaders. List the voters that it began with (whoever comes later as an observer), and change who votes while \
         it runs, with `admit` and `dismiss`; or begin anew, with new data directories for all members ({} is this one's)",
        directory.display()
    )]
    OtherVoters {
        /// The directory.
        directory: PathBuf,
        /// The first voters.
        kept: String,
        /// The first voters by the settings.
        given: String,
    },
    /// A later start has voted from another copy of it.
    #[error(
        "{}: its peers have refused this store, because a later process voted from a copy of it; votes are missing in it. \
         {READMISSION}",
        directory.display()
    )]
    Retired {
        /// The directory.
        directory: PathBuf,
    },
    /// It cannot be known what this member has promised.
    #[error(
        "{}: {flaw}. This member could vote twice if it started from nothing or from a backup, so it does not \
         start. {READMISSION}",
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
    /// The system gives no random numbers.
    #[error("the system gives no random numbers, and a new store needs an identity that no other store has")]
    Randomness,
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

/// What an operator does about a member whose votes are lost.
pub(crate) const READMISSION: &str = "Readmit it: `dismiss` it at the leader, move its data directory away, start it, and \
                                      `admit` it at the leader (where the algorithm has no `dismiss`, begin anew, with new \
                                      data directories for all members)";

/// What is wrong with a store's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// No record is whole.
    #[error("no record in it is whole: the disk has lost what it had acknowledged")]
    Damaged,
    /// A newer record may have been acknowledged, and both its copies are damaged.
    #[error("its newest record may be lost, with a vote in it: both copies in one slot are damaged")]
    Newest,
    /// The file was cut or stretched.
    #[error("it has {0} bytes, which this program never wrote")]
    Length(u64),
    /// The records do not follow each other.
    #[error("its records do not follow each other: the disk has lost or mixed up writes")]
    Sequence,
    /// It says nothing of what the votes in it were about.
    #[error("what its members had agreed on cannot be read")]
    ClusterConfig,
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

pub(super) fn failed<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> StoreError + 'a {
    move |error| StoreError::Io { action, path: path.to_owned(), error }
}
