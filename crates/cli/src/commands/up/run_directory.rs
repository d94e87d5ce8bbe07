//! The directory of a run: one subdirectory per member, with its settings and its votes.

use super::earlier_run;
use crate::args::UpArgs;
use crate::error::Failure;
use bellwether::{Id, Peer, Secret, Security, Settings};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The cluster's name, to its members.
const CLUSTER: &str = "up";
/// Members listen here and above.
const FIRST_PORT: u64 = 7_400;

/// The directory of all members. A temporary one is removed when this value is dropped.
pub struct RunDirectory {
    root: PathBuf,
    /// Only kept to be dropped.
    _temporary: Option<TempDir>,
    /// Locked as long as the run lasts.
    _lock: File,
}

impl RunDirectory {
    /// Makes the members' directories and writes their settings, which have a secret that no other user can read.
    pub fn prepare(args: &UpArgs, ids: &[Id]) -> Result<RunDirectory, Failure> {
        let (root, temporary) = match &args.data {
            Some(path) => (path.clone(), None),
            None => {
                let made = tempfile::Builder::new().prefix("bellwether-up-").tempdir();
                let made = made.map_err(|error| {
                    Failure::System(format!("cannot make a directory for the members: {error}"))
                })?;
                (made.path().to_owned(), Some(made))
            }
        };
        let lock = lock(&root)?;
        earlier_run::check(&root, ids, args.new_store)?;
        let directory = RunDirectory { root, _temporary: temporary, _lock: lock };
        let host: [u8; 3] = draw()?;
        let members: Vec<Peer> = ids.iter().map(|&id| Peer::new(id, address(&host, id))).collect();
        let secret = Secret::generate().ok_or_else(no_random_numbers)?;
        for &me in ids {
            let settings = Settings {
                members: members.clone(),
                data: directory.of(me).join(earlier_run::DATA),
                security: Security::Secret(secret.clone()),
                algorithm: args.algorithm.clone(),
                detector: args.detector.clone(),
                always_stands: true,
                profile: args.profile.into(),
                seed: args.seed.map(|seed| seed.wrapping_add(me.value())),
                tells_leases: true,
                ..Settings::new(CLUSTER, me)
            };
            let path = directory.settings(me);
            let written = make_private(&directory.of(me))
                .and_then(|()| make_private(&settings.data))
                .and_then(|()| write_secretly(&path, &settings));
            written.map_err(|error| Failure::unwritable(&path, error))?;
        }
        Ok(directory)
    }

    fn of(&self, id: Id) -> PathBuf {
        self.root.join(format!("member-{id}"))
    }

    /// The file of a member's settings.
    pub fn settings(&self, id: Id) -> PathBuf {
        self.of(id).join("settings.json")
    }
}

/// Two runs in one directory would give each other's members new settings.
fn lock(root: &Path) -> Result<File, Failure> {
    let path = root.join("lock");
    let open = || {
        if !root.is_dir() {
            make_private(root)?;
        }
        // Anyone who may open the file may lock it.
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
        file.set_permissions(Permissions::from_mode(0o600)).map(|()| file)
    };
    let opened = open();
    let file = opened.map_err(|error| Failure::unwritable(&path, error))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => Err(Failure::input_with_hint(
            format!("another cluster runs in {}", root.display()),
            "end that one, or name another directory with --data",
        )),
        Err(error) => Err(Failure::System(format!("cannot lock {}: {error}", path.display()))),
    }
}

/// Linux answers on all of 127.0.0.0/8: with an address drawn for each run, runs do not come into each other's way.
fn address(host: &[u8], id: Id) -> String {
    let inner = |byte: u8| 1 + byte % 254;
    let [a, b, c] = [0, 1, 2].map(|at| host.get(at).copied().map_or(1, inner));
    format!("127.{a}.{b}.{c}:{}", FIRST_PORT + id.value())
}

fn draw<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(count) if count == N => Ok(bytes),
        _ => Err(no_random_numbers()),
    }
}

fn no_random_numbers() -> Failure {
    Failure::System("the machine gives no random numbers to draw a secret from".to_owned())
}

/// Makes a directory that only its owner can enter, or makes it so.
fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

fn write_secretly(path: &Path, settings: &Settings) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(&serde_json::to_vec_pretty(settings)?)
}
