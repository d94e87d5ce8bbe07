//! The election: rules 1 to 5.

use super::*;

impl Zookeeper {
    /// Rule 1.
    pub(super) fn look(&mut self, cx: &mut Cx<'_, Self>) {
        cx.cancel_timer(Timer::Tick);
        cx.cancel_timer(Timer::Silence);
        self.state = State::Looking;
        (self.leader, self.epoch, self.is_established) = (None, None, false);
        self.infos.clear();
        self.acks.clear();
        self.answers = Answers::default();
        self.round = self.round.saturating_add(1);
        self.resent = 0;
        self.votes.clear();
        self.change_vote(cx, self.own_vote(cx));
        self.settle(cx); // a single member has a majority
        cx.set_timer(Timer::Resend, cx.delay_bound() * RESEND_WAIT);
    }

    /// For itself, if it may lead; otherwise none, and any vote is better.
    fn own_vote(&self, cx: &Cx<'_, Self>) -> Option<Vote> {
        cx.duty().leads().then(|| Vote { epoch: self.epochs.current, candidate: cx.rank() })
    }

    fn change_vote(&mut self, cx: &mut Cx<'_, Self>, vote: Option<Vote>) {
        self.vote = vote;
        self.finalizing = false;
        cx.cancel_timer(Timer::Finalize);
        self.tell_everyone(cx);
    }

    fn tell_everyone(&self, cx: &mut Cx<'_, Self>) {
        let voters: Vec<Port> = cx.outgoing().filter(|&port| cx.peer_duty(port).votes()).collect();
        for port in voters {
            self.tell(cx, port);
        }
    }

    fn tell(&self, cx: &mut Cx<'_, Self>, port: Port) {
        cx.send(port, Msg::Notification(self.state, self.round, self.vote));
    }

    pub(super) fn tell_everyone_again(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("still looking: send the vote to all again");
        self.resent = (self.resent + 1).min(MOST_DOUBLINGS);
        cx.set_timer(Timer::Resend, cx.delay_bound() * (RESEND_WAIT << self.resent));
        self.tell_everyone(cx);
    }

    pub(super) fn on_notification(
        &mut self,
        cx: &mut Cx<'_, Self>,
        from: Port,
        state: State,
        round: u64,
        vote: Option<Vote>,
    ) {
        if !cx.peer_duty(from).votes() || (self.state != State::Looking && state == State::Looking) {
            cx.because("a looking member asks for a vote: reply with this member's vote");
            if cx.duty().votes() {
                self.tell(cx, from);
            }
        } else if self.state != State::Looking {
            cx.because("not looking any more: ignored");
        } else if vote.is_some_and(|vote| !Self::may_lead(cx, vote.candidate)) {
            cx.because("a vote for a member that cannot lead: ignored");
        } else if state == State::Looking {
            self.on_vote(cx, from, round, vote);
        } else if let Some(vote) = vote {
            self.on_word_from_outside(cx, from, state, round, vote);
        }
    }

    fn may_lead(cx: &Cx<'_, Self>, candidate: Rank) -> bool {
        if candidate == cx.rank() {
            return cx.duty().leads();
        }
        Self::port_of(cx, candidate).is_some_and(|port| cx.peer_duty(port).leads())
    }

    fn port_of(cx: &Cx<'_, Self>, member: Rank) -> Option<Port> {
        cx.outgoing().find(|&port| cx.peer_rank(port) == member)
    }

    /// Rules 2 and 3.
    fn on_vote(&mut self, cx: &mut Cx<'_, Self>, from: Port, round: u64, vote: Option<Vote>) {
        if round < self.round {
            cx.because("a vote of an older round: reply with the current round");
            if cx.duty().votes() {
                self.tell(cx, from);
            }
            return;
        }
        if round > self.round {
            cx.because("a vote of a newer round: join that round and vote anew");
            self.round = round;
            self.votes.clear();
            self.change_vote(cx, self.own_vote(cx).max(vote));
        } else if vote > self.vote {
            cx.because("a better vote: adopt it and send it to all");
            self.change_vote(cx, vote);
        } else {
            cx.because("a vote that is not better than its own: count it");
        }
        self.votes.insert(from, vote);
        self.settle(cx);
    }

    /// The number of members with this vote in this round.
    fn count(&self, cx: &Cx<'_, Self>, vote: Vote) -> usize {
        let own = cx.duty().votes() && self.vote == Some(vote);
        usize::from(own) + self.votes.values().filter(|other| **other == Some(vote)).count()
    }

    /// Rule 4.
    fn settle(&mut self, cx: &mut Cx<'_, Self>) {
        let is_settled = self.vote.is_some_and(|vote| self.count(cx, vote) >= Self::majority(cx));
        if is_settled && !self.finalizing {
            cx.because("a majority has this vote: wait a short time for a better one");
            self.finalizing = true;
            cx.set_timer(Timer::Finalize, cx.delay_bound() * FINALIZE_WAIT);
        }
    }

    /// Rule 5.
    fn on_word_from_outside(
        &mut self,
        cx: &mut Cx<'_, Self>,
        from: Port,
        state: State,
        round: u64,
        vote: Vote,
    ) {
        let (leader, is_this_round) = (vote.candidate, round == self.round);
        if is_this_round {
            self.votes.insert(from, Some(vote));
        }
        self.outside.insert(from, (leader, state == State::Leading));
        let of_this_round = if is_this_round { self.count(cx, vote) } else { 0 };
        let led_by_it = self.outside.values().filter(|(named, _)| *named == leader).count();
        let leads_by_its_own_word = match Self::port_of(cx, leader) {
            Some(port) => self.outside.get(&port) == Some(&(leader, true)),
            None => is_this_round, // this member itself is the leader: the others have decided already
        };
        if of_this_round.max(led_by_it) >= Self::majority(cx) && leads_by_its_own_word {
            cx.because("a majority has a leader, which confirms it: join them");
            (self.round, self.vote) = (round, Some(vote));
            self.decide(cx);
        } else {
            cx.because("a member has a leader: wait for a majority and for the leader's confirmation");
        }
    }

    /// It is no longer looking.
    pub(super) fn decide(&mut self, cx: &mut Cx<'_, Self>) {
        let Some(vote) = self.vote else { return };
        self.finalizing = false;
        self.votes.clear();
        self.outside.clear();
        cx.cancel_timer(Timer::Finalize);
        cx.cancel_timer(Timer::Resend);
        match Self::port_of(cx, vote.candidate) {
            Some(leader) => self.follow(cx, leader),
            None => self.gather(cx),
        }
    }
}
