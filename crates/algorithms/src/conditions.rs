//! What figures of all families ask of a run: whether anything disturbs it, and who starts.

use bellwether_core::{Initiators, Setting};

/// Whether the figures of a fault-free run apply: nobody is dead, starts late or calls late.
pub fn is_undisturbed(setting: &Setting<'_>) -> bool {
    setting.calm && setting.dead.is_empty()
}

/// Whether anyone starts.
pub fn somebody_starts(setting: &Setting<'_>) -> bool {
    !matches!(setting.initiators, Initiators::Some(members) if members.is_empty())
}

/// Whether everyone starts.
pub fn all_start(setting: &Setting<'_>) -> bool {
    match setting.initiators {
        Initiators::All => true,
        Initiators::Some(members) => members.len() == setting.n(),
    }
}

/// Who starts, in rising order.
pub fn initiators<'a>(setting: &'a Setting<'_>) -> impl Iterator<Item = usize> + 'a {
    (0..setting.n()).filter(|&member| setting.initiators.contains(member as u32))
}
