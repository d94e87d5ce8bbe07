//! One instance: rules 1 to 5.

use super::*;

impl Paxos {
    /// Rule 1; or, if its ballot has been neither refused nor completed, sends again to those that have not answered.
    pub(super) fn propose(&mut self, cx: &mut Cx<'_, Self>) {
        let (word, answered): (Payload, BTreeSet<Port>) = match &self.proposal {
            Proposal::Preparing(ballot, promises) => {
                (Payload::Prepare(*ballot), promises.keys().copied().collect())
            }
            Proposal::Accepting(accepted, acceptors) => (Payload::Accept(*accepted), acceptors.clone()),
            Proposal::None => {
                let round = self.saved.promised.map_or(0, |ballot| ballot.round).saturating_add(1);
                let ballot = Ballot { round, proposer: cx.rank() };
                self.saved.promised = Some(ballot);
                cx.persist(self.saved);
                self.proposal = Proposal::Preparing(ballot, BTreeMap::new());
                (Payload::Prepare(ballot), BTreeSet::new())
            }
        };
        cx.because("its turn to propose: ask the members that have not answered");
        cx.set_timer(Timer::Patience, cx.delay_bound() * STAGGER);
        let asked: Vec<Port> = cx.outgoing().filter(|port| !answered.contains(port)).collect();
        for port in asked {
            self.say(cx, port, word);
        }
        self.accept_if_promised(cx); // a single member is a majority
    }

    /// Rule 2, and the end of rule 8.
    pub(super) fn on_prepare(&mut self, cx: &mut Cx<'_, Self>, from: Port, ballot: Ballot) {
        if self.has_leader && !self.is_leader(cx, from) {
            cx.because("the leader works: ignore ballots of other members");
            return;
        }
        if Some(ballot) < self.saved.promised {
            self.refuse(cx, from);
            return;
        }
        cx.because("the greatest ballot so far: promise it");
        self.keep_to(cx, ballot);
        cx.persist(self.saved);
        self.say(cx, from, Payload::Promise(ballot, self.saved.accepted));
    }

    fn refuse(&self, cx: &mut Cx<'_, Self>, from: Port) {
        cx.because("a greater ballot is promised: refuse");
        if let Some(promised) = self.saved.promised {
            self.say(cx, from, Payload::Refused(promised));
        }
    }

    /// Another member's ballot comes first: its own ballot cannot be decided any more.
    fn keep_to(&mut self, cx: &mut Cx<'_, Self>, ballot: Ballot) {
        self.saved.promised = Some(ballot);
        if self.leads {
            cx.cancel_timer(Timer::Beat);
        }
        cx.cancel_timer(Timer::Silence);
        (self.leads, self.has_leader) = (false, false);
        self.wait(cx, STAGGER);
    }

    pub(super) fn on_promise(
        &mut self,
        cx: &mut Cx<'_, Self>,
        from: Port,
        ballot: Ballot,
        accepted: Option<Accepted>,
    ) {
        cx.because("a promise: count it");
        if let Proposal::Preparing(own, promises) = &mut self.proposal
            && *own == ballot
        {
            promises.insert(from, accepted);
            self.accept_if_promised(cx);
        }
    }

    /// Rule 3.
    fn accept_if_promised(&mut self, cx: &mut Cx<'_, Self>) {
        let Proposal::Preparing(ballot, promises) = &self.proposal else { return };
        if promises.len() + 1 < Self::majority(cx) {
            return;
        }
        cx.because("a majority has promised: ask all to accept the greatest accepted proposal, or itself");
        let accepted = promises.values().copied().fold(self.saved.accepted, Option::max);
        let leader = accepted.map_or(cx.id(), |accepted| accepted.leader);
        let accepted = Accepted { ballot: *ballot, leader };
        self.saved.accepted = Some(accepted);
        cx.persist(self.saved);
        self.proposal = Proposal::Accepting(accepted, BTreeSet::new());
        cx.set_timer(Timer::Patience, cx.delay_bound() * STAGGER);
        self.say_to_all(cx, Payload::Accept(accepted));
        self.decide_if_accepted(cx);
    }

    /// Rule 4.
    pub(super) fn on_accept(&mut self, cx: &mut Cx<'_, Self>, from: Port, accepted: Accepted) {
        if Some(accepted.ballot) < self.saved.promised {
            self.refuse(cx, from);
            return;
        }
        cx.because("no greater ballot is promised: accept");
        self.keep_to(cx, accepted.ballot);
        self.saved.accepted = Some(accepted);
        cx.persist(self.saved);
        self.say(cx, from, Payload::HaveAccepted(accepted.ballot));
    }

    pub(super) fn on_accepted(&mut self, cx: &mut Cx<'_, Self>, from: Port, ballot: Ballot) {
        cx.because("an acceptance: count it");
        if let Proposal::Accepting(accepted, acceptors) = &mut self.proposal
            && accepted.ballot == ballot
        {
            acceptors.insert(from);
            self.decide_if_accepted(cx);
        }
    }

    /// Rule 5.
    fn decide_if_accepted(&mut self, cx: &mut Cx<'_, Self>) {
        let Proposal::Accepting(accepted, acceptors) = &self.proposal else { return };
        if acceptors.len() + 1 < Self::majority(cx) {
            return;
        }
        let instance = instance(self.saved.decision).saturating_add(1);
        self.learn(cx, Decision { instance, leader: accepted.leader });
        cx.because("a majority has accepted: the leader is decided, tell all");
        self.say_to_all(cx, Payload::Decided);
    }

    pub(super) fn on_refused(&mut self, cx: &mut Cx<'_, Self>, ballot: Ballot) {
        if self.has_leader || Some(ballot) <= self.saved.promised {
            cx.because("that ballot is already known, or a leader is decided: ignored");
            return;
        }
        cx.because("refused because of a greater ballot: promise that one and wait");
        self.keep_to(cx, ballot);
        cx.persist(self.saved);
    }
}
