//! Everything that is tested of the simulator with algorithms made up for it, in one binary.

mod alarms;
mod faults;
mod judge;
mod lasting;
mod leases;
mod parameters;
mod scenarios;
mod schedules;
mod scripts;
mod setup;
mod shrink;
mod support;
mod swarm;
mod trials;
mod watch;
