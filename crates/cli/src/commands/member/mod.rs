//! `bellwether member`: one member of a real cluster, as this process.

use crate::error::{ExitStatus, Failure};
use bellwether::process::{self, ProcessError};
use bellwether::{ALGORITHMS, ClusterConfig, Security, algorithm_of, guarantees};
use std::io::Write as _;
use std::path::Path;

/// Runs the member that the settings describe.
pub fn run(settings: &Path, quiet: bool) -> Result<ExitStatus, Failure> {
    introduce(settings, quiet);
    process::member(settings).map(|()| ExitStatus::Fine).map_err(failure)
}

/// Says what a member's cluster promises, and what its security does not, unless that has been said. What is wrong with its
/// settings is reported when the member starts.
pub(super) fn introduce(settings: &Path, quiet: bool) {
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
    let _ = std::io::stderr().write_all(text.as_bytes()); // nobody may be reading
}

pub(super) fn failure(error: ProcessError) -> Failure {
    if error.is_input() { Failure::input(error) } else { Failure::System(error.to_string()) }
}
