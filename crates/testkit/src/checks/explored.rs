//! All situations that a run can come to, one after the other: no numbers, no threads, no reduction.

use bellwether_core::{Algorithm, MachineType};
use bellwether_model::{FaultBudget, Rules, Situation, Transition, Whole};
use bellwether_sim::Plan;
use std::collections::HashMap;

/// All situations, in the order in which they were come to, and all steps between them.
pub struct Explored {
    /// Each situation once.
    pub situations: Vec<Situation>,
    /// For each, how many steps from the beginning it is.
    pub depths: Vec<u32>,
    /// For each, what can happen in it and to which situation that leads.
    pub steps: Vec<Vec<(Transition, usize)>>,
}

impl Explored {
    /// Explores everything that can happen in a plan.
    pub fn new<A: Algorithm>(plan: &Plan, liberties: FaultBudget) -> Self {
        Self::of(MachineType::of::<A>(), plan, liberties)
    }

    /// The same with a variant of an algorithm.
    pub fn of(machine: &'static MachineType, plan: &Plan, liberties: FaultBudget) -> Self {
        let rules = Rules::new(plan, liberties);
        let mut whole = Whole::new(machine, plan, liberties);
        let mut known: HashMap<Situation, usize> = HashMap::new();
        let mut explored = Explored { situations: Vec::new(), depths: Vec::new(), steps: Vec::new() };
        for beginning in rules.beginnings(machine) {
            explored.meet(&mut known, beginning, 0);
        }
        while explored.steps.len() < explored.situations.len() {
            let at = explored.steps.len();
            let (now, depth) = (explored.situations[at].clone(), explored.depths[at]);
            let mut steps = Vec::new();
            for action in whole.enabled(&rules, &now) {
                let next = whole.apply(&rules, &now, action).expect("what can happen happens");
                steps.push((action, explored.meet(&mut known, next, depth + 1)));
            }
            explored.steps.push(steps);
        }
        explored
    }

    fn meet(&mut self, known: &mut HashMap<Situation, usize>, it: Situation, depth: u32) -> usize {
        let number = known.len();
        let is_new = !known.contains_key(&it);
        if is_new {
            known.insert(it.clone(), number);
            self.situations.push(it);
            self.depths.push(depth);
            return number;
        }
        known[&it]
    }

    /// How many steps there are.
    pub fn transitions(&self) -> u64 {
        self.steps.iter().map(|steps| steps.len() as u64).sum()
    }

    /// How many levels there are: the beginning is one.
    pub fn levels(&self) -> u32 {
        self.depths.iter().max().map_or(0, |depth| depth + 1)
    }

    /// Whether every run ends: no run comes to a situation twice. (Kahn, *Topological sorting of large
    /// networks*, 1962.)
    pub fn is_without_loops(&self) -> bool {
        let mut ways_in = vec![0_u32; self.situations.len()];
        self.steps.iter().flatten().for_each(|(_, next)| ways_in[*next] += 1);
        let mut free: Vec<usize> = (0..ways_in.len()).filter(|at| ways_in[*at] == 0).collect();
        let mut sorted = 0;
        while let Some(at) = free.pop() {
            sorted += 1;
            for (_, next) in &self.steps[at] {
                ways_in[*next] -= 1;
                if ways_in[*next] == 0 {
                    free.push(*next);
                }
            }
        }
        sorted == self.situations.len()
    }
}
