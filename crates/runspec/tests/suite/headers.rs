//! The first line of a trace.

use bellwether_core::{Elect, FaultEvent, Id, Lie, Request, Span, Time};
use bellwether_runspec::notation::{Interval, Pattern, Share};
use bellwether_runspec::trace::{self, HeaderError, read_header};
use bellwether_runspec::{Callers, LinkOptions, RunSpec, Script, ScriptLine};
use bellwether_sim::network::Shape;
use bellwether_sim::{Delay, LinkOrder};
use bellwether_testkit::toys::beacon::BEACONS;

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

fn at(hops: u64) -> Time {
    Time::from_ticks(hops * 1_000)
}

/// A line that version 1 of the format had, with all of its keys.
const VERSION_1: &str = r#"{"format":"bellwether-trace","version":1,"algorithm":"bully","variant":"at-once",
"parameters":{"patience":5,"timeout":"150..300"},"n":3,
"seed":7,"topology":"complete","delay":"uniform:1..3","delay_bound":2.5,"links":"reordering","elect":"worst",
"synchroniser":false,"ids":[3,1,2],"attributes":[5,-1,0],"initiators":[1,2],
"script":[{"t":0,"event":"crash","member":3},{"t":1,"event":"drift","member":1,"rate_ppm":-500},
{"t":2,"event":"jump","member":1,"by":-2.5},{"t":3,"event":"pretend","member":2,"as":9},
{"t":3,"event":"forge","member":2,"leader":9},{"t":4,"event":"silence","member":2,"peer":1},
{"t":5,"event":"cut","member":1,"peer":2},{"t":6,"event":"mend","member":1,"peer":2},{"t":7,"event":"heal","member":3},
{"t":8,"event":"transfer","member":1,"peer":2},{"t":9,"event":"pause","member":1},{"t":10,"event":"resume","member":1}],
"link_faults":{"loss":0.1,"burst":1,"duplication":0,"reordering":0.2,"held_up":4,"until":null,"lose":["ok:3-1"],"duplicate":[]},
"ring_closes":false,"certified_crashes":true,"detector":"heartbeat:T=5","max_messages":50000000,"until":10010}"#;

#[test]
fn headers_of_version_1_are_read() {
    let event = |member: u64, what, hops| ScriptLine::of((id(member), what, at(hops)));
    let for_good = |hops| Interval { from: at(hops), to: None };
    let script = [
        event(3, FaultEvent::Crash, 0),
        event(1, FaultEvent::Drift(-500), 1),
        event(1, FaultEvent::Jump(-2_500), 2),
        event(2, FaultEvent::Lie(Lie::Pretend(id(9))), 3),
        event(2, FaultEvent::Lie(Lie::Forge(id(9))), 3),
        event(2, FaultEvent::Lie(Lie::Silence(id(1))), 4),
        ScriptLine::CutOneWay(id(1), id(2), for_good(5)),
        ScriptLine::MendOneWay(id(1), id(2), at(6)),
        ScriptLine::Heal(at(7)),
        event(1, FaultEvent::Request(Request::Transfer(id(2))), 8),
        ScriptLine::Pause(id(1), for_good(9)),
        event(1, FaultEvent::Resume, 10),
    ];
    let lose = Pattern { kind: Some("ok".to_owned()), from: Some(id(3)), to: Some(id(1)), nth: None };
    let expected = RunSpec {
        algorithm: "bully:patience=5,timeout=150..300".to_owned(),
        variant: Some("at-once".to_owned()),
        ids: vec![id(3), id(1), id(2)],
        attributes: bellwether_runspec::Attributes::Listed(vec![5, -1, 0]),
        elect: Elect::Worst,
        initiators: Callers::Ids(vec![id(1), id(2)]),
        topology: Some(Shape::Complete),
        delay: Delay::UniformWhole { least: 1, most: 3 },
        delay_bound: Some(Span::from_ticks(2_500)),
        links: LinkOrder::Reordering,
        script: script.into_iter().collect::<Script>(),
        link_faults: LinkOptions {
            loss: Some(Share(0.1)),
            reordering: Some(Share(0.2)),
            held_up: Some(Span::from_hops(4)),
            lose: vec![lose],
            ..LinkOptions::default()
        },
        certified_crashes: true,
        detector: Some("heartbeat:T=5".to_owned()),
        seed: 7,
        until: Some(at(10_010)),
        max_messages: Some(50_000_000),
        ..RunSpec::default()
    };
    assert_eq!(read_header(VERSION_1), Ok(expected));
}

#[test]
fn what_is_no_header_is_refused() {
    for text in ["", "{", "[]", "{}", "{\"format\":\"other\"}", "title = 'T'"] {
        assert_eq!(read_header(text), Err(HeaderError::NoTrace), "{text}");
    }
    let header = |rest: &str| read_header(&format!("{{\"format\":\"bellwether-trace\",{rest}}}"));
    assert_eq!(header("\"version\":3"), Err(HeaderError::Version(3)));
    assert_eq!(header("\"n\":3"), Err(HeaderError::Version(0)));
    let flawed = |rest: &str| match header(rest) {
        Err(HeaderError::Flawed(problem)) => problem,
        other => panic!("{other:?}"),
    };
    assert!(flawed("\"version\":2,\"run\":{\"sed\":3}").contains("no key 'sed'"));
    assert!(flawed("\"version\":2,\"run\":{\"seed\":-3}").contains("'seed' must be a whole number"));
    assert!(flawed("\"version\":2,\"run\":[]").contains("must be a table"));
    assert!(flawed("\"version\":1,\"script\":[{\"t\":3}]").contains("an event of a trace"));
}

#[test]
fn a_header_has_the_parameters_that_are_not_at_their_default() {
    let header = |algorithm: &str| {
        let choice = BEACONS.choose(algorithm).unwrap();
        let run = RunSpec { nodes: Some(3), ..RunSpec::of(algorithm) };
        let plan = run.plan(choice.spec, 0).unwrap();
        assert_eq!(plan.params, choice.params);
        let lines = trace::begin(&run, choice.spec, &plan, Vec::new()).finish(&()).unwrap();
        let header: serde_json::Value =
            serde_json::Deserializer::from_slice(&lines).into_iter().next().unwrap().unwrap();
        assert_eq!(read_header(&header.to_string()), Ok(run));
        header.get("parameters").cloned()
    };
    assert_eq!(header("beacon:beat=9"), Some(serde_json::json!({ "beat": 9 })));
    assert_eq!(header("beacon/eager:beat=4"), Some(serde_json::json!({ "beat": 4 })));
    assert_eq!(header("beacon:beat=4"), None);
    assert_eq!(header("beacon"), None);
}
