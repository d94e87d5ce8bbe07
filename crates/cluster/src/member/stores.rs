//! Which stores members vote from: a store that is lost takes votes and promises with it.

use super::Member;
use crate::event::Event;
use crate::terms::LONGEST_PROMISE;
use bellwether_core::{Environment as _, Id, Time};

impl Member {
    /// Accepts or refuses the stores of peers, as far as that can be decided now.
    ///
    /// A voter whose store has changed has lost its votes, so it is refused, however often it starts. It comes back as
    /// a voter only if the leader dismisses it first: then no majority counts a vote that it has forgotten.
    pub(super) fn vet_stores(&mut self) {
        let waiting: Vec<_> = self.state.vetted.iter().map(|(&peer, &stores)| (peer, stores)).collect();
        for (peer, (store, known)) in waiting {
            let has_changed = known.is_some();
            if !self.machine.keeps_votes() {
                // There is nothing to forget. Two processes are told apart by their connections.
                if has_changed && self.network.is_connected(peer) {
                    self.network.refuse_store(peer, store);
                } else {
                    self.network.accept_store(peer, store);
                }
            } else if has_changed && !self.state.has_started {
                continue; // it is not known yet who votes
            } else if has_changed && self.is_voter(peer) {
                self.network.refuse_store(peer, store);
            } else if !self.disk.remember(peer, store) {
                return; // one at a time
            }
            self.state.vetted.remove(&peer);
        }
    }

    fn is_voter(&self, id: Id) -> bool {
        self.machine.is_voter(id).unwrap_or_else(|| self.first_voters.contains(&id))
    }

    /// Whether a former store of this member may have made a promise that still holds. It cannot have if this store has
    /// state: then the algorithm waits. Nor if all other first voters are connected and have saved nothing: a leader
    /// saves its term before it asks for a promise.
    pub(super) fn may_have_promised(&self, now: Time) -> bool {
        let promised_until = Time::ZERO + self.around.delay_bound() * LONGEST_PROMISE;
        now < promised_until && self.is_store_new() && self.other_stores().any(|is_new| is_new != Some(true))
    }

    /// Whether nothing was saved in the stores of the other first voters; nothing for those that are not connected.
    fn other_stores(&self) -> impl Iterator<Item = Option<bool>> {
        self.first_voters.iter().filter(|&&id| id != self.me).map(|&id| self.network.has_new_store(id))
    }

    fn is_store_new(&self) -> bool {
        self.machine.keeps_votes() && self.saved.is_none()
    }

    /// Says that this member starts with a new store.
    pub(super) fn tell_new_store(&self, now: Time) {
        if self.is_store_new() {
            let has_run = self.other_stores().any(|is_new| is_new == Some(false));
            self.outlook.say(now, if has_run { Event::NewStore } else { Event::NewCluster });
        }
    }
}
