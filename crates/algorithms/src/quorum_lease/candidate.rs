//! Standing, in [`super`]: rules 1, 4 and 5.

use super::{Context, Msg, Pace, Phase, QuorumLease, TURN, Timer, Word};
use bellwether_core::*;
use std::collections::BTreeSet;

impl<P: Pace> QuorumLease<P> {
    pub(super) fn may_stand(&self, cx: &Cx<'_, Self>) -> bool {
        !self.withdrawn && self.is_voter(cx, cx.id()) && cx.duty() != Duty::Witness
    }

    /// How many of those that can stand are better than it, and how many there are: itself, and all others but whoever
    /// led last.
    pub(super) fn rivals(&self, cx: &Cx<'_, Self>) -> (u64, u64) {
        let rivals = cx.outgoing().filter(|&port| {
            let id = cx.peer_rank(port).id();
            self.is_voter(cx, id) && cx.peer_duty(port) != Duty::Witness && Some(id) != self.last_leader
        });
        rivals
            .fold((0, 1), |(better, all), port| (better + u64::from(cx.peer_rank(port) > cx.rank()), all + 1))
    }

    /// Rule 4.
    pub(super) fn wait_for_turn(&mut self, cx: Context<'_, '_, P>) {
        if !self.may_stand(cx) {
            return;
        }
        let (better, all) = self.rivals(cx);
        let turns = P::turns(better, all, self.attempts);
        let wait = |turns: u64| self.unit * (turns * TURN);
        cx.set_timer_within(Timer::Stand, wait(*turns.start())..=wait(*turns.end()));
    }

    /// Rule 5.
    pub(super) fn probe(&mut self, cx: Context<'_, '_, P>) {
        cx.because("it is its turn: it asks whether it could win (rule 5)");
        self.phase = Phase::Probing(BTreeSet::from([cx.id()]));
        cx.set_timer(Timer::Patience, self.unit * TURN);
        let term = self.saved.term + 1;
        self.send_to_voters(cx, &Msg { term, word: Word::Probe(self.version()) });
        self.hear_would(cx, cx.id(), term, true);
    }

    pub(super) fn hear_would(&mut self, cx: Context<'_, '_, P>, id: Id, term: u64, yes: bool) {
        if !yes && term > self.saved.term {
            return self.fall_behind(cx, term);
        }
        let Phase::Probing(voices) = &mut self.phase else { return };
        if yes && term == self.saved.term + 1 {
            voices.insert(id);
            if self
                .is_majority(cx, |id, this| matches!(&this.phase, Phase::Probing(yes) if yes.contains(&id)))
            {
                self.stand(cx, None);
            }
        }
    }

    /// Rule 1. The lease that comes with a majority's votes runs from now.
    pub(super) fn stand(&mut self, cx: Context<'_, '_, P>, released: Option<u64>) {
        cx.because("it stands, and votes for itself (rule 1)");
        self.leave_phase(cx);
        self.lose_leader(cx);
        cx.cancel_timer(Timer::Stand);
        self.save(cx, self.saved.term + 1, Some(cx.id()));
        self.phase = Phase::Standing(BTreeSet::from([cx.id()]));
        cx.set_timer(Timer::Patience, self.unit * TURN);
        self.run_lease(cx, 0);
        let term = self.saved.term;
        let word = Word::Ask { version: self.version(), lease: P::lease(self.unit), released };
        self.send_to_voters(cx, &Msg { term, word });
        self.hear_vote(cx, cx.id(), term, true);
    }

    pub(super) fn hear_vote(&mut self, cx: Context<'_, '_, P>, id: Id, term: u64, yes: bool) {
        if !yes && term > self.saved.term {
            return self.fall_behind(cx, term);
        }
        let Phase::Standing(voices) = &mut self.phase else { return };
        if yes && term == self.saved.term {
            voices.insert(id);
            if self
                .is_majority(cx, |id, this| matches!(&this.phase, Phase::Standing(yes) if yes.contains(&id)))
            {
                self.lead(cx);
            }
        }
    }

    /// Others have heard of a later term.
    pub(super) fn fall_behind(&mut self, cx: Context<'_, '_, P>, term: u64) {
        if matches!(self.phase, Phase::Leading(_)) {
            cx.because("a voter has heard of a later term: it stands again after that (its own word frees its voters)");
            let released = self.saved.term;
            self.save(cx, term, None);
            return self.stand(cx, Some(released));
        }
        cx.because("there has been a later term: it stands after that");
        if matches!(self.phase, Phase::Probing(_) | Phase::Standing(_)) {
            self.give_up(cx);
        }
        self.save(cx, term, None);
        self.leader = None; // it led in an earlier term
    }

    pub(super) fn give_up(&mut self, cx: Context<'_, '_, P>) {
        self.stop_standing(cx);
        self.attempts += 1;
        self.unit = P::after_failure(self.unit, cx.delay_bound());
        self.wait_for_turn(cx);
    }

    /// Rule 7, for a candidate.
    fn stop_standing(&mut self, cx: Context<'_, '_, P>) {
        if let Phase::Standing(_) = self.phase {
            self.send_to_voters(cx, &Msg { term: self.saved.term, word: Word::Release });
        }
        self.leave_phase(cx);
    }

    /// It is to be no candidate: it follows and votes as before.
    pub(super) fn withdraw(&mut self, cx: Context<'_, '_, P>) {
        self.withdrawn = true;
        cx.cancel_timer(Timer::Stand);
        if matches!(self.phase, Phase::Leading(_)) {
            return self.resign(cx);
        }
        cx.because("it is no candidate until it is told to stand, or boots");
        self.stop_standing(cx);
    }

    /// It is to be a candidate again: after its promise, if there is one.
    pub(super) fn stand_again(&mut self, cx: Context<'_, '_, P>) {
        cx.because("it is a candidate, and stands when it is its turn (rule 4)");
        if std::mem::take(&mut self.withdrawn) && self.promise.is_none() {
            self.wait_for_turn(cx);
        }
    }

    /// Stops what it is at. Whoever led does so no longer.
    pub(super) fn leave_phase(&mut self, cx: Context<'_, '_, P>) {
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
