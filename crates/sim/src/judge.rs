//! Judging a run: by the problem's safety and liveness, and by the algorithm's own claims.

use crate::plan::Plan;
use crate::report::Report;
use bellwether_core::{
    Duty, Electorate, Expect, Goal, Id, Identities, Knowledge, Lasting, Leadership, Measure, Rank, Reign,
    Role, Setting, Spec, Starts, Status,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// One live member leads, and nobody live names another.
    Elected,
    /// Two live members lead, or live members name different leaders.
    Split,
    /// It is over, and no live member leads.
    None,
    /// It was stopped before anyone was elected.
    Undecided,
}

/// What is wrong with a run, as the problem is stated (ids, and why).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// How it ended.
    pub outcome: Outcome,
    /// The live leader, if there is exactly one.
    pub leader: Option<Id>,
    /// How many live members lead.
    #[serde(skip)]
    pub leaders: usize,
    /// Whether all live members name the same leader.
    pub agreed: bool,
    /// Whether two live members lead, or a live member takes somebody for the leader who is not to lead: wrong
    /// at the end of everything, whatever may be meanwhile.
    #[serde(skip)]
    pub wrongly_led: bool,
    /// Safety: every live member's leader is nobody, or the best live member of those that may lead; among
    /// identical members, at most one leads; and no two ever did where no two may
    /// ([`bellwether_core::Reign`]). Else, who is wrong. Where members go on for ever
    /// ([`Lasting::GoesOn`]) nothing is settled until all is right, and only what may never be is unsafe: whom
    /// members name meanwhile is a matter of liveness, and so are two leaders of different terms.
    pub unsafe_because: Option<String>,
    /// Liveness: the run ends and the algorithm's goal is reached. Where too few live for anyone to lead, that
    /// is that nobody does; where no election is required ([`is_required`]), that the run ends. Else, what is
    /// missing.
    pub not_live_because: Option<String>,
    /// Whether an election was required ([`is_required`]).
    #[serde(skip)]
    pub required: bool,
}

/// A live member at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// Which, by index.
    pub member: u32,
    /// What an outsider sees of it.
    pub status: Status,
    /// Whether it has taken part in an election: it was called, or heard a message.
    pub took_part: bool,
}

/// The live members at the end of a run, in the order of members. Judging is compiled once, whatever holds the members.
#[derive(Clone, Copy)]
pub enum Live<'a> {
    /// These.
    Listed(&'a [Survivor]),
    /// Those of so many members of whom there is something to say.
    Among(u32, &'a dyn Fn(u32) -> Option<Survivor>),
}

impl<'a> Live<'a> {
    fn iter(self) -> impl Iterator<Item = Survivor> + Clone + 'a {
        let places = match self {
            Live::Listed(live) => live.len() as u32,
            Live::Among(members, _) => members,
        };
        (0..places).filter_map(move |place| match self {
            Live::Listed(live) => Some(live[place as usize]),
            Live::Among(_, survivor) => survivor(place),
        })
    }
}

/// Whether an election must come to an outcome.
///
/// Where members start by themselves, it must. Where an election is called, it must as soon as a live member has
/// taken part in one, as its caller or because it heard a message, or names a leader. If all callers crash before
/// anybody hears of their calls, nobody alive knows of an election, and none is required.
#[must_use]
pub fn is_required(spec: &Spec, live: Live<'_>) -> bool {
    let is_called = spec.starts == Starts::Callers && spec.lasting == Lasting::Ends;
    let knows =
        |it: Survivor| it.took_part || it.status.leader.is_some() || it.status.role != Role::Undecided;
    !is_called || live.iter().any(knows)
}

impl Ruling {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.unsafe_because.is_none() && self.not_live_because.is_none()
    }
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing was left to happen, or it had reached what it was to go on for.
    ByItself,
    /// It was stopped at a limit.
    AtALimit,
    /// Its schedule was played, though more could have happened.
    AtEndOfSchedule,
    /// It has a loop, and never ends.
    GoesRound,
}

impl Ending {
    /// Whether a run ended by itself, where nothing else could stop it but a limit.
    #[must_use]
    pub fn of(finished: bool) -> Ending {
        if finished { Ending::ByItself } else { Ending::AtALimit }
    }

    /// In words, after which comes what is missing.
    fn words(self) -> &'static str {
        match self {
            Ending::ByItself => "the run ended",
            Ending::AtALimit => "the run was stopped at a limit of messages or time",
            Ending::AtEndOfSchedule => "the run was stopped at the end of its schedule",
            Ending::GoesRound => "the run goes round for ever",
        }
    }
}

/// Rules on a run's end. `live` are the live members.
#[must_use]
pub fn rule(spec: &Spec, plan: &Plan, live: Live<'_>, ending: Ending) -> Ruling {
    let required = is_required(spec, live);
    let live = live.iter().map(|it| (it.member, it.status));
    let finished = ending == Ending::ByItself;
    let id = |member: u32| plan.ranks[member as usize].id();
    let duties = match spec.knows.contains(Knowledge::DUTIES) {
        true => plan.duties_in_the_end(),
        false => vec![Duty::Full; plan.n() as usize],
    };
    let may_lead = |member: u32| duties[member as usize].leads();
    let rightful = Rightful::new(spec, plan, live.clone(), may_lead);
    let mut leaders =
        live.clone().filter(|(_, status)| status.role == Role::Leader).map(|(member, _)| member);
    let (leader, second_leader) = (leaders.next(), leaders.next());
    let mut named: Option<Id> = None;
    let (mut names_differ, mut somebody_names_nobody) = (false, false);
    let mut wrongly_named = None;
    let mut nobody = true;
    for (member, status) in live.clone() {
        nobody = false;
        match status.leader {
            None => somebody_names_nobody = true,
            Some(id) => {
                names_differ |= named.is_some_and(|other| other != id);
                named = Some(id);
            }
        }
        let takes_for_leader = if status.role == Role::Leader { Some(id(member)) } else { status.leader };
        if let Some(leader) = takes_for_leader
            && wrongly_named.is_none()
        {
            wrongly_named = rightful.problem(id(member), leader);
        }
    }

    let both_lead = leader
        .zip(second_leader)
        .map(|(one, other)| format!("members {} and {} both lead", id(one), id(other)));
    let usurper = leader.filter(|&leader| both_lead.is_none() && !may_lead(leader));
    let usurps = usurper.map(|leader| format!("member {} leads, and is not there to lead", id(leader)));
    let wrongly_led = wrongly_named.is_some() || both_lead.is_some() || usurps.is_some();
    let goes_on = spec.lasting == Lasting::GoesOn;
    // Whoever was dismissed leads until that is done.
    let was_to_lead = usurper.is_some_and(|leader| plan.duty(leader).leads());
    let (unsafe_because, not_settled_because) = if !goes_on {
        (joined(both_lead, wrongly_named).or(usurps), None)
    } else {
        let (usurps, stays) = if was_to_lead { (None, usurps) } else { (usurps, None) };
        let wrongly_named = wrongly_named.or(stays);
        match spec.reign {
            Reign::PerTerm | Reign::AtLast => (usurps, joined(both_lead, wrongly_named)),
            Reign::AtOnce | Reign::Leased => (both_lead.or(usurps), wrongly_named),
        }
    };

    let outcome = if second_leader.is_some() || names_differ {
        Outcome::Split
    } else if leader.is_some() {
        Outcome::Elected
    } else if finished {
        Outcome::None
    } else {
        Outcome::Undecided
    };
    let not_live_because = if nobody {
        Some("no member is alive".to_owned())
    } else if let Some(leader) = leader {
        let reigns_on = goes_on && !has_electorate(spec, &duties, live.clone());
        if reigns_on {
            Some(format!("member {} leads on without a majority of those who vote", id(leader)))
        } else if let Some(member) = unmet_goal(spec.goal, live) {
            let missing = format!("member {} does not know the outcome", id(member));
            let goes_round = ending == Ending::GoesRound;
            Some(if goes_round { format!("{} and {missing}", ending.words()) } else { missing })
        } else if let Some(why) = not_settled_because {
            Some(why)
        } else {
            (!finished).then(|| ending.words().to_owned())
        }
    } else if required
        && has_electorate(spec, &duties, live.clone())
        && live.clone().any(|(it, _)| may_lead(it))
    {
        Some(format!("{} and no live member leads", ending.words()))
    } else if let Some(why) = not_settled_because {
        Some(why)
    } else {
        (!finished).then(|| ending.words().to_owned()) // nobody can lead, or need, and nobody does
    };
    Ruling {
        outcome,
        leader: leader.filter(|_| second_leader.is_none()).map(id),
        leaders: usize::from(leader.is_some()) + usize::from(second_leader.is_some()) + leaders.count(),
        wrongly_led,
        agreed: !nobody && named.is_some() && !names_differ && !somebody_names_nobody,
        unsafe_because,
        not_live_because,
        required,
    }
}

/// Both reasons in one sentence, or the one there is.
pub(crate) fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}

/// Whether enough are alive for somebody to lead.
fn has_electorate(spec: &Spec, duties: &[Duty], live: impl Iterator<Item = (u32, Status)>) -> bool {
    match spec.electorate {
        Electorate::WhoeverIsThere => true,
        Electorate::Majority => {
            let voters = duties.iter().filter(|duty| duty.votes()).count();
            live.filter(|(member, _)| duties[*member as usize].votes()).count() * 2 > voters
        }
    }
}

/// Who may be taken for the leader.
enum Rightful {
    /// Anyone.
    Anyone,
    /// The best live member of those that may lead.
    Best(Option<Id>),
    /// Those that lead and are alive.
    Incumbent(BTreeSet<Id>),
}

impl Rightful {
    fn new(
        spec: &Spec,
        plan: &Plan,
        live: impl Iterator<Item = (u32, Status)>,
        may_lead: impl Fn(u32) -> bool,
    ) -> Rightful {
        let rank = |member: u32| plan.ranks[member as usize];
        match (spec.identities, spec.leadership) {
            (Identities::Anonymous, _) => Rightful::Anyone,
            (_, Leadership::Best) => {
                let candidates = live.filter(|(member, _)| may_lead(*member));
                Rightful::Best(candidates.map(|(member, _)| rank(member)).max().map(Rank::id))
            }
            (_, Leadership::Incumbent) => Rightful::Incumbent(
                live.filter(|(_, status)| status.role == Role::Leader)
                    .map(|(member, _)| rank(member).id())
                    .collect(),
            ),
        }
    }

    /// What is wrong with a member's taking somebody for the leader, if anything.
    fn problem(&self, member: Id, leader: Id) -> Option<String> {
        match self {
            Rightful::Best(Some(best)) if leader != *best => Some(format!(
                "member {member} takes {leader} for the leader, but the best live member is {best}"
            )),
            Rightful::Best(None) => {
                Some(format!("member {member} takes {leader} for the leader, but nobody alive may lead"))
            }
            Rightful::Incumbent(leading) if !leading.contains(&leader) => {
                Some(format!("member {member} takes {leader} for the leader, which does not lead"))
            }
            _ => None,
        }
    }
}

/// A member for which the goal is not reached.
fn unmet_goal(goal: Goal, mut live: impl Iterator<Item = (u32, Status)>) -> Option<u32> {
    live.find(|(_, status)| !goal.is_met_by(status)).map(|(member, _)| member)
}

/// A claim, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimRuling {
    /// The claim's name.
    pub name: &'static str,
    /// The figure claimed.
    pub expected: f64,
    /// The figure measured.
    pub measured: f64,
    /// Whether they agree.
    pub holds: bool,
    /// How: "exactly" or "at most" in one run, "on average" over many.
    pub relation: &'static str,
    /// The figure for people.
    pub formula: &'static str,
}

/// What an algorithm claims for a run: each claim that makes a statement about it.
pub fn claims<'s>(
    spec: &'s Spec,
    setting: &'s Setting<'s>,
) -> impl Iterator<Item = (&'s bellwether_core::Claim, Expect)> + 's {
    let known = spec.knows.bytes(setting.max_degree) as f64;
    spec.claims.iter().filter_map(move |claim| {
        let expect = (claim.expect)(setting)?;
        Some((claim, if claim.measure == Measure::Storage { expect.plus(known) } else { expect }))
    })
}

/// How many rounds an algorithm claims a run to take at most, and the figure for people.
#[must_use]
pub fn claimed_rounds(spec: &Spec, setting: &Setting<'_>) -> Option<(f64, &'static str)> {
    claims(spec, setting)
        .filter(|(claim, _)| matches!(claim.measure, Measure::Rounds | Measure::LeaderRound))
        .map(|(claim, expect)| (expect.figure(), claim.formula))
        .max_by(|one, other| one.0.total_cmp(&other.0))
}

/// Rules on the claims that one run can confirm or refute: none if it was stopped at a limit.
#[must_use]
pub fn rule_claims(spec: &Spec, setting: &Setting<'_>, report: &Report) -> Vec<ClaimRuling> {
    claims(spec, setting)
        .filter(|_| report.finished)
        .filter_map(|(claim, expect)| {
            let measured = measured(report, claim.measure)?;
            Some(ClaimRuling {
                name: claim.name,
                expected: expect.figure(),
                measured,
                holds: expect.holds_for_one(measured)?,
                relation: expect.relation(),
                formula: claim.formula,
            })
        })
        .collect()
}

/// What a run measured; nothing if it does not measure that.
#[must_use]
pub fn measured(report: &Report, measure: Measure) -> Option<f64> {
    match measure {
        Measure::Messages => Some(report.messages.payload as f64),
        Measure::MessagesOf(kind) => report.messages.by_kind.get(kind).map(|&count| count as f64),
        // A synchroniser's rounds are not the run's: members are in different ones.
        Measure::Time if report.driver == crate::report::Driver::Synchroniser => None,
        Measure::Time => Some(report.time.hops()),
        Measure::Rounds => report.rounds.map(|rounds| rounds as f64),
        Measure::LeaderRound => report.leader_round.map(|round| round as f64),
        // A synchroniser's own lists are not the algorithm's.
        Measure::Storage if report.driver == crate::report::Driver::Synchroniser => None,
        Measure::Storage => Some(report.storage_max as f64),
    }
}
