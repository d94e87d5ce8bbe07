use super::*;
use base16ct::HexDisplay;

fn check(text: &str) -> Result<(), WeakSecret> {
    Secret::new(text).check()
}

#[test]
fn generated_secrets_are_accepted_and_differ() {
    let (one, other) = (Secret::generate().unwrap(), Secret::generate().unwrap());
    assert_ne!(one, other);
    for secret in [one, other] {
        assert_eq!(secret.check(), Ok(()));
        assert!(secret.random().is_some());
        assert_eq!(secret.expose().len(), 76);
    }
}

#[test]
fn a_generated_secret_that_was_not_copied_whole_is_refused() {
    let generated = Secret::generate().unwrap();
    let text = generated.expose();
    for end in GENERATED.len()..text.len() {
        assert_eq!(check(&text[..end]), Err(WeakSecret::Checksum), "cut at {end}");
    }
    for spoilt in [format!("{text}0"), text[..75].to_uppercase(), format!(" {} ", &text[..75])] {
        assert_eq!(check(&spoilt), Err(WeakSecret::Checksum), "{}", spoilt.len());
    }
    for same in [format!(" {text}\n"), text.to_uppercase(), text.to_uppercase().replace("BW1", "bw1")] {
        assert_eq!(Secret::new(same), generated);
    }
    for at in GENERATED.len()..text.len() {
        let other = if &text[at..=at] == "0" { "1" } else { "0" };
        let spoilt = format!("{}{other}{}", &text[..at], &text[at + 1..]);
        assert_eq!(check(&spoilt), Err(WeakSecret::Checksum), "digit {at}");
    }
}

#[test]
fn a_secret_in_the_generated_form_must_be_random() {
    let mut counted = [0; RANDOM];
    for (at, byte) in counted.iter_mut().enumerate() {
        *byte = at as u8 / 3;
    }
    for bytes in [[0; RANDOM], [0xff; RANDOM], counted] {
        assert_eq!(Secret::from_random(&bytes).check(), Err(WeakSecret::Guessable));
    }
}

#[test]
fn weak_secrets_are_refused() {
    for (weak, why) in [
        ("", WeakSecret::Short(0)),
        ("hush", WeakSecret::Short(4)),
        ("b1946ac92492d2347c6235b4d261118", WeakSecret::Short(31)),
    ] {
        assert_eq!(check(weak), Err(why), "{weak}");
    }
    assert_eq!(check(&"x".repeat(MAX_SECRET + 1)), Err(WeakSecret::Long(MAX_SECRET + 1)));
    for weak in [
        "\0".repeat(32),
        "0".repeat(64),
        "a".repeat(1000),
        "ab".repeat(16),
        "abc".repeat(11),
        "password".repeat(4),
        "hunter2-".repeat(8),
        "passwordchangemesecretletmeinadmin".into(),
        "correct horse battery staple correct".into(),
        "0123456789abcdef0123456789abcdef".into(),
        "abcdefghijklmnopqrstuvwxyz0123456789".into(),
        "zyxwvutsrqponmlkjihgfedcba9876543210".into(),
        "aabbccddeeffgghhiijjkkllmmnnooppqq".into(),
        "qwertyuiopasdfghjklzxcvbnmqwertyuiop".into(),
        "PasswordPasswordPASSWORDpassWORD1234".into(),
        "01010011010101010101011101010101010101".into(),
        "deadbeefdeadbeefdeadbeefdeadbeef".into(),
        "bellwether-cluster-production-secret".into(),
    ] {
        assert_eq!(check(&weak), Err(WeakSecret::Guessable), "{weak}");
    }
}

#[test]
fn secrets_of_random_letters_and_long_sentences_are_accepted() {
    for good in [
        "b1946ac92492d2347c6235b4d2611184", // 32 digits of a hash
        "Zk8v2PqL0xWm5RtY7uBn3CdE6fGh9JsA",
        "q3T/0b2mVw1xkUe9+YdHcR5oLzJ8sNfA6gPiKtXvB4E=", // openssl rand -base64 32
        "a secret of thirty-two bytes or more",
        "not much of a secret, but long enough",
    ] {
        assert_eq!(check(good), Ok(()), "{good}");
    }
}

/// A good generator is never turned down: hexadecimal digits of 128 random bits.
#[test]
fn random_digits_are_accepted() {
    for _ in 0..2_000 {
        let generated = Secret::generate().unwrap();
        let digits = &generated.expose()[GENERATED.len()..][..MIN_SECRET];
        assert_eq!(check(digits), Ok(()), "{digits}");
    }
}

#[test]
fn keys_depend_on_secret_cluster_and_purpose() {
    let key =
        |text: &str, cluster: &str, purpose: &str| Secret::new(text).cluster_key(cluster).key_for(purpose);
    let (one, other) = ("a secret of thirty-two bytes or more", "a secret of thirty-two bytes or mord");
    let same = key(one, "orders", "door");
    assert_eq!(same, key(one, "orders", "door"));
    for different in [key(other, "orders", "door"), key(one, "returns", "door"), key(one, "orders", "window")]
    {
        assert_ne!(same, different);
    }
    let generated = Secret::generate().unwrap();
    let of = |cluster: &str| generated.cluster_key(cluster).key_for("door");
    assert_eq!(of("orders"), of("orders"));
    assert_ne!(of("orders"), of("returns"));
}

#[test]
fn secrets_are_never_shown_and_survive_the_way_between_processes() {
    let secret = Secret::generate().unwrap();
    assert_eq!(format!("{secret:?}"), "Secret(..)");
    let text = serde_json::to_string(&secret).unwrap();
    assert_eq!(text, format!("\"{}\"", secret.expose()));
    assert_eq!(serde_json::from_str::<Secret>(&text).unwrap(), secret);
}

/// The figures come from another implementation: the reference Argon2id in C, with HKDF written out.
#[test]
fn keys_are_as_another_implementation_derives_them() {
    let derived = |text: &str| {
        let key = Secret::new(text).cluster_key("orders").key_for("door");
        format!("{:x}", HexDisplay(&*key))
    };
    let chosen = "a secret of thirty-two bytes or more";
    assert_eq!(derived(chosen), "fa6c8237cd7f1ce140f94309876aa3b1d78dfbb7dc35cc73756fad26caf60402");
    let generated = "bw1-0708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526e6115903";
    assert_eq!(derived(generated), "23a6ceb13101bff16a069f41588eb2d8feacad7f6d32e19ebd9adce8694ac58e");
}
