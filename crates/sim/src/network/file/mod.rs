//! Networks that the user brings, as a list of links or as GraphML.

mod draft;
mod edge_list;
mod graphml;

use super::{Network, NetworkError, Shape};
use crate::text_file::{Fault, decode, read_at_most};
use std::path::Path;

/// The largest file that is read. It bounds the members and links that can be in it well below
/// what 32 bits can number.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

impl Fault {
    pub(super) fn in_file(self, path: &Path) -> NetworkError {
        let Fault { line, column, problem } = self;
        NetworkError::File { path: path.to_owned(), line, column, problem }
    }
}

/// The network in a file, which must have as many members as were asked for.
pub(super) fn read(path: &Path, asked: Option<u32>) -> Result<Network, NetworkError> {
    if asked == Some(0) {
        return Err(NetworkError::NoMembers);
    }
    let bytes = match read_at_most(path, MAX_FILE_BYTES) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(NetworkError::FileTooLarge { path: path.to_owned(), most: MAX_FILE_BYTES }),
        Err(source) => return Err(NetworkError::Unreadable { path: path.to_owned(), source }),
    };
    parse(path, &bytes)?.of_size(&Shape::File(path.to_owned()), asked)
}

/// The network of links that are listed elsewhere than in a file, one a line. A fault's line is the
/// number of the link.
pub fn parse_links(lines: &str) -> Result<Network, Fault> {
    let problem = "no link is listed here: expected 'A -> B' or 'A -- B'";
    edge_list::parse(lines)?.ok_or_else(|| Fault::at(lines, 0, problem))
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

fn named_as_xml(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| extension == "graphml" || extension == "xml")
}
