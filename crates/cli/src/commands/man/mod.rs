//! `bellwether man`.

use crate::args::Cli;
use crate::error::{ExitStatus, Failure};
use crate::{file, output};
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use std::path::Path;

/// Prints the program's page, or writes all pages into a directory.
pub fn run(dir: Option<&Path>) -> Result<ExitStatus, Failure> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let Some(dir) = dir else {
        output::print(&page(program)?)?;
        return Ok(ExitStatus::Fine);
    };
    std::fs::create_dir_all(dir).map_err(|error| Failure::unwritable(dir, error))?;
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    let commands: Vec<Command> = std::iter::once(program.clone()).chain(shown.cloned()).collect();
    for command in commands {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        file::write(&dir.join(format!("{name}.1")), &page(command)?)?;
    }
    Ok(ExitStatus::Fine)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(|error| Failure::System(format!("no page: {error}")))?;
    Ok(page)
}
