//! A cluster to which faults are done, and from which they are taken again in time.

mod readmission;

use crate::fault::{Fault, Target};
use bellwether_testkit::cables::{Cables, STRANGERS, address};
use bellwether_testkit::cluster::Cluster;
use bellwether_testkit::disk_stall::DiskStall;
use bellwether_testkit::flood::{Flood, Flooding};
use bellwether_testkit::process::now_us;
use rand::{Rng, RngExt as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use readmission::Readmission;
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

/// So long a supervisor may tell of a death.
const PATIENCE: Duration = Duration::from_secs(5);
/// A member that ends by itself is started again after this.
const RESTART: Duration = Duration::from_millis(200);

pub struct Field {
    pub cables: Cables,
    pub cluster: Cluster,
    rng: Xoshiro256PlusPlus,
    /// Clocks are off by so many millionths at the most.
    most_drift: i32,
    /// What is lost, and until when.
    cuts: Vec<(Instant, Vec<(u64, u64)>)>,
    frozen: BTreeMap<u64, Instant>,
    /// Members that do not run, and when they start again.
    down: BTreeMap<u64, Instant>,
    stalls: Vec<(Instant, DiskStall)>,
    /// The one member whose disk is ever lost. All others keep their votes, so no loss takes a majority of votes away,
    /// whoever votes at the time.
    bad_disk: u64,
    /// How far the operator has come since it was lost last.
    readmission: Option<Readmission>,
    floods: Vec<(Instant, Flooding)>,
    /// What was done to the cluster, and when, in microseconds since the machine booted.
    pub log: Vec<(u64, String)>,
    /// Members that ended without being told to.
    pub unexpected_ends: u64,
}

impl Field {
    pub fn new(cables: Cables, cluster: Cluster, mut rng: Xoshiro256PlusPlus, most_drift: i32) -> Field {
        let bad_disk = rng.random_range(1..=cluster.ids().len() as u64);
        Field {
            cables,
            cluster,
            rng,
            most_drift,
            cuts: Vec::new(),
            frozen: BTreeMap::new(),
            down: BTreeMap::new(),
            stalls: Vec::new(),
            bad_disk,
            readmission: None,
            floods: Vec::new(),
            log: Vec::new(),
            unexpected_ends: 0,
        }
    }

    fn note(&mut self, text: String) {
        self.log.push((now_us(), text));
    }

    /// The leader that the members with the latest term know.
    fn leader(&self) -> Option<u64> {
        self.cluster.record().change(|recording| {
            recording.known_leaders().values().max_by_key(|(_, term)| *term).map(|(leader, _)| *leader)
        })
    }

    /// Does this to the cluster; whether there was anything to do it to.
    pub fn strike(&mut self, fault: &Fault) -> bool {
        let leader = self.leader();
        let find = |target: &Target| match target {
            Target::Leader => leader,
            Target::Member(me) => Some(*me),
        };
        let running =
            |field: &Field, target: &Target| find(target).filter(|me| field.cluster.is_running(*me));
        let now = Instant::now();
        let done = match fault {
            Fault::Kill(target, span) | Fault::KillSupervisor(target, span) => {
                let me = running(self, target);
                me.inspect(|&me| {
                    self.frozen.remove(&me);
                    if matches!(fault, Fault::Kill(..)) {
                        self.cluster.kill(me);
                    } else {
                        self.cluster.kill_supervisor(me);
                    }
                    self.down.insert(me, now + *span);
                })
            }
            // It ends by itself, and is started again then.
            Fault::Terminate(target) => self.signal(running(self, target), Signal::TERM),
            Fault::Freeze(target, span) => {
                let me = running(self, target).filter(|me| !self.frozen.contains_key(me));
                self.signal(me, Signal::STOP).inspect(|&me| {
                    self.frozen.insert(me, now + *span);
                })
            }
            Fault::StallDisk(target, span) => running(self, target).filter(|&me| self.stall(me, *span)),
            Fault::Garbage(target, rate, span) => {
                find(target).inspect(|&me| self.flood(me, *rate, now + *span))
            }
            Fault::LoseDisk(span) => self.lose_disk(now + *span),
            Fault::Resign(target) => self.order(running(self, target), "resign"),
            Fault::Transfer(target, to) => self.order(running(self, target), &format!("transfer {to}")),
            Fault::CutOneWay(.., span)
            | Fault::CutBothWays(.., span)
            | Fault::Mute(_, span)
            | Fault::Deafen(_, span)
            | Fault::Isolate(_, span)
            | Fault::Split(_, span)
            | Fault::CutAll(span) => {
                let cuts = fault.cuts(self.cables.members().len() as u64, leader);
                let is_any = !cuts.is_empty();
                self.cuts.push((now + *span, cuts));
                self.lose();
                is_any.then_some(0)
            }
        };
        if done.is_some() {
            self.note(format!("{fault:?} (leader: {leader:?})"));
        }
        done.is_some()
    }

    fn signal(&mut self, me: Option<u64>, signal: Signal) -> Option<u64> {
        let process = self.cluster.process(me?);
        process.hold().then(|| process.signal(signal)).and(me)
    }

    fn order(&mut self, me: Option<u64>, order: &str) -> Option<u64> {
        self.cluster.process(me?).order(order);
        me
    }

    fn stall(&mut self, me: u64, span: Duration) -> bool {
        let member = self.cluster.process(me).find_member();
        let stall = member.map(|member| DiskStall::begin(member, span));
        let Some(Ok(stall)) = stall else { return false };
        self.stalls.push((Instant::now() + span, stall));
        true
    }

    fn flood(&mut self, me: u64, rate: u32, until: Instant) {
        let [a, b] = STRANGERS;
        let mut words = vec![0; 300];
        self.rng.fill_bytes(&mut words);
        if self.rng.random_bool(0.5) {
            words[..5].copy_from_slice(b"\x16\x03\x01\x01\x27"); // what looks like TLS
        }
        let flood = Flood {
            target: format!("{}:7400", address(me)).parse().expect("an address and a port"),
            rate,
            burst: 1,
            words,
            stay: Duration::from_millis(50),
            most_open: 200,
            sources: (Ipv4Addr::new(a, b, 1, 1), 100),
            from: Some(Flood::place(self.cables.router())),
            limit: until.saturating_duration_since(Instant::now()),
        };
        self.floods.push((until, flood.begin()));
    }

    fn lose(&self) {
        let cuts: Vec<(u64, u64)> = self.cuts.iter().flat_map(|(_, cuts)| cuts.iter().copied()).collect();
        self.cables.lose(&cuts);
    }

    /// Takes back what is over at this time.
    pub fn mend(&mut self, now: Instant) {
        let before = self.cuts.len();
        self.cuts.retain(|(until, _)| *until > now);
        if self.cuts.len() < before {
            self.lose();
        }
        self.stalls.retain(|(until, _)| *until > now);
        self.floods.retain(|(until, _)| *until > now);
        let is_over = |at: &BTreeMap<u64, Instant>| -> Vec<u64> {
            at.iter().filter(|(_, until)| **until <= now).map(|(me, _)| *me).collect()
        };
        for me in is_over(&self.frozen) {
            self.frozen.remove(&me);
            if self.cluster.is_running(me) {
                self.signal(Some(me), Signal::CONT);
            }
        }
        for (me, why) in self.cluster.reap(PATIENCE) {
            let was_told = why.trim_end().ends_with("(exit code Some(0))");
            let is_expected = was_told || self.is_refused_for_its_store(me, &why);
            self.unexpected_ends += u64::from(!is_expected);
            self.note(format!("member {me} has ended: {}", last_line(&why)));
            self.down.insert(me, Instant::now() + RESTART);
        }
        for me in is_over(&self.down) {
            self.down.remove(&me);
            self.cluster.settings(me).clock_gains = self.rng.random_range(-self.most_drift..=self.most_drift);
            self.cluster.spawn(me);
        }
        self.readmit();
    }

    /// Whether all members run and may vote, and nothing is wrong with any of them.
    pub fn is_whole(&self) -> bool {
        let is_readmitted = self.readmission.as_ref().is_none_or(Readmission::is_over);
        let is_calm = self.cuts.is_empty() && self.frozen.is_empty() && self.stalls.is_empty();
        is_calm && self.down.is_empty() && is_readmitted
    }

    /// Takes everything back.
    pub fn heal(&mut self) {
        self.note("everything heals".to_owned());
        self.readmission.iter_mut().for_each(Readmission::hasten);
        self.mend(Instant::now() + Duration::from_secs(3_600));
    }
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().next_back().unwrap_or_default()
}
