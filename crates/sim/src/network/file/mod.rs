//! Networks that the user brings, as a list of links or as GraphML.

mod draft;
mod edge_list;
mod graphml;

use super::{Network, NetworkError, Shape};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest file that is read. It bounds the members and links that can be in it well below
/// what 32 bits can number.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// Something wrong at one place of a file.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    line: usize,
    column: usize,
    problem: String,
}

impl Fault {
    /// The fault at a byte of the text.
    fn at(text: &str, offset: usize, problem: impl Into<String>) -> Fault {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Fault {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            problem: problem.into(),
        }
    }

    fn in_file(self, path: &Path) -> NetworkError {
        let Fault { line, column, problem } = self;
        NetworkError::File { path: path.to_owned(), line, column, problem }
    }
}

/// The network in a file, which must have as many members as were asked for.
pub(super) fn read(path: &Path, asked: Option<u32>) -> Result<Network, NetworkError> {
    if asked == Some(0) {
        return Err(NetworkError::NoMembers);
    }
    let bytes = read_at_most(path, MAX_FILE_BYTES)?;
    let network = parse(path, &bytes)?;
    match asked {
        Some(asked) if asked != network.n() => Err(NetworkError::SizeDiffers {
            shape: Shape::File(path.to_owned()),
            has: u64::from(network.n()),
            asked,
        }),
        _ => Ok(network),
    }
}

/// Counts while it reads: pipes and devices do not say how long they are.
fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, NetworkError> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) if bytes.len() as u64 > most => {
            Err(NetworkError::FileTooLarge { path: path.to_owned(), most })
        }
        Ok(bytes) => Ok(bytes),
        Err(source) => Err(NetworkError::Unreadable { path: path.to_owned(), source }),
    }
}

/// The network that a file's content describes; the path tells the format if the content does not.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Network, NetworkError> {
    let text = decode(bytes).map_err(|fault| fault.in_file(path))?;
    let found = if text.trim_start().starts_with('<') || named_as_xml(path) {
        graphml::parse(text)
    } else {
        edge_list::parse(text)
    };
    found
        .map_err(|fault| fault.in_file(path))?
        .ok_or_else(|| NetworkError::EmptyFile { path: path.to_owned() })
}

fn decode(bytes: &[u8]) -> Result<&str, Fault> {
    match std::str::from_utf8(bytes) {
        // Some editors begin a file with a mark of its byte order, which is not part of the text.
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            Err(Fault::at(&valid, valid.len(), "this is not text: expected UTF-8"))
        }
    }
}

fn named_as_xml(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| extension == "graphml" || extension == "xml")
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
        assert_eq!(whole.unwrap(), b"1 2\n");
        assert!(matches!(cut, Err(NetworkError::FileTooLarge { most: 3, .. })));
        assert!(matches!(read_at_most(&path, 3), Err(NetworkError::Unreadable { .. })));
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
