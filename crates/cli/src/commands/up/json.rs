//! An event as a line of JSON.

use super::cluster_view::MemberView;
use super::run_event::RunEvent;
use crate::error::Failure;
use bellwether::Id;
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize)]
struct JsonLine<'h> {
    at_ms: f64,
    member: Option<Id>,
    event: Value,
    leader: Value,
    term: Value,
    #[serde(flatten)]
    rest: &'h Map<String, Value>,
}

/// An event as a line of JSON, with the leader that the member then names, and the last term that it knows of.
pub fn as_json(event: &RunEvent, began_us: u64, view: Option<&MemberView>) -> Result<String, Failure> {
    let no_json = |error: serde_json::Error| Failure::System(format!("no JSON: {error}"));
    let Value::Object(mut rest) = serde_json::to_value(&event.what).map_err(no_json)? else {
        return Err(Failure::System("no JSON object".to_owned()));
    };
    let known = |value: Option<u64>| value.map_or(Value::Null, Value::from);
    let leader = view.and_then(|view| view.leader).map(Id::value);
    let line = JsonLine {
        at_ms: event.at_us.saturating_sub(began_us) as f64 / 1_000.0,
        member: event.member,
        event: rest.remove("event").unwrap_or_default(),
        leader: rest.remove("leader").unwrap_or_else(|| known(leader)),
        term: rest.remove("term").unwrap_or_else(|| known(view.and_then(|view| view.term))),
        rest: &rest,
    };
    serde_json::to_string(&line).map_err(no_json)
}

#[cfg(test)]
mod tests {
    use super::super::run_event::{Action, EventKind};
    use super::*;
    use bellwether::Event;

    #[test]
    fn json_line_has_the_leader_and_term_that_the_member_knows() {
        let id = |value| Id::new(value).unwrap();
        let view = MemberView { leader: Some(id(3)), term: Some(7), ..MemberView::default() };
        let json = |what, view: Option<&MemberView>| {
            let event = RunEvent { at_us: 3_500, member: Some(id(2)), what };
            as_json(&event, 2_000, view).unwrap()
        };
        assert_eq!(
            json(EventKind::Event(Event::Elected { leader: id(4), term: 8 }), Some(&view)),
            r#"{"at_ms":1.5,"member":2,"event":"elected","leader":4,"term":8}"#
        );
        assert_eq!(
            json(EventKind::Event(Event::Died { peer: id(1) }), Some(&view)),
            r#"{"at_ms":1.5,"member":2,"event":"died","leader":3,"term":7,"peer":1}"#
        );
        assert_eq!(
            json(EventKind::Action(Action::Killed), None),
            r#"{"at_ms":1.5,"member":2,"event":"killed","leader":null,"term":null}"#
        );
    }
}
