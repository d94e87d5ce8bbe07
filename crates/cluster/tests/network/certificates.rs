//! Members that know each other by certificates.

use crate::bench::{Node, connected, introduce, settings, until};
use bellwether_cluster::{Security, Settings};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use std::path::Path;

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Writes a certificate of this name for a member, and has it trust `trusted`.
fn certify(me: u64, name: &str, signer: &Authority, trusted: &Authority, until: i32, at: &Path) -> Settings {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.not_after = date_time_ymd(until, 1, 1);
    let certificate = params.signed_by(&key, signer).unwrap();
    let write = |kind: &str, text: String| {
        let path = at.join(format!("{me}.{kind}"));
        std::fs::write(&path, text).unwrap();
        path
    };
    let mut settings = settings(me, 2);
    settings.security = Security::Certificates {
        ca: write("ca", trusted.pem()),
        certificate: write("certificate", certificate.pem()),
        key: write("key", key.serialize_pem()),
    };
    settings
}

#[test]
fn members_whose_certificates_name_them_connect() {
    let (directory, ca) = (tempfile::tempdir().unwrap(), authority());
    let make = |me| certify(me, &format!("member-{me}.orders"), &ca, &ca, 4000, directory.path());
    connected(&[make(1), make(2)]);
}

/// A member with a valid certificate meets one without: no connection comes up, whichever dials, and both report why.
#[test]
fn expired_foreign_and_others_certificates_are_turned_away() {
    let (ours, foreign) = (authority(), authority());
    let cases = [
        ("member-2.orders", &ours, 2001, ["expired", "expired"]),
        ("member-2.orders", &foreign, 4000, ["not signed by our authority", "not signed by its authority"]),
        ("member-3.orders", &ours, 4000, ["certificate", "certificate"]),
        ("*.orders", &ours, 4000, ["certificate", "certificate"]),
        ("member-2.returns", &ours, 4000, ["certificate", "certificate"]),
    ];
    for (name, signer, until_year, says) in cases {
        let directory = tempfile::tempdir().unwrap();
        let all = [
            certify(1, "member-1.orders", &ours, &ours, 4000, directory.path()),
            certify(2, name, signer, &ours, until_year, directory.path()),
        ];
        // Each of the two dials once alone.
        for dialler in [0, 1] {
            let mut nodes: Vec<Node> = all.iter().map(|it| Node::open(it, 1)).collect();
            introduce(&all[1 - dialler..2 - dialler], &mut nodes[1 - dialler..2 - dialler]);
            let place = nodes[1 - dialler].network.local_address().to_string();
            nodes[dialler].network.set_address(all[1 - dialler].me, place);
            until(&mut nodes, &format!("the refusal of {name}"), |nodes| {
                nodes[0].was_refused_for(says[0]) && nodes[1].was_refused_for(says[1])
            });
            assert!(!nodes.iter().any(Node::was_ever_up));
        }
    }
}

#[test]
fn peer_without_a_certificate_is_refused() {
    let (directory, ca) = (tempfile::tempdir().unwrap(), authority());
    let all = [certify(1, "member-1.orders", &ca, &ca, 4000, directory.path()), settings(2, 2)];
    let mut nodes: Vec<Node> = all.iter().map(|it| Node::open(it, 1)).collect();
    introduce(&all, &mut nodes);
    until(&mut nodes, "a refusal", |nodes| nodes.iter().all(|node| node.was_refused_for("TLS")));
    assert!(!nodes.iter().any(Node::was_ever_up));
}

#[test]
fn files_that_are_no_certificates_are_said_so() {
    let (directory, ca) = (tempfile::tempdir().unwrap(), authority());
    let good = certify(1, "member-1.orders", &ca, &ca, 4000, directory.path());
    let Security::Certificates { ca, certificate, key } = &good.security else { unreachable!() };
    for (broken, content) in [(ca, ""), (certificate, "garbage"), (key, "garbage")] {
        let saved = std::fs::read(broken).unwrap();
        std::fs::write(broken, content).unwrap();
        let error = Node::try_open(&good, 1).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(broken.to_str().unwrap()), "{error}");
        std::fs::write(broken, saved).unwrap();
    }
    std::fs::remove_file(key).unwrap();
    assert!(Node::try_open(&good, 1).is_err());
}
