//! The members of a scenario, and what a file may not say though a run can be described so.

use bellwether_core::Id;
use bellwether_runspec::RunSpec;
use bellwether_runspec::document::{Flaw, Table};
use bellwether_sim::network::{Shape, parse_links};

/// More members than this are for `simulate`: a scenario is to be watched.
pub const MOST_MEMBERS: u64 = 1_000;

/// The members that a file names or counts; none if it does neither.
pub(super) fn ids(file: &Table<'_>, run: &RunSpec) -> Result<Vec<Id>, Flaw> {
    let named = match &run.topology {
        Some(Shape::Links(lines)) if run.ids.is_empty() => {
            parse_links(lines).ok().and_then(|network| network.ids().map(<[Id]>::to_vec)).unwrap_or_default()
        }
        _ => run.ids.clone(),
    };
    let counted = || run.nodes.or(run.topology.as_ref().and_then(Shape::own_size)).unwrap_or(0);
    let n = if named.is_empty() { counted() } else { named.len() as u64 };
    if n > MOST_MEMBERS {
        let place = ["ids", "nodes", "topology"].into_iter().find_map(|key| file.get(key));
        let problem = format!("{n} members are too many to watch: at most {MOST_MEMBERS}");
        let flaw = Flaw::new(place.map_or(file.at, |value| value.at), problem);
        return Err(flaw.hint("'bellwether simulate' runs millions"));
    }
    Ok(if named.is_empty() { (1..=n).filter_map(|id| Id::new(id).ok()).collect() } else { named })
}

/// A scenario is complete in itself.
pub(super) fn refuse_files(file: &Table<'_>) -> Result<(), Flaw> {
    let hints = [
        ("topology", "list the links here: topology = [\"1 -> 2\", \"2 -- 3\"]"),
        ("delay", "use unit, uniform, exponential or lognormal"),
    ];
    for (key, hint) in hints {
        let value =
            file.get(key).filter(|value| value.as_text().is_some_and(|text| text.starts_with("file:")));
        if let Some(value) = value {
            let problem = "a scenario is complete in itself and reads no other file";
            return Err(Flaw::new(value.at, problem).hint(hint));
        }
    }
    Ok(())
}
