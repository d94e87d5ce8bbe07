//! Death certificates: what a supervisor reveals to the peers of a member whose process is certainly dead.
//!
//! At each start the supervisor draws a [`Token`] and gives the member only its [`Commitment`], SHA-256 of the token,
//! which the member sends in every Hello. Only the supervisor can name the token, and it does so once the member and
//! all that it guarded are dead. So a token that fits the commitment proves that this very incarnation is dead.
//! The token is no secret then: a process that repeats it repeats what is true.

mod send;

use base16ct::HexDisplay;
use bellwether_core::Id;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use std::fmt;
use std::str::FromStr;
use zeroize::Zeroizing;

pub use send::announce;

/// How a death certificate begins. Neither a TLS record (0x16) nor a Hello does.
pub const MAGIC: [u8; 6] = *b"BWOBIT";

/// How many bytes a death certificate has: the magic, the hash of the cluster's name, the id (little-endian) and the token.
pub const LENGTH: usize = 6 + 32 + 8 + 32;

/// The answer of a peer that has accepted the certificate: one byte. A peer that does not answer is sent it again.
pub const ACKNOWLEDGED: u8 = 0x06;
/// What it answers if it has not heard that incarnation of that member, or a later one since. The Hello may still be on its
/// way, so it is worth telling a few times more, and no longer.
pub const UNKNOWN: u8 = 0x15;

/// A supervisor's secret for as long as its member lives. It is wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Zeroizing<[u8; 32]>);

impl Token {
    /// A token that cannot be guessed; nothing if the machine has no randomness to give.
    #[must_use]
    pub fn draw() -> Option<Token> {
        let mut bytes = Zeroizing::new([0; 32]);
        SystemRandom::new().fill(&mut *bytes).ok()?;
        Some(Token(bytes))
    }

    /// What the member may know of it.
    #[must_use]
    pub fn commitment(&self) -> Commitment {
        Commitment(sha256(&*self.0))
    }
}

/// It is not for logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// What a member tells its peers of its supervisor's [`Token`] while it runs: the SHA-256 of it. Written as 64
/// hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Commitment(pub [u8; 32]);

impl fmt::Display for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", HexDisplay(&self.0))
    }
}

impl fmt::Debug for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is no commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a supervisor's commitment has 64 hexadecimal digits")]
pub struct InvalidCommitment;

impl FromStr for Commitment {
    type Err = InvalidCommitment;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        match base16ct::mixed::decode(text, &mut bytes) {
            Ok(read) if read.len() == 32 => Ok(Commitment(bytes)),
            _ => Err(InvalidCommitment),
        }
    }
}

/// Says that one incarnation of a member is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeathCertificate {
    /// SHA-256 of the cluster's name.
    cluster: [u8; 32],
    /// The member that is dead.
    pub id: Id,
    token: Token,
}

impl DeathCertificate {
    /// The death certificate of the member `id` of this cluster, whose supervisor drew `token`.
    #[must_use]
    pub fn new(cluster: &str, id: Id, token: Token) -> DeathCertificate {
        DeathCertificate { cluster: sha256(cluster.as_bytes()), id, token }
    }

    /// Whether it is about a member of this cluster.
    #[must_use]
    pub fn is_of(&self, cluster: &str) -> bool {
        self.cluster == sha256(cluster.as_bytes())
    }

    /// Whether it proves the death of the incarnation of [`DeathCertificate::id`] that sent this commitment.
    #[must_use]
    pub fn proves_death_of(&self, commitment: &Commitment) -> bool {
        self.token.commitment() == *commitment
    }

    /// As it is sent.
    #[must_use]
    pub fn encode(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..6].copy_from_slice(&MAGIC);
        bytes[6..38].copy_from_slice(&self.cluster);
        bytes[38..46].copy_from_slice(&self.id.value().to_le_bytes());
        bytes[46..].copy_from_slice(&*self.token.0);
        bytes
    }

    /// What was sent; nothing if it is no death certificate.
    #[must_use]
    pub fn decode(bytes: &[u8; LENGTH]) -> Option<DeathCertificate> {
        let (magic, rest) = bytes.split_first_chunk::<6>()?;
        let (cluster, rest) = rest.split_first_chunk::<32>()?;
        let (id, rest) = rest.split_first_chunk::<8>()?;
        let id = Id::new(u64::from_le_bytes(*id)).ok()?;
        let token = Token(Zeroizing::new(rest.try_into().ok()?));
        (*magic == MAGIC).then_some(DeathCertificate { cluster: *cluster, id, token })
    }
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
    hash
}

#[cfg(test)]
mod tests;
