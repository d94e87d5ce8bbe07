//! NATS: the leader of `JetStream`'s meta group, whose time-outs are fixed.

use super::{Contest, Rival, SERVERS, fetch, host};
use std::path::Path;
use std::process::Command;

struct Nats(String);

pub fn contests() -> Vec<Contest> {
    let rival = Box::new(Nats(host(4)));
    vec![Contest { name: "NATS meta leader", needs: ("/usr/sbin/nats-server", "nats-server"), rival }]
}

impl Rival for Nats {
    fn server(&self, at: usize, directory: &Path) -> Command {
        let Nats(host) = self;
        let routes: Vec<String> = (0..SERVERS).map(|at| format!("nats://{host}:{}", 7600 + at)).collect();
        let settings = format!(
            "server_name: n{at}\nlisten: \"{host}:{}\"\nhttp: \"{host}:{}\"\njetstream {{ store_dir: \"{}\" }}\n\
             cluster {{ name: bench, listen: \"{host}:{}\", routes: [{}] }}\n",
            7700 + at,
            7500 + at,
            directory.join(format!("n{at}")).display(),
            7600 + at,
            routes.join(", ")
        );
        let file = directory.join(format!("n{at}.conf"));
        std::fs::write(&file, settings).expect("there is room for a file");
        let mut command = Command::new("/usr/sbin/nats-server");
        command.arg("-c").arg(file);
        command
    }

    fn leader(&self, live: &[usize]) -> Option<usize> {
        let named = |&at: &usize| {
            let body = fetch(&self.0, 7500 + at as u16, "GET /jsz HTTP/1.0\r\n\r\n")?;
            body["meta_cluster"]["leader"].as_str().map(str::to_owned)
        };
        let named: Vec<String> = live.iter().map_while(named).collect();
        let leader = named.first().filter(|first| named.iter().all(|other| other == *first))?;
        let at = leader.strip_prefix('n')?.parse().ok()?;
        (named.len() == live.len()).then_some(at)
    }
}
