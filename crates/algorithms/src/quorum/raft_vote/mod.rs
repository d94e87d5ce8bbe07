//! Raft's vote: terms, one durable vote a term, a majority, randomised time-outs.
//!
//! Rules, as in the paper (section 5.2 and 5.4.1) and the dissertation (sections in brackets):
//! 1. Time passes in terms, and whoever hears of a later one enters it and leads no longer.
//! 2. A follower that hears from no leader for a time drawn anew each time enters the next term, votes for itself
//!    and asks everyone (`request-vote`). If nothing comes of it in as long again, it does so once more.
//! 3. A member votes once a term, for the first that asks and whose log is no less fresh than its own. Term and
//!    vote are on disk before the answer (`vote`) leaves.
//! 4. With the votes of a majority it leads, and says so at once and ever again (`heartbeat`).
//! 5. A leader that a majority has not answered (`heard`) for the greatest time-out leads no longer [6.2].
//!
//! In the variant `pre-vote` [9.6] a follower first asks whether it would be voted for (`pre-vote`), and enters no
//! new term before a majority says so. Whoever has heard from a leader within the least time-out says no, and does
//! not vote either [4.2.3]: so one that was cut off and comes back deposes nobody.
//!
//! Departures: there is no log. A member's attribute stands for the term and the place of its last entry, and ids
//! play no part. Rule 5 is in the dissertation only; without it a leader alone would lead for ever.

use crate::sources::{ONGARO_2014, ONGARO_OUSTERHOUT_2014};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

mod words;
pub use words::{Msg, Timer};

/// The range of time-outs. Heartbeats come twice in the least of them.
const TIMEOUT: Key<RaftVote, (u64, u64)> = Key::range("timeout");
/// Whether it asks before it enters a new term.
const ASKS_FIRST: Key<RaftVote, bool> = Key::policy("pre-vote");

const TIMEOUT_RANGE: Parameter = Parameter::range(
    "timeout",
    "how long a member hears no leader before it starts an election: drawn anew each time",
    "tenths of a delay bound",
    (10, 10_000),
    (100, 200),
);
const PRE_VOTE_POLICY: Parameter = Parameter::policy(
    "pre-vote",
    "whether a member enters a new term only when a majority says that it would vote for it",
    &["no", "yes"],
);

/// With a vote before the vote.
pub const PRE_VOTE: Spec = Spec {
    variant: "pre-vote",
    summary: "as plain, but nobody asks for votes before a majority says that it misses a leader too",
    parameters: &[TIMEOUT_RANGE, PRE_VOTE_POLICY.at(ParamValue::Word(1))],
    ..RaftVote::SPEC
};

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RaftVote {
    ballot: Ballot,
    stage: Stage,
    leader: Option<Id>,
    /// Who has said yes since it stands; who has answered lately, if it leads.
    backers: BTreeSet<Port>,
    /// Whether it has heard from a leader within the least time-out (with pre-votes only).
    is_led: bool,
}

/// What is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ballot {
    /// The latest term that it has heard of.
    pub term: u64,
    /// Who has its vote in that term.
    pub voted_for: Option<Id>,
}

impl Ballot {
    fn renamed(self, names: &Names) -> Ballot {
        Ballot { voted_for: self.voted_for.map(|member| names.id(member)), ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Stage {
    Follower,
    /// It asks whether it would be voted for.
    Canvassing,
    Candidate,
    Leader,
}

impl Algorithm for RaftVote {
    type Timer = Timer;
    type Durable = Ballot;

    const RENAME: Option<Rename<Self>> = Some(Rename {
        state: |member, names| {
            member.ballot = member.ballot.renamed(names);
            member.leader = member.leader.map(|leader| names.id(leader));
            member.backers = member.backers.iter().map(|port| names.port(*port)).collect();
        },
        saved: |ballot, names| *ballot = ballot.renamed(names),
    });

    fn start(cx: &mut Cx<'_, Self>, ballot: Ballot) -> Self {
        let member = RaftVote {
            ballot,
            stage: Stage::Follower,
            leader: None,
            backers: BTreeSet::new(),
            is_led: false,
        };
        member.wait(cx);
        member
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("elections begin by themselves, when no leader has been heard for long enough");
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        if cx.is_too_far_ahead(msg.term(), self.ballot.term) {
            return;
        }
        if self.is_sure_of_its_leader(cx) && matches!(msg, Msg::RequestVote(..)) {
            cx.because("a leader has just been heard: nobody else is voted for");
            return;
        }
        if let Some(term) = msg.term_of_sender().filter(|&term| term > self.ballot.term) {
            cx.because("a later term: it is entered");
            if self.stage == Stage::Leader {
                self.wait(cx); // who follows or stands waits already
            }
            self.enter(cx, Ballot { term, voted_for: None });
        }
        match msg {
            Msg::RequestVote(term, log) => self.vote(cx, from, term, log),
            Msg::Vote(term, is_yes) => self.count(cx, from, Stage::Candidate, term, is_yes),
            Msg::PreVote(term, log) => self.answer_canvasser(cx, from, term, log),
            Msg::PreVoted(term, is_yes) => {
                self.count(cx, from, Stage::Canvassing, term.saturating_sub(1), is_yes);
            }
            Msg::Heartbeat(term) => self.hear(cx, from, term),
            Msg::Heard(term) if self.stage == Stage::Leader && term == self.ballot.term => {
                cx.because("one that follows has answered");
                self.backers.insert(from);
            }
            Msg::Heard(_) => {}
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        match timer {
            Timer::Election if self.stage == Stage::Leader => self.look_round(cx),
            Timer::Election if cx.parameter(ASKS_FIRST) => self.canvass(cx),
            Timer::Election => self.stand(cx),
            Timer::Heartbeat if self.stage == Stage::Leader => {
                cx.because("it leads, and says so again");
                self.beat(cx);
            }
            Timer::Heartbeat => {}
            Timer::Led => {
                cx.because("no leader has been heard for the least time-out");
                self.is_led = false;
            }
        }
    }
}

impl RaftVote {
    /// Rule 1: what it was to others in the term before is over.
    fn enter(&mut self, cx: &mut Cx<'_, Self>, ballot: Ballot) {
        self.write(cx, ballot);
        self.follow(cx, None);
    }

    fn write(&mut self, cx: &mut Cx<'_, Self>, ballot: Ballot) {
        self.ballot = ballot;
        cx.persist(ballot);
    }

    fn follow(&mut self, cx: &mut Cx<'_, Self>, leader: Option<Id>) {
        if self.stage == Stage::Leader {
            cx.cancel_timer(Timer::Heartbeat);
        }
        (self.stage, self.leader) = (Stage::Follower, leader);
        self.backers.clear();
    }

    /// Rule 2.
    fn wait(&self, cx: &mut Cx<'_, Self>) {
        cx.set_timer_within(Timer::Election, Self::time_outs(cx));
    }

    fn time_outs(cx: &Cx<'_, Self>) -> RangeInclusive<Span> {
        let span = |tenths| Span::from_ticks((cx.delay_bound() * tenths).ticks() / 10);
        let (least, most) = cx.parameter(TIMEOUT);
        span(least)..=span(most)
    }

    fn canvass(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("no leader is heard: it asks who would vote for it");
        self.follow(cx, None);
        self.is_led = false;
        cx.cancel_timer(Timer::Led);
        self.stage = Stage::Canvassing;
        self.wait(cx);
        self.ask(cx, Msg::PreVote(self.ballot.term.saturating_add(1), cx.rank().attribute()));
    }

    fn stand(&mut self, cx: &mut Cx<'_, Self>) {
        self.wait(cx);
        let Some(term) = self.ballot.term.checked_add(1) else {
            cx.because("there is no later term");
            return;
        };
        cx.because("no leader is heard: it stands for election in the next term");
        self.enter(cx, Ballot { term, voted_for: Some(cx.id()) });
        self.stage = Stage::Candidate;
        self.ask(cx, Msg::RequestVote(term, cx.rank().attribute()));
    }

    /// Says something to everyone; alone, it need not wait for answers.
    fn ask(&mut self, cx: &mut Cx<'_, Self>, msg: Msg) {
        Self::tell_everyone(cx, msg);
        self.advance(cx);
    }

    fn tell_everyone(cx: &mut Cx<'_, Self>, msg: Msg) {
        let everyone: Vec<Port> = cx.outgoing().collect();
        for port in everyone {
            cx.send(port, msg);
        }
    }

    /// Rule 3.
    fn vote(&mut self, cx: &mut Cx<'_, Self>, from: Port, term: u64, log: Attribute) {
        let candidate = cx.peer_rank(from).id();
        let is_free = self.ballot.voted_for.is_none_or(|voted_for| voted_for == candidate);
        let is_yes = term == self.ballot.term && is_free && Self::is_fresh(cx, log);
        if is_yes {
            cx.because("it has not voted for another in this term, and the log is fresh enough: it votes");
            self.write(cx, Ballot { term, voted_for: Some(candidate) });
            self.wait(cx);
        } else if term < self.ballot.term {
            cx.because("a candidate of a term gone by: it is told of the later one");
        } else if is_free {
            cx.because("the candidate's log is less fresh than its own: no vote");
        } else {
            cx.because("it has voted for another in this term: no vote");
        }
        cx.send(from, Msg::Vote(self.ballot.term, is_yes));
    }

    /// Whether a log is no less fresh than its own.
    fn is_fresh(cx: &Cx<'_, Self>, log: Attribute) -> bool {
        Rank::new(cx.rank().elect(), log, cx.id()) >= cx.rank()
    }

    fn is_sure_of_its_leader(&self, cx: &Cx<'_, Self>) -> bool {
        cx.parameter(ASKS_FIRST) && (self.is_led || self.stage == Stage::Leader)
    }

    /// It promises nothing, so nothing is written.
    fn answer_canvasser(&self, cx: &mut Cx<'_, Self>, from: Port, term: u64, log: Attribute) {
        let is_yes = term > self.ballot.term && !self.is_sure_of_its_leader(cx) && Self::is_fresh(cx, log);
        cx.because(if is_yes {
            "no leader is heard here either, and the log is fresh enough: it would vote"
        } else {
            "a leader is heard, or the term is gone by, or the log is less fresh: it would not vote"
        });
        cx.send(from, Msg::PreVoted(if is_yes { term } else { self.ballot.term }, is_yes));
    }

    /// An answer to what it asked at this stage, in that term.
    fn count(&mut self, cx: &mut Cx<'_, Self>, from: Port, stage: Stage, term: u64, is_yes: bool) {
        if is_yes && self.stage == stage && term == self.ballot.term {
            cx.because("another yes");
            self.backers.insert(from);
            self.advance(cx);
        }
    }

    /// Rule 4.
    fn advance(&mut self, cx: &mut Cx<'_, Self>) {
        if !self.has_majority(cx) {
            return;
        }
        if self.stage == Stage::Canvassing {
            return self.stand(cx);
        }
        cx.because("a majority has voted for it: it leads, and says so");
        (self.stage, self.leader) = (Stage::Leader, Some(cx.id()));
        self.backers.clear();
        self.set_look_round(cx);
        self.beat(cx);
    }

    fn has_majority(&self, cx: &Cx<'_, Self>) -> bool {
        self.backers.len() as u64 + 1 > u64::from(cx.size()) / 2
    }

    fn beat(&mut self, cx: &mut Cx<'_, Self>) {
        cx.set_timer(Timer::Heartbeat, Span::from_ticks(Self::time_outs(cx).start().ticks() / 2));
        Self::tell_everyone(cx, Msg::Heartbeat(self.ballot.term));
    }

    fn set_look_round(&self, cx: &mut Cx<'_, Self>) {
        cx.set_timer(Timer::Election, *Self::time_outs(cx).end());
    }

    /// Rule 5.
    fn look_round(&mut self, cx: &mut Cx<'_, Self>) {
        if self.has_majority(cx) {
            cx.because("a majority has answered: it goes on");
            self.backers.clear();
            self.set_look_round(cx);
        } else {
            cx.because("a majority has not answered: it leads no longer");
            self.follow(cx, None);
            self.wait(cx);
        }
    }

    fn hear(&mut self, cx: &mut Cx<'_, Self>, from: Port, term: u64) {
        if term < self.ballot.term {
            cx.because("a leader of a term gone by: it is told of the later one");
        } else if self.stage == Stage::Leader {
            cx.because("nobody else leads in this term: that was a lie");
            return;
        } else {
            cx.because("a leader is heard: it is followed");
            self.follow(cx, Some(cx.peer_rank(from).id()));
            self.wait(cx);
            if cx.parameter(ASKS_FIRST) {
                self.is_led = true;
                cx.set_timer(Timer::Led, *Self::time_outs(cx).start());
            }
        }
        cx.send(from, Msg::Heard(self.ballot.term));
    }
}

impl Protocol for RaftVote {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "raft-vote",
        variant: "plain",
        summary: "miss a leader for a random time, ask everyone for their one vote of the next term, lead with a majority",
        sources: &[ONGARO_OUSTERHOUT_2014, ONGARO_2014],
        need: Need::Complete,
        timing: Timing::BoundedDelay,
        links: Links::Any,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Incumbent,
        reign: Reign::PerTerm,
        electorate: Electorate::Majority,
        lasting: Lasting::GoesOn,
        knows: Knowledge::PEERS.union(Knowledge::SIZE).union(Knowledge::DELAY_BOUND),
        goal: Goal::EveryoneKnows,
        survives: Faults::UNHURRIED
            .union(Faults::CRASH)
            .union(Faults::RECOVERY)
            .union(Faults::LOSS)
            .union(Faults::LINK)
            .union(Faults::PARTITION)
            .union(Faults::CLOCK),
        randomised: true,
        parameters: &[TIMEOUT_RANGE, PRE_VOTE_POLICY],
        claims: &[Claim {
            name: "storage",
            measure: Measure::Storage,
            formula: "O(n): everyone else's id, and a port for everyone else, at most",
            expect: |run| {
                let ports = (run.n() - 1) * size_of::<Port>();
                Some(Expect::AtMost((size_of::<Self>() + ports) as f64))
            },
        }],
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        let role = match (self.stage, self.leader) {
            (Stage::Leader, _) => Role::Leader,
            (Stage::Follower, Some(_)) => Role::Follower,
            _ => Role::Undecided,
        };
        Status { role, leader: self.leader, term: self.ballot.term, halted: false }
    }

    fn storage(&self) -> usize {
        size_of::<Self>() + self.backers.len() * size_of::<Port>()
    }

    fn invariant(&self) -> Result<(), Broken> {
        match self.stage {
            // Under which name it voted for itself is another matter: it may pretend to be somebody else.
            Stage::Leader if self.ballot.voted_for.is_none() => {
                Err(Broken("a leader has voted in its term".into()))
            }
            Stage::Canvassing | Stage::Candidate if self.leader.is_some() => {
                Err(Broken("a member that stands has no leader".into()))
            }
            _ => Ok(()),
        }
    }
}
