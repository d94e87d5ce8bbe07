//! A peer without an algorithm: it is connected, and does as the test wants.

use bellwether::{Algorithms, Incarnation, Settings};
use bellwether_cluster::network::{Incoming, Network};
use bellwether_cluster::{StoreId, Stores, Terms};
use bellwether_core::Registry as _;
use std::time::{Duration, Instant};

/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(30);

pub struct Impostor {
    pub network: Network,
}

/// The member of these settings, as other members see it.
pub fn impostor(settings: &Settings, is_store_new: bool) -> Impostor {
    let spec = Algorithms::ENTRIES[Algorithms::find("quorum-lease", None).unwrap()].spec;
    let life = Incarnation { boot: 1, nonce: 7 };
    let own = StoreId::new([settings.me.value() as u8; 16]);
    let stores = Stores { own, is_new: is_store_new, peers: Vec::new() };
    let network = Network::open(settings, Terms::new(settings, spec), life, &stores).unwrap();
    Impostor { network }
}

impl Impostor {
    /// Accepts all stores until something like this comes in.
    pub fn until(&mut self, what: &str, is_it: impl Fn(&Incoming<'_>) -> bool) {
        let begun = Instant::now();
        loop {
            while let Some(incoming) = self.network.next() {
                if is_it(&incoming) {
                    return;
                }
                if let Incoming::NewStore { peer, store, .. } = incoming {
                    self.network.accept_store(peer, store);
                }
            }
            assert!(begun.elapsed() < LIMIT, "{what} did not come");
            self.network.wait(Some(Duration::from_millis(5))).unwrap();
        }
    }
}
