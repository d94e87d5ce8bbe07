//! Who takes part in a scenario, and who begins.

use super::events::Events;
use bellwether_core::{AlgorithmError, DetectorError, FaultKind, Id};
use bellwether_runspec::document::{At, Flaw, Table, Value};
use bellwether_runspec::{Attributes, Callers, RunSpec};
use bellwether_sim::SetupError;
use bellwether_sim::network::{NetworkError, Shape, parse_links};

/// More members than this are for `simulate`: a scenario is to be watched.
pub const MOST_MEMBERS: u64 = 1_000;

/// The members: in a listed order the order is theirs.
pub(super) fn ids(file: &Table<'_>, run: &RunSpec) -> Result<Vec<Id>, Flaw> {
    if let (Some(_), Some(nodes)) = (file.get("ids"), file.get("nodes")) {
        return Err(Flaw::new(nodes.at, "both 'ids' and 'nodes' say who the members are: give one"));
    }
    if let (Some(order), None) = (file.get("order"), file.get("nodes")) {
        return Err(Flaw::new(order.at, "'order' goes with 'nodes', which is not given: leave it out"));
    }
    let place = |key| file.get(key).map_or(file.at, |value| value.at);
    if let Some(Shape::Links(lines)) = &run.topology {
        if let Some(named) = ["ids", "nodes"].into_iter().find_map(|key| file.get(key)) {
            let problem = "the links of 'topology' name the members already: leave this out";
            return Err(Flaw::new(named.at, problem));
        }
        let named = parse_links(lines).ok().and_then(|network| network.ids().map(<[Id]>::to_vec));
        let ids = named.unwrap_or_default();
        check_count(ids.len() as u64, place("topology"))?;
        return Ok(ids);
    }
    if let Some(ids) = file.get("ids") {
        check_count(run.ids.len() as u64, ids.at)?;
        // That all are the same is another matter: then members are identical.
        let twice = |number: &usize| run.ids[..*number].contains(&run.ids[*number]);
        if run.ids.iter().any(|id| *id != run.ids[0])
            && let Some(second) = (0..run.ids.len()).find(twice)
        {
            return Err(setup_flaw(ids.ids()?[second].at, &SetupError::DuplicateId(run.ids[second])));
        }
        return Ok(run.ids.clone());
    }
    let Some(n) = run.nodes.or(run.topology.as_ref().and_then(Shape::own_size)) else {
        return Err(Flaw::new(file.at, "who takes part? Give 'ids', or how many 'nodes' there are"));
    };
    check_count(n, place("nodes"))?;
    Ok((1..=n).filter_map(|id| Id::new(id).ok()).collect())
}

fn check_count(n: u64, at: usize) -> Result<(), Flaw> {
    match n {
        0 => Err(setup_flaw(at, &SetupError::NoMembers)),
        _ if n > MOST_MEMBERS => {
            let problem = format!("{n} members are too many to watch: at most {MOST_MEMBERS}");
            Err(Flaw::new(at, problem).hint("'bellwether simulate' runs millions"))
        }
        _ => Ok(()),
    }
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

/// What cannot be run, at its place in the file.
pub(super) fn setup_flaw(at: usize, error: &SetupError) -> Flaw {
    let flaw = Flaw::new(at, error.to_string());
    match error {
        SetupError::Network(NetworkError::UnknownShape { name }) => flaw.meant(name, Shape::NAMES),
        SetupError::NoSuchKind { kind, kinds, .. } => flaw.meant(kind, kinds),
        SetupError::Detector(DetectorError::Unknown { name, known })
        | SetupError::Algorithm(AlgorithmError::Unknown { name, known }) => flaw.meant(name, known),
        SetupError::Algorithm(AlgorithmError::Variant { variant, known, .. }) => flaw.meant(variant, known),
        SetupError::Detector(DetectorError::Setting { error, .. })
        | SetupError::Algorithm(AlgorithmError::Setting { error, .. }) => match error.unknown() {
            Some(name) => flaw.meant(name, &error.known),
            None => flaw,
        },
        _ => flaw,
    }
}

/// Refuses what does not go with the members: an identity where they are identical, attributes that are not theirs, and
/// members that are not there.
pub(super) fn check(file: &Table<'_>, run: &RunSpec, ids: &[Id], events: &Events) -> Result<(), Flaw> {
    for key in ["ids", "order", "attributes"] {
        if let Some(value) = file.get(key).filter(|_| run.identical) {
            let problem = format!("identical members have no '{key}' of their own: use 'nodes' alone");
            return Err(Flaw::new(value.at, problem));
        }
    }
    if let (Attributes::Listed(listed), Some(value)) = (&run.attributes, file.get("attributes")) {
        if let Some(Shape::Links(_)) = run.topology {
            let problem = "attributes are listed in the order of 'ids', and listed links have no such order";
            return Err(Flaw::new(value.at, problem).hint("use a named topology with 'ids'"));
        }
        if listed.len() != ids.len() {
            let (given, n) = (listed.len(), ids.len());
            return Err(setup_flaw(value.at, &SetupError::AttributeCount { given, n }));
        }
    }
    for (key, role) in [("witnesses", "witness"), ("observers", "observer")] {
        let named = file.read(key, Value::ids)?.map(|named| named.value).unwrap_or_default();
        named.into_iter().try_for_each(|id| check_member(ids, role, id))?;
    }
    for key in ["lose", "duplicate"] {
        let patterns = if key == "lose" { &run.link_faults.lose } else { &run.link_faults.duplicate };
        let places = file.get(key).and_then(|value| value.as_list()).unwrap_or_default();
        for (pattern, place) in patterns.iter().zip(places) {
            for id in [pattern.from, pattern.to].into_iter().flatten() {
                check_member(ids, "member", At { value: id, at: place.at })?;
            }
        }
    }
    let (Callers::Ids(_), Some(value)) = (&run.initiators, file.get("initiators")) else { return Ok(()) };
    let callers = value.ids()?;
    for caller in &callers {
        check_member(ids, "initiator", *caller)?;
        if events.is_dead_from_the_start(caller.value) {
            let problem = format!("member {} is dead from the start and cannot call", caller.value);
            return Err(Flaw::new(caller.at, problem).hint("name another initiator, or let it crash later"));
        }
    }
    if callers.is_empty() && !events.has(&[FaultKind::Call, FaultKind::Recover]) {
        let hint = "name an initiator, or add an [[event]] with 'call'";
        return Err(Flaw::new(value.at, "nobody ever calls an election").hint(hint));
    }
    Ok(())
}

/// Refuses somebody who is not there.
pub(super) fn check_member(ids: &[Id], role: &'static str, id: At<Id>) -> Result<(), Flaw> {
    if ids.contains(&id.value) {
        Ok(())
    } else {
        Err(setup_flaw(id.at, &SetupError::not_a_member(ids, role, id.value)))
    }
}
