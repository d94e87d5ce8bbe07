//! What happens, told: as a line of text, or as a line of JSON.

use super::deeds::{Deed, Happening, What};
use super::record::Summary;
use super::standing::Standing;
use crate::error::Failure;
use bellwether::{Event, Id, Loss, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

/// An event as a line of JSON.
#[derive(Serialize)]
struct Told<'h> {
    at_ms: f64,
    member: Option<Id>,
    event: Value,
    leader: Value,
    term: Value,
    #[serde(flatten)]
    rest: &'h Map<String, Value>,
}

/// As a line of JSON: with the leader that the member names then, and the last term that it knows of.
pub fn as_json(happening: &Happening, began_us: u64, standing: Option<&Standing>) -> Result<String, Failure> {
    let no_json = |error: serde_json::Error| Failure::System(format!("no JSON: {error}"));
    let Value::Object(mut rest) = serde_json::to_value(&happening.what).map_err(no_json)? else {
        return Err(Failure::System("no JSON object".to_owned()));
    };
    let known = |value: Option<u64>| value.map_or(Value::Null, Value::from);
    let leader = standing.and_then(|standing| standing.leader).map(Id::value);
    let told = Told {
        at_ms: happening.at_us.saturating_sub(began_us) as f64 / 1_000.0,
        member: happening.member,
        event: rest.remove("event").unwrap_or_default(),
        leader: rest.remove("leader").unwrap_or_else(|| known(leader)),
        term: rest.remove("term").unwrap_or_else(|| known(standing.and_then(|standing| standing.term))),
        rest: &rest,
    };
    serde_json::to_string(&told).map_err(no_json)
}

/// As a line of text.
pub fn as_text(happening: &Happening, began_us: u64) -> String {
    let seconds = happening.at_us.saturating_sub(began_us) as f64 / 1e6;
    let words = match &happening.what {
        What::Event(event) => of_event(event),
        What::Deed(deed) => of_deed(deed),
    };
    match happening.member {
        Some(member) => format!("{seconds:9.4} s  member {member} {words}"),
        None => format!("{seconds:9.4} s  {words}"),
    }
}

/// What a member says, after its name. Term 0 is that of algorithms that count none.
fn of_event(event: &Event) -> String {
    match event {
        Event::Started { address, boot: 1, pid } => format!("listens at {address}, as process {pid}"),
        Event::Started { address, boot, pid } => {
            format!("listens at {address}, as process {pid}, in its life number {boot}")
        }
        Event::InTheClear => "talks IN THE CLEAR: whoever can reach it can command it".to_owned(),
        Event::NewCluster { unheard } if unheard.is_empty() => {
            "starts a new cluster: no member has saved anything".to_owned()
        }
        Event::NewCluster { unheard } => {
            let unheard: Vec<String> = unheard.iter().map(Id::to_string).collect();
            format!(
                "starts a new cluster without {}: if that one has run before, tokens may be issued twice",
                unheard.join(" and ")
            )
        }
        Event::NewStore => "has a new store, in a cluster that has run before".to_owned(),
        Event::Elected { leader, term: 0 } => format!("names {leader} the leader"),
        Event::Elected { leader, term } => format!("names {leader} the leader of term {term}"),
        Event::Leaderless { .. } => "names no leader any more".to_owned(),
        Event::Gained { term: 0 } => "LEADS".to_owned(),
        Event::Gained { term } => format!("LEADS, with token {term}"),
        Event::Extended { .. } => "has its lease extended".to_owned(),
        Event::Ready { leader, .. } => format!("knows that {leader} is ready"),
        Event::Lost { why, .. } => format!("leads no longer: {}", of_loss(*why)),
        Event::Connected { peer } => format!("talks to {peer}"),
        Event::Disconnected { peer, why } => format!("suspects {peer}: {why}"),
        Event::Judged { peer, verdict } => {
            let verdict = match verdict {
                Verdict::Working => "works",
                Verdict::Suspected => "is silent",
                Verdict::Failed => "has failed",
            };
            format!("hears from its failure detector that {peer} {verdict}")
        }
        Event::Died { peer } => format!("learns for certain that {peer} is dead"),
        Event::Refused { from, why } => format!("turns {from} away: {why}"),
        Event::DiskStalled => "takes no part: its disk does not answer".to_owned(),
        Event::DiskBack => "takes part again: its disk answers".to_owned(),
        Event::Missed { count } => format!("has said {count} things that nobody has heard"),
        Event::Stopped { why: None } => "stops".to_owned(),
        Event::Stopped { why: Some(why) } => format!("stops: {why}"),
    }
}

fn of_loss(why: Loss) -> &'static str {
    match why {
        Loss::Expired => "its lease has run out",
        Loss::GaveUp => "it gave up",
        Loss::Disk => "its disk does not answer, or has failed",
        Loss::Stopped => "it was told to stop",
        Loss::Failed => "it cannot go on",
    }
}

/// What follows an algorithm's name.
pub fn with_detector(detector: Option<&str>) -> String {
    detector.map(|name| format!(" with the detector {name}")).unwrap_or_default()
}

fn of_deed(deed: &Deed) -> String {
    match deed {
        Deed::Up { members, algorithm, detector, profile, promise } => {
            let run = if *members == 1 { "member runs" } else { "members run" };
            let with_detector = with_detector(detector.as_deref());
            format!("{members} {run} {algorithm}{with_detector}, {profile}: {promise}")
        }
        Deed::Killed => "is killed".to_owned(),
        Deed::Paused => "is frozen".to_owned(),
        Deed::Continued => "goes on".to_owned(),
        Deed::Cut => "is cut off".to_owned(),
        Deed::Healed => "is connected again".to_owned(),
        Deed::Restarted => "is started again".to_owned(),
        Deed::AskedToResign => "is asked to lead no longer".to_owned(),
        Deed::AskedToHandOver { to } => format!("is asked to let {to} lead"),
        Deed::Ended => "is dead".to_owned(),
        Deed::Summary(summary) => of_summary(summary),
    }
}

fn of_summary(summary: &Summary) -> String {
    let Summary { elections, leader_changes: changes, kills, failovers, .. } = summary;
    let mut text = format!(
        "elections: {elections}; leader changes: {} provoked, {} unprovoked; kills: {kills}",
        changes.provoked, changes.unprovoked
    );
    if let (Some(p50), Some(p99), Some(max)) = (failovers.p50_ms, failovers.p99_ms, failovers.max_ms) {
        text += &format!(
            "; from {} kills of leaders until every survivor named the next: \
             half within {p50:.1} ms, 99 % within {p99:.1} ms, at most {max:.1} ms",
            failovers.count
        );
    }
    if summary.missed > 0 {
        text += &format!("; {} THINGS THAT MEMBERS SAID ARE MISSING", summary.missed);
    }
    text += &format!("; most leaders at once: {}", summary.most_leaders_at_once);
    if summary.one_leader_a_term == Some(false) {
        text += "; A TERM HAD TWO LEADERS";
    }
    match summary.tokens_grew {
        Some(true) => text + "; tokens grew",
        Some(false) => text + "; TOKENS DID NOT GROW",
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_says_who_leads_as_far_as_the_member_knows() {
        let id = |value| Id::new(value).unwrap();
        let standing = Standing { leader: Some(id(3)), term: Some(7), ..Standing::default() };
        let json = |what, standing: Option<&Standing>| {
            let happening = Happening { at_us: 3_500, member: Some(id(2)), what };
            as_json(&happening, 2_000, standing).unwrap()
        };
        assert_eq!(
            json(What::Event(Event::Elected { leader: id(4), term: 8 }), Some(&standing)),
            r#"{"at_ms":1.5,"member":2,"event":"elected","leader":4,"term":8}"#
        );
        assert_eq!(
            json(What::Event(Event::Died { peer: id(1) }), Some(&standing)),
            r#"{"at_ms":1.5,"member":2,"event":"died","leader":3,"term":7,"peer":1}"#
        );
        assert_eq!(
            json(What::Deed(Deed::Killed), None),
            r#"{"at_ms":1.5,"member":2,"event":"killed","leader":null,"term":null}"#
        );
    }
}
