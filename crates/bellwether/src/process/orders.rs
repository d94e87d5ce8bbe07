//! Orders to a member, one a line.

use super::{Report, ReportKind};
use crate::{Elector, Id, Request};
use bellwether_core::Reign;
use std::io::{self, BufRead};
use std::sync::mpsc::SyncSender;

/// The most bytes of a line. The longest order takes a quarter of it.
pub(super) const MOST_BYTES: usize = 1_024;
/// So many bytes of a line are repeated in an answer. A secret has more.
const MOST_REPEATED: usize = 24;

/// What was read.
#[derive(Debug)]
pub(super) enum OrderLine {
    /// A line, with replacement characters for bytes that are not UTF-8.
    Whole(String),
    /// The beginning of a line that is too long. The rest was skipped.
    TooLong(String),
    /// Nothing can be read any more.
    Unreadable(io::Error),
}

/// The lines of an input until it ends. Whatever they hold, the next one is read.
pub(super) struct OrderLines<R> {
    input: R,
    is_over: bool,
}

impl<R: BufRead> OrderLines<R> {
    pub(super) fn new(input: R) -> OrderLines<R> {
        OrderLines { input, is_over: false }
    }

    /// The bytes of the next line, as far as they are kept, and how many there were. Nothing at the end.
    fn read(&mut self) -> io::Result<Option<(Vec<u8>, usize)>> {
        let (mut line, mut length) = (Vec::new(), 0);
        loop {
            let bytes = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if bytes.is_empty() {
                self.is_over = true;
                return Ok((length > 0).then_some((line, length)));
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            line.extend_from_slice(&part[..part.len().min(MOST_BYTES - line.len())]);
            length = length.saturating_add(part.len());
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some((line, length)));
            }
        }
    }
}

impl<R: BufRead> Iterator for OrderLines<R> {
    type Item = OrderLine;

    fn next(&mut self) -> Option<OrderLine> {
        if self.is_over {
            return None;
        }
        match self.read() {
            Ok(None) => None,
            Ok(Some((line, length))) => {
                let text = String::from_utf8_lossy(&line).into_owned();
                Some(if length > MOST_BYTES { OrderLine::TooLong(text) } else { OrderLine::Whole(text) })
            }
            Err(error) => {
                self.is_over = true;
                Some(OrderLine::Unreadable(error))
            }
        }
    }
}

/// What an answer repeats of a line.
pub(super) fn shortened(line: &str) -> String {
    let line = line.trim();
    let is_beginning = |&(at, it): &(usize, char)| at + it.len_utf8() <= MOST_REPEATED;
    let beginning: String = line.char_indices().take_while(is_beginning).map(|(_, it)| it).collect();
    let rest = if beginning.len() < line.len() { ".." } else { "" };
    format!("{}{rest}", beginning.escape_debug())
}

/// Carries out orders to a member.
pub(super) struct Executor<'a> {
    elector: &'a Elector,
    members: &'a [Id],
    shows: &'a SyncSender<Report>,
    /// Peers whose link is cut.
    #[cfg(feature = "faults")]
    cut: std::collections::BTreeSet<Id>,
}

impl<'a> Executor<'a> {
    pub(super) fn new(
        elector: &'a Elector,
        members: &'a [Id],
        shows: &'a SyncSender<Report>,
    ) -> Executor<'a> {
        Executor {
            elector,
            members,
            shows,
            #[cfg(feature = "faults")]
            cut: Default::default(),
        }
    }

    /// Does what a line orders, or says why not.
    pub(super) fn execute(&mut self, line: &str) -> Result<(), String> {
        let Executor { elector, members, .. } = *self;
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let known = |id: Id| members.contains(&id).then_some(id).ok_or(format!("there is no member {id}"));
        let parse = |text: &str| parse_id(text).and_then(known);
        let mut id = || -> Result<Id, String> { parse(words.next().ok_or("it names no member")?) };
        match verb {
            "show" => {
                let now = elector.clock().boot_micros(elector.clock().now());
                let leads_for_us =
                    elector.leads_for().map(|left| u64::try_from(left.as_micros()).unwrap_or(u64::MAX));
                let what = ReportKind::Shown { view: elector.view(), leads_for_us };
                let line = Report { at_us: now, member: elector.id(), what };
                self.shows.try_send(line).map_err(|_| "nobody reads what is shown")?;
            }
            "resign" => {
                elector.resign().map_err(|error| error.to_string())?;
                must_lead(elector)?;
            }
            "stand" => elector.request(Request::Stand),
            "withdraw" => elector.request(Request::Withdraw),
            "transfer" => {
                elector.transfer(id()?).map_err(|error| error.to_string())?;
                must_lead(elector)?;
            }
            "admit" => change_voters(elector, Request::Admit(id()?))?,
            "dismiss" => change_voters(elector, Request::Dismiss(id()?))?,
            "ready" => elector.ready(),
            "address" => {
                let id = id()?;
                elector.set_address(id, words.next().ok_or("it names no address")?);
            }
            #[cfg(feature = "faults")]
            "cut" => {
                let ids = words.next().unwrap_or_default().split(',').map(parse);
                self.cut.extend(ids.collect::<Result<Vec<Id>, _>>()?);
                elector.cut_links(self.cut.clone());
            }
            #[cfg(feature = "faults")]
            "heal" => {
                self.cut.clear();
                elector.cut_links([]);
            }
            _ => {
                let faults = if cfg!(feature = "faults") { "cut, heal, " } else { "" };
                return Err(format!(
                    "try show, resign, transfer, stand, withdraw, admit, dismiss, ready, address, {faults}stop"
                ));
            }
        }
        Ok(())
    }
}

fn change_voters(elector: &Elector, request: Request) -> Result<(), String> {
    let spec = elector.spec();
    if spec.reign != Reign::Leased {
        return Err(format!("the algorithm '{}' cannot change who votes", spec.name));
    }
    must_lead(elector)?;
    elector.request(request);
    Ok(())
}

/// Only the leader obeys some orders. Other members name the leader.
fn must_lead(elector: &Elector) -> Result<(), String> {
    let view = elector.view();
    match view.status.leader {
        _ if view.epoch.is_some() => Ok(()),
        Some(leader) if leader != elector.id() => {
            Err(format!("this member does not lead: ask the leader, member {leader}"))
        }
        _ => Err("this member does not lead and knows no leader: try again when there is one".into()),
    }
}

fn parse_id(text: &str) -> Result<Id, String> {
    let value: u64 = text.parse().map_err(|_| format!("'{}' is no id", shortened(text)))?;
    Id::new(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Peer, Security, Settings, start};
    use std::sync::mpsc::sync_channel;
    use std::time::{Duration, Instant};

    fn lines(input: &[u8]) -> Vec<String> {
        let text = |said| match said {
            OrderLine::Whole(line) => line,
            OrderLine::TooLong(beginning) => format!("too long: {} bytes kept", beginning.len()),
            OrderLine::Unreadable(error) => error.to_string(),
        };
        // A small buffer: lines come in parts.
        OrderLines::new(io::BufReader::with_capacity(7, input)).map(text).collect()
    }

    #[test]
    fn bytes_that_are_not_utf_8_do_not_end_the_orders() {
        assert_eq!(lines(b"show\nsh\xffow\n\nresign"), ["show", "sh\u{fffd}ow", "", "resign"]);
        assert_eq!(lines(b""), [""; 0]);
    }

    #[test]
    fn long_line_is_skipped_and_the_next_one_is_read() {
        let long = |bytes: usize| [&vec![b'x'; bytes][..], b"\nheal\n"].concat();
        assert_eq!(lines(&long(MOST_BYTES))[1..], ["heal"]);
        assert_eq!(lines(&long(MOST_BYTES))[0].len(), MOST_BYTES);
        assert_eq!(lines(&long(MOST_BYTES + 1)), ["too long: 1024 bytes kept", "heal"]);
        assert_eq!(lines(&long(100_000)), ["too long: 1024 bytes kept", "heal"]);
    }

    #[test]
    fn answers_repeat_little_and_no_control_characters() {
        assert_eq!(shortened(" \u{1b}[2J \n"), "\\u{1b}[2J");
        assert_eq!(shortened(&"x".repeat(1_000)), format!("{}..", "x".repeat(24)));
    }

    /// Member 1 of so many, without the others.
    fn member(of: u64, directory: &tempfile::TempDir) -> (Elector, Vec<Id>) {
        let ids: Vec<Id> = (1..=of).map(|id| Id::new(id).unwrap()).collect();
        let settings = Settings {
            members: ids.iter().map(|&id| Peer::new(id, "127.0.0.1:0")).collect(),
            data: directory.path().join(of.to_string()),
            security: Security::Plaintext,
            always_stands: true,
            ..Settings::new("orders", ids[0])
        };
        (start(settings).unwrap(), ids)
    }

    #[test]
    fn orders_that_cannot_be_obeyed_are_answered() {
        let directory = tempfile::tempdir().unwrap();
        let (shows, _shown) = sync_channel(1);
        let (elector, ids) = member(3, &directory);
        let mut executor = Executor::new(&elector, &ids, &shows);
        for (line, answer) in [
            ("dismiss 99", "there is no member 99"),
            ("cut 2,99", "there is no member 99"),
            ("address 99 there:1", "there is no member 99"),
            ("dismiss 2", "knows no leader"),
            ("admit 2", "knows no leader"),
            ("transfer 2", "knows no leader"),
            ("resign", "knows no leader"),
            ("dismiss", "it names no member"),
            ("dismiss x", "'x' is no id"),
            ("dizmiss 2", "try show, "),
        ] {
            let said = executor.execute(line).unwrap_err();
            assert!(said.contains(answer), "{line}: {said}");
        }
        elector.stop();

        let (elector, ids) = member(1, &directory);
        let begin = Instant::now();
        while !elector.is_leader() && begin.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(Executor::new(&elector, &ids, &shows).execute("admit 1"), Ok(()));
        elector.stop();
    }
}
