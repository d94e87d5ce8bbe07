//! Raft's vote: terms, one durable vote per term, a majority, random election time-outs.
//!
//! Rules, as in the paper (sections 5.2 and 5.4.1) and the dissertation (sections in brackets):
//! 1. Time is divided into terms. A member that learns a later term enters it and steps down if it leads.
//! 2. A follower that hears from no leader for a random time, drawn anew each time, enters the next term, votes for
//!    itself and asks all others (`request-vote`). If no leader is elected within another such time, it does so
//!    again.
//! 3. A member votes once per term, for the first candidate whose log is at least as up to date as its own. Term and
//!    vote are on disk before the answer (`vote`) leaves.
//! 4. With the votes of a majority it leads, and sends `heartbeat` at once and at regular intervals.
//! 5. A leader that a majority has not answered (`heard`) for the longest election time-out steps down [6.2].
//!
//! In the variant `pre-vote` [9.6] a follower first asks whether it would get votes (`pre-vote`), and enters no new
//! term before a majority says so. A member that has heard from a leader within the shortest election time-out
//! answers no, and does not vote either [4.2.3]: so a member that was cut off deposes no leader when it returns.
//!
//! Departures: there is no log. A member's attribute stands for the term and index of its last entry, and ids do not
//! matter. Rule 5 is in the dissertation only; without it a leader that is cut off would lead for ever.

use crate::sources::{ONGARO_2014, ONGARO_OUSTERHOUT_2014};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

mod messages;
pub use messages::{Msg, Timer};

/// The range of election time-outs. The heartbeat interval is half of the shortest.
const TIMEOUT: Key<RaftVote, (u64, u64)> = Key::range("timeout");
/// Whether it asks before it enters a new term.
const ASKS_FIRST: Key<RaftVote, bool> = Key::policy("pre-vote");

const TIMEOUT_RANGE: Parameter = Parameter::range(
    "timeout",
    "how long a member hears from no leader before it starts an election: drawn anew each time",
    "tenths of a delay bound",
    (10, 10_000),
    (100, 200),
);
const PRE_VOTE_POLICY: Parameter = Parameter::policy(
    "pre-vote",
    "whether a member enters a new term only when a majority says that it would vote for it",
    &["no", "yes"],
);

/// With pre-votes.
pub const PRE_VOTE: Spec = Spec {
    variant: "pre-vote",
    summary: "as plain, but a member asks for votes only after a majority says that it has no leader either",
    parameters: &[TIMEOUT_RANGE, PRE_VOTE_POLICY.at(ParamValue::Word(1))],
    ..RaftVote::SPEC
};

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RaftVote {
    ballot: Ballot,
    stage: Stage,
    leader: Option<Id>,
    /// For a candidate, the members that have said yes; for a leader, those that have answered recently.
    backers: BTreeSet<Port>,
    /// Whether it has heard from a leader within the shortest election time-out (with pre-votes only).
    is_led: bool,
}

/// The state on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ballot {
    /// The latest term that it knows.
    pub term: u64,
    /// The member that has its vote in that term.
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
    /// It asks whether it would get votes.
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
        cx.because("elections start by themselves, when no leader is heard for long enough: nothing to do");
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        if cx.is_too_far_ahead(msg.term(), self.ballot.term) {
            return;
        }
        if self.has_working_leader(cx) && matches!(msg, Msg::RequestVote(..)) {
            cx.because("there is a working leader: ignore the request for a vote");
            return;
        }
        if let Some(term) = msg.term_of_sender().filter(|&term| term > self.ballot.term) {
            cx.because("a later term: enter it");
            if self.stage == Stage::Leader {
                self.wait(cx); // a follower or candidate waits already
            }
            self.enter(cx, Ballot { term, voted_for: None });
        }
        match msg {
            Msg::RequestVote(term, log) => self.vote(cx, from, term, log),
            Msg::Vote(term, is_yes) => self.count(cx, from, Stage::Candidate, term, is_yes),
            Msg::PreVote(term, log) => self.answer_pre_vote(cx, from, term, log),
            Msg::PreVoted(term, is_yes) => {
                self.count(cx, from, Stage::Canvassing, term.saturating_sub(1), is_yes);
            }
            Msg::Heartbeat(term) => self.hear(cx, from, term),
            Msg::Heard(term) if self.stage == Stage::Leader && term == self.ballot.term => {
                cx.because("a follower has answered: count it");
                self.backers.insert(from);
            }
            Msg::Heard(_) => {}
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        match timer {
            Timer::Election if self.stage == Stage::Leader => self.check_majority(cx),
            Timer::Election if cx.parameter(ASKS_FIRST) => self.ask_for_pre_votes(cx),
            Timer::Election => self.stand(cx),
            Timer::Heartbeat if self.stage == Stage::Leader => {
                cx.because("time for a heartbeat: send it to all");
                self.beat(cx);
            }
            Timer::Heartbeat => {}
            Timer::Led => {
                cx.because("no leader heard for the shortest time-out: free to support another");
                self.is_led = false;
            }
        }
    }
}

impl RaftVote {
    /// Rule 1: its role in the previous term is over.
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

    fn ask_for_pre_votes(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("no leader heard in time: ask the others whether they would vote for it");
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
        cx.because("no leader heard in time: become a candidate in the next term");
        self.enter(cx, Ballot { term, voted_for: Some(cx.id()) });
        self.stage = Stage::Candidate;
        self.ask(cx, Msg::RequestVote(term, cx.rank().attribute()));
    }

    /// Sends a question to all; a single member need not wait for answers.
    fn ask(&mut self, cx: &mut Cx<'_, Self>, msg: Msg) {
        Self::tell_everyone(cx, msg);
        self.advance(cx);
    }

    fn tell_everyone(cx: &mut Cx<'_, Self>, msg: Msg) {
        let all_members: Vec<Port> = cx.outgoing().collect();
        for port in all_members {
            cx.send(port, msg);
        }
    }

    /// Rule 3.
    fn vote(&mut self, cx: &mut Cx<'_, Self>, from: Port, term: u64, log: Attribute) {
        let candidate = cx.peer_rank(from).id();
        let is_free = self.ballot.voted_for.is_none_or(|voted_for| voted_for == candidate);
        let is_yes = term == self.ballot.term && is_free && Self::is_fresh(cx, log);
        if is_yes {
            cx.because("no vote for another in this term, and the log is up to date: vote for the candidate");
            self.write(cx, Ballot { term, voted_for: Some(candidate) });
            self.wait(cx);
        } else if term < self.ballot.term {
            cx.because("the candidate's term is old: reply with the current term, no vote");
        } else if is_free {
            cx.because("the candidate's log is less up to date than its own: no vote");
        } else {
            cx.because("already voted for another in this term: no vote");
        }
        cx.send(from, Msg::Vote(self.ballot.term, is_yes));
    }

    /// Whether a log is at least as up to date as its own.
    fn is_fresh(cx: &Cx<'_, Self>, log: Attribute) -> bool {
        Rank::new(cx.rank().elect(), log, cx.id()) >= cx.rank()
    }

    fn has_working_leader(&self, cx: &Cx<'_, Self>) -> bool {
        cx.parameter(ASKS_FIRST) && (self.is_led || self.stage == Stage::Leader)
    }

    /// A pre-vote promises nothing, so it is not written to disk.
    fn answer_pre_vote(&self, cx: &mut Cx<'_, Self>, from: Port, term: u64, log: Attribute) {
        let is_yes = term > self.ballot.term && !self.has_working_leader(cx) && Self::is_fresh(cx, log);
        cx.because(if is_yes {
            "no leader heard here either, and the log is up to date: it would vote"
        } else {
            "a leader is heard, or the term is old, or the log is less up to date: it would not vote"
        });
        cx.send(from, Msg::PreVoted(if is_yes { term } else { self.ballot.term }, is_yes));
    }

    /// An answer to its question at this stage, in that term.
    fn count(&mut self, cx: &mut Cx<'_, Self>, from: Port, stage: Stage, term: u64, is_yes: bool) {
        if is_yes && self.stage == stage && term == self.ballot.term {
            cx.because("a yes: count it");
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
        cx.because("a majority has voted for this member: lead and announce");
        (self.stage, self.leader) = (Stage::Leader, Some(cx.id()));
        self.backers.clear();
        self.set_majority_check(cx);
        self.beat(cx);
    }

    fn has_majority(&self, cx: &Cx<'_, Self>) -> bool {
        self.backers.len() as u64 + 1 > u64::from(cx.size()) / 2
    }

    fn beat(&mut self, cx: &mut Cx<'_, Self>) {
        cx.set_timer(Timer::Heartbeat, Span::from_ticks(Self::time_outs(cx).start().ticks() / 2));
        Self::tell_everyone(cx, Msg::Heartbeat(self.ballot.term));
    }

    fn set_majority_check(&self, cx: &mut Cx<'_, Self>) {
        cx.set_timer(Timer::Election, *Self::time_outs(cx).end());
    }

    /// Rule 5.
    fn check_majority(&mut self, cx: &mut Cx<'_, Self>) {
        if self.has_majority(cx) {
            cx.because("a majority has answered: stay the leader");
            self.backers.clear();
            self.set_majority_check(cx);
        } else {
            cx.because("no answers from a majority: step down");
            self.follow(cx, None);
            self.wait(cx);
        }
    }

    fn hear(&mut self, cx: &mut Cx<'_, Self>, from: Port, term: u64) {
        if term < self.ballot.term {
            cx.because("a leader of an old term: reply with the current term");
        } else if self.stage == Stage::Leader {
            cx.because("this member leads in this term, so the heartbeat is forged: ignored");
            return;
        } else {
            cx.because("a heartbeat of the current term: follow the leader");
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
        summary: "without a leader for a random time, ask all for their vote in the next term; with a majority of the votes, lead",
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
            formula: "O(n): at most the ids of all others, and a port for each of them",
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
            // It need not have voted for its own id: a lying member may use another id.
            Stage::Leader if self.ballot.voted_for.is_none() => {
                Err(Broken("a leader has voted in its term".into()))
            }
            Stage::Canvassing | Stage::Candidate if self.leader.is_some() => {
                Err(Broken("a candidate has no leader".into()))
            }
            _ => Ok(()),
        }
    }
}
