//! The secret that all members of a cluster share: how it is made, judged and turned into keys.
//!
//! A secret made by [`Secret::generate`] has 256 random bits, so it cannot be guessed and its keys are derived at once. Any
//! other text may be guessable, so its keys are derived with Argon2id: each guess costs 19 MiB and tens of milliseconds.
//! The text decides which, so all members of a cluster take the same way.

mod strength;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use ring::digest::{SHA256, digest};
use ring::hkdf::{HKDF_SHA256, Prk, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::{Zeroize as _, Zeroizing};

/// The fewest bytes of a secret that a person has chosen.
pub const MIN_SECRET: usize = 32;
/// The most bytes of any secret.
pub const MAX_SECRET: usize = 1024;

/// How a generated secret begins. 64 hexadecimal digits follow, and 8 of their checksum.
pub(crate) const GENERATED: &str = "bw1-";
/// Random bytes of a generated secret.
const RANDOM: usize = 32;
/// Bytes of its checksum.
const CHECKSUM: usize = 4;
/// Random bytes have about 30 different values among 32; fewer than half of them are no chance.
const LEAST_DIFFERENT: usize = 16;

/// Argon2id as OWASP recommends it at the least: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;

/// A secret. It is wiped when dropped, and never shown by `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Secret(Zeroizing<String>);

/// Why a text is no good as a secret. The text is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeakSecret {
    /// There are too few bytes of it.
    #[error("the secret has {0} bytes and needs at least {MIN_SECRET}; make one with `bellwether secret`")]
    Short(usize),
    /// There is too much of it.
    #[error("the secret has {0} bytes and may have at most {MAX_SECRET}; make one with `bellwether secret`")]
    Long(usize),
    /// It was generated, and has changed since.
    #[error(
        "the secret begins with `bw1-`, as a generated one does, but its checksum is wrong; copy it again, whole and \
         without spaces"
    )]
    Checksum,
    /// It would be among the first guesses.
    #[error(
        "the secret can be guessed: it has few different characters, repeats itself, or is made of sequences and common \
         words; make one with `bellwether secret`"
    )]
    Guessable,
}

impl Secret {
    /// This text without white space around it. [`Secret::check`] says whether it is any good. A generated secret can also be
    /// written in upper case.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Secret {
        let mut text = Zeroizing::new(text.into());
        if text.trim().len() < text.len() {
            text = Zeroizing::new(text.trim().to_owned());
        }
        if text.get(..GENERATED.len()).is_some_and(|start| start.eq_ignore_ascii_case(GENERATED)) {
            text.make_ascii_lowercase();
        }
        Secret(text)
    }

    /// A secret that cannot be guessed; nothing if the machine gives no random numbers.
    #[must_use]
    pub fn generate() -> Option<Secret> {
        let mut bytes = Zeroizing::new([0; RANDOM]);
        SystemRandom::new().fill(&mut *bytes).ok()?;
        Some(Secret::from_random(&bytes))
    }

    fn from_random(bytes: &[u8; RANDOM]) -> Secret {
        let mut text = Zeroizing::new(String::with_capacity(GENERATED.len() + 2 * (RANDOM + CHECKSUM)));
        text.push_str(GENERATED);
        let mut written = Zeroizing::new([0; RANDOM + CHECKSUM]);
        written[..RANDOM].copy_from_slice(bytes);
        written[RANDOM..].copy_from_slice(&crc32fast::hash(bytes).to_be_bytes());
        let mut digits = Zeroizing::new([0; 2 * (RANDOM + CHECKSUM)]);
        text.push_str(base16ct::lower::encode_str(&*written, &mut *digits).expect("a byte has two digits"));
        Secret(text)
    }

    /// The text itself. Do not log it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it is good enough to keep strangers out.
    ///
    /// # Errors
    /// [`WeakSecret`] says why it is not.
    pub fn check(&self) -> Result<(), WeakSecret> {
        if self.0.len() > MAX_SECRET {
            return Err(WeakSecret::Long(self.0.len()));
        }
        if self.0.starts_with(GENERATED) {
            let bytes = self.random().ok_or(WeakSecret::Checksum)?;
            let mut different = Zeroizing::new(*bytes);
            different.sort_unstable();
            let different = 1 + different.windows(2).filter(|pair| pair[0] != pair[1]).count();
            return if different < LEAST_DIFFERENT { Err(WeakSecret::Guessable) } else { Ok(()) };
        }
        if self.0.len() < MIN_SECRET {
            return Err(WeakSecret::Short(self.0.len()));
        }
        if strength::bits(&self.0) < strength::LEAST_BITS {
            return Err(WeakSecret::Guessable);
        }
        Ok(())
    }

    /// The random bytes of a generated secret; nothing if it is none.
    fn random(&self) -> Option<Zeroizing<[u8; RANDOM]>> {
        let digits = self.0.strip_prefix(GENERATED)?;
        let mut written = Zeroizing::new([0; RANDOM + CHECKSUM]);
        let length = base16ct::lower::decode(digits, &mut *written).ok()?.len();
        let (bytes, checksum) = written[..length].split_first_chunk::<RANDOM>()?;
        (crc32fast::hash(bytes).to_be_bytes() == *checksum).then(|| Zeroizing::new(*bytes))
    }

    /// The key of the cluster with this name. It takes tens of milliseconds unless the secret was generated.
    pub(crate) fn cluster_key(&self, cluster: &str) -> ClusterKey {
        let salt = digest(&SHA256, format!("bellwether cluster {cluster}").as_bytes());
        let bytes = self.random().unwrap_or_else(|| stretched(self.0.as_bytes(), salt.as_ref()));
        ClusterKey(Salt::new(HKDF_SHA256, salt.as_ref()).extract(&*bytes))
    }
}

/// Argon2id of a text that a person may have chosen.
fn stretched(text: &[u8], salt: &[u8]) -> Zeroizing<[u8; RANDOM]> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, Some(RANDOM)).expect("the parameters are constants");
    let mut memory = vec![Block::default(); params.block_count()];
    let mut bytes = Zeroizing::new([0; RANDOM]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(text, salt, &mut *bytes, &mut memory)
        .expect("a text of at most a kilobyte and a salt of 32 bytes are never refused");
    memory.iter_mut().for_each(|block| block.zeroize());
    bytes
}

/// From which all keys of a cluster's members are derived.
pub(crate) struct ClusterKey(Prk);

impl ClusterKey {
    /// The key for this purpose. Keys of different purposes say nothing about each other.
    pub(crate) fn key_for(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        let mut key = Zeroizing::new([0; 32]);
        self.0
            .expand(&[purpose.as_bytes()], HKDF_SHA256)
            .and_then(|derived| derived.fill(&mut *key))
            .expect("one hash is never too much to ask of HKDF");
        key
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Secret {
        Secret::new(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Secret {
        Secret::new(text)
    }
}

/// For settings that are written to a file.
impl From<Secret> for String {
    fn from(secret: Secret) -> String {
        secret.expose().to_owned()
    }
}

#[cfg(test)]
mod tests;
