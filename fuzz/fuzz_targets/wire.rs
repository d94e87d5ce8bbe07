//! Whatever comes from the network is read or refused; what is read is written the same.
#![no_main]

use bellwether_cluster::net::wire::{decode, encode};
use bellwether_cluster::death_certificate::DeathCertificate;
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
        && let Some(certificate) = DeathCertificate::decode(chunk)
    {
        assert_eq!(certificate.encode(), *chunk);
    }
});
