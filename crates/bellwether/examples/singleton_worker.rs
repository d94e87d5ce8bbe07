//! A worker of which exactly one is active: three instances, one works, and when it goes the next takes over.
//!
//! `cargo run -p bellwether --example singleton_worker`
//!
//! The three instances are in one process here, to have something to run; each would be a service of its own.

use bellwether::{Elector, Id};
use std::time::Duration;

/// What a service does with it: the whole of it.
async fn work(
    elector: Elector,
    done: tokio::sync::mpsc::Sender<(Id, u64)>,
) -> Result<(), Box<dyn std::error::Error>> {
    loop {
        let leadership = elector.campaign().await?;
        leadership.ready();
        // Nothing may be done without asking: leadership can end at any time, and this says so at once.
        while let Ok(token) = leadership.check() {
            done.send((elector.id(), token)).await?;
            tokio::select! {
                _ = leadership.lost() => {}
                () = tokio::time::sleep(Duration::from_millis(10)) => {}
            }
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let mut electors = Vec::new();
    for me in 1..=3 {
        let mut builder = bellwether::builder("workers", Id::new(me)?)
            .secret("thirty-two bytes that only members know")
            .data(directory.path().join(me.to_string()));
        for id in 1..=3 {
            builder = builder.member(Id::new(id)?, "127.0.0.1:0");
        }
        electors.push(builder.start()?);
    }
    // The ports were any that were free. Services have fixed addresses, and need not say this.
    for one in &electors {
        electors.iter().for_each(|other| one.set_address(other.id(), other.address().to_string()));
    }

    let (done, mut doing) = tokio::sync::mpsc::channel(1);
    for elector in &electors {
        let (elector, done) = (elector.clone(), done.clone());
        tokio::spawn(async move {
            if let Err(error) = work(elector, done).await {
                eprintln!("this worker is out: {error}");
            }
        });
    }
    let (mut last, mut workers) = (0, Vec::new());
    while workers.len() < 3 {
        let (worker, token) = doing.recv().await.ok_or("all workers are gone")?;
        assert!(token >= last, "a former worker was heard after the next");
        if token > last {
            println!("worker {worker} is the one, with token {token}");
            workers.push(worker);
            // The leader resigns after its first piece of work, so that there is something to see.
            electors.iter().filter(|elector| elector.id() == worker).try_for_each(Elector::resign)?;
        }
        last = token;
    }
    Ok(())
}
