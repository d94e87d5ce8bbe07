//! What has happened in a run: leaderships, deaths, kills and failovers.

use super::child_process::MemberStart;
use bellwether::Id;
use bellwether::judge::LeadershipInterval;
use std::collections::{BTreeMap, BTreeSet};

/// A leadership, as far as its member has reported it.
#[derive(Debug)]
struct ReportedLeadership {
    interval: LeadershipInterval,
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
pub struct History {
    led: Vec<ReportedLeadership>,
    /// Where in there each member's last one is.
    last_led: BTreeMap<Id, usize>,
    pub(super) deaths: BTreeSet<(Id, u64)>,
    /// When something was done to a member, or befell it.
    pub(super) disturbed: BTreeSet<u64>,
    pub(super) kills: u64,
    failover: Option<Failover>,
    /// From each kill of a leader until every survivor named the next, in milliseconds.
    pub(super) took_ms: Vec<f64>,
    /// What members have said and nobody has heard.
    pub(super) missed: u64,
    /// What came after this is of no interest: the members were told to stop.
    pub(super) closed_at: Option<u64>,
}

impl History {
    /// A member reports that it leads in this term until then.
    pub fn holds(
        &mut self,
        MemberStart { id: member, number: process }: MemberStart,
        term: u64,
        at: u64,
        until: u64,
    ) {
        match self.last_of(member) {
            Some(ReportedLeadership { interval, is_over: false })
                if interval.term == term && at <= interval.until =>
            {
                interval.until = interval.until.max(until);
            }
            last => {
                if let Some(last) = last {
                    last.end(at);
                }
                let interval = LeadershipInterval { member, process, term, from: at, until };
                self.last_led.insert(member, self.led.len());
                self.led.push(ReportedLeadership { interval, is_over: false });
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
        if let Some(last) = self.last_of(member) {
            last.end(at);
        }
    }

    fn last_of(&mut self, member: Id) -> Option<&mut ReportedLeadership> {
        self.last_led.get(&member).and_then(|&at| self.led.get_mut(at))
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

    /// All leaderships, in the order of their beginnings. A leadership ends when its member dies.
    pub(super) fn leaderships(&self) -> Vec<LeadershipInterval> {
        let mut leaderships: Vec<LeadershipInterval> = self.led.iter().map(|it| it.interval).collect();
        for led in &mut leaderships {
            let death = self.deaths.range((led.member, led.from)..=(led.member, u64::MAX)).next();
            led.until = death.map_or(led.until, |&(_, at)| at.min(led.until));
        }
        leaderships.sort_by_key(|led| (led.from, led.until));
        leaderships
    }
}

impl ReportedLeadership {
    fn end(&mut self, at: u64) {
        self.interval.until = self.interval.until.min(at);
        self.is_over = true;
    }
}
