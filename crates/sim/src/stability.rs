//! Who led when: how stable leadership was in a run.

use bellwether_core::{Id, Reign, Span, Time};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How stable leadership was, as an onlooker sees it who sees every live member at once. Members that
/// lie are not looked at; one that is frozen still takes itself for what it was. Whoever leads under a lease
/// ([`bellwether_core::Algorithm::lease`]) leads until that has run out, frozen or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stability {
    /// How often somebody came to lead who was not the last to do so.
    pub changes: u64,
    /// How long nobody led, the first election included.
    pub without_leader: Span,
    /// How long several led at once.
    pub with_several: Span,
    /// The most that led at once.
    pub most_leaders: u32,
    /// In how many terms two or more led, at whatever times; where terms do not say who may lead, none.
    pub shared_terms: u64,
}

/// Two members that led though the algorithm never lets two do so ([`Reign`]). `M` names members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rivals<M = Id> {
    /// Who led first, and who came to lead besides.
    pub members: [M; 2],
    /// When the second came to lead.
    pub at: Time,
    /// The term, if it is one and the same; else they led at once.
    pub term: Option<u64>,
}

impl<M> Rivals<M> {
    /// The same with other names for members.
    pub fn map<N>(self, name: impl Fn(M) -> N) -> Rivals<N> {
        Rivals { members: self.members.map(name), at: self.at, term: self.term }
    }
}

impl<M: fmt::Display> fmt::Display for Rivals<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rivals { members: [one, other], at, term } = self;
        match term {
            Some(term) => {
                write!(f, "members {one} and {other} both led in term {term}, {other} from {at} on")
            }
            None => write!(f, "members {one} and {other} led at once, {other} from {at} on"),
        }
    }
}

/// Keeps count while a run runs.
#[derive(Clone, Debug)]
pub struct Reigns {
    sense: Reign,
    leading: BTreeSet<u32>,
    last: Option<u32>,
    since: Time,
    so_far: Stability,
    /// Who was the first to lead in each term, and whether it was the only one.
    terms: BTreeMap<u64, (u32, bool)>,
    rivals: Option<Rivals<u32>>,
}

impl Reigns {
    /// Nobody leads yet.
    pub fn new(sense: Reign) -> Reigns {
        Reigns {
            sense,
            leading: BTreeSet::new(),
            last: None,
            since: Time::ZERO,
            so_far: Stability::default(),
            terms: BTreeMap::new(),
            rivals: None,
        }
    }

    /// A member leads in this term from now on, or does not.
    pub fn note(&mut self, now: Time, member: u32, term: Option<u64>) {
        if let Some(term) = term.filter(|_| self.sense.counts_terms()) {
            self.note_term(now, member, term);
        }
        if term.is_some() == self.leading.contains(&member) {
            return;
        }
        self.pass_to(now);
        if term.is_none() {
            self.leading.remove(&member);
            return;
        }
        if let Some(&other) = self.leading.first().filter(|_| self.sense == Reign::Leased) {
            self.rivals.get_or_insert(Rivals { members: [other, member], at: now, term: None });
        }
        self.leading.insert(member);
        self.so_far.changes += u64::from(self.last.is_some_and(|last| last != member));
        self.last = Some(member);
        self.so_far.most_leaders = self.so_far.most_leaders.max(self.leading.len() as u32);
    }

    fn note_term(&mut self, now: Time, member: u32, term: u64) {
        let (first, is_alone) = self.terms.entry(term).or_insert((member, true));
        if *first != member {
            self.so_far.shared_terms += u64::from(std::mem::replace(is_alone, false));
            self.rivals.get_or_insert(Rivals { members: [*first, member], at: now, term: Some(term) });
        }
    }

    /// Who leads.
    pub fn leading(&self) -> impl Iterator<Item = u32> {
        self.leading.iter().copied()
    }

    /// The first two that led though no two may.
    pub fn rivals(&self) -> Option<Rivals<u32>> {
        self.rivals
    }

    fn pass_to(&mut self, now: Time) {
        let passed = now - self.since;
        match self.leading.len() {
            0 => self.so_far.without_leader = self.so_far.without_leader + passed,
            1 => {}
            _ => self.so_far.with_several = self.so_far.with_several + passed,
        }
        self.since = now;
    }

    /// At the end.
    pub fn sum_up(mut self, now: Time) -> Stability {
        self.pass_to(now);
        self.so_far
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEADS: Option<u64> = Some(0);

    #[test]
    fn spans_and_changes_add_up() {
        let at = Time::from_ticks;
        let mut reigns = Reigns::new(Reign::AtOnce);
        reigns.note(at(5), 1, LEADS); // nobody for 5
        reigns.note(at(5), 1, LEADS);
        reigns.note(at(8), 2, LEADS); // two from 8 to 12
        reigns.note(at(12), 1, None);
        reigns.note(at(20), 2, None); // nobody from 20 to 30
        reigns.note(at(30), 2, LEADS); // the same again: no change
        let expected = Stability {
            changes: 1,
            without_leader: Span::from_ticks(15),
            with_several: Span::from_ticks(4),
            most_leaders: 2,
            shared_terms: 0,
        };
        assert_eq!(reigns.clone().sum_up(at(40)), expected);
        assert_eq!(reigns.rivals(), None, "it is for the end to judge");
        reigns.note(at(40), 2, None);
        let without_leader = Span::from_ticks(25);
        assert_eq!(reigns.sum_up(at(50)), Stability { without_leader, ..expected });
    }

    /// Who led in which term when; nobody any longer if in none.
    type History = [(u64, u32, Option<u64>)];

    fn told(sense: Reign, story: &History) -> (Option<Rivals<u32>>, u64) {
        let mut reigns = Reigns::new(sense);
        story.iter().for_each(|&(at, member, term)| reigns.note(Time::from_ticks(at), member, term));
        (reigns.rivals(), reigns.sum_up(Time::from_ticks(99)).shared_terms)
    }

    #[test]
    fn rivals_are_those_that_a_reign_rules_out() {
        let in_turn: &History = &[(1, 7, Some(3)), (4, 7, None), (5, 8, Some(4)), (6, 8, Some(5))];
        let at_once: &History = &[(1, 7, Some(3)), (5, 8, Some(4))];
        let one_term: &History = &[(1, 7, Some(3)), (4, 7, None), (5, 8, Some(3)), (6, 9, Some(3))];
        let grown_into: &History = &[(1, 7, Some(3)), (2, 8, Some(2)), (5, 8, Some(3))];
        let rivals = |at, term| Some(Rivals { members: [7, 8], at: Time::from_ticks(at), term });
        let expected = [
            (Reign::AtOnce, [(None, 0); 4]),
            (Reign::AtLast, [(None, 0); 4]),
            (Reign::PerTerm, [(None, 0), (None, 0), (rivals(5, Some(3)), 1), (rivals(5, Some(3)), 1)]),
            (Reign::Leased, [(None, 0), (rivals(5, None), 0), (rivals(5, Some(3)), 1), (rivals(2, None), 1)]),
        ];
        for (sense, expected) in expected {
            let stories = [in_turn, at_once, one_term, grown_into];
            assert_eq!(stories.map(|story| told(sense, story)), expected, "{sense:?}");
        }
    }
}
