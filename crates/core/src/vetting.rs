//! From which stores a member hears its peers: the rule that the driver of real members and its model share.
//!
//! A voter whose store has changed has lost its votes. A member knows a voter's store by the list of voters, or else by
//! what it has recorded itself. A member that was absent while a voter was readmitted has neither: the voter tells it
//! that a later list names the new store, which is a *claim*.

use crate::{Id, ListVersion, MAX_TERM_STEP, StoreId, VoterList};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a peer says of its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOffer {
    /// The peer.
    pub peer: Id,
    /// The store that it votes from.
    pub store: StoreId,
    /// The list of voters that names that store, if the peer has such a list.
    pub named_in: Option<ListVersion>,
}

/// What the receiver of an offer knows.
#[derive(Clone, Copy, Debug)]
pub struct KnownStores<'a> {
    /// The receiver's term.
    pub term: u64,
    /// The receiver's list of voters; nothing if the first voters still vote.
    pub list: Option<VoterList<'a>>,
    /// Whether the peer is one of the first voters.
    pub is_first_voter: bool,
    /// The store of the peer that the receiver has recorded.
    pub recorded: Option<StoreId>,
}

/// What becomes of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreVerdict {
    /// The peer is heard from this store from now on.
    Accepted,
    /// The peer voted from another store: the votes in that one are lost.
    Refused,
    /// No list of voters can be of such a term: the peer lies.
    TooFarAhead,
}

/// The stores that peers claim, and the list by which the claims are judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoreClaims {
    /// Of each peer the latest list that names its store, as the peer says.
    latest: BTreeMap<Id, (ListVersion, StoreId)>,
    /// The version of the receiver's list, and the stores that it names.
    version: ListVersion,
    named: BTreeMap<Id, Option<StoreId>>,
}

impl StoreClaims {
    /// Whether a peer is heard from the store that it offers.
    pub fn judge(&mut self, offer: StoreOffer, known: KnownStores<'_>) -> StoreVerdict {
        let StoreOffer { peer, store, named_in } = offer;
        known.list.iter().for_each(|list| self.adopt(*list)); // it may end earlier claims, and not this one
        if named_in.is_some_and(|(term, _)| term.saturating_sub(known.term) > MAX_TERM_STEP) {
            return StoreVerdict::TooFarAhead;
        }
        if let Some(version) = named_in {
            let claim = self.latest.entry(peer).or_insert((version, store));
            *claim = (*claim).max((version, store));
        }
        let is_voter = known.list.map_or(known.is_first_voter, |list| list.stores.contains_key(&peer));
        let voted_from = self.agreed(peer, known.list).or(known.recorded);
        if is_voter && voted_from.is_some_and(|it| it != store) {
            StoreVerdict::Refused
        } else {
            StoreVerdict::Accepted
        }
    }

    /// The store that the voters have agreed on for a voter, by the latest list that is known of.
    pub fn agreed(&mut self, id: Id, list: Option<VoterList<'_>>) -> Option<StoreId> {
        list.iter().for_each(|list| self.adopt(*list));
        let claimed = self.latest.get(&id).filter(|(in_list, _)| *in_list > self.version);
        claimed.map(|(_, store)| *store).or_else(|| self.named.get(&id).copied().flatten())
    }

    /// The receiver goes by this list from now on. It ends the claims of those that it leaves out, or names another store
    /// for: else a false claim would outlive the readmission of the true member. A true claim is made again.
    fn adopt(&mut self, list: VoterList<'_>) {
        if self.version == list.version {
            return;
        }
        let former = std::mem::replace(&mut self.named, list.stores.clone());
        self.version = list.version;
        let named = &self.named;
        self.latest.retain(|id, _| match named.get(id) {
            None => false,
            Some(None) => true,
            Some(store) => former.get(id) == Some(store),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOST: StoreId = StoreId::new([1; 16]);
    const NEW: StoreId = StoreId::new([2; 16]);
    const FORGED: StoreId = StoreId::new([9; 16]);

    fn id(value: u64) -> Id {
        Id::new(value).unwrap()
    }

    /// The members 2 and 3 vote, and perhaps 1 from this store.
    fn stores(first: Option<StoreId>) -> BTreeMap<Id, Option<StoreId>> {
        let others = [(id(2), Some(StoreId::new([12; 16]))), (id(3), None)];
        others.into_iter().chain(first.map(|store| (id(1), Some(store)))).collect()
    }

    struct Receiver {
        claims: StoreClaims,
        term: u64,
        version: ListVersion,
        stores: BTreeMap<Id, Option<StoreId>>,
    }

    impl Receiver {
        fn with(term: u64, version: ListVersion, first: Option<StoreId>) -> Receiver {
            Receiver { claims: StoreClaims::default(), term, version, stores: stores(first) }
        }

        fn adopts(&mut self, version: ListVersion, first: Option<StoreId>) {
            (self.version, self.stores) = (version, stores(first));
        }

        /// Member 1 offers this store.
        fn judge(&mut self, store: StoreId, named_in: Option<ListVersion>) -> StoreVerdict {
            let list = VoterList { version: self.version, stores: &self.stores };
            let known =
                KnownStores { term: self.term, list: Some(list), is_first_voter: true, recorded: None };
            self.claims.judge(StoreOffer { peer: id(1), store, named_in }, known)
        }
    }

    #[test]
    fn list_of_voters_more_than_the_largest_step_ahead_is_no_claim() {
        for (term, verdict) in [
            (7 + MAX_TERM_STEP, StoreVerdict::Accepted),
            (8 + MAX_TERM_STEP, StoreVerdict::TooFarAhead),
            (u64::MAX, StoreVerdict::TooFarAhead),
        ] {
            let mut receiver = Receiver::with(7, (5, 1), Some(LOST));
            assert_eq!(receiver.judge(FORGED, Some((term, u32::MAX))), verdict, "{term}");
            let is_forgotten = receiver.judge(LOST, None) == StoreVerdict::Accepted;
            assert_eq!(is_forgotten, verdict == StoreVerdict::TooFarAhead, "{term}");
        }
    }

    #[test]
    fn claim_ends_when_the_member_is_dismissed_or_readmitted() {
        // By the list that leaves it out, or, if the receiver never had that one, by the list that admits it again.
        for dismissed_in in [Some((5, 2)), None] {
            let mut receiver = Receiver::with(7, (5, 1), Some(LOST));
            assert_eq!(receiver.judge(FORGED, Some((1_000, 0))), StoreVerdict::Accepted);
            assert_eq!(receiver.judge(LOST, Some((5, 1))), StoreVerdict::Refused);
            if let Some(version) = dismissed_in {
                receiver.adopts(version, None);
                assert_eq!(receiver.judge(NEW, None), StoreVerdict::Accepted);
            }
            receiver.adopts((5, 3), Some(NEW));
            assert_eq!(receiver.judge(NEW, Some((5, 3))), StoreVerdict::Accepted);
            assert_eq!(receiver.judge(FORGED, None), StoreVerdict::Refused);
        }
    }

    /// A member that was absent during a readmission receives a list of the time before it.
    #[test]
    fn claim_outlives_lists_that_name_the_same_store_as_before() {
        let mut receiver = Receiver::with(7, (5, 1), Some(LOST));
        assert_eq!(receiver.judge(NEW, Some((9, 4))), StoreVerdict::Accepted);
        receiver.adopts((8, 1), Some(LOST));
        assert_eq!(receiver.judge(NEW, None), StoreVerdict::Accepted);
        assert_eq!(receiver.judge(LOST, Some((8, 1))), StoreVerdict::Refused);
        // The list itself decides as soon as the receiver has it.
        receiver.adopts((9, 4), Some(NEW));
        assert_eq!(receiver.judge(LOST, Some((9, 3))), StoreVerdict::Refused);
    }

    #[test]
    fn first_voters_are_judged_by_what_is_recorded_and_others_not_at_all() {
        let judged = |is_first_voter, recorded| {
            let known = KnownStores { term: 0, list: None, is_first_voter, recorded };
            StoreClaims::default().judge(StoreOffer { peer: id(1), store: NEW, named_in: None }, known)
        };
        assert_eq!(judged(true, None), StoreVerdict::Accepted);
        assert_eq!(judged(true, Some(NEW)), StoreVerdict::Accepted);
        assert_eq!(judged(true, Some(LOST)), StoreVerdict::Refused);
        assert_eq!(judged(false, Some(LOST)), StoreVerdict::Accepted);
    }
}
