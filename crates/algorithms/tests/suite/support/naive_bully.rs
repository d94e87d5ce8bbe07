//! The bully algorithm's rules, implemented naively: every message takes one hop, time advances hop by hop, and
//! members are plain numbers.

use bellwether_testkit::casts::Cast;

/// The dead members, the initiators, whether a member that knows it is the highest announces itself at once, and
/// whether the winner announces itself to all, not only to lower-ranked members.
pub struct Scene<'a> {
    pub cast: &'a Cast,
    pub dead: &'a [u32],
    pub callers: &'a [u32],
    pub at_once: bool,
    pub tells_all: bool,
}

/// The messages sent, the time, and the leader that each member names at the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub election: u64,
    pub answer: u64,
    pub coordinator: u64,
    pub hops: u64,
    pub named: Vec<Option<usize>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Payload {
    Election,
    Answer,
    Coordinator,
}

#[derive(Clone, Copy, PartialEq)]
enum Waiting {
    No,
    ForAnswers { until: u64 },
    ForCoordinator { until: u64 },
}

struct Play<'a> {
    scene: &'a Scene<'a>,
    now: u64,
    /// Sender, receiver, message: to arrive in the next hop.
    leaving: Vec<(usize, usize, Payload)>,
    waiting: Vec<Waiting>,
    /// When each member last learned the outcome.
    concluded: Vec<Option<u64>>,
    played: Played,
}

impl Play<'_> {
    fn is_dead(&self, member: usize) -> bool {
        self.scene.dead.contains(&(member as u32))
    }

    fn better_than(&self, member: usize) -> Vec<usize> {
        (0..self.scene.cast.n()).filter(|&other| self.scene.cast.beats(other, member)).collect()
    }

    fn send(&mut self, from: usize, to: usize, word: Payload) {
        let count = match word {
            Payload::Election => &mut self.played.election,
            Payload::Answer => &mut self.played.answer,
            Payload::Coordinator => &mut self.played.coordinator,
        };
        *count += 1;
        self.leaving.push((from, to, word));
    }

    fn call(&mut self, member: usize) {
        self.played.named[member] = None;
        let better = self.better_than(member);
        // Members that start by themselves have asked which members are dead.
        let looked = self.scene.callers.contains(&(member as u32));
        let knows_it_is_best = better.iter().all(|&other| looked && self.is_dead(other));
        if self.scene.at_once && knows_it_is_best {
            self.announce(member);
            return;
        }
        for other in better {
            self.send(member, other, Payload::Election);
        }
        self.waiting[member] = Waiting::ForAnswers { until: self.now + 3 };
    }

    fn announce(&mut self, member: usize) {
        self.conclude(member, member);
        for other in 0..self.scene.cast.n() {
            if self.scene.cast.beats(member, other) || self.scene.tells_all && other != member {
                self.send(member, other, Payload::Coordinator);
            }
        }
    }

    fn conclude(&mut self, member: usize, leader: usize) {
        self.waiting[member] = Waiting::No;
        self.played.named[member] = Some(leader);
        self.concluded[member] = Some(self.now);
    }

    fn hear(&mut self, from: usize, here: usize, word: Payload) {
        match word {
            Payload::Election => {
                self.send(here, from, Payload::Answer);
                let is_news = self.concluded[here].is_none_or(|at| self.now > at + 2);
                if self.waiting[here] == Waiting::No && is_news {
                    self.call(here);
                }
            }
            Payload::Answer => {
                if matches!(self.waiting[here], Waiting::ForAnswers { .. }) {
                    self.waiting[here] = Waiting::ForCoordinator { until: self.now + 5 };
                }
            }
            Payload::Coordinator if self.scene.cast.beats(from, here) => self.conclude(here, from),
            Payload::Coordinator if self.waiting[here] == Waiting::No => self.call(here),
            Payload::Coordinator => {}
        }
    }

    fn run_out(&mut self, member: usize) {
        match self.waiting[member] {
            Waiting::ForAnswers { until } if until == self.now => self.announce(member),
            Waiting::ForCoordinator { until } if until == self.now => self.call(member),
            _ => return,
        }
        self.played.hops = self.now;
    }
}

pub fn play(scene: &Scene<'_>) -> Played {
    let n = scene.cast.n();
    let mut play = Play {
        scene,
        now: 0,
        leaving: Vec::new(),
        waiting: vec![Waiting::No; n],
        concluded: vec![None; n],
        played: Played { named: vec![None; n], ..Played::default() },
    };
    for &caller in scene.callers {
        play.call(caller as usize);
    }
    while !play.leaving.is_empty() || play.waiting.iter().any(|waiting| *waiting != Waiting::No) {
        play.now += 1;
        for (from, to, word) in std::mem::take(&mut play.leaving) {
            if !play.is_dead(to) {
                play.hear(from, to, word);
                play.played.hops = play.now;
            }
        }
        for member in 0..n {
            play.run_out(member);
        }
        assert!(play.now < 1_000, "this ends");
    }
    play.played
}
