//! What the bytes of the file mean: pure functions on them.
//!
//! The file is two slots, written in turn; a slot holds one record twice, each copy in a block of its own:
//!
//! ```text
//! | even sequence | even sequence, again | odd sequence | odd sequence, again |
//! ```
//!
//! A copy, all numbers little-endian: magic (8 bytes), CRC-32 of all that follows (4), version (4), sequence (8),
//! boot (8), id (8), the cluster's name filled up with zeros (64), the payload's length or [`NOTHING`] (4), the wait (8),
//! the terms' length (2), the terms filled up with zeros, payload.

use super::Flaw;
use crate::Terms;
use std::ops::Range;

/// The bytes of a copy: a block, so that writing one never touches another.
pub(super) const COPY: usize = 4096;
/// The bytes of a slot: what one write writes.
pub(super) const SLOT: usize = 2 * COPY;
/// The bytes of the file.
pub(super) const FILE: usize = 2 * SLOT;
/// The longest payload.
pub(super) const MAX_PAYLOAD: usize = COPY - PAYLOAD;
/// The longest name of a cluster.
pub(super) const MAX_NAME: usize = CLUSTER.end - CLUSTER.start;

const MAGIC: [u8; 8] = *b"BWVOTES\n";
const VERSION: u32 = 2;
/// Instead of a length: nothing was ever saved, which is not the same as nothing at all.
const NOTHING: u32 = u32::MAX;

const CHECKSUM: Range<usize> = 8..12;
const FORMAT: Range<usize> = 12..16;
const SEQUENCE: Range<usize> = 16..24;
const BOOT: Range<usize> = 24..32;
const ID: Range<usize> = 32..40;
const CLUSTER: Range<usize> = 40..104;
const LENGTH: Range<usize> = 104..108;
const WAIT: Range<usize> = 108..116;
const TERMS_LENGTH: Range<usize> = 116..118;
const TERMS: Range<usize> = 118..118 + Terms::MAX_LENGTH;
const PAYLOAD: usize = TERMS.end;

/// One record, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub sequence: u64,
    pub boot: u64,
    pub id: u64,
    pub cluster: Vec<u8>,
    pub terms: Terms,
    /// For how long its promises of earlier lives may hold, in microseconds, beyond what the terms tell.
    pub wait: u64,
    pub payload: Option<Vec<u8>>,
}

/// Where in the file a record of this sequence goes.
pub(super) fn offset(sequence: u64) -> usize {
    if sequence.is_multiple_of(2) { 0 } else { SLOT }
}

/// Writes all of a record but its payload and its sequence, which change.
pub(super) fn set_owner(copy: &mut [u8], boot: u64, id: u64, cluster: &[u8]) {
    copy[..MAGIC.len()].copy_from_slice(&MAGIC);
    copy[FORMAT].copy_from_slice(&VERSION.to_le_bytes());
    copy[BOOT].copy_from_slice(&boot.to_le_bytes());
    copy[ID].copy_from_slice(&id.to_le_bytes());
    copy[CLUSTER].fill(0);
    copy[CLUSTER][..cluster.len()].copy_from_slice(cluster);
}

/// Writes what the member and its peers have agreed on, and for how long it must take no part at its next start.
pub(super) fn set_terms(copy: &mut [u8], terms: &Terms, wait: u64) {
    let mut bytes = Vec::with_capacity(Terms::MAX_LENGTH);
    terms.encode(&mut bytes);
    copy[TERMS_LENGTH].copy_from_slice(&(bytes.len() as u16).to_le_bytes());
    copy[TERMS].fill(0);
    copy[TERMS][..bytes.len()].copy_from_slice(&bytes);
    set_wait(copy, wait);
}

/// Writes for how long the member must take no part at its next start.
pub(super) fn set_wait(copy: &mut [u8], wait: u64) {
    copy[WAIT].copy_from_slice(&wait.to_le_bytes());
}

/// Writes the payload, of at most [`MAX_PAYLOAD`] bytes.
pub(super) fn set_payload(copy: &mut [u8], payload: Option<&[u8]>) {
    let length = payload.map_or(NOTHING, |bytes| bytes.len() as u32);
    copy[LENGTH].copy_from_slice(&length.to_le_bytes());
    let bytes = payload.unwrap_or_default();
    copy[PAYLOAD..PAYLOAD + bytes.len()].copy_from_slice(bytes);
    copy[PAYLOAD + bytes.len()..].fill(0);
}

/// Makes a record of it: writes the sequence, and the checksum of all.
pub(super) fn seal(copy: &mut [u8], sequence: u64) {
    copy[SEQUENCE].copy_from_slice(&sequence.to_le_bytes());
    let end = end(copy).unwrap_or(PAYLOAD);
    let checksum = crc32fast::hash(&copy[CHECKSUM.end..end]);
    copy[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
}

/// The last acknowledged record of a file, or the one whose write a crash interrupted: it is one of the two.
///
/// Each slot was whole before the other was written, so at most one slot can be torn. A flaw of the disk that strikes
/// one copy only costs nothing either: the other copy has the same. Two spoilt copies of the newest record look just
/// like a torn write, and nothing on one disk could tell.
///
/// # Errors
/// The [`Flaw`] that makes it impossible to know.
pub(super) fn newest(file: &[u8]) -> Result<Record, Flaw> {
    if file.len() != FILE {
        return Err(Flaw::Length(file.len() as u64));
    }
    let mut all = Vec::with_capacity(4);
    for (index, copy) in file.chunks_exact(COPY).enumerate() {
        if let Some(record) = read(copy)? {
            let in_place = offset(record.sequence) == index * COPY / SLOT * SLOT;
            if !in_place || record.sequence == 0 || record.sequence == u64::MAX {
                return Err(Flaw::Sequence);
            }
            all.push(record);
        }
    }
    let newest = all.iter().max_by_key(|it| it.sequence).ok_or(Flaw::Damaged)?.clone();
    let fits = |other: &Record| {
        let same_owner = other.id == newest.id && other.cluster == newest.cluster;
        match newest.sequence - other.sequence {
            0 => *other == newest,
            // The slot before; or, in the newest one's own slot, what its write has not overwritten.
            1 | 2 => same_owner && other.boot <= newest.boot,
            _ => false,
        }
    };
    if newest.boot == u64::MAX || !all.iter().all(fits) {
        return Err(Flaw::Sequence);
    }
    Ok(newest)
}

/// The record in a block; nothing if there is none that is whole.
fn read(copy: &[u8]) -> Result<Option<Record>, Flaw> {
    let Some(end) = end(copy) else { return Ok(None) };
    if !copy.starts_with(&MAGIC)
        || number(copy, CHECKSUM) != u64::from(crc32fast::hash(&copy[CHECKSUM.end..end]))
    {
        return Ok(None);
    }
    let version = number(copy, FORMAT) as u32;
    if version != VERSION {
        return Err(Flaw::Version(version));
    }
    let terms = copy[TERMS].get(..number(copy, TERMS_LENGTH) as usize).and_then(Terms::decode);
    let Some(terms) = terms else { return Err(Flaw::Terms) };
    let name = &copy[CLUSTER];
    let name_length = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    Ok(Some(Record {
        sequence: number(copy, SEQUENCE),
        boot: number(copy, BOOT),
        id: number(copy, ID),
        cluster: name[..name_length].to_vec(),
        terms,
        wait: number(copy, WAIT),
        payload: (number(copy, LENGTH) != u64::from(NOTHING)).then(|| copy[PAYLOAD..end].to_vec()),
    }))
}

/// Where a record's last byte is; nothing if its length is impossible.
fn end(copy: &[u8]) -> Option<usize> {
    match number(copy, LENGTH) {
        nothing if nothing == u64::from(NOTHING) => Some(PAYLOAD),
        length if length <= MAX_PAYLOAD as u64 => Some(PAYLOAD + length as usize),
        _ => None,
    }
}

/// A little-endian number of at most eight bytes.
fn number(copy: &[u8], place: Range<usize>) -> u64 {
    copy[place].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
