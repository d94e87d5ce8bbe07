use super::*;
use crate::terms::tests::terms;
use image::{COPY, FILE, SLOT, newest};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tempfile::TempDir;

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

fn open(directory: &Path) -> Result<(Store, Saved), StoreError> {
    Store::open(directory, "orders", id(3), &terms())
}

/// What a store is opened with when nothing but votes and starts has changed.
fn saved(boot: u64, durable: Option<&[u8]>) -> Saved {
    Saved { boot, durable: durable.map(<[u8]>::to_vec), wait: Span::default() }
}

fn state(directory: &TempDir) -> Vec<u8> {
    fs::read(directory.path().join("state")).unwrap()
}

/// What is in a file, or why that cannot be known.
fn payload(file: &[u8]) -> Result<Option<Vec<u8>>, Flaw> {
    newest(file).map(|record| record.payload)
}

/// The file before and after a write, and which bytes the write was allowed to touch.
fn before_and_after(old: &[u8], new: &[u8]) -> (Vec<u8>, Vec<u8>, usize) {
    let directory = TempDir::new().unwrap();
    let (mut store, _) = open(directory.path()).unwrap();
    store.write(b"something long ago").unwrap();
    store.write(old).unwrap();
    let before = state(&directory);
    store.write(new).unwrap();
    let after = state(&directory);
    let at = (0..FILE).find(|&at| before[at] != after[at]).unwrap() / SLOT * SLOT;
    assert_eq!(before[SLOT - at..][..SLOT], after[SLOT - at..][..SLOT], "only one slot may be written");
    (before, after, at)
}

#[test]
fn starts_are_counted_and_the_last_write_is_found() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("not/yet/made");
    let (store, found) = open(&path).unwrap();
    assert_eq!(found, saved(1, None));
    drop(store);
    let (mut store, found) = open(&path).unwrap();
    assert_eq!(found, saved(2, None));
    for write in [&b"one"[..], b"", b"three"] {
        store.write(write).unwrap();
    }
    store.write_again().unwrap();
    drop(store);
    let (mut store, found) = open(&path).unwrap();
    assert_eq!(found, saved(3, Some(b"three")));
    store.write(b"").unwrap();
    drop(store);
    assert_eq!(open(&path).unwrap().1, saved(4, Some(b"")), "empty is not nothing");
}

#[test]
fn the_longest_state_fits_and_a_longer_one_changes_nothing() {
    let directory = TempDir::new().unwrap();
    let (mut store, _) = open(directory.path()).unwrap();
    let longest = vec![0xa5; Store::MAX_LENGTH];
    store.write(&longest).unwrap();
    let error = store.write(&vec![0; Store::MAX_LENGTH + 1]).unwrap_err();
    assert!(matches!(error, StoreError::TooLarge(_)), "{error}");
    store.write_again().unwrap();
    drop(store);
    assert_eq!(open(directory.path()).unwrap().1.durable, Some(longest));
}

#[test]
fn a_write_torn_at_any_byte_leaves_the_old_or_the_new() {
    let (old, new) = ([1; 700], [2; 1500]);
    let (before, after, at) = before_and_after(&old, &new);
    let (mut old_left, mut new_left) = (0, 0);
    for torn_at in 0..=SLOT {
        let mut file = before.clone();
        file[at..at + torn_at].copy_from_slice(&after[at..at + torn_at]);
        let left = payload(&file).unwrap().unwrap();
        old_left += usize::from(left == old);
        new_left += usize::from(left == new);
    }
    assert_eq!(old_left + new_left, SLOT + 1);
    assert!(old_left > 0 && new_left > 0);
}

/// A disk may write the sectors of one write in any order.
#[test]
fn a_write_torn_in_any_order_of_sectors_leaves_the_old_or_the_new() {
    const SECTOR: usize = 512;
    let (old, new) = ([1; 700], [2; 1500]);
    let (before, after, at) = before_and_after(&old, &new);
    let differing: Vec<usize> = (at..at + SLOT)
        .step_by(SECTOR)
        .filter(|&sector| before[sector..][..SECTOR] != after[sector..][..SECTOR])
        .collect();
    assert!((2..=16).contains(&differing.len()));
    for written in 0..1_u32 << differing.len() {
        let mut file = before.clone();
        for (bit, &sector) in differing.iter().enumerate() {
            if written >> bit & 1 == 1 {
                file[sector..][..SECTOR].copy_from_slice(&after[sector..][..SECTOR]);
            }
        }
        let left = payload(&file).unwrap().unwrap();
        assert!(left == old || left == new);
    }
}

#[test]
fn no_flipped_bit_and_no_lost_block_changes_what_is_read() {
    let (_, file, _) = before_and_after(b"old", b"new");
    for bit in 0..FILE * 8 {
        // Every bit of the records, and some of the padding.
        if bit / 8 % COPY < 128 || bit % 97 == 0 {
            let mut file = file.clone();
            file[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(payload(&file), Ok(Some(b"new".to_vec())), "bit {bit}");
        }
    }
    for block in 0..FILE / COPY {
        let mut file = file.clone();
        file[block * COPY..][..COPY].fill(0xee);
        assert_eq!(payload(&file), Ok(Some(b"new".to_vec())), "block {block}");
    }
}

#[test]
fn what_cannot_be_trusted_is_refused() {
    let (before, after, at) = before_and_after(b"old", b"new");
    let spoilt = vec![0xee; FILE];
    assert_eq!(payload(&spoilt), Err(Flaw::Damaged));
    assert_eq!(payload(&vec![0; FILE]), Err(Flaw::Damaged));
    assert_eq!(payload(&after[..FILE - 1]), Err(Flaw::Length(FILE as u64 - 1)));
    assert_eq!(payload(&[]), Err(Flaw::Length(0)));
    // A slot in the place of the other.
    let swapped = [&after[SLOT..], &after[..SLOT]].concat();
    assert_eq!(payload(&swapped), Err(Flaw::Sequence));
    // A slot from long ago: a write was acknowledged and lost.
    let directory = TempDir::new().unwrap();
    let (mut store, _) = open(directory.path()).unwrap();
    let old = state(&directory);
    (0..4).for_each(|_| store.write_again().unwrap());
    let mut mixed = state(&directory);
    mixed[..SLOT].copy_from_slice(&old[..SLOT]);
    assert_eq!(payload(&mixed), Err(Flaw::Sequence));
    // Two records of one sequence that differ: two have written.
    let mut forked = after.clone();
    image::set_payload(&mut forked[at..at + COPY], Some(b"two"));
    image::seal(&mut forked[at..at + COPY], newest(&after).unwrap().sequence);
    assert_eq!(payload(&forked), Err(Flaw::Sequence));
    assert_eq!(payload(&before), Ok(Some(b"old".to_vec())));
}

#[test]
fn a_damaged_store_does_not_start_from_nothing() {
    let directory = TempDir::new().unwrap();
    open(directory.path()).unwrap().0.write(b"a vote").unwrap();
    let path = directory.path().join("state");
    for bytes in [&[0xee; FILE][..], b""] {
        fs::write(&path, bytes).unwrap();
        let error = open(directory.path()).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("could vote twice"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "a refusal changes nothing");
    }
}

#[test]
fn one_process_at_a_time_and_only_the_owner() {
    let directory = TempDir::new().unwrap();
    let (store, _) = open(directory.path()).unwrap();
    let error = open(directory.path()).unwrap_err();
    assert!(error.to_string().contains(&format!("another process (pid {})", std::process::id())), "{error}");
    drop(store);
    let before = state(&directory);
    for (cluster, id) in [("orders", id(4)), ("order", id(3)), ("orders2", id(3))] {
        let error = Store::open(directory.path(), cluster, id, &terms()).unwrap_err();
        assert!(error.to_string().contains("belongs to member 3 of cluster 'orders'"), "{error}");
    }
    assert!(matches!(
        Store::open(directory.path(), &"x".repeat(65), id(3), &terms()),
        Err(StoreError::Name(65))
    ));
    assert_eq!(state(&directory), before, "a refusal changes nothing");
    open(directory.path()).unwrap();
}

#[test]
fn another_algorithm_and_other_voters_are_refused_from_the_first_start_on() {
    let directory = TempDir::new().unwrap();
    drop(open(directory.path()).unwrap());
    let before = state(&directory);
    let refused = |change: &dyn Fn(&mut Terms)| {
        let mut terms = terms();
        change(&mut terms);
        Store::open(directory.path(), "orders", id(3), &terms).unwrap_err().to_string()
    };
    let error = refused(&|it| it.protocol = "raft-vote/plain".into());
    assert!(error.contains("has the votes of 'quorum-lease/ranked'"), "{error}");
    let error = refused(&|it| it.voters.extend([id(4), id(5)]));
    assert!(
        error.contains("began with the voters 1, 2 and 3, and now it is told 1, 2, 3, 4 and 5"),
        "{error}"
    );
    assert!(error.contains("`admit`"), "{error}");
    assert_eq!(state(&directory), before, "a refusal changes nothing");
    open(directory.path()).unwrap();
}

#[test]
fn after_other_bounds_a_member_waits_for_longer_than_it_can_have_promised() {
    let other_drift = Terms { drift_bound: 500, ..terms() };
    let fast = Terms { delay_bound: Span::from_ticks(1_000), ..terms() };
    let wait_of = |directory: &TempDir, terms: &Terms| {
        let (store, saved) = Store::open(directory.path(), "orders", id(3), terms).unwrap();
        (store, saved.wait.ticks())
    };
    for other in [&other_drift, &fast] {
        let directory = TempDir::new().unwrap();
        // Who has voted for nobody has promised nothing.
        assert_eq!(wait_of(&directory, other).1, 0);
        assert_eq!(wait_of(&directory, &terms()).1, 0);
        open(directory.path()).unwrap().0.write(b"a vote").unwrap();
        assert_eq!(wait_of(&directory, &terms()).1, 0);
        // 200 of the delay bounds of before; and again, until something was written after the wait.
        assert_eq!(wait_of(&directory, other).1, 200 * 12_000);
        assert_eq!(wait_of(&directory, other).1, 200 * 12_000);
        let (mut store, wait) = wait_of(&directory, &terms());
        assert_eq!(wait, 200 * 12_000, "the longest of all counts");
        store.write_again().unwrap();
        drop(store);
        assert_eq!(wait_of(&directory, &terms()).1, 0);
    }
}

/// Writing to the one fails, syncing the other does.
#[test]
fn after_a_failure_nothing_is_written_any_more() {
    for device in ["/dev/full", "/dev/null"] {
        let directory = TempDir::new().unwrap();
        let (mut store, _) = open(directory.path()).unwrap();
        store.write(b"kept").unwrap();
        let good = std::mem::replace(&mut store.file, OpenOptions::new().write(true).open(device).unwrap());
        assert!(matches!(store.write(b"lost"), Err(StoreError::Io { .. })), "{device}");
        store.file = good;
        assert!(matches!(store.write(b"later"), Err(StoreError::Failed(_))));
        assert!(matches!(store.write_again(), Err(StoreError::Failed(_))));
        drop(store);
        assert_eq!(open(directory.path()).unwrap().1.durable, Some(b"kept".to_vec()));
    }
}

/// Random writes, crashes in the midst of them, flips and new starts, against a twin that remembers.
#[test]
fn a_store_remembers_what_its_twin_does() {
    for seed in 0..6 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("state");
        let (mut store, saved) = open(directory.path()).unwrap();
        let (mut boot, mut durable) = (saved.boot, saved.durable);
        for _ in 0..40 {
            let mut new = vec![0; random.random_range(0..=Store::MAX_LENGTH)];
            random.fill_bytes(&mut new);
            let before = state(&directory);
            if random.random_bool(0.8) {
                store.write(&new).unwrap();
                durable = Some(new.clone());
            }
            if random.random_bool(0.7) {
                continue;
            }
            let mut file = state(&directory);
            drop(store);
            let at = random.random_range(0..FILE);
            let torn = random.random_bool(0.5);
            if torn {
                file[at..].copy_from_slice(&before[at..]); // only the part before had reached the disk
            } else {
                file[at] ^= 1 << random.random_range(0..8);
            }
            fs::write(&path, &file).unwrap();
            let (again, saved) = open(directory.path()).unwrap();
            store = again;
            boot += 1;
            assert_eq!(saved.boot, boot, "seed {seed}");
            if torn && saved.durable != durable {
                let old = payload(&before).unwrap();
                assert_eq!(saved.durable, old, "seed {seed}");
                durable = old;
            }
            assert_eq!(saved.durable, durable, "seed {seed}");
        }
    }
}
