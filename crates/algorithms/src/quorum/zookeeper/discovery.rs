//! What makes the elected lead: rules 6 and 7.

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

    /// The elected waits for its followers. Some may have turned to it before it knew.
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
                cx.because("it follows another");
                return;
            }
            (State::Looking, _) => cx.because("it has followers, but has yet to decide"),
            (State::Leading, None) => cx.because("a follower's epoch: it waits for a majority's"),
            (State::Leading, Some(epoch)) => {
                cx.because("a follower that comes later is told of the epoch");
                self.acks.remove(&from);
                let is_free = accepted < epoch || (accepted, of) == (epoch, Some(cx.id()));
                if !is_free {
                    cx.because("a follower cannot accept the epoch any more: it proposes a later one");
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

    /// Whether these voters, and itself, are a majority.
    fn are_enough<'p>(cx: &Cx<'_, Self>, ports: impl Iterator<Item = &'p Port>) -> bool {
        ports.filter(|&&port| cx.peer_duty(port).votes()).count() + 1 >= Self::majority(cx)
    }

    fn propose_if_enough(&mut self, cx: &mut Cx<'_, Self>) {
        if Self::are_enough(cx, self.infos.keys()) {
            cx.because("it knows a majority's epochs: it proposes the next");
            let latest = self.infos.values().copied().fold(self.epochs.accepted.0, u64::max);
            self.propose(cx, latest.saturating_add(1));
        }
    }

    fn propose(&mut self, cx: &mut Cx<'_, Self>, epoch: u64) {
        if epoch <= self.epochs.accepted.0 {
            return; // there are no more epochs
        }
        (self.epoch, self.is_established) = (Some(epoch), false);
        self.acks.clear();
        self.epochs.accepted = (epoch, Some(cx.id()));
        cx.persist(self.epochs);
        for &port in self.infos.keys() {
            cx.send(port, Msg::NewEpoch(epoch));
        }
        self.establish_if_enough(cx, epoch); // one who is alone is a majority
    }

    pub(super) fn on_new_epoch(&mut self, cx: &mut Cx<'_, Self>, from: Port, epoch: u64) {
        if self.leader != Some(from) {
            cx.because("it is not led by that one");
            return;
        }
        cx.set_timer(Timer::Silence, cx.delay_bound() * SYNC_LIMIT);
        let by_it = (epoch, Some(cx.peer_rank(from).id()));
        if epoch > self.epochs.accepted.0 {
            self.epochs.accepted = by_it;
            cx.persist(self.epochs);
        }
        if self.epochs.accepted != by_it {
            cx.because("it has accepted that epoch of another, or a later one: its leader is told");
            self.inform(cx, from);
            return;
        }
        cx.because("its leader's epoch is accepted, for good");
        self.is_established &= self.epoch == Some(epoch);
        self.epoch = Some(epoch);
        cx.cancel_timer(Timer::Tick);
        cx.send(from, Msg::AckEpoch(epoch));
    }

    pub(super) fn on_ack_epoch(&mut self, cx: &mut Cx<'_, Self>, from: Port, epoch: u64) {
        if self.state != State::Leading || self.epoch != Some(epoch) {
            cx.because("an epoch that it has given up");
            return;
        }
        self.note(cx, from);
        self.acks.insert(from);
        if self.is_established {
            cx.because("a follower that comes later is told who leads");
            cx.send(from, Msg::Ping(epoch));
        } else {
            cx.because("one more has accepted its epoch");
            self.establish_if_enough(cx, epoch);
        }
    }

    fn establish_if_enough(&mut self, cx: &mut Cx<'_, Self>, epoch: u64) {
        if Self::are_enough(cx, self.acks.iter()) {
            cx.because("a majority has accepted its epoch: it leads");
            self.establish(cx, epoch);
            for &port in &self.acks {
                cx.send(port, Msg::Ping(epoch)); // the others are told when they have accepted, too
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
            cx.because("its leader leads");
            self.establish(cx, epoch);
            cx.set_timer(Timer::Silence, cx.delay_bound() * SYNC_LIMIT);
            cx.send(from, Msg::Pong);
        } else {
            cx.because("it is not led by that one, or not in that epoch");
        }
    }

    /// A voter is there.
    pub(super) fn note(&mut self, cx: &mut Cx<'_, Self>, from: Port) {
        if self.state == State::Leading && cx.peer_duty(from).votes() {
            cx.because("a follower is there");
            self.attendance.note(from);
        }
    }

    pub(super) fn tick(&mut self, cx: &mut Cx<'_, Self>) {
        if let Some(leader) = self.leader {
            cx.because("its leader has not answered: it is told again");
            self.inform(cx, leader);
        } else if !self.attendance.suffices(Self::majority(cx) - 1, MISSED_TICKS) {
            cx.because("it has not heard from a majority: it leads no longer, and looks for another");
            self.look(cx);
            return;
        } else if let Some(epoch) = self.epoch {
            cx.because(
                "it tells its followers that it is there; who has not accepted its epoch is asked again",
            );
            for port in self.infos.keys() {
                let is_led = self.is_established && self.acks.contains(port);
                cx.send(*port, if is_led { Msg::Ping(epoch) } else { Msg::NewEpoch(epoch) });
            }
        }
        cx.set_timer(Timer::Tick, cx.delay_bound() * TICK);
    }
}
