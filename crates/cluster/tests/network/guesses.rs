//! What a stranger learns from a member that is guarded by a secret.

use crate::bench::{Node, settings};
use bellwether_cluster::Security;
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use rustls::client::AlwaysResolvesClientRawPublicKeys;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CHOSEN: &str = "a secret that a person has chosen";

/// Remembers which key the member shows, and asks for nothing.
#[derive(Debug, Default)]
struct Curious(Mutex<Option<Vec<u8>>>);

impl ServerCertVerifier for Curious {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        *self.0.lock().unwrap() = Some(shown.as_ref().to_vec());
        Err(Error::General("it has seen enough".into()))
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _shown: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("it speaks TLS 1.3".into()))
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _shown: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

/// A key of the stranger's own: without one, it is not talked to.
fn any_key() -> Arc<CertifiedKey> {
    let made = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let private = PrivatePkcs8KeyDer::from(made.serialize_der()).into();
    let key = default_provider().key_provider.load_private_key(private).unwrap();
    let public = CertificateDer::from(key.public_key().unwrap().as_ref().to_vec());
    Arc::new(CertifiedKey::new(vec![public], key))
}

/// The key that a member shows to a stranger; nothing if it shows none.
fn shown_by(address: SocketAddr) -> Option<Vec<u8>> {
    let curious = Arc::new(Curious::default());
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&TLS13])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(curious.clone())
        .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(any_key())));
    let name = ServerName::try_from("member").unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    while connection.is_handshaking() && connection.complete_io(&mut stream).is_ok() {}
    curious.0.lock().unwrap().take()
}

/// One hash a guess: so cheap is it to try out secrets against a key that is derived without memory and time.
fn cheaply_derived(secret: &str, salt: &[u8], cluster: &str) -> Vec<u8> {
    let mut seed = [0; 32];
    let derived = Salt::new(HKDF_SHA256, salt).extract(secret.as_bytes());
    derived.expand(&[cluster.as_bytes()], HKDF_SHA256).unwrap().fill(&mut seed).unwrap();
    Ed25519KeyPair::from_seed_unchecked(&seed).unwrap().public_key().as_ref().to_vec()
}

#[test]
fn a_chosen_secret_cannot_be_guessed_at_one_hash_a_guess() {
    let mut settings = settings(1, 2);
    settings.security = Security::Secret(CHOSEN.into());
    let mut node = Node::open(&settings, 1);
    let address = node.network.local_address();
    let stranger = std::thread::spawn(move || shown_by(address));
    while !stranger.is_finished() {
        node.step();
    }
    if let Some(shown) = stranger.join().unwrap() {
        let guessed = cheaply_derived(CHOSEN, b"bellwether", &settings.cluster);
        assert!(!shown.ends_with(&guessed), "a single hash finds the key");
    }
}
