//! `bellwether completions`.

use crate::args::Cli;
use crate::error::{ExitStatus, Failure};
use crate::output;
use clap::CommandFactory as _;

/// Prints a shell's completions.
pub fn run(shell: clap_complete::Shell) -> Result<ExitStatus, Failure> {
    // Into memory first: the generator cannot take a reader that goes away.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "bellwether", &mut script);
    output::print(&script)?;
    Ok(ExitStatus::Fine)
}
