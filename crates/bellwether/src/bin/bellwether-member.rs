//! One member and its supervisor, without the rest of the program: `bellwether-member SETTINGS` is a member,
//! `bellwether-member --supervise SETTINGS` one with a supervisor above it.

use bellwether::process::{ProcessError, member, supervise};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<i32, ProcessError> {
    match arguments {
        ["--supervise", path] => {
            let mut program = Command::new(std::env::current_exe()?);
            program.arg(path);
            supervise(Path::new(path), program, Duration::from_secs(1))
        }
        [path] => member(Path::new(path)).map(|()| 0),
        _ => {
            eprintln!("usage: bellwether-member [--supervise] SETTINGS");
            Ok(2)
        }
    }
}
