//! Members of the quorum lease whose disks are lost: the rule by which peers refuse another store, modelled.
//!
//! Every message carries the identity of its sender's store. A member that recovers has lost its disk every second time.
//! All have heard each other before anything goes wrong, as the first connections see to.

use crate::lease_voters::{is_safe, restless};
use crate::support::*;
use bellwether_algorithms::quorum_lease::{Msg, QuorumLease, Saved, Tight, Timer};
use bellwether_core::{Algorithm, Cx, Id, Kind, Message, Port, Protocol, Request, Spec, Status};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

type Sound = QuorumLease<Tight>;

/// Which stores are accepted.
trait Rule: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    const NAME: &'static str;

    /// Whether another store than before is accepted, of a member that votes or does not.
    fn accepts_other_store(is_voter: bool) -> bool;
}

/// The rule of the cluster: a voter has the store that it had; a member that was dismissed may come with another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OnlyOfNonVoters;

impl Rule for OnlyOfNonVoters {
    const NAME: &'static str = "store-identity";

    fn accepts_other_store(is_voter: bool) -> bool {
        !is_voter
    }
}

/// The flaw: any store is accepted, as one is by its boot count once it has been started often enough.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Any;

impl Rule for Any {
    const NAME: &'static str = "any-store";

    fn accepts_other_store(_: bool) -> bool {
        true
    }
}

/// What is on a disk. The number of starts is not lost with it: new identities are made from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Disk {
    starts: u32,
    store: u32,
    /// The stores of peers, if they are not the first ones.
    known: BTreeMap<Id, u32>,
    saved: Saved,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Signed {
    store: u32,
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
    sound: Sound,
    disk: Disk,
    #[serde(skip)]
    rule: PhantomData<R>,
}

impl<R: Rule> Stored<R> {
    fn pass(&mut self, cx: &mut Cx<'_, Self>, act: impl FnOnce(&mut Sound, &mut Cx<'_, Sound>)) {
        let store = self.disk.store;
        let ((), saved) = cx.lend(|inner| act(&mut self.sound, inner), |_, msg| Some(Signed { store, msg }));
        if let Some(saved) = saved {
            self.disk.saved = saved;
            cx.persist(self.disk.clone());
        }
    }
}

impl<R: Rule> Protocol for Stored<R> {
    type Msg = Signed;
    const SPEC: Spec = Spec { variant: R::NAME, ..Sound::SPEC };

    fn status(&self) -> Status {
        self.sound.status()
    }
}

impl<R: Rule> Algorithm for Stored<R> {
    type Timer = Timer;
    type Durable = Disk;

    fn start(cx: &mut Cx<'_, Self>, mut disk: Disk) -> Self {
        disk.starts += 1;
        if disk.starts.is_multiple_of(2) {
            disk = Disk { starts: disk.starts, store: disk.starts, ..Disk::default() };
        }
        let (store, saved) = (disk.store, disk.saved.clone());
        let (sound, saved) =
            cx.lend(|inner| Sound::start(inner, saved), |_, msg| Some(Signed { store, msg }));
        disk.saved = saved.unwrap_or(disk.saved);
        cx.persist(disk.clone());
        Stored { sound, disk, rule: PhantomData }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.pass(cx, |sound, cx| sound.on_call(cx));
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, Signed { store, msg }: Signed) {
        let peer = cx.peer_rank(from).id();
        if self.disk.known.get(&peer).copied().unwrap_or(0) != store {
            let voters = self.sound.voters();
            let is_voter = voters.map_or_else(|| cx.peer_duty(from).votes(), |it| it.contains(&peer));
            if !R::accepts_other_store(is_voter) {
                return;
            }
            self.disk.known.insert(peer, store);
            cx.persist(self.disk.clone());
        }
        self.pass(cx, |sound, cx| sound.on_message(cx, from, msg));
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, timer: Timer) {
        self.pass(cx, |sound, cx| sound.on_timer(cx, timer));
    }

    fn on_death(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        self.pass(cx, |sound, cx| sound.on_death(cx, peer));
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        self.pass(cx, |sound, cx| sound.on_request(cx, request));
    }

    fn lease(&self) -> Option<Timer> {
        self.sound.lease()
    }
}

/// In how many of these runs two leases were valid at once, or two led in one term; and how many leaders there were.
fn unsafe_and_leaders<R: Rule>(seeds: u64) -> (usize, usize) {
    let runs = (0..seeds).map(|seed| run_for::<Stored<R>>(&restless(seed), 600));
    runs.fold((0, 0), |(broken, led), (report, reigns)| {
        (broken + usize::from(!is_safe(&report, &reigns)), led + reigns.0.len())
    })
}

#[test]
fn members_that_lose_their_disks_never_make_two_leaders() {
    let (broken, leaders) = unsafe_and_leaders::<OnlyOfNonVoters>(1_500);
    assert_eq!(broken, 0);
    assert!(leaders > 1_500, "there was something to see: {leaders}");
    let (broken, _) = unsafe_and_leaders::<Any>(300);
    assert!(broken > 0, "the flaw is found so");
}
