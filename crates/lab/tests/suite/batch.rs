//! Many runs of one description.

use bellwether_core::Order;
use bellwether_lab::{Seeds, batch};
use bellwether_runspec::RunSpec;
use bellwether_sim::{Report, SetupError};
use bellwether_testkit::toys::beacon::BEACONS;

fn reports(run: &RunSpec, count: u64) -> Result<Vec<Report>, SetupError> {
    batch::run_each(&BEACONS.entries[0], run, &[], Seeds { first: 0, count }, 1, |_, report| report)
}

#[test]
fn a_batch_that_cannot_be_planned_is_refused() {
    let run = RunSpec { nodes: Some(0), order: Some(Order::Best), ..RunSpec::default() };
    assert!(matches!(reports(&run, 3), Err(SetupError::NoMembers)));
}

#[test]
fn a_batch_follows_the_schedule_of_its_description() {
    let run: RunSpec = serde_json::from_value(serde_json::json!({
        "algorithm": "beacon",
        "ids": [1, 2, 3],
        "schedule": ["crash 3", "crash 2"],
        "liberties": { "crashes": 2 },
    }))
    .expect("it describes a run");
    let played = reports(&run, 2).expect("it can be run");
    // Each member sends a ping to both others as it boots. Nothing answers: no other step is in the schedule.
    let sent: Vec<u64> = played.iter().map(|report| report.messages.total).collect();
    assert_eq!(sent, [6, 6]);
    let impossible = RunSpec { ids: run.ids[..2].to_vec(), ..run };
    assert!(matches!(reports(&impossible, 2), Err(SetupError::Step { number: 1, .. })));
}
