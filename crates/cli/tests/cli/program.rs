//! Running the program.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What came of running the program.
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// The output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in {}\n{}", self.stdout, self.stderr))
    }
}

/// The program, with arguments separated by blanks.
pub fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bellwether"));
    command.args(args.split_whitespace()).stdin(Stdio::null());
    command
}

/// Runs the program.
pub fn run(args: &str) -> Ended {
    ended(command(args).output().expect("the program runs"))
}

/// Runs the program in a directory, so that arguments can name files in it.
pub fn run_in(dir: &Path, args: &str) -> Ended {
    ended(command(args).current_dir(dir).output().expect("the program runs"))
}

/// Runs the program, which must end well.
pub fn run_well(args: &str) -> Ended {
    let ended = run(args);
    assert_eq!(ended.code, 0, "{args}: {}{}", ended.stdout, ended.stderr);
    ended
}

/// What came of it, when the program has ended.
pub fn ended(output: Output) -> Ended {
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let code = output.status.code().expect("the program ends by itself");
    Ended { code, stdout: text(output.stdout), stderr: text(output.stderr) }
}
