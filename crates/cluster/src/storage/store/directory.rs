//! A directory that is the member's alone.

use super::{StoreError, failed};
use rustix::process::geteuid;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// All that members ever keep there.
const OURS: [&str; 5] = ["lock", "state", "state.new", "moved", "moved.new"];
const PRIVATE: u32 = 0o700;
const OTHERS: u32 = 0o077;
const OTHERS_WRITE: u32 = 0o022;

/// Makes the directory, or makes it private if it was there and is used for nothing else. Gives its true path.
pub fn private(directory: &Path) -> Result<PathBuf, StoreError> {
    let made = DirBuilder::new().recursive(true).mode(PRIVATE).create(directory);
    made.map_err(failed("make the directory", directory))?;
    let directory = fs::canonicalize(directory).map_err(failed("find", directory))?;
    let metadata = fs::metadata(&directory).map_err(failed("look at", &directory))?;
    let mode = metadata.mode() & 0o7777;
    let is_own = metadata.uid() == geteuid().as_raw();
    // A home, or all of /var/lib, is not made private only because it stands in the settings.
    if mode & OTHERS != 0 && is_own && holds_nothing_else(&directory).map_err(failed("list", &directory))? {
        let private = Permissions::from_mode(mode & !OTHERS);
        fs::set_permissions(&directory, private).map_err(failed("make private", &directory))?;
    } else if mode & OTHERS_WRITE != 0 {
        return Err(StoreError::Shared { directory, mode });
    }
    Ok(directory)
}

fn holds_nothing_else(directory: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        if !OURS.iter().any(|ours| name == *ours) {
            return Ok(false);
        }
    }
    Ok(true)
}
