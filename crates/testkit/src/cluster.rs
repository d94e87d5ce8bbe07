//! A cluster whose members are processes.

use crate::judge::Recording;
use crate::process::{Process, Record, id, now_us};
use bellwether::judge::LeadershipInterval;
use bellwether::process::{Report, ReportKind, SUPERVISOR};
use bellwether::{Duty, Event, Peer, Profile, Security, Settings, Span, View};
use rustix::process::Signal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SECRET: &str = "bw1-c5469b98847dcf399b028e5dc6e44d7b2b9076b40e490d1b9f5578091025f85509f32a21";

/// The lease of a calm cluster's leader: longer than any machine is held up, so only what the test does, or a fault, ends
/// it.
const CALM_LEASE: Duration = Duration::from_secs(5);

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// From now on members are run by this program. The first choice counts.
pub fn choose_program(path: PathBuf) {
    let _ = PROGRAM.set(path);
}

/// The program that members are run by: the one that was chosen, that cargo or nextest name, or that was built beside
/// this test.
///
/// # Panics
/// If this process has no file.
pub fn program() -> &'static Path {
    PROGRAM.get_or_init(|| {
        let named =
            ["CARGO_BIN_EXE_bellwether", "NEXTEST_BIN_EXE_bellwether"].into_iter().find_map(std::env::var_os);
        named.map(PathBuf::from).unwrap_or_else(|| {
            let this = std::env::current_exe().expect("this process has a file");
            let mut beside = this.ancestors().skip(1).filter(|directory| !directory.ends_with("deps"));
            beside.next().unwrap_or(Path::new(".")).join("bellwether")
        })
    })
}

/// For clusters whose leader is to stay.
pub fn calm(settings: &mut Settings) {
    settings.profile.delay_bound = Span::from_ticks(CALM_LEASE.as_micros() as u64 / 25); // as long as 25 of these
}

/// Members 1, 2, ... of which the greatest is the best. All are gone when this is.
#[derive(Debug)]
pub struct Cluster {
    directory: TempDir,
    settings: BTreeMap<u64, Settings>,
    /// What a member is started through, if not directly; and by how much the clock that it sees is ahead then.
    through: BTreeMap<u64, (Vec<String>, u64)>,
    running: BTreeMap<u64, Process>,
    /// Those whose supervisors may still have something to tell, and since when.
    killed: Vec<(Instant, Process)>,
    record: Arc<Record>,
    /// Reports of processes that ended by themselves.
    ended: Arc<Record>,
}

impl Cluster {
    /// So many members, none of them started, that differ from others' as is said.
    pub fn of(n: u64, change: impl Fn(&mut Settings)) -> Cluster {
        let directory = TempDir::new().unwrap();
        let members: Vec<Peer> = (1..=n).zip(places()).map(|(me, place)| Peer::new(id(me), place)).collect();
        let settings = (1..=n).map(|me| {
            let mut settings = Settings {
                members: members.clone(),
                data: directory.path().join(format!("data-{me}")),
                security: Security::Secret(SECRET.into()),
                profile: Profile::STEADY,
                always_stands: true,
                tells_leases: true,
                ..Settings::new("test", id(me))
            };
            change(&mut settings);
            (me, settings)
        });
        let settings = settings.collect();
        Cluster {
            directory,
            settings,
            through: BTreeMap::new(),
            running: BTreeMap::new(),
            killed: Vec::new(),
            record: Arc::default(),
            ended: Arc::default(),
        }
    }

    /// Such a cluster, at work: with its first leader and that one's term.
    pub fn at_work(n: u64, change: impl Fn(&mut Settings)) -> (Cluster, u64, u64) {
        let mut cluster = Cluster::of(n, change);
        let (leader, term) = cluster.start_all();
        (cluster, leader, term)
    }

    /// All members.
    pub fn ids(&self) -> Vec<u64> {
        self.settings.keys().copied().collect()
    }

    /// All members but this one.
    pub fn others(&self, than: u64) -> Vec<u64> {
        self.ids().into_iter().filter(|&me| me != than).collect()
    }

    /// Where their files are.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The settings that a member is started with next.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn settings(&mut self, me: u64) -> &mut Settings {
        self.settings.get_mut(&me).unwrap()
    }

    /// Changes the settings of all.
    pub fn change_all(&mut self, change: impl FnMut(&mut Settings)) {
        self.settings.values_mut().for_each(change);
    }

    /// The member is to be started by this command, which is given the program and its arguments.
    pub fn start_through(&mut self, me: u64, command: &[&str], skew_us: u64) {
        self.through.insert(me, (command.iter().map(ToString::to_string).collect(), skew_us));
    }

    /// Writes a member's settings, and gives the command that runs it.
    pub fn command(&self, settings: &Settings, verb: &str) -> Command {
        let me = settings.me.value();
        let path =
            self.directory.path().join(format!("settings-{}", settings.data.file_name().unwrap().display()));
        write_for_owner(&path, lean(settings).to_string().as_bytes());
        let mut words = self.through.get(&me).map(|(words, _)| words.clone()).unwrap_or_default();
        words.push(program().to_str().expect("the program's path is text").into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(verb).arg(path);
        command.env(SUPERVISOR, std::process::id().to_string()); // even if this test is killed, nothing is left
        command
    }

    /// Starts a member, and waits until it says that it has started.
    pub fn start(&mut self, me: u64) {
        let command = self.command(&self.settings[&me], "supervise");
        let skew_us = self.skew_us(me);
        self.running.insert(me, Process::start(command, id(me), &self.record, skew_us));
    }

    /// Starts a member, and waits for nothing.
    pub fn spawn(&mut self, me: u64) {
        let command = self.command(&self.settings[&me], "supervise");
        self.record.change(|recording| recording.forget(me));
        self.running.insert(me, Process::spawn(command, &self.record, self.skew_us(me)));
    }

    fn skew_us(&self, me: u64) -> u64 {
        self.through.get(&me).map_or(0, |&(_, skew_us)| skew_us)
    }

    /// Starts all, and waits until the best leads: the first to start may have led before. Gives it and its term.
    pub fn start_all(&mut self) -> (u64, u64) {
        self.ids().into_iter().for_each(|me| self.start(me));
        let members = &self.settings[&1].members;
        let best =
            members.iter().filter(|peer| peer.duty == Duty::default()).map(|peer| peer.id.value()).max();
        let (mut leader, mut term) = (None, 0);
        while leader != best {
            let (next, later) = self.leader_of(&self.ids(), term);
            (leader, term) = (Some(next), later);
        }
        (leader.unwrap(), term)
    }

    /// Starts a member that ends by itself, without a supervisor, and gives what it complained of.
    pub fn errors_of(&self, settings: &Settings) -> String {
        self.errors_with(settings, |_| ())
    }

    /// The same, started in another way.
    pub fn errors_with(&self, settings: &Settings, change: impl FnOnce(&mut Command)) -> String {
        let mut command = self.command(settings, "member");
        change(&mut command);
        Process::spawn(command, &self.ended, 0).errors()
    }

    /// A member's processes.
    ///
    /// # Panics
    /// If it is not running.
    pub fn process(&mut self, me: u64) -> &mut Process {
        self.running.get_mut(&me).unwrap()
    }

    /// kill -9 of the member's own process, or of its supervisor if it has none yet.
    pub fn kill(&mut self, me: u64) {
        let mut process = self.running.remove(&me).unwrap();
        if !process.hold() {
            process.kill_supervisor();
        }
        let now = now_us();
        process.signal(Signal::KILL);
        self.record.change(|recording| recording.deaths.push((process.speaker(), now)));
        process.wait_for_end();
        self.record.change(|recording| recording.forget(me));
        self.killed.push((Instant::now(), process));
    }

    /// Members that have ended, with what they complained of. Supervisors that were killed so long ago are ended.
    pub fn reap(&mut self, patience: Duration) -> Vec<(u64, String)> {
        self.killed.retain_mut(|(since, process)| since.elapsed() < patience && !process.has_ended());
        let ended: Vec<u64> =
            self.running.iter_mut().filter_map(|(me, process)| process.has_ended().then_some(*me)).collect();
        ended.into_iter().map(|me| (me, self.take(me).errors())).collect()
    }

    /// Whether a member has been started, and nothing ended it since.
    pub fn is_running(&self, me: u64) -> bool {
        self.running.contains_key(&me)
    }

    /// kill -9 of the supervisor, with which the member dies. No death is recorded: no member can know of it, so the
    /// member's lease must be waited for.
    pub fn kill_supervisor(&mut self, me: u64) {
        let mut process = self.running.remove(&me).unwrap();
        process.kill_supervisor();
        process.wait_for_end();
        self.record.change(|recording| recording.forget(me));
    }

    /// Ends all members and their supervisors: after this nothing more is said.
    pub fn end(&mut self) {
        self.running.clear();
        self.killed.clear();
    }

    /// Takes a member's processes out, which end by themselves.
    pub fn take(&mut self, me: u64) -> Process {
        self.running.remove(&me).unwrap()
    }

    /// What the members said.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Waits until something can be found in what was recorded.
    pub fn until<T>(&self, what: &str, find: impl FnMut(&Recording) -> Option<T>) -> T {
        self.record.until(what, find)
    }

    /// Waits until this was said.
    pub fn until_said(&self, what: &str, mut is_it: impl FnMut(u64, &Event) -> bool) {
        self.until(what, |recording| said(recording, &mut is_it).then_some(()));
    }

    /// Whether this was said.
    pub fn was_said(&self, mut is_it: impl FnMut(u64, &Event) -> bool) -> bool {
        self.record.change(|recording| said(recording, &mut is_it))
    }

    /// Waits until one of these has led for at least so long from now on.
    pub fn until_led_for(&self, members: &[u64], span: Duration) {
        let aim = now_us() + span.as_micros() as u64;
        self.until(&format!("one of {members:?} leads for {span:?}"), |recording| {
            let is_its = |line: &Report| members.contains(&line.member.value());
            let lasts =
                |what: &ReportKind| matches!(what, ReportKind::Lease { until_us, .. } if *until_us > aim);
            recording.lines.iter().any(|line| is_its(line) && lasts(&line.what)).then_some(())
        });
    }

    /// Of a calm cluster: these keep the leader that they have, of this term, and by their own votes. What it was voted
    /// before now lasts for one lease at the most.
    pub fn assert_keep(&self, members: &[u64], leader: (u64, u64)) {
        self.until_led_for(members, CALM_LEASE + Duration::from_secs(1));
        assert_eq!(self.leader_of(members, 0), leader, "the same leader as before, in the same term");
    }

    /// Waits until these have a leader among them, in a term after this one: gives it and its term.
    pub fn leader_of(&self, members: &[u64], after: u64) -> (u64, u64) {
        self.until(&format!("members {members:?} have a leader after term {after}"), |recording| {
            let known = recording.known_leaders();
            let (leader, term) = *known.get(&members[0])?;
            let is_known = members.iter().all(|me| known.get(me) == Some(&(leader, term)));
            (is_known && members.contains(&leader) && term > after).then_some((leader, term))
        })
    }

    /// What a member says when it is asked.
    pub fn view_of(&mut self, me: u64) -> View {
        let answers = |recording: &Recording| {
            let of = recording.lines.iter().filter(|line| line.member == id(me));
            let views = of.filter_map(|line| match &line.what {
                ReportKind::Shown { view, .. } => Some(view.clone()),
                _ => None,
            });
            views.collect::<Vec<View>>()
        };
        let before = self.record.change(|recording| answers(recording).len());
        self.process(me).order("show");
        self.until(&format!("an answer of {me}"), |recording| answers(recording).get(before).cloned())
    }

    /// Judges all reports: gives all leaderships.
    ///
    /// # Errors
    /// What was not as it should be.
    pub fn judge(&self) -> Result<Vec<LeadershipInterval>, String> {
        let mut all = self.record.change(|recording| recording.clone());
        let ended = self.ended.change(|recording| recording.clone());
        ended.speakers.into_iter().zip(ended.lines).for_each(|(speaker, line)| all.hear(speaker, line));
        all.judge()
    }

    /// These have a leader, and everything was as it should be.
    ///
    /// # Panics
    /// If not.
    pub fn finish(self, members: &[u64]) {
        self.leader_of(members, 0);
        let leaderships = self.judge().unwrap();
        assert!(!leaderships.is_empty());
    }
}

/// Settings without what is so anyway, as far as that was always so: programs of earlier versions can read them.
fn lean(settings: &Settings) -> Value {
    let mut lean = serde_json::to_value(settings).expect("settings can be written");
    let keys: Vec<String> = lean.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    for key in keys.iter().filter(|key| *key != "always_stands") {
        let mut without = lean.clone();
        without.as_object_mut().and_then(|fields| fields.remove(key));
        if serde_json::from_value(without.clone()).is_ok_and(|read: Settings| read == *settings) {
            lean = without;
        }
    }
    lean
}

fn said(recording: &Recording, is_it: &mut impl FnMut(u64, &Event) -> bool) -> bool {
    recording.lines.iter().any(|line| match &line.what {
        ReportKind::Event(event) => is_it(line.member.value(), event),
        _ => false,
    })
}

/// Writes a file that only its owner can read: settings hold a secret.
pub fn write_for_owner(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}

/// Addresses that no other test has: of this process's own part of 127.0.0.0/8, each time other ones.
pub fn places() -> impl Iterator<Item = String> {
    static TAKEN: AtomicU64 = AtomicU64::new(0);
    let [_, a, b, c] = std::process::id().to_be_bytes();
    std::iter::repeat_with(move || {
        format!("127.{a}.{b}.{c}:{}", 7_400 + TAKEN.fetch_add(1, Ordering::Relaxed))
    })
}
