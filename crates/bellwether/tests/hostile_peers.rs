//! A member of every algorithm takes or refuses whatever its peers send, and goes on.

use bellwether::ALGORITHMS;
use bellwether_testkit::hostile_peers::{MessageCounts, run_script};
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

#[test]
fn no_algorithm_panics_whatever_its_peers_send() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    for entry in ALGORITHMS.entries {
        let mut all = MessageCounts::default();
        for _ in 0..500 {
            let mut script = [0; 4096];
            random.fill_bytes(&mut script);
            let counts = run_script(entry.machine, &script);
            all = MessageCounts { taken: all.taken + counts.taken, refused: all.refused + counts.refused };
        }
        let name = format!("{}/{}", entry.spec.name, entry.spec.variant);
        assert!(all.taken > 1_000 && all.refused > 100, "{name}: both are tried: {all:?}");
    }
}
