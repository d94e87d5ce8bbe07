use super::*;
use crate::Store;
use crate::settings::cluster_config::tests::config;
use bellwether_core::Id;
use std::sync::mpsc;

/// Keeps what it is told to when it is allowed to, and as it is told to: the disk as the test wants it.
struct Puppet {
    outcomes: mpsc::Receiver<Result<(), StoreError>>,
    kept: mpsc::Sender<Option<Vec<u8>>>,
}

impl Puppet {
    fn act(&mut self, kept: Option<Vec<u8>>) -> Result<(), StoreError> {
        let outcome = self.outcomes.recv().expect("the test must say how it ends");
        let _ = self.kept.send(kept); // not every test looks
        outcome
    }
}

impl Keep for Puppet {
    fn write(&mut self, durable: &[u8]) -> Result<(), StoreError> {
        self.act(Some(durable.to_vec()))
    }

    fn write_again(&mut self) -> Result<(), StoreError> {
        self.act(None)
    }

    fn remember(&mut self, peer: PeerRecord) -> Result<(), StoreError> {
        self.act(Some(peer.id.value().to_le_bytes().to_vec()))
    }

    fn retire(&mut self) -> Result<(), StoreError> {
        self.act(None)
    }
}

/// Far more than anything takes.
const LONG: Span = Span::from_ticks(60_000_000);

struct Theatre {
    disk: Disk,
    outcomes: mpsc::Sender<Result<(), StoreError>>,
    kept: mpsc::Receiver<Option<Vec<u8>>>,
    woken: mpsc::Receiver<()>,
}

fn theatre() -> Theatre {
    let (outcomes, their_outcomes) = mpsc::channel();
    let (their_kept, kept) = mpsc::channel();
    let (wake, woken) = mpsc::channel();
    let puppet = Puppet { outcomes: their_outcomes, kept: their_kept };
    let (disk, keeper) = Disk::prepare(Clock::new(), move || wake.send(()).unwrap_or_default()).unwrap();
    keeper.send(puppet).unwrap();
    Theatre { disk, outcomes, kept, woken }
}

fn failure() -> Result<(), StoreError> {
    Err(StoreError::Failed("as the test says".to_owned()))
}

#[test]
fn a_write_is_done_when_the_disk_says_so_and_not_before() {
    let Theatre { mut disk, outcomes, kept, woken } = theatre();
    for durable in [&b"one"[..], b"", b"three"] {
        assert!(disk.busy_for().is_none() && disk.take_done().is_none());
        disk.write(durable);
        assert!(disk.take_done().is_none() && disk.busy_for().is_some(), "the disk has not said anything");
        outcomes.send(Ok(())).unwrap();
        woken.recv().unwrap();
        assert!(matches!(disk.take_done(), Some(Ok(Done::Written))));
        assert_eq!(kept.recv().unwrap().as_deref(), Some(durable));
    }
    assert!(disk.close(LONG));
}

#[test]
fn a_stalled_disk_shows() {
    let Theatre { mut disk, outcomes, woken, .. } = theatre();
    disk.write(b"one");
    let first = disk.busy_for().unwrap();
    while disk.busy_for().unwrap() <= first {}
    outcomes.send(failure()).unwrap();
    woken.recv().unwrap();
    assert!(disk.busy_for().is_some(), "until it is taken");
    assert!(matches!(disk.take_done(), Some(Err(StoreError::Failed(_)))));
    assert!(disk.busy_for().is_none());
}

#[test]
fn a_probe_is_silent_unless_it_fails_and_holds_up_no_write() {
    let Theatre { mut disk, outcomes, kept, woken } = theatre();
    disk.probe();
    disk.probe();
    assert!(disk.busy_for().is_some());
    disk.write(b"one");
    outcomes.send(Ok(())).unwrap();
    woken.recv().unwrap();
    assert!(disk.take_done().is_none() && disk.busy_for().is_some(), "the write goes on");
    outcomes.send(Ok(())).unwrap();
    woken.recv().unwrap();
    assert!(matches!(disk.take_done(), Some(Ok(Done::Written))));
    assert_eq!([kept.recv().unwrap(), kept.recv().unwrap()], [None, Some(b"one".to_vec())]);
    disk.probe();
    outcomes.send(failure()).unwrap();
    woken.recv().unwrap();
    assert!(matches!(disk.take_done(), Some(Err(StoreError::Failed(_)))));
    assert!(disk.busy_for().is_none() && kept.recv().unwrap().is_none() && kept.try_recv().is_err());
}

#[test]
fn a_thread_that_has_ended_is_noticed() {
    let Theatre { mut disk, outcomes, .. } = theatre();
    drop(outcomes); // so that the puppet panics
    disk.write(b"one");
    let outcome = loop {
        if let Some(outcome) = disk.take_done() {
            break outcome;
        }
    };
    assert!(matches!(outcome, Err(StoreError::Gone)));
    assert!(disk.take_done().is_none());
}

#[test]
fn a_disk_that_does_not_answer_is_left_alone() {
    let Theatre { mut disk, outcomes, .. } = theatre();
    disk.write(b"one");
    assert!(!disk.close(Span::from_ticks(1)));
    drop(outcomes);
}

#[test]
fn closing_ends_what_was_asked_for_and_frees_the_store() {
    let directory = tempfile::tempdir().unwrap();
    let open = || Store::open(directory.path(), "orders", Id::new(1).unwrap(), &config()).unwrap();
    let (mut disk, keeper) = Disk::prepare(Clock::new(), || {}).unwrap();
    keeper.send(open().0).unwrap();
    disk.probe();
    disk.write(b"one");
    assert!(disk.close(LONG));
    let (_, saved) = open();
    assert_eq!((saved.boot, saved.durable), (2, Some(b"one".to_vec())));
}
