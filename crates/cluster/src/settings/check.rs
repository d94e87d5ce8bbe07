//! Which settings make sense, and what is wrong with others. A value in the wrong place may be the secret: a generated one
//! is refused before anything is opened, and of other long values only the beginning is shown.

use super::secrecy::shown;
use super::{Security, Settings};
use crate::settings::secret::WeakSecret;
use bellwether_core::{Id, Span};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt as _;

/// Shorter delay bounds no network and no scheduler keeps; with longer ones a dead leader is missed for half an hour.
const DELAY_BOUNDS: RangeInclusive<Span> = Span::from_ticks(100)..=Span::from_ticks(60_000_000);
/// From clocks at half their speed to clocks at twice it.
#[cfg(feature = "faults")]
const CLOCK_GAINS: RangeInclusive<i32> = -500_000..=1_000_000;
/// From a tenth of a second to an hour.
const STOP_TIMEOUTS_MS: RangeInclusive<u64> = 100..=3_600_000;
/// The most bytes of a host's name, a colon and a port.
const MOST_ADDRESS: usize = 253 + 1 + 5;
/// The most bytes of an algorithm's or a detector's name, with its settings.
const MOST_NAME: usize = 128;
/// The most bytes of a path.
const MOST_PATH: usize = 4_096;
/// Why a member cannot start as it is told to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The list does not have this member.
    #[error("member {0} is not among the members; add it to the list")]
    NotAMember(Id),
    /// Two have the same id.
    #[error("two members are called {0}; every member needs an id of its own")]
    Twice(Id),
    /// Two have the same address.
    #[error("members {0} and {1} have the same address; every member needs an address of its own")]
    SameAddress(Id, Id),
    /// It is no address.
    #[error("`address` of member {member}: {why}")]
    Address {
        /// Whose.
        member: Id,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A member cannot listen there.
    #[error("`listen`: {0}")]
    Listen(&'static str),
    /// There are more members than a cluster may have.
    #[error("there are {0} members; a cluster has at most {max}", max = Settings::MOST_MEMBERS)]
    Many(usize),
    /// The cluster's name is no name.
    #[error("`cluster` cannot be '{0}': use 1 to 64 letters, digits and hyphens")]
    Name(String),
    /// The algorithm, the detector or the profile's parameters cannot be the name of anything.
    #[error("`{0}` is no name: use at most {MOST_NAME} letters, digits and any of - / : = , .")]
    NoName(&'static str),
    /// The directory is none.
    #[error(
        "`data` is empty, too long or has a zero byte; give the directory in which the member keeps its votes"
    )]
    Data,
    /// A value that errors and logs would show has the secret in it.
    #[error(
        "`{0}` has a secret in it (`bw1-..`, not shown); move it to `security`, and give `{0}` its own value"
    )]
    Misplaced(&'static str),
    /// The secret can be guessed.
    #[error(transparent)]
    Secret(#[from] WeakSecret),
    /// Time-outs would be nothing, or would never end.
    #[error(
        "`delay_bound` is {0} us; give 100 to 60000000 us (12000 is usual): time-outs are multiples of it"
    )]
    DelayBound(u64),
    /// No lease could be kept.
    #[error(
        "`drift_bound` is {0} millionths, which leaves nothing of a lease; give less than 500000 (10000 is usual)"
    )]
    DriftBound(u32),
    /// The clock would stand still, run backwards, or race.
    #[cfg(feature = "faults")]
    #[error("`clock_gains` is {0} millionths; give -500000 to 1000000, and 0 outside of trials")]
    ClockGains(i32),
    /// The supervisor would not wait, or would wait for ever.
    #[error("`stop_timeout_ms` is {0}; give 100 to 3600000 ms (10000 is usual)")]
    StopTimeout(u64),
    /// Every voter has another duty than to lead.
    #[error(
        "no voter may lead: all are witnesses or observers; give at least one member the duty to vote and lead"
    )]
    NoCandidate,
}

impl Settings {
    /// Makes sure that it can be done.
    ///
    /// # Errors
    /// [`SettingsError`] says what cannot.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.check_secrecy()?;
        let is_in_name = |it: char| it.is_ascii_alphanumeric() || it == '-';
        if !(1..=64).contains(&self.cluster.len()) || !self.cluster.chars().all(is_in_name) {
            return Err(SettingsError::Name(shown(&self.cluster)));
        }
        self.check_members()?;
        check_name("algorithm", &self.algorithm)?;
        check_name("detector", self.detector.as_deref().unwrap_or("none"))?;
        check_name(
            "parameters",
            if self.profile.parameters.is_empty() { "none" } else { &self.profile.parameters },
        )?;
        if let Security::Secret(secret) = &self.security {
            secret.check()?;
        }
        let data = self.data.as_os_str().as_bytes();
        if data.is_empty() || data.len() > MOST_PATH || data.contains(&0) {
            return Err(SettingsError::Data);
        }
        self.check_numbers()
    }

    fn check_members(&self) -> Result<(), SettingsError> {
        if self.members.len() > Settings::MOST_MEMBERS {
            return Err(SettingsError::Many(self.members.len()));
        }
        let mut ids: Vec<Id> = self.members.iter().map(|peer| peer.id).collect();
        ids.sort_unstable();
        if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(SettingsError::Twice(pair[0]));
        }
        if !ids.contains(&self.me) {
            return Err(SettingsError::NotAMember(self.me));
        }
        let mut places: Vec<(String, Id)> = Vec::new();
        for peer in &self.members {
            let wrong = |why| SettingsError::Address { member: peer.id, why };
            let port = check_address(&peer.address).map_err(wrong)?;
            check_reachable(&peer.address).map_err(wrong)?;
            // Port 0: the address is not known yet, and the member is told later.
            if port != 0 {
                places.push((normalised(&peer.address), peer.id));
            }
        }
        places.sort_unstable();
        if let Some(pair) = places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(SettingsError::SameAddress(pair[0].1, pair[1].1));
        }
        self.listen.as_deref().map_or(Ok(0), check_address).map_err(SettingsError::Listen)?;
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), SettingsError> {
        let profile = &self.profile;
        if !DELAY_BOUNDS.contains(&profile.delay_bound) {
            return Err(SettingsError::DelayBound(profile.delay_bound.ticks()));
        }
        if profile.drift_bound >= 500_000 {
            return Err(SettingsError::DriftBound(profile.drift_bound));
        }
        #[cfg(feature = "faults")]
        if !CLOCK_GAINS.contains(&self.clock_gains) {
            return Err(SettingsError::ClockGains(self.clock_gains));
        }
        if !STOP_TIMEOUTS_MS.contains(&self.stop_timeout_ms) {
            return Err(SettingsError::StopTimeout(self.stop_timeout_ms));
        }
        Ok(())
    }
}

fn check_name(field: &'static str, name: &str) -> Result<(), SettingsError> {
    let is_in_name = |it: u8| it.is_ascii_alphanumeric() || b"-/:=,.".contains(&it);
    let is_name = (1..=MOST_NAME).contains(&name.len()) && name.bytes().all(is_in_name);
    if is_name { Ok(()) } else { Err(SettingsError::NoName(field)) }
}

/// The port of an address, or what is wrong with it.
fn check_address(address: &str) -> Result<u16, &'static str> {
    if address.len() > MOST_ADDRESS {
        return Err("it is too long; write host:port");
    }
    if address.contains("//") {
        return Err("it is a URL; write host:port");
    }
    let (host, port) = address.rsplit_once(':').ok_or("it has no port; write host:port")?;
    if host.is_empty() {
        return Err("it has no host; write host:port");
    }
    if let Some(v6) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        let v6 = v6.split_once('%').map_or(v6, |(address, _zone)| address);
        v6.parse::<Ipv6Addr>().map_err(|_| "there is no IPv6 address in the brackets")?;
    } else if host.contains(':') {
        return Err("write an IPv6 address in brackets, as in [::1]:7400");
    } else if !host.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._".contains(&it)) {
        return Err("its host has characters that no name has; write host:port");
    }
    let is_number = !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit());
    port.parse().ok().filter(|_| is_number).ok_or("its port is no number up to 65535")
}

/// Peers can dial an address only if it is of one host.
fn check_reachable(address: &str) -> Result<(), &'static str> {
    let Some(ip) = address.rsplit_once(':').and_then(|(host, _)| literal(host)) else { return Ok(()) };
    if ip.is_unspecified() {
        return Err(
            "it is the address of every host and of none; peers need this member's own (`listen` may be 0.0.0.0)",
        );
    }
    let is_broadcast = matches!(ip, IpAddr::V4(v4) if v4.is_broadcast());
    if ip.is_multicast() || is_broadcast {
        return Err("it is the address of many hosts; peers need this member's own");
    }
    Ok(())
}

/// The address that a host is, if it is no name: in any form that a resolver takes without a lookup.
fn literal(host: &str) -> Option<IpAddr> {
    if host.eq_ignore_ascii_case("localhost") {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    if let Some(v6) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return Some(v6.parse::<Ipv6Addr>().ok()?.to_canonical());
    }
    // As `inet_aton` reads it: 127.1 is 127.0.0.1, and so is 2130706433.
    let parts: Option<Vec<u64>> = host.split('.').map(part_of_address).collect();
    let (&last, first) = parts.as_ref()?.split_last()?;
    if first.len() > 3 || first.iter().any(|&byte| byte > 255) || last >> (8 * (4 - first.len())) != 0 {
        return None;
    }
    let bits = first.iter().zip([24, 16, 8]).map(|(&byte, shift)| byte << shift).sum::<u64>() + last;
    u32::try_from(bits).ok().map(|bits| Ipv4Addr::from_bits(bits).into())
}

/// A number as C writes it: decimal, or octal after 0, or hexadecimal after 0x.
fn part_of_address(text: &str) -> Option<u64> {
    let text = text.to_ascii_lowercase();
    let (digits, base) = match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (&*text, 10),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_hexdigit());
    u64::from_str_radix(digits, base).ok().filter(|&it| is_number && it <= u64::from(u32::MAX))
}

/// Addresses that are written differently and are the same.
fn normalised(address: &str) -> String {
    let address = address.to_ascii_lowercase();
    let Some((host, port)) = address.rsplit_once(':') else { return address };
    let port = port.trim_start_matches('0');
    literal(host).map_or_else(|| format!("{host}:{port}"), |ip| format!("{ip}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::settings;
    use super::*;
    use crate::Peer;

    fn wrong(change: impl Fn(&mut Settings)) -> SettingsError {
        let mut settings = settings();
        change(&mut settings);
        settings.check().unwrap_err()
    }

    fn id(value: u64) -> Id {
        Id::new(value).unwrap()
    }

    #[test]
    fn senseless_members_are_refused() {
        assert_eq!(settings().check(), Ok(()));
        assert_eq!(wrong(|it| it.me = id(9)), SettingsError::NotAMember(id(9)));
        assert_eq!(wrong(|it| it.members.clear()), SettingsError::NotAMember(id(2)));
        assert_eq!(wrong(|it| it.members[0].id = id(3)), SettingsError::Twice(id(3)));
        let many =
            |it: &mut Settings| it.members = (1..=101).map(|it| Peer::new(id(it), "there:1")).collect();
        assert_eq!(wrong(many), SettingsError::Many(101));
    }

    #[test]
    fn addresses_must_be_addresses() {
        for good in ["there:1", "10.0.0.1:7400", "[::1]:7400", "[fe80::1%eth0]:1", "a_b.example.:65535"] {
            let mut settings = settings();
            settings.members[0].address = good.into();
            settings.listen = Some(good.into());
            assert_eq!(settings.check(), Ok(()), "{good}");
        }
        for bad in [
            "",
            "there",
            "there:",
            "there:+1",
            "there:65536",
            "there:x",
            ":1",
            "::1:7400",
            "[::1:7400",
            "[x]:1",
            "two words:1",
            "there\n:1",
            "there\0:1",
            "http://there:1",
            &format!("{}:1", "x".repeat(300)),
        ] {
            let error = wrong(|it| it.members[0].address = bad.into());
            assert!(matches!(error, SettingsError::Address { .. }), "{bad:?}: {error}");
            assert!(matches!(wrong(|it| it.listen = Some(bad.into())), SettingsError::Listen(_)), "{bad:?}");
        }
    }

    #[test]
    fn peers_cannot_dial_every_host_or_many() {
        for bad in ["0.0.0.0:1", "0:1", "[::]:1", "[::ffff:0.0.0.0]:1", "224.0.0.1:1", "[ff02::1]:1"] {
            let error = wrong(|it| it.members[0].address = bad.into());
            assert!(
                matches!(error, SettingsError::Address { member, .. } if member == id(1)),
                "{bad}: {error}"
            );
        }
        let everywhere = Settings { listen: Some("0.0.0.0:7400".into()), ..settings() };
        assert_eq!(everywhere.check(), Ok(()));
    }

    #[test]
    fn names_and_different_addresses_are_told_apart() {
        for (one, other) in
            [("127.0.0.1:1", "127.0.0.1:2"), ("127.0.0.1:1", "127.0.0.2:1"), ("1.2.3.4.5:1", "1.2.3.4:1")]
        {
            let mut settings = settings();
            settings.members[0].address = one.into();
            settings.members[2].address = other.into();
            assert_eq!(settings.check(), Ok(()), "{one} {other}");
        }
    }

    #[test]
    fn two_members_cannot_have_one_address() {
        for (one, other) in [
            ("there:1", "there:1"),
            ("there:1", "THERE:1"),
            ("[::1]:5", "[0:0::1]:5"),
            ("127.0.0.1:1", "127.0.0.1:01"),
            ("there:1", "there:01"),
            ("127.0.0.1:1", "localhost:1"),
            ("127.0.0.1:1", "127.1:1"),
            ("127.0.0.1:1", "2130706433:1"),
            ("127.0.0.1:1", "0x7f.0.0.01:1"),
            ("127.0.0.1:1", "[::ffff:127.0.0.1]:1"),
        ] {
            let change = |it: &mut Settings| {
                it.members[0].address = one.into();
                it.members[2].address = other.into();
            };
            assert_eq!(wrong(change), SettingsError::SameAddress(id(1), id(3)), "{one} {other}");
        }
    }

    #[test]
    fn senseless_names_are_refused_and_not_repeated_whole() {
        for bad in ["", "two words", "ünï", &"x".repeat(65), "a\u{1b}[31m"] {
            let error = wrong(|it| it.cluster = bad.into());
            assert!(matches!(error, SettingsError::Name(_)), "{bad}");
            assert!(!error.to_string().contains('\u{1b}') && error.to_string().len() < 150, "{error}");
        }
        for bad in ["", "no name", "new\nline", &"x".repeat(129)] {
            assert_eq!(wrong(|it| it.algorithm = bad.into()), SettingsError::NoName("algorithm"), "{bad}");
            assert_eq!(
                wrong(|it| it.detector = Some(bad.into())),
                SettingsError::NoName("detector"),
                "{bad}"
            );
        }
        for bad in ["", "a\0b", &"x".repeat(4_097)] {
            assert_eq!(wrong(|it| it.data = bad.into()), SettingsError::Data);
        }
    }

    #[test]
    fn weak_secrets_are_refused() {
        let secret = |text: &str| wrong(|it| it.security = Security::Secret(text.into()));
        assert_eq!(secret("hush"), SettingsError::Secret(WeakSecret::Short(4)));
        assert_eq!(secret(&"\0".repeat(32)), SettingsError::Secret(WeakSecret::Guessable));
    }

    #[test]
    fn senseless_numbers_are_refused() {
        for ticks in [0, 1, 99, 60_000_001, u64::MAX] {
            let error = wrong(|it| it.profile.delay_bound = Span::from_ticks(ticks));
            assert_eq!(error, SettingsError::DelayBound(ticks));
        }
        for drift in [500_000, u32::MAX] {
            assert_eq!(wrong(|it| it.profile.drift_bound = drift), SettingsError::DriftBound(drift));
        }
        for gains in [-1_000_000, -2_000_000, -500_001, 1_000_001, i32::MIN, i32::MAX] {
            assert_eq!(wrong(|it| it.clock_gains = gains), SettingsError::ClockGains(gains));
        }
        for timeout in [0, 99, 3_600_001, u64::MAX] {
            assert_eq!(wrong(|it| it.stop_timeout_ms = timeout), SettingsError::StopTimeout(timeout));
        }
    }
}
