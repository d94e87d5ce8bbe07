//! What can go wrong: every failure model of lecture 004, as data, and what members can be asked.
//!
//! What happens to members at given times is an [`Event`]. What the links do to messages, drawn from the
//! seed or chosen, is [`LinkFaults`]. How users write all that is in [`notation`].

mod links;
pub mod notation;
mod script;

pub use links::LinkWishes;
pub use script::{Partition, Scripted, check, cut, pause};

use bellwether_core::{Id, Request, Span, Time};
use std::fmt;

/// What can happen to a member. `M` names members: by index in a plan, by id where a user writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event<M = u32> {
    /// It stops. At time 0: it does not start.
    Crash,
    /// It stops in the middle of its next durable write: that write, and whatever was to come after it (timers,
    /// messages), does not happen. If it recovers, it finds what it had written before. What it has written
    /// stays written: a write of which anyone has heard is never lost. If it is to recover before it has written
    /// anything, nothing comes of it.
    TornCrash,
    /// It stops in the middle of sending, the next time that it sends anything: half of that input's
    /// messages go out (of a single one, none), and what was to be written has been. If it is to recover before it
    /// has sent anything, nothing comes of it.
    CrashSending,
    /// It boots again with what it has saved and, as it knows of no leader, calls an election.
    Recover,
    /// It boots now and not at the beginning. Until then messages wait for it at its door, as
    /// links lose nothing; if it is an initiator, it calls when it has booted.
    Start,
    /// It freezes: messages wait for it, and what its timers are for is overdue when it wakes.
    Pause,
    /// It wakes.
    Resume,
    /// What it sends to that one is lost from now on. (The other way is a matter of its own.)
    Cut(M),
    /// What it sends to that one arrives again.
    Mend(M),
    /// All links work again, whoever's they are.
    Heal,
    /// Its clock gains so many millionths from now on (loses, if negative).
    Drift(i32),
    /// Its clock jumps by so many ticks (back, if negative). Timers are deadlines on that clock.
    Jump(i64),
    /// It lies.
    Lie(Lie<M>),
    /// It calls an election, now and not at the beginning.
    Call,
    /// Whoever runs the members asks something of it. (That goes by ids: members know each other by no others.)
    Request(Request),
    /// It learns for certain that the process of that neighbour is dead. Runs in which crashes are certified
    /// ([`crate::Plan::certified_crashes`]) see to it that this is so; a script of our own can say what is not.
    Learn(M),
}

/// How a member lies. Whoever does is faulty for the rest of the run: nobody should elect it, and what
/// it thinks does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lie<M = u32> {
    /// It goes by this id from now on, and by the rank that goes with it.
    Pretend(Id),
    /// It tells all its neighbours, once, that this one has been elected.
    Forge(Id),
    /// It says nothing more to that one.
    Silence(M),
}

impl<M> Event<M> {
    /// The same with other names for members.
    ///
    /// # Errors
    /// The first name that `name` cannot translate.
    pub fn try_map<N, E>(self, mut name: impl FnMut(M) -> Result<N, E>) -> Result<Event<N>, E> {
        Ok(match self {
            Event::Crash => Event::Crash,
            Event::TornCrash => Event::TornCrash,
            Event::CrashSending => Event::CrashSending,
            Event::Recover => Event::Recover,
            Event::Start => Event::Start,
            Event::Pause => Event::Pause,
            Event::Resume => Event::Resume,
            Event::Cut(other) => Event::Cut(name(other)?),
            Event::Mend(other) => Event::Mend(name(other)?),
            Event::Heal => Event::Heal,
            Event::Drift(millionths) => Event::Drift(millionths),
            Event::Jump(ticks) => Event::Jump(ticks),
            Event::Lie(Lie::Pretend(id)) => Event::Lie(Lie::Pretend(id)),
            Event::Lie(Lie::Forge(id)) => Event::Lie(Lie::Forge(id)),
            Event::Lie(Lie::Silence(other)) => Event::Lie(Lie::Silence(name(other)?)),
            Event::Call => Event::Call,
            Event::Request(request) => Event::Request(request),
            Event::Learn(other) => Event::Learn(name(other)?),
        })
    }

    /// What it is called in files and on the command line.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Event::Crash => "crash",
            Event::TornCrash => "torn-crash",
            Event::CrashSending => "crash-sending",
            Event::Recover => "recover",
            Event::Start => "start",
            Event::Pause => "pause",
            Event::Resume => "resume",
            Event::Cut(_) => "cut",
            Event::Mend(_) => "mend",
            Event::Heal => "heal",
            Event::Drift(_) => "drift",
            Event::Jump(_) => "jump",
            Event::Lie(Lie::Pretend(_)) => "pretend",
            Event::Lie(Lie::Forge(_)) => "forge",
            Event::Lie(Lie::Silence(_)) => "silence",
            Event::Call => "call",
            Event::Request(Request::Resign) => "resign",
            Event::Request(Request::Transfer(_)) => "transfer",
            Event::Request(Request::Admit(_)) => "admit",
            Event::Request(Request::Dismiss(_)) => "dismiss",
            Event::Request(Request::Stand) => "stand",
            Event::Request(Request::Withdraw) => "withdraw",
            Event::Learn(_) => "learn",
        }
    }

    /// Whether it is a state of affairs, which at time 0 holds before anyone boots.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        match self {
            Event::Cut(_) | Event::Mend(_) | Event::Heal | Event::Drift(_) | Event::Jump(_) => true,
            Event::Lie(lie) => !matches!(lie, Lie::Forge(_)),
            _ => false,
        }
    }

    /// Its number among the kinds of events.
    #[must_use]
    pub fn number(&self) -> u8 {
        match self {
            Event::Crash => 0,
            Event::TornCrash => 1,
            Event::CrashSending => 2,
            Event::Recover => 3,
            Event::Start => 4,
            Event::Pause => 5,
            Event::Resume => 6,
            Event::Cut(_) => 7,
            Event::Mend(_) => 8,
            Event::Heal => 9,
            Event::Drift(_) => 10,
            Event::Jump(_) => 11,
            Event::Lie(Lie::Pretend(_)) => 12,
            Event::Lie(Lie::Forge(_)) => 13,
            Event::Lie(Lie::Silence(_)) => 14,
            Event::Call => 15,
            Event::Request(Request::Resign) => 16,
            Event::Request(Request::Transfer(_)) => 17,
            Event::Request(Request::Admit(_)) => 18,
            Event::Request(Request::Dismiss(_)) => 19,
            Event::Request(Request::Stand) => 20,
            Event::Request(Request::Withdraw) => 21,
            Event::Learn(_) => 22,
        }
    }

    /// Whether the member stops, now or soon.
    #[must_use]
    pub fn is_crash(&self) -> bool {
        matches!(self, Event::Crash | Event::TornCrash | Event::CrashSending)
    }
}

/// What the links do to messages.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFaults<M = u32> {
    /// The share of messages that is lost.
    pub loss: f64,
    /// How many messages of a link are lost in a row, on average; 1: each by itself. (Gilbert's model:
    /// in a burst everything is lost, outside nothing is.)
    pub burst: f64,
    /// The share of messages that arrives twice.
    pub duplication: f64,
    /// The share of messages that is held up and overtaken by later ones.
    pub reordering: f64,
    /// The longest that those are held up.
    pub held_up: Span,
    /// Until when the above goes on.
    pub until: Time,
    /// Messages chosen one by one.
    pub chosen: Vec<Chosen<M>>,
}

impl<M> Default for LinkFaults<M> {
    fn default() -> Self {
        LinkFaults {
            loss: 0.0,
            burst: 1.0,
            duplication: 0.0,
            reordering: 0.0,
            held_up: Span::from_hops(5),
            until: Time::NEVER,
            chosen: Vec::new(),
        }
    }
}

impl<M> LinkFaults<M> {
    /// Whether links do what they should.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.loss == 0.0 && self.duplication == 0.0 && self.reordering == 0.0 && self.chosen.is_empty()
    }
}

/// A message, or several, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen<M = u32> {
    /// Whose; anyone's unless given.
    pub from: Option<M>,
    /// To whom; to anyone unless given.
    pub to: Option<M>,
    /// Of which kind; of any unless given.
    pub kind: Option<String>,
    /// Which of them, counted from 1; all of them unless given.
    pub nth: Option<u64>,
    /// What becomes of it.
    pub fate: Fate,
}

impl<M: fmt::Display> fmt::Display for Chosen<M> {
    /// As files and the command line have it: `KIND:A-B#N`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.as_deref().unwrap_or_default())?;
        let anyone = |named: &Option<M>| named.as_ref().map_or_else(|| "*".to_owned(), M::to_string);
        if self.from.is_some() || self.to.is_some() {
            write!(f, ":{}-{}", anyone(&self.from), anyone(&self.to))?;
        }
        self.nth.map_or(Ok(()), |nth| write!(f, "#{nth}"))
    }
}

/// What becomes of a chosen message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does not arrive.
    Lost,
    /// It arrives twice.
    Twice,
}

impl<M: Copy> LinkFaults<M> {
    /// The same with other names for members.
    ///
    /// # Errors
    /// The first name that `name` cannot translate.
    pub fn try_map<N, E>(&self, mut name: impl FnMut(M) -> Result<N, E>) -> Result<LinkFaults<N>, E> {
        let mut chosen = Vec::with_capacity(self.chosen.len());
        for one in &self.chosen {
            chosen.push(Chosen {
                from: one.from.map(&mut name).transpose()?,
                to: one.to.map(&mut name).transpose()?,
                kind: one.kind.clone(),
                nth: one.nth,
                fate: one.fate,
            });
        }
        let LinkFaults { loss, burst, duplication, reordering, held_up, until, .. } = *self;
        Ok(LinkFaults { loss, burst, duplication, reordering, held_up, until, chosen })
    }
}
