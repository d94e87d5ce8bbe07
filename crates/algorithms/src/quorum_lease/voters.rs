//! Who votes in [`super`], and how that changes.
//!
//! The leader changes the voters one at a time: majorities before and after one such change have a voter in common, so
//! each keeps the other from electing. It uses the new list at once, sends it with its renewals, and makes the next
//! change only when a majority has written this one down. Lists have versions; nobody votes for a candidate with an
//! older list than its own, so a list that a majority has is never lost.
//!
//! Before its first change a leader makes sure that a majority of its own term has the list that it starts from:
//! two leaders could else change the same list in two ways whose majorities have nobody in common. (Ongaro found this
//! in Raft's changes one at a time: raft-dev, 10 July 2015.)

use bellwether_core::Id;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Which list of voters: later ones are greater. It is made of the term of the leader that made it, and its number
/// among those.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version {
    /// The term of the leader that made it.
    pub term: u64,
    /// Which of this leader's.
    pub number: u32,
}

/// Who votes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Voters {
    /// Which list this is.
    pub version: Version,
    /// Who is on it.
    pub ids: BTreeSet<Id>,
}

impl Voters {
    /// The list with one member more, or one fewer; nothing if that changes nothing, or would leave nobody.
    #[must_use]
    pub fn changed(&self, id: Id, admits: bool, term: u64) -> Option<Voters> {
        let mut ids = self.ids.clone();
        let is_news = if admits { ids.insert(id) } else { ids.remove(&id) };
        let number = if self.version.term == term { self.version.number + 1 } else { 1 };
        (is_news && !ids.is_empty()).then_some(Voters { version: Version { term, number }, ids })
    }
}
