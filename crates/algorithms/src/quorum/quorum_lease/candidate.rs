//! The candidate, in [`super`]: rules 1, 4 and 5.

use super::pace::pace;
use super::{Context, Msg, Payload, Phase, QuorumLease, TURN, Timer};
use bellwether_core::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// The voters that a candidate has asked, and those that have said yes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Poll {
    /// The voters that have said yes.
    pub yes: BTreeSet<Id>,
    /// How often it has asked.
    asked: u32,
    /// The leader of this term has stepped down, as the candidate knows.
    released: Option<u64>,
}

impl Poll {
    /// A candidate votes for itself.
    fn of(candidate: Id, released: Option<u64>) -> Poll {
        Poll { yes: BTreeSet::from([candidate]), asked: 1, released }
    }
}

impl QuorumLease {
    /// The term after the saved one. There always is one: see [`LAST_TERM`].
    pub(super) fn next_term(&self) -> u64 {
        self.saved.term.saturating_add(1)
    }

    pub(super) fn may_stand(&self, cx: &Cx<'_, Self>) -> bool {
        !self.withdrawn && self.is_voter(cx, cx.id()) && cx.duty() != Duty::Witness
    }

    /// The number of possible candidates with a higher rank, and the number of all possible candidates: itself, and
    /// all others but the last leader.
    pub(super) fn rivals(&self, cx: &Cx<'_, Self>) -> (u64, u64) {
        let rivals = cx.outgoing().filter(|&port| {
            let id = cx.peer_rank(port).id();
            self.is_voter(cx, id) && cx.peer_duty(port) != Duty::Witness && Some(id) != self.last_leader
        });
        rivals
            .fold((0, 1), |(better, all), port| (better + u64::from(cx.peer_rank(port) > cx.rank()), all + 1))
    }

    /// Rule 4.
    pub(super) fn wait_for_turn(&mut self, cx: Context<'_, '_>) {
        if !self.may_stand(cx) {
            return;
        }
        let (better, all) = self.rivals(cx);
        let turns = pace(cx).turns(better, all, self.attempts);
        let wait = |turns: u64| self.unit * (turns * TURN);
        cx.set_timer_within(Timer::Stand, wait(*turns.start())..=wait(*turns.end()));
    }

    /// Rule 5.
    pub(super) fn probe(&mut self, cx: Context<'_, '_>) {
        cx.because("its turn to be a candidate: ask the voters whether it could win (rule 5)");
        self.phase = Phase::Probing(Poll::of(cx.id(), None));
        self.ask(cx);
        self.hear_would(cx, cx.id(), self.next_term(), true);
    }

    pub(super) fn hear_would(&mut self, cx: Context<'_, '_>, id: Id, term: u64, yes: bool) {
        if self.canvass.is_some() {
            return self.hear_canvassed(cx, id, term, yes);
        }
        if !yes && term > self.saved.term {
            return self.fall_behind(cx, term);
        }
        let next = self.next_term();
        let Phase::Probing(poll) = &mut self.phase else { return };
        if yes && term == next {
            poll.yes.insert(id);
            if self.is_majority(
                cx,
                |id, this| matches!(&this.phase, Phase::Probing(poll) if poll.yes.contains(&id)),
            ) {
                self.stand(cx, None);
            }
        }
    }

    /// Rule 1. The lease that comes with the votes of a majority runs from now.
    pub(super) fn stand(&mut self, cx: Context<'_, '_>, released: Option<u64>) {
        cx.because("start a term: vote for itself and ask the voters (rule 1)");
        self.leave_phase(cx);
        self.lose_leader(cx);
        cx.cancel_timer(Timer::Stand);
        self.save(cx, self.next_term(), Some(cx.id()));
        self.phase = Phase::Standing(Poll::of(cx.id(), released));
        self.run_lease(cx, 0);
        self.ask(cx);
        self.hear_vote(cx, cx.id(), self.saved.term, true);
    }

    /// Asks the voters that have not said yes for their vote, or whether they would give it.
    fn ask(&mut self, cx: Context<'_, '_>) {
        let (poll, msg) = match &self.phase {
            Phase::Probing(poll) => {
                let word = Payload::Probe { version: self.version(), released: None };
                (poll, Msg { term: self.next_term(), word })
            }
            Phase::Standing(poll) => {
                let (version, lease) = (self.version(), pace(cx).lease(self.unit));
                let word = Payload::Ask { version, lease, released: poll.released };
                (poll, Msg { term: self.saved.term, word })
            }
            _ => return,
        };
        cx.set_timer(Timer::Patience, self.unit * TURN);
        let owes = |id: Id| self.is_voter(cx, id) && !poll.yes.contains(&id);
        let ports: Vec<Port> = cx.outgoing().filter(|&port| owes(cx.peer_rank(port).id())).collect();
        ports.into_iter().for_each(|port| cx.send(port, msg.clone()));
    }

    /// Answers are slow, for instance because a vote waits for a slow disk, or lost: it asks again, a limited number
    /// of times.
    pub(super) fn on_missing_answers(&mut self, cx: Context<'_, '_>) {
        if let Phase::Probing(poll) | Phase::Standing(poll) = &mut self.phase
            && u64::from(poll.asked) < pace(cx).asks
        {
            poll.asked += 1;
            cx.because("too few answers in time: ask again");
            return self.ask(cx);
        }
        cx.because("too few answers in time: give up and wait for the next turn");
        self.give_up(cx);
    }

    pub(super) fn hear_vote(&mut self, cx: Context<'_, '_>, id: Id, term: u64, yes: bool) {
        if !yes && term > self.saved.term {
            return self.fall_behind(cx, term);
        }
        let Phase::Standing(poll) = &mut self.phase else { return };
        if yes && term == self.saved.term {
            poll.yes.insert(id);
            if self.is_majority(
                cx,
                |id, this| matches!(&this.phase, Phase::Standing(poll) if poll.yes.contains(&id)),
            ) {
                self.lead(cx);
            }
        }
    }

    /// Others know a later term.
    pub(super) fn fall_behind(&mut self, cx: Context<'_, '_>, term: u64) {
        if matches!(self.phase, Phase::Leading(_)) {
            cx.because(
                "a voter knows a later term: become a candidate after that term, which releases its voters",
            );
            let released = self.saved.term;
            self.save(cx, term, None);
            return self.stand(cx, Some(released));
        }
        cx.because("a later term is known: be a candidate after that term");
        if matches!(self.phase, Phase::Probing(_) | Phase::Standing(_)) {
            self.give_up(cx);
        }
        self.save(cx, term, None);
        self.leader = None; // that leader led in an earlier term
    }

    pub(super) fn give_up(&mut self, cx: Context<'_, '_>) {
        self.stop_standing(cx);
        self.attempts += 1;
        self.unit = pace(cx).after_failure(self.unit, cx.delay_bound());
        self.wait_for_turn(cx);
    }

    /// Rule 7, for a candidate.
    fn stop_standing(&mut self, cx: Context<'_, '_>) {
        if let Phase::Standing(_) = self.phase {
            self.send_to_voters(cx, &Msg { term: self.saved.term, word: Payload::Release });
        }
        self.leave_phase(cx);
    }

    /// It is told not to be a candidate: it follows and votes as before.
    pub(super) fn withdraw(&mut self, cx: Context<'_, '_>) {
        self.withdrawn = true;
        cx.cancel_timer(Timer::Stand);
        if matches!(self.phase, Phase::Leading(_)) {
            return self.resign(cx);
        }
        cx.because("told to withdraw: no candidate until told to stand, or until the next boot");
        self.stop_standing(cx);
    }

    /// It is told to be a candidate again: after its promise, if there is one.
    pub(super) fn stand_again(&mut self, cx: Context<'_, '_>) {
        cx.because("told to stand: be a candidate in turn (rule 4)");
        if std::mem::take(&mut self.withdrawn) && self.promise.is_none() {
            self.wait_for_turn(cx);
        }
    }

    /// Stops its current activity. A leader steps down.
    pub(super) fn leave_phase(&mut self, cx: Context<'_, '_>) {
        match std::mem::replace(&mut self.phase, Phase::Waiting) {
            Phase::Waiting => {}
            Phase::Probing(_) => cx.cancel_timer(Timer::Patience),
            Phase::Standing(_) => {
                cx.cancel_timer(Timer::Patience);
                cx.cancel_timer(Timer::Lease(0));
            }
            Phase::Leading(reign) => {
                cx.cancel_timer(Timer::Renew);
                for round in reign.confirmed..=reign.round {
                    cx.cancel_timer(Timer::Lease(round));
                }
            }
        }
    }
}
