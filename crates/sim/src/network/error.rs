//! What can be wrong with a network.

use super::Shape;
use std::io;
use std::path::PathBuf;

/// A network that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// No shape has this name.
    #[error("there is no topology '{name}': use one of {}", Shape::NAMES.join(", "))]
    UnknownShape {
        /// As given.
        name: String,
    },
    /// What stands after the colon makes no sense for this shape.
    #[error("topology '{given}' is not understood: {expected}")]
    Parameter {
        /// As given.
        given: String,
        /// What the shape takes.
        expected: &'static str,
    },
    /// The shape comes in all sizes and none was given.
    #[error("topology '{shape}' comes in all sizes: say how many members there are, with `nodes`")]
    SizeNeeded {
        /// The shape.
        shape: Shape,
    },
    /// Nobody takes part.
    #[error("a network has at least one member: `nodes` must not be 0")]
    NoMembers,
    /// The shape or the file has one size and another was asked for.
    #[error(
        "topology '{shape}' has {has} members, but {asked} were asked for: leave `nodes` out, or make them agree"
    )]
    SizeDiffers {
        /// The shape.
        shape: Shape,
        /// How many members it has.
        has: u64,
        /// How many were asked for.
        asked: u32,
    },
    /// The shape does not come in this size.
    #[error("topology '{shape}' cannot have {n} members: {reason}")]
    Unfit {
        /// The shape.
        shape: Shape,
        /// How many members were asked for.
        n: u32,
        /// Why not, and what to do.
        reason: String,
    },
    /// More links than can be numbered.
    #[error(
        "topology '{shape}' with {n} members would have about {links} links, too many to number: use fewer of either"
    )]
    TooManyLinks {
        /// The shape.
        shape: Shape,
        /// How many members were asked for.
        n: u64,
        /// About how many directed links that would be.
        links: u64,
    },
    /// The random network does not come out connected, however often it is drawn.
    #[error("topology '{shape}' with {n} members is hardly ever connected: {advice}")]
    Disconnected {
        /// The shape.
        shape: Shape,
        /// How many members were asked for.
        n: u32,
        /// What to do.
        advice: String,
    },
    /// The operating system does not let us read the file.
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is larger than any that we read.
    #[error("{path} is too large: a network's file has at most {most} bytes", path = path.display())]
    FileTooLarge {
        /// The file.
        path: PathBuf,
        /// How many bytes we read.
        most: u64,
    },
    /// The file names nobody.
    #[error("{path} names no member: give one link a line, 'A B', or GraphML", path = path.display())]
    EmptyFile {
        /// The file.
        path: PathBuf,
    },
    /// The file says something that makes no sense.
    #[error("{path}:{line}:{column}: {problem}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// What is wrong there, and what was expected.
        problem: String,
    },
}
