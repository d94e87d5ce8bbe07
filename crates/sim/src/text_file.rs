//! Text files that the user brings: read within bounds, and faults in them by line and column.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Something wrong at one place of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
    /// What is wrong, and what to do.
    pub problem: String,
}

impl Fault {
    /// The fault at a byte of the text.
    pub fn at(text: &str, offset: usize, problem: impl Into<String>) -> Fault {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Fault {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            problem: problem.into(),
        }
    }
}

/// A file's content; nothing if it has more than `most` bytes. Counts while it reads: pipes and
/// devices do not say how long they are.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// The text that the bytes of a file make.
pub fn decode(bytes: &[u8]) -> Result<&str, Fault> {
    match std::str::from_utf8(bytes) {
        // Some editors begin a file with a mark of its byte order, which is not part of the text.
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            Err(Fault::at(&valid, valid.len(), "this is not text: expected UTF-8"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_a_limit() {
        let path = std::env::temp_dir().join(format!("bellwether-limit-{}", std::process::id()));
        std::fs::write(&path, "1 2\n").unwrap();
        let whole = read_at_most(&path, 4);
        let cut = read_at_most(&path, 3);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(whole.unwrap().unwrap(), b"1 2\n");
        assert_eq!(cut.unwrap(), None);
        assert!(read_at_most(&path, 3).is_err());
    }

    #[test]
    fn faults_count_lines_and_characters_from_one() {
        let text = "ä b\nü, ñ";
        for (offset, line, column) in [(0, 1, 1), (3, 1, 3), (5, 2, 1), (9, 2, 4), (text.len(), 2, 5)] {
            let fault = Fault::at(text, offset, "");
            assert_eq!((fault.line, fault.column), (line, column), "at byte {offset}");
        }
    }
}
