//! A member that freezes handles nothing, misses nothing, and then catches up in any order.

use bellwether_check::CheckResult;
use bellwether_core::*;
use bellwether_model::{Action, Attention, FaultBudget, TimeModel};
use bellwether_testkit::checks::explored::Explored;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// Everyone says something when it boots, and notes in which order it hears and is reminded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Noting {
    notes: Vec<&'static str>,
}

const PATIENCE: u64 = 2 * BOUND;

impl Toy for Noting {
    type Word = ();
    type Saved = ();

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        cx.send(NEXT, Said(()));
        cx.set_timer(0, Span::from_ticks(PATIENCE));
    }

    fn hears(&mut self, _: &mut ToyCx<'_, Self>, _: Port, (): ()) {
        self.notes.push("heard");
    }

    fn is_reminded(&mut self, _: &mut ToyCx<'_, Self>, _: u8) {
        self.notes.push("reminded");
    }

    fn status(&self) -> Status {
        leads(self.notes.len() == 2)
    }
}

#[test]
fn whoever_freezes_catches_up_in_any_order() {
    let orders = |pauses| {
        let liberties = FaultBudget { pauses, time: CLOCK, ..NONE };
        let plan = ring(&[1, 2]);
        let graph = Explored::new::<Played<Noting>>(&plan, liberties);
        let wires = bellwether_model::Rules::new(&plan, liberties).wires;
        let mut orders = BTreeSet::new();
        for (now, steps) in graph.situations.iter().zip(&graph.steps) {
            let attention = |member: u32| now.seats[member as usize].facts(&Played::<Noting>::SPEC).attention;
            orders.extend(
                now.seats
                    .iter()
                    .filter_map(|seat| Some(seat.state()?.downcast_ref::<Played<Noting>>()?.0.notes.clone())),
            );
            let (mut ticks, mut waiting) = (false, false);
            for (action, _) in steps {
                match action.what {
                    Action::Deliver(wire, _) => {
                        let to = wires.get(wire).to;
                        assert_ne!(attention(to), Attention::Paused);
                        waiting |= attention(to) == Attention::Waking && now.queues[wire as usize][0].1 > 0;
                    }
                    Action::TimeOut(member, _) => {
                        assert_ne!(attention(member.into()), Attention::Paused);
                        waiting = true;
                    }
                    Action::Tick => ticks = true,
                    Action::Member(member, FaultEvent::Resume) => {
                        assert_eq!(attention(member.into()), Attention::Paused);
                    }
                    _ => {}
                }
            }
            assert!(!(ticks && waiting), "the clock waits for those who are awake");
        }
        assert_eq!(
            check_in_full::<Played<Noting>>(&plan, liberties).progress.states,
            graph.situations.len() as u64
        );
        orders
    };
    let in_order: BTreeSet<Vec<&str>> = BTreeSet::from([vec![], vec!["heard"], vec!["heard", "reminded"]]);
    assert_eq!(orders(0), in_order, "a message comes before its bound, and the timer after it");
    let any: BTreeSet<Vec<&str>> =
        in_order.into_iter().chain([vec!["reminded"], vec!["reminded", "heard"]]).collect();
    assert_eq!(orders(1), any);
}

#[test]
fn every_pause_ends() {
    for time in [TimeModel::Any, CLOCK] {
        let liberties = FaultBudget { pauses: 2, time, ..NONE };
        let spec_holds = |options| {
            let checked = check::<Played<Noting>>(&ring(&[1]), &options);
            checked.findings.iter().all(|finding| finding.verdict != CheckResult::Violated)
        };
        // Alone it hears itself and its timer: whatever freezes it, it comes to lead.
        assert!(spec_holds(in_full(liberties)) && spec_holds(reduced(liberties)), "{time:?}");
    }
}
