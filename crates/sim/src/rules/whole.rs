//! A moment as it is: values that can be compared and hashed.

use super::{Change, Cut, Facts, Input, Liberties, Members, Moment, Outcome, Parts, Rules, Seat, hash_of};
use crate::plan::{LinkOrder, Plan};
use bellwether_core::{Algorithm, Port, Spec};

/// What is on a wire: messages, and for how many steps of the clock they have been under way.
pub type Letters<M> = Vec<(M, u16)>;

/// Everything that is at one moment.
pub type Situation<A> = Moment<Seat<A>, Letters<<A as bellwether_core::Protocol>::Msg>>;

/// Keeps the parts of moments as they are.
pub struct Whole<'p, A: Algorithm> {
    members: Members<'p, A>,
    order: LinkOrder,
    facts: Facts,
    outcomes: (Vec<Outcome<A>>, Cut),
}

impl<'p, A: Algorithm> Whole<'p, A> {
    /// For moments of a plan.
    #[must_use]
    pub fn new(plan: &'p Plan, liberties: Liberties) -> Self {
        let facts = Seat::<A>::new(false, bellwether_core::Span::default(), 0).facts();
        Whole {
            members: Members::new(plan, liberties),
            order: plan.links,
            facts,
            outcomes: Default::default(),
        }
    }

    /// Everything that can happen in a situation.
    pub fn enabled(&mut self, rules: &Rules<'_>, now: &Situation<A>) -> Vec<super::Action> {
        let (mut possible, mut next, mut actions) = (Vec::new(), now.clone(), Vec::new());
        rules.possible(self, now, &mut possible);
        let may_crash = now.spent.crashes < rules.liberties.crashes;
        if !may_crash && !A::SPEC.randomised && rules.liberties.time == super::TimeModel::Any {
            // One thing comes of each.
            return possible.into_iter().map(super::Action::from).collect();
        }
        for what in possible {
            rules.each_outcome(self, now, what, &mut next, |_, action, _| actions.push(action));
        }
        actions
    }

    /// What comes of something that happens; nothing if it cannot.
    pub fn apply(
        &mut self,
        rules: &Rules<'_>,
        now: &Situation<A>,
        action: super::Action,
    ) -> Option<Situation<A>> {
        let (mut next, mut found) = (now.clone(), None);
        rules.each_outcome(self, now, action.what, &mut next, |_, this, moment| {
            if this == action {
                found = Some(moment.clone());
            }
        });
        found
    }

    /// The outcomes of the last input.
    #[must_use]
    pub fn outcomes(&self) -> &[Outcome<A>] {
        &self.outcomes.0
    }
}

impl<A: Algorithm> Parts for Whole<'_, A> {
    type Seat = Seat<A>;
    type Queue = Letters<A::Msg>;
    type Letter = A::Msg;
    type Outcomes = ();

    fn spec(&self) -> &'static Spec {
        &A::SPEC
    }

    fn facts(&mut self, seat: &Seat<A>) -> &Facts {
        self.facts = seat.facts();
        &self.facts
    }

    fn len(&mut self, queue: &Self::Queue) -> u8 {
        queue.len().min(255) as u8
    }

    fn has_waited(&mut self, queue: &Self::Queue, steps: u16) -> bool {
        queue.iter().any(|(_, age)| *age >= steps)
    }

    fn differs(&mut self, queue: &Self::Queue, place: u8) -> bool {
        queue[place as usize] != queue[place as usize - 1]
    }

    fn empty(&mut self) -> Self::Queue {
        Letters::default()
    }

    fn put(&mut self, queue: &Self::Queue, letter: &A::Msg) -> Self::Queue {
        let mut longer = Vec::with_capacity(queue.len() + 1);
        longer.extend_from_slice(queue);
        longer.push((letter.clone(), 0));
        self.in_order(longer)
    }

    fn take(&mut self, queue: &Self::Queue, place: u8) -> (A::Msg, Self::Queue) {
        let mut rest = queue.clone();
        let (letter, _) = rest.remove(place as usize);
        (letter, rest)
    }

    fn double(&mut self, queue: &Self::Queue, place: u8) -> Self::Queue {
        let mut longer = queue.clone();
        longer.insert(place as usize, queue[place as usize].clone());
        longer
    }

    fn act(&mut self, member: u32, seat: &Seat<A>, input: Input<&A::Msg>) {
        self.outcomes = self.members.outcomes(member, seat, input);
    }

    fn count(&self, (): ()) -> u16 {
        self.outcomes.0.len() as u16
    }

    fn cut(&self, (): ()) -> Cut {
        self.outcomes.1
    }

    fn writes(&self, (): (), draw: u16) -> bool {
        self.outcomes.0[draw as usize].writes
    }

    fn outcome(&self, (): (), draw: u16) -> (Seat<A>, u8) {
        let outcome = &self.outcomes.0[draw as usize];
        (outcome.seat.clone(), outcome.sends.len() as u8)
    }

    fn sent(&self, (): (), draw: u16, nth: u8) -> (Port, A::Msg) {
        self.outcomes.0[draw as usize].sends[nth as usize].clone()
    }

    fn changed(&mut self, seat: &Seat<A>, change: Change) -> Seat<A> {
        seat.changed(change)
    }

    fn queue_later(&mut self, queue: &Self::Queue, oldest: u16) -> Self::Queue {
        let later = queue.iter().map(|(letter, age)| (letter.clone(), oldest.min(age + 1))).collect();
        self.in_order(later)
    }
}

impl<A: Algorithm> Whole<'_, A> {
    /// Where messages may overtake each other, what is on a wire has no order: it is kept in one, which must be the
    /// same however moments are kept, as messages are named by their places in it.
    fn in_order(&self, mut letters: Letters<A::Msg>) -> Letters<A::Msg> {
        if self.order == LinkOrder::Reordering {
            letters.sort_by_cached_key(|(letter, age)| (hash_of(letter), *age));
        }
        letters
    }
}
