//! `bellwether member` and `bellwether supervise`: the processes that a real cluster is made of.

use crate::error::{Failure, Verdict};
use bellwether::process::{self, ProcessError};
use bellwether::{ALGORITHMS, ClusterConfig, Security, algorithm_of, guarantees};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Is a member.
pub fn run(settings: &Path, quiet: bool) -> Result<Verdict, Failure> {
    introduce(settings, quiet);
    process::member(settings).map(|()| Verdict::Fine).map_err(failure)
}

/// Starts a member, and tells the others when it is dead.
pub fn supervise(settings: &Path, quiet: bool) -> Result<Verdict, Failure> {
    introduce(settings, quiet);
    let this_program = std::env::current_exe()
        .map_err(|error| Failure::System(format!("cannot find this program to start it again: {error}")))?;
    let mut member = Command::new(this_program);
    member.args(["member", "--quiet"]).arg(settings);
    let code = process::supervise(settings, member).map_err(failure)?;
    // A supervisor ends as its member did.
    std::process::exit(code)
}

/// Says what a member's cluster promises, and what its security does not, unless that has been said. What is wrong with its
/// settings is said by whoever then goes by them.
fn introduce(settings: &Path, quiet: bool) {
    if quiet {
        return;
    }
    let Ok(settings) = process::read_settings(settings) else { return };
    let Ok(choice) = algorithm_of(&ALGORITHMS, &settings.algorithm, &settings.profile) else { return };
    let me = settings.me;
    let voters = ClusterConfig::new(&settings, choice.spec, &choice.params).voters.len() as u64;
    let mut text = format!("member {me} runs {choice}: {}\n", guarantees::describe(choice.spec, voters));
    if settings.security == Security::Plaintext {
        text += &format!(
            "WARNING: member {me} talks IN THE CLEAR: whoever can reach it can command it, and whoever can listen hears \
             everything. Give all members a secret or certificates, unless nobody else is on their network\n"
        );
    }
    let _ = std::io::stderr().write_all(text.as_bytes()); // or nobody wants to know
}

fn failure(error: ProcessError) -> Failure {
    if error.is_input() { Failure::input(error) } else { Failure::System(error.to_string()) }
}
