//! A writer that was the leader, sleeps through the end of its leadership, and is refused when it wakes.
//!
//! `cargo run -p bellwether --example fenced_writer`

use bellwether::{Fence, Id, Stale};
use std::sync::Mutex;

/// A resource that must not take writes of two leaders: a ledger behind a fence. In practice, the storage service.
#[derive(Default)]
struct Ledger {
    fence: Fence,
    lines: Mutex<Vec<String>>,
}

impl Ledger {
    fn write(&self, token: u64, line: &str) -> Result<(), Stale> {
        // Being admitted and writing are one step: a successor could write in between, were they two.
        self.fence.admit_then(token, || {
            let mut lines = self.lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            lines.push(format!("[{token}] {line}"));
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    // A cluster of one, to keep it short: it has terms and tokens like any other.
    let elector = bellwether::builder("ledger", Id::new(1)?)
        .member(Id::new(1)?, "127.0.0.1:0")
        .secret("thirty-two bytes that only members know")
        .data(directory.path())
        .start()?;
    let ledger = Ledger::default();

    let first = elector.campaign().await?;
    ledger.write(first.check()?, "opening balance 100")?;

    // The first writer has asked, is about to write, and falls asleep here. It cannot know.
    let stale = first.check()?;
    first.resign().await?;
    let second = elector.campaign().await?;
    ledger.write(second.check()?, "paid 30")?;

    // It wakes, and writes what it believes to be true.
    match ledger.write(stale, "balance is still 100") {
        Err(refused) => println!("refused: {refused}"),
        Ok(()) => return Err("a former leader was let through".into()),
    }
    for line in ledger.lines.into_inner()? {
        println!("{line}");
    }
    Ok(())
}
