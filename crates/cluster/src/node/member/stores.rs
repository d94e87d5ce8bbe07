//! Which stores members vote from: a store that is lost takes votes and promises with it.

use super::incoming::PendingInput;
use super::{Fault, Member};
use crate::net::Party;
use crate::settings::cluster_config::LONGEST_PROMISE;
use crate::status::event::Event;
use crate::storage::store::READMISSION;
use crate::{Incarnation, PeerRecord, StoreId};
use bellwether_core::{
    Environment as _, Id, KnownStores, ListVersion, StoreClaims, StoreOffer, StoreVerdict, Time,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a member knows of stores, beside what the network and the disk have recorded.
#[derive(Default)]
pub(super) struct Vetting {
    /// Peers whose stores wait to be accepted or refused.
    waiting: BTreeMap<Id, Offer>,
    /// The stores of peers that are named in later lists than this member has, as these peers say.
    claims: StoreClaims,
    /// Peers whose latest start is to be recorded.
    started: BTreeSet<Id>,
    /// The list of voters whose named stores are all recorded.
    adopted: ListVersion,
    /// Peers that refuse this member.
    refused_by: BTreeMap<Id, Refusal>,
}

/// A peer's Hello with a store that is not recorded.
#[derive(Clone, Copy)]
pub(super) struct Offer {
    pub store: StoreId,
    pub known: Option<StoreId>,
    pub named_in: Option<ListVersion>,
}

/// Why a peer refuses this member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    OtherStore,
    /// It knows this other process, or this one as dead.
    Superseded(Option<Incarnation>),
}

impl Member {
    pub(super) fn take_offer(&mut self, peer: Id, offer: Offer) {
        self.state.vetting.waiting.insert(peer, offer);
        self.vet_stores();
    }

    /// Accepts or refuses the stores of peers, and records what is new of them, as far as that is possible now.
    ///
    /// A voter whose store has changed has lost its votes, so it is refused, however often it starts. It comes back as
    /// a voter only if the leader dismisses it first: then no majority counts a vote that it has forgotten.
    pub(super) fn vet_stores(&mut self) {
        let waiting: Vec<_> =
            self.state.vetting.waiting.iter().map(|(&peer, &offer)| (peer, offer)).collect();
        for (peer, Offer { store, known, named_in }) in waiting {
            let has_changed = known.is_some();
            let must_wait = !self.state.has_started && (has_changed || self.saved.is_some());
            let verdict = if !self.machine.keeps_votes() {
                // There is nothing to forget. Two processes are told apart by their connections.
                let is_second = has_changed && self.network.is_connected(peer);
                if is_second { StoreVerdict::Refused } else { StoreVerdict::Accepted }
            } else if must_wait {
                continue; // the voters and their stores are not known yet
            } else {
                self.judge(StoreOffer { peer, store, named_in }, known)
            };
            match verdict {
                StoreVerdict::Refused => self.network.refuse_store(peer, store),
                StoreVerdict::TooFarAhead => self.network.refuse_claim(peer, store),
                StoreVerdict::Accepted if !self.machine.keeps_votes() => {
                    self.network.accept_store(peer, store);
                }
                StoreVerdict::Accepted if !self.disk.remember(PeerRecord::new(peer, store)) => return, // one at a time
                StoreVerdict::Accepted => {}
            }
            self.state.vetting.waiting.remove(&peer);
        }
        self.adopt_named_stores();
        while let Some(&peer) = self.state.vetting.started.first() {
            if self.network.record(peer).is_some_and(|record| !self.disk.remember(record)) {
                return;
            }
            self.state.vetting.started.remove(&peer);
        }
    }

    /// Records the stores that the list of voters names, once the list itself is on disk.
    fn adopt_named_stores(&mut self) {
        let Some(list) = self.machine.voters().filter(|_| !self.state.is_writing) else { return };
        if self.state.vetting.adopted == list.version {
            return;
        }
        let claims = &mut self.state.vetting.claims;
        let other = list.stores.keys().filter(|&&id| id != self.me).find_map(|&id| {
            let recorded = self.network.record(id).map(|it| it.store);
            let store = claims.agreed(id, Some(list)).filter(|&it| recorded != Some(it))?;
            Some(PeerRecord::new(id, store))
        });
        match other {
            Some(record) => _ = self.disk.remember(record), // if the disk is busy: next time
            None => {
                let version = list.version;
                let is_named = list.stores.get(&self.me) == Some(&Some(self.network.own_store()));
                self.state.vetting.adopted = version;
                self.network.set_named_in(is_named.then_some(version));
            }
        }
    }

    /// The disk has recorded this.
    pub(super) fn has_recorded(&mut self, PeerRecord { id, store, .. }: PeerRecord) {
        self.network.accept_store(id, store);
        if self.state.has_started {
            self.state.pending.push_back(PendingInput::Store(id, store));
        }
    }

    /// Tells the algorithm all stores that are known as it starts.
    pub(super) fn tell_stores(&mut self) {
        if self.machine.keeps_votes() {
            let peers = self.around.ids().filter_map(|id| self.network.record(id));
            let stores = peers.map(|record| PendingInput::Store(record.id, record.store));
            self.state.pending.push_back(PendingInput::Store(self.me, self.network.own_store()));
            self.state.pending.extend(stores);
        }
    }

    /// There is a connection with a peer again.
    pub(super) fn note_start(&mut self, peer: Id) {
        self.state.vetting.refused_by.remove(&peer);
        if self.machine.keeps_votes() {
            self.state.vetting.started.insert(peer);
        }
    }

    fn judge(&mut self, offer: StoreOffer, recorded: Option<StoreId>) -> StoreVerdict {
        let is_first_voter = self.first_voters.contains(&offer.peer);
        let (term, list) = (self.machine.status().term, self.machine.voters());
        self.state.vetting.claims.judge(offer, KnownStores { term, list, is_first_voter, recorded })
    }

    /// A peer does not hear this member. One peer may be wrong, or lie. This member ends only if so many voters refuse it
    /// that it can reach no majority without them.
    pub(super) fn is_refused(&mut self, peer: Id, refusal: Refusal) -> Result<(), Fault> {
        let me = self.me;
        let why = match refusal {
            Refusal::OtherStore => format!(
                "member {peer} knows that member {me} voted from another store than the one in its data directory: the \
                 votes in that one are lost, or a second process has this id. {READMISSION}"
            ),
            Refusal::Superseded(_) => format!(
                "member {peer} says that another process is member {me} of this cluster, or that this one started from a copy \
                 or a backup of its data directory; give each process an id and a data directory of its own. If there is no \
                 other process, the votes since the copy are lost. {READMISSION}"
            ),
        };
        let is_news = self.state.vetting.refused_by.insert(peer, refusal) != Some(refusal);
        let listed = self.machine.voters().map(|list| list.stores.keys().copied().collect());
        let voters: Vec<Id> = listed.unwrap_or_else(|| self.first_voters.clone());
        let left = voters.iter().filter(|id| !self.state.vetting.refused_by.contains_key(id)).count();
        if left * 2 > voters.len() {
            if is_news {
                let from = Party::Member(peer).to_string();
                self.publisher.say(self.clock.now(), Event::Refused { from, why });
            }
            return Ok(());
        }
        if matches!(refusal, Refusal::Superseded(Some(_))) {
            self.disk.retire();
        }
        Err(why.into())
    }

    /// Whether a new store must take no part yet: a former store of this member may have made a promise that still holds,
    /// or a voter knows of votes in it. It has made no promise if all other first voters are connected and have saved
    /// nothing: a leader saves its term before it asks for a promise.
    pub(super) fn must_wait(&self, now: Time) -> bool {
        let promised_until = Time::ZERO + self.around.delay_bound() * LONGEST_PROMISE;
        let may_have_promised =
            || now < promised_until && self.other_stores().any(|(_, is_new)| is_new != Some(true));
        let has_voted = || self.state.vetting.refused_by.values().any(|it| *it == Refusal::OtherStore);
        self.is_store_new() && (has_voted() || may_have_promised())
    }

    /// The other first voters, and whether nothing was saved in their stores; nothing for those that are not connected.
    fn other_stores(&self) -> impl Iterator<Item = (Id, Option<bool>)> {
        let others = self.first_voters.iter().filter(|&&id| id != self.me);
        others.map(|&id| (id, self.network.has_new_store(id)))
    }

    fn is_store_new(&self) -> bool {
        self.machine.keeps_votes() && self.saved.is_none()
    }

    /// Says that this member starts with a new store.
    pub(super) fn tell_new_store(&self, now: Time) {
        if self.is_store_new() {
            let has_run = self.other_stores().any(|(_, is_new)| is_new == Some(false));
            let unheard = self.other_stores().filter(|(_, is_new)| is_new.is_none()).map(|(id, _)| id);
            let new_cluster = Event::NewCluster { unheard: unheard.collect() };
            self.publisher.say(now, if has_run { Event::NewStore } else { new_cluster });
        }
    }
}
