//! A moment as it is: values that can be compared and hashed.

use crate::{
    Change, Facts, FaultBudget, Input, MemberState, Members, Outcome, Parts, Rules, State, Truncation,
    hash_of,
};
use bellwether_core::{AnyMessage, MachineType, Port, Spec};
use bellwether_sim::{LinkOrder, Plan};

/// What is on a wire: messages, and for how many steps of the clock they have been under way.
pub type Letters = Vec<(AnyMessage, u16)>;

/// Everything that is at one moment.
pub type Situation = State<MemberState, Letters>;

/// Keeps the parts of moments as they are.
pub struct Whole<'p> {
    members: Members<'p>,
    order: LinkOrder,
    facts: Facts,
    outcomes: (Vec<Outcome>, Truncation),
}

impl<'p> Whole<'p> {
    /// For moments of a plan.
    #[must_use]
    pub fn new(machine: &'static MachineType, plan: &'p Plan, liberties: FaultBudget) -> Self {
        let facts = MemberState::new(machine, false, bellwether_core::Span::default(), 0).facts(machine.spec);
        Whole {
            members: Members::new(machine, plan, liberties),
            order: plan.links,
            facts,
            outcomes: Default::default(),
        }
    }

    /// What the members are.
    #[must_use]
    pub fn machine(&self) -> &'static MachineType {
        self.members.machine()
    }

    /// Everything that can happen in a situation.
    pub fn enabled(&mut self, rules: &Rules<'_>, now: &Situation) -> Vec<crate::Transition> {
        let (mut possible, mut next, mut actions) = (Vec::new(), now.clone(), Vec::new());
        rules.possible(self, now, &mut possible);
        let may_crash = now.spent.crashes < rules.liberties.crashes;
        let is_cut = now.spent.restarts >= rules.liberties.restarts && rules.liberties.restarts > 0;
        if !may_crash
            && !is_cut
            && !self.machine().spec.randomised
            && rules.liberties.time == crate::TimeModel::Any
        {
            // One thing comes of each.
            return possible.into_iter().map(crate::Transition::from).collect();
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
        now: &Situation,
        action: crate::Transition,
    ) -> Option<Situation> {
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
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes.0
    }
}

impl Parts for Whole<'_> {
    type MemberState = MemberState;
    type Queue = Letters;
    type Message = AnyMessage;
    type Outcomes = ();

    fn spec(&self) -> &'static Spec {
        self.machine().spec
    }

    fn facts(&mut self, seat: &MemberState) -> &Facts {
        self.facts = seat.facts(self.machine().spec);
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

    fn put(&mut self, queue: &Self::Queue, letter: &AnyMessage) -> Self::Queue {
        let mut longer = Vec::with_capacity(queue.len() + 1);
        longer.extend_from_slice(queue);
        longer.push((letter.clone(), 0));
        self.in_order(longer)
    }

    fn take(&mut self, queue: &Self::Queue, place: u8) -> (AnyMessage, Self::Queue) {
        let mut rest = queue.clone();
        let (letter, _) = rest.remove(place as usize);
        (letter, rest)
    }

    fn double(&mut self, queue: &Self::Queue, place: u8) -> Self::Queue {
        let mut longer = queue.clone();
        longer.insert(place as usize, queue[place as usize].clone());
        longer
    }

    fn act(&mut self, member: u32, seat: &MemberState, input: Input<&AnyMessage>) {
        self.outcomes = self.members.outcomes(member, seat, input);
    }

    fn count(&self, (): ()) -> u16 {
        self.outcomes.0.len() as u16
    }

    fn cut(&self, (): ()) -> Truncation {
        self.outcomes.1
    }

    fn writes(&self, (): (), draw: u16) -> bool {
        self.outcomes.0[draw as usize].writes
    }

    fn outcome(&self, (): (), draw: u16) -> (MemberState, u8) {
        let outcome = &self.outcomes.0[draw as usize];
        (outcome.seat.clone(), outcome.sends.len() as u8)
    }

    fn sent(&self, (): (), draw: u16, nth: u8) -> (Port, AnyMessage) {
        self.outcomes.0[draw as usize].sends[nth as usize].clone()
    }

    fn changed(&mut self, seat: &MemberState, change: Change) -> MemberState {
        seat.changed(self.machine().spec, change)
    }

    fn queue_later(&mut self, queue: &Self::Queue, oldest: u16) -> Self::Queue {
        let later = queue.iter().map(|(letter, age)| (letter.clone(), oldest.min(age + 1))).collect();
        self.in_order(later)
    }
}

impl Whole<'_> {
    /// Where messages may overtake each other, what is on a wire has no order: it is kept in one, which must be the
    /// same however moments are kept, as messages are named by their places in it.
    fn in_order(&self, mut letters: Letters) -> Letters {
        if self.order == LinkOrder::Reordering {
            letters.sort_by_cached_key(|(letter, age)| (hash_of(letter), *age));
        }
        letters
    }
}
