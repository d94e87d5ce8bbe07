//! A peer without an algorithm: it is connected, and does as the test wants.
#![allow(dead_code)] // each test uses some of it

use bellwether::{ALGORITHMS, Id, Incarnation, Settings};
use bellwether_cluster::net::{Incoming, Network};
use bellwether_cluster::{ClusterConfig, Store, StoreId, Stores};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(30);

pub struct Impostor {
    pub network: Network,
}

/// What an impostor says to all peers.
#[derive(Clone, Copy, Debug)]
pub enum Lie {
    /// They vote from another store than they did.
    OtherStore,
    /// There was a later start of them.
    Superseded,
}

fn config(settings: &Settings) -> ClusterConfig {
    let choice = bellwether::algorithm_of(&ALGORITHMS, &settings.algorithm, &settings.profile).unwrap();
    ClusterConfig::new(settings, choice.spec, &choice.params)
}

fn open(settings: &Settings, boot: u64, stores: &Stores) -> Impostor {
    let incarnation = Incarnation { boot, nonce: 7 };
    Impostor { network: Network::open(settings, config(settings), incarnation, stores).unwrap() }
}

/// The member of these settings, as other members see it.
pub fn impostor(settings: &Settings, is_store_new: bool) -> Impostor {
    let own = StoreId::new([settings.me.value() as u8; 16]);
    open(settings, 1, &Stores { own, is_new: is_store_new, peers: Vec::new() })
}

/// A member that has its store, and tells this lie.
pub fn liar(settings: &Settings, lie: Lie) -> Impostor {
    let store = Store::examine(&settings.data, &settings.cluster, settings.me, &config(settings)).unwrap();
    let mut saved = store.saved();
    match lie {
        Lie::OtherStore => saved.stores.peers.clear(),
        Lie::Superseded => saved.stores.peers.iter_mut().for_each(|peer| peer.last.boot += 1_000),
    }
    open(settings, saved.boot, &saved.stores)
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

    /// Accepts all stores until something like this has come in from both peers.
    pub fn until_each(&mut self, what: &str, of: impl Fn(&Incoming<'_>) -> Option<Id>) {
        let peers = RefCell::new(BTreeSet::new());
        self.until(what, |it| {
            peers.borrow_mut().extend(of(it));
            peers.borrow().len() == 2
        });
    }

    /// Refuses all stores that it does not know, in a thread of its own, until the test has ended.
    pub fn lies_to(mut self, peers: impl IntoIterator<Item = (Id, String)>) -> Lying {
        peers.into_iter().for_each(|(id, address)| self.network.set_address(id, address));
        let lying = Lying(Arc::new(AtomicBool::new(true)));
        let goes_on = lying.0.clone();
        std::thread::spawn(move || {
            while goes_on.load(Ordering::Relaxed) {
                while let Some(incoming) = self.network.next() {
                    if let Incoming::NewStore { peer, store, .. } = incoming {
                        self.network.refuse_store(peer, store);
                    }
                }
                self.network.wait(Some(Duration::from_millis(5))).unwrap();
            }
        });
        lying
    }
}

/// A liar at work.
pub struct Lying(Arc<AtomicBool>);

impl Drop for Lying {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
