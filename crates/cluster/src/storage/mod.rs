//! What a member keeps on disk: the store, and the thread that writes it.

pub(crate) mod disk;
pub(crate) mod store;
