//! How values are written as bytes, in frames and in stores: numbers are little-endian.

use crate::settings::Incarnation;
use bellwether_core::Id;

pub(crate) fn put_incarnation(incarnation: Incarnation, to: &mut Vec<u8>) {
    to.extend(incarnation.boot.to_le_bytes());
    to.extend(incarnation.nonce.to_le_bytes());
}

/// Takes values from the front of bytes; nothing if there are too few bytes.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn id(&mut self) -> Option<Id> {
        Id::new(self.u64()?).ok()
    }

    pub(crate) fn name(&mut self) -> Option<String> {
        let length = self.u8()?;
        let name = std::str::from_utf8(self.bytes(length.into())?).ok()?;
        Some(name.to_owned())
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(crate) fn incarnation(&mut self) -> Option<Incarnation> {
        Some(Incarnation { boot: self.u64()?, nonce: self.u64()? })
    }
}
