//! Who takes part, in which network, and who begins.

use super::error::Flaw;
use super::event::Events;
use super::table::{At, Table, Value};
use bellwether_core::{Id, Order};
use bellwether_sim::faults::Event;
use bellwether_sim::network::{NetworkError, Shape, parse_links};
use bellwether_sim::{Attributes, Callers, Members, SetupError};

/// More members than this are for `simulate`: a scenario is to be watched.
pub const MOST_MEMBERS: u64 = 1_000;

/// Who takes part, and in which network.
pub(super) struct Group {
    pub shape: Option<Shape>,
    pub members: Option<Members>,
    /// Who there is; in a listed order the order is theirs.
    pub ids: Vec<Id>,
}

/// Reads `topology`, `ids`, `nodes` and `order`.
pub(super) fn read(file: &Table<'_>) -> Result<Group, Flaw> {
    let (ids, nodes) = (file.read("ids", Value::ids)?, file.read("nodes", Value::whole)?);
    let order = file.read("order", |value| {
        value.choice(&[("best", Order::Best), ("worst", Order::Worst), ("random", Order::Random)])
    })?;
    if let (Some(_), Some(nodes)) = (&ids, &nodes) {
        return Err(Flaw::new(nodes.at, "both 'ids' and 'nodes' say who the members are: give one"));
    }
    if let (Some(order), None) = (&order, &nodes) {
        return Err(Flaw::new(order.at, "'order' goes with 'nodes', which is not given: leave it out"));
    }
    let Some(topology) = file.get("topology") else {
        return listed_or_counted(None, None, ids, nodes, order, file.at);
    };
    if let Some(links) = topology.as_list() {
        let (shape, names) = read_links(&topology, &links)?;
        if let Some(at) = ids.map(|ids| ids.at).or(nodes.map(|nodes| nodes.at)) {
            let problem = "the links of 'topology' name the members already: leave this out";
            return Err(Flaw::new(at, problem));
        }
        check_count(names.len() as u64, topology.at)?;
        return Ok(Group { shape: Some(shape), members: None, ids: names });
    }
    let name = topology.as_text().ok_or_else(|| {
        topology.unlike("a network's name, or a list of links as in [\"1 -> 2\", \"2 -- 3\"]")
    })?;
    let shape: Shape = name.parse().map_err(|error| network_flaw(topology.at, &error))?;
    if shape.names_members() {
        let problem = "a scenario is complete in itself and reads no other file";
        let hint = "list the links here: topology = [\"1 -> 2\", \"2 -- 3\"]";
        return Err(Flaw::new(topology.at, problem).hint(hint));
    }
    let size = shape.own_size();
    listed_or_counted(Some(shape), size, ids, nodes, order, file.at)
}

fn listed_or_counted(
    shape: Option<Shape>,
    size: Option<u64>,
    ids: Option<At<Vec<At<Id>>>>,
    nodes: Option<At<u64>>,
    order: Option<At<Order>>,
    file_at: usize,
) -> Result<Group, Flaw> {
    if let Some(ids) = ids {
        check_count(ids.value.len() as u64, ids.at)?;
        let listed: Vec<Id> = ids.value.iter().map(|id| id.value).collect();
        // That all are the same is another matter: then members are identical.
        let twice = |number: &usize| listed[..*number].contains(&listed[*number]);
        if listed.iter().any(|id| *id != listed[0])
            && let Some(second) = (0..listed.len()).find(twice)
        {
            return Err(setup_flaw(ids.value[second].at, &SetupError::DuplicateId(listed[second])));
        }
        return Ok(Group { shape, members: Some(Members::Ids(listed.clone())), ids: listed });
    }
    let counted = nodes.or(size.map(|value| At { value, at: file_at }));
    let Some(At { value: n, at }) = counted else {
        return Err(Flaw::new(file_at, "who takes part? Give 'ids', or how many 'nodes' there are"));
    };
    check_count(n, at)?;
    let order = order.map_or(Order::Random, |order| order.value);
    let ids = (1..=n).filter_map(|id| Id::new(id).ok()).collect();
    Ok(Group { shape, members: Some(Members::Count { n, order }), ids })
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

/// What cannot be run, at its place in the file.
pub(super) fn setup_flaw(at: usize, error: &SetupError) -> Flaw {
    match error {
        SetupError::Network(error) => network_flaw(at, error),
        SetupError::NoSuchKind { kind, kinds, .. } => Flaw::new(at, error.to_string()).meant(kind, kinds),
        _ => Flaw::new(at, in_keys(&error.to_string())),
    }
}

/// Advice on options as advice on keys: they have the same names, but for hyphens.
pub(super) fn in_keys(advice: &str) -> String {
    let mut parts = advice.split("--");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        let (option, rest) = part.split_at(end);
        text.push_str(&format!("'{}'{rest}", option.replace('-', "_")));
    }
    text
}

/// What is wrong with a network, at its place in the file.
pub(super) fn network_flaw(at: usize, error: &NetworkError) -> Flaw {
    let flaw = Flaw::new(at, in_keys(&error.to_string()));
    match error {
        NetworkError::UnknownShape { name } => flaw.meant(name, Shape::NAMES),
        _ => flaw,
    }
}

fn read_links(topology: &Value<'_>, links: &[Value<'_>]) -> Result<(Shape, Vec<Id>), Flaw> {
    let mut lines = Vec::with_capacity(links.len());
    for link in links {
        let line = link.text()?;
        if line.trim().is_empty() || line.contains(['\n', '#']) {
            return Err(link.unlike("one link, as in '1 -> 2' or '2 -- 3'"));
        }
        lines.push(line);
    }
    let lines = lines.join("\n");
    let network = parse_links(&lines).map_err(|fault| {
        // The quotation mark stands before the first column.
        let at = links.get(fault.line - 1).map_or(topology.at, |link| link.at + fault.column);
        Flaw::new(at, fault.problem)
    })?;
    let ids = network.ids().ok_or_else(|| {
        Flaw::new(topology.at, "members are named by their ids: whole numbers, as in \"1 -> 2\"")
    })?;
    let ids = ids.to_vec();
    Ok((Shape::Links(lines.into()), ids))
}

/// Reads `attributes`.
pub(super) fn attributes(file: &Table<'_>, group: &Group) -> Result<Attributes, Flaw> {
    let Some(value) = file.get("attributes") else { return Ok(Attributes::None) };
    if value.as_text() == Some("random") {
        return Ok(Attributes::Random);
    }
    let expected = "a list of whole numbers, or 'random'";
    let listed = value.list(expected, Value::signed)?;
    if group.members.is_none() {
        let problem = "attributes are listed in the order of 'ids', and listed links have no such order";
        return Err(Flaw::new(value.at, problem).hint("use a named topology with 'ids'"));
    }
    if listed.len() != group.ids.len() {
        let (given, n) = (listed.len(), group.ids.len());
        return Err(setup_flaw(value.at, &SetupError::AttributeCount { given, n }));
    }
    Ok(Attributes::Listed(listed.into_iter().map(|attribute| attribute.value).collect()))
}

/// Reads `witnesses` or `observers`.
pub(super) fn named(
    file: &Table<'_>,
    key: &'static str,
    role: &'static str,
    ids: &[Id],
) -> Result<Vec<Id>, Flaw> {
    let named = file.read(key, Value::ids)?.map(|named| named.value).unwrap_or_default();
    named.iter().try_for_each(|id| check_member(ids, role, *id))?;
    Ok(named.into_iter().map(|id| id.value).collect())
}

/// Reads `initiators`.
pub(super) fn callers(file: &Table<'_>, ids: &[Id], events: &Events) -> Result<Callers, Flaw> {
    let Some(value) = file.get("initiators") else { return Ok(Callers::All) };
    if value.as_text() == Some("all") {
        return Ok(Callers::All);
    }
    let callers =
        value.list("a list of ids (empty if nobody calls at the beginning), or 'all'", Value::id)?;
    for caller in &callers {
        check_member(ids, "initiator", *caller)?;
        if events.is_dead_from_the_start(caller.value) {
            let problem = format!("member {} is dead from the start and cannot call", caller.value);
            return Err(Flaw::new(caller.at, problem).hint("name another initiator, or let it crash later"));
        }
    }
    let calls_later = |what| matches!(what, Event::Call | Event::Recover);
    if callers.is_empty() && !events.happenings.iter().any(|event| calls_later(event.what)) {
        let hint = "name an initiator, or add an [[event]] with 'call'";
        return Err(Flaw::new(value.at, "nobody ever calls an election").hint(hint));
    }
    Ok(Callers::Ids(callers.into_iter().map(|caller| caller.value).collect()))
}

/// Refuses somebody who is not there.
pub(super) fn check_member(ids: &[Id], role: &'static str, id: At<Id>) -> Result<(), Flaw> {
    if ids.contains(&id.value) {
        Ok(())
    } else {
        Err(setup_flaw(id.at, &SetupError::not_a_member(ids, role, id.value)))
    }
}
