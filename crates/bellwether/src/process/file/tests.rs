use super::*;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

const SECRET: &str = "b1946ac92492d2347c6235b4d2611184";

/// What is read from a file of this mode, with these words after the members and the directory.
fn read_with(mode: u32, rest: &str) -> Result<Settings, ProcessError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = format!(
        r#"{{"cluster": "orders", "me": 1, "members": [{{"id": 1, "address": "there:1"}}], "data": "here", {rest}}}"#
    );
    std::fs::write(file.path(), text).unwrap();
    std::fs::set_permissions(file.path(), Permissions::from_mode(mode)).unwrap();
    read_member_settings(file.path())
}

fn with_security(security: &str) -> Result<Settings, String> {
    read_with(0o600, &format!(r#""security": {security}"#)).map_err(|error| error.to_string())
}

/// Where a secret may end up by mistake, and mistakes that are no secrets.
#[test]
fn errors_say_where_the_mistake_is_and_repeat_no_value() {
    assert!(with_security(&format!(r#"{{"secret": "{SECRET}"}}"#)).is_ok());
    for misplaced in [
        format!(r#""{SECRET}""#),
        format!(r#"["{SECRET}"]"#),
        format!(r#"{{"secret": ["{SECRET}"]}}"#),
        format!(r#"{{"{SECRET}": "secret"}}"#),
        format!(r#"{{"certificates": "{SECRET}"}}"#),
        format!(r#"{{"certificates": {{"{SECRET}": 1}}}}"#),
        format!(r#""plaintext", "{SECRET}": 1"#),
        format!(r#""plaintext", "profile": "{SECRET}""#),
        format!(r#""plaintext", "seed": "{SECRET}""#),
        format!(r#""plaintext", "seed": ", expected {SECRET} at line 1""#),
        format!(r#""plaintext", "duty": "{SECRET}""#),
        format!(r#"{{"secret": "{SECRET}"}}}} {SECRET}"#),
    ] {
        let error = with_security(&misplaced).unwrap_err();
        assert!(!error.contains(&SECRET[..8]), "{misplaced}: {error}");
        assert!(error.contains("line 1 column"), "{misplaced}: {error}");
    }
    for (mistake, named) in [
        (r#""plaintext", "detektor": null"#, "unknown field `detektor`"),
        (r#""plaintext", "me": 2"#, "duplicate field `me`"),
        (r#""plaintext", "seed": "x""#, "`seed`: the value before line 1"),
        (r#""plaintext", "seed": "x""#, "expected a whole number, not negative"),
        (r#""plaintext", "profile": "quick""#, "`profile`: the value before line 1"),
        (r#""plaintext", "profile": "quick""#, "expected \"steady\", \"fast\", or an object"),
        (
            r#""plaintext", "profile": {"delay_bound": "x", "drift_bound": 1}"#,
            "`profile.delay_bound`: the value",
        ),
        (r#""plaintext", "always_stands": 1"#, "expected `true` or `false`"),
        (r#""open""#, "expected one of `secret`, `certificates`, `plaintext`"),
        (r#"{"certificates": {"ca": "ca.pem"}}"#, "missing field `certificate`"),
    ] {
        let error = with_security(mistake).unwrap_err();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn profiles_have_names() {
    let read = |profile: &str| read_with(0o600, &format!(r#""security": "plaintext", "profile": {profile}"#));
    assert_eq!(read(r#""fast""#).unwrap().profile, crate::Profile::FAST);
    assert_eq!(read(r#""steady""#).unwrap().profile, crate::Profile::STEADY);
}

/// Members that are no objects, and a peer that cannot be dialled.
#[test]
fn errors_name_the_member_in_the_list() {
    for (second, named) in [
        (r#"{"id": -1, "address": "there:1"}"#, "`members[1].id`: "),
        (r#"{"id": 2, "address": 7}"#, "`members[1].address`: "),
        ("2", "`members[1]`: "),
        (r#"{"id": 2, "address": "there:0"}"#, "`address` of member 2: nobody can dial port 0"),
    ] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = format!(
            r#"{{"cluster": "orders", "me": 1, "members": [{{"id": 1, "address": "there:0"}}, {second}], "data": "here", "security": "plaintext"}}"#
        );
        std::fs::write(file.path(), text).unwrap();
        let error = read_settings(file.path()).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn a_file_with_a_secret_must_be_its_owners_alone() {
    let secret = format!(r#""security": {{"secret": "{SECRET}"}}"#);
    let plaintext = r#""security": "plaintext""#;
    for mode in [0o600, 0o400, 0o700] {
        assert!(read_with(mode, &secret).is_ok(), "{mode:o}");
    }
    for mode in [0o604, 0o644, 0o660, 0o602, 0o620, 0o666, 0o777] {
        let error = read_with(mode, &secret).unwrap_err();
        assert!(error.is_input(), "{error}");
        assert!(error.to_string().contains(&format!("mode is {mode:04o}")), "{error}");
        assert!(read_with(mode, plaintext).is_ok(), "{mode:o}: there is nothing to hide");
    }
    // Root's files may be readable by a service's group.
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    assert_eq!(read_with(0o640, &secret).is_ok(), is_root);
}

#[test]
fn a_file_with_a_secret_must_be_its_users_or_roots() {
    for (owner, user, is_safe) in [(7, 7, true), (0, 7, true), (0, 0, true), (8, 7, false), (7, 0, false)] {
        assert_eq!(check_access(owner, 0o100_600, user).is_ok(), is_safe, "{owner} {user}");
    }
    let error = check_access(8, 0o100_600, 7).unwrap_err();
    assert!(error.contains("belongs to user 8") && error.contains("`chown 7`"), "{error}");
}

#[test]
fn a_member_of_its_own_process_is_a_candidate_unless_told_otherwise() {
    for (said, stands) in
        [("", true), (r#", "always_stands": true"#, true), (r#", "always_stands": false"#, false)]
    {
        let settings = read_with(0o600, &format!(r#""security": "plaintext"{said}"#)).unwrap();
        assert_eq!(settings.always_stands, stands, "{said}");
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = r#"{"cluster": "orders", "me": 1, "members": [{"id": 1, "address": "there:1"}], "data": "here",
                   "security": "plaintext"}"#;
    std::fs::write(file.path(), text).unwrap();
    assert!(!read_settings(file.path()).unwrap().always_stands, "an application campaigns");
}

#[test]
fn unreadable_file_is_told_apart_from_wrong_settings() {
    let directory = tempfile::tempdir().unwrap();
    for unreadable in [directory.path().join("there-is-none"), directory.path().to_owned()] {
        let error = read_settings(&unreadable).unwrap_err();
        assert!(matches!(error, ProcessError::Unreadable { .. }) && !error.is_input(), "{error}");
    }
    let error = read_settings(Path::new("/dev/zero")).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("more than 1048576 bytes"), "{error}");
}
