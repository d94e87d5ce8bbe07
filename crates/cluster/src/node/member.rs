//! A member at work: one thread, one input at a time, and all its effects before the next.
//!
//! The order of effects is the contract's: persist and sync, then send, then publish. Two things here are not in the
//! simulator, where an input and its effects are one moment. While a write is under way, the member takes no input. And
//! leadership that ends is withdrawn *before* anything is sent: else the next leader could be elected by what is sent
//! while this one's application still sees itself lead.

mod calls;
mod commands;
mod effects;
mod incoming;
mod ring_messages;
mod stores;
#[cfg(test)]
mod tests;
mod waiting_messages;

use crate::net::{Network, Outgoing};
use crate::node::detector::{DetectorDriver, DetectorInput};
use crate::node::machine::{ByteMachine, Effects, Input, Malformed};
use crate::node::ring::Ring;
use crate::node::surroundings::Surroundings;
use crate::os::clock::Clock;
use crate::os::thread_priority;
use crate::status::candidates::Candidates;
use crate::status::event::{Event, Loss};
use crate::status::lease_cell::LeaseCell;
use crate::status::publisher::{LeaderEpoch, StatusPublisher};
use crate::storage::disk::{Disk, Done};
use bellwether_core::{
    CallPolicy, Decision, Environment as _, Faults, Id, Occasion, Port, Reign, Request, Span, Time,
};
pub(crate) use commands::Command;
use incoming::PendingInput;
use std::collections::{BTreeSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use stores::Vetting;
use waiting_messages::WaitingMessages;

/// How often a leader tries whether its disk is still there.
const PROBE_EVERY: Span = Span::from_ticks(1_000_000);
/// After so long without an answer from its disk, a member takes no part.
const STALLED_AFTER: Span = Span::from_ticks(3_000_000);
/// How many delay bounds a member waits for the others before it starts, if its algorithm can do without them.
const PATIENCE: u64 = 25;
/// How long it waits if its algorithm cannot.
const LONG_PATIENCE: Span = Span::from_ticks(10_000_000);

pub(crate) struct Member {
    pub(crate) clock: Clock,
    pub(crate) me: Id,
    pub(crate) machine: ByteMachine,
    /// When it starts an election.
    pub(crate) policy: CallPolicy,
    pub(crate) around: Surroundings,
    pub(crate) network: Network,
    pub(crate) disk: Disk,
    pub(crate) detector: Option<DetectorDriver>,
    pub(crate) lease_cell: Arc<LeaseCell>,
    pub(crate) publisher: StatusPublisher,
    pub(crate) commands: Receiver<Command>,
    /// What the member saved before it restarted, until it has started.
    pub(crate) saved: Option<Vec<u8>>,
    pub(crate) candidates: Arc<Candidates>,
    /// The voters with which the cluster began.
    pub(crate) first_voters: Vec<Id>,
    /// The member starts no earlier: promises from before its restart, under other bounds, hold until then.
    pub(crate) takes_part_at: Time,
    /// The member is a candidate even without campaigns.
    pub(crate) stands: bool,
    pub(crate) tells_leases: bool,
    pub(crate) state: State,
}

/// What the loop keeps from one input to the next.
#[derive(Default)]
pub(crate) struct State {
    has_started: bool,
    effects: Effects,
    /// The effects wait for the disk.
    is_writing: bool,
    is_stalled: bool,
    is_stopping: bool,
    probed_at: Time,
    /// When the network was asked last.
    polled_at: Time,
    /// All that had come in by then has been taken, and so much since.
    drained_at: Time,
    taken_since_drained: u64,
    /// Messages of this member to itself (in a ring of one), and messages from before it started.
    waiting_messages: WaitingMessages,
    /// Inputs that the algorithm is yet to take. It takes all of them before more come in, so there are few.
    pending: VecDeque<PendingInput>,
    /// Requests in their order, each with the epoch outside of which it is void. A repeated request is kept once.
    requests: VecDeque<(Request, Option<LeaderEpoch>)>,
    /// The last request to be a candidate, or to be none.
    candidacy: Option<Request>,
    /// The members whose process is certified dead and has not come back.
    dead: BTreeSet<Id>,
    /// How the ring closes, if the algorithm's network is one.
    ring: Ring,
    /// The leader that the algorithm named last.
    named_leader: Option<Id>,
    epoch: Option<LeaderEpoch>,
    epochs: u64,
    /// The term of the last epoch that has ended.
    ended_in: Option<u64>,
    /// The application has taken over in this epoch.
    is_ready: bool,
    /// Which stores peers vote from.
    vetting: Vetting,
    /// Since when the member has had no working leader and has started no election.
    leaderless_since: Time,
    /// Whether the member had a working leader when this was checked last.
    was_led: bool,
}

const OUR_BUG: &str =
    "it panicked, which is a bug of Bellwether's; what was printed at that moment tells where";

/// Why a member cannot go on, and what its leadership is lost by.
#[derive(Debug)]
struct Fault {
    loss: Loss,
    why: String,
}

impl From<String> for Fault {
    fn from(why: String) -> Fault {
        Fault { loss: Loss::Failed, why }
    }
}

impl Member {
    /// Runs until the member is told to stop or cannot go on.
    pub(crate) fn run(mut self) {
        match self.machine.spec().reign {
            Reign::Leased => thread_priority::raise_lease_priority(self.around.delay_bound()),
            _ => thread_priority::raise_priority(), // some of them never rest
        }
        // Even after a panic, no caller may see this member lead, or wait for its answer.
        let worked = std::panic::catch_unwind(AssertUnwindSafe(|| self.work()));
        let ended = worked.unwrap_or_else(|_| Err(OUR_BUG.to_owned().into()));
        let (loss, why) =
            ended.map_or_else(|Fault { loss, why }| (loss, Some(why)), |()| (Loss::Stopped, None));
        self.withdraw(loss);
        drop(self.network); // its port is free for the next process, and its directory below
        self.disk.close(STALLED_AFTER);
        self.publisher.end(self.clock.now(), why);
    }

    fn work(&mut self) -> Result<(), Fault> {
        loop {
            self.obey()?;
            self.attend_disk()?;
            self.vet_stores();
            if self.state.is_stopping && (!self.state.is_writing || self.state.is_stalled) {
                return self.bid_farewell();
            }
            if !self.state.has_started {
                self.start_when_all_are_there()?;
            }
            self.end_expired_epoch();
            let was_busy = self.take_inputs()?;
            self.network.flush();
            let timeout = if was_busy { Some(std::time::Duration::ZERO) } else { self.time_to_wait() };
            self.state.polled_at = self.clock.now();
            let waited = self.network.wait(timeout);
            waited.map_err(|error| format!("cannot wait for the network: {error}"))?;
        }
    }

    /// Takes inputs until there are none or the member must wait for its disk. Returns whether there may be more.
    fn take_inputs(&mut self) -> Result<bool, Fault> {
        // Bounded, so that neither commands nor leases wait for a flood to end.
        for _ in 0..64 {
            if self.state.is_writing || self.state.is_stalled {
                return Ok(self.serve_detector());
            }
            if !self.take_one()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes one input, if there is one: never two, for the first may have to wait for the disk. What has come in goes
    /// before a timer that has just run out, as in the simulator, but does not keep it waiting for long.
    fn take_one(&mut self) -> Result<bool, Fault> {
        if !self.state.has_started {
            return self.take_incoming();
        }
        if let Some(input) = self.state.pending.pop_front() {
            self.take_pending(input);
        } else if let Some((request, only_in)) = self.state.requests.pop_front() {
            if only_in.is_none() || only_in == self.state.epoch {
                self.take(Input::Request(request));
            }
        } else if let Some(request) = self.state.candidacy.take() {
            self.take(Input::Request(request));
        } else if let Some((port, bytes)) = self.state.waiting_messages.take() {
            let _ = self.deliver(port, &bytes); // a malformed one changes nothing
        } else {
            if self.take_due(self.around.delay_bound()) {
                return Ok(true);
            }
            if self.take_incoming()? {
                self.state.taken_since_drained += 1;
                return Ok(true);
            }
            (self.state.drained_at, self.state.taken_since_drained) = (self.state.polled_at, 0);
            return Ok(self.take_due(Span::default()));
        }
        Ok(true)
    }

    /// Takes an input that has been due for so long, if there is one.
    fn take_due(&mut self, late: Span) -> bool {
        let now = self.clock.now();
        if self.machine.next_timer().is_some_and(|at| at + late <= now) {
            self.take(Input::Timer);
        } else if self.is_detector_due(late) {
            self.hear(DetectorInput::Wake);
        } else {
            return self.start_election(self.decide(self.leaderless_at(now)));
        }
        true
    }

    /// Lets the algorithm take an input, and applies the effects.
    fn take(&mut self, input: Input<'_>) {
        let now = self.clock.now();
        self.state.ring.let_go();
        if self.machine.take(input, now, &mut self.around, &mut self.state.effects).is_ok() {
            self.apply_effects();
        }
    }

    /// Lets the algorithm take a message of this member to itself, or one that has waited.
    fn deliver(&mut self, port: Port, bytes: &[u8]) -> Result<(), Malformed> {
        let now = self.clock.now();
        if self.around.closes() {
            return self.take_round(now, None, port, bytes);
        }
        self.machine.take(Input::Message(port, bytes), now, &mut self.around, &mut self.state.effects)?;
        self.apply_effects();
        Ok(())
    }

    /// Handles the outcomes of writes.
    fn attend_disk(&mut self) -> Result<(), Fault> {
        let now = self.clock.now();
        // State that cannot be written must not be sent: a vote that is not on disk may be cast twice.
        let mut has_written = false;
        while let Some(done) = self.disk.take_done() {
            let done = done.map_err(|error| Fault {
                loss: Loss::Disk,
                why: format!("cannot write what must not be forgotten: {error}"),
            })?;
            match done {
                Done::Written => has_written = true,
                Done::Remembered(record) => self.has_recorded(record),
            }
        }
        let is_stalled = self.disk.busy_for().is_some_and(|span| span >= STALLED_AFTER);
        let has_changed = std::mem::replace(&mut self.state.is_stalled, is_stalled) != is_stalled;
        if has_changed {
            self.publisher.say(now, if is_stalled { Event::DiskStalled } else { Event::DiskBack });
        }
        if has_written {
            self.state.is_writing = false;
            self.send_and_publish(now);
        } else if has_changed && !is_stalled && self.state.has_started && !self.state.is_writing {
            self.publish(now); // a member that still leads by its algorithm, and has no lease to renew, leads again
        }
        if is_stalled {
            self.withdraw(Loss::Disk);
        } else if self.state.epoch.is_some() && now >= self.state.probed_at + PROBE_EVERY {
            self.state.probed_at = now;
            self.disk.probe();
        }
        Ok(())
    }

    fn start_when_all_are_there(&mut self) -> Result<(), Fault> {
        let now = self.clock.now();
        let survives = self.machine.spec().survives;
        let can_do_without = survives.contains(Faults::CRASH) || survives.contains(Faults::LOSS);
        let patience = if can_do_without { self.around.delay_bound() * PATIENCE } else { LONG_PATIENCE };
        let all_there = (0..self.around.my_ports()).map(|port| self.around.behind(Port(port)).0);
        let all_there = all_there.into_iter().all(|peer| peer == self.me || self.network.is_connected(peer));
        if now < self.takes_part_at || !all_there && now < Time::ZERO + patience || self.must_wait(now) {
            return Ok(());
        }
        self.tell_new_store(now);
        self.state.has_started = true;
        let saved = self.saved.take();
        let started = self.machine.start(saved.as_deref(), now, &mut self.around, &mut self.state.effects);
        started.map_err(|_| {
            "what is on disk was written by another algorithm; give the member a data directory of its own".to_owned()
        })?;
        self.apply_effects();
        self.tell_stores();
        self.hear(DetectorInput::Start);
        if self.machine.status().leader.is_none() {
            self.state.leaderless_since = Time::ZERO; // it has waited for the others
        }
        self.state.pending.push_back(PendingInput::Occasion(Occasion::Started));
        Ok(())
    }

    /// A leader that is told to stop frees its voters first.
    fn bid_farewell(&mut self) -> Result<(), Fault> {
        if self.state.has_started && self.state.epoch.is_some() {
            self.take(Input::Request(Request::Resign));
        }
        for port in (0..self.around.my_ports()).map(Port) {
            self.network.send(self.around.behind(port).0, Outgoing::Farewell);
        }
        self.network.flush();
        Ok(())
    }

    /// How long nothing is due.
    fn time_to_wait(&self) -> Option<std::time::Duration> {
        let can_watch = self.state.has_started && !self.state.is_stalled;
        let can_take = can_watch && !self.state.is_writing;
        let patience = self.around.delay_bound() * PATIENCE;
        let now = self.clock.now();
        let due = [
            self.machine.next_timer().filter(|_| can_take),
            self.detector.as_ref().and_then(DetectorDriver::wake_at).filter(|_| can_watch),
            self.lease_cell.current(now).map(|(_, until)| until),
            self.state.epoch.map(|_| self.state.probed_at + PROBE_EVERY),
            self.disk.busy_since().filter(|_| !self.state.is_stalled).map(|since| since + STALLED_AFTER),
            (!self.state.has_started).then_some(now + patience),
            match self.decide(self.leaderless_at(now)) {
                _ if !can_take => None,
                Decision::Wait(span) => Some(now + span),
                Decision::Call | Decision::Anew => Some(now),
                Decision::No => None,
            },
        ];
        due.into_iter().flatten().min().map(|at| self.clock.until(at))
    }
}
