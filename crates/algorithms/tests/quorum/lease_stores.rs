//! Members of the quorum lease whose disks are lost: the rules by which peers refuse another store, modelled.
//!
//! Every message carries the identity of its sender's store, and which list of voters names it, if the sender has
//! such a list. A member that recovers has lost its disk every second time. When a run begins, no member has heard
//! another.

use crate::lease_voters::restless;
use crate::support::*;
use bellwether_algorithms::quorum_lease::{Msg, Pace, QuorumLease, Saved, TIGHT, Timer};
use bellwether_core::*;
use bellwether_sim::Plan;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

type Sound = QuorumLease;

/// The stores that are accepted.
trait Rule: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    const NAME: &'static str;
    /// Whether a member that has lost its disk waits for the longest promise.
    const WAITS: bool = true;

    /// The rule of the cluster itself.
    fn judge(claims: &mut StoreClaims, offer: StoreOffer, known: KnownStores<'_>) -> StoreVerdict {
        claims.judge(offer, known)
    }
}

/// The rule of the cluster: a voter has the store that the list of voters names, or else the first that was heard. A
/// member that was dismissed may return with another store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Agreed;

impl Rule for Agreed {
    const NAME: &'static str = "agreed-stores";
}

/// The flaw: each member relies on the stores that it has heard itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Heard;

impl Rule for Heard {
    const NAME: &'static str = "heard-stores";

    fn judge(_: &mut StoreClaims, offer: StoreOffer, known: KnownStores<'_>) -> StoreVerdict {
        let votes = known.list.map_or(known.is_first_voter, |list| list.stores.contains_key(&offer.peer));
        let known = KnownStores { list: None, is_first_voter: votes, ..known };
        StoreClaims::default().judge(StoreOffer { named_in: None, ..offer }, known)
    }
}

/// The flaw: any store is accepted, as if boot counts identified stores.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Any;

impl Rule for Any {
    const NAME: &'static str = "any-store";

    fn judge(_: &mut StoreClaims, _: StoreOffer, _: KnownStores<'_>) -> StoreVerdict {
        StoreVerdict::Accepted
    }
}

/// The flaw: a member that has lost its disk takes part at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NoWait;

impl Rule for NoWait {
    const NAME: &'static str = "no-wait";
    const WAITS: bool = false;
}

/// The content of a disk. The number of starts is not lost with it: new identities are made from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Disk {
    starts: u8,
    store: u8,
    /// The stores of peers that were heard.
    recorded: BTreeMap<Id, StoreId>,
    saved: Saved,
}

impl Disk {
    fn id(&self) -> StoreId {
        StoreId::new([self.store; 16])
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Signed {
    store: StoreId,
    /// The sender has this list, which names that store for it.
    named_in: Option<ListVersion>,
    msg: Msg,
}

impl Message for Signed {
    const KINDS: &'static [Kind] = Msg::KINDS;

    fn kind(&self) -> usize {
        self.msg.kind()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Stored<R> {
    /// None while it waits.
    sound: Option<Sound>,
    disk: Disk,
    /// Stores that are named in later lists than this member has, as their owners report.
    claims: StoreClaims,
    #[serde(skip)]
    rule: PhantomData<R>,
}

/// The timer that ends the wait. The algorithm inside never sets it.
const WAIT: Timer = Timer::Lease(u64::MAX);

impl<R: Rule> Stored<R> {
    /// Starts the algorithm, or continues it.
    fn pass(&mut self, cx: &mut Cx<'_, Self>, act: impl FnOnce(&mut Sound, &mut Cx<'_, Sound>)) {
        let (me, store, before) = (cx.id(), self.disk.id(), self.disk.saved.clone());
        let mut inner = self.sound.take();
        let mut said = Vec::new();
        let ((), saved) = cx.lend(
            |cx| act(inner.get_or_insert_with(|| Sound::start(cx, before)), cx),
            |port, msg| {
                said.push((port, msg));
                None
            },
        );
        self.sound = inner;
        let named_in = self.named_in(me);
        said.into_iter().for_each(|(port, msg)| cx.send(port, Signed { store, named_in, msg }));
        if let Some(saved) = saved {
            self.disk.saved = saved;
            cx.persist(self.disk.clone());
        }
    }

    /// The list that this member has, if it names the member's own store.
    fn named_in(&self, me: Id) -> Option<ListVersion> {
        let list = self.sound.as_ref()?.voters()?;
        (list.stores.get(&me) == Some(&Some(self.disk.id()))).then_some(list.version)
    }

    fn begin(&mut self, cx: &mut Cx<'_, Self>) {
        let stores = self.disk.recorded.clone().into_iter().chain([(cx.id(), self.disk.id())]);
        self.pass(cx, |sound, cx| stores.for_each(|(id, store)| sound.on_store(cx, id, store)));
    }

    fn judge(&mut self, cx: &Cx<'_, Self>, from: Port, offer: StoreOffer) -> StoreVerdict {
        let Some(sound) = &self.sound else { return StoreVerdict::Refused };
        let known = KnownStores {
            term: sound.status().term,
            list: sound.voters(),
            is_first_voter: cx.peer_duty(from).votes(),
            recorded: self.disk.recorded.get(&offer.peer).copied(),
        };
        R::judge(&mut self.claims, offer, known)
    }
}

impl<R: Rule> Protocol for Stored<R> {
    type Msg = Signed;
    const SPEC: Spec = Spec { variant: R::NAME, ..TIGHT };

    fn status(&self) -> Status {
        self.sound.as_ref().map_or(Status::UNDECIDED, Sound::status)
    }
}

impl<R: Rule> Algorithm for Stored<R> {
    type Timer = Timer;
    type Durable = Disk;

    fn start(cx: &mut Cx<'_, Self>, mut disk: Disk) -> Self {
        disk.starts += 1;
        let is_lost = disk.starts.is_multiple_of(2);
        if is_lost {
            disk = Disk { starts: disk.starts, store: disk.starts, ..Disk::default() };
        }
        cx.persist(disk.clone());
        let mut member = Stored { sound: None, disk, claims: StoreClaims::default(), rule: PhantomData };
        if is_lost && R::WAITS {
            // By a clock that is a tenth too fast, for promises by clocks that are a tenth too slow.
            cx.set_timer(WAIT, Pace::of(cx.parameters()).longest_lease(cx.delay_bound()) * 2);
        } else {
            member.begin(cx);
        }
        member
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, Signed { store, named_in, msg }: Signed) {
        if self.sound.is_none() {
            return;
        }
        let peer = cx.peer_rank(from).id();
        if self.judge(cx, from, StoreOffer { peer, store, named_in }) != StoreVerdict::Accepted {
            return;
        }
        if self.disk.recorded.get(&peer) != Some(&store) {
            self.disk.recorded.insert(peer, store);
            cx.persist(self.disk.clone());
            self.pass(cx, |sound, cx| sound.on_store(cx, peer, store));
        }
        self.pass(cx, |sound, cx| sound.on_message(cx, from, msg));
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        if timer == WAIT {
            self.begin(cx);
        } else {
            self.pass(cx, |sound, cx| sound.on_timer(cx, timer));
        }
    }

    fn on_death(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        if self.sound.is_some() {
            self.pass(cx, |sound, cx| sound.on_death(cx, peer));
        }
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        if self.sound.is_some() {
            self.pass(cx, |sound, cx| sound.on_request(cx, request));
        }
    }

    fn lease(&self) -> Option<Timer> {
        self.sound.as_ref().and_then(Sound::lease)
    }
}

/// The number of runs of each kind.
const RUNS: usize = 1_500;

/// Runs in which most first voters lose their disks, or those in which most keep them.
fn runs(most_lose: bool) -> impl Iterator<Item = Plan> {
    let plans = (0..).map(restless);
    plans.filter(move |plan| most_lose_their_disks(plan) == most_lose).take(RUNS)
}

/// A member that boots for the second time has lost its disk.
fn most_lose_their_disks(plan: &Plan) -> bool {
    let boots =
        |member: u32| plan.script.iter().any(|it| it.member == member && it.what == FaultEvent::Recover);
    let voters: Vec<u32> = (0..).zip(&plan.duties).filter(|(_, it)| it.votes()).map(|(it, _)| it).collect();
    voters.iter().filter(|&&it| boots(it)).count() * 2 > voters.len()
}

/// The results of some runs.
#[derive(Debug, Default)]
struct Outcomes {
    leaders: usize,
    /// Runs in which two leases were valid at once.
    overlapping: usize,
    /// Runs in which two members led in one term.
    reissuing: usize,
}

fn outcomes<R: Rule>(plans: impl Iterator<Item = Plan>) -> Outcomes {
    plans.fold(Outcomes::default(), |mut sum, plan| {
        let (report, reigns) = run_for::<Stored<R>>(&plan, 600);
        sum.leaders += reigns.0.len();
        sum.overlapping += usize::from(report.stability.most_leaders > 1);
        sum.reissuing += usize::from(reigns.shared_term().is_some());
        sum
    })
}

#[test]
fn lost_disks_never_make_two_leaders_while_most_voters_keep_theirs() {
    let sound = outcomes::<Agreed>(runs(false));
    assert_eq!((sound.overlapping, sound.reissuing), (0, 0), "{sound:?}");
    assert!(sound.leaders > 10_000, "too few leaders for a meaningful test: {sound:?}");
    let (by_records, by_any) = (outcomes::<Heard>(runs(false)), outcomes::<Any>(runs(false)));
    let is_found = |it: &Outcomes| it.overlapping + it.reissuing > 0;
    assert!(
        is_found(&by_records) && is_found(&by_any),
        "the flawed rules must fail: {by_records:?} {by_any:?}"
    );
}

/// The manual states this among the consequences of lost disks.
#[test]
fn first_voters_that_lost_most_disks_can_restart_at_term_1_and_reissue_tokens() {
    let outcomes = outcomes::<Agreed>(runs(true));
    assert!(outcomes.reissuing > 0, "{outcomes:?}");
}

/// Members 1, 2 and 3 are dismissed, lose their disks and are cut off from 4 and 5, which continue. The three are a
/// majority of the first voters, and know no other list.
#[test]
fn dismissed_voters_that_lost_their_disks_can_elect_a_second_leader() {
    let dismissals =
        (0..3).map(|member| at(40 * (1 + member), FaultEvent::Request(Request::Dismiss(id(member + 1))), 4));
    let lost =
        (0..3).flat_map(|member| [at(200, FaultEvent::Crash, member), at(201, FaultEvent::Recover, member)]);
    let script =
        [dismissals.collect(), lost.collect::<Vec<_>>(), partition(&[0, 1, 2], &[3, 4], 200, 900)].concat();
    let (report, _) = run_for::<Stored<Agreed>>(&and(complete(5), script), 800);
    assert_eq!(report.stability.most_leaders, 2);
}

/// Members 1 and 3 elect a few times, and 2 has never been connected. Then 1 loses its disk and 3 is cut off: 1 and 2
/// are a majority that remembers nothing. The number of these runs in which two leases are valid at once, and of
/// those in which two members lead in one term.
fn lost_disk_beside_a_voter_that_was_never_heard<R: Rule>() -> (usize, usize) {
    let begin_anew = |crash: u64| {
        let cuts = [partition(&[1], &[0, 2], 0, crash), partition(&[2], &[0, 1], crash, 900)].concat();
        let elections = [30, 60, 90].map(|hop| at(hop, FaultEvent::Request(Request::Resign), 2));
        let loss = [at(crash, FaultEvent::Crash, 0), at(crash + 1, FaultEvent::Recover, 0)];
        let script = [&elections[..], &loss].concat();
        // Messages are faster than necessary: 2 is elected before the promise of 1 is over.
        let plan = Plan { delay_bound: HOP * 5, ..and(and(complete(3), cuts), script) };
        run_for::<Stored<R>>(&plan, crash + 600)
    };
    let runs: Vec<_> = (130..190).map(begin_anew).collect();
    let overlapping = runs.iter().filter(|(report, _)| report.stability.most_leaders > 1).count();
    let reissuing = runs.iter().filter(|(_, reigns)| reigns.shared_term().is_some()).count();
    (overlapping, reissuing)
}

/// Member 3 is away, and no other member can know. Still two leases are never valid at once: a member that has lost
/// its disk waits until its promises are over.
#[test]
fn lost_disk_and_a_never_connected_voter_reissue_tokens_but_never_overlap_leases() {
    assert_eq!(lost_disk_beside_a_voter_that_was_never_heard::<Agreed>(), (0, 60));
    let (overlapping, _) = lost_disk_beside_a_voter_that_was_never_heard::<NoWait>();
    assert!(overlapping > 0, "the flawed rule must fail");
}
