//! A member of any algorithm stands whatever its peers say.
#![no_main]

use bellwether_algorithms::ALGORITHMS;
use bellwether_testkit::hostile_peers::run_script;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((&first, script)) = bytes.split_first() {
        let at = usize::from(first) % ALGORITHMS.entries.len();
        let _ = run_script(ALGORITHMS.entries[at].machine, script);
    }
});
