//! What a user asks links to do to messages.

use crate::notation::{Pattern, Share};
use bellwether_core::{Fate, Id, Span, Time};
use bellwether_sim::SetupError;
use bellwether_sim::faults::LinkFaults;

/// What a user asks links to do to messages. What is left out is as it should be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkOptions {
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

impl LinkOptions {
    /// Whether anything is left to chance.
    #[must_use]
    pub fn has_chance(&self) -> bool {
        let Self { loss, duplication, reordering, .. } = self;
        [loss, duplication, reordering].into_iter().flatten().any(|share| share.0 > 0.0)
    }

    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_none(&self) -> bool {
        !self.has_chance() && self.lose.is_empty() && self.duplicate.is_empty()
    }

    /// What links do.
    ///
    /// # Errors
    /// [`SetupError::Fault`] says what does not go together.
    pub fn faults(&self) -> Result<LinkFaults<Id>, SetupError> {
        let wrong = |key, problem: String| Err(SetupError::Fault { key, problem });
        let share = |share: Option<Share>| share.map_or(0.0, |share| share.0);
        let (loss, duplication, reordering) =
            (share(self.loss), share(self.duplication), share(self.reordering));
        if let Some(burst) = self.burst {
            if !(1.0..=1e9).contains(&burst) {
                let problem =
                    format!("bursts of {burst:e} messages cannot be: `burst` is 1 or more, up to 1e9");
                return wrong("burst", problem);
            }
            // Between two bursts at least one message arrives.
            let most = burst / (burst + 1.0);
            if loss > most {
                let problem = format!(
                    "bursts of {burst} messages lose at most {}: raise `burst`, or lower `loss`",
                    Share(most)
                );
                return wrong("burst", problem);
            }
            if loss == 0.0 {
                return wrong("burst", "`burst` needs something to lose: add `loss`, as in `loss` 5%".into());
            }
        }
        if self.held_up.is_some() && reordering == 0.0 {
            return wrong("held_up", "`held_up` needs something to hold up: add `reordering`".into());
        }
        if self.held_up == Some(Span::default()) {
            return wrong(
                "held_up",
                "messages cannot be held up by nothing: `held_up` is more than 0".into(),
            );
        }
        if self.until.is_some() && !self.has_chance() {
            let problem = "`faults_until` ends nothing: add `loss`, `duplication` or `reordering`";
            return wrong("faults_until", problem.into());
        }
        let usual = LinkFaults::<Id>::default();
        let lost = self.lose.iter().cloned().map(|pattern| pattern.meet(Fate::Lost));
        let twice = self.duplicate.iter().cloned().map(|pattern| pattern.meet(Fate::Twice));
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
