//! How steps of a schedule are written, and which plans have rules.

use bellwether_core::{Fate, FaultEvent, Port, Request, Topology};
use bellwether_model::{Action, CrashPoint, FaultBudget, Notice, Rules, TimeModel, Transition};
use bellwether_sim::Plan;
use bellwether_sim::schedule::{ActionText, Endpoint, Envelope, Instruction};
use bellwether_testkit::toys::{complete, id, ring};

fn two_way_ring(n: u32) -> Plan {
    Plan { topology: Topology::Ring { n, two_way: true }, ..complete(n) }
}

#[test]
fn steps_are_written_with_members_by_id() {
    let plan = complete(3);
    let rules = Rules::new(&plan, FaultBudget::default());
    // The wires of a complete network of three: 1 to 2 and 3, 2 to 3 and 1, 3 to 1 and 2, by port.
    let order: Vec<(u32, u32)> = rules.wires.iter().map(|(_, wire)| (wire.from, wire.to)).collect();
    let wire = |from, to| order.iter().position(|&pair| pair == (from, to)).unwrap() as u8;
    let towards =
        |member, peer| (0..2).find(|&port| plan.topology.peer(member, Port(port)).0 == peer).unwrap() as u8;
    let cases: [(Transition, &str); 29] = [
        (Action::Member(0, FaultEvent::Start).into(), "boot 1"),
        (Action::Member(2, FaultEvent::Call).into(), "call 3"),
        (Action::CallAgain(2).into(), "call 3 again"),
        (Action::Deliver(wire(2, 0), 0).into(), "deliver 3 -> 1"),
        (Action::Deliver(wire(2, 0), 1).into(), "deliver 3 -> 1 #2"),
        (Action::Link(wire(0, 1), 0, Fate::Lost).into(), "lose 1 -> 2"),
        (Action::Link(wire(0, 1), 6, Fate::Twice).into(), "duplicate 1 -> 2 #7"),
        (Action::TimeOut(1, 0).into(), "time-out 2"),
        (Action::TimeOut(1, 2).into(), "time-out 2 #3"),
        (Action::Tell(1, towards(1, 2), Notice::Failed).into(), "tell 2: 3 failed"),
        (Action::Tell(1, towards(1, 2), Notice::FalselyFailed).into(), "tell 2: 3 falsely-failed"),
        (Action::Tell(1, towards(1, 0), Notice::Working).into(), "tell 2: 1 working"),
        (Action::Tell(1, towards(1, 2), Notice::Suspected).into(), "tell 2: 3 suspected"),
        (Action::Tell(1, towards(1, 2), Notice::Unsuspected).into(), "tell 2: 3 unsuspected"),
        (Action::Tick.into(), "tick"),
        (Action::Member(0, FaultEvent::Crash).into(), "crash 1"),
        (Action::Member(0, FaultEvent::Recover).into(), "recover 1"),
        (
            Transition { what: Action::Member(2, FaultEvent::Call), draw: 3, crash_after: None },
            "call 3 draw 4",
        ),
        (
            Transition {
                what: Action::Deliver(wire(2, 0), 1),
                draw: 1,
                crash_after: Some(CrashPoint::Sends(0)),
            },
            "deliver 3 -> 1 #2 draw 2 crash after 0",
        ),
        (
            Transition {
                what: Action::Member(1, FaultEvent::Recover),
                draw: 0,
                crash_after: Some(CrashPoint::TornWrite),
            },
            "recover 2 crash torn",
        ),
        (Action::Member(0, FaultEvent::Pause).into(), "pause 1"),
        (Action::Member(0, FaultEvent::Resume).into(), "wake 1"),
        (Action::Member(2, FaultEvent::Request(Request::Resign)).into(), "ask 3: resign"),
        (Action::Member(2, FaultEvent::Request(Request::Transfer(id(1)))).into(), "ask 3: transfer 1"),
        (Action::Member(2, FaultEvent::Request(Request::Admit(id(2)))).into(), "ask 3: admit 2"),
        (Action::Member(2, FaultEvent::Request(Request::Dismiss(id(2)))).into(), "ask 3: dismiss 2"),
        (Action::Member(2, FaultEvent::Request(Request::Withdraw)).into(), "ask 3: withdraw"),
        (Action::Member(2, FaultEvent::Request(Request::Stand)).into(), "ask 3: stand"),
        (Action::Member(0, FaultEvent::Learn(2)).into(), "certify 1: 3"),
    ];
    for (action, text) in cases {
        assert_eq!(rules.write(action), text);
        assert_eq!(rules.read(text), Ok(action));
    }
    assert_eq!(
        rules.read("  deliver 3->1#2  draw 2"),
        rules.read("deliver 3 -> 1 #2 draw 2"),
        "spaces do not matter"
    );
}

#[test]
fn a_port_is_written_where_several_lead_to_the_same_member() {
    let pair = two_way_ring(2);
    let rules = Rules::new(&pair, FaultBudget::default());
    for (number, wire) in rules.wires.iter() {
        let (from, port, to) = (wire.from + 1, wire.port.0, wire.to + 1);
        let delivered = format!("deliver {from}.{port} -> {to}");
        assert_eq!(rules.write(Action::Deliver(number, 0).into()), delivered);
        assert_eq!(rules.read(&delivered), Ok(Action::Deliver(number, 0).into()));
        let told = format!("tell {from}.{port}: {to} failed");
        let tell = Action::Tell(wire.from as u8, port as u8, Notice::Failed).into();
        assert_eq!((rules.write(tell), rules.read(&told)), (told, Ok(tell)));
    }
    assert_eq!(rules.wires.len(), 4);
    let refused = rules.read("deliver 1 -> 2").unwrap_err();
    assert!(refused.contains("which of 1's ports") && refused.contains("write 1.0 or 1.1"), "{refused}");

    // One of three is dead: then its neighbours are linked on both sides, and without it on one.
    let mut three = two_way_ring(3);
    assert!(Rules::new(&three, FaultBudget::default()).read("deliver 1 -> 2").is_ok());
    three.ring_closes = true;
    let closes = Rules::new(&three, FaultBudget { crashes: 1, ..FaultBudget::default() });
    assert!(closes.read("deliver 1 -> 2").is_err());
    let (near, far) = (closes.read("deliver 1.0 -> 2").unwrap(), closes.read("deliver 1.1 -> 2").unwrap());
    assert_ne!(near, far);
    assert_eq!(
        (closes.write(near), closes.write(far)),
        ("deliver 1.0 -> 2".into(), "deliver 1.1 -> 2".into())
    );
}

#[test]
fn what_is_no_step_is_refused_with_advice() {
    let plan = ring(3);
    let rules = Rules::new(&plan, FaultBudget::default());
    let cases = [
        ("", "'' is no step: expected call 3, deliver 3 -> 1"),
        ("dance 3", "'dance 3' is no step"),
        ("call", "'call' is no step"),
        ("call 3 4", "is no step"),
        ("call three", "'three' is no id"),
        ("call 9", "member 9 is not a member; the members are 1, 2, 3"),
        ("call 18446744073709551615", "too large"),
        ("call 3 #2", "'#' goes with a message or with time-out"),
        ("deliver 1 -> 2 #0", "'0' is no number that can stand here: expected 1"),
        ("deliver 1 -> 2 #256", "'256' is no number"),
        ("deliver 1 -> 2 draw 0", "'0' is no number"),
        ("deliver 1 -> 2 crash after x", "'x' is no number"),
        ("deliver 1.x -> 2", "'1.x' names no port"),
        ("deliver 1.7 -> 2", "which of 1's ports leads to 2: write 1.0"),
        ("deliver 2 -> 1", "nothing leads from 2 to 1"),
        ("deliver 1 - 2", "is no step"),
        ("tell 2: 4 failed", "member 4 is not a member"),
        ("tell 2: 3 dead", "is no step"),
        ("crash after 2", "is no step"),
    ];
    for (text, advice) in cases {
        let refused = rules.read(text).expect_err(text);
        assert!(refused.contains(advice), "{text}: {refused}");
    }
}

#[test]
fn an_instruction_is_what_was_written() {
    let letter = Envelope { from: Endpoint { id: id(7), port: Some(Port(2)) }, to: id(3), place: 1 };
    let expected = Instruction { deed: ActionText::Link(letter, Fate::Lost), draw: 0, crash_after: None };
    assert_eq!("lose 7.2 -> 3 #2".parse(), Ok(expected));
    assert_eq!(expected.to_string(), "lose 7.2 -> 3 #2");
}

#[test]
fn steps_tell_which_liberties_they_need() {
    let steps: Vec<Instruction> = [
        "call 1 crash after 2",
        "crash 2",
        "recover 2",
        "lose 1 -> 2",
        "duplicate 1 -> 2",
        "duplicate 1 -> 2",
        "tell 1: 2 failed",
        "tick",
    ]
    .map(|text| text.parse().unwrap())
    .to_vec();
    let expected = FaultBudget {
        crashes: 2,
        recoveries: 1,
        losses: 1,
        duplicates: 2,
        late_calls: true,
        detector: true,
        time: TimeModel::Clock { grain: 1, drift: 0 },
        ..FaultBudget::default()
    };
    assert_eq!(FaultBudget::needed_for(&steps), expected);
    assert_eq!(FaultBudget::needed_for(&[]), FaultBudget { late_calls: true, ..FaultBudget::default() });
}

#[test]
fn what_does_not_fit_into_the_rules_is_refused() {
    let calm = FaultBudget::default();
    let fits = |plan: &Plan, liberties: FaultBudget| Rules::fits(plan, &liberties);
    // A complete network of n has n (n - 1) wires, a one-way ring n.
    assert_eq!(fits(&complete(16), calm), Ok(()));
    assert!(fits(&complete(17), calm).unwrap_err().contains("272 ways for messages"));
    assert_eq!(fits(&ring(32), calm), Ok(()));
    assert!(fits(&ring(33), calm).unwrap_err().contains("33 members are too many"));
    assert!(fits(&complete(100_000), calm).is_err(), "at once");
    // A ring that closes has as many again for each that may die.
    let closes = Plan { ring_closes: true, ..ring(32) };
    assert_eq!(fits(&closes, FaultBudget { crashes: 6, ..calm }), Ok(()));
    assert!(fits(&closes, FaultBudget { crashes: 7, ..calm }).unwrap_err().contains("256 ways"));
    let clock = |grain, drift| FaultBudget { time: TimeModel::Clock { grain, drift }, ..calm };
    assert_eq!(fits(&ring(10), clock(4, 10)), Ok(()));
    assert!(fits(&ring(11), clock(4, 10)).unwrap_err().contains("too many ways"));
    assert_eq!(fits(&ring(11), clock(4, 0)), Ok(()));
    for broken in [clock(0, 0), clock(101, 0), clock(1, 1_000)] {
        assert!(fits(&ring(3), broken).is_err(), "{broken:?}");
    }
}
