//! Files that are there in full or not at all.

use crate::error::Failure;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// A file under a temporary name beside its own. It gets its own when it is complete; dropped
/// before that, it is removed.
pub struct Pending {
    target: PathBuf,
    temporary: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl Pending {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Pending, Failure> {
        // Where a link stands, what it points to is replaced and not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if target.exists() && !target.is_file() {
            return Err(Failure::unwritable(path, "it is there already, and no regular file"));
        }
        let name = target.file_name().ok_or_else(|| Failure::unwritable(path, "it names no file"))?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.partial", std::process::id()));
        let temporary = target.with_file_name(hidden);
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary);
        let file = file.map_err(|error| Failure::unwritable(path, error))?;
        Ok(Pending { target, temporary, writer: Some(BufWriter::with_capacity(1 << 16, file)) })
    }

    /// Where to write it, once.
    pub fn take_writer(&mut self) -> Option<BufWriter<File>> {
        self.writer.take()
    }

    /// This is the whole file.
    pub fn keep_with(mut self, content: &[u8]) -> Result<(), Failure> {
        if let Some(mut writer) = self.take_writer() {
            let written = writer.write_all(content).and_then(|()| writer.flush());
            written.map_err(|error| Failure::unwritable(&self.target, error))?;
        }
        self.keep()
    }

    /// The file is complete.
    pub fn keep(self) -> Result<(), Failure> {
        fs::rename(&self.temporary, &self.target).map_err(|error| Failure::unwritable(&self.target, error))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // After it was renamed there is nothing of that name, and that is fine.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Writes a whole file.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    Pending::create(path)?.keep_with(content)
}
