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
//! cut ID,ID             for trials: nothing passes from and to these
//! heal                  everything passes again
//! stop                  give up leading, say farewell, and end
//! ```

use crate::{Elector, Event, Happened, Id, Request, Settings, View, start};
use bellwether_cluster::{Supervisor, SupervisorError, die_with_parent, is_supervised, parent_to_die_with};
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

pub use bellwether_cluster::{COMMITMENT, SUPERVISOR, parent_of};

/// So long a process that ends waits for what its member said last to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// So much that is to be shown can wait for whoever reads.
const MOST_SHOWN: usize = 256;

/// Why a member's process could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The file of settings cannot be used.
    #[error("cannot read the settings in {path}: {why}")]
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
    /// The member has ended, and nobody told it to.
    #[error("member {0} has ended: {1}")]
    Ended(Id, String),
    /// The operating system refused something.
    #[error("the system refuses what a member needs: {0}")]
    System(#[from] io::Error),
}

/// One line of a member's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// When, in microseconds since the machine booted: the same clock for all members of a machine.
    pub at_us: u64,
    /// Which member.
    pub member: Id,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What a member says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum What {
    /// A lease, in trials.
    Lease {
        /// The term in which it leads.
        leads_in: u64,
        /// Until when, in microseconds since the machine booted.
        until_us: u64,
    },
    /// Something has happened.
    Event(Event),
    /// Where things stand: the answer to `show`.
    Shown {
        /// The view.
        view: View,
        /// For how much longer it leads, if it does.
        leads_for_us: Option<u64>,
    },
}

/// Reads a member's settings.
///
/// # Errors
/// [`ProcessError::Settings`] says what is wrong.
pub fn read_settings(path: &Path) -> Result<Settings, ProcessError> {
    let wrong = |why: String| ProcessError::Settings { path: path.display().to_string(), why };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(without_values(&error)))
}

/// What is wrong with a file, and where, but nothing of what it says: a value at the wrong place may be the secret.
fn without_values(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let names_a_field = |it: &str| it.starts_with("missing field") || it.starts_with("unknown field");
    if error.is_data() && !names_a_field(&text) {
        let (line, column) = (error.line(), error.column());
        format!(
            "the value before line {line} column {column} is none that can be there (it may be secret, so it is not shown)"
        )
    } else {
        text
    }
}

/// Runs the member that a file describes until it is told to stop, by an order or by a signal.
///
/// # Errors
/// [`ProcessError`] says why it could not start, or could not go on.
pub fn member(path: &Path) -> Result<(), ProcessError> {
    die_with_whoever_asks_for_it()?;
    let settings = read_settings(path)?;
    let me = settings.me;
    let elector = start(settings)?;
    let (orders, to_do) = channel();
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGQUIT])?;
    let by_signal = orders.clone();
    std::thread::spawn(move || signals.forever().for_each(|_| drop(by_signal.send(Order::Stop))));
    let by_line = orders.clone();
    std::thread::spawn(move || read_orders(&by_line));
    let watched = elector.clone();
    let by_teller = orders.clone();
    std::thread::spawn(move || tell_events(&watched, &by_teller));
    // Whoever does not read holds up this thread, and not the one that obeys.
    let (shows, shown) = sync_channel::<Line>(MOST_SHOWN);
    std::thread::spawn(move || {
        shown.iter().for_each(|line| print(&line));
        let _ = orders.send(Order::AllShown);
    });
    for order in &to_do {
        match order {
            Order::Stop => break,
            Order::AllShown => {}
            Order::Ended(None) => return Ok(()),
            Order::Ended(Some(why)) => return Err(ProcessError::Ended(me, why)),
            Order::Line(line) => {
                if let Err(why) = obey(&elector, &line, &shows) {
                    let _ = writeln!(io::stderr(), "member {me}: '{line}' is no order: {why}");
                }
            }
        }
    }
    elector.stop();
    drop(shows);
    // What it said last is to be heard, if anybody listens.
    let mut awaited = 2;
    while awaited > 0
        && let Ok(order) = to_do.recv_timeout(LAST_WORDS)
    {
        awaited -= i32::from(matches!(order, Order::Ended(_) | Order::AllShown));
    }
    Ok(())
}

/// Runs `program` as the member that the settings describe, and tells its peers when it is dead. Gives its exit code.
///
/// If the environment variable [`SUPERVISOR`] has the pid of whoever started this process, it ends with that one, however
/// that ends, and the member with it. To the kernel that is the *thread* which started it. If it has the pid of somebody further
/// up, it was inherited and says nothing: a program below a supervisor may start others that have one of their own.
///
/// # Errors
/// [`ProcessError`] says why it could not.
pub fn supervise(path: &Path, program: Command) -> Result<i32, ProcessError> {
    die_with_whoever_asks_for_it()?;
    let settings = read_settings(path)?;
    Ok(Supervisor::new(&settings).run(program)?.code)
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
/// below; then nobody can tell the peers, and they wait for the lease to end.
///
/// As in [`supervise`], the environment variable [`SUPERVISOR`] lets this process end with whoever started it. Whoever sets it
/// and may be below a supervisor itself must remove [`COMMITMENT`], or it looks as if it were this program's supervisor.
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
    Line(String),
    Stop,
    /// The member has ended, for this reason if it was not told to.
    Ended(Option<String>),
    /// What was to be shown has been.
    AllShown,
}

fn read_orders(orders: &Sender<Order>) {
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let order = if line.trim() == "stop" { Order::Stop } else { Order::Line(line) };
        if orders.send(order).is_err() {
            return;
        }
    }
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
        Event::Extended { term, until } => What::Lease { leads_in: term, until_us: clock.boot_micros(until) },
        event => What::Event(event),
    };
    print(&Line { at_us: clock.boot_micros(happened.at), member: happened.member, what });
}

/// Whoever does not read is not told; a member does not die of that.
fn print(line: &Line) {
    if let Ok(mut text) = serde_json::to_vec(line) {
        text.push(b'\n');
        let _ = io::stdout().lock().write_all(&text);
    }
}

fn obey(elector: &Elector, line: &str, shows: &SyncSender<Line>) -> Result<(), String> {
    let mut words = line.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let mut id = || -> Result<Id, String> { parse_id(words.next().ok_or("it names no member")?) };
    match verb {
        "show" => {
            let now = elector.clock().boot_micros(elector.clock().now());
            let leads_for_us =
                elector.leads_for().map(|left| u64::try_from(left.as_micros()).unwrap_or(u64::MAX));
            let what = What::Shown { view: elector.view(), leads_for_us };
            let line = Line { at_us: now, member: elector.id(), what };
            shows.try_send(line).map_err(|_| "nobody reads what is shown")?;
        }
        "resign" => elector.resign().map_err(|error| error.to_string())?,
        "stand" => elector.request(Request::Stand),
        "withdraw" => elector.request(Request::Withdraw),
        "transfer" => elector.transfer(id()?).map_err(|error| error.to_string())?,
        "admit" => elector.request(Request::Admit(id()?)),
        "dismiss" => elector.request(Request::Dismiss(id()?)),
        "ready" => elector.ready(),
        "address" => {
            let id = id()?;
            elector.set_address(id, words.next().ok_or("it names no address")?);
        }
        "cut" => {
            let ids = words.next().unwrap_or_default().split(',').map(parse_id).collect::<Result<_, _>>()?;
            elector.cut(ids);
        }
        "heal" => elector.heal(),
        _ => return Err(
            "try show, resign, transfer, stand, withdraw, admit, dismiss, ready, address, cut, heal, stop"
                .into(),
        ),
    }
    Ok(())
}

fn parse_id(text: &str) -> Result<Id, String> {
    let value: u64 = text.parse().map_err(|_| format!("'{text}' is no id"))?;
    Id::new(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a secret may end up by mistake, and mistakes that are no secrets.
    #[test]
    fn what_is_wrong_with_settings_is_said_and_what_they_say_is_not() {
        const SECRET: &str = "b1946ac92492d2347c6235b4d2611184";
        let security = |security: String| {
            let file = tempfile::NamedTempFile::new().unwrap();
            let text = format!(
                r#"{{"cluster": "orders", "me": 1, "members": [], "data": "there", "security": {security}}}"#
            );
            std::fs::write(file.path(), text).unwrap();
            read_settings(file.path()).map_err(|error| error.to_string())
        };
        assert!(security(format!(r#"{{"secret": "{SECRET}"}}"#)).is_ok());
        for misplaced in [
            format!(r#""{SECRET}""#),
            format!(r#"["{SECRET}"]"#),
            format!(r#"{{"secret": ["{SECRET}"]}}"#),
            format!(r#"{{"{SECRET}": "secret"}}"#),
            format!(r#"{{"certificates": "{SECRET}"}}"#),
            format!(r#""plaintext", "profile": "{SECRET}""#),
            format!(r#""plaintext", "seed": "{SECRET}""#),
            format!(r#""plaintext", "duty": "{SECRET}""#),
            format!(r#"{{"secret": "{SECRET}"}}}} {SECRET}"#),
        ] {
            let error = security(misplaced.clone()).unwrap_err();
            assert!(!error.contains(&SECRET[..8]), "{misplaced}: {error}");
            assert!(error.contains("line 1 column"), "{misplaced}: {error}");
        }
        for (mistake, named) in [
            (r#""plaintext", "detektor": null"#, "unknown field `detektor`"),
            (r#"{"certificates": {"ca": "ca.pem"}}"#, "missing field `certificate`"),
        ] {
            let error = security(mistake.into()).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
