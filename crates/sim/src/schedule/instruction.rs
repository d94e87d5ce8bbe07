//! How one step of a schedule is written: `deliver 3 -> 1 #2 draw 4 crash after 1`, members by their ids.

use bellwether_core::{Fate, FaultEvent, FaultKind, Id, Port, Request, Verdict};
use std::fmt::{self, Display};
use std::str::FromStr;

/// One step of a schedule, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What happens.
    pub deed: ActionText,
    /// Which of the ways in which drawn numbers can fall, from 0; it is written from 1, and the first not at
    /// all.
    pub draw: u16,
    /// The member that acts crashes before it is done.
    pub crash_after: Option<CrashPoint>,
}

/// What can happen, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionText {
    /// Something happens to a member: `boot 3`, `call 3`, `crash 4`, `recover 4`, `pause 4`, `wake 4`, `ask 3: resign`,
    /// `ask 3: transfer 1`, `certify 2: 3` (who is told, and of whose death).
    Member(Id, FaultEvent<Id>),
    /// `lose 3 -> 1`, `duplicate 3 -> 1`
    Link(Envelope, Fate),
    /// `call 3 again`
    CallAgain(Id),
    /// `deliver 3 -> 1`
    Deliver(Envelope),
    /// `time-out 2`, or `time-out 2 #3`: one of its pending timers, from 0.
    TimeOut(Id, u8),
    /// `tell 2: 4 failed`, or `working`, `suspected`, `unsuspected`: who is told, and of whom.
    Tell(Endpoint, Id, Notice),
    /// `tick`
    Tick,
}

/// How far a member comes with what it was to do before it crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CrashPoint {
    /// What it was to write is torn: it finds what was there before, and has sent nothing.
    TornWrite,
    /// It has written what it was to write, and sent so many of its messages.
    Sends(u8),
}

/// What a member can hear of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Notice {
    /// It is dead: a detector says so, and is right.
    Failed,
    /// It is dead, says a detector, and is wrong. Later the detector says that it works.
    FalselyFailed,
    /// It is back, after it was dead, or was never dead.
    Working,
    /// It is suspected, rightly or wrongly: by a detector with three values, or because a connection has closed.
    Suspected,
    /// It is suspected no longer: it has been heard, or a connection has opened.
    Unsuspected,
}

impl Notice {
    /// All of them.
    pub const ALL: [Notice; 5] =
        [Notice::Failed, Notice::FalselyFailed, Notice::Working, Notice::Suspected, Notice::Unsuspected];

    /// As people write it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Notice::Failed => "failed",
            Notice::FalselyFailed => "falsely-failed",
            Notice::Working => "working",
            Notice::Suspected => "suspected",
            Notice::Unsuspected => "unsuspected",
        }
    }

    /// Whether it is a suspicion, or the end of one: a word that may be wrong.
    #[must_use]
    pub fn is_suspicion(self) -> bool {
        matches!(self, Notice::Suspected | Notice::Unsuspected)
    }
}

impl From<Notice> for Verdict {
    fn from(word: Notice) -> Verdict {
        match word {
            Notice::Failed | Notice::FalselyFailed => Verdict::Failed,
            Notice::Working | Notice::Unsuspected => Verdict::Working,
            Notice::Suspected => Verdict::Suspected,
        }
    }
}

/// A member, and one of its ports where that has to be said: `3` or `3.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Whose.
    pub id: Id,
    /// Which, where several lead to the same member.
    pub port: Option<Port>,
}

/// A message on its way: `3 -> 1`, or `3 -> 1 #2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Who sent it, by which port.
    pub from: Endpoint,
    /// To whom.
    pub to: Id,
    /// Its place on its wire, from 0; it is written from 1, and the first not at all.
    pub place: u8,
}

/// What steps look like, for whoever wrote something else.
const EXAMPLES: &str = "call 3, deliver 3 -> 1, lose 3 -> 1, duplicate 3 -> 1 #2, time-out 2, \
                        tell 2: 4 failed, tell 2: 4 falsely-failed, tell 2: 4 working, tell 2: 4 suspected, call 3 again, tick, crash 4, recover 4, pause 4, wake 4, \
                        ask 3: resign, ask 3: transfer 1, certify 2: 3 or boot 4";

impl Instruction {
    /// What sort of thing happens to a member, if anything does.
    #[must_use]
    pub fn event(&self) -> Option<FaultKind> {
        if let ActionText::Member(_, event) = self.deed { Some(event.kind()) } else { None }
    }
}

impl FromStr for Instruction {
    type Err = String;

    fn from_str(text: &str) -> Result<Instruction, String> {
        let spaced = text.replace("->", " -> ").replace('#', " #").replace(':', " : ");
        let mut words: Vec<&str> = spaced.split_whitespace().collect();
        let mut crash_after = None;
        if let [before @ .., "crash", "after", count] = &words[..] {
            crash_after = Some(CrashPoint::Sends(number(count, 0)?));
            words.truncate(before.len());
        } else if let [before @ .., "crash", "torn"] = &words[..] {
            crash_after = Some(CrashPoint::TornWrite);
            words.truncate(before.len());
        }
        let mut draw = 0;
        if let [before @ .., "draw", which] = &words[..] {
            draw = number::<u16>(which, 1)? - 1;
            words.truncate(before.len());
        }
        let mut place = None;
        if let [before @ .., last] = &words[..]
            && let Some(which) = last.strip_prefix('#')
        {
            place = Some(number::<u8>(which, 1)? - 1);
            words.truncate(before.len());
        }
        let letter = |from: &str, to: &str| {
            Ok::<_, String>(Envelope { from: from.parse()?, to: id(to)?, place: place.unwrap_or(0) })
        };
        let deed = match words[..] {
            ["deliver", from, "->", to] => ActionText::Deliver(letter(from, to)?),
            ["lose", from, "->", to] => ActionText::Link(letter(from, to)?, Fate::Lost),
            ["duplicate", from, "->", to] => ActionText::Link(letter(from, to)?, Fate::Twice),
            ["time-out", member] => ActionText::TimeOut(id(member)?, place.unwrap_or(0)),
            _ if place.is_some() => {
                return Err(format!("'{text}': '#' goes with a message or with time-out: leave it out"));
            }
            ["boot", member] => ActionText::Member(id(member)?, FaultEvent::Start),
            ["call", member] => ActionText::Member(id(member)?, FaultEvent::Call),
            ["call", member, "again"] => ActionText::CallAgain(id(member)?),
            ["tell", member, ":", of, told] => {
                let word = Notice::ALL.into_iter().find(|word| word.text() == told);
                ActionText::Tell(member.parse()?, id(of)?, word.ok_or_else(|| not_a_step(text))?)
            }
            ["tick"] => ActionText::Tick,
            ["crash", member] => ActionText::Member(id(member)?, FaultEvent::Crash),
            ["recover", member] => ActionText::Member(id(member)?, FaultEvent::Recover),
            ["pause", member] => ActionText::Member(id(member)?, FaultEvent::Pause),
            ["wake", member] => ActionText::Member(id(member)?, FaultEvent::Resume),
            ["certify", member, ":", of] => ActionText::Member(id(member)?, FaultEvent::Learn(id(of)?)),
            ["ask", member, ":", ref what @ ..] => {
                ActionText::Member(id(member)?, FaultEvent::Request(request(text, what)?))
            }
            _ => return Err(not_a_step(text)),
        };
        Ok(Instruction { deed, draw, crash_after })
    }
}

fn not_a_step(text: &str) -> String {
    format!("'{text}' is no step: expected {EXAMPLES}, say")
}

/// A number, from `least` on.
fn number<N: FromStr + PartialOrd + From<u8>>(word: &str, least: u8) -> Result<N, String> {
    let number = word.parse().ok().filter(|number| *number >= N::from(least));
    number.ok_or_else(|| {
        format!("'{word}' is no number that can stand here: expected {least} or a little more")
    })
}

fn request(text: &str, words: &[&str]) -> Result<Request, String> {
    Ok(match *words {
        ["resign"] => Request::Resign,
        ["transfer", to] => Request::Transfer(id(to)?),
        ["admit", whom] => Request::Admit(id(whom)?),
        ["dismiss", whom] => Request::Dismiss(id(whom)?),
        ["stand"] => Request::Stand,
        ["withdraw"] => Request::Withdraw,
        _ => {
            return Err(format!(
                "'{text}': a member is asked to resign, transfer 1, admit 1, dismiss 1, withdraw or stand, say"
            ));
        }
    })
}

fn id(word: &str) -> Result<Id, String> {
    let number = word.parse().map_err(|_| format!("'{word}' is no id: expected a whole number"))?;
    Id::new(number).map_err(|error| error.to_string())
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(word: &str) -> Result<Endpoint, String> {
        let Some((member, port)) = word.split_once('.') else {
            return Ok(Endpoint { id: id(word)?, port: None });
        };
        let port = port.parse().map_err(|_| format!("'{word}' names no port: expected 3 or 3.1, say"))?;
        Ok(Endpoint { id: id(member)?, port: Some(Port(port)) })
    }
}

impl Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            None => self.id.fmt(f),
            Some(port) => write!(f, "{}.{}", self.id, port.0),
        }
    }
}

/// A place or a number: the first is not written.
struct Place(u8);

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, " #{}", u16::from(self.0) + 1) }
    }
}

impl Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}{}", self.from, self.to, Place(self.place))
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.deed {
            ActionText::Member(id, event) => write_event(f, id, event),
            ActionText::Link(letter, Fate::Lost) => write!(f, "lose {letter}"),
            ActionText::Link(letter, Fate::Twice) => write!(f, "duplicate {letter}"),
            ActionText::CallAgain(id) => write!(f, "call {id} again"),
            ActionText::Deliver(letter) => write!(f, "deliver {letter}"),
            ActionText::TimeOut(id, number) => write!(f, "time-out {id}{}", Place(number)),
            ActionText::Tell(member, of, word) => write!(f, "tell {member}: {of} {}", word.text()),
            ActionText::Tick => f.write_str("tick"),
        }?;
        if self.draw > 0 {
            write!(f, " draw {}", u32::from(self.draw) + 1)?;
        }
        match self.crash_after {
            None => Ok(()),
            Some(CrashPoint::TornWrite) => f.write_str(" crash torn"),
            Some(CrashPoint::Sends(count)) => write!(f, " crash after {count}"),
        }
    }
}

/// Schedules have words of their own for some events.
fn write_event(f: &mut fmt::Formatter<'_>, id: Id, event: FaultEvent<Id>) -> fmt::Result {
    let (kind, word) = (event.kind(), event.kind().word());
    match kind {
        FaultKind::Start => write!(f, "boot {id}"),
        FaultKind::Resume => write!(f, "wake {id}"),
        FaultKind::Learn => write!(f, "certify {id}"),
        _ if kind.is_request() => write!(f, "ask {id}: {word}"),
        _ => write!(f, "{word} {id}"),
    }?;
    match event.about() {
        None => Ok(()),
        Some(other) if kind == FaultKind::Learn => write!(f, ": {other}"),
        Some(other) => write!(f, " {other}"),
    }
}
