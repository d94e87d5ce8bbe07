//! What reaches a member from outside: what peers say, what becomes of them, and what the detector thinks of them.

use super::{Fault, Member, PATIENCE};
use crate::event::Event;
use crate::machine::{Input, Malformed, addressed};
use crate::network::{Incoming, Outgoing};
use crate::watch::Word;
use bellwether_core::{Environment as _, Id, Port, Starts, Time, Verdict};

/// Something that one occasion brings several of, to be told to the algorithm one at a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum News {
    Suspicion(Port, Verdict),
    Death(Port),
    /// This one is said to be dead: if it is still taken for the leader, an election is called.
    NoLeader(Id),
}

impl Member {
    pub(super) fn take_incoming(&mut self) -> Result<bool, Fault> {
        let Some(incoming) = self.network.next() else { return Ok(false) };
        let now = self.clock.now(); // read after it came: a promise must not begin before what it answers was sent
        match incoming {
            Incoming::Message { peer, bytes } => {
                let Some((port, msg)) = addressed(bytes) else { return Ok(true) };
                if port.0 >= self.around.my_ports() || self.around.behind(port).0 != peer {
                    return Ok(true);
                }
                if !self.state.has_started {
                    self.state.own_mail.put_early(port, msg);
                    return Ok(true);
                }
                let taken = self.machine.take(
                    Input::Message(port, msg),
                    now,
                    &mut self.around,
                    &mut self.state.wishes,
                );
                match taken {
                    Ok(()) => self.fulfil(),
                    Err(Malformed) => self.network.reject(peer),
                }
            }
            Incoming::Signal { peer, signal } => {
                if let Some(port) = self.around.ports_to(peer).next() {
                    self.hear(Word::Signal(port, signal));
                }
            }
            Incoming::Ready { peer, term } => self.outlook.show_ready(now, peer, term),
            Incoming::Up { peer, .. } => {
                let was_dead = self.state.dead.remove(&peer);
                self.outlook.say(now, Event::Connected { peer });
                self.suspect(peer, Verdict::Working, was_dead);
                if let Some(reign) = self.state.reign.filter(|_| self.state.is_ready) {
                    self.network.send(peer, Outgoing::Ready(reign.term));
                }
            }
            Incoming::Down { peer, why } => {
                let why = why.to_string();
                self.outlook.say(now, Event::Disconnected { peer, why });
                self.suspect(peer, Verdict::Suspected, false);
            }
            Incoming::Dead { peer, .. } => {
                self.state.dead.insert(peer);
                self.outlook.forget_ready(peer);
                self.outlook.say(now, Event::Died { peer });
                self.mourn(peer);
            }
            Incoming::Superseded { .. } => {
                return Err(format!(
                    "another process is member {} of this cluster, or was and its disk was lost; give each process an id and \
                     a data directory of its own, and a member whose directory is lost a new id",
                    self.me
                )
                .into());
            }
            Incoming::Refused { from, why } => {
                let from = from.to_string();
                self.outlook.say(now, Event::Refused { from, why });
            }
        }
        Ok(true)
    }

    /// A connection has opened or closed. That is a suspicion, whatever the reason: it frees nobody from a promise.
    ///
    /// A detector alone says when somebody works again; but of somebody who was certified to be dead, and is back before the
    /// detector has missed it, it would never say so.
    fn suspect(&mut self, peer: Id, verdict: Verdict, was_dead: bool) {
        if !self.state.has_started || self.watch.is_some() && verdict == Verdict::Working && !was_dead {
            return;
        }
        for port in self.around.ports_to(peer) {
            let known = self.watch.as_ref().map_or(Verdict::Working, |watch| watch.verdict(port));
            if known != Verdict::Failed {
                self.state.news.push_back(News::Suspicion(port, verdict));
            }
        }
    }

    /// A member is dead for certain. Whoever is led by it calls an election, where the algorithm waits for calls.
    fn mourn(&mut self, peer: Id) {
        if self.state.has_started {
            self.state.news.extend(self.around.ports_to(peer).map(News::Death));
            self.state.news.push_back(News::NoLeader(peer));
        }
    }

    pub(super) fn take_news(&mut self, news: News) {
        match news {
            News::Suspicion(port, verdict) => self.take(Input::Suspicion(port, verdict)),
            News::Death(port) => self.take(Input::Death(port)),
            News::NoLeader(id) => {
                let is_led = self.machine.status().leader == Some(id);
                if is_led && self.machine.spec().starts == Starts::Callers {
                    self.take(Input::Call);
                }
            }
        }
    }

    /// Where the algorithm waits for calls, and nobody has been known to lead for long, or only one that is dead.
    pub(super) fn must_call_again(&self, now: Time) -> bool {
        let led_by = self.machine.status().leader;
        let is_led = led_by.is_some_and(|leader| !self.state.dead.contains(&leader));
        self.machine.spec().starts == Starts::Callers
            && !is_led
            && now >= self.state.leaderless_since + self.around.delay_bound() * (PATIENCE * 2)
    }

    /// Gives the detector a word.
    pub(super) fn hear(&mut self, word: Word) {
        let now = self.clock.now();
        let Some(watch) = &mut self.watch else { return };
        if !self.state.has_started {
            return;
        }
        let wanted = watch.hear(word, now, &mut self.around);
        for (port, signal) in wanted.signals.drain(..) {
            self.network.send(self.around.behind(port).0, Outgoing::Signal(signal));
        }
        for (port, verdict) in wanted.verdicts.drain(..) {
            let peer = self.around.behind(port).0;
            self.outlook.say(now, Event::Judged { peer, verdict });
            self.state.news.push_back(News::Suspicion(port, verdict));
            if verdict == Verdict::Failed {
                self.state.news.push_back(News::NoLeader(peer));
            }
        }
    }
}
