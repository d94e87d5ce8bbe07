//! What users say about links.

use super::notation::{Pattern, Share};
use super::{Fate, LinkFaults};
use bellwether_core::{Id, Span, Time};

/// What a user says about links; whatever is left out is as it should be.
#[derive(Clone, Debug, Default)]
pub struct LinkWishes {
    /// The share of messages to be lost.
    pub loss: Option<Share>,
    /// How many in a row, on average.
    pub burst: Option<f64>,
    /// The share of messages to arrive twice.
    pub duplication: Option<Share>,
    /// The share of messages to be held up.
    pub reordering: Option<Share>,
    /// The longest that those are held up.
    pub held_up: Option<Span>,
    /// Until when all this goes on.
    pub until: Option<Time>,
    /// Messages to be lost.
    pub lose: Vec<Pattern>,
    /// Messages to arrive twice.
    pub duplicate: Vec<Pattern>,
}

impl LinkWishes {
    /// What links are to do.
    ///
    /// # Errors
    /// What does not go together: the field, and why and what to do.
    pub fn faults(self) -> Result<LinkFaults<Id>, (&'static str, String)> {
        let share = |share: Option<Share>| share.map_or(0.0, |share| share.0);
        let (loss, duplication, reordering) =
            (share(self.loss), share(self.duplication), share(self.reordering));
        if let Some(burst) = self.burst {
            if !(1.0..=1e9).contains(&burst) {
                let problem =
                    format!("bursts of {burst:e} messages cannot be: `burst` is 1 or more, up to 1e9");
                return Err(("burst", problem));
            }
            // Between two bursts at least one message arrives.
            let most = burst / (burst + 1.0);
            if loss > most {
                let problem = format!(
                    "bursts of {burst} messages lose at most {}: raise `burst`, or lower `loss`",
                    Share(most)
                );
                return Err(("burst", problem));
            }
            if loss == 0.0 {
                return Err(("burst", "`burst` needs something to lose: add `loss`, as in `loss` 5%".into()));
            }
        }
        if self.held_up.is_some() && reordering == 0.0 {
            return Err(("held_up", "`held_up` needs something to hold up: add `reordering`".into()));
        }
        if self.held_up == Some(Span::default()) {
            return Err((
                "held_up",
                "messages cannot be held up by nothing: `held_up` is more than 0".into(),
            ));
        }
        if self.until.is_some() && loss + duplication + reordering == 0.0 {
            let problem = "`faults_until` ends nothing: add `loss`, `duplication` or `reordering`";
            return Err(("faults_until", problem.into()));
        }
        let usual = LinkFaults::<Id>::default();
        let lost = self.lose.into_iter().map(|pattern| pattern.meet(Fate::Lost));
        let twice = self.duplicate.into_iter().map(|pattern| pattern.meet(Fate::Twice));
        Ok(LinkFaults {
            loss,
            burst: self.burst.unwrap_or(usual.burst),
            duplication,
            reordering,
            held_up: self.held_up.unwrap_or(usual.held_up),
            until: self.until.unwrap_or(usual.until),
            chosen: lost.chain(twice).collect(),
        })
    }
}
