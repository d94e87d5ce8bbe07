//! Rings that skip dead members, with a failure detector: leaders that crash after their announcement, and forged
//! messages.

use crate::detectors::{heartbeat, perfect};
use crate::{at, run};
use bellwether_algorithms::{modified_ring::ModifiedRing, ring_skipping::RingSkipping};
use bellwether_core::{Algorithm, Elect, FaultEvent, Id, Lie};
use bellwether_testkit::casts::disturbed::{best_survivor, random_deaths};
use bellwether_testkit::casts::{Cast, assert_elected};
use bellwether_testkit::dice::Dice;

fn check_deaths<A: Algorithm>() {
    let mut dice = Dice(11);
    for round in 0..200 {
        let (cast, mut plan, victims) = random_deaths(round, Cast::overlay, 8, &mut dice);
        plan.limits.messages = 100_000;
        for detector in [perfect(), heartbeat()] {
            plan.detector = Some(detector.clone());
            let context = format!("{} {cast:?} {:?} {:?} {detector}", A::SPEC.name, plan.script, plan.delay);
            assert_elected(&run::<A>(&plan), best_survivor(&cast, &victims), true, &context);
        }
    }
}

#[test]
fn any_crashes_are_survived() {
    check_deaths::<ModifiedRing>();
    check_deaths::<RingSkipping>();
}

#[test]
fn forged_message_does_not_circulate_for_ever() {
    let cast = Cast::in_best_order(Elect::Best, 5);
    let mut plan = cast.overlay();
    plan.limits.messages = 1_000;
    plan.script = vec![at(80, FaultEvent::Lie(Lie::Forge(Id::new(99).expect("small"))), 2)];
    assert!(run::<ModifiedRing>(&plan).finished && run::<RingSkipping>(&plan).finished);
}
