//! A worker whose death the others know at once, even by kill -9: the program puts itself under a supervisor.
//!
//! `cargo run -p bellwether --example supervised_worker`
//!
//! It starts three workers, each a process of its own, and kills the one that leads.

use bellwether::process::{COMMITMENT, SUPERVISOR, supervise_this_program};
use bellwether::{Event, Id, Peer, Security, Settings};
use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// What a service does to have it: the `if` is all that is added.
fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [me, host, directory] = &args[..] else { return kill_the_leader_of_three() };
    let settings = settings(Id::new(me.parse()?)?, host, directory.as_ref())?;
    if let Some(code) = supervise_this_program(&settings)? {
        std::process::exit(code);
    }
    work(settings)
}

fn settings(me: Id, host: &str, directory: &Path) -> Result<Settings, Box<dyn Error>> {
    let mut settings = Settings::new("workers", me);
    for id in 1..=3 {
        settings.members.push(Peer::new(Id::new(id)?, format!("{host}:{}", 7_400 + id)));
    }
    settings.security = Security::Secret("thirty-two bytes that only members know".into());
    settings.data = directory.join(me.to_string());
    Ok(settings)
}

#[tokio::main]
async fn work(settings: Settings) -> Result<(), Box<dyn Error>> {
    let elector = bellwether::start(settings)?;
    let (mut events, me, pid) = (elector.observe(), elector.id(), std::process::id());
    tokio::spawn(async move {
        while let Some(happened) = events.next().await {
            if let Event::Died { peer } = happened.event {
                println!("worker {me}: for certain, {peer} is dead");
            }
        }
    });
    loop {
        let leadership = elector.campaign().await?;
        leadership.ready();
        println!("worker {me} in process {pid} leads with token {}", leadership.token());
        leadership.lost().await;
    }
}

/// Three workers, and what they say. They end with this value, and with this process.
struct Workers {
    supervisors: Vec<Child>,
    said: Receiver<String>,
}

impl Workers {
    fn start(directory: &Path) -> Result<Workers, Box<dyn Error>> {
        // Linux answers on all of 127.0.0.0/8: an address of our own.
        let [_, a, b, c] = std::process::id().to_be_bytes();
        let (say, said) = channel();
        let mut workers = Workers { supervisors: Vec::new(), said };
        for me in 1..=3 {
            let mut supervisor = Command::new(std::env::current_exe()?)
                .args([me.to_string(), format!("127.{a}.{b}.{c}")])
                .arg(directory)
                .env(SUPERVISOR, std::process::id().to_string())
                .env_remove(COMMITMENT) // if we are supervised, they are not by us
                .stdout(Stdio::piped())
                .spawn()?;
            let lines = supervisor.stdout.take().map(BufReader::new);
            workers.supervisors.push(supervisor);
            let say = say.clone();
            std::thread::spawn(move || {
                for line in lines.into_iter().flat_map(BufReader::lines).map_while(Result::ok) {
                    let _ = say.send(line); // the receiver may be gone
                }
            });
        }
        Ok(workers)
    }

    /// Tells the next thing that one of them says, and gives its words.
    fn listen(&self) -> Result<Vec<String>, Box<dyn Error>> {
        let line = self.said.recv_timeout(Duration::from_secs(60))?;
        println!("{line}");
        Ok(line.split(' ').map(str::to_owned).collect())
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for supervisor in &mut self.supervisors {
            let _ = supervisor.kill().and_then(|()| supervisor.wait()); // its worker dies with it
        }
    }
}

fn kill_the_leader_of_three() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let workers = Workers::start(directory.path())?;
    let leads = |words: &[String]| words.iter().any(|word| word == "leads");
    let leader = loop {
        let words = workers.listen()?;
        if leads(&words) {
            break words;
        }
    };
    let (who, pid) = (&leader[1], &leader[4]);
    println!("kill -9 {pid}");
    Command::new("kill").args(["-9", pid]).status()?;
    let (mut is_known, mut has_successor) = (false, false);
    while !is_known || !has_successor {
        let words = workers.listen()?;
        is_known |= words.ends_with(&["dead".to_owned()]);
        has_successor |= leads(&words) && words[1] != *who;
    }
    Ok(())
}
