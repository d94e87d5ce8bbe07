//! What the bytes of the file mean: pure functions on them.
//!
//! The file is two slots, written in turn; a slot holds one record twice:
//!
//! ```text
//! | even sequence | even sequence, again | odd sequence | odd sequence, again |
//! ```
//!
//! A copy is made of sectors. Each sector ends with the sequence of its record and a CRC-32 of all before it. So a
//! sector is intact or damaged by itself, and an intact one tells which write it belongs to. This tells a torn write
//! from a damaged record: see [`newest`].
//!
//! The contents of a copy, all numbers little-endian: magic (8 bytes), zeros (4), version (4), boot (8), id (8), store
//! identity (16), retired (1), wait (8), cluster name, configuration, what is known of peers, payload (each after its length).

use super::{Flaw, PeerRecord, StoreId};
use crate::ClusterConfig;
use crate::Settings;
use crate::settings::encoding::{Reader, put_incarnation};

/// Disks write a sector whole or not at all.
pub(super) const SECTOR: usize = 512;
/// The bytes of a sector that are a record's contents. The sequence and the checksum follow.
const CONTENTS: usize = SECTOR - 12;
/// The sectors of a copy.
const SECTORS: usize = 16;
/// The bytes of a copy: whole blocks, so that writing one never touches another.
pub(super) const COPY: usize = SECTORS * SECTOR;
/// The bytes of a slot: what one write writes.
pub(super) const SLOT: usize = 2 * COPY;
/// The bytes of the file.
pub(super) const FILE: usize = 2 * SLOT;
/// The longest name of a cluster.
pub(super) const MAX_NAME: usize = 64;
/// The longest payload: what is left beside the longest of everything else.
pub(super) const MAX_PAYLOAD: usize = SECTORS * CONTENTS
    - (HEAD + 1 + MAX_NAME + 2 + ClusterConfig::MAX_LENGTH + 2 + PEER * Settings::MOST_MEMBERS + 4);

const MAGIC: [u8; 8] = *b"BWVOTES\n";
const VERSION: u32 = 4;
/// Magic, zeros, version, boot, id, store identity, retired, wait.
const HEAD: usize = 8 + 4 + 4 + 8 + 8 + StoreId::LENGTH + 1 + 8;
/// An id, a store identity, a boot count and a nonce.
const PEER: usize = 8 + StoreId::LENGTH + 8 + 8;
/// Instead of a payload's length: nothing was ever saved, which is not the same as an empty payload.
const NOTHING: u32 = u32::MAX;

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub boot: u64,
    pub id: u64,
    /// Drawn when the store was made.
    pub store: StoreId,
    pub cluster: String,
    pub config: ClusterConfig,
    /// No member starts from it any more.
    pub is_retired: bool,
    /// For how long promises of earlier starts may hold, in microseconds, beyond what the configuration tells.
    pub wait: u64,
    /// What is known of each peer that was heard.
    pub peers: Vec<PeerRecord>,
    pub payload: Option<Vec<u8>>,
}

/// Where in the file a record of this sequence goes.
pub(super) fn offset(sequence: u64) -> usize {
    if sequence.is_multiple_of(2) { 0 } else { SLOT }
}

/// Fills a slot with both copies of a record.
pub(super) fn fill(slot: &mut [u8; SLOT], record: &Record, sequence: u64) {
    let mut contents = Vec::with_capacity(SECTORS * CONTENTS);
    contents.extend(MAGIC);
    contents.extend([0; 4]);
    contents.extend(VERSION.to_le_bytes());
    contents.extend(record.boot.to_le_bytes());
    contents.extend(record.id.to_le_bytes());
    contents.extend(record.store.bytes());
    contents.push(u8::from(record.is_retired));
    contents.extend(record.wait.to_le_bytes());
    contents.push(record.cluster.len() as u8);
    contents.extend(record.cluster.as_bytes());
    let length_at = contents.len();
    contents.extend([0; 2]);
    record.config.encode(&mut contents);
    let length = contents.len() - length_at - 2;
    contents[length_at..length_at + 2].copy_from_slice(&(length as u16).to_le_bytes());
    contents.extend((record.peers.len() as u16).to_le_bytes());
    for peer in &record.peers {
        contents.extend(peer.id.value().to_le_bytes());
        contents.extend(peer.store.bytes());
        put_incarnation(peer.last, &mut contents);
    }
    let length = record.payload.as_ref().map_or(NOTHING, |bytes| bytes.len() as u32);
    contents.extend(length.to_le_bytes());
    contents.extend(record.payload.iter().flatten());
    contents.resize(SECTORS * CONTENTS, 0);
    let (first, second) = slot.split_at_mut(COPY);
    for (sector, contents) in first.chunks_exact_mut(SECTOR).zip(contents.chunks_exact(CONTENTS)) {
        sector[..CONTENTS].copy_from_slice(contents);
        sector[CONTENTS..CONTENTS + 8].copy_from_slice(&sequence.to_le_bytes());
        let checksum = crc32fast::hash(&sector[..CONTENTS + 8]);
        sector[CONTENTS + 8..].copy_from_slice(&checksum.to_le_bytes());
    }
    second.copy_from_slice(first);
}

/// What a slot tells.
pub(super) struct Slot {
    /// The whole records in it with their sequences: two copies, or fewer.
    whole: Vec<(u64, Record)>,
    /// The sequences of its intact sectors, of either copy, without repetition.
    sequences: Vec<u64>,
}

/// The last acknowledged record of a file with its sequence, or the one whose write a crash interrupted.
///
/// # Errors
/// The [`Flaw`] that makes it impossible to know.
pub(super) fn newest(file: &[u8]) -> Result<(u64, Record), Flaw> {
    newest_unless(file, may_hide_a_later_record)
}

/// Whether a slot may have held a later record than the newest one in the other slot, which has this sequence.
///
/// Each slot was whole before the other was written. So if no copy in a slot is whole, either a crash tore the last
/// write, or the disk has damaged what it had acknowledged. A torn write leaves some sector as it was before, with the
/// sequence of the slot's former record: then nothing was acknowledged that the other slot does not have. If no such
/// sector is found, a newer record may have been acknowledged and lost with the vote in it: that is [`Flaw::Newest`].
fn may_hide_a_later_record(slot: &Slot, sequence: u64) -> bool {
    let is_torn = slot.sequences.iter().any(|&it| it != sequence + 1);
    slot.whole.is_empty() && !is_torn
}

/// As [`newest`], with another rule for the slot that does not have the newest record.
pub(super) fn newest_unless(
    file: &[u8],
    is_lost: impl Fn(&Slot, u64) -> bool,
) -> Result<(u64, Record), Flaw> {
    if file.len() != FILE {
        let other = version(file).filter(|&version| version != VERSION);
        return Err(other.map_or(Flaw::Length(file.len() as u64), Flaw::Version));
    }
    let slots = [read_slot(&file[..SLOT], 0)?, read_slot(&file[SLOT..], SLOT)?];
    let all = || slots.iter().flat_map(|slot| &slot.whole);
    let (sequence, newest) = all().max_by_key(|(sequence, _)| *sequence).ok_or(Flaw::Damaged)?.clone();
    let fits = |(older, other): &(u64, Record)| {
        let same_owner =
            other.id == newest.id && other.cluster == newest.cluster && other.store == newest.store;
        match sequence - older {
            0 => *other == newest,
            // The slot before; or, in the newest one's own slot, what its write has not overwritten.
            1 | 2 => same_owner && other.boot <= newest.boot,
            _ => false,
        }
    };
    if newest.boot == u64::MAX || !all().all(fits) {
        return Err(Flaw::Sequence);
    }
    let other = &slots[usize::from(offset(sequence) == 0)];
    if is_lost(other, sequence) { Err(Flaw::Newest) } else { Ok((sequence, newest)) }
}

/// The version of the format, if this is the beginning of a file of ours. It is at the same place in all versions.
fn version(file: &[u8]) -> Option<u32> {
    let bytes = file.get(12..16)?.try_into().ok()?;
    file.starts_with(&MAGIC).then_some(u32::from_le_bytes(bytes))
}

fn read_slot(slot: &[u8], at: usize) -> Result<Slot, Flaw> {
    let (mut whole, mut sequences) = (Vec::new(), Vec::new());
    for copy in slot.chunks_exact(COPY) {
        let of_sectors: Vec<Option<u64>> = copy.chunks_exact(SECTOR).map(sequence_of).collect();
        sequences.extend(of_sectors.iter().flatten());
        let Some(sequence) = of_sectors[0].filter(|_| of_sectors.windows(2).all(|two| two[0] == two[1]))
        else {
            continue;
        };
        if offset(sequence) != at || sequence == 0 || sequence == u64::MAX {
            return Err(Flaw::Sequence);
        }
        let contents: Vec<u8> =
            copy.chunks_exact(SECTOR).flat_map(|sector| &sector[..CONTENTS]).copied().collect();
        whole.push((sequence, read(&contents)?));
    }
    sequences.sort_unstable();
    sequences.dedup();
    Ok(Slot { whole, sequences })
}

/// Which record a sector belongs to; nothing if it is damaged.
fn sequence_of(sector: &[u8]) -> Option<u64> {
    let (sealed, checksum) = sector.split_at(CONTENTS + 8);
    let is_intact = checksum == crc32fast::hash(sealed).to_le_bytes();
    is_intact.then(|| u64::from_le_bytes(sealed[CONTENTS..].try_into().expect("eight bytes")))
}

/// The record in the contents of a whole copy.
fn read(contents: &[u8]) -> Result<Record, Flaw> {
    match version(contents) {
        Some(VERSION) => {}
        Some(other) => return Err(Flaw::Version(other)),
        None => return Err(Flaw::Damaged),
    }
    read_fields(Reader::new(&contents[16..])).ok_or(Flaw::ClusterConfig)
}

fn read_fields(mut from: Reader<'_>) -> Option<Record> {
    let (boot, id, store) = (from.u64()?, from.u64()?, StoreId::new(from.array()?));
    let (is_retired, wait, cluster) = (from.flag()?, from.u64()?, from.name()?);
    let length = u16::from_le_bytes(from.array()?);
    let config = ClusterConfig::decode(from.bytes(length.into())?)?;
    let count = usize::from(u16::from_le_bytes(from.array()?));
    let peers = (0..count.min(Settings::MOST_MEMBERS))
        .map(|_| {
            let (id, store) = (from.id()?, StoreId::new(from.array()?));
            Some(PeerRecord { id, store, last: from.incarnation()? })
        })
        .collect::<Option<_>>()?;
    let payload = match u32::from_le_bytes(from.array()?) {
        NOTHING => None,
        length => Some(from.bytes(length as usize)?.to_vec()),
    };
    Some(Record { boot, id, store, is_retired, cluster, config, wait, peers, payload })
}
