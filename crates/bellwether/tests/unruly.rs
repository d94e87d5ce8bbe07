//! Messages that nobody should send, to a member of every algorithm: it takes them or refuses them, and goes on.

use bellwether::ALGORITHMS;
use bellwether_cluster::unruly::{Endured, endure};
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

#[test]
fn no_algorithm_panics_whatever_its_peers_say() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    for entry in ALGORITHMS.entries {
        let mut all = Endured::default();
        for _ in 0..500 {
            let mut script = [0; 4096];
            random.fill_bytes(&mut script);
            let endured = endure(entry.machine, &script);
            all = Endured { taken: all.taken + endured.taken, refused: all.refused + endured.refused };
        }
        let name = format!("{}/{}", entry.spec.name, entry.spec.variant);
        assert!(all.taken > 1_000 && all.refused > 100, "{name}: both are tried: {all:?}");
    }
}
