//! What can go wrong, and with which exit code the program then ends.

use bellwether_check::PlanError;
use bellwether_core::{AlgorithmError, DetectorError, ParamError};
use bellwether_lab::RunResult;
use bellwether_lab::scenario::ScenarioError;
use bellwether_model::recording::TooLong;
use bellwether_runspec::form::TextError;
use bellwether_runspec::suggest;
use bellwether_sim::network::{NetworkError, Shape};
use bellwether_sim::{DelayError, SetupError, rewrite_fields};
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// The exit codes, for the help texts.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  fine
  1  something could not be read or written
  2  wrong usage or bad input
  3  safety violated: a live member takes somebody else than the best live member for the leader, or two
     lead that never may; of algorithms that go on for ever only the latter
  4  liveness not reached: nobody leads, or somebody does not know what the algorithm promises, or an
     algorithm that goes on has not come to the best leader yet
  5  a claim does not hold, or a scenario does not come out as it expects

Of 3, 4 and 5 the first that applies; over many runs, to any of them.";

/// The exit codes of `swarm`, for its help.
pub const SWARM_CODES: &str = "\
Exit codes:
  0  every run came right, though some perhaps late
  1  something could not be read or written
  2  wrong usage or bad input
  3  safety violated in some run: a wrong leader, or two
  4  liveness not reached in some run: no leader

That an algorithm fails under faults which it does not claim to survive counts too: 'survive' asks only
whether claims hold.";

/// The exit codes of `survive`, for its help.
pub const SURVIVE_CODES: &str = "\
Exit codes:
  0  every algorithm survives what it declares to survive
  1  something could not be read or written
  2  wrong usage or bad input
  5  an algorithm fails under faults that it declares to survive

Failures under other faults are what the table is for, and no reason to complain.";

/// The exit codes of `check`, for its help.
pub const CHECK_CODES: &str = "\
Exit codes:
  0  every property holds in every run
  1  something could not be read or written
  2  wrong usage or bad input
  3  safety violated in some run: two leaders, a wrong one, or members that name different ones
  4  liveness not reached in some run: nobody comes to lead, or somebody never knows what it should
  5  a claim does not hold: some run sends more or fewer messages
  6  nothing is violated in what was seen, but a limit was reached before everything was

Of 3, 4 and 5 that of the gravest property. With --all what is violated is what the table is for, and the code is 0.";

/// The exit codes of `up`, for its help.
pub const UP_CODES: &str = "\
Exit codes:
  0  fine
  1  something could not be read, written or started, also if it was only one of the members
  2  wrong usage or bad input, such as a directory of another number of members
  3  safety violated: two members led at once, or in one term, though the algorithm promises one, or tokens did not grow
  4  liveness not reached: nobody led at the end, though a majority lived, or not all survivors of a killed leader came to
     know the next
  6  nothing is violated in what members said, but some of their words are missing";

/// The exit codes of `member` and `supervise`, for their help.
pub const MEMBER_CODES: &str = "\
Exit codes:
  0  the member was told to stop, and stopped
  1  something could not be read, written or done: the settings file, the data directory, the address
  2  wrong usage, or settings that make no sense, by themselves or with what is in the data directory
  N  'supervise' ends as its member did: 128 + the signal's number if a signal ended it";

/// Why nothing came of a command.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The user asks for something that cannot be.
    #[error("{message}")]
    Input {
        /// What is wrong.
        message: String,
        /// What to do about it, where the message does not say.
        hint: Option<String>,
    },
    /// Something cannot be read or written.
    #[error("{0}")]
    System(String),
    /// Whoever read our output has had enough, which is their right.
    #[error("nobody reads the output any more")]
    ReaderGone,
}

impl Failure {
    /// Bad input whose message says all there is to say.
    pub fn input(message: impl Display) -> Failure {
        Failure::Input { message: message.to_string(), hint: None }
    }

    /// Bad input in flags, as a library says it of fields: both have the same names, but for hyphens.
    pub fn of_flags(error: impl Display) -> Failure {
        Failure::input(rewrite_fields(&error.to_string(), |field| match field {
            "memory_limit" => "--memory".to_owned(),
            _ => format!("--{}", field.replace('_', "-")),
        }))
    }

    /// Bad input, and what to do about it.
    pub fn input_with_hint(message: impl Display, hint: impl Display) -> Failure {
        Failure::Input { message: message.to_string(), hint: Some(hint.to_string()) }
    }

    /// A name that is not there, with the one that was probably meant, if there is one like it.
    pub fn misspelt(message: impl Display, name: &str, names: &[&str]) -> Failure {
        match suggest::nearest(name, names) {
            Some(meant) => Failure::input_with_hint(message, format!("did you mean '{meant}'?")),
            None => Failure::input(message),
        }
    }

    /// A file that cannot be written.
    pub fn unwritable(path: &Path, why: impl Display) -> Failure {
        Failure::System(format!("cannot write {}: {why}", path.display()))
    }

    /// Output that cannot be written.
    pub fn stdout(error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::System(format!("cannot write the output: {error}")),
        }
    }

    /// Tells the user, and says how to end.
    pub fn report(self) -> ExitCode {
        // There is nobody left to tell if this fails too.
        let mut stderr = io::stderr().lock();
        match &self {
            Failure::ReaderGone => return ExitCode::SUCCESS,
            Failure::System(message) | Failure::Input { message, hint: None } => {
                let _ = writeln!(stderr, "error: {message}");
            }
            Failure::Input { message, hint: Some(hint) } => {
                let _ = writeln!(stderr, "error: {message}\nhint: {hint}");
            }
        }
        ExitCode::from(if matches!(self, Failure::System(_)) { 1 } else { 2 })
    }
}

impl From<NetworkError> for Failure {
    fn from(error: NetworkError) -> Failure {
        match &error {
            NetworkError::Unreadable { .. } => Failure::System(error.to_string()),
            NetworkError::UnknownShape { name } => Failure::misspelt(&error, name, Shape::NAMES),
            _ => Failure::of_flags(error),
        }
    }
}

impl From<DelayError> for Failure {
    fn from(error: DelayError) -> Failure {
        match error {
            DelayError::Unreadable { .. } => Failure::System(error.to_string()),
            _ => Failure::input(error),
        }
    }
}

impl From<TextError> for Failure {
    fn from(error: TextError) -> Failure {
        match error {
            TextError::Malformed(problem) => Failure::of_flags(problem),
            TextError::Network(error) => error.into(),
            TextError::Delay(error) => error.into(),
        }
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Failure {
        match (&error, error.hint()) {
            (ScenarioError::Unreadable { .. }, _) => Failure::System(error.to_string()),
            (_, Some(hint)) => Failure::input_with_hint(&error, hint),
            (_, None) => Failure::input(error),
        }
    }
}

impl From<TooLong> for Failure {
    fn from(error: TooLong) -> Failure {
        Failure::input(error)
    }
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Failure {
        match error {
            SetupError::Network(error) => error.into(),
            SetupError::Algorithm(error) => error.into(),
            SetupError::Detector(error) => error.into(),
            SetupError::NoSuchKind { ref kind, ref kinds, .. } => Failure::misspelt(&error, kind, kinds),
            _ => Failure::of_flags(error),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        match error {
            PlanError::Setup(error) => error.into(),
            _ => Failure::of_flags(error),
        }
    }
}

impl From<DetectorError> for Failure {
    fn from(error: DetectorError) -> Failure {
        match &error {
            DetectorError::Unknown { name, known } => Failure::misspelt(&error, name, known),
            DetectorError::Setting { error: setting, .. } => of_setting(&error, setting),
        }
    }
}

impl From<AlgorithmError> for Failure {
    fn from(error: AlgorithmError) -> Failure {
        match &error {
            AlgorithmError::Unknown { name, known } => Failure::misspelt(&error, name, known),
            AlgorithmError::Variant { variant, known, .. } => Failure::misspelt(&error, variant, known),
            AlgorithmError::TwoVariants { .. } => Failure::input(error),
            AlgorithmError::Setting { error: setting, .. } => of_setting(&error, setting),
        }
    }
}

/// A parameter that cannot be set so: it may be misspelt.
fn of_setting(message: impl Display, error: &ParamError) -> Failure {
    match error.unknown() {
        Some(name) => Failure::misspelt(message, name, &error.known),
        None => Failure::input(message),
    }
}

/// How a run, or the worst of many, turned out. The later, the worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// Safe, live, and as claimed.
    #[default]
    Fine,
    /// A check could not see everything.
    Incomplete,
    /// A claim does not hold, or a scenario's expectation.
    NotAsClaimed,
    /// Liveness was not reached.
    NotLive,
    /// Safety was violated.
    Unsafe,
}

impl From<RunResult> for ExitStatus {
    fn from(result: RunResult) -> ExitStatus {
        match result {
            RunResult::Right => ExitStatus::Fine,
            RunResult::NotAsClaimed => ExitStatus::NotAsClaimed,
            RunResult::NotLive => ExitStatus::NotLive,
            RunResult::Unsafe => ExitStatus::Unsafe,
        }
    }
}

impl ExitStatus {
    /// The exit code, as in [`EXIT_CODES`].
    fn code(self) -> u8 {
        match self {
            ExitStatus::Fine => 0,
            ExitStatus::Unsafe => 3,
            ExitStatus::NotLive => 4,
            ExitStatus::NotAsClaimed => 5,
            ExitStatus::Incomplete => 6,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(verdict: ExitStatus) -> ExitCode {
        ExitCode::from(verdict.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_verdict_decides_on_the_code() {
        use ExitStatus::{Fine, Incomplete, NotAsClaimed, NotLive, Unsafe};
        let code = |verdicts: &[ExitStatus]| verdicts.iter().max().copied().unwrap_or_default().code();
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&[Fine, Incomplete]), 6);
        assert_eq!(code(&[Incomplete, NotLive]), 4);
        assert_eq!(code(&[Fine, NotAsClaimed]), 5);
        assert_eq!(code(&[NotAsClaimed, NotLive, Fine]), 4);
        assert_eq!(code(&[NotLive, Unsafe, NotAsClaimed]), 3);
    }
}
