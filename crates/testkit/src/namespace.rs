//! Networks of their own.

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
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

    /// The process that holds it.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// A program in it.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.pid().to_string(), "--net"]).arg(program);
        command
    }

    /// Runs this in it. Sockets that it makes stay there.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn run<T: Send>(&self, make: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        let place = File::open(format!("/proc/{}/ns/net", self.pid()))?;
        // In a thread of its own, which is then elsewhere.
        std::thread::scope(|scope| {
            let made = scope.spawn(move || {
                move_into_link_name_space(place.as_fd(), Some(LinkNameSpaceType::Network))?;
                make()
            });
            made.join().map_err(|_| io::ErrorKind::Other)?
        })
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
