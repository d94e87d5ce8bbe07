//! What can happen to members and links: one vocabulary for fault scripts, scenario files, command lines, the checker's
//! actions, traces and swarms.

use crate::{Id, Request};

/// What can happen to a member, or to one of its links. `M` names members: by index in a run, by id in what users write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultEvent<M = u32> {
    /// The member stops. At time 0: it does not start.
    Crash,
    /// The member stops in the middle of its next durable write. That write, and all that was to follow it (timers,
    /// messages), does not happen; what was written before stays written. A recovery before that write undoes this.
    TornCrash,
    /// The member stops in the middle of sending, the next time that it sends anything: half of that input's messages go
    /// out (of a single one, none), and what was to be written has been. A recovery before that undoes this.
    CrashSending,
    /// The member boots again with what it has saved and, as it knows of no leader, starts an election.
    Recover,
    /// The member boots now, and not at the beginning. Until then messages wait for it, as links lose nothing. An
    /// initiator starts its election when it has booted.
    Start,
    /// The member freezes. Messages wait for it, and timers that run out meanwhile are overdue when it resumes.
    Pause,
    /// The member resumes.
    Resume,
    /// The link to that member fails: what is sent on it is lost. (The other direction is a link of its own.)
    Cut(M),
    /// The link to that member works again.
    Mend(M),
    /// All links work again, of all members.
    Heal,
    /// The member's clock gains so many millionths from now on (loses, if negative).
    Drift(i32),
    /// The member's clock jumps by so many ticks (back, if negative). Timers are deadlines on that clock.
    Jump(i64),
    /// The member lies.
    Lie(Lie<M>),
    /// The member starts an election, now and not at the beginning.
    Call,
    /// The operator asks something of the member. (Requests name members by id: members know each other by no other name,
    /// and an operator may name a stranger.)
    Request(Request),
    /// The member receives a death certificate: the process of that neighbour is dead. Runs with
    /// certified crashes issue only true certificates; a script may issue a false one.
    Learn(M),
}

/// How a member lies. It is faulty for the rest of the run: nobody should elect it, and its own view does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lie<M = u32> {
    /// It uses this id from now on, and the rank that goes with it.
    Pretend(Id),
    /// It tells all its neighbours, once, that this member has been elected.
    Forge(Id),
    /// It sends nothing more to that member.
    Silence(M),
}

/// What a faulty link does to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It does not arrive.
    Lost,
    /// It arrives twice.
    Twice,
}

/// The kinds of [`FaultEvent`]s, each with the word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the event of that name")]
pub enum FaultKind {
    Crash,
    TornCrash,
    CrashSending,
    Recover,
    Start,
    Pause,
    Resume,
    Cut,
    Mend,
    Heal,
    Drift,
    Jump,
    Pretend,
    Forge,
    Silence,
    Call,
    Resign,
    Transfer,
    Admit,
    Dismiss,
    Stand,
    Withdraw,
    Learn,
}

/// What an event says besides its kind and its member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultArgument<M = u32> {
    /// Another member.
    Member(M),
    /// An id, which need not be a member's.
    Id(Id),
    /// What a clock gains, in millionths.
    Rate(i32),
    /// By how many ticks a clock jumps.
    Ticks(i64),
}

/// What sort of thing a [`FaultArgument`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the argument of that name")]
pub enum ArgumentKind {
    Member,
    Id,
    Rate,
    Ticks,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [FaultKind; 23] = [
        FaultKind::Crash,
        FaultKind::TornCrash,
        FaultKind::CrashSending,
        FaultKind::Recover,
        FaultKind::Start,
        FaultKind::Pause,
        FaultKind::Resume,
        FaultKind::Cut,
        FaultKind::Mend,
        FaultKind::Heal,
        FaultKind::Drift,
        FaultKind::Jump,
        FaultKind::Pretend,
        FaultKind::Forge,
        FaultKind::Silence,
        FaultKind::Call,
        FaultKind::Resign,
        FaultKind::Transfer,
        FaultKind::Admit,
        FaultKind::Dismiss,
        FaultKind::Stand,
        FaultKind::Withdraw,
        FaultKind::Learn,
    ];

    /// The word for it, in files, traces and options.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            FaultKind::Crash => "crash",
            FaultKind::TornCrash => "torn-crash",
            FaultKind::CrashSending => "crash-sending",
            FaultKind::Recover => "recover",
            FaultKind::Start => "start",
            FaultKind::Pause => "pause",
            FaultKind::Resume => "resume",
            FaultKind::Cut => "cut",
            FaultKind::Mend => "mend",
            FaultKind::Heal => "heal",
            FaultKind::Drift => "drift",
            FaultKind::Jump => "jump",
            FaultKind::Pretend => "pretend",
            FaultKind::Forge => "forge",
            FaultKind::Silence => "silence",
            FaultKind::Call => "call",
            FaultKind::Resign => "resign",
            FaultKind::Transfer => "transfer",
            FaultKind::Admit => "admit",
            FaultKind::Dismiss => "dismiss",
            FaultKind::Stand => "stand",
            FaultKind::Withdraw => "withdraw",
            FaultKind::Learn => "learn",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What an event of this kind says besides its kind and its member, if it says anything.
    #[must_use]
    pub fn takes(self) -> Option<ArgumentKind> {
        use FaultKind::{Admit, Cut, Dismiss, Drift, Forge, Jump, Learn, Mend, Pretend, Silence, Transfer};
        match self {
            Cut | Mend | Silence | Learn => Some(ArgumentKind::Member),
            Pretend | Forge | Transfer | Admit | Dismiss => Some(ArgumentKind::Id),
            Drift => Some(ArgumentKind::Rate),
            Jump => Some(ArgumentKind::Ticks),
            _ => None,
        }
    }

    /// Whether an event of this kind is a state of affairs, which at time 0 holds before anyone boots.
    #[must_use]
    pub fn is_condition(self) -> bool {
        use FaultKind::{Cut, Drift, Heal, Jump, Mend, Pretend, Silence};
        matches!(self, Cut | Mend | Heal | Drift | Jump | Pretend | Silence)
    }

    /// Whether the operator asks something of the member.
    #[must_use]
    pub fn is_request(self) -> bool {
        use FaultKind::{Admit, Dismiss, Resign, Stand, Transfer, Withdraw};
        matches!(self, Resign | Transfer | Admit | Dismiss | Stand | Withdraw)
    }
}

impl<M> FaultEvent<M> {
    /// Its kind, and what else it says.
    #[must_use]
    pub fn into_parts(self) -> (FaultKind, Option<FaultArgument<M>>) {
        match self {
            FaultEvent::Crash => (FaultKind::Crash, None),
            FaultEvent::TornCrash => (FaultKind::TornCrash, None),
            FaultEvent::CrashSending => (FaultKind::CrashSending, None),
            FaultEvent::Recover => (FaultKind::Recover, None),
            FaultEvent::Start => (FaultKind::Start, None),
            FaultEvent::Pause => (FaultKind::Pause, None),
            FaultEvent::Resume => (FaultKind::Resume, None),
            FaultEvent::Cut(to) => (FaultKind::Cut, Some(FaultArgument::Member(to))),
            FaultEvent::Mend(to) => (FaultKind::Mend, Some(FaultArgument::Member(to))),
            FaultEvent::Heal => (FaultKind::Heal, None),
            FaultEvent::Drift(millionths) => (FaultKind::Drift, Some(FaultArgument::Rate(millionths))),
            FaultEvent::Jump(ticks) => (FaultKind::Jump, Some(FaultArgument::Ticks(ticks))),
            FaultEvent::Lie(Lie::Pretend(id)) => (FaultKind::Pretend, Some(FaultArgument::Id(id))),
            FaultEvent::Lie(Lie::Forge(id)) => (FaultKind::Forge, Some(FaultArgument::Id(id))),
            FaultEvent::Lie(Lie::Silence(to)) => (FaultKind::Silence, Some(FaultArgument::Member(to))),
            FaultEvent::Call => (FaultKind::Call, None),
            FaultEvent::Request(Request::Resign) => (FaultKind::Resign, None),
            FaultEvent::Request(Request::Transfer(to)) => (FaultKind::Transfer, Some(FaultArgument::Id(to))),
            FaultEvent::Request(Request::Admit(id)) => (FaultKind::Admit, Some(FaultArgument::Id(id))),
            FaultEvent::Request(Request::Dismiss(id)) => (FaultKind::Dismiss, Some(FaultArgument::Id(id))),
            FaultEvent::Request(Request::Stand) => (FaultKind::Stand, None),
            FaultEvent::Request(Request::Withdraw) => (FaultKind::Withdraw, None),
            FaultEvent::Learn(of) => (FaultKind::Learn, Some(FaultArgument::Member(of))),
        }
    }

    /// The event of a kind; nothing if that kind says something else.
    #[must_use]
    pub fn from_parts(kind: FaultKind, argument: Option<FaultArgument<M>>) -> Option<FaultEvent<M>> {
        use FaultArgument::{Id, Member, Rate, Ticks};
        Some(match (kind, argument) {
            (FaultKind::Crash, None) => FaultEvent::Crash,
            (FaultKind::TornCrash, None) => FaultEvent::TornCrash,
            (FaultKind::CrashSending, None) => FaultEvent::CrashSending,
            (FaultKind::Recover, None) => FaultEvent::Recover,
            (FaultKind::Start, None) => FaultEvent::Start,
            (FaultKind::Pause, None) => FaultEvent::Pause,
            (FaultKind::Resume, None) => FaultEvent::Resume,
            (FaultKind::Cut, Some(Member(to))) => FaultEvent::Cut(to),
            (FaultKind::Mend, Some(Member(to))) => FaultEvent::Mend(to),
            (FaultKind::Heal, None) => FaultEvent::Heal,
            (FaultKind::Drift, Some(Rate(millionths))) => FaultEvent::Drift(millionths),
            (FaultKind::Jump, Some(Ticks(ticks))) => FaultEvent::Jump(ticks),
            (FaultKind::Pretend, Some(Id(id))) => FaultEvent::Lie(Lie::Pretend(id)),
            (FaultKind::Forge, Some(Id(id))) => FaultEvent::Lie(Lie::Forge(id)),
            (FaultKind::Silence, Some(Member(to))) => FaultEvent::Lie(Lie::Silence(to)),
            (FaultKind::Call, None) => FaultEvent::Call,
            (FaultKind::Resign, None) => FaultEvent::Request(Request::Resign),
            (FaultKind::Transfer, Some(Id(to))) => FaultEvent::Request(Request::Transfer(to)),
            (FaultKind::Admit, Some(Id(id))) => FaultEvent::Request(Request::Admit(id)),
            (FaultKind::Dismiss, Some(Id(id))) => FaultEvent::Request(Request::Dismiss(id)),
            (FaultKind::Stand, None) => FaultEvent::Request(Request::Stand),
            (FaultKind::Withdraw, None) => FaultEvent::Request(Request::Withdraw),
            (FaultKind::Learn, Some(Member(of))) => FaultEvent::Learn(of),
            _ => return None,
        })
    }

    /// The same with other names for members. (Ids in lies and requests need not be members': they stay.)
    ///
    /// # Errors
    /// The first name that `name` cannot translate.
    pub fn try_map<N, E>(self, name: impl FnOnce(M) -> Result<N, E>) -> Result<FaultEvent<N>, E> {
        Ok(match self {
            FaultEvent::Crash => FaultEvent::Crash,
            FaultEvent::TornCrash => FaultEvent::TornCrash,
            FaultEvent::CrashSending => FaultEvent::CrashSending,
            FaultEvent::Recover => FaultEvent::Recover,
            FaultEvent::Start => FaultEvent::Start,
            FaultEvent::Pause => FaultEvent::Pause,
            FaultEvent::Resume => FaultEvent::Resume,
            FaultEvent::Cut(to) => FaultEvent::Cut(name(to)?),
            FaultEvent::Mend(to) => FaultEvent::Mend(name(to)?),
            FaultEvent::Heal => FaultEvent::Heal,
            FaultEvent::Drift(millionths) => FaultEvent::Drift(millionths),
            FaultEvent::Jump(ticks) => FaultEvent::Jump(ticks),
            FaultEvent::Lie(Lie::Pretend(id)) => FaultEvent::Lie(Lie::Pretend(id)),
            FaultEvent::Lie(Lie::Forge(id)) => FaultEvent::Lie(Lie::Forge(id)),
            FaultEvent::Lie(Lie::Silence(to)) => FaultEvent::Lie(Lie::Silence(name(to)?)),
            FaultEvent::Call => FaultEvent::Call,
            FaultEvent::Request(request) => FaultEvent::Request(request),
            FaultEvent::Learn(of) => FaultEvent::Learn(name(of)?),
        })
    }
}

impl<M: Copy> FaultEvent<M> {
    /// Its kind.
    #[must_use]
    pub fn kind(self) -> FaultKind {
        self.into_parts().0
    }
}

impl FaultEvent<Id> {
    /// The other member that it is about, if it is about one.
    #[must_use]
    pub fn about(self) -> Option<Id> {
        match self {
            FaultEvent::Cut(other) | FaultEvent::Mend(other) | FaultEvent::Learn(other) => Some(other),
            FaultEvent::Lie(Lie::Silence(other)) => Some(other),
            FaultEvent::Request(request) => request.about(),
            _ => None,
        }
    }

    /// The same with other ids for members, those in lies and requests included.
    #[must_use]
    pub fn renamed(self, name: impl Fn(Id) -> Id) -> FaultEvent<Id> {
        match self {
            FaultEvent::Cut(other) => FaultEvent::Cut(name(other)),
            FaultEvent::Mend(other) => FaultEvent::Mend(name(other)),
            FaultEvent::Learn(other) => FaultEvent::Learn(name(other)),
            FaultEvent::Lie(Lie::Pretend(id)) => FaultEvent::Lie(Lie::Pretend(id)),
            FaultEvent::Lie(Lie::Forge(id)) => FaultEvent::Lie(Lie::Forge(name(id))),
            FaultEvent::Lie(Lie::Silence(other)) => FaultEvent::Lie(Lie::Silence(name(other))),
            FaultEvent::Request(request) => FaultEvent::Request(request.renamed(name)),
            plain => plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_put_together_from_its_parts() {
        let id = Id::new(9).unwrap();
        let arguments = [
            None,
            Some(FaultArgument::Member(3_u32)),
            Some(FaultArgument::Id(id)),
            Some(FaultArgument::Rate(-5)),
            Some(FaultArgument::Ticks(7)),
        ];
        for (number, kind) in FaultKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(FaultKind::from_word(kind.word()), Some(kind));
            // Each kind says one sort of thing.
            let events: Vec<FaultEvent> =
                arguments.into_iter().filter_map(|argument| FaultEvent::from_parts(kind, argument)).collect();
            let [event] = events[..] else { panic!("{kind:?}: {events:?}") };
            assert_eq!(event.kind(), kind);
            let (_, argument) = event.into_parts();
            let takes = argument.map(|argument| match argument {
                FaultArgument::Member(_) => ArgumentKind::Member,
                FaultArgument::Id(_) => ArgumentKind::Id,
                FaultArgument::Rate(_) => ArgumentKind::Rate,
                FaultArgument::Ticks(_) => ArgumentKind::Ticks,
            });
            assert_eq!(kind.takes(), takes, "{kind:?}");
            assert_eq!(FaultEvent::from_parts(kind, argument), Some(event));
            let by_id = event.try_map(|member| Id::new(u64::from(member) + 1)).unwrap();
            assert_eq!(by_id.kind(), kind);
            let is_about_4 = by_id.about() == Id::new(4).ok();
            assert_eq!(is_about_4, matches!(argument, Some(FaultArgument::Member(_))), "{kind:?}");
            assert_eq!(by_id.renamed(|id| id), by_id);
        }
        assert_eq!(FaultKind::from_word("crashes"), None);
    }
}
