//! ZooKeeper, with the settings of its own example.

use super::{Contest, Rival, SERVERS, Then, ask, host};
use std::path::Path;
use std::process::Command;

const CLASSES: &str = "/usr/share/java/zookeeper.jar";

struct ZooKeeper(String);

pub fn contests() -> Vec<Contest> {
    let rival = Box::new(ZooKeeper(host(3)));
    vec![Contest { name: "ZooKeeper, tick 2 s", needs: (CLASSES, "zookeeper"), rival }]
}

impl Rival for ZooKeeper {
    fn server(&self, at: usize, directory: &Path) -> Command {
        let ZooKeeper(host) = self;
        let data = directory.join(format!("z{at}"));
        std::fs::create_dir_all(&data).expect("there is room for a directory");
        std::fs::write(data.join("myid"), (at + 1).to_string()).expect("there is room for a file");
        let mut settings = format!(
            "tickTime=2000\ninitLimit=10\nsyncLimit=5\nadmin.enableServer=false\n4lw.commands.whitelist=srvr\n\
             dataDir={}\nclientPort={}\nclientPortAddress={host}\n",
            data.display(),
            7500 + at
        );
        for at in 0..SERVERS {
            settings += &format!("server.{}={host}:{}:{}\n", at + 1, 7600 + at, 7700 + at);
        }
        let file = directory.join(format!("z{at}.cfg"));
        std::fs::write(&file, settings).expect("there is room for a file");
        let mut command = Command::new("java");
        command.args(["-cp", CLASSES, "org.apache.zookeeper.server.quorum.QuorumPeerMain"]).arg(file);
        command
    }

    /// Whoever does not follow the leader, or lead, does not serve.
    fn leader(&self, live: &[usize]) -> Option<usize> {
        let mode = |&at: &usize| {
            let answer = ask(&self.0, 7500 + at as u16, "srvr", Then::Listen)?;
            answer.lines().find_map(|line| line.strip_prefix("Mode: ").map(str::to_owned))
        };
        let modes: Vec<String> = live.iter().map_while(mode).collect();
        let mut leaders = live.iter().zip(&modes).filter(|(_, mode)| *mode == "leader");
        match (leaders.next(), leaders.next()) {
            (Some((leader, _)), None) if modes.len() == live.len() => Some(*leader),
            _ => None,
        }
    }
}
