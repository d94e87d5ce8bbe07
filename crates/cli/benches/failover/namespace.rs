//! Networks of their own.

use std::ffi::OsStr;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

/// A network namespace without a name: it is gone with the process that holds it.
pub struct Namespace(Child);

impl Namespace {
    /// Runs a script in a new one. Nothing if that fails, as it does without root or 'ip'.
    pub fn new(script: &str) -> Option<Namespace> {
        // Its input ends when this program does, however that ends.
        let script = format!("{script} && echo && exec cat");
        let mut command = Command::new("unshare");
        command.args(["--net", "sh", "-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut namespace = Namespace(command.spawn().ok()?);
        let is_made = namespace.0.stdout.as_mut()?.read_exact(&mut [0]).is_ok();
        is_made.then_some(namespace)
    }

    /// Whoever holds it.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// A program in it.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.pid().to_string(), "--net"]).arg(program);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
