//! What a member and the rest of its process share: until when it leads, what it reports, and which candidates there are.

pub(crate) mod candidates;
pub(crate) mod event;
pub(crate) mod events;
pub(crate) mod lease_cell;
pub(crate) mod publisher;
