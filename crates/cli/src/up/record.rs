//! What has happened in a run, and the verdict on it.

use crate::error::Verdict;
use crate::promise::Promised;
use bellwether::Id;
use bellwether_core::Spec;
use bellwether_sim::Summary as Sample;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// From when until when a member held leadership, by its own word, in microseconds since the machine booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    member: Id,
    term: u64,
    from: u64,
    until: u64,
    /// It has ended; more of the same is another one.
    is_over: bool,
}

/// The leader was killed, and the survivors are to name the next.
#[derive(Debug)]
struct Failover {
    at: u64,
    /// Who led, and in which term.
    former: (Id, u64),
    /// When that member was started again. Named after that, it leads anew, also where terms are not counted.
    restarted_at: Option<u64>,
    survivors: BTreeSet<Id>,
    /// Whom each survivor has named since, in which term, and when.
    named: BTreeMap<Id, (Id, u64, u64)>,
}

/// Everything that the verdict and the summary need. Members' lines come on pipes of their own, so nothing here depends on
/// which of two members' lines comes first: what overlaps is judged at the end.
#[derive(Debug, Default)]
pub struct Record {
    held: Vec<Held>,
    /// Where in there each member's last one is.
    last_held: BTreeMap<Id, usize>,
    deaths: BTreeSet<(Id, u64)>,
    /// When something was done to a member, or befell it.
    disturbed: BTreeSet<u64>,
    kills: u64,
    failover: Option<Failover>,
    /// From each kill of a leader until every survivor named the next, in milliseconds.
    took_ms: Vec<f64>,
    /// What members have said and nobody has heard.
    missed: u64,
    /// What came after this is of no interest: the members were told to stop.
    closed_at: Option<u64>,
}

/// A run in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many members there were.
    pub members: u64,
    /// Which algorithm they ran.
    pub algorithm: String,
    /// How often somebody came to lead.
    pub elections: u64,
    /// How often the leader changed after the first.
    pub leader_changes: Changes,
    /// How many members were killed.
    pub kills: u64,
    /// From the kill of a leader until every survivor named the next.
    pub failovers: Failovers,
    /// How many of the members' words are missing: then the verdict does not see everything.
    pub missed: u64,
    /// The most members that led at one instant.
    pub most_leaders_at_once: u64,
    /// Whether no term had two leaders; nothing where the algorithm promises no such thing.
    pub one_leader_a_term: Option<bool>,
    /// Whether each leader's token was greater than the one's before; nothing where the algorithm promises
    /// no such thing.
    pub tokens_grew: Option<bool>,
}

/// How often the leader changed: another member leads than before. One that is elected again is no change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// After something was done to a member since the change before.
    pub provoked: u64,
    /// Though nothing was.
    pub unprovoked: u64,
}

/// How long it took from the kill of a leader until every survivor named the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Failovers {
    /// How many there were.
    pub count: u64,
    /// The median, in milliseconds.
    pub p50_ms: Option<f64>,
    /// What 99 % did not exceed.
    pub p99_ms: Option<f64>,
    /// The longest.
    pub max_ms: Option<f64>,
}

impl Record {
    /// A member says that it leads in this term until then.
    pub fn holds(&mut self, member: Id, term: u64, at: u64, until: u64) {
        match self.last_of(member) {
            Some(held) if !held.is_over && held.term == term && at <= held.until => {
                held.until = held.until.max(until);
            }
            last => {
                if let Some(last) = last {
                    last.end(at);
                }
                self.last_held.insert(member, self.held.len());
                self.held.push(Held { member, term, from: at, until, is_over: false });
            }
        }
    }

    /// A member's process has started.
    pub fn started(&mut self, member: Id, at: u64) {
        self.ends(member, at);
        if let Some(failover) = self.failover.as_mut().filter(|it| it.former.0 == member && it.at < at) {
            failover.restarted_at = Some(at);
        }
    }

    /// A member leads no longer.
    pub fn ends(&mut self, member: Id, at: u64) {
        if let Some(held) = self.last_of(member) {
            held.end(at);
        }
    }

    fn last_of(&mut self, member: Id) -> Option<&mut Held> {
        self.last_held.get(&member).and_then(|&at| self.held.get_mut(at))
    }

    /// So much of what a member said is lost.
    pub fn missed(&mut self, count: u64) {
        self.missed += count;
    }

    /// A member's process was dead at this time.
    pub fn died(&mut self, member: Id, at: u64) {
        self.deaths.insert((member, at));
        self.disturbed(at);
        self.falls_silent(member);
    }

    /// Something is done to a member, or has befallen it.
    pub fn disturbed(&mut self, at: u64) {
        self.disturbed.insert(at);
    }

    /// A member is killed. If it led in a term, the survivors are to name another.
    pub fn killed(&mut self, member: Id, led_in: Option<u64>, survivors: BTreeSet<Id>, at: u64) {
        self.kills += 1;
        self.died(member, at);
        if let Some(term) = led_in.filter(|_| !survivors.is_empty()) {
            let (former, named) = ((member, term), BTreeMap::new());
            self.failover = Some(Failover { at, former, restarted_at: None, survivors, named });
        }
    }

    /// A member cannot name anybody any more: it is dead, frozen or cut off.
    pub fn falls_silent(&mut self, member: Id) {
        if let Some(failover) = &mut self.failover {
            failover.survivors.remove(&member);
            self.end_failover();
        }
    }

    /// A member names a leader.
    pub fn named(&mut self, by: Id, leader: Id, term: u64, at: u64) {
        let Some(failover) = &mut self.failover else { return };
        let is_other = leader != failover.former.0 || term > failover.former.1;
        let is_new = at > failover.at && (is_other || failover.restarted_at.is_some_and(|start| at > start));
        if is_new && failover.survivors.contains(&by) {
            failover.named.insert(by, (leader, term, at));
            self.end_failover();
        }
    }

    /// It is over when all survivors name the same leader.
    fn end_failover(&mut self) {
        let Some(failover) = &self.failover else { return };
        let mut named = failover.named.iter().filter(|(by, _)| failover.survivors.contains(by));
        let Some((_, &(leader, term, mut last))) = named.next() else {
            if failover.survivors.is_empty() {
                self.failover = None; // nobody is left to name anybody
            }
            return;
        };
        let mut all = 1;
        for (_, &(other, in_term, at)) in named {
            if (other, in_term) != (leader, term) {
                return;
            }
            last = last.max(at);
            all += 1;
        }
        if all == failover.survivors.len() {
            self.took_ms.push((last - failover.at) as f64 / 1_000.0);
            self.failover = None;
        }
    }

    /// Whether survivors of a killed leader have not all named the next one yet.
    pub fn is_failing_over(&self) -> bool {
        self.failover.is_some()
    }

    /// From now on, members are told to stop: what comes of that does not count, but must be safe.
    pub fn close(&mut self, at: u64) {
        self.closed_at = Some(at);
    }

    /// The intervals as they really were, by when they began: a lease ends with its holder's life.
    fn intervals(&self) -> Vec<Held> {
        let mut intervals = self.held.clone();
        for held in &mut intervals {
            let death = self.deaths.range((held.member, held.from)..=(held.member, u64::MAX)).next();
            held.until = death.map_or(held.until, |&(_, at)| at.min(held.until));
        }
        intervals.sort_by_key(|held| (held.from, held.until));
        intervals
    }

    /// The run in figures.
    pub fn summary(&self, members: u64, algorithm: String, spec: &Spec) -> Summary {
        let intervals = self.intervals();
        let counted = |held: &&Held| self.closed_at.is_none_or(|end| held.from <= end);
        let (mut elections, mut changes) = (0, Changes { provoked: 0, unprovoked: 0 });
        // The last election, and the first one of the leader's that has led since the last change.
        let mut last: Option<Held> = None;
        let mut leads_since = 0;
        for held in intervals.iter().filter(counted) {
            // Where terms are counted, one goes on after its lease had lapsed, if no other member has led in between.
            // Where they are not, a member that has lost leadership was elected again.
            let is_same = |last: Held| (last.member, last.term) == (held.member, held.term);
            if spec.reign.counts_terms() && last.is_some_and(is_same) {
                continue;
            }
            elections += 1;
            if last.is_none_or(|last| last.member != held.member) {
                if last.is_some() {
                    let was_disturbed = self.disturbed.range(leads_since..=held.from).next().is_some();
                    *(if was_disturbed { &mut changes.provoked } else { &mut changes.unprovoked }) += 1;
                }
                leads_since = held.from;
            }
            last = Some(*held);
        }
        let sample = Sample::of(self.took_ms.clone());
        let sample = sample.as_ref();
        let promised = Promised::by(spec);
        Summary {
            members,
            algorithm,
            elections,
            leader_changes: changes,
            kills: self.kills,
            failovers: Failovers {
                count: self.took_ms.len() as u64,
                p50_ms: sample.map(|sample| sample.p50),
                p99_ms: sample.map(|sample| sample.p99),
                max_ms: sample.map(|sample| sample.max),
            },
            missed: self.missed,
            most_leaders_at_once: most_at_once(&intervals),
            one_leader_a_term: promised.one_a_term.then(|| has_one_leader_a_term(&intervals)),
            tokens_grew: promised.one_at_once.then(|| do_tokens_grow(&intervals)),
        }
    }
}

impl Held {
    fn end(&mut self, at: u64) {
        self.until = self.until.min(at);
        self.is_over = true;
    }
}

impl Summary {
    /// Whether what the algorithm promises was kept.
    pub fn verdict(&self, spec: &Spec) -> Verdict {
        let two_at_once = Promised::by(spec).one_at_once && self.most_leaders_at_once > 1;
        let is_broken =
            two_at_once || self.one_leader_a_term == Some(false) || self.tokens_grew == Some(false);
        match (is_broken, self.missed) {
            (true, _) => Verdict::Unsafe,
            (false, 0) => Verdict::Fine,
            (false, _) => Verdict::Incomplete,
        }
    }
}

/// The most members that led at one instant. An interval ends before its end: one that begins there is no overlap.
fn most_at_once(intervals: &[Held]) -> u64 {
    // At one instant, ends come before beginnings.
    let mut turns: Vec<(u64, bool, Id)> = intervals
        .iter()
        .filter(|held| held.from < held.until)
        .flat_map(|held| [(held.from, true, held.member), (held.until, false, held.member)])
        .collect();
    turns.sort_unstable();
    let (mut leading, mut most) = (BTreeMap::<Id, u64>::new(), 0);
    for (_, begins, member) in turns {
        if begins {
            *leading.entry(member).or_default() += 1;
            most = most.max(leading.len());
        } else if let Some(left) = leading.get_mut(&member) {
            *left -= 1;
            if *left == 0 {
                leading.remove(&member);
            }
        }
    }
    most as u64
}

/// Whether no two members led in one term.
fn has_one_leader_a_term(intervals: &[Held]) -> bool {
    let mut leaders = BTreeMap::new();
    intervals.iter().all(|held| *leaders.entry(held.term).or_insert(held.member) == held.member)
}

/// Whether each leader's token is greater than that of the one before. A leader may go on with its own.
fn do_tokens_grow(intervals: &[Held]) -> bool {
    intervals.windows(2).all(|pair| {
        let same = pair[0].member == pair[1].member && pair[0].term == pair[1].term;
        same || pair[0].term < pair[1].term
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::Choice;

    fn id(value: u64) -> Id {
        Id::new(value).unwrap()
    }

    fn summary(record: &Record) -> Summary {
        record.summary(3, "quorum-lease".to_owned(), spec())
    }

    fn spec() -> &'static Spec {
        Choice::find("quorum-lease", None).unwrap().spec
    }

    /// 3 leads from 10 on, renews, is killed at 50; 2 leads in the next term.
    fn failover() -> Record {
        let mut record = Record::default();
        record.holds(id(3), 1, 10, 40);
        record.holds(id(3), 1, 30, 90);
        record.killed(id(3), Some(1), [1, 2].map(id).into(), 50);
        record.holds(id(2), 2, 60, 120);
        record
    }

    #[test]
    fn a_lease_ends_with_its_holder_or_when_it_says_so() {
        assert_eq!(summary(&failover()).most_leaders_at_once, 1);
        let mut without_death = failover();
        without_death.deaths.clear();
        let seen = summary(&without_death);
        assert_eq!((seen.most_leaders_at_once, seen.verdict(spec())), (2, Verdict::Unsafe));
        without_death.ends(id(3), 60);
        assert_eq!(summary(&without_death).most_leaders_at_once, 1);
    }

    #[test]
    fn tokens_must_grow_from_leader_to_leader() {
        let mut record = failover();
        assert_eq!(summary(&record).tokens_grew, Some(true));
        record.ends(id(2), 100);
        record.holds(id(1), 2, 130, 140);
        let seen = summary(&record);
        assert_eq!((seen.tokens_grew, seen.verdict(spec())), (Some(false), Verdict::Unsafe));
    }

    #[test]
    fn changes_are_provoked_or_not() {
        let mut record = failover();
        record.ends(id(2), 100);
        record.holds(id(1), 3, 110, 140);
        record.close(150);
        record.holds(id(2), 4, 160, 170);
        let seen = summary(&record);
        assert_eq!(seen.elections, 3);
        assert_eq!(seen.leader_changes, Changes { provoked: 1, unprovoked: 1 });
    }

    /// 3 leads, is killed and comes back, and leads again; all in term 0.
    #[test]
    fn elections_without_terms_are_counted_by_who_came_to_lead() {
        let spec = Choice::find("chang-roberts", None).unwrap().spec;
        let mut record = Record::default();
        record.holds(id(3), 0, 10, u64::MAX);
        record.killed(id(3), Some(0), [1, 2].map(id).into(), 50);
        record.started(id(3), 70);
        record.holds(id(3), 0, 80, u64::MAX);
        record.ends(id(3), 90);
        record.holds(id(3), 0, 100, u64::MAX); // a returning member has called an election
        let seen = record.summary(3, "chang-roberts".to_owned(), spec);
        assert_eq!((seen.elections, seen.leader_changes), (3, Changes { provoked: 0, unprovoked: 0 }));
    }

    /// 3 leads, loses leadership and regains it, twice, and something is done in between; then 2 leads, and 3 again.
    #[test]
    fn leader_that_is_elected_again_is_no_change() {
        for (algorithm, terms) in [("chang-roberts", [0; 5]), ("quorum-lease", [1, 2, 3, 4, 5])] {
            let spec = Choice::find(algorithm, None).unwrap().spec;
            let mut record = Record::default();
            for (at, member, term) in [(10, 3, 0), (30, 3, 1), (50, 3, 2), (70, 2, 3), (90, 3, 4)] {
                record.holds(id(member), terms[term], at, u64::MAX);
                record.ends(id(member), at + 10);
            }
            record.disturbed(25);
            let seen = record.summary(3, algorithm.to_owned(), spec);
            assert_eq!(seen.elections, 5, "{algorithm}");
            assert_eq!(seen.leader_changes, Changes { provoked: 1, unprovoked: 1 }, "{algorithm}");
        }
    }

    #[test]
    fn failover_ends_when_survivors_name_the_restarted_leader() {
        let mut record = Record::default();
        record.holds(id(3), 0, 10, u64::MAX);
        record.killed(id(3), Some(0), [1, 2].map(id).into(), 50);
        record.named(id(1), id(3), 0, 60); // of its life before
        record.started(id(3), 70);
        record.named(id(1), id(3), 0, 80);
        assert!(record.is_failing_over());
        record.named(id(2), id(3), 0, 90);
        assert!(!record.is_failing_over());
    }

    #[test]
    fn a_failover_is_over_when_every_survivor_names_the_same() {
        let mut record = failover();
        record.named(id(1), id(3), 1, 55); // late word of the dead
        record.named(id(2), id(2), 2, 60);
        record.named(id(1), id(1), 3, 61);
        assert!(record.is_failing_over());
        record.named(id(2), id(1), 3, 1_050);
        assert!(!record.is_failing_over());
        let seen = summary(&record).failovers;
        assert_eq!((seen.count, seen.p50_ms, seen.max_ms), (1, Some(1.0), Some(1.0)));
    }

    /// Two lead at once, in terms 1 and 2; nobody led in a term of another's.
    fn two_at_once() -> Record {
        let mut record = Record::default();
        record.holds(id(3), 1, 10, 90);
        record.holds(id(2), 2, 20, 90);
        record
    }

    /// The verdict is on what was promised before the run began, and on nothing else.
    #[test]
    fn two_leaders_are_a_fault_only_where_one_was_promised() {
        let verdict = |record: &Record, name: &str| {
            let spec = Choice::find(name, None).unwrap().spec;
            record.summary(3, name.to_owned(), spec).verdict(spec)
        };
        for (name, expected) in [
            ("quorum-lease", Verdict::Unsafe),
            ("raft-vote", Verdict::Fine), // a leader of an earlier term may not have heard
            ("bully", Verdict::Fine),
            ("chang-roberts", Verdict::Fine),
            ("omega", Verdict::Fine),
            ("invitation", Verdict::Fine),
        ] {
            assert_eq!(verdict(&two_at_once(), name), expected, "{name}");
        }
        // Even if the earlier term's leader hears of its votes after the later one's has begun.
        let mut late = Record::default();
        late.holds(id(2), 2, 10, 90);
        late.holds(id(3), 1, 20, 90);
        assert_eq!(verdict(&late, "raft-vote"), Verdict::Fine);
        let mut one_term = Record::default();
        one_term.holds(id(3), 1, 10, 20);
        one_term.holds(id(2), 1, 30, 40);
        for (name, expected) in
            [("quorum-lease", Verdict::Unsafe), ("raft-vote", Verdict::Unsafe), ("bully", Verdict::Fine)]
        {
            assert_eq!(verdict(&one_term, name), expected, "{name}");
        }
    }

    /// By the definition: at each instant at which somebody begins, who leads?
    fn most_at_once_naively(intervals: &[Held]) -> u64 {
        let at_once = |now: u64| {
            let leads = |held: &&Held| held.from <= now && now < held.until;
            intervals.iter().filter(leads).map(|held| held.member).collect::<BTreeSet<_>>().len()
        };
        intervals.iter().map(|held| at_once(held.from)).max().unwrap_or(0) as u64
    }

    #[test]
    fn the_most_at_once_are_those_of_the_definition() {
        let mut state = 7_u64;
        let mut draw = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let mut seen = BTreeSet::new();
        for _ in 0..2_000 {
            let count = draw(7);
            let intervals: Vec<Held> = (0..count)
                .map(|_| {
                    let from = draw(12);
                    Held { member: id(1 + draw(4)), term: 1, from, until: from + draw(6), is_over: true }
                })
                .collect();
            let most = most_at_once(&intervals);
            assert_eq!(most, most_at_once_naively(&intervals), "{intervals:?}");
            seen.insert(most);
        }
        assert_eq!(seen, (0..=4).collect(), "as many as can be");
    }

    /// A leader that is killed ten times a second for six hours. What looks at every pair would take the day.
    #[test]
    fn a_very_long_run_is_summed_up() {
        let mut record = Record::default();
        let kills = 200_000;
        for term in 1..=kills {
            let (leader, at) = (id(1 + term % 3), term * 100);
            record.ends(leader, at); // it starts again
            record.holds(leader, term, at, at + 1_000);
            record.killed(leader, Some(term), BTreeSet::new(), at + 90);
        }
        let seen = summary(&record);
        assert_eq!((seen.elections, seen.kills, seen.most_leaders_at_once), (kills, kills, 1));
        assert_eq!(seen.leader_changes, Changes { provoked: kills - 1, unprovoked: 0 });
        assert_eq!(seen.verdict(spec()), Verdict::Fine);
    }

    #[test]
    fn whoever_has_not_heard_everything_does_not_judge() {
        let mut record = failover();
        assert_eq!(summary(&record).verdict(spec()), Verdict::Fine);
        record.missed(3);
        assert_eq!((summary(&record).missed, summary(&record).verdict(spec())), (3, Verdict::Incomplete));
    }
}
