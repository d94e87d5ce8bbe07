//! The quorum lease with one rule broken.

use crate::flawed::{Flaw, Flawed};
use bellwether_algorithms::quorum_lease::{Msg, Payload, QuorumLease, Saved, Timer, Version};
use bellwether_core::{Algorithm, Cx, Id, Port, Protocol, Request, Role, Status, Verdict};

/// No flaw: a failure in the tests below is not due to the way in which flaws are injected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sound;

impl Flaw for Sound {
    type Sound = QuorumLease;
    const NAME: &'static str = "sound";
}

/// A vote is not on disk: a member that restarts has lost it, and all its promises.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VoteNotDurable;

impl Flaw for VoteNotDurable {
    type Sound = QuorumLease;
    const NAME: &'static str = "vote-not-durable";

    fn finds(_: Saved) -> Saved {
        Saved::default()
    }
}

/// A voter forgets its promise when it is asked for its vote.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VotesDuringPromise;

impl Flaw for VotesDuringPromise {
    type Sound = QuorumLease;
    const NAME: &'static str = "votes-during-promise";

    fn hears(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, from: Port, msg: Msg) {
        member.pass(cx, |sound, cx| {
            if matches!(msg.word, Payload::Ask { .. } | Payload::Probe { .. }) {
                sound.on_timer(cx, Timer::Promise);
            }
            sound.on_message(cx, from, msg);
        });
    }
}

/// A voter votes in an old term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StaleTermAccepted;

impl Flaw for StaleTermAccepted {
    type Sound = QuorumLease;
    const NAME: &'static str = "stale-term-accepted";

    fn hears(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, from: Port, mut msg: Msg) {
        let asked = msg.term;
        if matches!(msg.word, Payload::Ask { .. }) {
            msg.term = asked.max(member.status().term + 1);
        }
        let is_stale = msg.term > asked;
        let answer = |said: Msg| match said.word {
            Payload::Vote(true) if is_stale => Some(Msg { term: asked, ..said }),
            _ => Some(said),
        };
        member.pass_saying(cx, |sound, cx| sound.on_message(cx, from, msg), answer);
    }
}

/// A leader that is to hand over does so without stepping down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeadsOn;

impl Flaw for LeadsOn {
    type Sound = QuorumLease;
    const NAME: &'static str = "leads-on";

    fn is_asked(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, request: Request) {
        if let (Request::Transfer(to), Role::Leader) = (request, member.status().role) {
            hand_over(cx, member.status().term, to);
        }
    }
}

/// A voter takes a suspicion (a closed connection, a missed beat) for a death certificate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SuspicionFrees;

impl Flaw for SuspicionFrees {
    type Sound = QuorumLease;
    const NAME: &'static str = "suspicion-frees";

    fn suspects(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, peer: Port, verdict: Verdict) {
        if verdict != Verdict::Working {
            member.pass(cx, |sound, cx| sound.on_death(cx, peer));
        }
    }
}

/// A leader hands over to a member that has not kept up, and its voters accept that this member does not know the
/// current voters. This member does not learn them either.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NotCaughtUp;

impl Flaw for NotCaughtUp {
    type Sound = QuorumLease;
    const NAME: &'static str = "not-caught-up";

    fn takes_for(_: Status, mut msg: Msg) -> Msg {
        if let Payload::Ask { version, released: Some(_), .. } = &mut msg.word {
            *version = Version { term: u64::MAX, number: 0 };
        }
        if let Payload::List(_) = msg.word {
            msg.word = Payload::Would(false);
        }
        msg
    }

    fn is_asked(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, request: Request) {
        match (request, member.status().role) {
            (Request::Transfer(to), Role::Leader) => {
                let term = member.status().term;
                // It steps down, but releases no voter.
                member.pass_saying(cx, |sound, cx| sound.on_request(cx, Request::Resign), |_| None);
                hand_over(cx, term, to);
            }
            _ => member.pass(cx, |sound, cx| sound.on_request(cx, request)),
        }
    }
}

fn hand_over<F: Flaw<Sound = QuorumLease>>(cx: &mut Cx<'_, Flawed<F>>, term: u64, to: Id) {
    let port = cx.outgoing().find(|&port| cx.peer_rank(port).id() == to);
    if let Some(port) = port {
        cx.send(port, Msg { term, word: Payload::HandOver { is_named: true } });
    }
}

/// Voters do not write the list that a leader of a later term stamps anew to disk, though they report it: the effect
/// is the same as no stamp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RestampNotWritten;

impl Flaw for RestampNotWritten {
    type Sound = QuorumLease;
    const NAME: &'static str = "restamp-not-written";

    fn hears(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, from: Port, mut msg: Msg) {
        let restamped = match &mut msg.word {
            Payload::Renew { voters, .. } => voters.take_if(|voters| voters.version.number == 1),
            _ => None,
        };
        let answer = |mut said: Msg| {
            if let (Payload::Kept { version, .. }, Some(voters)) = (&mut said.word, &restamped) {
                *version = voters.version;
            }
            Some(said)
        };
        member.pass_saying(cx, |sound, cx| sound.on_message(cx, from, msg), answer);
    }
}

/// A promise lasts for the length requested last, even if that ends earlier than the promise so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PromiseShortened;

impl Flaw for PromiseShortened {
    type Sound = QuorumLease;
    const NAME: &'static str = "promise-shortened";

    fn hears(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, from: Port, msg: Msg) {
        let said = (msg.term, msg.word.clone());
        member.pass(cx, |sound, cx| sound.on_message(cx, from, msg));
        if let (term, Payload::Renew { lease, .. }) = said
            && term == member.status().term
        {
            cx.set_timer(Timer::Promise, lease);
        }
    }
}

/// Voters accept a candidate with an older list of voters than theirs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AnyListWillDo;

impl Flaw for AnyListWillDo {
    type Sound = QuorumLease;
    const NAME: &'static str = "any-list-will-do";

    fn takes_for(_: Status, mut msg: Msg) -> Msg {
        if let Payload::Ask { version, .. } | Payload::Probe { version, .. } = &mut msg.word {
            *version = Version { term: u64::MAX, number: 0 };
        }
        msg
    }
}

/// A member that is asked whether it could win says yes without asking the voters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AbleUnasked;

impl Flaw for AbleUnasked {
    type Sound = QuorumLease;
    const NAME: &'static str = "able-unasked";

    fn hears(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, from: Port, msg: Msg) {
        match msg.word {
            Payload::Canvass { round, .. } => {
                cx.send(from, Msg { term: msg.term, word: Payload::Able { round } });
            }
            _ => member.pass(cx, |sound, cx| sound.on_message(cx, from, msg)),
        }
    }
}

/// A leader that learns that a higher-ranked member could win hands over without stepping down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeadsOnWhenAble;

impl Flaw for LeadsOnWhenAble {
    type Sound = QuorumLease;
    const NAME: &'static str = "leads-on-when-able";

    fn hears(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, from: Port, msg: Msg) {
        match msg.word {
            Payload::Able { .. } if member.status().role == Role::Leader => {
                cx.send(from, Msg { term: msg.term, word: Payload::HandOver { is_named: false } });
            }
            _ => member.pass(cx, |sound, cx| sound.on_message(cx, from, msg)),
        }
    }
}
