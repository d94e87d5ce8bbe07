//! Leader election by majority with leases, as in Google's Chubby: one leader whatever the network does.
//!
//! Rules (the numbers are referred to below):
//! 1. A vote is for one candidate in one term, and is written down before it is sent. A majority of the voters
//!    (`vote`) makes a candidate leader of its term.
//! 2. Whoever votes for a member, or hears it renew, promises: for the length of the lease it votes for nobody else.
//!    A voter that boots again has forgotten what it promised, and votes for nobody for as long.
//! 3. The leader renews every so often (`renew`, `kept`). Its lease runs from when it sent what a majority has
//!    answered, and is shorter than their promises by what clocks can be off: it ends before anyone may vote again.
//! 4. When a promise has run out, the best member stands first, and each worse one three delay bounds later: so
//!    votes do not split.
//! 5. Who stands asks first whether it could win (`probe`, `would`), and begins a term only if it could: who comes
//!    back, or hears nobody, disturbs nobody. Before the first term there is nobody to disturb.
//! 6. A leader hands over to a better member that has answered every renewal in time for long enough, if that member
//!    says that it could win (`canvass`, `able`); see `succession.rs`. It hands over, too, when it is told to, and the
//!    member named then leads for a long while, better ones or not. It stops leading first, and its word (`hand-over`),
//!    passed on with the request for votes, frees its voters.
//! 7. A leader that resigns, and a candidate that gives up, frees its voters with its own word (`release`).
//! 8. Voters change one at a time: see [`Voters`]. The list names the store of each voter.
//! 9. Who is certain that its leader's process is dead owes it nothing: the best stands at once and passes that on.
//!
//! There is no clock to be read, only timers: a lease that was asked for in round r is the timer `Lease(r)`.

use bellwether_core::*;
use candidate::Poll;
use pace::pace;
use promise::{Holder, Promise, Unanswered};
use reign::{Heard, Reign};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use succession::Canvass;

mod candidate;
mod figures;
mod pace;
mod promise;
mod reign;
mod succession;
mod variants;
mod voters;
mod words;

pub use pace::Pace;
pub use reign::holders_share;
pub use variants::{ADAPTIVE, RANDOMISED, RANKED, TIGHT};
use voters::Change;
pub use voters::{Version, Voters};
pub use words::{Msg, Timer, Word};

/// How long a candidate waits for votes, and by how much a worse one stands later: there and back, and a little
/// more. In delay bounds.
const TURN: u64 = 3;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct QuorumLease {
    saved: Saved,
    phase: Phase,
    /// What it has promised, while that lasts.
    promise: Option<Promise>,
    /// Whom it follows.
    leader: Option<Id>,
    /// Who led last, as far as it knows: when that one has fallen silent, it is not waited for.
    last_leader: Option<Id>,
    /// Who asked last, while the promise lasts, whether it would vote: it is answered when the promise is over.
    unanswered: Option<Unanswered>,
    /// Whether it has been told to be no candidate.
    withdrawn: bool,
    /// How often it has stood in vain since it last heard a leader.
    attempts: u32,
    /// Whether a leader was told to let it lead.
    was_named: bool,
    /// To which member it has handed over, until that member, or another, leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    handed_to: Option<Id>,
    /// How often each member's leadership did not last (rule 6).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lapses: BTreeMap<Id, u32>,
    /// Which voters have said that they would vote for it, if its leader let them.
    #[serde(skip_serializing_if = "Option::is_none")]
    canvass: Option<Canvass>,
    /// The store that each member votes from, as far as this one was told.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    stores: BTreeMap<Id, StoreId>,
    /// One delay bound, as far as is known: it is the length of everything else.
    unit: Span,
}

/// What survives a crash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Saved {
    /// The last term that it has heard of.
    pub term: u64,
    /// For whom it has voted in that term.
    pub vote: Option<Id>,
    /// Who votes; nothing while nobody has changed that.
    pub voters: Option<Voters>,
}

/// What a member is at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
enum Phase {
    /// It follows, or waits.
    Waiting,
    /// It asks whether it could win: these say so.
    Probing(Poll),
    /// It stands in the term that it has saved: these have voted for it.
    Standing(Poll),
    /// It leads.
    Leading(Reign),
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
            cx.because("it has forgotten what it promised: it votes for nobody while that may hold (rule 2)");
            member.promise(cx, Holder::Forgotten, pace(cx).longest_lease(unit));
        } else {
            member.wait_for_turn(cx);
        }
        member
    }

    /// It goes without saying.
    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it stands when it is its turn, and not because somebody calls");
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, Msg { term, word }: Msg) {
        let id = cx.peer_rank(from).id();
        if cx.is_too_far_ahead(term, self.saved.term) {
            return;
        }
        match word {
            Word::Probe { version, released } => {
                self.is_probed(cx, Unanswered { from, term, version }, released);
            }
            Word::Would(yes) => self.hear_would(cx, id, term, yes),
            Word::Ask { lease, .. } | Word::Renew { lease, .. }
                if !pace(cx).is_lease(lease, cx.delay_bound()) =>
            {
                cx.because("it asks for a longer or shorter promise than there can be: it is not heard");
            }
            Word::Ask { version, lease, released } => {
                let yes = self.is_asked(cx, id, term, (version, lease, released));
                cx.send(from, Msg { term: self.saved.term, word: Word::Vote(yes) });
            }
            Word::Vote(yes) => self.hear_vote(cx, id, term, yes),
            Word::Renew { round, lease, voters } => {
                if term >= self.saved.term {
                    self.follow(cx, id, term, (round, lease), voters);
                } else {
                    cx.because("it leads in a term that is over: it is told");
                }
                let word = Word::Kept { round, version: self.version(), stands: !self.withdrawn };
                cx.send(from, Msg { term: self.saved.term, word });
            }
            Word::Kept { round, version, stands } => {
                self.hear_kept(cx, from, term, Heard::once(round, version, stands));
            }
            Word::HandOver { is_named } if term == self.saved.term && self.may_stand(cx) => {
                self.last_leader = Some(id);
                self.was_named |= is_named;
                self.stand(cx, Some(term));
                cx.because("the leader hands over: it stands at once (rule 6)");
            }
            Word::Release if term == self.saved.term && self.has_promised(id) => {
                cx.because(
                    "whoever it promised to has resigned, or stood in vain: the promise is void (rule 7)",
                );
                self.be_free(cx);
            }
            Word::Canvass { round, votes } => self.is_canvassed(cx, id, term, (round, votes)),
            Word::Able { round } => self.hear_able(cx, from, term, round),
            Word::List(voters) => self.learn_voters(cx, term, voters),
            Word::HandOver { .. } | Word::Release => cx.because("that is over"),
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        match (timer, &mut self.phase) {
            (Timer::Promise, _) => {
                self.leader.into_iter().for_each(|silent| self.note_lapse(pace(cx), silent));
                cx.because(
                    "the promise has run out: it is free to vote, and to stand when it is its turn (rule 4)",
                );
                self.be_free(cx);
            }
            (Timer::Stand, Phase::Waiting) if self.saved.term == 0 => self.stand(cx, None),
            (Timer::Stand, Phase::Waiting) => self.probe(cx),
            (Timer::Patience, Phase::Probing(_) | Phase::Standing(_)) => self.lose_patience(cx),
            (Timer::Renew, Phase::Leading(_)) => self.end_interval(cx),
            (Timer::Lease(round), Phase::Leading(reign)) if round >= reign.confirmed => {
                cx.because("the lease has run out before a majority renewed it: it leads no longer (rule 3)");
                self.step_down(cx);
                self.wait_for_turn(cx);
            }
            _ => cx.because("that is over"),
        }
    }

    /// Rule 9. Whoever led in the term that is saved was its only leader: so the reign is over, for all. Of one that
    /// only stood in it, another may have won the term: that is for its own voters to say.
    fn on_death(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        let id = cx.peer_rank(peer).id();
        if !self.has_promised(id) {
            cx.because("it has promised nothing to the one that is dead");
            return;
        }
        let led = self.leader == Some(id);
        if led {
            self.note_lapse(pace(cx), id);
        }
        self.last_leader = Some(id);
        if led && self.may_stand(cx) && self.rivals(cx).0 == 0 {
            self.stand(cx, Some(self.saved.term));
            cx.because("its leader is dead, for certain: it is the best that is left, and stands (rule 9)");
        } else {
            cx.because("whoever it promised to is dead, for certain: the promise is void (rule 9)");
            self.be_free(cx);
        }
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        match (request, &mut self.phase) {
            (Request::Stand, _) => self.stand_again(cx),
            (Request::Withdraw, _) => self.withdraw(cx),
            (Request::Resign, Phase::Leading(_)) => self.resign(cx),
            (Request::Transfer(to), Phase::Leading(reign)) => {
                cx.because("it is to hand over: it does as soon as that one has kept up (rule 6)");
                reign.successor = Some(reign.named(to, pace(cx)));
                self.hand_over_if_ready(cx);
            }
            (Request::Admit(id), Phase::Leading(_)) => self.change_voters(cx, Change { id, admits: true }),
            (Request::Dismiss(id), Phase::Leading(_)) => self.change_voters(cx, Change { id, admits: false }),
            _ => cx.because("it does not lead: it cannot do that"),
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
            return Err(Broken("a leader follows nobody".into()));
        }
        if self.leader.is_some() && self.promise.is_none() {
            return Err(Broken("whoever follows has promised".into()));
        }
        Ok(())
    }
}
