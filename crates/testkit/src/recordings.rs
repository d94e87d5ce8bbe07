//! Recorded runs for tests.

use bellwether_core::{Elect, Fate, FaultEvent, HOP, Id, Initiators, Lie, Order, Rank, Time, Topology};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::wording::Heading;
use bellwether_model::recording::{Recording, record};
use bellwether_sim::faults::Chosen;
use bellwether_sim::schedule::{FaultBudget, Instruction};
use bellwether_sim::{Happening, Plan, RoundMode, Schedule};

/// What a recording is called.
pub fn heading() -> Heading {
    Heading { title: "An example".to_owned(), about: "What happens, and why.".to_owned(), algorithm: None }
}

fn ranks(ids: &[u64]) -> Vec<Rank> {
    ids.iter().map(|&id| Rank::new(Elect::Best, 0, Id::new(id).unwrap())).collect()
}

fn at(hops: u64, what: FaultEvent, member: u32) -> Happening {
    Happening { at: Time::ZERO + HOP * hops, what, member }
}

fn recorded(name: &str, plan: &Plan) -> Recording {
    let entry = ALGORITHMS.find(name, None).unwrap();
    record(&ALGORITHMS.entries[entry], plan, RoundMode::Auto).unwrap()
}

fn ring(ids: &[u64]) -> Plan {
    let topology = Topology::Ring { n: ids.len() as u32, two_way: false };
    Plan::new(topology, None, ranks(ids), Order::Explicit)
}

/// The lectures' ring, called by 3.
pub fn chang_roberts() -> Recording {
    let mut plan = ring(&[80, 32, 5, 12, 6, 3]);
    plan.initiators = Initiators::Some(vec![5]);
    recorded("chang-roberts", &plan)
}

/// A ring in rounds.
pub fn lcr() -> Recording {
    recorded("lcr", &ring(&[5, 1, 4, 2, 3]))
}

/// Five bullies: the best is dead, the next dies, one is late, and messages take their time.
pub fn bully() -> Recording {
    let mut plan = Plan::new(Topology::Complete { n: 5 }, None, ranks(&[1, 2, 3, 4, 5]), Order::Explicit);
    plan.initiators = Initiators::Some(vec![0]);
    plan.delay = "uniform:0.5..1.5".parse().unwrap();
    plan.delay_bound = plan.delay.bound();
    plan.script = vec![
        at(0, FaultEvent::Crash, 4),
        at(20, FaultEvent::Start, 1),
        at(30, FaultEvent::Crash, 3),
        at(40, FaultEvent::Call, 0),
    ];
    recorded("bully", &plan)
}

/// A ring in which much goes wrong: somebody dies and comes back, freezes and wakes, lies, and has a clock
/// of its own; a link is cut and mended, one message is lost and another doubled; the ring closes.
pub fn troubled() -> Recording {
    let mut plan = ring(&[9, 2, 5, 7]);
    plan.ring_closes = true;
    plan.initiators = Initiators::Some(vec![1]);
    let chosen = |kind: &str, fate| {
        let (kind, nth) = (Some(kind.to_owned()), Some(1));
        Chosen { from: None, to: None, kind, nth, fate }
    };
    plan.link_faults.chosen = vec![chosen("elected", Fate::Lost), chosen("election", Fate::Twice)];
    plan.script = vec![
        at(1, FaultEvent::Pause, 3),
        at(1, FaultEvent::Drift(-500), 2),
        at(2, FaultEvent::Crash, 0),
        at(4, FaultEvent::Resume, 3),
        at(4, FaultEvent::Jump(2_500), 2),
        at(15, FaultEvent::Recover, 0),
        at(15, FaultEvent::Cut(2), 1),
        at(18, FaultEvent::Mend(2), 1),
        at(24, FaultEvent::Lie(Lie::Pretend(Id::new(11).unwrap())), 2),
        at(24, FaultEvent::Lie(Lie::Silence(3)), 2),
        at(25, FaultEvent::Heal, 0),
    ];
    recorded("chang-roberts", &plan)
}

/// A ring that closes round its dead, step by step: one message comes twice and one of the two is lost, 4
/// dies and with it what was on its way to it, and what it sent goes round for ever.
pub fn step_by_step() -> Recording {
    let steps = "call 3, duplicate 3 -> 4, lose 3 -> 4, call 4, crash 4, deliver 4 -> 1, deliver 1 -> 2, \
                 deliver 2 -> 3, call 1, call 2, deliver 3 -> 1, deliver 1 -> 2, deliver 2 -> 3";
    let actions: Vec<Instruction> = steps.split(", ").map(|step| step.parse().unwrap()).collect();
    let liberties = FaultBudget::needed_for(&actions);
    let mut plan = Plan { ring_closes: true, ..ring(&[1, 2, 3, 4]) };
    plan.schedule = Some(Schedule { liberties, beginning: 0, actions, loop_from: Some(10) });
    recorded("chang-roberts", &plan)
}

/// One member, which sends to itself; and a ring that somebody's death cuts.
pub fn odd_ones() -> [Recording; 2] {
    let mut broken = ring(&[80, 32, 5]);
    broken.script = vec![at(1, FaultEvent::Crash, 1), at(2, FaultEvent::Start, 0)];
    [recorded("chang-roberts", &ring(&[7])), recorded("chang-roberts", &broken)]
}

/// All of them.
pub fn all() -> Vec<Recording> {
    let mut all = vec![chang_roberts(), lcr(), bully(), troubled(), step_by_step()];
    all.extend(odd_ones());
    all
}
