//! Judges what members have reported: never two valid leases at once, tokens that increase, one leader in each term.

use bellwether::judge::{self, LeadershipInterval};
use bellwether::process::{Report, ReportKind};
use bellwether::{Event, Id};
use std::collections::BTreeMap;

/// All reports, and when which process was killed, in microseconds since the machine booted.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The reports, in the order in which they were read.
    pub lines: Vec<Report>,
    /// The process of each report: two processes may have one identity.
    pub speakers: Vec<u32>,
    /// Noted before the signal was sent. A killed process leads no longer, whatever its lease.
    pub deaths: Vec<(u32, u64)>,
    /// The first line that could not be read: with one missing there is no verdict.
    unreadable: Option<String>,
    /// The leader and its term, as each member knows it.
    known: BTreeMap<u64, (u64, u64)>,
    /// How often each member has started.
    starts: BTreeMap<Id, u64>,
}

impl Recording {
    /// Records a line of this process.
    pub fn hear(&mut self, speaker: u32, line: Report) {
        let me = line.member.value();
        match &line.what {
            ReportKind::Event(Event::Elected { leader, term }) => {
                self.known.insert(me, (leader.value(), *term));
            }
            ReportKind::Event(Event::Started { .. }) => {
                *self.starts.entry(line.member).or_default() += 1;
                self.known.remove(&me);
            }
            ReportKind::Event(Event::Leaderless { .. } | Event::Lost { .. } | Event::Stopped { .. }) => {
                self.known.remove(&me);
            }
            _ => {}
        }
        self.lines.push(line);
        self.speakers.push(speaker);
    }

    /// Records that a line could not be read.
    pub fn mishear(&mut self, line: &str, why: &str) {
        self.unreadable.get_or_insert_with(|| format!("a line cannot be read: {why}: {line}"));
    }

    /// The leader and its term, as each member knows it; a leader knows itself only while it leads.
    pub fn known_leaders(&self) -> &BTreeMap<u64, (u64, u64)> {
        &self.known
    }

    /// A member's process has ended or is about to start: what it knew counts no longer.
    pub fn forget(&mut self, member: u64) {
        self.known.remove(&member);
    }

    /// How often a member has started.
    pub fn starts(&self, member: Id) -> u64 {
        self.starts.get(&member).copied().unwrap_or(0)
    }

    /// All leaderships, in the order of their beginnings, if they are as they should be.
    ///
    /// A lease counts from its reported beginning to its last reported end, or to the report that the member leads no
    /// longer. A member that was stopped in between reports no such thing: its lease counts to its end.
    pub fn judge(&self) -> Result<Vec<LeadershipInterval>, String> {
        let leaderships = self.leaderships()?;
        if let Some((term, [first, other])) = self.term_with_two_leaders(&leaderships) {
            return Err(format!("two leaders of term {term}: members {first} and {other}"));
        }
        if let Some((earlier, later)) = judge::token_not_increased(&leaderships) {
            return Err(format!("the token has not increased: {earlier:?}, then {later:?}"));
        }
        if let Some((earlier, later)) = judge::overlaps(&leaderships).first() {
            return Err(format!("two leases at once: {earlier:?} and {later:?}"));
        }
        Ok(leaderships)
    }

    /// All leaderships in the order of their beginnings, whether or not they are as they should be.
    pub fn leaderships(&self) -> Result<Vec<LeadershipInterval>, String> {
        struct Lease {
            from: u64,
            until: Option<u64>,
            lost: u64,
        }
        if let Some(why) = &self.unreadable {
            return Err(why.clone());
        }
        let mut leases: BTreeMap<(Id, u32, u64), Lease> = BTreeMap::new();
        assert_eq!(self.lines.len(), self.speakers.len());
        for (Report { at_us, member, what }, speaker) in self.lines.iter().zip(&self.speakers) {
            if let ReportKind::Event(Event::Missed { count }) = what {
                return Err(format!("{count} words of member {member} are missing"));
            }
            let (ReportKind::Lease { leads_in: term, .. }
            | ReportKind::Event(Event::Gained { term } | Event::Lost { term, .. })) = what
            else {
                continue;
            };
            let new = Lease { from: *at_us, until: None, lost: u64::MAX };
            let lease = leases.entry((*member, *speaker, *term)).or_insert(new);
            match what {
                ReportKind::Lease { until_us, .. } => {
                    lease.until = lease.until.max(Some(*until_us));
                    lease.lost = u64::MAX; // if it had lost it, it has it again
                }
                ReportKind::Event(Event::Lost { .. }) => lease.lost = *at_us,
                _ => {}
            }
        }
        let mut leaderships = Vec::new();
        for ((member, speaker, term), Lease { from, until, lost }) in leases {
            let until = until.ok_or(format!("member {member} leads in term {term} without a lease"))?;
            let deaths = self.deaths.iter().filter(|&&(dead, at)| dead == speaker && at >= from);
            let death = deaths.map(|&(_, at)| at).min().unwrap_or(u64::MAX);
            let until = until.min(lost).min(death);
            leaderships.push(LeadershipInterval { member, process: speaker.into(), term, from, until });
        }
        leaderships.sort_by_key(|it| (it.from, it.term));
        Ok(leaderships)
    }

    /// A term with two leaders, by what members reported of themselves and of others.
    fn term_with_two_leaders(&self, leaderships: &[LeadershipInterval]) -> Option<(u64, [Id; 2])> {
        let led = leaderships.iter().map(|it| (it.term, it.member));
        let heard = self.lines.iter().filter_map(|line| match line.what {
            ReportKind::Event(Event::Elected { leader, term }) => Some((term, leader)),
            _ => None,
        });
        judge::term_with_two_leaders(led.chain(heard))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellwether::Loss;

    fn id(value: u64) -> Id {
        Id::new(value).unwrap()
    }

    fn line(at_us: u64, member: u64, what: ReportKind) -> Report {
        Report { at_us, member: id(member), what }
    }

    /// A lease from then until then, as a member says it.
    fn gained(member: u64, term: u64, from: u64, until_us: u64) -> Vec<Report> {
        vec![
            line(from, member, ReportKind::Lease { leads_in: term, until_us }),
            line(from, member, ReportKind::Event(Event::Gained { term })),
        ]
    }

    fn lost(member: u64, term: u64, at: u64) -> Vec<Report> {
        vec![line(at, member, ReportKind::Event(Event::Lost { term, why: Loss::GaveUp }))]
    }

    fn of(lines: impl IntoIterator<Item = Vec<Report>>) -> Recording {
        let mut recording = Recording::default();
        lines.into_iter().flatten().for_each(|line| recording.hear(line.member.value() as u32, line));
        recording
    }

    fn refused(recording: &Recording, why: &str) {
        let refusal = recording.judge().unwrap_err();
        assert!(refusal.contains(why), "{refusal}");
    }

    #[test]
    fn leases_one_after_the_other_are_as_they_should_be() {
        let longer = vec![line(150, 1, ReportKind::Lease { leads_in: 1, until_us: 300 })];
        let recording = of([gained(1, 1, 100, 200), longer, gained(2, 2, 300, 500)]);
        let led = |member, term, from, until| LeadershipInterval {
            member: id(member),
            process: member,
            term,
            from,
            until,
        };
        assert_eq!(recording.judge(), Ok(vec![led(1, 1, 100, 300), led(2, 2, 300, 500)]));
    }

    #[test]
    fn leadership_ends_when_its_member_resigns_or_is_killed() {
        let mut recording = of([gained(1, 1, 100, 900), lost(1, 1, 200), gained(2, 2, 200, 900)]);
        gained(3, 3, 500, 900).into_iter().for_each(|line| recording.hear(3, line));
        refused(&recording, "two leases at once");
        recording.deaths.push((2, 400));
        assert_eq!(recording.judge().unwrap().len(), 3);
        recording.deaths[0].0 = 1;
        refused(&recording, "two leases at once");
    }

    #[test]
    fn leadership_that_resumes_in_its_term_never_ended() {
        let again = vec![line(300, 1, ReportKind::Lease { leads_in: 1, until_us: 400 })];
        let recording = of([gained(1, 1, 100, 200), lost(1, 1, 150), again, gained(2, 2, 350, 500)]);
        refused(&recording, "two leases at once");
    }

    #[test]
    fn a_lease_that_was_extended_and_another_within_it_are_refused() {
        let longer = vec![line(150, 1, ReportKind::Lease { leads_in: 1, until_us: 301 })];
        refused(&of([gained(1, 1, 100, 200), longer, gained(2, 2, 300, 500)]), "two leases at once");
    }

    #[test]
    fn a_lease_that_outlives_several_later_ones_is_refused() {
        let recording =
            of([gained(1, 1, 100, 1_000), gained(2, 2, 1_001, 1_002), gained(3, 3, 1_003, 1_004)]);
        assert!(recording.judge().is_ok());
        let recording = of([gained(1, 1, 0, 1_000), lost(1, 1, 50), gained(2, 2, 60, 100)]);
        assert!(recording.judge().is_ok());
        let recording = of([gained(1, 1, 0, 1_000), gained(2, 2, 2_000, 9_000), gained(3, 3, 3_000, 3_001)]);
        refused(&recording, "two leases at once");
    }

    #[test]
    fn a_token_that_comes_again_or_falls_is_refused() {
        refused(&of([gained(1, 5, 100, 200), gained(2, 4, 300, 400)]), "the token has not increased");
        refused(&of([gained(1, 5, 100, 200), gained(2, 5, 300, 400)]), "two leaders of term 5");
    }

    #[test]
    fn a_term_of_which_members_know_different_leaders_is_refused() {
        let heard = |member, leader| {
            vec![line(500, member, ReportKind::Event(Event::Elected { leader: id(leader), term: 5 }))]
        };
        assert!(of([gained(1, 5, 100, 200), heard(2, 1), heard(3, 1)]).judge().is_ok());
        refused(&of([gained(1, 5, 100, 200), heard(2, 3)]), "two leaders of term 5");
        refused(&of([heard(1, 2), heard(2, 3)]), "two leaders of term 5");
    }

    #[test]
    fn two_processes_of_one_member_lead_apart() {
        let recording = of([gained(1, 1, 100, 200), gained(1, 2, 200, 900)]);
        let with_twin = |term| {
            let mut recording = recording.clone();
            gained(1, term, 300, 400).into_iter().for_each(|line| recording.hear(77, line));
            recording
        };
        assert!(recording.judge().is_ok());
        refused(&with_twin(2), "the token has not increased");
        refused(&with_twin(3), "two leases at once");
        let mut with_dead_twin = with_twin(3);
        with_dead_twin.deaths.push((77, 250));
        refused(&with_dead_twin, "two leases at once");
        with_dead_twin.deaths[0].0 = 1;
        assert!(with_dead_twin.judge().is_ok());
    }

    #[test]
    fn a_recording_with_gaps_is_refused() {
        let gap = vec![line(150, 1, ReportKind::Event(Event::Missed { count: 2 }))];
        refused(&of([gained(1, 1, 100, 200), gap]), "2 words of member 1 are missing");
    }

    #[test]
    fn what_a_dead_member_knew_is_forgotten() {
        let heard =
            |member| vec![line(500, member, ReportKind::Event(Event::Elected { leader: id(1), term: 5 }))];
        let mut recording = of([heard(1), heard(2)]);
        recording.forget(2);
        assert_eq!(recording.known_leaders().keys().collect::<Vec<_>>(), [&1]);
    }

    #[test]
    fn a_recording_with_an_unreadable_line_is_refused() {
        let mut recording = of([gained(1, 1, 100, 200)]);
        recording.mishear("{", "it ends too early");
        refused(&recording, "a line cannot be read");
    }

    #[test]
    fn leading_without_a_lease_is_refused() {
        let line = line(100, 1, ReportKind::Event(Event::Gained { term: 1 }));
        refused(&of([vec![line]]), "without a lease");
    }
}
