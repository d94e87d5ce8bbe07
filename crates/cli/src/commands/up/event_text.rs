//! An event as a line of text.

use super::run_event::{Action, EventKind, RunEvent};
use super::summary::Summary;
use bellwether::{Event, Id, Loss, Verdict};

/// As a line of text.
pub fn as_text(event: &RunEvent, began_us: u64) -> String {
    let seconds = event.at_us.saturating_sub(began_us) as f64 / 1e6;
    let words = match &event.what {
        EventKind::Event(event) => of_event(event),
        EventKind::Action(action) => of_deed(action),
    };
    match event.member {
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

fn of_deed(action: &Action) -> String {
    match action {
        Action::Up { members, algorithm, detector, profile, promise } => {
            let run = if *members == 1 { "member runs" } else { "members run" };
            let with_detector = with_detector(detector.as_deref());
            format!("{members} {run} {algorithm}{with_detector}, {profile}: {promise}")
        }
        Action::Killed => "is killed".to_owned(),
        Action::Paused => "is frozen".to_owned(),
        Action::Continued => "goes on".to_owned(),
        Action::Cut => "is cut off".to_owned(),
        Action::Healed => "is connected again".to_owned(),
        Action::Restarted => "is started again".to_owned(),
        Action::AskedToResign => "is asked to lead no longer".to_owned(),
        Action::AskedToHandOver { to } => format!("is asked to let {to} lead"),
        Action::Ended => "is dead".to_owned(),
        Action::Summary(summary) => of_summary(summary),
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
