//! For tests and fuzzing: a member of any algorithm among peers that say anything.
//!
//! What it must stand is a script of bytes, so that chance, or a fuzzer that looks for what has not been tried yet, can
//! write it.

use crate::machine::{ByteMachine, Input, Malformed, Wishes, addressed};
use crate::surroundings::Surroundings;
use crate::{Peer, Settings};
use bellwether_core::{Id, MachineType, Params, Port, Request, Span, Time, Verdict};

/// How many members there are.
const MEMBERS: u64 = 3;
/// How many of its own messages are kept to be changed and given back to it.
const SAMPLES: usize = 64;

/// What became of it all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Endured {
    /// How many messages it took.
    pub taken: usize,
    /// How many were none.
    pub refused: usize,
}

/// Runs a member of an algorithm through a script.
///
/// # Panics
/// If the algorithm does: nothing that peers say may lead to that.
#[must_use]
pub fn endure(machine: &'static MachineType, script: &[u8]) -> Endured {
    Trial::new(ByteMachine::new(machine, Params::default())).run(Script(script))
}

struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// So many bytes, or what is left.
    fn some(&mut self, count: u8) -> &'a [u8] {
        let (some, rest) = self.0.split_at(usize::from(count).min(self.0.len()));
        self.0 = rest;
        some
    }
}

struct Trial {
    machine: ByteMachine,
    around: Surroundings,
    now: Time,
    wishes: Wishes,
    /// What it has said itself.
    samples: Vec<Vec<u8>>,
    endured: Endured,
}

impl Trial {
    fn new(machine: ByteMachine) -> Self {
        let id = |value| Id::new(value).expect("it is not 0");
        let members = (1..=MEMBERS).map(|it| Peer::new(id(it), "nowhere:0")).collect();
        let settings = Settings { members, ..Settings::new("unruly", id(2)) };
        let around = Surroundings::new(&settings, machine.spec(), machine.params(), 7);
        let (samples, endured) = (Vec::new(), Endured::default());
        Trial { machine, around, now: Time::ZERO, wishes: Wishes::default(), samples, endured }
    }

    fn run(mut self, mut script: Script<'_>) -> Endured {
        let started = self.machine.start(None, self.now, &mut self.around, &mut self.wishes);
        debug_assert_eq!(started, Ok(()), "it has nothing saved that could be another's");
        self.keep_samples();
        while self.step(&mut script).is_some() {}
        self.endured
    }

    /// One thing that happens to it; nothing at the end of the script.
    fn step(&mut self, script: &mut Script<'_>) -> Option<()> {
        let what = script.next()?;
        let port = Port(u32::from(script.next()?) % self.around.my_ports().max(1));
        let id = Id::new(u64::from(port.0) + 1).ok()?;
        let input = match what % 16 {
            0 => Input::Call,
            1 => Input::Suspicion(port, Verdict::Suspected),
            2 => Input::Suspicion(port, Verdict::Failed),
            3 => Input::Suspicion(port, Verdict::Working),
            4 => Input::Death(port),
            5 => Input::Request(request(script.next()?, id)),
            6 | 7 => {
                self.now = self.machine.next_timer().unwrap_or(self.now).max(self.now);
                Input::Timer
            }
            8 => {
                self.now = self.now + Span::from_ticks(u64::from(script.next()?) << 5);
                return Some(());
            }
            9..=11 => {
                let length = script.next()?;
                self.hear(port, script.some(length));
                return Some(());
            }
            _ => return self.hear_mangled(port, script),
        };
        let _ = self.take(input); // only messages are refused
        Some(())
    }

    /// Something that it has said itself, or nearly.
    fn hear_mangled(&mut self, port: Port, script: &mut Script<'_>) -> Option<()> {
        let (which, changes) = (script.next()?, script.next()? % 4);
        if let Some(sample) = self.samples.get(usize::from(which) % self.samples.len().max(1)) {
            let mut msg = sample.clone();
            for _ in 0..changes {
                mangle(&mut msg, script.next()?, script.next()?);
            }
            self.hear(port, &msg);
        }
        Some(())
    }

    fn hear(&mut self, port: Port, msg: &[u8]) {
        match self.take(Input::Message(port, msg)) {
            Ok(()) => self.endured.taken += 1,
            Err(Malformed) => self.endured.refused += 1,
        }
    }

    fn take(&mut self, input: Input<'_>) -> Result<(), Malformed> {
        let taken = self.machine.take(input, self.now, &mut self.around, &mut self.wishes);
        if taken.is_ok() {
            self.keep_samples();
            // Whoever runs it asks for these after each input.
            let _ = (self.machine.status(), self.machine.leads_until());
        }
        taken
    }

    fn keep_samples(&mut self) {
        let room = SAMPLES - self.samples.len();
        let said = self.wishes.sends().filter_map(|(_, bytes)| addressed(bytes));
        self.samples.extend(said.take(room).map(|(_, msg)| msg.to_vec()));
    }
}

fn request(which: u8, id: Id) -> Request {
    match which % 6 {
        0 => Request::Resign,
        1 => Request::Stand,
        2 => Request::Withdraw,
        3 => Request::Transfer(id),
        4 => Request::Admit(id),
        _ => Request::Dismiss(id),
    }
}

fn mangle(msg: &mut Vec<u8>, how: u8, with: u8) {
    match (how % 4, usize::from(how / 4)) {
        (0, at) if at < msg.len() => msg[at] = with,
        (1, at) if at < msg.len() => msg[at] ^= 1 << (with % 8),
        (2, at) => msg.truncate(at),
        _ => msg.push(with),
    }
}
