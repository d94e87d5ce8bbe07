//! An Omega failure detector with stable leaders, in rounds, by Aguilera, Delporte-Gallet, Fauconnier and Toueg.
//!
//! Rules (the paper's processes 0 to n - 1 are here the members, the best first):
//! 1. Members are in rounds 0, 1, 2, .. The candidate of round r is member r mod n.
//! 2. To start a round, name nobody, and tell everyone (`start`).
//! 3. The candidate of the round that you are in is you: say so (`ok`), at once and every message time; number them.
//! 4. The second `ok` of the round that you are in, with another number: its candidate leads. Its own count too.
//! 5. No `ok` of the round that you are in for too long: start the next round.
//! 6. `ok` or `start` of a later round: start that one.
//!
//! Naming nobody before the second `ok` is what makes leaders stable: by then no message of a later round can be
//! left that would depose the leader, and as long as the leader and its links are well, nobody starts one.
//!
//! It is nearest to the second algorithm of the paper, the stable one for links that lose nothing: rounds, rule 1,
//! rules 3 to 6, and nobody named before the second `ok`. Where it departs:
//! - `start` goes to everyone. In the paper it goes to the candidate of the new round, and whoever gives a
//!   candidate up tells it to stop.
//! - "Too long" is three message times, not two, so that clocks need not go alike.
//! - Whoever hears of an earlier round tells the sender of its own (`start`), so that members that come back or
//!   have missed messages are drawn in. The paper has another algorithm, its best, for links that lose.
//! - `ok`s are numbered, as one that comes twice would pass for two.
//!
//! What was verified: of the paper's first algorithm a passage in quotation (rounds, `ok` to all every message time,
//! two of them for too long); of the stable one only an implementation that names the paper; of the one for lossy
//! links, which elects in constant time, only the abstract. So nothing here claims the paper's theorems: what holds
//! is what the tests and the checker find.

use crate::sources::{AGUILERA_2001, CHANDRA_HADZILACOS_TOUEG_1996};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// How often a candidate says that it is there. In message times.
const BEAT: u64 = 1;
/// How long a candidate may be silent. In message times.
const PATIENCE: u64 = 3;
/// How many words of the candidate's make it the leader.
const WORDS: u8 = 2;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Omega {
    round: u64,
    candidate: Id,
    is_candidate: bool,
    /// How often the candidate has been heard in this round, as far as it matters.
    words: u8,
    /// The number of its last word.
    last: u64,
}

/// What members say, and of which round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// I am in this round.
    Start(u64),
    /// I am the candidate of this round, and there. The second is its number.
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

/// What a member is reminded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// Say that it is there.
    Beat,
    /// The candidate has been silent for too long.
    Patience,
}

impl Algorithm for Omega {
    type Timer = Timer;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        let mut member = Omega { round: 0, candidate: cx.id(), is_candidate: false, words: 0, last: 0 };
        member.start_round(cx, 0);
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("rounds begin by themselves, when the candidate has been silent for too long");
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        let (Msg::Start(round) | Msg::Ok(round, _)) = msg;
        if cx.is_too_far_ahead(round, self.round) {
            return;
        }
        if round < self.round {
            cx.because("a round gone by: its sender is told of this one");
            cx.send(from, Msg::Start(self.round));
            return;
        }
        if round > self.round {
            cx.because("a later round: it is started");
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
                    cx.because("the candidate is silent: the next round");
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
        (self.words, self.last) = (0, 0);
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
        self.words = self.words.saturating_add(1).min(WORDS);
        cx.because(if self.words < WORDS {
            "it is the candidate of this round, and says so"
        } else {
            "it leads, and says so"
        });
        self.last = self.last.saturating_add(1);
        tell_everyone(cx, Msg::Ok(self.round, self.last));
        cx.set_timer(Timer::Beat, cx.delay_bound() * BEAT);
    }

    /// Rule 4. That the number is another is enough: a candidate that comes back begins anew.
    fn hear_candidate(&mut self, cx: &mut Cx<'_, Self>, number: u64) {
        if number == self.last {
            cx.because("the same `ok` again: it says nothing new");
            return;
        }
        self.last = number;
        self.words = self.words.saturating_add(1).min(WORDS);
        cx.because(if self.words < WORDS {
            "the candidate is there: once more, and it leads"
        } else {
            "the candidate is there: it leads"
        });
        cx.set_timer(Timer::Patience, cx.delay_bound() * PATIENCE);
    }
}

fn tell_everyone(cx: &mut Cx<'_, Omega>, msg: Msg) {
    let everyone: Vec<Port> = cx.outgoing().collect();
    for port in everyone {
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
        summary: "candidates take turns until one is there: it leads for as long as it is heard",
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
        let is_elected = self.words >= WORDS;
        let role = match (is_elected, self.is_candidate) {
            (false, _) => Role::Undecided,
            (true, false) => Role::Follower,
            (true, true) => Role::Leader,
        };
        let leader = is_elected.then_some(self.candidate);
        Status { role, leader, term: self.round, halted: false }
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.is_candidate && self.words == 0 {
            return Err(Broken("a candidate says so at once".into()));
        }
        Ok(())
    }
}

mod figures;
