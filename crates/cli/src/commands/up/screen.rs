//! The live view: the members as a table, and what happened last.

use super::cluster_view::{ClusterView, Condition, Doubt, Lease, MemberView};
use super::key_commands::KeyCommand;
use crate::look::Look;
use bellwether::Id;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Paragraph, Widget as _, Wrap};
use std::collections::VecDeque;

/// So many events are kept to be shown.
const MOST_EVENTS: usize = 200;
/// A lease's bar has so many cells.
const BAR: usize = 10;

/// What keys do.
const KEYS: &str = "1-9 select  k kill  p pause  c continue  x cut  h heal  r restart  t let it lead  l leader resigns  q quit";

/// What the onlooker sees besides the members themselves.
pub struct Board {
    /// Which guarantee holds.
    pub headline: String,
    /// The last events, the newest last.
    pub events: VecDeque<String>,
    /// Whom keys are about.
    pub selected: Id,
    /// What the terminal can show.
    pub look: Look,
}

impl Board {
    /// An empty one.
    pub fn new(headline: String, selected: Id, look: Look) -> Board {
        Board { headline, events: VecDeque::new(), selected, look }
    }

    /// One more event.
    pub fn log(&mut self, event: String) {
        if self.events.len() == MOST_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    /// What a key asks for. Keys that select do so.
    pub fn press(&mut self, key: KeyEvent, cluster: &ClusterView) -> Option<KeyCommand> {
        let me = self.selected;
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Some(KeyCommand::Quit);
            }
            KeyCode::Char(digit @ '1'..='9') => {
                let asked = digit.to_digit(10).and_then(|value| Id::new(value.into()).ok());
                self.selected = asked.filter(|id| cluster.contains_key(id)).unwrap_or(me);
            }
            KeyCode::Up => {
                self.selected = cluster.range(..me).next_back().map_or(me, |(&id, _)| id);
            }
            KeyCode::Down => {
                self.selected = cluster.keys().find(|&&id| id > me).copied().unwrap_or(me);
            }
            KeyCode::Char('k') => return Some(KeyCommand::Kill(me)),
            KeyCode::Char('p') => return Some(KeyCommand::Pause(me)),
            KeyCode::Char('c') => return Some(KeyCommand::Continue(me)),
            KeyCode::Char('x') => return Some(KeyCommand::Cut(me)),
            KeyCode::Char('h') => return Some(KeyCommand::Heal(me)),
            KeyCode::Char('r') => return Some(KeyCommand::Restart(me)),
            KeyCode::Char('t') => return Some(KeyCommand::Transfer(me)),
            KeyCode::Char('l') => return Some(KeyCommand::Resign),
            KeyCode::Char('q') | KeyCode::Esc => return Some(KeyCommand::Quit),
            _ => {}
        }
        None
    }

    /// Draws it all.
    pub fn draw(
        &self,
        cluster: &ClusterView,
        (now_us, began_us): (u64, u64),
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let look = self.look;
        let wanted = u16::try_from(cluster.len()).unwrap_or(u16::MAX).saturating_add(3);
        let promise = Paragraph::new(self.headline.as_str()).style(look.strong()).wrap(Wrap { trim: true });
        let lines = |text: &str| {
            let lines = text.chars().count().div_ceil(usize::from(area.width.max(1)));
            Constraint::Length(u16::try_from(lines).unwrap_or(1).min(3))
        };
        let rows = [
            lines(&self.headline),
            Constraint::Length(wanted.min(area.height.saturating_sub(6))),
            Constraint::Fill(1),
            lines(KEYS),
        ];
        let [top, table, events, bottom] = area.layout(&Layout::vertical(rows));
        promise.render(top, buffer);
        let seconds = now_us.saturating_sub(began_us) as f64 / 1e6;
        let panel = look.panel(format!("Members, {seconds:.1} s up"));
        let room = usize::from(panel.inner(table).height.saturating_sub(1));
        let at = cluster.keys().position(|&id| id == self.selected).unwrap_or(0);
        let first = at.saturating_sub(room.saturating_sub(1));
        let shown = cluster.iter().skip(first).take(room);
        let rows = shown.map(|(&id, view)| self.row(id, view, now_us));
        let head = format!(
            "   {:>2}  {:<9} {:>5} {:>6}  {:<19} {:<14} {:>8}  state",
            "id", "role", "names", "term", "lease left", "doubts", "pid"
        );
        let head = std::iter::once(Line::styled(head, look.faint()));
        Paragraph::new(head.chain(rows).collect::<Text<'_>>()).block(panel).render(table, buffer);
        let panel = look.panel("What happened last".to_owned());
        let room = usize::from(panel.inner(events).height);
        let last = self.events.iter().skip(self.events.len().saturating_sub(room));
        let last: Text<'_> = last.map(|event| Line::raw(event.as_str())).collect();
        Paragraph::new(last).block(panel).render(events, buffer);
        Paragraph::new(KEYS).style(look.faint()).wrap(Wrap { trim: true }).render(bottom, buffer);
    }

    fn row(&self, id: Id, view: &MemberView, now_us: u64) -> Line<'static> {
        let look = self.look;
        let leads = view.leads_in(now_us).is_some();
        let role = match (view.condition, leads, view.leader) {
            (Condition::Dead | Condition::Starting, ..) => "-",
            (_, true, _) => "leader",
            (_, false, Some(_)) => "follower",
            (_, false, None) => "undecided",
        };
        let lease = view.lease.filter(|_| leads).map(|lease| self.lease(lease, now_us)).unwrap_or_default();
        let state = match (view.condition, view.is_cut) {
            (Condition::Starting, _) => "starting",
            (Condition::Dead, _) => "dead",
            (Condition::Paused, false) => "paused",
            (Condition::Paused, true) => "paused, cut",
            (Condition::Running, true) => "cut",
            (Condition::Running, false) => "running",
        };
        let or_dash = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
        let text = format!(
            "{}{} {:>2}  {role:<9} {:>5} {:>6}  {lease:<19} {:<14} {:>8}  {state}",
            if id == self.selected { look.here() } else { " " },
            if leads { look.leader() } else { " " },
            id.value(),
            or_dash(view.leader.map(Id::value)),
            or_dash(view.term),
            doubts(view),
            or_dash(view.pid.map(u64::from)),
        );
        Line::styled(text, self.style(view, leads))
    }

    fn style(&self, view: &MemberView, leads: bool) -> Style {
        let look = self.look;
        match view.condition {
            Condition::Dead => look.in_colour(Color::Red),
            Condition::Paused => look.in_colour(Color::Blue),
            Condition::Starting => look.faint(),
            Condition::Running if leads => look.in_colour(Color::Yellow),
            Condition::Running if view.is_cut => look.in_colour(Color::Magenta),
            Condition::Running => Style::new(),
        }
    }

    /// What is left of a lease: a bar that runs down.
    fn lease(&self, lease: Lease, now_us: u64) -> String {
        /// Beyond this a leader leads until further notice.
        const FOREVER_US: u64 = 86_400_000_000;
        let left = lease.until_us.saturating_sub(now_us);
        if left > FOREVER_US {
            return "no lease".to_owned();
        }
        let cells = (left.saturating_mul(BAR as u64)).div_ceil(lease.length_us.max(1));
        format!("{} {:>4} ms", self.look.bar((cells as usize).min(BAR), BAR), left / 1_000)
    }
}

/// Whom a member suspects ("3?"), and whom it takes for dead ("5").
fn doubts(view: &MemberView) -> String {
    let doubts = view.doubts.iter().map(|(peer, doubt)| match doubt {
        Doubt::Suspected => format!("{peer}?"),
        Doubt::Dead => format!("{peer} dead"),
    });
    doubts.collect::<Vec<_>>().join(",")
}
