//! Terms that are too far ahead to be genuine: every algorithm with terms ignores them, and still elects.

use crate::flawed::{Flaw, Flawed};
use crate::support::{Reigns, id, run_of, variant};
use bellwether_algorithms::quorum_lease::{ADAPTIVE, QuorumLease, RANDOMISED, TIGHT};
use bellwether_algorithms::{
    chang_roberts_detector, chang_roberts_timeout, invitation, modified_ring, omega, paxos, raft_vote,
    ring_skipping, zookeeper,
};
use bellwether_core::*;
use bellwether_runspec::RunSpec;
use bellwether_sim::Plan;
use std::marker::PhantomData;

/// Messages in which `TERM` stands for a term, and the port at which each arrives. Member 1 receives them from member
/// 2 (port 0) and member 3 (port 1).
type Script = &'static [(u32, &'static str)];

/// An algorithm with terms.
trait Termed: Algorithm {
    /// The messages that make a member without the check adopt the term.
    const SCRIPT: Script;
    /// Faults that a cluster has to survive in addition.
    const BESIDES: Script = &[];
}

impl Termed for QuorumLease {
    const SCRIPT: Script = &[
        (0, r#"{"term":TERM,"word":{"Would":false}}"#),
        (1, r#"{"term":TERM,"word":{"Vote":false}}"#),
        (0, r#"{"term":TERM,"word":{"Kept":{"round":1,"version":{"term":0,"number":0},"stands":true}}}"#),
    ];
    const BESIDES: Script = &[
        (0, r#"{"term":TERM,"word":{"Probe":{"version":{"term":0,"number":0},"released":null}}}"#),
        (
            0,
            r#"{"term":TERM,"word":{"Ask":{"version":{"term":0,"number":0},"lease":25000,"released":null}}}"#,
        ),
        (0, r#"{"term":TERM,"word":{"Renew":{"round":1,"lease":25000,"voters":null}}}"#),
        (0, r#"{"term":TERM,"word":{"HandOver":{"is_named":true}}}"#),
        (0, r#"{"term":TERM,"word":"Release"}"#),
        (0, r#"{"term":TERM,"word":{"Canvass":{"round":1,"votes":2}}}"#),
        (0, r#"{"term":TERM,"word":{"Able":{"round":1}}}"#),
        (0, r#"{"term":TERM,"word":{"Would":true}}"#),
    ];
}

impl Termed for raft_vote::RaftVote {
    const SCRIPT: Script = &[
        (0, r#"{"PreVote":[TERM,0]}"#),
        (0, r#"{"Vote":[TERM,false]}"#),
        (0, r#"{"PreVoted":[TERM,false]}"#),
        (0, r#"{"RequestVote":[TERM,0]}"#),
        (0, r#"{"Heard":TERM}"#),
        (1, r#"{"Heartbeat":TERM}"#),
    ];
}

impl Termed for zookeeper::Zookeeper {
    const SCRIPT: Script = &[
        (1, r#"{"Notification":["Looking",1,{"epoch":TERM,"candidate":{"id":3}}]}"#),
        (1, r#"{"Notification":["Leading",1,{"epoch":0,"candidate":{"id":3}}]}"#),
        (0, r#"{"Notification":["Following",1,{"epoch":0,"candidate":{"id":3}}]}"#),
        (1, r#"{"NewEpoch":TERM}"#),
        (1, r#"{"Ping":TERM}"#),
        (0, r#"{"FollowerInfo":[TERM,null]}"#),
        (0, r#"{"AckEpoch":TERM}"#),
    ];
    // Rounds are not on disk: the last one is as good as any.
    const BESIDES: Script = &[(0, r#"{"Notification":["Looking",TERM,null]}"#)];
}

impl Termed for paxos::Paxos {
    const SCRIPT: Script = &[
        (0, r#"{"known":null,"word":{"Refused":{"round":TERM,"proposer":{"id":2}}}}"#),
        (0, r#"{"known":null,"word":{"Prepare":{"round":TERM,"proposer":{"id":2}}}}"#),
        (1, r#"{"known":null,"word":{"Accept":{"ballot":{"round":TERM,"proposer":{"id":3}},"leader":3}}}"#),
        (1, r#"{"known":{"instance":TERM,"leader":3},"word":"Decided"}"#),
    ];
}

impl Termed for omega::Omega {
    const SCRIPT: Script = &[(0, r#"{"Start":TERM}"#), (1, r#"{"Ok":[TERM,1]}"#)];
}

impl Termed for invitation::Invitation {
    const SCRIPT: Script = &[(1, r#"{"Invitation":{"number":TERM,"coordinator":3}}"#)];
}

const RUNS: Script = &[
    (0, r#"{"Election":{"run":{"epoch":TERM,"initiator":{"id":3}},"best":{"id":3}}}"#),
    (0, r#"{"Elected":{"run":{"epoch":TERM,"initiator":{"id":3}},"leader":{"id":3}}}"#),
];

impl Termed for chang_roberts_timeout::NeighbourTimeout {
    const SCRIPT: Script = RUNS;
}

impl Termed for chang_roberts_detector::WithDetector {
    const SCRIPT: Script = RUNS;
}

impl Termed for ring_skipping::RingSkipping {
    const SCRIPT: Script = &[
        (
            1,
            r#"{"Payload":{"number":1,"word":{"Election":{"run":{"epoch":TERM,"initiator":{"id":3}},"members":[{"id":3}]}}}}"#,
        ),
        (
            1,
            r#"{"Payload":{"number":2,"word":{"Coordinator":{"run":{"epoch":TERM,"initiator":{"id":3}},"leader":3,"members":[3]}}}}"#,
        ),
    ];
}

impl Termed for modified_ring::ModifiedRing {
    const SCRIPT: Script = &[
        (
            1,
            r#"{"Payload":{"number":1,"word":{"Election":{"run":{"epoch":TERM,"initiator":{"id":3}},"forwarded_by":[{"id":3}]}}}}"#,
        ),
        (
            1,
            r#"{"Payload":{"number":2,"word":{"Coordinator":{"run":{"epoch":TERM,"initiator":{"id":3}},"coordinator":3,"forwarded_by":[3]}}}}"#,
        ),
    ];
}

fn message<A: Algorithm>(text: &str, term: u64) -> A::Msg {
    let text = text.replace("TERM", &term.to_string());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Three members that know each other, as member 1 sees them.
struct Room {
    max_term_step: u64,
    spec: &'static Spec,
    parameters: ParamValues,
}

impl Environment for Room {
    fn size(&self) -> u32 {
        3
    }
    fn diameter(&self) -> u32 {
        1
    }
    fn ports(&self, _: u32) -> u32 {
        2
    }
    fn flow(&self, _: u32, _: Port) -> Flow {
        Flow::Both
    }
    fn peer_rank(&self, _: u32, port: Port) -> Rank {
        rank(u64::from(port.0) + 2)
    }
    fn better_ranks(&self, _: u32) -> u64 {
        2
    }
    fn delay_bound(&self) -> Span {
        HOP
    }
    fn drift_bound(&self) -> u32 {
        10_000
    }
    fn parameters(&self) -> &ParamValues {
        &self.parameters
    }
    fn knows(&self) -> Knowledge {
        self.spec.knows
    }
    fn duty(&self, _: u32) -> Duty {
        Duty::Full
    }
    fn peer_duty(&self, _: u32, _: Port) -> Duty {
        Duty::Full
    }
    fn max_term_step(&self) -> u64 {
        self.max_term_step
    }
    fn draw(&mut self, _: u64) -> u64 {
        0
    }
}

fn rank(value: u64) -> Rank {
    Rank::new(Elect::Best, 0, id(value))
}

/// The term that member 1 has in its state or on disk after the messages; and its reasons.
fn keeps<A: Termed>(spec: &'static Spec, term: u64, max_term_step: u64) -> (bool, Vec<&'static str>) {
    let parameters = Params::default().values(spec.parameters, HOP);
    let mut room = Room { max_term_step, spec, parameters };
    let mut buffers = Buffers::default();
    let mut kept = Vec::new();
    let mut cx = Cx::new(Local::new(0, rank(1), &mut room), Time::ZERO, &mut buffers);
    let mut member = A::start(&mut cx, A::Durable::default());
    drop(cx.into_effects());
    let mut reasons = Vec::new();
    for &(port, text) in A::SCRIPT {
        let mut buffers = Buffers::default();
        let mut cx = Cx::new(Local::new(0, rank(1), &mut room), Time::ZERO, &mut buffers);
        member.on_message(&mut cx, Port(port), message::<A>(text, term));
        let effects = cx.into_effects();
        reasons.extend(effects.reason);
        let saved = effects.persist.map(|saved| serde_json::to_string(&saved).expect("it can be shown"));
        kept.extend([saved.unwrap_or_default(), format!("{member:?} {:?}", member.status())]);
        assert_eq!(member.invariant(), Ok(()), "{}", A::SPEC.name);
    }
    let digits = term.to_string();
    (kept.iter().any(|kept| kept.contains(&digits)), reasons)
}

/// A flaw of the network rather than of members: each message is accompanied by messages of a far term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Lies<A, const TERM: u64>(PhantomData<A>);

impl<A: Termed, const TERM: u64> Flaw for Lies<A, TERM> {
    type Sound = A;
    const NAME: &'static str = "lies";

    fn hears(member: &mut Flawed<Self>, cx: &mut Cx<'_, Flawed<Self>>, from: Port, msg: A::Msg) {
        for (_, lie) in A::SCRIPT.iter().chain(A::BESIDES).filter(|(_, text)| text.contains("TERM")) {
            let lie = message::<A>(lie, TERM);
            member.pass_saying(cx, |sound, cx| sound.on_message(cx, from, lie), |_| None);
        }
        member.pass(cx, |sound, cx| sound.on_message(cx, from, msg));
    }
}

fn elects<A: Termed, const TERM: u64>(spec: &'static Spec, seed: u64) {
    let setup = RunSpec { nodes: Some(5), order: Some(Order::Random), ..RunSpec::default() };
    let plan: Plan = setup.plan(spec, seed).expect("the plan is valid");
    let (report, Reigns(reigns)) = run_of(variant::<Flawed<Lies<A, TERM>>>(spec), &plan);
    let context = format!("{}/{} {TERM} seed {seed}: {:?}", spec.name, spec.variant, report.ruling);
    assert!(report.ruling.is_right(), "{context}");
    assert!(reigns.iter().all(|&(_, _, term)| term < 1_000), "{context}: {reigns:?}");
}

fn ignores_far_terms<A: Termed>() {
    variant_ignores_far_terms::<A>(&A::SPEC);
}

fn variant_ignores_far_terms<A: Termed>(spec: &'static Spec) {
    const FIRST: u64 = MAX_TERM_STEP + 1_000_000; // further than any genuine term here
    let name = spec.name;
    for term in [FIRST, LAST_TERM, LAST_TERM + 1, u64::MAX] {
        let (is_kept, reasons) = keeps::<A>(spec, term, MAX_TERM_STEP);
        assert!(!is_kept, "{name} adopts {term}: {reasons:?}");
        assert!(reasons.iter().any(|reason| reason.contains("too far ahead")), "{name}: {reasons:?}");
    }
    // Without the bound, members believe the same messages; and they always believe near terms.
    for (term, step) in [(FIRST, u64::MAX), (LAST_TERM, u64::MAX), (1_000_003, MAX_TERM_STEP)] {
        assert!(keeps::<A>(spec, term, step).0, "{name} ignores {term}");
    }
    for seed in 0..3 {
        elects::<A, FIRST>(spec, seed);
        elects::<A, { LAST_TERM }>(spec, seed);
        elects::<A, { u64::MAX }>(spec, seed);
    }
}

#[test]
fn quorum_lease_ignores_far_terms() {
    ignores_far_terms::<QuorumLease>();
    for spec in [const { &RANDOMISED }, const { &ADAPTIVE }, const { &TIGHT }] {
        variant_ignores_far_terms::<QuorumLease>(spec);
    }
}

#[test]
fn raft_ignores_far_terms() {
    ignores_far_terms::<raft_vote::RaftVote>();
    variant_ignores_far_terms::<raft_vote::RaftVote>(&raft_vote::PRE_VOTE);
}

#[test]
fn zookeeper_ignores_far_epochs() {
    ignores_far_terms::<zookeeper::Zookeeper>();
}

#[test]
fn paxos_ignores_far_instances_and_ballots() {
    ignores_far_terms::<paxos::Paxos>();
}

#[test]
fn omega_ignores_far_rounds() {
    ignores_far_terms::<omega::Omega>();
}

#[test]
fn invitation_ignores_far_groups() {
    ignores_far_terms::<invitation::Invitation>();
}

#[test]
fn rings_ignore_far_epochs() {
    ignores_far_terms::<chang_roberts_timeout::NeighbourTimeout>();
    ignores_far_terms::<chang_roberts_detector::WithDetector>();
    ignores_far_terms::<ring_skipping::RingSkipping>();
    ignores_far_terms::<modified_ring::ModifiedRing>();
}
