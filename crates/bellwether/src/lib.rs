//! Exactly one active instance of a service: leader election to embed.
#![forbid(unsafe_code)]
