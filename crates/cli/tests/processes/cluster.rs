//! A cluster whose members are processes.

use crate::judge::{Recording, Reign};
use crate::process::{Process, Record, id, now_us};
use bellwether::process::{Line, SUPERVISOR, What};
use bellwether::{Duty, Event, Peer, Profile, Security, Settings, Span, View};
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const SECRET: &str = "a secret of thirty-two bytes or more";

/// The lease of a calm cluster's leader: longer than any machine is held up, so only what the test does, or a fault, ends
/// it.
const CALM_LEASE: Duration = Duration::from_secs(5);

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
    /// Those whose supervisors may still have something to tell.
    killed: Vec<Process>,
    record: Arc<Record>,
    /// What those said who ended by themselves.
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

    pub fn ids(&self) -> Vec<u64> {
        self.settings.keys().copied().collect()
    }

    pub fn others(&self, than: u64) -> Vec<u64> {
        self.ids().into_iter().filter(|&me| me != than).collect()
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

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
        std::fs::write(&path, serde_json::to_vec(settings).unwrap()).unwrap();
        let mut words = self.through.get(&me).map(|(words, _)| words.clone()).unwrap_or_default();
        words.push(env!("CARGO_BIN_EXE_bellwether").into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(verb).arg(path);
        command.env(SUPERVISOR, std::process::id().to_string()); // even if this test is killed, nothing is left
        command
    }

    pub fn start(&mut self, me: u64) {
        let command = self.command(&self.settings[&me], "supervise");
        let skew_us = self.through.get(&me).map_or(0, |&(_, skew_us)| skew_us);
        self.running.insert(me, Process::start(command, id(me), &self.record, skew_us));
    }

    /// Starts all, and waits until the best leads: who came first may have led before. Gives it and its term.
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

    pub fn process(&mut self, me: u64) -> &mut Process {
        self.running.get_mut(&me).unwrap()
    }

    /// kill -9 of the member's own process.
    pub fn kill(&mut self, me: u64) {
        let process = self.running.remove(&me).unwrap();
        let now = now_us();
        process.signal(Signal::KILL);
        self.record.change(|recording| recording.deaths.push((process.speaker(), now)));
        process.wait_for_end();
        self.killed.push(process);
    }

    /// kill -9 of the supervisor, with which the member dies. No death is recorded: nobody can know of it, so the
    /// member's lease must be waited for.
    pub fn kill_supervisor(&mut self, me: u64) {
        let mut process = self.running.remove(&me).unwrap();
        process.kill_supervisor();
        process.wait_for_end();
    }

    /// Takes a member's processes out, which end by themselves.
    pub fn take(&mut self, me: u64) -> Process {
        self.running.remove(&me).unwrap()
    }

    pub fn until<T>(&self, what: &str, find: impl FnMut(&Recording) -> Option<T>) -> T {
        self.record.until(what, find)
    }

    /// Waits until this was said.
    pub fn until_said(&self, what: &str, mut is_it: impl FnMut(u64, &Event) -> bool) {
        self.until(what, |recording| said(recording, &mut is_it).then_some(()));
    }

    pub fn was_said(&self, mut is_it: impl FnMut(u64, &Event) -> bool) -> bool {
        self.record.change(|recording| said(recording, &mut is_it))
    }

    /// Waits until one of these has led for at least so long from now on.
    pub fn until_led_for(&self, members: &[u64], span: Duration) {
        let aim = now_us() + span.as_micros() as u64;
        self.until(&format!("one of {members:?} leads for {span:?}"), |recording| {
            let is_its = |line: &Line| members.contains(&line.member.value());
            let lasts = |what: &What| matches!(what, What::Lease { until_us, .. } if *until_us > aim);
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
            let known = known_leaders(recording);
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
                What::Shown { view, .. } => Some(view.clone()),
                _ => None,
            });
            views.collect::<Vec<View>>()
        };
        let before = self.record.change(|recording| answers(recording).len());
        self.process(me).order("show");
        self.until(&format!("an answer of {me}"), |recording| answers(recording).get(before).cloned())
    }

    pub fn judge(&self) -> Result<Vec<Reign>, String> {
        let mut all = self.record.change(|recording| recording.clone());
        let ended = self.ended.change(|recording| recording.clone());
        ended.speakers.into_iter().zip(ended.lines).for_each(|(speaker, line)| all.hear(speaker, line));
        all.judge()
    }

    /// These have a leader, and everything was as it should be.
    pub fn finish(self, members: &[u64]) {
        self.leader_of(members, 0);
        let reigns = self.judge().unwrap();
        assert!(!reigns.is_empty());
    }
}

fn said(recording: &Recording, is_it: &mut impl FnMut(u64, &Event) -> bool) -> bool {
    recording.lines.iter().any(|line| match &line.what {
        What::Event(event) => is_it(line.member.value(), event),
        _ => false,
    })
}

/// Whom each member takes for the leader, and of which term; a leader only while it leads.
fn known_leaders(recording: &Recording) -> BTreeMap<u64, (u64, u64)> {
    let mut known = BTreeMap::new();
    for line in &recording.lines {
        let me = line.member.value();
        match &line.what {
            What::Event(Event::Elected { leader, term }) => _ = known.insert(me, (leader.value(), *term)),
            What::Event(
                Event::Leaderless { .. } | Event::Lost { .. } | Event::Started { .. } | Event::Stopped { .. },
            ) => _ = known.remove(&me),
            _ => {}
        }
    }
    known
}

/// Addresses that no other test has: of this process's own part of 127.0.0.0/8, each time other ones.
pub fn places() -> impl Iterator<Item = String> {
    static TAKEN: AtomicU64 = AtomicU64::new(0);
    let [_, a, b, c] = std::process::id().to_be_bytes();
    std::iter::repeat_with(move || {
        format!("127.{a}.{b}.{c}:{}", 7_400 + TAKEN.fetch_add(1, Ordering::Relaxed))
    })
}
