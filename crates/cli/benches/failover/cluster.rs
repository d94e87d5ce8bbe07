//! Three members with their supervisors, and what is done to them.

use crate::Line;
use crate::namespace::Namespace;
use bellwether::process::{Report, ReportKind, SUPERVISOR};
use bellwether::{Event, Id, Peer, Profile, Secret, Security, Settings};
use rustix::process::{Pid, Signal, kill_process};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything takes: a cluster that is not well again by then has a bug.
const LIMIT: Duration = Duration::from_secs(60);

/// What is done to whoever leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    Kill,
    Stop,
    Cut,
    Resign,
    Transfer,
    Terminate,
}

impl Blow {
    pub const ALL: [Blow; 6] =
        [Blow::Kill, Blow::Stop, Blow::Cut, Blow::Resign, Blow::Transfer, Blow::Terminate];

    pub fn name(self) -> &'static str {
        match self {
            Blow::Kill => "kill -9, host alive",
            Blow::Stop => "silent: SIGSTOP",
            Blow::Cut => "silent: cut link",
            Blow::Resign => "hand-over: resign",
            Blow::Transfer => "hand-over: transfer",
            Blow::Terminate => "hand-over: graceful shutdown",
        }
    }
}

/// One member, and what is known of it.
struct Seat {
    supervisor: Child,
    orders: ChildStdin,
    /// Its own process, below the supervisor.
    pid: Option<i32>,
    leader: Option<(Id, u64)>,
    connected: std::collections::BTreeSet<Id>,
}

/// That somebody leads.
#[derive(Clone, Copy)]
pub struct Reign {
    pub leader: Id,
    term: u64,
    /// When the first member said so.
    pub at_us: u64,
}

pub struct Cluster {
    directory: TempDir,
    seats: BTreeMap<Id, Seat>,
    lines: Receiver<Report>,
    sender: Sender<Report>,
    /// As far as anyone has said.
    pub reigns: Vec<Reign>,
    /// How often somebody has stopped leading.
    losses: usize,
    namespace: Option<Namespace>,
}

/// Microseconds since the machine booted, as members count them.
pub fn now_us() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1_000
}

fn pid(raw: i32) -> Pid {
    Pid::from_raw(raw).expect("a process has a pid above 0")
}

impl Cluster {
    pub fn of(n: u64, is_fast: bool) -> Cluster {
        Cluster::within(n, is_fast, None)
    }

    /// In a network namespace, so that nobody else's bytes are counted.
    pub fn within(n: u64, is_fast: bool, namespace: Option<Namespace>) -> Cluster {
        let directory = TempDir::new().expect("there is room for a directory");
        // All of 127/8 is this machine's: an address of its own for each cluster collides with nobody.
        let drawn = now_us() ^ u64::from(std::process::id());
        let host = Ipv4Addr::new(127, (drawn >> 16) as u8 | 1, (drawn >> 8) as u8, drawn as u8 | 1);
        let ids: Vec<Id> = (1..=n).map(|id| Id::new(id).expect("it is small")).collect();
        let secret = Secret::generate().expect("the machine gives random numbers");
        for &me in &ids {
            let settings = Settings {
                members: ids
                    .iter()
                    .map(|&id| Peer::new(id, format!("{host}:{}", 7400 + id.value())))
                    .collect(),
                data: directory.path().join(format!("data-{me}")),
                security: Security::Secret(secret.clone()),
                profile: if is_fast { Profile::FAST } else { Profile::STEADY },
                always_stands: true,
                ..Settings::new("bench", me)
            };
            let text = serde_json::to_string(&settings).expect("settings can be written");
            let path = file_of(&directory, me);
            std::fs::write(&path, text).expect("there is room for a file");
            // Settings with a secret are nobody else's to read.
            std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("the file is ours");
        }
        let (sender, lines) = channel();
        let mut cluster = Cluster {
            directory,
            seats: BTreeMap::new(),
            lines,
            sender,
            reigns: Vec::new(),
            losses: 0,
            namespace,
        };
        ids.iter().for_each(|&id| cluster.start(id));
        cluster.settle();
        cluster
    }

    fn start(&mut self, id: Id) {
        let program = env!("CARGO_BIN_EXE_bellwether");
        let mut command = match &self.namespace {
            None => Command::new(program),
            Some(namespace) => namespace.command(program),
        };
        // Whatever ends this program ends them too.
        command
            .args(["supervise", "--quiet"])
            .arg(file_of(&self.directory, id))
            .env(SUPERVISOR, std::process::id().to_string());
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut supervisor = spawned.expect("the member's program starts");
        let output = BufReader::new(supervisor.stdout.take().expect("it is piped"));
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if let Ok(said) = serde_json::from_str::<Report>(&line) {
                    let _ = sender.send(said);
                }
            }
        });
        let orders = supervisor.stdin.take().expect("it is piped");
        let seat = Seat { supervisor, orders, pid: None, leader: None, connected: Default::default() };
        self.seats.insert(id, seat);
    }

    fn hear(&mut self, said: &Report) {
        let Some(seat) = self.seats.get_mut(&said.member) else { return };
        let ReportKind::Event(event) = &said.what else { return };
        match event {
            Event::Started { .. } => seat.pid = child_of(seat.supervisor.id()),
            Event::Elected { leader, term } => {
                seat.leader = Some((*leader, *term));
                if self.reigns.last().is_none_or(|last| *term > last.term) {
                    self.reigns.push(Reign { leader: *leader, term: *term, at_us: said.at_us });
                }
            }
            Event::Leaderless { .. } => seat.leader = None,
            Event::Lost { .. } => self.losses += 1,
            Event::Connected { peer } => drop(seat.connected.insert(*peer)),
            Event::Disconnected { peer, .. } | Event::Died { peer } => drop(seat.connected.remove(peer)),
            _ => {}
        }
    }

    /// Waits until what everyone has said is so.
    fn until(&mut self, what: &str, is_so: impl Fn(&Cluster) -> bool) {
        let end = Instant::now() + LIMIT;
        while !is_so(self) {
            let said = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()));
            let said = said.unwrap_or_else(|_| panic!("{what}: not within {LIMIT:?}"));
            self.hear(&said);
        }
    }

    /// Hears everything until then.
    pub fn listen_for(&mut self, span: Duration) {
        let end = Instant::now() + span;
        while let Ok(said) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.hear(&said);
        }
    }

    /// Waits until everyone is there and follows the best member, as it will for ever if nothing happens.
    pub fn settle(&mut self) {
        let best = *self.seats.keys().next_back().expect("there are members");
        self.until("settling", |cluster| {
            let n = cluster.seats.len();
            let is_well = |seat: &Seat| {
                seat.connected.len() + 1 == n
                    && seat.pid.is_some()
                    && seat.leader.is_some_and(|(id, _)| id == best)
            };
            cluster.seats.values().all(is_well)
        });
        self.listen_for(Duration::from_millis(300));
    }

    /// How often the leader has changed, or nobody led, so far.
    pub fn changes(&self) -> usize {
        self.reigns.len().max(self.losses)
    }

    /// The processes of members and supervisors.
    pub fn pids(&self) -> Vec<(i32, i32)> {
        self.seats.values().filter_map(|seat| Some((seat.pid?, seat.supervisor.id() as i32))).collect()
    }

    fn order(&mut self, id: Id, order: &str) {
        if let Some(seat) = self.seats.get_mut(&id) {
            writeln!(seat.orders, "{order}").expect("a member reads its orders");
        }
    }

    /// Strikes the leader again and again, and measures from the blow until every other member knows the next.
    pub fn suffer(&mut self, name: String, blow: Blow, trials: usize) -> Line {
        let mut line = Line { name, times: Vec::new(), unprovoked: 0 };
        let mut settled = self.reigns.len();
        for _ in 0..trials {
            // At any moment between two renewals, not always at the same.
            self.listen_for(Duration::from_micros(now_us() * 7_919 % 200_000));
            let (leader, term) = self.seats.values().find_map(|seat| seat.leader).expect("it has settled");
            let others: Vec<Id> = self.seats.keys().copied().filter(|&id| id != leader).collect();
            for id in &others {
                self.seats.get_mut(id).expect("it is there").leader = None;
            }
            let process = pid(self.seats[&leader].pid.expect("it has settled"));
            let struck = now_us();
            match blow {
                Blow::Kill => kill_process(process, Signal::KILL).expect("the leader lives"),
                Blow::Stop => kill_process(process, Signal::STOP).expect("the leader lives"),
                Blow::Terminate => kill_process(process, Signal::TERM).expect("the leader lives"),
                Blow::Cut => {
                    let ids: Vec<String> = others.iter().map(Id::to_string).collect();
                    self.order(leader, &format!("cut {}", ids.join(",")));
                }
                Blow::Resign => self.order(leader, "resign"),
                Blow::Transfer => self.order(leader, &format!("transfer {}", others[0])),
            }
            line.times.push(Duration::from_micros(self.next_known(&others, term) - struck));
            match blow {
                Blow::Kill | Blow::Terminate => {
                    let mut gone = self.seats.remove(&leader).expect("it was there");
                    gone.supervisor.wait().expect("it can be waited for");
                    self.start(leader);
                }
                Blow::Stop => {
                    let _ = kill_process(process, Signal::CONT);
                }
                Blow::Cut => self.order(leader, "heal"),
                Blow::Resign => {}
                // Who was named leads for long: it is told to give back what it has.
                Blow::Transfer => self.order(others[0], &format!("transfer {leader}")),
            }
            self.settle();
            // The blow brought about one change, and the return of the best member another.
            line.unprovoked += (self.reigns.len() - settled).saturating_sub(2) as u64;
            settled = self.reigns.len();
        }
        line
    }

    /// When the last of these has heard of the later leader that all of them have heard of.
    fn next_known(&mut self, ids: &[Id], before: u64) -> u64 {
        let mut known: BTreeMap<Id, (Id, u64, u64)> = BTreeMap::new();
        let end = Instant::now() + LIMIT;
        loop {
            let mut named = known.values().map(|&(leader, term, _)| (leader, term));
            let first = named.next();
            if known.len() == ids.len() && named.all(|other| Some(other) == first) {
                return known.values().map(|&(.., at)| at).max().expect("somebody was to know");
            }
            let said = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()));
            let said = said.expect("somebody is elected");
            self.hear(&said);
            if let ReportKind::Event(Event::Elected { leader, term }) = said.what
                && term > before
                && ids.contains(&said.member)
            {
                known.insert(said.member, (leader, term, said.at_us));
            }
        }
    }
}

fn file_of(directory: &TempDir, id: Id) -> PathBuf {
    directory.path().join(format!("member-{id}.json"))
}

/// The only child of a process.
pub fn child_of(parent: u32) -> Option<i32> {
    let text = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for seat in self.seats.values_mut() {
            // A supervisor's death is its member's too, even if that one is stopped.
            let _ = seat.supervisor.kill();
            let _ = seat.supervisor.wait();
        }
    }
}
