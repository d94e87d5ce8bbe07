//! Whether other programs can read what is written, and find everything in it.

use bellwether_lab::export::{Format, PARSER};
use bellwether_lab::wording::Heading;
use bellwether_model::recording::{Input, Recording};
use bellwether_testkit::recordings;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn nasty() -> Heading {
    let about = "Braces } { and & more;\nlines <b>\u{1}";
    Heading { title: "a \"b\" <c> & #1; %% -->".to_owned(), about: about.to_owned(), algorithm: None }
}

fn delivered(recording: &Recording) -> usize {
    let inputs = recording.steps.iter().flat_map(|step| &step.inputs);
    inputs.filter(|input| matches!(input, Input::Message(_))).count()
}

/// Lost by links.
fn dropped(recording: &Recording) -> usize {
    recording.messages.iter().filter(|message| message.dropped.is_some()).count()
}

/// Lost on members.
fn lost(recording: &Recording) -> usize {
    let inputs = recording.steps.iter().flat_map(|step| &step.inputs);
    inputs.filter(|input| matches!(input, Input::Loss(_))).count()
}

/// The part of Mermaid's grammar that sequence diagrams of ours need.
fn check_mermaid_text(text: &str) {
    let text = text.replace("<br/>", "");
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['#', ';', '%', '<', '>', '\n']) {
        let entity = rest[at..].strip_prefix('#').and_then(|rest| rest.split_once(';'));
        let (digits, after) = entity.unwrap_or_else(|| panic!("'{rest}' is not escaped"));
        assert!(!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()), "{text}");
        rest = after;
    }
}

#[test]
fn mermaid_is_well_formed_and_complete() {
    for recording in recordings::all() {
        for heading in [recordings::heading(), nasty()] {
            let text = Format::Mermaid.write(&recording, &heading);
            let body = text.strip_prefix("---\ntitle: ").unwrap();
            let (title, body) = body.split_once("\n---\nsequenceDiagram\n").unwrap();
            assert_eq!(serde_json::from_str::<String>(title).unwrap(), heading.title);
            let (about, body) = body.strip_prefix("    accDescr { ").unwrap().split_once(" }\n").unwrap();
            assert!(!about.contains(['{', '}']), "{about}");
            let mut known = BTreeSet::new();
            let mut arrows: BTreeMap<&str, usize> = BTreeMap::new();
            for line in body.lines() {
                let line = line.strip_prefix("    ").unwrap();
                if let Some((name, id)) = line.strip_prefix("participant ").and_then(|l| l.split_once(" as "))
                {
                    assert!(known.insert(name) && id.parse::<u64>().is_ok(), "{line}");
                    continue;
                }
                if line.starts_with("loop ") || line == "end" {
                    assert!(recording.goes_round_from.is_some(), "{line}");
                    continue;
                }
                let (head, text) = line.split_once(": ").unwrap_or_else(|| panic!("no text: {line}"));
                check_mermaid_text(text);
                if let Some(name) = head.strip_prefix("Note over ") {
                    assert!(known.contains(name), "{line}");
                    continue;
                }
                let arrow = ["->>", "-x", "--)"].into_iter().find(|arrow| head.contains(arrow)).unwrap();
                let (from, to) = head.split_once(arrow).unwrap();
                assert!(known.contains(from) && known.contains(to), "{line}");
                *arrows.entry(arrow).or_default() += 1;
            }
            assert_eq!(known.len(), recording.ranks.len());
            let count = |arrow| arrows.get(arrow).copied().unwrap_or(0);
            let crossed = lost(&recording) + dropped(&recording);
            assert_eq!((count("->>"), count("-x")), (delivered(&recording), crossed));
            assert_eq!(arrows.values().sum::<usize>(), recording.messages.len());
        }
    }
}

#[test]
fn space_time_diagrams_are_well_formed_complete_and_within_their_frame() {
    for recording in recordings::all() {
        for heading in [recordings::heading(), nasty()] {
            let text = Format::Svg.write(&recording, &heading);
            assert_eq!(text, Format::Svg.write(&recording, &heading), "the same bytes");
            let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let root = document.root_element();
            let number = |node: roxmltree::Node<'_, '_>, name| node.attribute(name)?.parse::<f64>().ok();
            let (width, height) = (number(root, "width").unwrap(), number(root, "height").unwrap());
            let child = |name| root.children().find(|node| node.has_tag_name(name)).unwrap();
            assert_eq!(child(("http://www.w3.org/2000/svg", "title")).text(), Some(heading.title.as_str()));
            let ends =
                if recording.goes_round_from.is_some() { "It goes round for ever" } else { "In the end" };
            assert!(child(("http://www.w3.org/2000/svg", "desc")).text().unwrap().contains(ends));
            let is_arrow = |node: &roxmltree::Node<'_, '_>| {
                node.attribute("class").is_some_and(|class| class.starts_with("message kind"))
                    && node.children().any(|child| child.tag_name().name() == "title")
            };
            assert_eq!(document.descendants().filter(is_arrow).count(), recording.messages.len());
            for node in document.descendants() {
                for (names, most) in [(["x", "x1", "x2", "cx"], width), (["y", "y1", "y2", "cy"], height)] {
                    for name in names {
                        if let Some(value) = number(node, name) {
                            assert!((0.0..=most).contains(&value), "{name}={value} of {most}: {node:?}");
                        }
                    }
                }
            }
            assert!(!text.contains("NaN") && !text.contains("inf"));
        }
    }
}

#[test]
fn shiviz_can_read_the_log_and_its_clocks_are_causal() {
    for recording in recordings::all() {
        let text = Format::Shiviz.write(&recording, &recordings::heading());
        let events = text.strip_prefix(PARSER).unwrap().strip_prefix("\n\n").unwrap();
        let lines: Vec<&str> = events.lines().collect();
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let mut clocks = Vec::new();
        for event in lines.chunks(2) {
            let (host, clock) = event[1].split_once(' ').unwrap();
            assert!(host.strip_prefix("member-").is_some_and(|id| id.parse::<u64>().is_ok()), "{host}");
            let clock: BTreeMap<String, u64> = serde_json::from_str(clock).unwrap();
            *counts.entry(host).or_default() += 1;
            assert_eq!(clock[host], counts[host], "a member's own component counts its events");
            clocks.push(clock);
        }
        // Losses are no events: nothing happens to anyone.
        let is_loss = |inputs: &[Input]| matches!(inputs, [Input::Loss(_)]);
        let shown: Vec<usize> =
            (0..recording.steps.len()).filter(|&at| !is_loss(&recording.steps[at].inputs)).collect();
        assert_eq!(shown.len(), clocks.len());
        for message in &recording.messages {
            let Some(end) = message.end.filter(|end| !end.lost) else { continue };
            let clock_of = |step: usize| &clocks[shown.binary_search(&step).unwrap()];
            let (sending, arrival) = (clock_of(message.in_step), clock_of(end.in_step));
            let known = |host: &String| arrival.get(host).copied().unwrap_or(0);
            assert!(sending.iter().all(|(host, count)| *count <= known(host)) && sending != arrival);
        }
    }
}

#[test]
fn json_has_everything_and_messages_name_each_other() {
    for recording in recordings::all() {
        let text = Format::Json.write(&recording, &nasty());
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["title"], nasty().title);
        assert_eq!(object["members"].as_array().unwrap().len(), recording.ranks.len());
        let steps = object["steps"].as_array().unwrap();
        assert_eq!(steps.len(), recording.steps.len());
        let sends: Vec<&Value> = steps.iter().flat_map(|step| step["sends"].as_array().unwrap()).collect();
        let report = &recording.report;
        assert_eq!(sends.len() as u64, report.messages.total + report.links.duplicated);
        let with = |key: &str| sends.iter().filter(|sent| !sent[key].is_null()).count() as u64;
        assert_eq!((with("dropped"), with("copy")), (report.links.lost, report.links.duplicated));
        assert_eq!(with("arrives"), sends.len() as u64 - report.links.lost);
        let mut arrived = 0;
        for step in steps {
            for input in step["inputs"].as_array().unwrap() {
                let Some(message) = input["message"].as_u64() else { continue };
                let sent = sends[message as usize];
                assert_eq!((&sent["message"], &sent["kind"]), (&input["message"], &input["kind"]));
                assert_eq!((&sent["to"], &sent["text"]), (&step["member"], &input["text"]));
                assert_eq!(
                    (&sent["ends_in_step"], &sent["lost"]),
                    (&step["number"], &(input["event"] == "loss").into())
                );
                let sender = &steps[input["sent_in_step"].as_u64().unwrap() as usize - 1];
                assert_eq!(sender["member"], input["from"]);
                arrived += 1;
            }
        }
        assert_eq!(arrived, delivered(&recording) + lost(&recording));
    }
}

/// What goes wrong is told by every format, in words that say what it is.
#[test]
fn whatever_goes_wrong_is_told() {
    let recording = recordings::troubled();
    let words = [
        "boots again",
        "freezes",
        "wakes",
        "drifts by -500ppm",
        "jumps by +2.5",
        "the link is cut",
        "the link is mended",
        "all links are mended",
        "goes by the id 11",
        "says nothing more to 7",
    ];
    for format in [Format::Mermaid, Format::Svg, Format::Shiviz] {
        let text = format.write(&recording, &recordings::heading());
        for words in words {
            assert!(text.contains(words), "{format:?}: no '{words}' in {text}");
        }
        for words in ["lost, as was chosen", "lost: the link is cut"] {
            assert!(text.contains(words), "{format:?}: no '{words}' in {text}");
        }
    }
    let object: Value =
        serde_json::from_str(&Format::Json.write(&recording, &recordings::heading())).unwrap();
    let inputs: Vec<&Value> = object["steps"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|step| step["inputs"].as_array().unwrap())
        .filter(|input| input["event"] == "struck")
        .collect();
    let has = |wanted: Value| inputs.iter().any(|input| **input == wanted);
    assert!(has(serde_json::json!({ "event": "struck", "what": "cut", "peer": 5 })), "{inputs:?}");
    assert!(has(serde_json::json!({ "event": "struck", "what": "drift", "rate_ppm": -500 })), "{inputs:?}");
    assert!(has(serde_json::json!({ "event": "struck", "what": "jump", "by": 2.5 })), "{inputs:?}");
    assert!(has(serde_json::json!({ "event": "struck", "what": "pretend", "as": 11 })), "{inputs:?}");
    let lives =
        |key: &str, value: Value| object["steps"].as_array().unwrap().iter().any(|step| step[key] == value);
    assert!(lives("life", "frozen".into()) && lives("lies", true.into()));
}
