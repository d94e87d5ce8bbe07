//! The terminal of the live view: taken over, listened to, and given back however it ends.

use super::child_process::Notice;
use super::cluster_view::ClusterView;
use super::key_commands::KeyCommand;
use super::screen::Board;
use crate::error::Failure;
use crate::look::{ColorArg, Look};
use bellwether::Id;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::io;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// Twenty pictures a second are enough.
const BETWEEN_PICTURES: Duration = Duration::from_millis(50);

/// The live view. Dropping it gives the terminal back.
pub struct View {
    terminal: DefaultTerminal,
    board: Board,
    drawn_at: Option<Instant>,
    is_stale: bool,
}

impl View {
    /// Takes the terminal over, and tells of its keys from then on.
    pub fn open(headline: String, selected: Id, keys: SyncSender<Notice>) -> Result<View, Failure> {
        // This also sees to it that a panic gives the terminal back before it is told.
        let terminal = ratatui::try_init().map_err(unusable)?;
        let board = Board::new(headline, selected, Look::of_terminal(false, ColorArg::Auto));
        let view = View { terminal, board, drawn_at: None, is_stale: true };
        let listen = move || {
            while let Ok(event) = event::read() {
                if keys.send(Notice::Terminal(event)).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().spawn(listen).map_err(unusable)?;
        Ok(view)
    }

    /// One more event.
    pub fn log(&mut self, event: String) {
        self.board.log(event);
        self.is_stale = true;
    }

    /// What the user asks for, if anything.
    pub fn press(&mut self, event: &Event, cluster: &ClusterView) -> Option<KeyCommand> {
        self.is_stale = true; // a new size is drawn like everything else
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.board.press(*key, cluster),
            _ => None,
        }
    }

    /// Draws the picture if it is out of date and the last one has been there for long enough. Says when there will be
    /// another to draw; nothing if there will not be one unless something happens.
    pub fn draw(
        &mut self,
        cluster: &ClusterView,
        now_us: u64,
        began_us: u64,
    ) -> Result<Option<Instant>, Failure> {
        let a_lease_runs_down = cluster.values().any(|view| view.leads_in(now_us).is_some());
        if !self.is_stale && !a_lease_runs_down {
            return Ok(None);
        }
        let now = Instant::now();
        if let Some(due) = self.drawn_at.map(|at| at + BETWEEN_PICTURES).filter(|&due| due > now) {
            return Ok(Some(due));
        }
        let board = &self.board;
        let drawn = self
            .terminal
            .draw(|frame| board.draw(cluster, (now_us, began_us), frame.area(), frame.buffer_mut()));
        drawn.map_err(unusable)?;
        (self.drawn_at, self.is_stale) = (Some(now), false);
        Ok(a_lease_runs_down.then_some(now + BETWEEN_PICTURES))
    }
}

impl Drop for View {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn unusable(error: io::Error) -> Failure {
    Failure::System(format!("cannot use the terminal: {error}"))
}
