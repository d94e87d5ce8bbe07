//! The hand-over, in [`super`]: rule 6.
//!
//! The leader judges a higher-ranked member by time on its own clock: at the end of each interval between two
//! renewals, a member that has answered the last one has been steady for one interval more, and any other member for
//! none. So an answer that arrives after the next renewal was sent is late, and late answers never count.
//!
//! A member that has been steady for long enough is asked whether it could win (`canvass`). It asks all voters
//! whether they would vote for it if the leader stepped down (`probe`, `would`). When as many would as answer the
//! leader, it answers the leader (`able`). The leader leads meanwhile, so a member that cannot win costs no time
//! without a leader.
//!
//! A leadership lapses if the leader falls silent or dies, or does not begin leading after a hand-over. From the
//! second lapse on, each one quadruples the span for which that member has to be steady, until it has led for
//! [`LASTING`] renewals. At the limit, a lapse costs about one lease in more than a hundred.

use super::leader_state::{Heard, Successor, port_of};
use super::pace::{Pace, pace};
use super::{Context, Msg, Payload, Phase, QuorumLease};
use bellwether_core::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// A leadership of this many renewals has lasted: earlier lapses are forgotten.
const LASTING: u64 = 1_024;
/// How many times longer a higher-ranked member has to be steady if an operator named the leader.
const NAMED: u64 = 16;
/// The longest time until a member answers that it could win, in units: four messages.
const ANSWER: u64 = 4;

/// The voters that would vote for a follower if its leader stepped down.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Canvass {
    /// The round in which the leader asked.
    round: u64,
    /// The number of votes needed.
    votes: u32,
    /// These voters would vote for it.
    yes: BTreeSet<Id>,
}

impl Canvass {
    pub(super) fn storage(&self) -> usize {
        self.yes.len() * size_of::<Id>()
    }
}

/// Whether the answer to a question of one round can still arrive in another round.
fn is_open(asked: u64, now: u64, pace: Pace) -> bool {
    now.saturating_sub(asked).saturating_mul(pace.interval()) <= ANSWER
}

impl QuorumLease {
    /// A member leads: has its leadership lasted, and has a hand-over failed?
    pub(super) fn note_leader(&mut self, pace: Pace, id: Id, round: u64) {
        if round >= LASTING {
            self.lapses.remove(&id);
        }
        self.note_failed_hand_over(pace, Some(id));
    }

    /// A member leads (none if this member itself): if it is not the successor, the hand-over has failed.
    pub(super) fn note_failed_hand_over(&mut self, pace: Pace, leader: Option<Id>) {
        if let Some(failed) = self.handed_to.take().filter(|&id| Some(id) != leader) {
            self.note_lapse(pace, failed);
        }
    }

    pub(super) fn note_lapse(&mut self, pace: Pace, id: Id) {
        let lapses = self.lapses.entry(id).or_default();
        *lapses = (*lapses + 1).min(pace.penalties + 1);
    }

    /// For how many intervals a higher-ranked member has to be steady; and for how many one that has never led.
    fn span(&self, id: Id, pace: Pace) -> (u64, u64) {
        let intervals = |units: u64| units.div_ceil(pace.interval());
        let penalties = self.lapses.get(&id).map_or(0, |lapses| lapses.saturating_sub(1).min(pace.penalties));
        let named = if self.was_named { NAMED } else { 1 };
        (intervals((pace.steady << (2 * penalties)).max(pace.steady * named)), intervals(pace.steady))
    }

    /// An interval is over: the leader counts the answers in time, renews, and asks a higher-ranked member whether it
    /// could win.
    pub(super) fn end_interval(&mut self, cx: Context<'_, '_>) {
        let Pace { steady, penalties, .. } = pace(cx);
        let longest = (steady << (2 * penalties)).max(steady * NAMED);
        let Phase::Leading(reign) = &mut self.phase else { return };
        for heard in &mut reign.heard {
            let is_in_time = heard.round == reign.round;
            heard.steady = if is_in_time { (heard.steady + 1).min(longest) } else { 0 };
        }
        self.renew(cx);
        self.canvass_better(cx);
    }

    /// The highest-ranked of the members that have been steady for long enough. A member that does not answer is
    /// asked again after the shortest span, and others meanwhile.
    fn canvass_better(&mut self, cx: Context<'_, '_>) {
        let pace = pace(cx);
        let Phase::Leading(reign) = &self.phase else { return };
        let is_open = reign.asked.is_some_and(|(_, round)| is_open(round, reign.round, pace));
        if reign.successor.is_some() || is_open {
            return;
        }
        let is_due = |port: Port| {
            let heard = reign.heard(port);
            let id = cx.peer_rank(port).id();
            cx.peer_rank(port) > cx.rank()
                && heard.steady >= self.span(id, pace).0
                && self.can_be_handed_to(cx, port, heard)
        };
        let better = cx.outgoing().filter(|&port| is_due(port)).max_by_key(|&port| cx.peer_rank(port));
        let Some(port) = better else { return };
        // The voters that have answered the previous renewal, and the leader itself.
        let answers = |id: Id| {
            id == cx.id() || port_of(cx, id).is_some_and(|port| reign.heard(port).round + 1 >= reign.round)
        };
        let votes = self.voters(cx).stores.into_keys().filter(|&id| answers(id)).count() as u32;
        let (_, shortest) = self.span(cx.peer_rank(port).id(), pace);
        let Phase::Leading(reign) = &mut self.phase else { return };
        let round = reign.round;
        reign.asked = Some((port, round));
        let Some(heard) = reign.heard.get_mut(port.0 as usize) else { return };
        heard.steady = heard.steady.saturating_sub(shortest);
        cx.because("time to renew, and a higher-ranked member is steady: renew and ask it whether it could win (rule 6)");
        cx.send(port, Msg { term: self.saved.term, word: Payload::Canvass { round, votes } });
    }

    fn can_be_handed_to(&self, cx: &Cx<'_, Self>, port: Port, heard: Heard) -> bool {
        heard.stands && cx.peer_duty(port) != Duty::Witness && self.is_voter(cx, cx.peer_rank(port).id())
    }

    /// The leader asks whether this member could win: it asks the voters.
    pub(super) fn is_canvassed(
        &mut self,
        cx: Context<'_, '_>,
        leader: Id,
        term: u64,
        (round, votes): (u64, u32),
    ) {
        if term != self.saved.term || self.leader != Some(leader) || !self.may_stand(cx) {
            cx.because("an old message, or this member is no candidate: ignored");
            return;
        }
        self.canvass = Some(Canvass { round, votes, yes: BTreeSet::new() });
        let word = Payload::Probe { version: self.version(), released: Some(term) };
        self.send_to_voters(cx, &Msg { term: self.next_term(), word });
        self.hear_canvassed(cx, cx.id(), self.next_term(), true);
        cx.because("the leader asks whether this member could win: ask the voters (rule 6)");
    }

    /// A voter that would not vote for it changes nothing, whatever the reason: the member has a leader.
    pub(super) fn hear_canvassed(&mut self, cx: Context<'_, '_>, id: Id, term: u64, yes: bool) {
        if !yes || term != self.next_term() {
            cx.because("a voter would not vote for this member: not counted");
            return;
        }
        cx.because("a voter would vote for this member: count it");
        if let Some(canvass) = &mut self.canvass {
            canvass.yes.insert(id);
        }
        let voters = self.voters(cx).stores;
        let Some(canvass) = &self.canvass else { return };
        let (won, round) = (canvass.yes.iter().filter(|id| voters.contains_key(id)).count(), canvass.round);
        if won * 2 > voters.len() && won >= canvass.votes as usize {
            let leader = self.leader.and_then(|leader| port_of(cx, leader));
            self.canvass = None;
            if let Some(port) = leader {
                cx.because("enough voters would vote for this member: tell the leader (rule 6)");
                cx.send(port, Msg { term: self.saved.term, word: Payload::Able { round } });
            }
        }
    }

    /// The member that the leader asked could win: the leader hands over, unless the answer is late.
    pub(super) fn hear_able(&mut self, cx: Context<'_, '_>, from: Port, term: u64, round: u64) {
        let Phase::Leading(reign) = &mut self.phase else { return };
        let is_asked = reign.asked == Some((from, round)) && is_open(round, reign.round, pace(cx));
        if term != self.saved.term || !is_asked || reign.successor.is_some() {
            cx.because("an old message: ignored");
            return;
        }
        reign.asked = None;
        let heard = reign.heard(from);
        if self.can_be_handed_to(cx, from, heard) && self.has_kept_up(heard) {
            self.hand_over(cx, from, false);
        }
    }

    /// Whether a member knows this term and the current voters, so that it can win.
    fn has_kept_up(&self, heard: Heard) -> bool {
        let Phase::Leading(reign) = &self.phase else { return false };
        heard.round >= reign.confirmed && heard.round > 0 && heard.version >= self.version()
    }

    /// Hands over to the named successor, once that member has kept up.
    pub(super) fn hand_over_if_ready(&mut self, cx: Context<'_, '_>) {
        let Phase::Leading(reign) = &self.phase else { return };
        let Some(Successor { id: to, until }) = reign.successor else { return };
        let has_withdrawn = |heard: Heard| heard.round > 0 && !heard.stands;
        let port = port_of(cx, to)
            .filter(|&port| cx.peer_duty(port) != Duty::Witness && !has_withdrawn(reign.heard(port)))
            .filter(|_| self.is_voter(cx, to) && reign.round <= until);
        let Some(port) = port else {
            cx.because(
                "the named member cannot lead, or has not answered for the length of a lease: stay the leader (rule 6)",
            );
            if let Phase::Leading(reign) = &mut self.phase {
                reign.successor = None;
            }
            return;
        };
        if self.has_kept_up(reign.heard(port)) {
            self.hand_over(cx, port, true);
        }
    }

    fn hand_over(&mut self, cx: Context<'_, '_>, to: Port, is_named: bool) {
        cx.because("hand over: step down and tell the successor (rule 6)");
        let term = self.saved.term;
        self.step_down(cx);
        self.handed_to = Some(cx.peer_rank(to).id());
        cx.send(to, Msg { term, word: Payload::HandOver { is_named } });
        self.abstain(cx);
    }
}
