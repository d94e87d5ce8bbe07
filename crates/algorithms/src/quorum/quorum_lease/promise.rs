//! Voting, in [`super`]: rules 1, 2 and 5.

use super::pace::pace;
use super::{Context, Msg, Payload, Phase, QuorumLease, Timer, Version, Voters};
use bellwether_core::*;
use serde::Serialize;

/// A voter's promise to vote for no other member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Promise {
    to: Holder,
    /// When it expires on the voter's own clock, if leases differ in length.
    until: Option<Time>,
}

/// The member to which a promise was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) enum Holder {
    Member(Id),
    /// The voter has restarted, and has lost the name.
    Forgotten,
}

/// A probe: its sender, its term and its version of the list of voters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Unanswered {
    pub from: Port,
    pub term: u64,
    pub version: Version,
}

impl QuorumLease {
    /// Whether its promise is to this member.
    pub(super) fn has_promised(&self, id: Id) -> bool {
        self.promise.is_some_and(|promise| promise.to == Holder::Member(id))
    }

    /// Whether it may vote for this member: no promise to another, and no lease of its own.
    pub(super) fn is_free_for(&self, id: Id) -> bool {
        let is_promised = self.promise.is_some() && !self.has_promised(id);
        !is_promised && !matches!(self.phase, Phase::Leading(_))
    }

    /// Rule 5. If only a promise prevents a yes, the voter answers when the promise is over, because the candidate's
    /// own promise may have expired a moment earlier.
    pub(super) fn is_probed(&mut self, cx: Context<'_, '_>, probe: Unanswered, released: Option<u64>) {
        let Unanswered { from, term, version } = probe;
        if let Some(voters) = self.saved.voters.clone().filter(|voters| voters.version > version) {
            cx.send(from, Msg { term: self.saved.term, word: Payload::List(voters) });
        }
        let would = term > self.saved.term && version >= self.version();
        let is_free = released == Some(self.saved.term) || self.is_free_for(cx.peer_rank(from).id());
        if would && !is_free && self.promise.is_some() {
            cx.because("a promise to another member holds: answer when it is over");
            self.unanswered = Some(probe);
            return;
        }
        let yes = would && is_free;
        cx.because(if yes {
            "a new term, and no promise to another: it would vote"
        } else {
            "an old term or list of voters, or this member leads: it would not vote"
        });
        cx.send(from, Msg { term: if yes { term } else { self.saved.term }, word: Payload::Would(yes) });
    }

    /// Rules 1 and 2. Every promise is to the leader, or a candidate, of the saved term. So a message that this
    /// leadership is over voids the promise.
    pub(super) fn is_asked(
        &mut self,
        cx: Context<'_, '_>,
        id: Id,
        term: u64,
        (version, lease, released): (Version, Span, Option<u64>),
    ) -> bool {
        let is_released = released == Some(self.saved.term) && !matches!(self.phase, Phase::Leading(_));
        let is_due = term > self.saved.term || term == self.saved.term && self.saved.vote == Some(id);
        let is_free = is_released || self.is_free_for(id);
        if !is_due || !is_free || version < self.version() {
            cx.because("already voted, promised to another, or an older list of voters: no vote");
            return false;
        }
        cx.because("a new term and no promise to another: vote and promise (rules 1 and 2)");
        self.leave_phase(cx);
        if is_released {
            self.promise = None;
        }
        if term > self.saved.term {
            self.leader = None;
        }
        self.save(cx, term, Some(id));
        self.promise(cx, Holder::Member(id), lease);
        true
    }

    pub(super) fn save(&mut self, cx: Context<'_, '_>, term: u64, vote: Option<Id>) {
        if term != self.saved.term {
            self.canvass = None;
        }
        if (self.saved.term, self.saved.vote) != (term, vote) {
            (self.saved.term, self.saved.vote) = (term, vote);
            cx.persist(self.saved.clone());
        }
    }

    /// A valid promise is never shortened, not even for another holder: the member that asked for it relies on it,
    /// and a request for a shorter one may be late or a duplicate. If all promises are equally long, the later one
    /// ends later.
    pub(super) fn promise(&mut self, cx: Context<'_, '_>, to: Holder, lease: Span) {
        let now = cx.clock();
        let until = now.map(|now| now + lease).max(self.promise.and_then(|promise| promise.until));
        (self.promise, self.unanswered) = (Some(Promise { to, until }), None);
        cx.cancel_timer(Timer::Stand);
        cx.set_timer(Timer::Promise, until.zip(now).map_or(lease, |(until, now)| until - now));
    }

    /// A member leads in a term that is not over. The previous leader has stepped down: see the manual.
    pub(super) fn follow(
        &mut self,
        cx: Context<'_, '_>,
        id: Id,
        term: u64,
        (round, lease): (u64, Span),
        voters: Option<Voters>,
    ) {
        cx.because("a leader of the current or a later term: follow it and promise (rule 2)");
        self.leave_phase(cx);
        self.unit = pace(cx).unit_of(lease);
        (self.leader, self.last_leader) = (Some(id), Some(id));
        (self.attempts, self.was_named) = (0, false);
        self.note_leader(pace(cx), id, round);
        let vote = self.saved.vote.filter(|_| term == self.saved.term);
        if let Some(voters) =
            voters.filter(|voters| voters.version > self.version() && voters.can_be_of(term))
        {
            self.saved.voters = Some(voters);
            cx.persist(self.saved.clone());
        }
        self.save(cx, term, vote);
        self.promise(cx, Holder::Member(id), lease);
    }

    pub(super) fn lose_leader(&mut self, cx: Context<'_, '_>) {
        cx.cancel_timer(Timer::Promise);
        (self.promise, self.leader, self.unanswered, self.canvass) = (None, None, None, None);
    }

    /// Its promise is over: it may vote, and answers the candidate that has asked meanwhile.
    pub(super) fn end_promise(&mut self, cx: Context<'_, '_>) {
        let unanswered = self.unanswered;
        self.lose_leader(cx);
        self.wait_for_turn(cx);
        if let Some(Unanswered { from, term, version }) = unanswered
            && term > self.saved.term
            && version >= self.version()
        {
            cx.send(from, Msg { term, word: Payload::Would(true) });
        }
    }
}
