//! Which values of the settings errors and logs may show: none with a generated secret in it, and only the beginning of
//! others that are long.

use super::{Security, Settings, SettingsError};
use crate::settings::secret::GENERATED;
use std::os::unix::ffi::OsStrExt as _;

/// A generated secret is recognised by its beginning and so many hexadecimal digits.
const FEWEST_DIGITS: usize = 8;
/// Values of up to so many bytes are shown, of others only the beginning. A secret has more.
const MOST_SHOWN: usize = 24;

impl Settings {
    /// No secret is where an error could show it.
    pub(super) fn check_secrecy(&self) -> Result<(), SettingsError> {
        let misplaced = self.shown_values().find(|(_, value)| has_secret(value));
        misplaced.map_or(Ok(()), |(field, _)| Err(SettingsError::Misplaced(field)))
    }

    /// What errors and logs may show, and in which field it is.
    fn shown_values(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        let files = match &self.security {
            Security::Certificates { ca, certificate, key } => {
                vec![("ca", &**ca), ("certificate", &**certificate), ("key", &**key)]
            }
            Security::Secret(_) | Security::Plaintext => Vec::new(),
        };
        let paths = files.into_iter().chain([("data", &*self.data)]);
        let names = [
            ("cluster", Some(&*self.cluster)),
            ("listen", self.listen.as_deref()),
            ("algorithm", Some(&*self.algorithm)),
            ("detector", self.detector.as_deref()),
            ("parameters", Some(&*self.profile.parameters)),
        ];
        let addresses = self.members.iter().map(|peer| ("address", peer.address.as_bytes()));
        let names = names.into_iter().filter_map(|(field, value)| Some((field, value?.as_bytes())));
        paths.map(|(field, path)| (field, path.as_os_str().as_bytes())).chain(names).chain(addresses)
    }
}

/// Whether a generated secret, or the beginning of one, is in the value.
fn has_secret(value: &[u8]) -> bool {
    let begins = |at: &[u8]| at[..GENERATED.len()].eq_ignore_ascii_case(GENERATED.as_bytes());
    let is_secret = |at: &[u8]| begins(at) && at[GENERATED.len()..].iter().all(u8::is_ascii_hexdigit);
    value.windows(GENERATED.len() + FEWEST_DIGITS).any(is_secret)
}

/// What a message may repeat of a value.
pub(crate) fn shown(value: &str) -> String {
    if value.len() <= MOST_SHOWN {
        return value.escape_debug().to_string();
    }
    let is_beginning = |&(at, it): &(usize, char)| at + it.len_utf8() <= MOST_SHOWN / 2;
    let beginning: String = value.char_indices().take_while(is_beginning).map(|(_, it)| it).collect();
    format!("{}.. ({} characters)", beginning.escape_debug(), value.chars().count())
}

#[cfg(test)]
mod tests {
    use super::super::tests::settings;
    use super::*;

    type Put = fn(&mut Settings, &str);

    #[test]
    fn a_generated_secret_is_refused_wherever_it_would_be_shown() {
        let secret = "bw1-0708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526e6115903";
        fn certificates(ca: &str, certificate: &str, key: &str) -> Security {
            Security::Certificates { ca: ca.into(), certificate: certificate.into(), key: key.into() }
        }
        let places: [(&str, Put); 10] = [
            ("cluster", |it, secret| it.cluster = secret.into()),
            ("listen", |it, secret| it.listen = Some(format!("{secret}:1"))),
            ("address", |it, secret| it.members[2].address = format!("{secret}.example:1")),
            ("data", |it, secret| it.data = format!("/var/lib/{secret}/votes").into()),
            ("algorithm", |it, secret| it.algorithm = secret.into()),
            ("detector", |it, secret| it.detector = Some(format!("heartbeat:T={secret}"))),
            ("parameters", |it, secret| it.profile.parameters = format!("renewals={secret}").into()),
            ("ca", |it, secret| it.security = certificates(secret, "c.pem", "k.pem")),
            ("certificate", |it, secret| it.security = certificates("a.pem", secret, "k.pem")),
            ("key", |it, secret| it.security = certificates("a.pem", "c.pem", secret)),
        ];
        for (field, put) in places {
            for secret in [secret, &secret[..12], &secret.to_uppercase()] {
                let mut settings = settings();
                put(&mut settings, secret);
                let error = settings.check().unwrap_err();
                assert_eq!(error, SettingsError::Misplaced(field), "{secret}");
                assert!(!error.to_string().contains("0708"), "{error}");
            }
        }
        for harmless in ["bw1", "bw1-orders", "orders-bw1-0708"] {
            let mut settings = settings();
            settings.cluster = harmless.into();
            assert_eq!(settings.check(), Ok(()), "{harmless}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_long_value_is_shown() {
        assert_eq!(shown("bully"), "bully");
        assert_eq!(shown("b1946ac92492d2347c6235b4d2611184"), "b1946ac92492.. (32 characters)");
        // A phrase of 18 characters can be a secret: it has 36 bytes.
        assert_eq!(shown("клубникасосливками"), "клубни.. (18 characters)");
    }
}
