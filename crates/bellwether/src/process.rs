//! A member as a process of its own, and the supervisor that starts it: what `bellwether up` is made of.
//!
//! A member's process reads its [`Settings`] from a file, says what happens on its standard output, one JSON object a line,
//! and takes orders on its standard input, one a line:
//!
//! ```text
//! show                  say where things stand
//! resign                lead no longer
//! transfer ID           let this member lead
//! stand, withdraw       be a candidate, be none
//! admit ID, dismiss ID  let this member vote, or no longer
//! ready                 the application has taken over
//! address ID HOST:PORT  a member has moved (its supervisor will know it, too)
//! cut ID,ID             nothing passes from and to these (for trials: with the feature `faults`)
//! heal                  everything passes again (the same)
//! stop                  give up leading, say farewell, and end
//! ```
//!
//! What is not understood, or cannot be done, is answered on its standard error: `resign`, `transfer`, `admit` and `dismiss` are
//! for the leader, and other members name it. A line has at most 1024 bytes.

mod file;
mod orders;

use crate::{Elector, Event, Happened, Id, NetworkError, Settings, StartError, StoreError, View, start};
use bellwether_cluster::{Supervisor, SupervisorError, die_with_parent, is_supervised, parent_to_die_with};
use file::read_member_settings;
use orders::{Executor, OrderLine, OrderLines};
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::time::Duration;

pub use bellwether_cluster::{COMMITMENT, SUPERVISOR, deny_inspection, parent_of};
pub use file::read_settings;

/// How long a process that ends waits for the last reports of its member to be written.
const LAST_REPORTS: Duration = Duration::from_secs(1);
/// How many answers to `show` can wait to be read.
const MOST_SHOWN: usize = 256;

/// Why a member's process could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The file of settings cannot be read.
    #[error("cannot read the settings in {path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// The settings in the file make no sense.
    #[error("settings in {path}: {why}")]
    Settings {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The member could not start.
    #[error(transparent)]
    Start(#[from] crate::StartError),
    /// The supervisor could not do its work.
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    /// The member has ended without being told to.
    #[error("member {0} has ended: {1}")]
    Ended(Id, String),
    /// The operating system refused something.
    #[error("the system refuses what a member needs: {0}")]
    System(#[from] io::Error),
}

impl ProcessError {
    /// Whether the settings make no sense, by themselves or with what is on disk: nothing was started, and it helps to change
    /// them. If not, something could not be read, written or done.
    #[must_use]
    pub fn is_input(&self) -> bool {
        match self {
            ProcessError::Settings { .. } => true,
            ProcessError::Start(error) => match error {
                StartError::Settings(_)
                | StartError::Algorithm(_)
                | StartError::Detector(_)
                | StartError::Oracle(_)
                | StartError::Impatient { .. } => true,
                StartError::Store(error) => matches!(
                    error,
                    StoreError::OtherOwner { .. }
                        | StoreError::OtherAlgorithm { .. }
                        | StoreError::OtherVoters { .. }
                        | StoreError::Shared { .. }
                        | StoreError::Name(_)
                ),
                StartError::Network(error) => {
                    matches!(error, NetworkError::Name(_) | NetworkError::Credentials(..))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The same with the file in which the mistake is.
    fn in_file(self, path: &Path) -> ProcessError {
        let path = path.display().to_string();
        if self.is_input() { ProcessError::Settings { path, why: self.to_string() } } else { self }
    }
}

/// One line of a member's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// When, in microseconds since the machine booted: the same clock for all members of a machine.
    pub at_us: u64,
    /// Which member.
    pub member: Id,
    /// What.
    #[serde(flatten)]
    pub what: ReportKind,
}

/// What a member reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReportKind {
    /// A lease, with [`Settings::tells_leases`].
    Lease {
        /// The term in which it leads.
        leads_in: u64,
        /// Until when, in microseconds since the machine booted.
        until_us: u64,
    },
    /// Something has happened.
    Event(Event),
    /// The state of the member: the answer to `show`.
    Shown {
        /// The view.
        view: View,
        /// For how much longer it leads, if it does.
        leads_for_us: Option<u64>,
    },
}

/// Runs the member that a file describes until it is told to stop, by an order or by a signal. It is a candidate, unless the
/// file says `"always_stands": false`. No other process of the user can read its memory ([`deny_inspection`]).
///
/// # Errors
/// [`ProcessError`] says why it could not start, or could not go on.
pub fn member(path: &Path) -> Result<(), ProcessError> {
    deny_inspection()?;
    die_with_whoever_asks_for_it()?;
    bellwether_cluster::raise_descriptor_limit();
    let settings = read_member_settings(path)?;
    let me = settings.me;
    let ids: Vec<Id> = settings.members.iter().map(|peer| peer.id).collect();
    let elector = start(settings).map_err(|error| ProcessError::from(error).in_file(path))?;
    let (orders, to_do) = channel();
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGQUIT])?;
    let by_signal = orders.clone();
    std::thread::spawn(move || signals.forever().for_each(|_| drop(by_signal.send(Order::Stop))));
    let by_line = orders.clone();
    std::thread::spawn(move || read_orders(me, &by_line));
    let watched = elector.clone();
    let by_teller = orders.clone();
    std::thread::spawn(move || tell_events(&watched, &by_teller));
    // A reader that stops reading holds up this thread, and not the one that carries out orders.
    let (shows, shown) = sync_channel::<Report>(MOST_SHOWN);
    std::thread::spawn(move || {
        shown.iter().for_each(|line| print(&line));
        let _ = orders.send(Order::AllShown);
    });
    let mut executor = Executor::new(&elector, &ids, &shows);
    for order in &to_do {
        match order {
            Order::Stop => break,
            Order::AllShown => {}
            Order::Ended(None) => return Ok(()),
            Order::Ended(Some(why)) => return Err(ProcessError::Ended(me, why)),
            Order::Text(line) => {
                if let Err(why) = executor.execute(&line) {
                    answer(me, &line, &why);
                }
            }
        }
    }
    elector.stop();
    drop(shows);
    // The last reports are to be written, if they are read.
    let mut awaited = 2;
    while awaited > 0
        && let Ok(order) = to_do.recv_timeout(LAST_REPORTS)
    {
        awaited -= i32::from(matches!(order, Order::Ended(_) | Order::AllShown));
    }
    Ok(())
}

/// Runs `program` as the member that the settings describe, and tells its peers when it is dead. Gives its exit code.
///
/// If the environment variable [`SUPERVISOR`] has the pid of the process that started this one, this one ends with it, however
/// it ends, and the member too. To the kernel that is the *thread* which started it. If it has the pid of a process further
/// up, it was inherited and says nothing: a program below a supervisor may start others that have one of their own.
///
/// # Errors
/// [`ProcessError`] says why it could not.
pub fn supervise(path: &Path, program: Command) -> Result<i32, ProcessError> {
    deny_inspection()?;
    die_with_whoever_asks_for_it()?;
    // The settings are dropped, and with them the secret is wiped: no supervisor needs it.
    let supervisor = Supervisor::new(&read_settings(path)?);
    Ok(supervisor.run(program)?.code)
}

/// Puts this very program under a supervisor, so that the peers of the member in it know at once when it is dead, even by
/// kill -9. To be called first in `main`, in its own thread, with the settings that the member is started with:
///
/// ```no_run
/// # fn settings() -> bellwether::Settings { bellwether::Settings::new("orders", bellwether::Id::new(1).unwrap()) }
/// # fn serve(_: bellwether::Elector) -> Result<(), Box<dyn std::error::Error>> { Ok(()) }
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let settings = settings();
///     if let Some(code) = bellwether::process::supervise_this_program(&settings)? {
///         std::process::exit(code);
///     }
///     serve(bellwether::start(settings)?)
/// }
/// ```
///
/// The program runs once more, below this process, with the same arguments; there it is given nothing, and `main` goes on.
/// Here it is given the exit code to end with, when that one is dead, with all that it had started, and its peers know. The
/// service manager's signals are passed on (SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2): it should send them to this
/// process only, as systemd does with `KillMode=mixed`, or the program hears them twice. On a terminal both are of one process
/// group, so that the program can read what is typed; Ctrl-C and Ctrl-Z reach both. If this process dies, so does the one
/// below; then the peers are not told, and they wait for the lease to end.
///
/// The supervising process cannot be inspected by others of its user ([`deny_inspection`]); the program below it is as it was.
/// After a SIGTERM the program has [`Settings::stop_timeout_ms`] to end; then it is killed.
///
/// As in [`supervise`], the environment variable [`SUPERVISOR`] lets this process end with the one that started it. A program
/// that sets it and may be below a supervisor itself must remove [`COMMITMENT`], or it looks as if it were this program's
/// supervisor.
///
/// # Errors
/// [`ProcessError`] says why it could not.
pub fn supervise_this_program(settings: &Settings) -> Result<Option<i32>, ProcessError> {
    if is_supervised() {
        die_with_parent()?;
        return Ok(None);
    }
    die_with_whoever_asks_for_it()?;
    let mut program = Command::new(std::env::current_exe()?);
    program.args(std::env::args_os().skip(1));
    Ok(Some(Supervisor::new(settings).run(program)?.code))
}

fn die_with_whoever_asks_for_it() -> io::Result<()> {
    parent_to_die_with()?.map_or(Ok(()), |_| die_with_parent())
}

enum Order {
    Text(String),
    Stop,
    /// The member has ended, for this reason if it was not told to.
    Ended(Option<String>),
    /// What was to be shown has been.
    AllShown,
}

fn read_orders(me: Id, orders: &Sender<Order>) {
    for said in OrderLines::new(io::stdin().lock()) {
        let order = match said {
            OrderLine::Whole(line) if line.trim() == "stop" => Order::Stop,
            OrderLine::Whole(line) => Order::Text(line),
            OrderLine::TooLong(beginning) => {
                answer(me, &beginning, &format!("a line has at most {} bytes", orders::MOST_BYTES));
                continue;
            }
            OrderLine::Unreadable(error) => {
                let _ = writeln!(io::stderr(), "member {me}: orders can no longer be read: {error}");
                return;
            }
        };
        if orders.send(order).is_err() {
            return;
        }
    }
}

/// Reports that an order is not carried out. Nothing is lost if it is not read.
fn answer(me: Id, line: &str, why: &str) {
    let _ = writeln!(io::stderr(), "member {me}: '{}' is not done: {why}", orders::shortened(line));
}

fn tell_events(elector: &Elector, orders: &Sender<Order>) {
    let (mut events, clock) = (elector.observe(), elector.clock());
    let (address, boot) = (elector.address(), elector.incarnation().boot);
    let started = Event::Started { address, boot, pid: std::process::id() };
    say(elector, Happened { at: clock.now(), member: elector.id(), event: started });
    while let Some(happened) = events.wait() {
        let end = match &happened.event {
            Event::Stopped { why } => Some(why.clone()),
            _ => None,
        };
        say(elector, happened);
        if let Some(why) = end {
            let _ = orders.send(Order::Ended(why));
            return;
        }
    }
}

fn say(elector: &Elector, happened: Happened) {
    let clock = elector.clock();
    let what = match happened.event {
        Event::Extended { term, until } => {
            ReportKind::Lease { leads_in: term, until_us: clock.boot_micros(until) }
        }
        event => ReportKind::Event(event),
    };
    print(&Report { at_us: clock.boot_micros(happened.at), member: happened.member, what });
}

/// Writes a report. A reader that has gone does not end the member.
fn print(line: &Report) {
    if let Ok(mut text) = serde_json::to_vec(line) {
        text.push(b'\n');
        let _ = io::stdout().lock().write_all(&text);
    }
}
