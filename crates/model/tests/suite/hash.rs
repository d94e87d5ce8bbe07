//! Saved schedules depend on these hashes. They are SipHash-1-3 of the wire forms, computed by another program.

use bellwether_algorithms::bully::Patience;
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::modified_ring::ModifiedRing;
use bellwether_algorithms::quorum_lease::Timer;
use bellwether_core::{AnyMessage, AnyValue, MachineType};
use bellwether_model::hash_of;

/// An id on the wire.
fn id(value: u8) -> Vec<u8> {
    vec![value + 1, 0, 0, 0, 0, 0, 0, 0]
}

/// A rank on the wire: attribute 0, and the best is elected.
fn rank(value: u8) -> Vec<u8> {
    [vec![0, 0, 0, 0, 0, 0, 0, 0x80], id(value)].concat()
}

fn message(machine: &MachineType, wire: &[Vec<u8>]) -> AnyMessage {
    (machine.read_message)(&wire.concat()).expect("a message's wire form")
}

#[test]
fn hashes_of_messages_are_fixed() {
    let elected = message(MachineType::of::<ChangRoberts>(), &[vec![1], id(3)]);
    assert_eq!(format!("{elected:?}"), "Elected(3)");
    assert_eq!(hash_of(&elected), 0xeecb_c5d1_0fbd_ca06);
    // Run 2 of member 1 has elected 3, and members 2 and 1 have forwarded it.
    let wire = [vec![0, 5, 1, 2], rank(1), id(3), vec![2], id(2), id(1)];
    let coordinator = message(MachineType::of::<ModifiedRing>(), &wire);
    assert!(format!("{coordinator:?}").contains("forwarded_by: [2, 1]"), "{coordinator:?}");
    assert_eq!(hash_of(&coordinator), 0x751e_0c2b_2c2c_620e);
}

#[test]
fn hashes_of_timers_are_fixed() {
    assert_eq!(hash_of(&AnyValue::new(Timer::Lease(300))), 0x608d_cf9d_c15a_1113);
    assert_eq!(hash_of(&AnyValue::new(Patience::Coordinator)), 0x44bc_103b_1f85_40ed);
    assert_eq!(hash_of(&()), 0xd1fb_a762_150c_532c, "of nothing");
}
