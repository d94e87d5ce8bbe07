//! How members know each other from strangers: TLS 1.3, mutual, without resumption.

use super::NetworkError;
use crate::{Secret, Security, Settings};
use bellwether_core::Id;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring::default_provider, verify_tls13_signature_with_raw_key};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, Connection, DigitallySignedStruct,
    DistinguishedName, Error, PeerIncompatible, RootCertStore, ServerConfig, ServerConnection,
    SignatureScheme,
};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use zeroize::Zeroizing;

/// How many bytes rustls may hold back for a slow connection.
const BUFFER: usize = 32 * 1024;

/// Guards the door.
pub enum Guard {
    /// Every caller is let in.
    Open,
    /// TLS.
    Tls { client: Arc<ClientConfig>, server: Arc<ServerConfig>, cluster: String, demands_names: bool },
}

impl Guard {
    /// As the settings say.
    pub fn new(settings: &Settings) -> Result<Guard, NetworkError> {
        let provider = Arc::new(default_provider());
        let (mut client, mut server, demands_names) = match &settings.security {
            Security::Plaintext => return Ok(Guard::Open),
            Security::Secret(secret) => {
                let (client, server) = by_secret(provider, secret, &settings.cluster)?;
                (client, server, false)
            }
            Security::Certificates { ca, certificate, key } => {
                let (client, server) = by_certificates(provider, ca, certificate, key)?;
                name_of(settings.me, &settings.cluster)?;
                (client, server, true)
            }
        };
        // A recorded session cannot be replayed: every connection has keys of its own.
        client.resumption = Resumption::disabled();
        client.enable_sni = false;
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;
        server.max_early_data_size = 0;
        let (client, server) = (Arc::new(client), Arc::new(server));
        Ok(Guard::Tls { client, server, cluster: settings.cluster.clone(), demands_names })
    }

    /// Whether there is no TLS.
    pub fn is_open(&self) -> bool {
        matches!(self, Guard::Open)
    }

    /// Our side of a connection that we dialled.
    pub fn dial(&self, peer: Id) -> Result<Option<Connection>, String> {
        let Guard::Tls { client, cluster, demands_names, .. } = self else { return Ok(None) };
        let name = if *demands_names {
            name_of(peer, cluster).map_err(|error| error.to_string())?
        } else {
            ServerName::try_from("member").map_err(|error| error.to_string())?
        };
        let connection =
            ClientConnection::new(Arc::clone(client), name).map_err(|error| error.to_string())?;
        Ok(Some(bounded(connection.into())))
    }

    /// Our side of a connection that the other side dialled.
    pub fn answer(&self) -> Result<Option<Connection>, String> {
        let Guard::Tls { server, .. } = self else { return Ok(None) };
        let connection = ServerConnection::new(Arc::clone(server)).map_err(|error| error.to_string())?;
        Ok(Some(bounded(connection.into())))
    }

    /// Whether the other end has proved to be this member. Wildcards name no member.
    pub fn is_named(&self, connection: Option<&Connection>, peer: Id) -> bool {
        let Guard::Tls { cluster, demands_names: true, .. } = self else { return true };
        let wanted = format!("member-{peer}.{cluster}");
        let shown = connection.and_then(|it| it.peer_certificates()).and_then(<[_]>::first);
        let certificate = shown.and_then(|der| webpki::EndEntityCert::try_from(der).ok());
        certificate.is_some_and(|it| it.valid_dns_names().any(|name| name.eq_ignore_ascii_case(&wanted)))
    }
}

fn bounded(mut connection: Connection) -> Connection {
    connection.set_buffer_limit(Some(BUFFER));
    connection
}

/// The name that a member's certificate must carry.
fn name_of(member: Id, cluster: &str) -> Result<ServerName<'static>, NetworkError> {
    let name = format!("member-{member}.{cluster}");
    ServerName::try_from(name.clone()).map_err(|_| NetworkError::Name(name))
}

type Configs = (ClientConfig, ServerConfig);

/// Everyone has the same key, made from the secret, and demands it of the other.
fn by_secret(provider: Arc<CryptoProvider>, secret: &Secret, cluster: &str) -> Result<Configs, NetworkError> {
    let key = provider.key_provider.load_private_key(key_from(secret, cluster).into())?;
    let public = key.public_key().ok_or_else(|| Error::General("the key has no public half".into()))?;
    let public = SubjectPublicKeyInfoDer::from(public.as_ref().to_vec());
    let shown = CertificateDer::from(public.as_ref().to_vec());
    let shown = Arc::new(CertifiedKey::new(vec![shown], key));
    let same = Arc::new(SameKey { public, provider: Arc::clone(&provider) });
    let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::clone(&same) as _)
        .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(Arc::clone(&shown))));
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(same)
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(shown)));
    Ok((client, server))
}

/// An Ed25519 key, as PKCS #8.
fn key_from(secret: &Secret, cluster: &str) -> PrivatePkcs8KeyDer<'static> {
    /// What PKCS #8 puts before the 32 bytes of such a key.
    const BEFORE: [u8; 16] =
        [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
    let key = secret.cluster_key(cluster).key_for("members prove in TLS who they are");
    [&BEFORE[..], &key[..]].concat().into()
}

fn by_certificates(
    provider: Arc<CryptoProvider>,
    ca: &Path,
    certificate: &Path,
    key: &Path,
) -> Result<Configs, NetworkError> {
    let mut roots = RootCertStore::empty();
    let unusable = |path: &Path, error: &dyn std::fmt::Display| {
        NetworkError::Credentials(path.into(), error.to_string())
    };
    for authority in certificates(ca)? {
        roots.add(authority).map_err(|error| unusable(ca, &error))?;
    }
    let roots = Arc::new(roots);
    let shown = certificates(certificate)?;
    let pem = Zeroizing::new(read(key)?);
    let secret = PrivateKeyDer::from_pem_slice(&pem).map_err(|error| unusable(key, &error))?;
    let shown = CertifiedKey::from_der(shown, secret, &provider).map_err(|error| unusable(key, &error))?;
    let shown = Arc::new(rustls::sign::SingleCertAndKey::from(shown));
    let of_client = WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider));
    let of_client = of_client.build().map_err(|error| unusable(ca, &error))?;
    let of_server = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
    let of_server = of_server.build().map_err(|error| unusable(ca, &error))?;
    let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&TLS13])?
        .with_webpki_verifier(of_server)
        .with_client_cert_resolver(Arc::clone(&shown) as _);
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(of_client)
        .with_cert_resolver(shown);
    Ok((client, server))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, NetworkError> {
    let unusable = |why: String| NetworkError::Credentials(path.into(), why);
    let all = CertificateDer::pem_slice_iter(&read(path)?).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|error| unusable(error.to_string()))?;
    if all.is_empty() {
        return Err(unusable("there is no certificate in it".into()));
    }
    Ok(all)
}

/// A file of certificates or keys, which is never long.
fn read(path: &Path) -> Result<Vec<u8>, NetworkError> {
    const MOST_BYTES: u64 = 1 << 20;
    let unreadable = |error| NetworkError::File(path.into(), error);
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes)).map_err(unreadable)?;
    Ok(bytes)
}

/// Demands the one key that all members have.
#[derive(Debug)]
struct SameKey {
    public: SubjectPublicKeyInfoDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl SameKey {
    fn check(&self, shown: &CertificateDer<'_>) -> Result<(), Error> {
        let is_same = shown.as_ref() == self.public.as_ref();
        is_same.then_some(()).ok_or(CertificateError::ApplicationVerificationFailure.into())
    }

    fn check_signature(
        &self,
        message: &[u8],
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &self.public, signature, algorithms)
    }
}

impl ServerCertVerifier for SameKey {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(shown).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _shown: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(PeerIncompatible::Tls12NotOffered.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        _shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for SameKey {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(shown).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _shown: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(PeerIncompatible::Tls12NotOffered.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        _shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

/// What went wrong, in words for a log.
pub fn explain(error: &Error) -> String {
    use CertificateError as Certificate;
    match error {
        Error::InvalidCertificate(Certificate::ApplicationVerificationFailure) => {
            "it has another secret, or is of another cluster".into()
        }
        Error::InvalidCertificate(Certificate::Expired | Certificate::ExpiredContext { .. }) => {
            "its certificate has expired".into()
        }
        Error::InvalidCertificate(Certificate::NotValidYet | Certificate::NotValidYetContext { .. }) => {
            "its certificate is not yet valid".into()
        }
        Error::InvalidCertificate(Certificate::UnknownIssuer | Certificate::BadSignature) => {
            "its certificate is not signed by our authority".into()
        }
        Error::InvalidCertificate(
            Certificate::NotValidForName | Certificate::NotValidForNameContext { .. },
        ) => "its certificate is another member's".into(),
        Error::NoCertificatesPresented => "it has no certificate".into(),
        Error::PeerIncompatible(_) => format!("it speaks another TLS than we do: {error}"),
        Error::AlertReceived(alert) => explain_alert(*alert),
        other => format!("no TLS that we understand: {other}"),
    }
}

fn explain_alert(alert: AlertDescription) -> String {
    let reproach = match alert {
        AlertDescription::AccessDenied => "our secret or our cluster is another",
        AlertDescription::CertificateExpired => "our certificate has expired",
        // An authority of the same name, but with another key, fails as a signature.
        AlertDescription::UnknownCA | AlertDescription::DecryptError => {
            "our certificate is not signed by its authority"
        }
        AlertDescription::CertificateRequired => "we have no certificate",
        AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnsupportedCertificate => "our certificate is no good or another member's",
        other => return format!("it broke TLS off: {other:?}"),
    };
    format!("it says that {reproach}")
}
