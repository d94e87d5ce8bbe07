//! The voters of [`super`], and how they change.
//!
//! The leader changes the voters one at a time: majorities before and after one change have a voter in common. The
//! leader uses the new list at once, and sends it with its renewals. Lists have versions, and a member's version only
//! grows. A voter does not vote for a candidate with an older list than its own: it sends that list, so that the
//! candidate can win next time.
//!
//! **A leader makes a change only when a majority has written to disk a list *of the leader's own term*.** Before its
//! first change it stamps its current list anew, as (its term, 1). It is not enough that a majority has an older
//! list: two leaders could then change that list in two ways whose majorities have no voter in common, and the first
//! change, known to few members, would still count as newer than the list of the others. (Ongaro found this in Raft's
//! changes one at a time: raft-dev, 10 July 2015. His remedy is an entry of the leader's term before any change: this
//! is the same remedy.)
//!
//! *Why that is enough.* Call a list settled if a majority of it wrote it to disk in its own term; the initial list
//! is settled too. The winner of a term has a list at least as late as all lists settled in earlier terms. By
//! induction on terms: let this hold before u, and let each earlier term have one leader. Take two settled lists C
//! and s with none between them. A list after C, up to s, is either N, which the leader that settled C made next, or
//! the first list of a later term, as no second one is made before the first is settled. The first list of a term has
//! the members with which its leader won: those of a list that is at least as late as C. So all lists from C to s
//! have the members of C or those of N, which differ by one, and any two of their majorities have a voter in common.
//! Now let s be the earliest settled list that is later than the one with which a candidate wins u. Then some voter
//! wrote s to disk in an earlier term, and voted in u for a candidate with an older list, which no voter does. And if
//! two candidates won u, both would have lists from C on, for the last settled C, and some voter would have voted for
//! both.
//!
//! Leases: a leader relies on a majority of its current list or, until a majority has answered since, of the previous
//! one; and only its last list is not settled. A later winner has one of these two lists, or one of a term in
//! between; or, if the leader settled none, each has the members of C or of N. Again majorities have a voter in
//! common.
//!
//! *A dismissed voter may lose its disk.* Let x be dismissed by a settled list of term u, lose all data, and be
//! admitted again by a later list. A candidate that counts x's new vote has that later list, so its term is at least
//! u; a candidate that counted a lost vote won a term before u, because a majority had written to disk the settled
//! list without x. So x votes twice in no term that matters. A lost promise does no harm either: the leader that
//! admits x relies on a majority of a settled list without x, and every majority of the next list contains one of
//! those voters, which has promised.
//!
//! *The list names the store from which each voter votes*, as soon as a leader knows it. Members that have the list
//! accept messages of a named voter from no other store, and `admit` names the new store. So a member that was absent
//! while a voter was readmitted, or that is new itself, judges stores as all others do. The driver does this. It
//! accepts a member with a later list that names that member's own store: a candidate with the earlier list cannot
//! have its vote. Naming stores changes no majority, so the proof above holds with lists that differ only in stores.

use super::leader_state::port_of;
use super::{Context, Msg, Phase, QuorumLease};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of a list of voters; a later list is greater. It consists of the term of the leader that made the list
/// and its number among that leader's lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version {
    /// The term of the leader that made it.
    pub term: u64,
    /// Its number among this leader's lists.
    pub number: u32,
}

/// A list of voters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Voters {
    /// Its version.
    pub version: Version,
    /// The voters, and the store from which each votes, if a leader knew it.
    pub stores: BTreeMap<Id, Option<StoreId>>,
}

/// One voter more, or one fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Change {
    pub id: Id,
    pub admits: bool,
}

impl Voters {
    /// Whether a leader of this term can have such a list.
    pub(super) fn can_be_of(&self, term: u64) -> bool {
        self.version.term <= term && !self.stores.is_empty()
    }

    /// The same voters, as the first list of a later term.
    fn stamped(self, term: u64) -> Voters {
        Voters { version: Version { term, number: 1 }, ..self }
    }

    /// The list after a change; none if it stays the same, or no voter would be left. An admitted voter votes from
    /// this store.
    fn changed(&self, Change { id, admits }: Change, store: Option<StoreId>) -> Option<Voters> {
        let mut next = self.next();
        let is_news = if admits {
            !self.stores.contains_key(&id) && next.stores.insert(id, store).is_none()
        } else {
            next.stores.remove(&id).is_some()
        };
        (is_news && !next.stores.is_empty()).then_some(next)
    }

    /// The list that names the stores of more voters; none if it already names all that are known.
    fn naming(&self, known: &BTreeMap<Id, StoreId>) -> Option<Voters> {
        let mut next = self.next();
        for (id, store) in &mut next.stores {
            *store = store.or_else(|| known.get(id).copied());
        }
        (next.stores != self.stores).then_some(next)
    }

    fn next(&self) -> Voters {
        let number = self.version.number.saturating_add(1);
        Voters { version: Version { number, ..self.version }, ..self.clone() }
    }
}

impl QuorumLease {
    pub(super) fn version(&self) -> Version {
        self.saved.voters.as_ref().map_or(Version::default(), |voters| voters.version)
    }

    /// Whether a member is a voter.
    pub(super) fn is_voter(&self, cx: &Cx<'_, Self>, id: Id) -> bool {
        match &self.saved.voters {
            Some(voters) => voters.stores.contains_key(&id),
            None if id == cx.id() => cx.duty().votes(),
            None => cx.outgoing().any(|port| cx.peer_rank(port).id() == id && cx.peer_duty(port).votes()),
        }
    }

    /// All voters.
    pub(super) fn voters(&self, cx: &Cx<'_, Self>) -> Voters {
        self.saved.voters.clone().unwrap_or_else(|| {
            let others = cx.outgoing().filter(|&port| cx.peer_duty(port).votes());
            let mut stores: BTreeMap<Id, Option<StoreId>> =
                others.map(|port| (cx.peer_rank(port).id(), None)).collect();
            if cx.duty().votes() {
                stores.insert(cx.id(), None);
            }
            Voters { version: Version::default(), stores }
        })
    }

    /// Whether the condition holds for more than half of the voters.
    pub(super) fn is_majority(&self, cx: &Cx<'_, Self>, is_so: impl Fn(Id, &Self) -> bool) -> bool {
        let stores = self.voters(cx).stores;
        stores.keys().filter(|&&id| is_so(id, self)).count() * 2 > stores.len()
    }

    pub(super) fn send_to_voters(&self, cx: Context<'_, '_>, msg: &Msg) {
        let ports: Vec<Port> =
            cx.outgoing().filter(|&port| self.is_voter(cx, cx.peer_rank(port).id())).collect();
        for port in ports {
            cx.send(port, msg.clone());
        }
    }

    /// Whether a majority has a list of this term on disk, and there is no later one.
    pub(super) fn is_list_settled(&self, cx: &Cx<'_, Self>) -> bool {
        let Phase::Leading(reign) = &self.phase else { return false };
        let version = self.version();
        let has_list = |id: Id| match port_of(cx, id) {
            _ if id == cx.id() => true,
            Some(port) => reign.heard(port).version == version,
            None => false,
        };
        version.term == self.saved.term && self.is_majority(cx, |id, _| has_list(id))
    }

    /// Rule 8: the leader stores one requested change until it can make it.
    pub(super) fn change_voters(&mut self, cx: Context<'_, '_>, change: Change) {
        let is_known = change.id == cx.id() || port_of(cx, change.id).is_some();
        let changes = self.voters(cx).changed(change, None).is_some();
        let Phase::Leading(reign) = &mut self.phase else { return };
        if !is_known || !changes {
            cx.because("the change has no effect, or would leave no voter: refused");
        } else if reign.change.is_some() {
            cx.because("another change is still pending: refused, ask again");
        } else {
            cx.because("a change of the voters: make it once a majority has the current list (rule 8)");
            reign.change = Some(change);
            self.change_if_settled(cx);
        }
    }

    /// Makes the requested change, or names the stores that the list does not name yet, once a majority has the
    /// current list; that list is first stamped as one of this term.
    pub(super) fn change_if_settled(&mut self, cx: Context<'_, '_>) {
        let Phase::Leading(reign) = &mut self.phase else { return };
        // The store of an admitted voter must be known, if stores are known at all.
        let can_be_made = |change: &Change| {
            !change.admits || self.stores.is_empty() || self.stores.contains_key(&change.id)
        };
        let change = reign.change.filter(can_be_made);
        let (voters, term) = (self.voters(cx), self.saved.term);
        let naming = voters.naming(&self.stores);
        if change.is_none() && naming.is_none() {
            return;
        }
        if voters.version.term != term {
            self.announce(cx, naming.unwrap_or(voters).stamped(term));
            cx.because("stamp the list of voters with the current term: a majority must have it before it changes (rule 8)");
        }
        if !self.is_list_settled(cx) {
            return;
        }
        let voters = self.voters(cx);
        let next = match change {
            Some(change) => voters.changed(change, self.stores.get(&change.id).copied()),
            None => voters.naming(&self.stores),
        };
        if let (Some(_), Phase::Leading(reign)) = (change, &mut self.phase) {
            reign.change = None;
        }
        if let Some(next) = next {
            self.announce(cx, next);
            let changes = change.is_some();
            cx.because(if changes {
                "a majority has the current list: change the voters (rule 8)"
            } else {
                "a majority has the current list: name the voters' stores (rule 8)"
            });
        }
    }

    /// A voter has a later list than the candidate that asked it. A leader uses only its own lists, and a candidate
    /// counts votes by the list with which it asked for them.
    pub(super) fn learn_voters(&mut self, cx: Context<'_, '_>, term: u64, voters: Voters) {
        if term > self.saved.term {
            self.fall_behind(cx, term);
        }
        let can_learn = matches!(self.phase, Phase::Waiting | Phase::Probing(_));
        if can_learn && voters.version > self.version() && voters.can_be_of(self.saved.term) {
            cx.because("a voter has a later list of voters: ask again with that list (rule 8)");
            self.saved.voters = Some(voters);
            cx.persist(self.saved.clone());
        }
    }

    /// Uses this list from now on, and sends it to all.
    fn announce(&mut self, cx: Context<'_, '_>, voters: Voters) {
        self.saved.voters = Some(voters);
        cx.persist(self.saved.clone());
        self.renew(cx);
    }
}
