//! What links do to messages: the file's keys from `loss` to `duplicate`.

use super::error::Flaw;
use super::members::{check_member, in_keys};
use super::table::{At, Table, Value};
use bellwether_core::{Id, Time};
use bellwether_sim::faults::notation::{Pattern, Share};
use bellwether_sim::faults::{LinkFaults, LinkWishes};

/// Reads it; `ids` are the members'.
pub(super) fn read(file: &Table<'_>, ids: &[Id]) -> Result<LinkFaults<Id>, Flaw> {
    let share = |key| Ok::<_, Flaw>(file.read(key, read_share)?.map(|share| share.value));
    let patterns = |key| read_patterns(file.get(key), ids);
    let wishes = LinkWishes {
        loss: share("loss")?,
        burst: file
            .read("burst", |value| value.as_number().ok_or_else(|| value.unlike("a number, 1 or more")))?
            .map(|burst| burst.value),
        duplication: share("duplication")?,
        reordering: share("reordering")?,
        held_up: file.read("held_up", Value::hops)?.map(|most| most.value - Time::ZERO),
        until: file.read("faults_until", Value::hops)?.map(|until| until.value),
        lose: patterns("lose")?,
        duplicate: patterns("duplicate")?,
    };
    wishes.faults().map_err(|(key, problem)| {
        Flaw::new(file.get(key).map_or(file.at, |value| value.at), in_keys(&problem))
    })
}

fn read_share(value: &Value<'_>) -> Result<Share, Flaw> {
    let share = match value.as_text() {
        Some(text) => text.parse().ok(),
        None => value.as_number().and_then(Share::new),
    };
    share.ok_or_else(|| value.unlike("a share: 0 or more and less than all, as in 0.05 or \"5%\""))
}

fn read_patterns(value: Option<Value<'_>>, ids: &[Id]) -> Result<Vec<Pattern>, Flaw> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let read = |value: &Value<'_>| {
        let pattern: Result<Pattern, String> = value.text()?.parse();
        pattern.map_err(|problem| Flaw::new(value.at, problem))
    };
    let patterns = value.list("a list of messages, as in [\"elected:3-1\"]", read)?;
    for pattern in &patterns {
        for id in [pattern.value.from, pattern.value.to].into_iter().flatten() {
            check_member(ids, "member", At { value: id, at: pattern.at })?;
        }
    }
    Ok(patterns.into_iter().map(|pattern| pattern.value).collect())
}
