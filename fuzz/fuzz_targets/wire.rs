//! Whatever comes from the network is read or refused; what is read is written the same.
#![no_main]

use bellwether_cluster::network::wire::{decode, encode};
use bellwether_cluster::obituary::Obituary;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(Some((frame, length))) = decode(rest) {
        let mut again = Vec::new();
        assert!(encode(&frame, &mut again));
        assert_eq!(again, rest[..length]);
        rest = &rest[length..];
    }
    if let Some(chunk) = bytes.first_chunk()
        && let Some(obituary) = Obituary::decode(chunk)
    {
        assert_eq!(obituary.encode(), *chunk);
    }
});
