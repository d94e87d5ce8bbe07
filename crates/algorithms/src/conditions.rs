//! Conditions on runs that figures of all families share: whether the run is disturbed, and which members start.

use bellwether_core::{Initiators, Setting};

/// Whether the figures of a fault-free run apply: no member is dead, boots late or starts an election late.
pub fn is_undisturbed(setting: &Setting<'_>) -> bool {
    setting.calm && setting.dead.is_empty()
}

/// Whether any member starts.
pub fn somebody_starts(setting: &Setting<'_>) -> bool {
    !matches!(setting.initiators, Initiators::Some(members) if members.is_empty())
}

/// Whether all members start.
pub fn all_start(setting: &Setting<'_>) -> bool {
    match setting.initiators {
        Initiators::All => true,
        Initiators::Some(members) => members.len() == setting.n(),
    }
}

/// The members that start, in rising order.
pub fn initiators<'a>(setting: &'a Setting<'_>) -> impl Iterator<Item = usize> + 'a {
    (0..setting.n()).filter(|&member| setting.initiators.contains(member as u32))
}
