//! The member itself: its loop, its state machine, and what it knows of the other members.

pub(crate) mod detector;
pub(crate) mod machine;
pub(crate) mod member;
pub(crate) mod ring;
pub(crate) mod surroundings;
