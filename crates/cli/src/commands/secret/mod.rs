//! `bellwether secret`.

use crate::error::{ExitStatus, Failure};
use crate::output;
use bellwether::Secret;

/// Prints a new secret for the members of a cluster.
pub fn run() -> Result<ExitStatus, Failure> {
    let secret = Secret::generate().ok_or_else(|| {
        Failure::System("the machine gives no random numbers to make a secret from".to_owned())
    })?;
    output::print(format!("{}\n", secret.expose()).as_bytes())?;
    Ok(ExitStatus::Fine)
}
