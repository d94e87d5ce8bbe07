//! Who leads under a lease, as an onlooker sees it, and who never may lead beside another.

use bellwether_core::*;
use bellwether_sim::{Event, Limits, Plan, Report, Rivals, Stop, run_events};
use bellwether_testkit::toys::{Ping, TOY, complete, hops, id, with_script};
use serde::{Deserialize, Serialize};

/// Member 3 leads in term 1 from the beginning, under a lease of ten hops. After so many hops by its clock member 2
/// leads in this term; from the beginning if that is 0, and then by a lease that it has not set.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Tenant<const REIGN: u8, const AFTER: u64, const TERM: u64> {
    own: Id,
    leads_in: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Clause {
    Begins,
    Ends,
}

const LEASE: Span = Span::from_hops(10);
const LEASED: u8 = 0;
const PER_TERM: u8 = 1;
const AT_ONCE: u8 = 2;
const AT_LAST: u8 = 3;

impl<const REIGN: u8, const AFTER: u64, const TERM: u64> Algorithm for Tenant<REIGN, AFTER, TERM> {
    type Timer = Clause;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        let mut tenant = Tenant { own: cx.id(), leads_in: None };
        match cx.id().value() {
            3 => {
                tenant.leads_in = Some(1);
                cx.set_timer(Clause::Ends, LEASE);
            }
            2 if AFTER == 0 => tenant.leads_in = Some(TERM),
            2 => cx.set_timer(Clause::Begins, Span::from_hops(AFTER)),
            _ => {}
        }
        tenant
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, _: Ping) {}

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Clause) {
        match timer {
            Clause::Begins => {
                self.leads_in = Some(TERM);
                cx.set_timer(Clause::Ends, LEASE * 10);
            }
            Clause::Ends => self.leads_in = None,
        }
    }

    fn lease(&self) -> Option<Clause> {
        Some(Clause::Ends)
    }
}

impl<const REIGN: u8, const AFTER: u64, const TERM: u64> Protocol for Tenant<REIGN, AFTER, TERM> {
    type Msg = Ping;
    const SPEC: Spec = Spec {
        leadership: Leadership::Incumbent,
        reign: [Reign::Leased, Reign::PerTerm, Reign::AtOnce, Reign::AtLast][REIGN as usize],
        goal: Goal::LeaderOnly,
        ..TOY
    };

    fn status(&self) -> Status {
        let Some(term) = self.leads_in else { return Status::UNDECIDED };
        Status { role: Role::Leader, leader: Some(self.own), term, halted: false }
    }
}

/// Fifty hops, in which this happens to member 3.
fn run<const REIGN: u8, const AFTER: u64, const TERM: u64>(script: &[(Event, f64)]) -> Report {
    let script: Vec<_> = script.iter().map(|&(what, at)| (what, 3, at)).collect();
    let limits = Limits { time: hops(50.0), ..Limits::default() };
    let plan = Plan { limits, ..with_script(complete(3), &script) };
    run_events(MachineType::of::<Tenant<REIGN, AFTER, TERM>>(), &plan, &mut (), Stop::WhenQuiet)
}

fn rivals(at: f64, term: Option<u64>) -> Option<Rivals> {
    Some(Rivals { members: [id(3), id(2)], at: hops(at), term })
}

#[test]
fn a_lease_ends_when_its_timer_does_and_no_later() {
    for script in [&[][..], &[(Event::Pause, 5.0)], &[(Event::Pause, 5.0), (Event::Resume, 30.0)]] {
        let report = run::<LEASED, 10, 2>(script);
        assert_eq!((report.rivals, report.stability.most_leaders), (None, 1), "{script:?}");
        assert_eq!(report.ruling.unsafe_because, None);
        assert_eq!(report.stability.without_leader, Span::default(), "one begins as the other ends");
        // Two hops between them, asleep or not.
        assert_eq!(run::<LEASED, 12, 2>(script).stability.without_leader, Span::from_hops(2), "{script:?}");
        let report = run::<LEASED, 9, 2>(script);
        assert_eq!((report.rivals, report.stability.most_leaders), (rivals(9.0, None), 2), "{script:?}");
        assert_eq!(report.stability.with_several, Span::from_hops(1));
        let why = report.ruling.unsafe_because.expect("two leases");
        assert_eq!(why, "members 3 and 2 led at once, 2 from 9 on");
    }
}

#[test]
fn it_ends_by_its_holders_own_clock() {
    let slow = (Event::Drift(-500_000), 0.0);
    for script in [&[slow][..], &[slow, (Event::Pause, 5.0)]] {
        let report = run::<LEASED, 10, 2>(script);
        assert_eq!(report.rivals, rivals(10.0, None), "{script:?}");
        assert_eq!(report.stability.with_several, Span::from_hops(10), "{script:?}: from 10 to 20");
        assert_eq!(run::<LEASED, 20, 2>(script).rivals, None);
    }
    let ahead = [(Event::Pause, 2.0), (Event::Jump(7_000), 2.5)];
    assert_eq!(run::<LEASED, 3, 2>(&ahead).rivals, None, "it ended at 3");
    assert_eq!(run::<LEASED, 3, 2>(&ahead[..1]).rivals, rivals(3.0, None));
}

#[test]
fn a_lease_that_is_not_pending_is_none() {
    let report = run::<LEASED, 0, 2>(&[]);
    assert_eq!((report.rivals, report.stability.most_leaders), (None, 1));
    assert_eq!(report.ruling.leader, None, "member 2 only thinks that it leads");
    assert_eq!(run::<AT_LAST, 0, 2>(&[]).stability.most_leaders, 2);
}

#[test]
fn who_leads_in_anothers_term_breaks_the_reigns_that_count_them() {
    let shared = [run::<LEASED, 12, 1>(&[]), run::<PER_TERM, 12, 1>(&[]), run::<PER_TERM, 8, 1>(&[])];
    for (report, at) in shared.iter().zip([12.0, 12.0, 8.0]) {
        assert_eq!((report.rivals, report.stability.shared_terms), (rivals(at, Some(1)), 1));
        let why = report.ruling.unsafe_because.as_deref().expect("one term");
        assert!(why.starts_with("members 3 and 2 both led in term 1, 2 from "), "{why}");
    }
    for report in [run::<PER_TERM, 8, 2>(&[]), run::<AT_ONCE, 8, 1>(&[]), run::<AT_LAST, 8, 1>(&[])] {
        assert_eq!((report.rivals, report.stability.shared_terms), (None, 0));
        assert_eq!((report.stability.most_leaders, report.ruling.unsafe_because), (2, None));
    }
}
