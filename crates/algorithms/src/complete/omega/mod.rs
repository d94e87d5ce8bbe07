//! An Omega failure detector with stable leaders, in rounds, by Aguilera, Delporte-Gallet, Fauconnier and Toueg.
//!
//! Rules (the paper's processes 0 to n - 1 are the members here, highest-ranked first):
//! 1. Members are in rounds 0, 1, 2, .. The candidate of round r is member r mod n.
//! 2. To start a round, set the leader to none, and send `start` to all.
//! 3. The candidate of a round sends `ok` to all, at once and every delay bound, with a number.
//! 4. Two `ok` messages of the current round with different numbers: its candidate leads. The candidate counts its
//!    own.
//! 5. No `ok` of the current round for too long: start the next round.
//! 6. `ok` or `start` of a later round: start that one.
//!
//! A member has no leader before the second `ok`. This makes leaders stable: by then no message of a later round is
//! left that could depose the leader, and no member starts a later round while the leader and its links work.
//!
//! It is closest to the second algorithm of the paper, the stable one for links that lose no messages: rounds, rule
//! 1, rules 3 to 6, and no leader before the second `ok`. The departures are:
//! - `start` goes to all members. In the paper it goes to the candidate of the new round, and a member that gives up
//!   a candidate tells it to stop.
//! - "Too long" is three delay bounds, not two, so that clock rates may differ.
//! - A member that receives a message of an earlier round sends its own round to the sender (`start`), so that
//!   members that restart or have missed messages join. The paper has another algorithm, its best, for lossy links.
//! - `ok` messages are numbered, because a duplicate would count as two.
//!
//! The sources that were checked: for the paper's first algorithm, a quoted passage (rounds, `ok` to all every
//! message time, two of them as the time-out); for the stable one, only an implementation that names the paper; for
//! the one for lossy links, which elects in constant time, only the abstract. So nothing here claims the paper's
//! theorems: the claims are what the tests and the checker show.

use crate::sources::{AGUILERA_2001, CHANDRA_HADZILACOS_TOUEG_1996};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// The interval at which a candidate sends `ok`, in delay bounds.
const BEAT: u64 = 1;
/// How long a candidate may be silent, in delay bounds.
const PATIENCE: u64 = 3;
/// The number of `ok` messages after which the candidate leads.
const OKS: u8 = 2;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Omega {
    round: u64,
    candidate: Id,
    is_candidate: bool,
    /// The number of `ok` messages in this round, up to `OKS`.
    oks: u8,
    /// The number of the last `ok`.
    last: u64,
}

/// The messages, each with its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender is in this round.
    Start(u64),
    /// The sender is the candidate of this round. The second field is the number of the `ok`.
    Ok(u64, u64),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::payload("start"), Kind::payload("ok")];

    fn kind(&self) -> usize {
        match self {
            Msg::Start(_) => 0,
            Msg::Ok(..) => 1,
        }
    }
}

/// The timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// Send the next `ok`.
    Beat,
    /// The candidate has been silent for too long.
    Patience,
}

impl Algorithm for Omega {
    type Timer = Timer;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        let mut member = Omega { round: 0, candidate: cx.id(), is_candidate: false, oks: 0, last: 0 };
        member.start_round(cx, 0);
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("rounds start by themselves, when the candidate has been silent for too long");
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        let (Msg::Start(round) | Msg::Ok(round, _)) = msg;
        if cx.is_too_far_ahead(round, self.round) {
            return;
        }
        if round < self.round {
            cx.because("a message of an earlier round: send the current round to its sender");
            cx.send(from, Msg::Start(self.round));
            return;
        }
        if round > self.round {
            cx.because("a message of a later round: start that round");
            self.start_round(cx, round);
        }
        if let Msg::Ok(_, number) = msg
            && cx.peer_rank(from).id() == self.candidate
        {
            self.hear_candidate(cx, number);
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        match timer {
            Timer::Beat => self.beat(cx),
            Timer::Patience => match self.round.checked_add(1) {
                Some(next) => {
                    cx.because("the candidate is silent: start the next round");
                    self.start_round(cx, next);
                }
                None => cx.because("there is no later round"),
            },
        }
    }
}

impl Omega {
    /// Rule 2.
    fn start_round(&mut self, cx: &mut Cx<'_, Self>, round: u64) {
        self.round = round;
        (self.oks, self.last) = (0, 0);
        self.candidate = candidate(cx, round);
        let was_candidate = std::mem::replace(&mut self.is_candidate, self.candidate == cx.id());
        tell_everyone(cx, Msg::Start(round));
        if self.is_candidate {
            cx.cancel_timer(Timer::Patience);
            self.beat(cx);
        } else {
            if was_candidate {
                cx.cancel_timer(Timer::Beat);
            }
            cx.set_timer(Timer::Patience, cx.delay_bound() * PATIENCE);
        }
    }

    /// Rule 3.
    fn beat(&mut self, cx: &mut Cx<'_, Self>) {
        self.oks = self.oks.saturating_add(1).min(OKS);
        cx.because(if self.oks < OKS { "candidate of this round: send ok" } else { "leader: send ok" });
        self.last = self.last.saturating_add(1);
        tell_everyone(cx, Msg::Ok(self.round, self.last));
        cx.set_timer(Timer::Beat, cx.delay_bound() * BEAT);
    }

    /// Rule 4. A different number is enough: a candidate that restarts counts from the beginning.
    fn hear_candidate(&mut self, cx: &mut Cx<'_, Self>, number: u64) {
        if number == self.last {
            cx.because("a duplicate of the last ok: ignored");
            return;
        }
        self.last = number;
        self.oks = self.oks.saturating_add(1).min(OKS);
        cx.because(if self.oks < OKS {
            "first ok of the candidate: wait for the second"
        } else {
            "second or later ok of the candidate: follow it"
        });
        cx.set_timer(Timer::Patience, cx.delay_bound() * PATIENCE);
    }
}

fn tell_everyone(cx: &mut Cx<'_, Omega>, msg: Msg) {
    let all_members: Vec<Port> = cx.outgoing().collect();
    for port in all_members {
        cx.send(port, msg);
    }
}

/// Rule 1.
fn candidate(cx: &Cx<'_, Omega>, round: u64) -> Id {
    let mut members: Vec<Rank> = cx.outgoing().map(|port| cx.peer_rank(port)).collect();
    members.push(cx.rank());
    members.sort_unstable_by(|one, other| other.cmp(one));
    members[(round % members.len() as u64) as usize].id()
}

impl Protocol for Omega {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "omega",
        variant: "stable",
        summary: "members take turns as the candidate until one is heard; it leads as long as it is heard",
        sources: &[AGUILERA_2001, CHANDRA_HADZILACOS_TOUEG_1996],
        need: Need::Complete,
        timing: Timing::BoundedDelay,
        links: Links::Any,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Incumbent,
        reign: Reign::AtLast,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::GoesOn,
        knows: Knowledge::PEERS.union(Knowledge::DELAY_BOUND),
        goal: Goal::EveryoneKnows,
        survives: Faults::UNHURRIED
            .union(Faults::CRASH)
            .union(Faults::RECOVERY)
            .union(Faults::LOSS)
            .union(Faults::LINK)
            .union(Faults::PARTITION)
            .union(Faults::CLOCK),
        randomised: false,
        parameters: &[],
        claims: &figures::CLAIMS,
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        let is_elected = self.oks >= OKS;
        let role = match (is_elected, self.is_candidate) {
            (false, _) => Role::Undecided,
            (true, false) => Role::Follower,
            (true, true) => Role::Leader,
        };
        let leader = is_elected.then_some(self.candidate);
        Status { role, leader, term: self.round, halted: false }
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.is_candidate && self.oks == 0 {
            return Err(Broken("a candidate sends ok at once".into()));
        }
        Ok(())
    }
}

mod figures;
