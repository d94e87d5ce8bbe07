//! Which member starts an election, and when: the one policy that every driver asks.
//!
//! A driver says what has happened to a member ([`Occasion`]) and which leader the member names ([`NamedLeader`]); the
//! policy answers with a [`Decision`]. The policy has no state: drivers keep the time.
//!
//! The rules, and where they come from:
//!
//! - Any process may call for an election (lectures 000 and 002), so a member that is asked starts one.
//! - A process that finds that the coordinator has failed starts an election (lectures 000, 002 and 003). Its failure
//!   detector says so (`Failed`), or a death certificate does.
//! - `Suspected` is a warning (lecture 004: a detector with three values): nobody starts an election because of it.
//! - A member that recovers has lost its memory of the leader, so it starts an election.
//! - In a cluster's ring, a member that is told of a later election joins it: see `cluster/src/node/ring.rs`.
//! - An election that gives no outcome within a time-out is started again. Lecture 000 says so of bully; a cluster does so
//!   with every algorithm, because any message can be lost with a connection.
//!
//! What starts an election by itself inside an algorithm (bully's time-outs) is the algorithm's own rule, not a driver's.

use crate::{Faults, Id, Need, Span, Spec, Starts, Status, Verdict};

/// What has just happened to a member that is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// It is asked to start an election: as an initiator of a run, by a script, or by a user.
    Asked,
    /// It has booted for the first time, and nobody asks it.
    Started,
    /// It has booted after a crash.
    Recovered,
    /// Its failure detector, or a connection that closed or opened, says this of a neighbour. Its algorithm knows.
    Judged(Id, Verdict),
    /// A neighbour is dead for certain. Its algorithm knows.
    Died(Id),
    /// It has come to name another leader.
    NamesLeader,
    /// In a ring that closes: a member can be reached no more, and messages go past it.
    LeftOut,
    /// In a ring that closes: a member that an election has passed over can be reached again.
    TakenBack,
    /// In a ring whose members number elections: a peer takes part in this election, or in a later one.
    PeerElection {
        /// It is a later one.
        is_later: bool,
        /// It is over: the peer names a leader.
        is_over: bool,
    },
    /// It has had no working leader, and has not been called, for this long.
    Leaderless(Span),
}

/// The leader that a member names, and what the member has heard of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedLeader {
    /// It names none, and waits to hear of one.
    Nobody,
    /// It names none, and knows all that its algorithm tells it: where members are told only whether they lead themselves.
    Unnamed,
    /// It has heard nothing worse of its leader than a suspicion.
    Working(Id),
    /// Its failure detector has declared its leader failed, and may be wrong.
    Failed(Id),
    /// Its leader is dead for certain.
    Dead(Id),
}

impl NamedLeader {
    /// The leader that a member of an algorithm names, given whom its detector takes for failed and who is dead for certain.
    pub fn new(
        spec: &Spec,
        status: &Status,
        has_failed: impl FnOnce(Id) -> bool,
        is_dead: impl FnOnce(Id) -> bool,
    ) -> NamedLeader {
        match status.leader {
            None if spec.goal.is_met_by(status) => NamedLeader::Unnamed,
            None => NamedLeader::Nobody,
            Some(id) if is_dead(id) => NamedLeader::Dead(id),
            Some(id) if has_failed(id) => NamedLeader::Failed(id),
            Some(id) => NamedLeader::Working(id),
        }
    }

    /// Its id, if the member names one.
    #[must_use]
    pub fn id(self) -> Option<Id> {
        match self {
            NamedLeader::Nobody | NamedLeader::Unnamed => None,
            NamedLeader::Working(id) | NamedLeader::Failed(id) | NamedLeader::Dead(id) => Some(id),
        }
    }

    /// Whether the member has a leader that works, as far as it knows.
    #[must_use]
    pub fn works(self) -> bool {
        matches!(self, NamedLeader::Working(_) | NamedLeader::Unnamed)
    }
}

/// What a member does about an election.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "drivers do as the policy says"]
pub enum Decision {
    /// Nothing.
    No,
    /// It is called: [`crate::Algorithm::on_call`].
    Call,
    /// Its algorithm boots again, in a later election of the ring: the peer's if that is under way, else the next. It is
    /// called, unless a message of that election does as well.
    Anew,
    /// Nothing yet. Unless it has a leader by then, ask again after this long: [`Occasion::Leaderless`].
    Wait(Span),
}

/// What a member does when it boots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnBoot {
    /// Nothing, unless it is asked.
    Nothing,
    /// It starts an election at once.
    Start,
    /// It starts an election if it hears of no leader for as long as an election may take.
    Wait,
}

/// Which member starts an election, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPolicy {
    /// Whether members of the algorithm wait to be called.
    waits: bool,
    started: OnBoot,
    recovered: OnBoot,
    restart_after: Option<Span>,
    begins_anew: bool,
}

impl CallPolicy {
    /// After so many delay bounds without an outcome, members of a cluster start an election again.
    pub const RESTART_AFTER: u32 = 50;
    /// An election that a cluster begins anew must have had the time to go round the ring: to the best member, back to it,
    /// and once more with its name. In delay bounds a member.
    const TURNS: u64 = 4;

    /// The policy of the lectures, which simulator and checker follow unless told otherwise: initiators start an election,
    /// and members that recover or find their leader failed. No election is started again because of a time-out.
    #[must_use]
    pub fn of_lectures(spec: &Spec) -> CallPolicy {
        CallPolicy {
            waits: spec.starts == Starts::Callers,
            started: OnBoot::Nothing,
            recovered: OnBoot::Start,
            restart_after: None,
            begins_anew: false,
        }
    }

    /// The policy of a cluster, for simulator and checker: the same, and a member that has had no leader for this long
    /// starts an election, as does a member that recovers and hears of none. (Which members start at the beginning is up to
    /// the run: its initiators do.)
    ///
    /// For rings whose elections a cluster begins anew this is not its policy: see [`CallPolicy::begins_anew_in_cluster`].
    #[must_use]
    pub fn with_restarts(spec: &Spec, restart_after: Span) -> CallPolicy {
        CallPolicy {
            started: OnBoot::Wait,
            recovered: if closes(spec) { OnBoot::Start } else { OnBoot::Wait },
            restart_after: Some(restart_after),
            ..CallPolicy::of_lectures(spec)
        }
    }

    /// The policy of a member of a cluster of `n`.
    ///
    /// Every member is an initiator. In a ring messages wait for a member that has not started yet. Elsewhere its silence
    /// would be taken for death, so a member that boots waits first.
    #[must_use]
    pub fn in_cluster(spec: &Spec, n: u32, delay_bound: Span) -> CallPolicy {
        let begins_anew = CallPolicy::begins_anew_in_cluster(spec);
        let turns = if begins_anew { CallPolicy::TURNS * u64::from(n) } else { 0 };
        let restart_after = delay_bound * (u64::from(CallPolicy::RESTART_AFTER) + turns);
        let on_boot = if closes(spec) { OnBoot::Start } else { OnBoot::Wait };
        let policy = CallPolicy::with_restarts(spec, restart_after);
        CallPolicy { started: on_boot, begins_anew, ..policy }
    }

    /// Whether members of a cluster boot the algorithm again for each election, all of them, and number elections: in a
    /// ring, if the algorithm makes good neither the loss of a message nor a crash.
    #[must_use]
    pub fn begins_anew_in_cluster(spec: &Spec) -> bool {
        let repairs = spec.survives.contains(Faults::CRASH) || spec.survives.contains(Faults::LOSS);
        closes(spec) && spec.starts == Starts::Callers && !repairs
    }

    /// Whether this policy begins elections anew.
    #[must_use]
    pub fn begins_anew(&self) -> bool {
        self.begins_anew
    }

    /// Whether members wait to be called. Members of other algorithms take no notice of a call.
    #[must_use]
    pub fn waits_for_calls(&self) -> bool {
        self.waits
    }

    /// After how long without a leader a member starts an election again, if it does.
    #[must_use]
    pub fn restart_after(&self) -> Option<Span> {
        self.restart_after.filter(|_| self.waits)
    }

    /// What a member does on an occasion, given the leader that it names.
    pub fn decide(&self, occasion: Occasion, leader: NamedLeader) -> Decision {
        if occasion == Occasion::Asked {
            return Decision::Call;
        }
        if !self.waits {
            return Decision::No;
        }
        let start = match leader.id() {
            Some(_) if self.begins_anew => Decision::Anew,
            _ => Decision::Call,
        };
        match occasion {
            Occasion::Asked => Decision::Call,
            Occasion::Started => self.on_boot(self.started),
            Occasion::Recovered => self.on_boot(self.recovered),
            Occasion::Judged(peer, Verdict::Failed) | Occasion::Died(peer) if leader.id() == Some(peer) => {
                start
            }
            Occasion::Judged(..) | Occasion::Died(_) => Decision::No,
            Occasion::NamesLeader => match leader {
                NamedLeader::Dead(_) => start,
                // The detector may be wrong, and the election that has just ended says so. A member that started the next
                // one at once would do so for as long as the detector errs.
                NamedLeader::Failed(_) => self.restart_after.map_or(start, Decision::Wait),
                NamedLeader::Nobody | NamedLeader::Unnamed | NamedLeader::Working(_) => Decision::No,
            },
            // Those that the lost member has beaten are out, so the election may elect the wrong member, or two.
            Occasion::LeftOut if self.begins_anew && leader == NamedLeader::Nobody => Decision::Anew,
            // Else the election under way comes first.
            Occasion::TakenBack if leader.id().is_some() => start,
            Occasion::LeftOut | Occasion::TakenBack => Decision::No,
            Occasion::PeerElection { is_later, is_over } => {
                // A member without a leader has missed the end of its election.
                let is_behind = is_later || is_over && leader == NamedLeader::Nobody;
                if self.begins_anew && is_behind { Decision::Anew } else { Decision::No }
            }
            Occasion::Leaderless(waited) => self.after_waiting(waited, leader),
        }
    }

    fn on_boot(&self, does: OnBoot) -> Decision {
        match does {
            OnBoot::Nothing => Decision::No,
            OnBoot::Start => Decision::Call,
            OnBoot::Wait => self.restart_after.map_or(Decision::No, Decision::Wait),
        }
    }

    fn after_waiting(&self, waited: Span, leader: NamedLeader) -> Decision {
        match self.restart_after {
            Some(after) if !leader.works() => match after.ticks().checked_sub(waited.ticks()) {
                Some(left) if left > 0 => Decision::Wait(Span::from_ticks(left)),
                _ if self.begins_anew => Decision::Anew,
                _ => Decision::Call,
            },
            _ => Decision::No,
        }
    }
}

/// Whether the network of a cluster is a ring that closes round members that cannot be reached.
fn closes(spec: &Spec) -> bool {
    matches!(spec.need, Need::OneWayRing | Need::TwoWayRing)
}
