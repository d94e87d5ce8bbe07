//! A member of any algorithm stands whatever its peers say.
#![no_main]

use bellwether_algorithms::Algorithms;
use bellwether_cluster::unruly::endure;
use bellwether_core::Registry as _;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((&first, script)) = bytes.split_first() {
        endure::<Algorithms>(usize::from(first) % Algorithms::ENTRIES.len(), script);
    }
});
