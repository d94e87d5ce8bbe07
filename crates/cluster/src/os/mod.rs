//! What the operating system gives a member: a clock, priority, file descriptors, and privacy of its memory.

pub(crate) mod clock;
pub(crate) mod descriptors;
pub(crate) mod inspection;
pub(crate) mod thread_priority;
