//! Everything that is tested of the simulator with algorithms made up for it, in one binary.

mod alarms;
mod faults;
mod judge;
mod lasting;
mod leases;
mod parameters;
mod restarts;
mod scripts;
mod watch;
