//! Networks of one process against each other, over the loopback.

mod abuse;
mod bench;
mod certificates;
mod frames;
mod pairs;
