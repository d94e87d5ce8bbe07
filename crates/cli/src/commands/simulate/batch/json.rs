//! The sum of many runs, as JSON. Its keys are stable.

use crate::choice::Named;
use crate::request::Request;
use bellwether_core::{Elect, Id};
use bellwether_lab::batch::{
    Batch, ClaimSummary, Figures, LinkFigures, MessageFigures, Occurrence, Outcomes, StabilityFigures,
};
use bellwether_sim::Outcome;
use serde::Serialize;

#[derive(Serialize)]
pub struct BatchObject<'a> {
    #[serde(flatten)]
    named: Named,
    n: u32,
    m: Option<u64>,
    diameter: Option<u32>,
    topology: String,
    delay: String,
    seed: u64,
    runs: u64,
    elect: Elect,
    outcome: Option<Outcome>,
    leader: Option<Id>,
    agreed: bool,
    outcomes: Outcomes,
    unsafe_in: u64,
    not_live_in: u64,
    two_at_once: Occurrence,
    two_in_one_term: Occurrence,
    first_problem: Option<Problem<'a>>,
    messages: &'a MessageFigures,
    bytes: Option<Figures>,
    time: Option<Figures>,
    rounds: Option<Figures>,
    storage_max: Option<Figures>,
    link_counts: LinkFigures,
    signals: Option<Figures>,
    stability: StabilityFigures,
    claims: &'a [ClaimSummary],
}

#[derive(Serialize)]
struct Problem<'a> {
    seed: u64,
    problems: &'a [String],
    again: String,
}

impl<'a> BatchObject<'a> {
    pub fn new(request: &Request, n: u32, batch: &'a Batch) -> BatchObject<'a> {
        let problem = batch.first_problem.as_ref();
        BatchObject {
            named: Named::new(&request.choice),
            n,
            m: batch.m,
            diameter: batch.diameter,
            topology: request.shape.to_string(),
            delay: request.run.delay.to_string(),
            seed: request.run.seed,
            runs: request.runs,
            elect: request.run.elect,
            outcome: batch.outcome,
            leader: batch.leader,
            agreed: batch.agreed,
            outcomes: batch.outcomes,
            unsafe_in: batch.unsafe_in,
            not_live_in: batch.not_live_in,
            two_at_once: batch.two_at_once,
            two_in_one_term: batch.two_in_one_term,
            first_problem: problem.map(|(seed, problems)| Problem {
                seed: *seed,
                problems,
                again: request.again_with(*seed),
            }),
            messages: &batch.messages,
            bytes: batch.bytes,
            time: batch.time,
            rounds: batch.rounds,
            storage_max: batch.storage,
            link_counts: batch.links,
            signals: batch.signals,
            stability: batch.stability,
            claims: &batch.claims,
        }
    }
}
