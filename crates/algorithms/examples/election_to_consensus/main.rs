//! Who can elect can agree (lecture 002): elect a member, and let the last bit of its id decide.
//!
//! Everyone proposes a bit, and takes an id that ends in it. All name the same leader, so all decide the same bit
//! (agreement); it is the leader's own proposal (validity). So election is as hard as consensus: where messages take
//! any time and members may die, no algorithm can be sure to come to an end. The other way, from consensus to
//! election, is the algorithm `paxos`.
//!
//! `cargo run -p bellwether-algorithms --example election_to_consensus`

use bellwether_core::{Goal, Id, Identities, Spec, Status, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::RunSpec;
use bellwether_sim::{Observer, Plan, RoundMode, SetupError, simulate_observed};

#[cfg(test)]
mod tests;

/// An election among members whose ids end in what they propose.
///
/// # Errors
/// [`SetupError`] if the algorithm cannot be run with so many members.
pub fn election(spec: &Spec, proposals: &[bool], seed: u64) -> Result<Plan, SetupError> {
    // Which proposal comes with the better ids is the seed's to say.
    let place = |member: usize| (member + seed as usize) % proposals.len() + 1;
    let id = |(member, &bit): (usize, &bool)| Id::new(2 * place(member) as u64 + u64::from(bit)).ok();
    let ids = proposals.iter().enumerate().filter_map(id).collect();
    RunSpec { ids, ..RunSpec::default() }.plan(spec, seed)
}

/// What everyone decides: the last bit of the leader that it names, if it names one.
pub fn decide(entry: usize, plan: &Plan) -> Vec<Option<bool>> {
    struct Named(Vec<Option<Id>>);
    impl Observer for Named {
        fn published(&mut self, _: Time, member: u32, status: Status) {
            self.0[member as usize] = status.leader;
        }
    }
    let mut named = Named(vec![None; plan.n() as usize]);
    simulate_observed(&ALGORITHMS.entries[entry], plan, RoundMode::Auto, &mut named);
    named.0.into_iter().map(|leader| leader.map(|id| id.value() % 2 == 1)).collect()
}

/// Whether everyone comes to name the leader.
pub fn tells_everyone(spec: &Spec) -> bool {
    spec.identities == Identities::Unique && matches!(spec.goal, Goal::EveryoneKnows | Goal::EveryoneHalts)
}

fn main() -> Result<(), SetupError> {
    let proposals = [true, false, false, true, false];
    println!("proposals: {proposals:?}");
    for (entry, algorithm) in ALGORITHMS.entries.iter().enumerate() {
        let spec = algorithm.spec;
        if tells_everyone(spec) {
            let decided = decide(entry, &election(spec, &proposals, 1)?);
            println!("{:<34} {decided:?}", format!("{} {}", spec.name, spec.variant));
        }
    }
    Ok(())
}
