//! The sources' figures of runs, computed independently by the tests.

mod aggregation_tree;
mod bully;
mod bully_disturbed;
mod chang_roberts;
mod floodmax;
mod franklin;
mod hirschberg_sinclair;
mod itai_rodeh;
mod lcr;
mod means;
mod modified_ring;
mod one_way_phases;
mod overlay_disturbed;
mod overlay_rings;
mod ring_skipping;
mod small_networks;
mod suppressing;
mod time_slice;
mod two_way;
mod variable_speeds;
