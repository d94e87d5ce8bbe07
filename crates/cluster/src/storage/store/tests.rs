use super::*;
use crate::Incarnation;
use crate::settings::cluster_config::tests::config;
use image::{COPY, FILE, SECTOR, SLOT, newest};
use rand::seq::SliceRandom as _;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tempfile::TempDir;

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

fn open(directory: &Path) -> Result<(Store, Saved), StoreError> {
    Store::open(directory, "orders", id(3), &config())
}

/// How often a store was opened, and what was in it.
fn counted(saved: Saved) -> (u64, Option<Vec<u8>>) {
    assert_eq!(saved.wait, Span::default());
    assert_eq!(saved.stores.is_new, saved.durable.is_none());
    (saved.boot, saved.durable)
}

fn state(directory: &TempDir) -> Vec<u8> {
    fs::read(directory.path().join("state")).unwrap()
}

/// What is in a file, or why that cannot be known.
fn payload(file: &[u8]) -> Result<Option<Vec<u8>>, Flaw> {
    newest(file).map(|(_, record)| record.payload)
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
    assert_eq!(counted(found), (1, None));
    drop(store);
    let (mut store, found) = open(&path).unwrap();
    assert_eq!(counted(found), (2, None));
    for write in [&b"one"[..], b"", b"three"] {
        store.write(write).unwrap();
    }
    store.write_again().unwrap();
    drop(store);
    let (mut store, found) = open(&path).unwrap();
    assert_eq!(counted(found), (3, Some(b"three".to_vec())));
    store.write(b"").unwrap();
    drop(store);
    assert_eq!(counted(open(&path).unwrap().1), (4, Some(Vec::new())), "empty is not nothing");
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
    let (old, new) = ([1; 700], [2; 1500]);
    let (before, after, at) = before_and_after(&old, &new);
    let sectors: Vec<usize> = (at..at + SLOT).step_by(SECTOR).collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut olds, mut news) = (0, 0);
    for trial in 0..20_000 {
        // Every number of sectors from none to all, in an order of its own.
        let mut order = sectors.clone();
        order.shuffle(&mut random);
        let mut file = before.clone();
        for &sector in &order[..trial % (sectors.len() + 1)] {
            file[sector..][..SECTOR].copy_from_slice(&after[sector..][..SECTOR]);
        }
        let left = payload(&file).unwrap().unwrap();
        olds += usize::from(left == old);
        news += usize::from(left == new);
    }
    assert_eq!(olds + news, 20_000);
    assert!(olds > 0 && news > 0, "{olds} and {news}");
}

/// Files whose newest record the disk had acknowledged, and has damaged in both copies: the vote in it cannot be known.
fn with_damaged_newest_record() -> Vec<Vec<u8>> {
    let (_, file, at) = before_and_after(b"old", b"new");
    let damaged = |damage: &dyn Fn(&mut [u8])| {
        let mut file = file.clone();
        damage(&mut file[at..at + SLOT]);
        file
    };
    // One flip at the same place in both copies, and at two different places.
    let flips = (0..COPY).filter(|byte| byte % 512 < 128 || byte % 37 == 0).flat_map(|byte| {
        [byte, (byte * 7 + 1_000) % COPY].map(|other| {
            damaged(&|slot| {
                slot[byte] ^= 0x10;
                slot[COPY + other] ^= 0x01;
            })
        })
    });
    // Blocks that cannot be read, or read as zeros.
    let fillers = [0, 0xff, 0xee].map(|filler| damaged(&|slot| slot.fill(filler)));
    flips.chain(fillers).collect()
}

#[test]
fn damage_to_both_copies_of_the_newest_record_is_never_taken_for_a_torn_write() {
    for (case, file) in with_damaged_newest_record().iter().enumerate() {
        assert_eq!(payload(file), Err(Flaw::Newest), "case {case}");
    }
}

/// The flaw: a record with a wrong checksum was never acknowledged. The cases above find it.
#[test]
fn a_rule_for_each_record_alone_rolls_a_vote_back() {
    let files = with_damaged_newest_record();
    let read = |file: &Vec<u8>| image::newest_unless(file, |_, _| false).map(|(_, record)| record.payload);
    let rolled_back = files.iter().filter(|file| read(file) == Ok(Some(b"old".to_vec()))).count();
    assert_eq!(rolled_back, files.len());
}

/// The slot before the newest is damaged: it could have held a newer record as well, unless a sector of it tells.
#[test]
fn damage_to_the_older_slot_is_tolerated_only_while_a_sector_tells_its_age() {
    let (_, file, at) = before_and_after(b"old", b"new");
    let older = SLOT - at;
    let mut damaged = file.clone();
    damaged[older + 5] ^= 1;
    damaged[older + COPY + 5] ^= 1;
    assert_eq!(payload(&damaged), Ok(Some(b"new".to_vec())));
    damaged[older..older + SLOT].fill(0);
    assert_eq!(payload(&damaged), Err(Flaw::Newest));
}

#[test]
fn a_store_with_a_damaged_newest_record_says_so_and_does_not_start() {
    let directory = TempDir::new().unwrap();
    let (mut store, _) = open(directory.path()).unwrap();
    store.write(b"a vote").unwrap();
    store.write(b"the last vote").unwrap();
    let at = image::offset(store.sequence);
    drop(store);
    let mut file = state(&directory);
    file[at + 100] ^= 1;
    file[at + COPY + 100] ^= 1;
    fs::write(directory.path().join("state"), &file).unwrap();
    let error = open(directory.path()).unwrap_err().to_string();
    assert!(error.contains("newest record may be lost") && error.contains("Readmit it"), "{error}");
    assert_eq!(state(&directory), file, "a refusal changes nothing");
}

#[test]
fn every_store_has_an_identity_of_its_own_and_keeps_it() {
    let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let identity = |directory: &TempDir| open(directory.path()).unwrap().1.stores.own;
    let first = directories.each_ref().map(identity);
    assert_ne!(first[0], first[1]);
    assert_eq!(directories.each_ref().map(identity), first);
    fs::remove_file(directories[0].path().join("state")).unwrap();
    assert_ne!(identity(&directories[0]), first[0], "a store that was lost is not the new one");
}

#[test]
fn the_stores_of_peers_are_remembered_with_the_votes() {
    let directory = TempDir::new().unwrap();
    let (mut store, saved) = open(directory.path()).unwrap();
    assert_eq!(saved.stores.peers, []);
    let [first, second, third] = [1, 2, 3].map(|it| StoreId::new([it; 16]));
    let record = |peer: u64, store| PeerRecord {
        last: Incarnation { boot: peer + 1, nonce: 9 },
        ..PeerRecord::new(id(peer), store)
    };
    store.remember(record(1, first)).unwrap();
    store.write(b"a vote").unwrap();
    store.remember(record(2, second)).unwrap();
    store.remember(record(1, third)).unwrap();
    drop(store);
    let (mut store, saved) = open(directory.path()).unwrap();
    assert_eq!(saved.stores.peers, [record(2, second), record(1, third)]);
    assert_eq!(saved.durable, Some(b"a vote".to_vec()));
    // As many as a cluster can have, and those of others that are gone make room.
    for peer in 1..=Settings::MOST_MEMBERS as u64 + 5 {
        store.remember(record(peer, first)).unwrap();
    }
    store.write(&[7; Store::MAX_LENGTH]).unwrap();
    drop(store);
    let saved = open(directory.path()).unwrap().1;
    assert_eq!(saved.stores.peers.len(), Settings::MOST_MEMBERS);
    assert_eq!(saved.stores.peers.last(), Some(&record(Settings::MOST_MEMBERS as u64 + 5, first)));
    assert_eq!(saved.durable, Some(vec![7; Store::MAX_LENGTH]));
}

#[test]
fn the_longest_list_of_voters_can_be_saved() {
    let longest_id = 9; // bytes
    let voters = Settings::MOST_MEMBERS * (longest_id + 1 + StoreId::LENGTH);
    let (term, vote, version, count) = (10, 1 + longest_id, 10 + 5, 3);
    assert!(Store::MAX_LENGTH >= voters + term + vote + version + count, "{}", Store::MAX_LENGTH);
}

#[test]
fn a_store_that_was_refused_for_good_never_starts_again() {
    let directory = TempDir::new().unwrap();
    let (mut store, _) = open(directory.path()).unwrap();
    store.write(b"a vote").unwrap();
    store.retire().unwrap();
    drop(store);
    let before = state(&directory);
    for _ in 0..3 {
        let error = open(directory.path()).unwrap_err();
        assert!(
            matches!(error, StoreError::Retired { .. }) && error.to_string().contains("Readmit it"),
            "{error}"
        );
    }
    assert_eq!(state(&directory), before, "a refusal changes nothing");
}

#[test]
fn nothing_is_written_before_the_start_begins() {
    let directory = TempDir::new().unwrap();
    let examine = || Store::examine(directory.path(), "orders", id(3), &config()).unwrap();
    let first = examine().saved();
    assert!(!directory.path().join("state").exists());
    assert_eq!((first.boot, first.stores.is_new), (1, true));
    drop(examine().begin().unwrap());
    let before = state(&directory);
    assert_eq!(examine().saved().boot, 2);
    assert_eq!(state(&directory), before);
}

#[test]
fn no_other_user_can_read_the_votes_or_lock_the_directory() {
    let above = TempDir::new().unwrap();
    let directory = above.path().join("member");
    drop(open(&directory).unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let modes = || (mode(&directory), mode(&directory.join("lock")), mode(&directory.join("state")));
    assert_eq!(modes(), (0o700, 0o600, 0o600));
    // Files that were made before, or copied, in a directory that was there before.
    for shared in [0o755, 0o775, 0o777] {
        for file in ["lock", "state"] {
            fs::set_permissions(directory.join(file), Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(&directory, Permissions::from_mode(shared)).unwrap();
        drop(open(&directory).unwrap());
        assert_eq!(modes(), (0o700, 0o600, 0o600), "{shared:o}");
    }
}

/// A home, for example: it is not this member's to make private.
#[test]
fn directory_with_other_files_keeps_its_mode_and_is_refused_if_others_can_write_it() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("letters"), "").unwrap();
    let mode_after = |mode: u32| {
        fs::set_permissions(directory.path(), Permissions::from_mode(mode)).unwrap();
        let opened = open(directory.path()).map(|_| ());
        (opened, fs::metadata(directory.path()).unwrap().permissions().mode() & 0o7777)
    };
    for mode in [0o775, 0o757, 0o1777] {
        let (opened, after) = mode_after(mode);
        let is_refused = matches!(opened, Err(StoreError::Shared { mode: shown, .. }) if shown == mode);
        assert!(is_refused && after == mode, "{mode:o}");
        assert!(!directory.path().join("state").exists(), "nothing was written");
    }
    let (opened, after) = mode_after(0o755);
    assert!(opened.is_ok() && after == 0o755);
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
fn untrusted_store_is_refused() {
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
    let (sequence, record) = newest(&after).unwrap();
    let mut slot = [0; SLOT];
    image::fill(&mut slot, &image::Record { payload: Some(b"two".to_vec()), ..record }, sequence);
    forked[at..at + COPY].copy_from_slice(&slot[..COPY]);
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
        let error = Store::open(directory.path(), cluster, id, &config()).unwrap_err();
        assert!(error.to_string().contains("belongs to member 3 of cluster 'orders'"), "{error}");
    }
    assert!(matches!(
        Store::open(directory.path(), &"x".repeat(65), id(3), &config()),
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
    let refused = |change: &dyn Fn(&mut ClusterConfig)| {
        let mut config = config();
        change(&mut config);
        Store::open(directory.path(), "orders", id(3), &config).unwrap_err().to_string()
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
    let other_drift = ClusterConfig { drift_bound: 500, ..config() };
    let fast = ClusterConfig { delay_bound: Span::from_ticks(1_000), ..config() };
    let short = ClusterConfig { parameters: "lease=5".to_owned(), ..config() };
    let wait_of = |directory: &TempDir, config: &ClusterConfig| {
        let (store, saved) = Store::open(directory.path(), "orders", id(3), config).unwrap();
        (store, saved.wait.ticks())
    };
    for other in [&other_drift, &fast, &short] {
        let directory = TempDir::new().unwrap();
        // A member that has never voted has promised nothing.
        assert_eq!(wait_of(&directory, other).1, 0);
        assert_eq!(wait_of(&directory, &config()).1, 0);
        open(directory.path()).unwrap().0.write(b"a vote").unwrap();
        assert_eq!(wait_of(&directory, &config()).1, 0);
        // 200 of the delay bounds of before; and again, until something was written after the wait.
        assert_eq!(wait_of(&directory, other).1, 200 * 12_000);
        assert_eq!(wait_of(&directory, other).1, 200 * 12_000);
        let (mut store, wait) = wait_of(&directory, &config());
        assert_eq!(wait, 200 * 12_000, "the longest of all counts");
        // A peer's store may be recorded, and the disk probed, before the wait is over.
        store.remember(PeerRecord::new(id(1), StoreId::new([1; 16]))).unwrap();
        store.write_again().unwrap();
        drop(store);
        let (mut store, wait) = wait_of(&directory, &config());
        assert_eq!(wait, 200 * 12_000, "only the algorithm's first write ends the wait");
        store.write(b"a later vote").unwrap();
        drop(store);
        assert_eq!(wait_of(&directory, &config()).1, 0);
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
