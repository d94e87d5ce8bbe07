//! Recordings of real runs, against the notes of a second observer and against brute force.

use bellwether_core::{DynMessage, Elect, FaultEvent, HOP, Port, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_model::recording::{Condition, End, Input, Recording, TooLong, record};
use bellwether_sim::{Happening, LinkOrder, Observer, Plan, RoundMode, simulate_observed};
use bellwether_testkit::casts::{Cast, DELAYS, set_delay};
use bellwether_testkit::dice::Dice;
use std::collections::BTreeSet;

/// Records each message with its content.
struct Witness<'p> {
    plan: &'p Plan,
    sent: Vec<(Time, u32, u32, String)>,
    delivered: Vec<(Time, u32, u32, String)>,
    lost: usize,
}

impl Observer for Witness<'_> {
    fn sent(&mut self, at: Time, member: u32, port: Port, _: (u32, Port), msg: &dyn DynMessage, _: Time) {
        let (to, _) = self.plan.topology.peer(member, port);
        self.sent.push((at, member, to, format!("{msg:?}")));
    }
    fn delivered(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        let (from, _) = self.plan.topology.peer(member, port);
        self.delivered.push((at, from, member, format!("{msg:?}")));
    }
    fn lost(&mut self, _: Time, _: u32, _: Port, _: &dyn DynMessage) {
        self.lost += 1;
    }
}

fn entry(name: &str, variant: &str) -> usize {
    ALGORITHMS.find(name, Some(variant)).expect("the algorithm is registered")
}

fn recorded(entry: usize, plan: &Plan) -> Recording {
    record(&ALGORITHMS.entries[entry], plan, RoundMode::Auto).expect("it is short")
}

/// An event at the member at this place, at this time in hops.
fn happening(at: u64, what: FaultEvent, member: u32) -> Happening {
    Happening { at: Time::ZERO + HOP * at, what, member }
}

/// Runs of all kinds: rings in rounds and not, over a synchroniser, bullies; dead, late and crashing members, random
/// and reordering links.
fn runs() -> Vec<(String, usize, Plan)> {
    let mut runs = Vec::new();
    let mut dice = Dice(7);
    let kinds = [
        ("lcr", "leader-only"),
        ("lcr", "halting"),
        ("chang-roberts", "plain"),
        ("bully", "at-once"),
        ("bully", "waiting"),
    ];
    for (name, variant) in kinds {
        for n in [1, 2, 3, 6] {
            for (which, delay) in DELAYS.iter().enumerate() {
                let cast = Cast::with_ties(Elect::Best, n, &mut dice);
                let mut plan = if name == "bully" { cast.complete() } else { cast.ring() };
                set_delay(&mut plan, delay);
                plan.seed = which as u64;
                let entry = entry(name, variant);
                let context = format!("{name}/{variant}, {n} members, {delay}");
                runs.push((context.clone(), entry, plan.clone()));
                if which == 1 && n > 1 {
                    plan.links = LinkOrder::Reordering;
                    plan.script = vec![happening(2, FaultEvent::Crash, 1)];
                    runs.push((format!("{context}, a crash"), entry, plan.clone()));
                    plan.script = vec![happening(9, FaultEvent::Start, 0)];
                    if n > 2 {
                        plan.script.push(happening(0, FaultEvent::Crash, 2));
                        plan.script.sort_unstable();
                    }
                    runs.push((format!("{context}, a late start"), entry, plan.clone()));
                    plan.script =
                        vec![happening(6, FaultEvent::Crash, 0), happening(9, FaultEvent::Start, 0)];
                    runs.push((format!("{context}, dead before its start"), entry, plan));
                }
            }
        }
    }
    runs
}

#[test]
fn every_message_is_matched_with_its_delivery_or_loss() {
    for (context, entry, plan) in runs() {
        let recording = recorded(entry, &plan);
        let mut witness = Witness { plan: &plan, sent: Vec::new(), delivered: Vec::new(), lost: 0 };
        let report = simulate_observed(&ALGORITHMS.entries[entry], &plan, RoundMode::Auto, &mut witness);
        assert_eq!(recording.report, report, "{context}");
        assert_eq!(recording.messages.len() as u64, report.messages.total, "{context}");
        assert_eq!(recording.messages.len(), witness.sent.len(), "{context}");
        for (message, (at, from, to, _)) in recording.messages.iter().zip(&witness.sent) {
            assert_eq!((message.at, message.from, message.to), (*at, *from, *to), "{context}");
            let step = &recording.steps[message.in_step];
            assert_eq!((step.at, step.member), (*at, *from), "{context}");
        }
        let mut delivered = witness.delivered.iter();
        let (mut ended, mut lost) = (BTreeSet::new(), 0);
        for (in_step, step) in recording.steps.iter().enumerate() {
            for input in &step.inputs {
                let (number, is_lost) = match input {
                    Input::Message(number) => (*number, false),
                    Input::Loss(number) => (*number, true),
                    _ => continue,
                };
                let message = &recording.messages[number];
                assert!(ended.insert(number), "{context}: {number} came twice");
                assert_eq!(message.end, Some(End { in_step, lost: is_lost }), "{context}");
                assert!(message.in_step < in_step, "{context}: {number} came before it was sent");
                assert!(step.at >= message.due, "{context}: {number} came too early");
                if is_lost {
                    lost += 1;
                    continue;
                }
                let (at, from, to, said) = delivered.next().expect("it was delivered");
                assert_eq!((step.at, message.from, step.member), (*at, *from, *to), "{context}");
                assert_eq!(&witness.sent[number].3, said, "{context}: {number} is another message");
                let was_late =
                    plan.script.iter().any(|h| (h.what, h.member) == (FaultEvent::Start, step.member));
                assert!(step.at == message.due || was_late, "{context}: {number} came late");
            }
        }
        assert_eq!((delivered.next(), lost), (None, witness.lost), "{context}");
        let open = recording.messages.iter().filter(|message| message.end.is_none()).count();
        assert_eq!(open + ended.len(), recording.messages.len(), "{context}");
    }
}

#[test]
fn messages_under_way_are_those_sent_and_not_delivered() {
    for (context, entry, plan) in runs() {
        let recording = recorded(entry, &plan);
        let mut under_way = BTreeSet::new();
        assert!(recording.after(0).in_flight().is_empty() && recording.after(0).step().is_none());
        for (number, step) in recording.steps.iter().enumerate() {
            for input in &step.inputs {
                if let Input::Message(message) | Input::Loss(message) = input {
                    assert!(under_way.remove(message), "{context}");
                }
            }
            under_way.extend(step.sends.clone());
            let moment = recording.after(number + 1);
            let flights = moment.in_flight();
            assert_eq!(flights.iter().map(|f| f.message).collect::<BTreeSet<_>>(), under_way, "{context}");
            for flight in flights {
                let sent = &recording.messages[flight.message];
                let (way, gone) = ((sent.due - sent.at).hops(), (moment.now() - sent.at).hops());
                let along = if gone >= way { 1.0 } else { gone / way };
                assert!((flight.along - along).abs() < 1e-9, "{context}: {flight:?}");
                assert_eq!(flight.waits, sent.due < moment.now(), "{context}");
                let boots = recording.steps.iter().find(|step| step.member == sent.to).map(|step| step.at);
                let is_out = boots.is_none_or(|boots| boots >= moment.now());
                assert!(!flight.waits || is_out, "{context}: it waits in vain");
            }
        }
    }
}

#[test]
fn member_states_are_those_after_the_last_step() {
    for (context, entry, plan) in runs() {
        let recording = recorded(entry, &plan);
        let mut last = vec![None; plan.ranks.len()];
        for (number, step) in recording.steps.iter().enumerate() {
            let before = last[step.member as usize].map(|at: usize| &recording.steps[at]);
            assert_eq!(recording.step_before(number).map(|s| &s.seat), before.map(|s| &s.seat), "{context}");
            let died = |at: usize| recording.steps[at].inputs.contains(&Input::Crash);
            let is_dead = (0..=number).any(|at| recording.steps[at].member == step.member && died(at));
            assert_eq!(step.seat.life == Condition::Dead, is_dead, "{context}");
            last[step.member as usize] = Some(number);
            for (member, last) in last.iter().enumerate() {
                let seat = recording.after(number + 1).seat(member as u32);
                assert_eq!(seat, last.map(|at| &recording.steps[at].seat), "{context}");
            }
            for change in recording.changes(number) {
                assert_ne!(change.before, Some(change.after), "{context}");
            }
        }
        let leaders: Vec<_> = (0..recording.n())
            .filter(|&member| {
                let seat = recording.after(usize::MAX).seat(member);
                seat.is_some_and(|s| {
                    s.life == Condition::Up && s.status.role == bellwether_core::Role::Leader
                })
            })
            .map(|member| recording.id(member))
            .collect();
        let only = if leaders.len() == 1 { Some(leaders[0]) } else { None };
        assert_eq!(only, recording.report.ruling.leader, "{context}");
    }
}

/// Which steps happened before which, by the definition: at one member in order, from a message's sending to its
/// arrival, and transitively.
fn happened_before(recording: &Recording) -> Vec<BTreeSet<usize>> {
    let mut causes: Vec<BTreeSet<usize>> = Vec::new();
    for (number, step) in recording.steps.iter().enumerate() {
        let is_loss = |at: usize| matches!(recording.steps[at].inputs[..], [Input::Loss(_)]);
        let mut direct: Vec<usize> = (0..number)
            .rev()
            .filter(|&at| recording.steps[at].member == step.member && !is_loss(at))
            .take(1)
            .collect();
        for input in &step.inputs {
            if let Input::Message(message) = input {
                direct.push(recording.messages[*message].in_step);
            }
        }
        let mut all: BTreeSet<usize> = direct.iter().flat_map(|&at| causes[at].iter().copied()).collect();
        all.extend(direct);
        causes.push(all);
    }
    causes
}

#[test]
fn vector_clocks_give_exactly_the_happened_before_relation() {
    let mut concurrent = 0;
    for (context, entry, plan) in runs() {
        let recording = recorded(entry, &plan);
        let causes = happened_before(&recording);
        let clocks: Vec<_> = recording.clocks().collect();
        assert_eq!(clocks.len(), recording.steps.len(), "{context}");
        for (later, clock) in clocks.iter().enumerate() {
            let Some(clock) = clock else {
                assert!(matches!(recording.steps[later].inputs[..], [Input::Loss(_)]), "{context}");
                continue;
            };
            for (earlier, other) in clocks[..later].iter().enumerate() {
                let Some(other) = other else { continue };
                let at_most = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a <= b);
                let is_before = at_most(other, clock) && other != clock;
                assert_eq!(is_before, causes[later].contains(&earlier), "{context}: {earlier} {later}");
                assert!(!at_most(clock, other), "{context}: {later} is not before {earlier}");
                concurrent += usize::from(!is_before);
            }
        }
    }
    assert!(concurrent > 0, "nothing was concurrent, so nothing was shown");
}

#[test]
fn messages_waiting_at_a_crashing_member_are_lost() {
    let cast = Cast::in_best_order(Elect::Best, 3);
    let mut plan = cast.ring();
    plan.script = vec![happening(6, FaultEvent::Crash, 0), happening(9, FaultEvent::Start, 0)];
    let recording = recorded(entry("chang-roberts", "plain"), &plan);
    let crash = recording.steps.iter().position(|step| step.inputs[0] == Input::Crash).expect("it dies");
    let next = &recording.steps[crash + 1];
    assert!(matches!(next.inputs[..], [Input::Loss(_)]) && next.member == 0, "{next:?}");
    assert!(recording.messages.iter().all(|message| message.end.is_some()));
    assert!(recording.after(usize::MAX).in_flight().is_empty());
}

#[test]
fn timers_suspicions_and_reasons_are_kept() {
    let cast = Cast::in_best_order(Elect::Best, 4);
    let mut plan = cast.complete();
    plan.script = vec![happening(0, FaultEvent::Crash, 3)];
    let recording = recorded(entry("bully", "waiting"), &plan);
    let inputs = || recording.steps.iter().flat_map(|step| &step.inputs);
    assert!(inputs().any(|input| matches!(input, Input::Timer(timer) if timer == "Answers")));
    assert!(inputs().any(|input| matches!(input, Input::Suspicion { of: 3, .. })));
    assert!(recording.steps.iter().any(|step| step.reason == Some("another member leads: follow it")));
    let decisions = (0..recording.steps.len()).filter(|&step| recording.is_decision(step)).count();
    assert_eq!(decisions, 3, "the leader and its two followers");
}

#[test]
fn runs_of_too_many_steps_are_refused() {
    // Worst order: n (n + 1) / 2 messages, 200,028 for 632 members.
    let plan = Cast::in_worst_order(Elect::Best, 632).ring();
    let outcome = record(&ALGORITHMS.entries[entry("lcr", "leader-only")], &plan, RoundMode::Auto);
    assert_eq!(outcome.err(), Some(TooLong));
    let plan = Cast::in_worst_order(Elect::Best, 100).ring();
    let recording = recorded(entry("lcr", "leader-only"), &plan);
    assert_eq!(recording.messages.len(), 100 * 101 / 2);
}
