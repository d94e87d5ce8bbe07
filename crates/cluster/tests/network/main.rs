//! Networks of one process against each other, over the loopback.

mod abuse;
mod bench;
mod certificates;
mod cut;
mod floods;
mod frames;
mod guesses;
mod pairs;
mod patience;
mod redial;
mod stores;
