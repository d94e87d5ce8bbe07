//! Terms that members hear of: how far ahead of its own a member lets one be.
//!
//! A member that hears of a later term enters it, and most write it down. One message of the last term there is would
//! leave the whole cluster without a next one, for good. So a member ignores a message whose term is more than
//! [`MAX_TERM_STEP`] ahead of its own ([`Cx::is_too_far_ahead`]).

use crate::{Algorithm, Cx};

/// How far ahead of the receiver's own term the term of a message may be.
///
/// Honest members do not come so far while one is away: with an election in every lease of 29 ms, it takes four years. A
/// member that lies advances the others by no more than this with a message: it takes 2^31 of them to come to
/// [`LAST_TERM`].
pub const MAX_TERM_STEP: u64 = 1 << 32;

/// Members follow nobody into a later term than this. So they can always count on from where they are.
pub const LAST_TERM: u64 = u64::MAX / 2;

impl<A: Algorithm> Cx<'_, A> {
    /// Whether a message is to be ignored because its term (or epoch, ballot, round) is too far ahead of the member's own:
    /// its sender lies, or its state is damaged. If so, the reason is said ([`Cx::because`]).
    #[inline]
    pub fn is_too_far_ahead(&mut self, heard: u64, own: u64) -> bool {
        let is_too_far = heard > own && (heard > LAST_TERM || heard - own > self.max_term_step());
        if is_too_far {
            self.because("its term is too far ahead to be true: the message is ignored");
        }
        is_too_far
    }
}
