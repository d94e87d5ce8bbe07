//! What a member is told when it starts.

mod check;
pub(crate) mod cluster_config;
pub(crate) mod encoding;
mod secrecy;
pub(crate) mod secret;

use crate::os::clock::Clock;
use crate::settings::secret::Secret;
use bellwether_core::{Attribute, Duty, Elect, Id, Rank, Span};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

pub use check::SettingsError;
pub(crate) use secrecy::shown;

/// Everything that a member is told when it starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The cluster's name: members of other clusters are not heard.
    pub cluster: String,
    /// Which member this is.
    pub me: Id,
    /// All members, this one among them, in any order. Those that vote here do so at first, and all members must be told
    /// the same ones for as long as the cluster lives: see [`crate::ClusterConfig`].
    pub members: Vec<Peer>,
    /// Where to listen, if not at the own address in `members`: `host:port`, port 0 for any that is free.
    #[serde(default)]
    pub listen: Option<String>,
    /// The directory of what must survive a crash.
    pub data: PathBuf,
    /// How members know each other from strangers.
    pub security: Security,
    /// The algorithm: `quorum-lease`, or with a variant `bully/waiting`, or with parameters `quorum-lease:renewals=5`.
    /// [`crate::Builder::algorithm`] says what is lost with others.
    #[serde(default = "default_algorithm")]
    pub algorithm: String,
    /// The failure detector, as in `heartbeat:T=5`; what the algorithm needs unless given.
    #[serde(default)]
    pub detector: Option<String>,
    /// Whether to be a candidate from the start and for ever, not only while a caller campaigns. Members of algorithms without
    /// leases do so anyway.
    #[serde(default)]
    pub always_stands: bool,
    /// How fast it goes.
    #[serde(default)]
    pub profile: Profile,
    /// The commitment of this process's supervisor, if it has one: SHA-256 of the token that it will reveal when
    /// this process is dead. A supervisor tells the process that it starts ([`crate::COMMITMENT`]), so it need not be
    /// given here, and no file can hold it: **every process needs a token of its own**, or the death of one would prove the
    /// death of the next, which may lead.
    #[serde(skip)]
    pub commitment: Option<[u8; 32]>,
    /// Seeds what the algorithm draws, as lots and random time-outs, and by how much attempts to connect are put off; from
    /// the machine's randomness if there is none. Each member needs another one: members that draw the same are never told apart.
    #[serde(default)]
    pub seed: Option<u64>,
    /// For trials: how many millionths the member's clock gains.
    #[cfg(feature = "faults")]
    #[serde(default)]
    pub clock_gains: i32,
    /// Whether the member reports each lease, and until when it lasts ([`crate::Event::Extended`]), so that its leadership can
    /// be judged.
    #[serde(default)]
    pub tells_leases: bool,
    /// How long the supervisor waits after SIGTERM for the member to end, in milliseconds, before it kills it.
    #[serde(default = "default_stop_timeout")]
    pub stop_timeout_ms: u64,
}

/// How long a supervisor waits for its member unless told otherwise, in milliseconds.
const STOP_TIMEOUT_MS: u64 = 10_000;

fn default_stop_timeout() -> u64 {
    STOP_TIMEOUT_MS
}

/// The algorithm unless another is chosen: safe whatever the network does.
pub const DEFAULT_ALGORITHM: &str = "quorum-lease";

fn default_algorithm() -> String {
    DEFAULT_ALGORITHM.to_owned()
}

/// One member, as all know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Its id, wherever it runs.
    pub id: Id,
    /// Where it can be reached, as far as is known: `host:port`. Host names are resolved at every attempt.
    pub address: String,
    /// What it is there for.
    #[serde(default)]
    pub duty: Duty,
    /// What it brings besides its id: the greater leads.
    #[serde(default)]
    pub attribute: Attribute,
}

impl Peer {
    /// A member that votes and stands, of no attribute.
    #[must_use]
    pub fn new(id: Id, address: impl Into<String>) -> Peer {
        Peer { id, address: address.into(), duty: Duty::default(), attribute: 0 }
    }

    /// Its rank: the greater is to lead.
    #[must_use]
    pub fn rank(&self) -> Rank {
        Rank::new(Elect::Best, self.attribute, self.id)
    }
}

/// How members know each other from strangers.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Security {
    /// By a secret that only the members share: TLS 1.3 with keys derived from it. [`Secret::generate`] makes a
    /// good one.
    Secret(Secret),
    /// By certificates: mutual TLS 1.3.
    Certificates {
        /// The authority that may sign members' certificates, as PEM.
        ca: PathBuf,
        /// This member's certificate and what leads to the authority, as PEM.
        certificate: PathBuf,
        /// Its key, as PEM.
        key: PathBuf,
    },
    /// Not at all, and in the clear: any client that can reach a member can command it. It says so when it starts
    /// ([`crate::Event::InTheClear`]).
    Plaintext,
}

/// Secrets are never shown.
impl fmt::Debug for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Security::Secret(_) => f.write_str("Secret(..)"),
            Security::Certificates { ca, certificate, .. } => {
                f.debug_struct("Certificates").field("ca", ca).field("certificate", certificate).finish()
            }
            Security::Plaintext => f.write_str("Plaintext"),
        }
    }
}

/// How fast it goes. In a file: an object, or `"steady"` or `"fast"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Profile {
    /// How long a message and its handling take at the most, if all is well. Time-outs are multiples of it.
    pub delay_bound: Span,
    /// By how many millionths clocks can be off.
    pub drift_bound: u32,
    /// Parameters of the algorithm, as in `renewals=5`: those that it has and that [`Settings::algorithm`] does not give.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub parameters: Cow<'static, str>,
}

impl Profile {
    /// For nearly every network, disk and machine: a silent leader is replaced in 0.3 s. A vote, asked for and written down,
    /// must be there within nine delay bounds, which is a tenth of a second: where disks or networks are slower than that no
    /// leader is elected, and `delay_bound` must be greater.
    pub const STEADY: Profile =
        Profile { delay_bound: Span::from_ticks(12_000), drift_bound: 10_000, parameters: Cow::Borrowed("") };
    /// For members on good machines close to each other: in 30 ms. A vote must be there within 10 ms. Leases, of 29 ms, are
    /// renewed more often, so that a leader that is held up for 20 ms, whenever that is, still leads.
    /// Where it is allowed, the thread that renews them has real-time priority, as with every delay bound below 5 ms.
    pub const FAST: Profile = Profile {
        delay_bound: Span::from_ticks(1_160),
        drift_bound: 10_000,
        parameters: Cow::Borrowed("renewals=5"),
    };
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Profile, D::Error> {
        deserializer.deserialize_any(NameOrObject)
    }
}

struct NameOrObject;

impl<'de> Visitor<'de> for NameOrObject {
    type Value = Profile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"steady\", \"fast\", or an object with `delay_bound` and `drift_bound`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Profile, E> {
        match name {
            "steady" => Ok(Profile::STEADY),
            "fast" => Ok(Profile::FAST),
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Profile, M::Error> {
        ProfileFields::deserialize(MapAccessDeserializer::new(map)).map(Profile::from)
    }
}

/// A profile as an object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFields {
    delay_bound: Span,
    drift_bound: u32,
    #[serde(default)]
    parameters: Cow<'static, str>,
    /// Files from before `parameters` set this one by a key of its own.
    renewals: Option<u32>,
}

impl From<ProfileFields> for Profile {
    fn from(fields: ProfileFields) -> Profile {
        let ProfileFields { delay_bound, drift_bound, parameters, renewals } = fields;
        let parameters = match renewals {
            None => parameters,
            Some(renewals) if parameters.is_empty() => format!("renewals={renewals}").into(),
            Some(renewals) => format!("{parameters},renewals={renewals}").into(),
        };
        Profile { delay_bound, drift_bound, parameters }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Profile::STEADY
    }
}

/// One incarnation of a member: one run of its process. A later one has the greater `boot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Incarnation {
    /// Counts its starts; kept on its disk.
    pub boot: u64,
    /// Drawn at each start: tells processes apart that count the same, as copies of one disk do.
    pub nonce: u64,
}

impl Settings {
    /// The most members of a cluster: each has a connection with every other.
    pub const MOST_MEMBERS: usize = 100;

    /// The clock that the member goes by.
    pub(crate) fn clock(&self) -> Clock {
        #[cfg(feature = "faults")]
        return Clock::drifting(self.clock_gains);
        #[cfg(not(feature = "faults"))]
        Clock::new()
    }

    /// The member `me` of a cluster, with no addresses and no credentials yet.
    #[must_use]
    pub fn new(cluster: impl Into<String>, me: Id) -> Settings {
        Settings {
            cluster: cluster.into(),
            me,
            members: Vec::new(),
            listen: None,
            data: PathBuf::from("bellwether-data"),
            security: Security::Secret("".into()),
            algorithm: default_algorithm(),
            detector: None,
            always_stands: false,
            profile: Profile::default(),
            commitment: None,
            seed: None,
            #[cfg(feature = "faults")]
            clock_gains: 0,
            tells_leases: false,
            stop_timeout_ms: STOP_TIMEOUT_MS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn settings() -> Settings {
        let members = (1..=3).map(|id| Peer::new(Id::new(id).unwrap(), "localhost:0")).collect();
        let security = Security::Secret("a secret of thirty-two bytes or more".into());
        Settings { members, security, ..Settings::new("orders", Id::new(2).unwrap()) }
    }

    #[test]
    fn profile_has_parameters_under_the_new_and_the_old_key() {
        let read = |parameters: &str| {
            let text = format!(r#"{{"delay_bound": 1160, "drift_bound": 10000{parameters}}}"#);
            serde_json::from_str::<Profile>(&text).unwrap().parameters
        };
        assert_eq!(read(""), "");
        assert_eq!(read(r#", "parameters": "lease=30""#), "lease=30");
        assert_eq!(read(r#", "renewals": 5"#), Profile::FAST.parameters);
        assert_eq!(read(r#", "parameters": "lease=30", "renewals": 5"#), "lease=30,renewals=5");
    }

    #[test]
    fn a_profile_can_be_a_name() {
        let read = |text: &str| serde_json::from_str::<Profile>(text);
        assert_eq!(read("\"fast\"").unwrap(), Profile::FAST);
        assert_eq!(read("\"steady\"").unwrap(), Profile::STEADY);
        assert_eq!(read(&serde_json::to_string(&Profile::FAST).unwrap()).unwrap(), Profile::FAST);
        for wrong in ["\"quick\"", "1", "[12000, 10000]"] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains("expected \"steady\", \"fast\", or an object"), "{error}");
        }
        assert!(read(r#"{"delay_bound": 12000}"#).unwrap_err().to_string().contains("`drift_bound`"));
    }

    #[test]
    fn secrets_are_never_shown_and_settings_survive_the_way_between_processes() {
        let settings = settings();
        assert!(!format!("{settings:?}").contains("thirty"));
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
    }
}
