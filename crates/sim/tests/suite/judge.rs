//! How runs are judged, shown on members that say of themselves what a test wants them to say.

use bellwether_core::*;
use bellwether_sim::{Event, Limits, Outcome, Plan, Report, Ruling, Stop, run_events};
use bellwether_testkit::toys::{Ping, TOY, complete, id, with_script};
use serde::Serialize;

/// What the members 1, 2 and 3 say of themselves: role, and whom they take for the leader (0 for
/// nobody). A line is a scene.
const SCENES: [[(Role, u64); 3]; 9] = {
    use Role::{Follower as F, Leader as L, Undecided as U};
    [
        [(F, 3), (F, 3), (L, 3)], // as it should be
        [(F, 3), (L, 2), (L, 3)], // two lead
        [(F, 2), (F, 3), (L, 3)], // one names another
        [(L, 1), (F, 1), (F, 1)], // all agree on the worst
        [(U, 0), (U, 0), (U, 0)], // nobody knows anything
        [(U, 0), (F, 3), (L, 3)], // one knows nothing
        [(F, 3), (F, 3), (F, 3)], // all name one that does not know
        [(F, 2), (F, 3), (U, 0)], // nobody leads, and they name different ones
        [(U, 0), (U, 0), (L, 3)], // only the leader knows
    ]
};
const RIGHT: usize = 0;
const TWO_LEAD: usize = 1;
const NAMES_DIFFER: usize = 2;
const WRONG: usize = 3;
const NOBODY: usize = 4;
const ONE_IGNORANT: usize = 5;
const UNAWARE: usize = 6;
const NAMES_WITHOUT_LEADER: usize = 7;
const LEADER_ONLY: usize = 8;

/// A member that plays its part in a scene, with its goal and whether it halts; when called, it
/// sets an alarm that sets itself again for ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Actor<const SCENE: usize, const GOAL: u8, const HALTS: bool>(Id);

impl<const SCENE: usize, const GOAL: u8, const HALTS: bool> Algorithm for Actor<SCENE, GOAL, HALTS> {
    type Timer = ();
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        Actor(cx.id())
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        cx.set_timer((), HOP);
    }

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, _: Ping) {}

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, (): ()) {
        cx.set_timer((), HOP);
    }
}

impl<const SCENE: usize, const GOAL: u8, const HALTS: bool> Protocol for Actor<SCENE, GOAL, HALTS> {
    type Msg = Ping;
    const SPEC: Spec = Spec {
        starts: Starts::Everyone, // an election is required though nobody is called
        goal: [Goal::LeaderOnly, Goal::EveryoneKnows, Goal::EveryoneHalts][GOAL as usize],
        ..TOY
    };

    fn status(&self) -> Status {
        let (role, leader) = SCENES[SCENE][self.0.value() as usize - 1];
        let leader = (leader > 0).then(|| id(leader));
        Status { role, leader, term: 0, halted: HALTS }
    }
}

const KNOW: u8 = 1;

/// Plays a scene in which nobody is called, so that it is over when all have started.
fn judge<const SCENE: usize, const GOAL: u8, const HALTS: bool>(plan: Plan) -> Report {
    let plan = Plan { initiators: Initiators::Some(Vec::new()), ..plan };
    run_events(MachineType::of::<Actor<SCENE, GOAL, HALTS>>(), &plan, &mut (), Stop::WhenQuiet)
}

/// Outcome, leader, agreed, safe, live.
fn in_short(ruling: &Ruling) -> (Outcome, Option<u64>, bool, bool, bool) {
    let leader = ruling.leader.map(Id::value);
    let (safe, live) = (ruling.unsafe_because.is_none(), ruling.not_live_because.is_none());
    (ruling.outcome, leader, ruling.agreed, safe, live)
}

#[test]
fn outcomes() {
    let scenes = [
        (judge::<RIGHT, KNOW, false>(complete(3)), (Outcome::Elected, Some(3), true, true, true)),
        (judge::<TWO_LEAD, KNOW, false>(complete(3)), (Outcome::Split, None, false, false, true)),
        (judge::<NAMES_DIFFER, KNOW, false>(complete(3)), (Outcome::Split, Some(3), false, false, true)),
        (judge::<WRONG, KNOW, false>(complete(3)), (Outcome::Elected, Some(1), true, false, true)),
        (judge::<NOBODY, KNOW, false>(complete(3)), (Outcome::None, None, false, true, false)),
        (judge::<ONE_IGNORANT, KNOW, false>(complete(3)), (Outcome::Elected, Some(3), false, true, false)),
        (judge::<UNAWARE, KNOW, false>(complete(3)), (Outcome::None, None, true, true, false)),
        (
            judge::<NAMES_WITHOUT_LEADER, KNOW, false>(complete(3)),
            (Outcome::Split, None, false, false, false),
        ),
        (judge::<LEADER_ONLY, KNOW, false>(complete(3)), (Outcome::Elected, Some(3), false, true, false)),
    ];
    for (at, (report, expected)) in scenes.iter().enumerate() {
        assert_eq!(in_short(&report.ruling), *expected, "scene {at}: {:?}", report.ruling);
        assert!(report.finished);
        assert_eq!(report.is_as_it_should_be(), expected.3 && expected.4);
    }
}

#[test]
fn reasons_name_who_is_wrong() {
    let ruling = judge::<NAMES_DIFFER, KNOW, false>(complete(3)).ruling;
    assert_eq!(
        ruling.unsafe_because.as_deref(),
        Some("member 1 takes 2 for the leader, but the best live member is 3")
    );
    let ruling = judge::<ONE_IGNORANT, KNOW, false>(complete(3)).ruling;
    assert_eq!(ruling.not_live_because.as_deref(), Some("member 1 does not know the outcome"));
}

#[test]
fn goals_say_who_has_to_know_and_who_to_halt() {
    let live = |report: Report| report.ruling.not_live_because.is_none();
    assert!(live(judge::<LEADER_ONLY, 0, false>(complete(3))));
    assert!(!live(judge::<LEADER_ONLY, 1, false>(complete(3))));
    assert!(!live(judge::<LEADER_ONLY, 2, true>(complete(3))));
    assert!(live(judge::<RIGHT, 1, false>(complete(3))));
    assert!(!live(judge::<RIGHT, 2, false>(complete(3))));
    assert!(live(judge::<RIGHT, 2, true>(complete(3))));
    assert!(!live(judge::<NOBODY, 0, false>(complete(3))));
}

#[test]
fn the_dead_do_not_count() {
    // All name 3, who is dead: they agree, and it is wrong.
    for hops in [0.0, 7.0] {
        let plan = with_script(complete(3), &[(Event::Crash, 3, hops)]);
        let ruling = judge::<RIGHT, KNOW, false>(plan).ruling;
        assert_eq!(in_short(&ruling), (Outcome::None, None, true, false, false));
        assert!(ruling.unsafe_because.is_some_and(|why| why.contains("the best live member is 2")));
    }
    // One of two leaders is dead.
    let ruling = judge::<TWO_LEAD, KNOW, false>(with_script(complete(3), &[(Event::Crash, 2, 1.0)])).ruling;
    assert_eq!(in_short(&ruling), (Outcome::Elected, Some(3), true, true, true));
    // The only one who names another is dead.
    let ruling =
        judge::<NAMES_DIFFER, KNOW, false>(with_script(complete(3), &[(Event::Crash, 1, 1.0)])).ruling;
    assert_eq!(in_short(&ruling), (Outcome::Elected, Some(3), true, true, true));
    // The worst leads, and is the best that is left.
    let plan = with_script(complete(3), &[(Event::Crash, 2, 1.0), (Event::Crash, 3, 1.0)]);
    assert_eq!(
        in_short(&judge::<WRONG, KNOW, false>(plan).ruling),
        (Outcome::Elected, Some(1), true, true, true)
    );
    // Nobody is left.
    let all: Vec<_> = (1..=3).map(|id| (Event::Crash, id, 1.0)).collect();
    let ruling = judge::<RIGHT, KNOW, false>(with_script(complete(3), &all)).ruling;
    assert_eq!(in_short(&ruling), (Outcome::None, None, false, true, false));
}

/// Everyone is called, and sets alarms for ever.
fn judge_endless<const SCENE: usize>() -> Report {
    let limits = Limits { time: Time::ZERO + HOP * 50, ..Limits::default() };
    run_events(
        MachineType::of::<Actor<SCENE, KNOW, false>>(),
        &Plan { limits, ..complete(3) },
        &mut (),
        Stop::WhenQuiet,
    )
}

#[test]
fn stopped_before_anyone_leads_is_undecided() {
    let report = judge_endless::<NOBODY>();
    assert_eq!(in_short(&report.ruling), (Outcome::Undecided, None, false, true, false));
    assert!(!report.finished);
    assert_eq!(report.time, Time::ZERO + HOP * 50);
}

#[test]
fn a_run_that_has_to_be_stopped_is_not_live() {
    // Liveness: the run ends, and the goal is reached.
    let report = judge_endless::<RIGHT>();
    assert!(!report.finished);
    assert_eq!(in_short(&report.ruling), (Outcome::Elected, Some(3), true, true, false));
}

/// A caller tells its first neighbour of the election. If it `LEADS`, a member that takes part leads; else it hangs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Called<const LEADS: bool> {
    leads: bool,
    id: Id,
}

impl<const LEADS: bool> Algorithm for Called<LEADS> {
    type Timer = Never;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        Called { leads: false, id: cx.id() }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.leads = LEADS;
        cx.send(NEXT, Ping);
    }

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, _: Ping) {
        self.leads = LEADS;
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl<const LEADS: bool> Protocol for Called<LEADS> {
    type Msg = Ping;
    const SPEC: Spec = Spec { goal: Goal::LeaderOnly, leadership: Leadership::Incumbent, ..TOY };

    fn status(&self) -> Status {
        let role = if self.leads { Role::Leader } else { Role::Undecided };
        Status { role, leader: self.leads.then_some(self.id), ..Status::UNDECIDED }
    }
}

/// Member 1 of two is the only initiator, and this happens.
fn one_caller<const LEADS: bool>(script: &[(Event, u64, f64)], losses: f64) -> Ruling {
    let mut plan = with_script(complete(2), script);
    plan.initiators = Initiators::Some(vec![0]);
    plan.link_faults.loss = losses;
    run_events(MachineType::of::<Called<LEADS>>(), &plan, &mut (), Stop::WhenQuiet).ruling
}

/// Outcome, whether an election was required, whether the run is live.
fn demanded(ruling: &Ruling) -> (Outcome, bool, bool) {
    (ruling.outcome, ruling.required, ruling.not_live_because.is_none())
}

#[test]
fn no_election_is_required_if_no_live_member_took_part() {
    let nothing_to_do = (Outcome::None, false, true);
    // The only initiator is dead before it calls.
    let at_first = [(Event::Crash, 1, 0.0)];
    assert_eq!(demanded(&one_caller::<true>(&at_first, 0.0)), nothing_to_do);
    // It calls late, and is dead by then.
    let before_its_call = [(Event::Crash, 1, 3.0), (Event::Call, 1, 5.0), (Event::Start, 1, 4.0)];
    assert_eq!(demanded(&one_caller::<true>(&before_its_call, 0.0)), nothing_to_do);
    // It calls, crashes before it has sent anything, and nobody hears of it.
    let while_sending = [(Event::CrashSending, 1, 0.2), (Event::Start, 1, 0.5)];
    assert_eq!(demanded(&one_caller::<true>(&while_sending, 0.0)), nothing_to_do);
    // What it sent is lost, and then it crashes.
    let after_its_call = [(Event::Crash, 1, 0.5)];
    assert_eq!(demanded(&one_caller::<true>(&after_its_call, 1.0)), nothing_to_do);
}

#[test]
fn an_election_is_required_if_a_live_member_called_or_heard_of_one() {
    assert_eq!(demanded(&one_caller::<true>(&[(Event::Crash, 2, 0.0)], 0.0)), (Outcome::Elected, true, true));
    let hangs = (Outcome::None, true, false);
    // The caller lives: whether anybody hears it or not.
    assert_eq!(demanded(&one_caller::<false>(&[], 0.0)), hangs);
    assert_eq!(demanded(&one_caller::<false>(&[(Event::Crash, 2, 0.0)], 0.0)), hangs);
    assert_eq!(demanded(&one_caller::<false>(&[], 1.0)), hangs);
    // The caller crashes, and the other has heard of its call.
    let after_its_call = [(Event::Crash, 1, 0.5)];
    assert_eq!(demanded(&one_caller::<true>(&after_its_call, 0.0)), (Outcome::Elected, true, true));
    assert_eq!(demanded(&one_caller::<false>(&after_its_call, 0.0)), hangs);
    // The caller crashes before it calls, and the other calls.
    let another_calls = [(Event::Crash, 1, 0.0), (Event::Call, 2, 1.0)];
    assert_eq!(demanded(&one_caller::<false>(&another_calls, 0.0)), hangs);
}
