//! The scenarios that come with the program: the files in `scenarios/`.

use crate::error::Failure;
use bellwether_lab::scenario::Scenario;
use bellwether_runspec::suggest;
use std::path::Path;

/// A scenario that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name: the file's, without the ending.
    pub name: &'static str,
    text: &'static str,
}

macro_rules! shipped {
    ($($name:literal,)*) => {
        /// All of them, those of one algorithm together.
        pub const SHIPPED: &[Shipped] =
            &[$(Shipped { name: $name, text: include_str!(concat!("../../../scenarios/", $name, ".toml")) }),*];
    };
}

shipped! {
    "ring-of-six",
    "ring-best-case",
    "ring-worst-case",
    "ring-of-nine",
    "ring-of-three",
    "ring-two-callers",
    "ring-by-speed",
    "ring-broken",
    "ring-dead-leader",
    "ring-would-be-leader-dies",
    "ring-round-for-ever",
    "ring-repair-a",
    "ring-repair-a-fails",
    "ring-repair-b",
    "ring-repair-b-inaccurate",
    "ring-repair-b-incomplete",
    "modified-ring-leader-dies",
    "modified-ring-initiator-dies",
    "modified-ring-two-initiators",
    "ring-skipping-two-callers",
    "hirschberg-sinclair-of-eight",
    "peterson-of-eight",
    "itai-rodeh-lots",
    "lcr-best-order",
    "lcr-worst-order",
    "lcr-deciding",
    "lcr-halting",
    "lcr-lowest-id",
    "lcr-without-rounds",
    "floodmax-round-by-round",
    "floodmax-news-only",
    "aggregation-tree",
    "bully-two-calls",
    "bully-two-fail",
    "bully-best-case",
    "bully-worst-case",
    "bully-takes-over",
    "bully-recovery",
    "bully-stable",
    "bully-lost-coordinator",
    "bully-coordinator-not-missed",
    "bully-lost-election",
    "bully-lost-election-broadcast",
    "bully-partition",
    "one-way-link",
    "pause-like-gc",
    "chubby-master",
    "lease-transfer",
    "lease-two-sites",
    "lease-observers",
    "quorum-loss-lease",
    "quorum-loss-lease-of-worse",
    "quorum-loss-raft",
    "quorum-loss-zookeeper",
    "constrained-election-raft",
    "deaf-member-lease",
    "deaf-member-raft",
    "chain-lease",
    "chain-raft",
    "raft-split-vote",
    "zookeeper-leader-dies",
    "paxos-dead-proposer",
    "omega-stable",
    "invitation-partition",
}

impl Shipped {
    /// The scenario itself.
    pub fn scenario(&self) -> Result<Scenario, Failure> {
        Ok(Scenario::parse(self.text, Path::new(&format!("scenarios/{}.toml", self.name)))?)
    }
}

/// The scenario of this name, else the one in this file; and its name.
pub fn find(name_or_file: &str) -> Result<(String, Scenario), Failure> {
    if let Some(shipped) = SHIPPED.iter().find(|shipped| shipped.name == name_or_file) {
        return Ok((shipped.name.to_owned(), shipped.scenario()?));
    }
    let path = Path::new(name_or_file);
    let is_meant_as_path = path.extension().is_some() || path.components().count() > 1;
    if path.exists() || is_meant_as_path {
        return Ok((name_or_file.to_owned(), Scenario::read(path)?));
    }
    let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
    let hint = match suggest::nearest(name_or_file, &names) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => "'bellwether scenarios' lists them".to_owned(),
    };
    let message = format!("there is no scenario '{name_or_file}', and no file of that name");
    Err(Failure::input_with_hint(message, hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellwether_engine::ALGORITHMS;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_is_shipped_and_every_shipped_one_is_a_file() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
        let files: BTreeSet<String> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let shipped: BTreeSet<String> =
            SHIPPED.iter().map(|shipped| format!("{}.toml", shipped.name)).collect();
        assert_eq!(files, shipped);
        assert_eq!(SHIPPED.len(), shipped.len(), "each once");
    }

    #[test]
    fn every_scenario_comes_out_as_it_expects_unless_it_waits() {
        for shipped in SHIPPED {
            let name = shipped.name;
            let scenario = shipped.scenario().unwrap_or_else(|failure| panic!("{failure}"));
            assert!(!scenario.about.is_empty() && scenario.source.is_some(), "{name}");
            assert!(scenario.about.lines().all(|line| line.len() <= 110), "{name}");
            let resolved = scenario.resolve(&ALGORITHMS);
            if let Some(reason) = &scenario.waits_for {
                assert!(resolved.unwrap_err().to_string().contains(reason), "{name} is not to be run yet");
                continue;
            }
            let played = resolved.unwrap_or_else(|error| panic!("{error}")).play();
            assert_eq!(scenario.expect.check(&played), [], "{name}");
            for claim in &played.report.claims {
                assert!(claim.holds, "{name}: {claim:?}");
            }
        }
    }
}
