//! How the elected member becomes the leader: rules 6 and 7.

use super::*;

impl Zookeeper {
    pub(super) fn follow(&mut self, cx: &mut Cx<'_, Self>, leader: Port) {
        self.state = if cx.duty().votes() { State::Following } else { State::Observing };
        self.leader = Some(leader);
        self.infos.clear();
        self.inform(cx, leader);
        cx.set_timer(Timer::Tick, cx.delay_bound() * TICK);
        cx.set_timer(Timer::Silence, cx.delay_bound() * INIT_LIMIT);
    }

    fn inform(&self, cx: &mut Cx<'_, Self>, leader: Port) {
        let (epoch, of) = self.epochs.accepted;
        cx.send(leader, Msg::FollowerInfo(epoch, of));
    }

    /// The elected member waits for its followers. Some may have contacted it before it decided.
    pub(super) fn gather(&mut self, cx: &mut Cx<'_, Self>) {
        self.state = State::Leading;
        cx.set_timer(Timer::Tick, cx.delay_bound() * TICK);
        self.propose_if_enough(cx);
    }

    pub(super) fn on_follower_info(
        &mut self,
        cx: &mut Cx<'_, Self>,
        from: Port,
        accepted: u64,
        of: Option<Id>,
    ) {
        self.note(cx, from);
        match (self.state, self.epoch) {
            (State::Following | State::Observing, _) => {
                cx.because("this member follows another leader: ignored");
                return;
            }
            (State::Looking, _) => cx.because("a follower before the decision: remember its epoch"),
            (State::Leading, None) => cx.because("a follower's epoch: wait for the epochs of a majority"),
            (State::Leading, Some(epoch)) => {
                cx.because("a late follower: send it the epoch");
                self.acks.remove(&from);
                let is_free = accepted < epoch || (accepted, of) == (epoch, Some(cx.id()));
                if !is_free {
                    cx.because("the follower has accepted this or a later epoch of another leader: propose a later epoch");
                    self.infos.insert(from, accepted);
                    self.propose(cx, accepted.saturating_add(1));
                    return;
                }
                cx.send(from, Msg::NewEpoch(epoch));
            }
        }
        self.infos.insert(from, accepted);
        if self.state == State::Leading && self.epoch.is_none() {
            self.propose_if_enough(cx);
        }
    }

    /// Whether these voters and this member are a majority.
    fn are_enough<'p>(cx: &Cx<'_, Self>, ports: impl Iterator<Item = &'p Port>) -> bool {
        ports.filter(|&&port| cx.peer_duty(port).votes()).count() + 1 >= Self::majority(cx)
    }

    fn propose_if_enough(&mut self, cx: &mut Cx<'_, Self>) {
        if Self::are_enough(cx, self.infos.keys()) {
            cx.because("the epochs of a majority are known: propose the next epoch");
            let latest = self.infos.values().copied().fold(self.epochs.accepted.0, u64::max);
            self.propose(cx, latest.saturating_add(1));
        }
    }

    fn propose(&mut self, cx: &mut Cx<'_, Self>, epoch: u64) {
        if epoch <= self.epochs.accepted.0 {
            return; // there is no later epoch
        }
        (self.epoch, self.is_established) = (Some(epoch), false);
        self.acks.clear();
        self.epochs.accepted = (epoch, Some(cx.id()));
        cx.persist(self.epochs);
        for &port in self.infos.keys() {
            cx.send(port, Msg::NewEpoch(epoch));
        }
        self.establish_if_enough(cx, epoch); // a single member is a majority
    }

    pub(super) fn on_new_epoch(&mut self, cx: &mut Cx<'_, Self>, from: Port, epoch: u64) {
        if self.leader != Some(from) {
            cx.because("the sender is not this member's leader: ignored");
            return;
        }
        cx.set_timer(Timer::Silence, cx.delay_bound() * SYNC_LIMIT);
        let by_it = (epoch, Some(cx.peer_rank(from).id()));
        if epoch > self.epochs.accepted.0 {
            self.epochs.accepted = by_it;
            cx.persist(self.epochs);
        }
        if self.epochs.accepted != by_it {
            cx.because("this or a later epoch of another leader is already accepted: tell the leader");
            self.inform(cx, from);
            return;
        }
        cx.because("a later epoch from the leader: accept it durably");
        self.is_established &= self.epoch == Some(epoch);
        self.epoch = Some(epoch);
        cx.cancel_timer(Timer::Tick);
        cx.send(from, Msg::AckEpoch(epoch));
    }

    pub(super) fn on_ack_epoch(&mut self, cx: &mut Cx<'_, Self>, from: Port, epoch: u64) {
        if self.state != State::Leading || self.epoch != Some(epoch) {
            cx.because("the acceptance of an epoch that is no longer proposed: ignored");
            return;
        }
        self.note(cx, from);
        self.acks.insert(from);
        if self.is_established {
            cx.because("a late follower has accepted the epoch: tell it that this member leads");
            cx.send(from, Msg::Ping(epoch));
        } else {
            cx.because("a follower has accepted the epoch: count it");
            self.establish_if_enough(cx, epoch);
        }
    }

    fn establish_if_enough(&mut self, cx: &mut Cx<'_, Self>, epoch: u64) {
        if Self::are_enough(cx, self.acks.iter()) {
            cx.because("a majority has accepted the epoch: lead");
            self.establish(cx, epoch);
            for &port in &self.acks {
                cx.send(port, Msg::Ping(epoch)); // the others learn it when they have accepted, too
            }
            cx.set_timer(Timer::Tick, cx.delay_bound() * TICK);
        }
    }

    fn establish(&mut self, cx: &mut Cx<'_, Self>, epoch: u64) {
        (self.epoch, self.is_established) = (Some(epoch), true);
        if self.epochs.current != epoch {
            self.epochs.current = epoch;
            cx.persist(self.epochs);
        }
    }

    pub(super) fn on_ping(&mut self, cx: &mut Cx<'_, Self>, from: Port, epoch: u64) {
        let by_it = (epoch, Some(cx.peer_rank(from).id()));
        if self.leader == Some(from) && self.epochs.accepted == by_it {
            cx.because("a ping from the leader in the accepted epoch: follow it");
            self.establish(cx, epoch);
            cx.set_timer(Timer::Silence, cx.delay_bound() * SYNC_LIMIT);
            cx.send(from, Msg::Pong);
        } else {
            cx.because("a ping from another member or in another epoch: ignored");
        }
    }

    /// A voter has answered.
    pub(super) fn note(&mut self, cx: &mut Cx<'_, Self>, from: Port) {
        if self.state == State::Leading && cx.peer_duty(from).votes() {
            cx.because("a follower has answered");
            self.answers.note(from);
        }
    }

    pub(super) fn tick(&mut self, cx: &mut Cx<'_, Self>) {
        if let Some(leader) = self.leader {
            cx.because("the leader has not answered: contact it again");
            self.inform(cx, leader);
        } else if !self.answers.suffices(Self::majority(cx) - 1, MISSED_TICKS) {
            cx.because("no answers from a majority: step down and look for a leader");
            self.look(cx);
            return;
        } else if let Some(epoch) = self.epoch {
            cx.because("time to ping: ping the followers, ask those that have not accepted the epoch again");
            for port in self.infos.keys() {
                let is_led = self.is_established && self.acks.contains(port);
                cx.send(*port, if is_led { Msg::Ping(epoch) } else { Msg::NewEpoch(epoch) });
            }
        }
        cx.set_timer(Timer::Tick, cx.delay_bound() * TICK);
    }
}
