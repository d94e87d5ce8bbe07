//! What all members of a cluster must have been told alike, for their votes and promises to mean the same to all.
//!
//! A majority of three and a majority of five of the same members may have no member in common, and a promise of 25 ms is
//! none to a leader that counts on 300. So each Hello carries the cluster's configuration, and members whose configurations
//! differ refuse each other; and each member keeps its own on disk, so that a restart cannot change them unnoticed.

use crate::Settings;
use crate::settings::encoding::Reader;
use bellwether_core::{Id, Knowledge, Params, Span, Spec};

/// A promise to vote for no other member lasts for fewer delay bounds than this, whatever the algorithm, and however far off
/// the clock was that it is measured on.
pub const LONGEST_PROMISE: u64 = 200;

/// What all members of a cluster must agree on: members whose configurations differ refuse each other.
///
/// A member keeps the configuration on disk from its first start on. With another algorithm, or with other voters than the
/// cluster began with, it does not start again ([`crate::StoreError`]). Other parameters and bounds it may be given when all
/// are stopped: if it has voted, it takes part only [`LONGEST_PROMISE`] of its former delay bounds after its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterConfig {
    /// The algorithm and its variant.
    pub protocol: String,
    /// Those of its parameters that do not have their default, as in `renewals=5`.
    pub parameters: String,
    /// How long a message and its handling take at the most: promises last so many times as long.
    pub delay_bound: Span,
    /// By how many millionths clocks can be off: leases are so much shorter than promises.
    pub drift_bound: u32,
    /// The members of which a majority is needed at first, in ascending order.
    pub voters: Vec<Id>,
}

impl ClusterConfig {
    /// The most bytes that a configuration takes, encoded.
    pub(crate) const MAX_LENGTH: usize = 1 + 255 + 8 + 4 + 2 + 8 * Settings::MOST_MEMBERS;

    /// What these settings say, for this algorithm. Where it does not know voters, every member votes.
    #[must_use]
    pub fn new(settings: &Settings, spec: &Spec, params: &Params) -> ClusterConfig {
        let knows_duties = spec.knows.contains(Knowledge::DUTIES);
        let voters = settings.members.iter().filter(|peer| !knows_duties || peer.duty.votes());
        let mut voters: Vec<Id> = voters.map(|peer| peer.id).collect();
        voters.sort_unstable();
        ClusterConfig {
            protocol: format!("{}/{}", spec.name, spec.variant),
            parameters: params.without_defaults(spec.parameters).text(spec.parameters),
            delay_bound: settings.profile.delay_bound,
            drift_bound: settings.profile.drift_bound,
            voters,
        }
    }

    /// How another configuration differs from this one: nothing if they are the same.
    #[must_use]
    pub fn difference(&self, other: &ClusterConfig) -> Option<String> {
        let micros = Span::ticks;
        if self.protocol != other.protocol {
            Some(format!("it runs '{}', and we run '{}'", other.protocol.escape_debug(), self.protocol))
        } else if self.parameters != other.parameters {
            let given = |text: &str| match text {
                "" => "none".to_owned(),
                text => format!("'{}'", text.escape_debug()),
            };
            let (its, ours) = (given(&other.parameters), given(&self.parameters));
            Some(format!("of the parameters of {} it sets {its}, and we {ours}", self.protocol))
        } else if self.voters != other.voters {
            let (its, ours) = (listed(&other.voters), listed(&self.voters));
            Some(format!("it was told that {its} vote at first, and we that {ours} do"))
        } else if self.delay_bound != other.delay_bound {
            let (its, ours) = (micros(other.delay_bound), micros(self.delay_bound));
            Some(format!("its delay bound is {its} us, and ours {ours} us"))
        } else if self.drift_bound != other.drift_bound {
            let (its, ours) = (other.drift_bound, self.drift_bound);
            Some(format!("its drift bound is {its} millionths, and ours {ours}"))
        } else {
            None
        }
    }

    pub(crate) fn encode(&self, to: &mut Vec<u8>) {
        let colon = if self.parameters.is_empty() { "" } else { ":" };
        let name = format!("{}{colon}{}", self.protocol, self.parameters);
        let name = &name.as_bytes()[..name.len().min(usize::from(u8::MAX))];
        to.push(name.len() as u8);
        to.extend_from_slice(name);
        to.extend(self.delay_bound.ticks().to_le_bytes());
        to.extend(self.drift_bound.to_le_bytes());
        to.extend((self.voters.len() as u16).to_le_bytes());
        to.extend(self.voters.iter().flat_map(|id| id.value().to_le_bytes()));
    }

    /// What was encoded; nothing if it is anything else.
    pub(crate) fn decode(bytes: &[u8]) -> Option<ClusterConfig> {
        let mut reader = Reader::new(bytes);
        let config = ClusterConfig::read(&mut reader)?;
        reader.is_empty().then_some(config)
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Option<ClusterConfig> {
        let (name, delay_bound) = (from.name()?, Span::from_ticks(from.u64()?));
        let (protocol, parameters) = name.split_once(':').unwrap_or((&name, ""));
        let (protocol, parameters) = (protocol.to_owned(), parameters.to_owned());
        let drift_bound = u32::from_le_bytes(from.array()?);
        let count = u16::from_le_bytes(from.array()?);
        let voters: Vec<Id> = (0..count).map(|_| from.id()).collect::<Option<_>>()?;
        let is_ascending = voters.windows(2).all(|pair| pair[0] < pair[1]);
        is_ascending.then_some(ClusterConfig { protocol, parameters, delay_bound, drift_bound, voters })
    }
}

/// As in a sentence: `1, 2 and 3`.
pub(crate) fn listed(ids: &[Id]) -> String {
    match ids {
        [] => "nobody".to_owned(),
        [only] => only.to_string(),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(Id::to_string).collect();
            format!("{} and {last}", first.join(", "))
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use bellwether_core::Domain;

    /// Of three members, as they are unless told otherwise.
    pub(crate) fn config() -> ClusterConfig {
        ClusterConfig {
            protocol: "quorum-lease/ranked".to_owned(),
            parameters: String::new(),
            delay_bound: Span::from_ticks(12_000),
            drift_bound: 10_000,
            voters: [1, 2, 3].map(|id| Id::new(id).unwrap()).to_vec(),
        }
    }

    #[test]
    fn configuration_is_read_as_written_and_nothing_else_is() {
        let mut bytes = Vec::new();
        config().encode(&mut bytes);
        assert_eq!(ClusterConfig::decode(&bytes), Some(config()));
        for end in 0..bytes.len() {
            assert_eq!(ClusterConfig::decode(&bytes[..end]), None, "cut at {end}");
        }
        bytes.push(0);
        assert_eq!(ClusterConfig::decode(&bytes), None, "a byte too many");
        let twice = ClusterConfig { voters: vec![Id::new(2).unwrap(); 2], ..config() };
        bytes.clear();
        twice.encode(&mut bytes);
        assert_eq!(ClusterConfig::decode(&bytes), None, "no member votes twice");
        let most = (1..=Settings::MOST_MEMBERS as u64).map(|id| Id::new(id).unwrap()).collect();
        bytes.clear();
        ClusterConfig { protocol: "x".repeat(999), voters: most, ..config() }.encode(&mut bytes);
        assert_eq!(bytes.len(), ClusterConfig::MAX_LENGTH);
    }

    /// Whatever the algorithm: the longest that a voter may have promised, on a clock that was off by as much as a
    /// cluster can be told and is not any more.
    #[test]
    fn no_promise_lasts_as_long_as_a_member_waits_after_other_bounds() {
        use bellwether_algorithms::quorum_lease::{ADAPTIVE, Pace, RANDOMISED, RANKED, TIGHT};
        let worst_drift = 500_000;
        let delay_bounds = [1, 1_000, 12_000, 1_000_000].map(Span::from_ticks);
        for (delay_bound, spec) in delay_bounds
            .into_iter()
            .flat_map(|delay_bound| [RANKED, RANDOMISED, ADAPTIVE, TIGHT].map(|spec| (delay_bound, spec)))
        {
            let lease = spec.parameters.iter().find(|parameter| parameter.name == "lease").unwrap();
            let Domain::Whole(_, longest) = lease.domain else { panic!("{lease:?}") };
            let params = Params::parse(spec.parameters, &format!("lease={longest}")).unwrap();
            let pace = Pace::of(&params.values(spec.parameters, delay_bound));
            let lease = pace.longest_lease(delay_bound);
            let longest = lease.ticks() * (1_000_000 + worst_drift) / 1_000_000;
            assert!(longest < (delay_bound * LONGEST_PROMISE).ticks(), "{} {lease}", spec.variant);
        }
    }

    /// Stores and members that know of no parameters wrote the same: then all have their defaults.
    #[test]
    fn parameters_are_written_with_the_name_of_the_algorithm() {
        let encoded = |config: &ClusterConfig| {
            let mut bytes = Vec::new();
            config.encode(&mut bytes);
            bytes
        };
        assert_eq!(encoded(&config())[..20], *b"\x13quorum-lease/ranked");
        let set = ClusterConfig { parameters: "renewals=5,lease=30".to_owned(), ..config() };
        assert_eq!(encoded(&set)[..40], *b"\x27quorum-lease/ranked:renewals=5,lease=30");
        assert_eq!(ClusterConfig::decode(&encoded(&set)), Some(set));
    }

    #[test]
    fn every_difference_is_named() {
        assert_eq!(config().difference(&config()), None);
        let named = |change: &dyn Fn(&mut ClusterConfig), what: &str| {
            let mut other = config();
            change(&mut other);
            let difference = config().difference(&other).unwrap();
            assert!(difference.contains(what), "{difference}");
        };
        named(&|it| it.protocol = "bully/plain".into(), "it runs 'bully/plain'");
        named(
            &|it| it.parameters = "renewals=5".into(),
            "of the parameters of quorum-lease/ranked it sets 'renewals=5', and we none",
        );
        named(
            &|it| it.voters.truncate(2),
            "it was told that 1 and 2 vote at first, and we that 1, 2 and 3 do",
        );
        named(
            &|it| it.delay_bound = Span::from_ticks(1_000),
            "its delay bound is 1000 us, and ours 12000 us",
        );
        named(&|it| it.drift_bound = 500, "its drift bound is 500 millionths, and ours 10000");
    }
}
