//! The leader, in [`super`]: rules 3, 6, 7 and 8.

use super::pace::{Pace, pace};
use super::{Change, Context, Msg, Payload, Phase, QuorumLease, Timer, Version};
use bellwether_core::*;
use serde::{Serialize, Serializer};

/// The state of a leader.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct LeaderState {
    /// The leader's own id.
    pub id: Id,
    /// The last round of renewals that it has sent; 0 is the request for votes.
    pub round: u64,
    /// The last round that a majority has answered: the lease of this round is the valid one.
    pub confirmed: u64,
    /// The answers it has received, by port.
    #[serde(serialize_with = "rounds")]
    pub heard: Vec<Heard>,
    /// The requested change of the voters, to be made once a majority has the current list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// The member to which it was told to hand over, once that member has kept up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successor: Option<Successor>,
    /// The higher-ranked member that it has asked whether it could win, and in which round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<(Port, u64)>,
    /// If the algorithm measures delays: the round whose answers it times, and when it sent that round. One round at
    /// a time, because answers may arrive after the next round.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed: Option<(u64, Time)>,
}

/// The successor that the leader was told to hand over to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Successor {
    pub id: Id,
    /// After this round the leader stays.
    pub until: u64,
}

/// The answers of one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Heard {
    /// The last round that it has answered.
    pub round: u64,
    /// For how many intervals, up to now, it has answered every renewal in time.
    pub steady: u64,
    /// The list of voters that it has on disk.
    pub version: Version,
    /// Whether it is a candidate, and so a possible successor.
    pub stands: bool,
}

/// A short form for displays: only the last round that each member has answered.
fn rounds<S: Serializer>(heard: &[Heard], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(heard.iter().map(|heard| heard.round))
}

impl Heard {
    /// One answer.
    pub(super) fn once(round: u64, version: Version, stands: bool) -> Heard {
        Heard { round, steady: 0, version, stands }
    }
}

/// The memory that a leader needs per member.
pub(super) const BYTES_A_MEMBER: usize = size_of::<Heard>();

impl LeaderState {
    pub(super) fn storage(&self) -> usize {
        self.heard.len() * BYTES_A_MEMBER
    }

    pub(super) fn heard(&self, port: Port) -> Heard {
        self.heard.get(port.0 as usize).copied().unwrap_or_default()
    }

    /// The successor that it was told to hand over to: it waits for that member for about as long as a lease.
    pub(super) fn named(&self, id: Id, pace: Pace) -> Successor {
        Successor { id, until: self.round + pace.lease.div_ceil(pace.interval()) }
    }
}

impl QuorumLease {
    /// A majority has voted for it: it announces itself at once.
    pub(super) fn lead(&mut self, cx: Context<'_, '_>) {
        cx.cancel_timer(Timer::Patience);
        let heard = vec![Heard::default(); cx.outgoing().count()];
        self.note_failed_hand_over(pace(cx), None);
        self.phase = Phase::Leading(LeaderState {
            id: cx.id(),
            round: 0,
            confirmed: 0,
            heard,
            change: None,
            successor: None,
            asked: None,
            timed: None,
        });
        self.renew(cx);
        cx.because("a majority has voted for this member: lead (rule 1)");
    }

    /// The lease of a round runs from the beginning of the round: the voters promise later (rule 3).
    pub(super) fn run_lease(&self, cx: Context<'_, '_>, round: u64) {
        let share = holders_share(pace(cx).lease(self.unit), cx.drift_bound());
        cx.set_timer(Timer::Lease(round), share);
    }

    /// Rule 3; unless the named successor can lead now.
    pub(super) fn renew(&mut self, cx: Context<'_, '_>) {
        cx.because("time to renew the lease: ask all members (rule 3)");
        self.hand_over_if_ready(cx);
        let Phase::Leading(reign) = &mut self.phase else { return };
        reign.round += 1;
        let round = reign.round;
        reign.timed = reign.timed.or_else(|| cx.clock().map(|now| (round, now)));
        for port in cx.outgoing().collect::<Vec<_>>() {
            let Phase::Leading(reign) = &self.phase else { return };
            let voters =
                self.saved.voters.clone().filter(|voters| voters.version > reign.heard(port).version);
            let word = Payload::Renew { round, lease: pace(cx).lease(self.unit), voters };
            cx.send(port, Msg { term: self.saved.term, word });
        }
        self.run_lease(cx, round);
        cx.set_timer(Timer::Renew, self.unit * pace(cx).interval());
        self.confirm(cx, round);
    }

    pub(super) fn hear_kept(&mut self, cx: Context<'_, '_>, from: Port, term: u64, mut answer: Heard) {
        if term > self.saved.term {
            return self.fall_behind(cx, term);
        }
        let Phase::Leading(reign) = &mut self.phase else { return };
        let Some(heard) = reign.heard.get_mut(from.0 as usize) else { return };
        if term < self.saved.term || answer.round > reign.round || answer.round <= heard.round {
            cx.because("an old message: ignored");
            return;
        }
        answer.steady = heard.steady;
        *heard = answer;
        cx.because("a voter has renewed its promise: count it");
        self.confirm(cx, answer.round);
        if !self.is_voter(cx, cx.id()) && self.is_list_settled(cx) {
            return self.resign(cx); // this member was dismissed, and a majority knows
        }
        self.change_if_settled(cx);
        self.hand_over_if_ready(cx);
    }

    /// The last round that a majority has answered: each of them has promised since it was asked. (Leases become
    /// shorter only when all rounds so far are confirmed, so a member that answered a later round has promised no
    /// less.)
    fn confirm(&mut self, cx: Context<'_, '_>, answered: u64) {
        let Phase::Leading(reign) = &self.phase else { return };
        let mut rounds: Vec<u64> = self
            .voters(cx)
            .stores
            .keys()
            .map(|&id| match port_of(cx, id) {
                _ if id == cx.id() => reign.round,
                Some(port) => reign.heard(port).round,
                None => 0,
            })
            .collect();
        rounds.sort_unstable_by(|one, other| other.cmp(one));
        let confirmed = rounds[rounds.len() / 2];
        let Phase::Leading(reign) = &mut self.phase else { return };
        if confirmed > reign.confirmed {
            (reign.confirmed..confirmed).for_each(|round| cx.cancel_timer(Timer::Lease(round)));
            reign.confirmed = confirmed;
            let timed = reign.timed.take_if(|(round, _)| *round <= confirmed);
            // If only later rounds were answered, the answers of this round were lost, and their time is unknown.
            if let Some((_, asked_at)) = timed.filter(|(round, _)| [confirmed, answered] == [*round; 2]) {
                let took = cx.clock().map(|now| now - asked_at);
                let unit = pace(cx).after_round(self.unit, took, cx.delay_bound());
                if unit > self.unit || confirmed == reign.round {
                    self.unit = unit;
                }
            }
        }
    }

    /// Rule 7.
    pub(super) fn resign(&mut self, cx: Context<'_, '_>) {
        cx.because("step down, and release the voters (rule 7)");
        let term = self.saved.term;
        self.step_down(cx);
        for port in cx.outgoing().collect::<Vec<_>>() {
            cx.send(port, Msg { term, word: Payload::Release });
        }
        self.abstain(cx);
    }

    pub(super) fn step_down(&mut self, cx: Context<'_, '_>) {
        self.leave_phase(cx);
        self.last_leader = Some(cx.id());
    }

    /// It leaves the candidacy to the others for the length of a lease.
    pub(super) fn abstain(&mut self, cx: Context<'_, '_>) {
        if self.may_stand(cx) {
            cx.set_timer(Timer::Stand, pace(cx).lease(self.unit));
        }
    }
}

pub(super) fn port_of(cx: &Cx<'_, QuorumLease>, id: Id) -> Option<Port> {
    cx.outgoing().find(|&port| cx.peer_rank(port).id() == id)
}

/// How long a holder may rely on a lease on its own clock, if voters promise it for `lease` on theirs and no clock
/// gains or loses more than `drift` millionths.
///
/// The promise lasts at least lease / (1 + rho) of true time, and the holder's share at most as long: it takes lease
/// (1 - rho) / (1 + rho) on a clock that loses rho.
#[must_use]
pub fn holders_share(lease: Span, drift: u32) -> Span {
    let drift = u128::from(drift.min(1_000_000));
    let ticks = u128::from(lease.ticks()) * (1_000_000 - drift) / (1_000_000 + drift);
    Span::from_ticks(ticks as u64)
}
