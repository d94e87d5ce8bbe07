//! Leader election by majority with leases, as in Google's Chubby: at most one leader, even during partitions.
//!
//! Rules (comments refer to the numbers):
//! 1. A vote is for one candidate in one term, and is on disk before it is sent. The votes of a majority of the
//!    voters (`vote`) make a candidate the leader of its term.
//! 2. A voter that votes for a member, or receives its renewal, promises to vote for no other member for the length
//!    of the lease. A voter that restarts has lost its promise, and votes for no member for as long.
//! 3. The leader renews at regular intervals (`renew`, `kept`). Its lease runs from when it sent the renewal that a
//!    majority has answered, and is shorter than their promises by the clock drift: it ends before any voter may vote
//!    again.
//! 4. When a promise has expired, the highest-ranked member is a candidate first, and each lower-ranked one three
//!    delay bounds later, so that votes do not split.
//! 5. A candidate first asks whether it could win (`probe`, `would`), and begins a term only if it could. So a member
//!    that returns, or receives no messages, does not disturb the leader. Before the first term there is no leader to
//!    disturb.
//! 6. A leader hands over to a higher-ranked member that has answered every renewal in time for long enough, if that
//!    member answers that it could win (`canvass`, `able`); see `succession.rs`. It also hands over when it is told
//!    to, and the named member then stays the leader for long, even if higher-ranked members are up. It stops leading
//!    first; its message (`hand-over`), forwarded with the request for votes, releases its voters.
//! 7. A leader that resigns, and a candidate that gives up, releases its voters (`release`).
//! 8. Voters change one at a time: see [`Voters`]. The list names the store of each voter.
//! 9. A member that holds a death certificate of its leader's process has no promise to it any more: the
//!    highest-ranked member is a candidate at once and forwards that the term is over.
//!
//! The algorithm reads no clock, it only sets timers: the lease requested in round r is the timer `Lease(r)`. (The
//! variant `adaptive` reads its clock to measure delays.)

use bellwether_core::*;
use candidate::Poll;
use leader_state::{Heard, LeaderState};
use pace::pace;
use promise::{Holder, Promise, Unanswered};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use succession::Canvass;

mod candidate;
mod figures;
mod leader_state;
mod messages;
mod pace;
mod promise;
mod succession;
mod variants;
mod voters;

pub use leader_state::holders_share;
pub use messages::{Msg, Payload, Timer};
pub use pace::Pace;
pub use variants::{ADAPTIVE, RANDOMISED, RANKED, TIGHT};
use voters::Change;
pub use voters::{Version, Voters};

/// How long a candidate waits for votes, and how much later the next lower-ranked one follows: there and back, and
/// some time for processing. In delay bounds.
const TURN: u64 = 3;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct QuorumLease {
    saved: Saved,
    phase: Phase,
    /// Its promise, while it lasts.
    promise: Option<Promise>,
    /// The leader that it follows.
    leader: Option<Id>,
    /// The last leader, as far as it knows: once that one is silent, the others do not wait for it.
    last_leader: Option<Id>,
    /// The last probe that arrived while the promise lasts: it is answered when the promise is over.
    unanswered: Option<Unanswered>,
    /// Whether it has been told not to be a candidate.
    withdrawn: bool,
    /// The number of failed candidacies since it last heard a leader.
    attempts: u32,
    /// Whether a leader was told to hand over to it.
    was_named: bool,
    /// The member to which it has handed over, until that member, or another, leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    handed_to: Option<Id>,
    /// The number of leaderships of each member that did not last (rule 6).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lapses: BTreeMap<Id, u32>,
    /// The voters that would vote for it if its leader stepped down.
    #[serde(skip_serializing_if = "Option::is_none")]
    canvass: Option<Canvass>,
    /// The store of each member, as far as the driver has reported it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    stores: BTreeMap<Id, StoreId>,
    /// The known delay bound: all other times are multiples of it.
    unit: Span,
}

/// The state that survives a crash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Saved {
    /// The latest term that it knows.
    pub term: u64,
    /// Its vote in that term.
    pub vote: Option<Id>,
    /// The voters; none until they change for the first time.
    pub voters: Option<Voters>,
}

/// The current activity of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
enum Phase {
    /// It follows, or waits.
    Waiting,
    /// It asks whether it could win; these voters have said yes.
    Probing(Poll),
    /// It is a candidate in the saved term; these voters have voted for it.
    Standing(Poll),
    /// It leads.
    Leading(LeaderState),
}

type Context<'a, 'b> = &'a mut Cx<'b, QuorumLease>;

impl Algorithm for QuorumLease {
    type Timer = Timer;
    type Durable = Saved;

    fn start(cx: &mut Cx<'_, Self>, saved: Saved) -> Self {
        let unit = cx.delay_bound();
        let may_have_promised = saved.term > 0;
        let mut member = QuorumLease {
            saved,
            phase: Phase::Waiting,
            promise: None,
            leader: None,
            last_leader: None,
            unanswered: None,
            withdrawn: false,
            attempts: 0,
            was_named: false,
            handed_to: None,
            lapses: BTreeMap::new(),
            canvass: None,
            stores: BTreeMap::new(),
            unit,
        };
        if may_have_promised {
            cx.because(
                "restarted, so its promise is lost: vote for no member while the promise may hold (rule 2)",
            );
            member.promise(cx, Holder::Forgotten, pace(cx).longest_lease(unit));
        } else {
            member.wait_for_turn(cx);
        }
        member
    }

    /// Members start elections by themselves.
    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("a member is a candidate when it is its turn, not on request: nothing to do");
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, Msg { term, word }: Msg) {
        let id = cx.peer_rank(from).id();
        if cx.is_too_far_ahead(term, self.saved.term) {
            return;
        }
        match word {
            Payload::Probe { version, released } => {
                self.is_probed(cx, Unanswered { from, term, version }, released);
            }
            Payload::Would(yes) => self.hear_would(cx, id, term, yes),
            Payload::Ask { lease, .. } | Payload::Renew { lease, .. }
                if !pace(cx).is_lease(lease, cx.delay_bound()) =>
            {
                cx.because("a lease that is longer or shorter than any member may request: ignored");
            }
            Payload::Ask { version, lease, released } => {
                let yes = self.is_asked(cx, id, term, (version, lease, released));
                cx.send(from, Msg { term: self.saved.term, word: Payload::Vote(yes) });
            }
            Payload::Vote(yes) => self.hear_vote(cx, id, term, yes),
            Payload::Renew { round, lease, voters } => {
                if term >= self.saved.term {
                    self.follow(cx, id, term, (round, lease), voters);
                } else {
                    cx.because("a leader of an old term: reply with the current term");
                }
                let word = Payload::Kept { round, version: self.version(), stands: !self.withdrawn };
                cx.send(from, Msg { term: self.saved.term, word });
            }
            Payload::Kept { round, version, stands } => {
                self.hear_kept(cx, from, term, Heard::once(round, version, stands));
            }
            Payload::HandOver { is_named } if term == self.saved.term && self.may_stand(cx) => {
                self.last_leader = Some(id);
                self.was_named |= is_named;
                self.stand(cx, Some(term));
                cx.because("the leader hands over: become a candidate at once (rule 6)");
            }
            Payload::Release if term == self.saved.term && self.has_promised(id) => {
                cx.because(
                    "the holder of the promise has resigned or given up: the promise is void (rule 7)",
                );
                self.end_promise(cx);
            }
            Payload::Canvass { round, votes } => self.is_canvassed(cx, id, term, (round, votes)),
            Payload::Able { round } => self.hear_able(cx, from, term, round),
            Payload::List(voters) => self.learn_voters(cx, term, voters),
            Payload::HandOver { .. } | Payload::Release => {
                cx.because("an old or unexpected message: ignored");
            }
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        match (timer, &mut self.phase) {
            (Timer::Promise, _) => {
                self.leader.into_iter().for_each(|silent| self.note_lapse(pace(cx), silent));
                cx.because("the promise has expired: free to vote, and to be a candidate in turn (rule 4)");
                self.end_promise(cx);
            }
            (Timer::Stand, Phase::Waiting) if self.saved.term == 0 => self.stand(cx, None),
            (Timer::Stand, Phase::Waiting) => self.probe(cx),
            (Timer::Patience, Phase::Probing(_) | Phase::Standing(_)) => self.on_missing_answers(cx),
            (Timer::Renew, Phase::Leading(_)) => self.end_interval(cx),
            (Timer::Lease(round), Phase::Leading(reign)) if round >= reign.confirmed => {
                cx.because("the lease has expired before a majority renewed it: step down (rule 3)");
                self.step_down(cx);
                self.wait_for_turn(cx);
            }
            _ => cx.because("an old timer: ignored"),
        }
    }

    /// Rule 9. The leader of the saved term was its only leader, so its death ends the leadership for all. If the
    /// dead member was only a candidate, another may have won the term: its voters decide that.
    fn on_death(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        let id = cx.peer_rank(peer).id();
        if !self.has_promised(id) {
            cx.because("no promise to the dead member: nothing to do");
            return;
        }
        let led = self.leader == Some(id);
        if led {
            self.note_lapse(pace(cx), id);
        }
        self.last_leader = Some(id);
        if led && self.may_stand(cx) && self.rivals(cx).0 == 0 {
            self.stand(cx, Some(self.saved.term));
            cx.because("a death certificate for the leader, and this member is the highest left: become a candidate (rule 9)");
        } else {
            cx.because("a death certificate for the holder of the promise: the promise is void (rule 9)");
            self.end_promise(cx);
        }
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        match (request, &mut self.phase) {
            (Request::Stand, _) => self.stand_again(cx),
            (Request::Withdraw, _) => self.withdraw(cx),
            (Request::Resign, Phase::Leading(_)) => self.resign(cx),
            (Request::Transfer(to), Phase::Leading(reign)) => {
                cx.because("told to hand over: do so as soon as the named member has kept up (rule 6)");
                reign.successor = Some(reign.named(to, pace(cx)));
                self.hand_over_if_ready(cx);
            }
            (Request::Admit(id), Phase::Leading(_)) => self.change_voters(cx, Change { id, admits: true }),
            (Request::Dismiss(id), Phase::Leading(_)) => self.change_voters(cx, Change { id, admits: false }),
            _ => cx.because("not the leader: the request has no effect"),
        }
    }

    fn on_store(&mut self, cx: &mut Cx<'_, Self>, id: Id, store: StoreId) {
        self.stores.insert(id, store);
        self.change_if_settled(cx);
    }

    fn voters(&self) -> Option<VoterList<'_>> {
        let voters = self.saved.voters.as_ref()?;
        let version = (voters.version.term, voters.version.number);
        Some(VoterList { version, stores: &voters.stores })
    }

    fn lease(&self) -> Option<Timer> {
        match &self.phase {
            Phase::Leading(reign) => Some(Timer::Lease(reign.confirmed)),
            _ => None,
        }
    }
}

impl Protocol for QuorumLease {
    type Msg = Msg;

    const SPEC: Spec = RANKED;

    fn status(&self) -> Status {
        let (role, leader) = match &self.phase {
            Phase::Leading(reign) => (Role::Leader, Some(reign.id)),
            _ if self.leader.is_some() => (Role::Follower, self.leader),
            _ => (Role::Undecided, None),
        };
        Status { role, leader, term: self.saved.term, halted: false }
    }

    fn storage(&self) -> usize {
        let voters = self
            .saved
            .voters
            .as_ref()
            .map_or(0, |voters| voters.stores.len() * size_of::<(Id, Option<StoreId>)>());
        let lapses =
            self.lapses.len() * size_of::<(Id, u32)>() + self.stores.len() * size_of::<(Id, StoreId)>();
        let own = match &self.phase {
            Phase::Waiting => self.canvass.as_ref().map_or(0, Canvass::storage),
            Phase::Probing(poll) | Phase::Standing(poll) => poll.yes.len() * size_of::<Id>(),
            Phase::Leading(reign) => reign.storage(),
        };
        size_of::<Self>() + voters + lapses + own
    }

    fn invariant(&self) -> Result<(), Broken> {
        if matches!(self.phase, Phase::Leading(_)) && self.leader.is_some() {
            return Err(Broken("a leader has no other leader".into()));
        }
        if self.leader.is_some() && self.promise.is_none() {
            return Err(Broken("a follower has made a promise".into()));
        }
        Ok(())
    }
}
