//! What the terminal can show: colours or none, all letters or ASCII only.

use bellwether_core::Role;
use bellwether_model::recording::{Condition, Snapshot};
use clap::ValueEnum;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;
use ratatui::widgets::{Block, Borders};
use std::io::IsTerminal as _;

/// Whether to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// If the terminal has them, and NO_COLOR does not forbid it
    #[default]
    Auto,
    /// In any case
    Always,
    /// Not at all
    Never,
}

/// Whether there is a terminal that can show pictures, and somebody at its keys.
pub fn can_be_drawn() -> bool {
    let can_be_drawn_on = std::env::var("TERM").is_ok_and(|kind| kind != "dumb" && !kind.is_empty());
    can_be_drawn_on && std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    ascii: bool,
    color: bool,
}

/// The lines around a panel where there is ASCII only.
const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// One for each kind of message, as far as they go.
const KINDS: [(char, char); 8] =
    [('●', 'o'), ('◆', '#'), ('■', '='), ('▲', '^'), ('○', '@'), ('◇', '%'), ('□', '&'), ('△', '~')];
const KIND_COLOURS: [Color; 6] =
    [Color::Cyan, Color::Magenta, Color::Green, Color::Blue, Color::Yellow, Color::Red];

impl Look {
    /// What is asked for, and else what the environment says. `variable` looks a variable up.
    pub fn new(ascii: bool, color: ColorArg, variable: impl Fn(&str) -> Option<String>) -> Look {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        // The first of these that is set decides, as for every program.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
        let knows_all_letters = locale.to_ascii_lowercase().replace('-', "").contains("utf8");
        let color = match color {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => set("NO_COLOR").is_none() && set("TERM").is_none_or(|kind| kind != "dumb"),
        };
        Look { ascii: ascii || !knows_all_letters, color }
    }

    /// What is asked for, and else what this terminal can.
    pub fn of_terminal(ascii: bool, color: ColorArg) -> Look {
        Look::new(ascii, color, |name| std::env::var(name).ok())
    }

    fn pick<T>(self, all_letters: T, ascii: T) -> T {
        if self.ascii { ascii } else { all_letters }
    }

    /// A message of this kind.
    pub fn kind(self, kind: usize) -> char {
        let (symbol, ascii) = KINDS[kind % KINDS.len()];
        self.pick(symbol, ascii)
    }

    /// What goes before a member's name: how it stands.
    pub fn standing(self, seat: Option<&Snapshot>) -> &'static str {
        match seat {
            None => self.pick("…", "?"),
            Some(seat) if seat.life == Condition::Dead => self.pick("✗", "x"),
            Some(seat) if seat.life == Condition::Frozen => "z",
            Some(seat) if seat.lies => "~",
            Some(seat) if seat.status.role == Role::Leader => self.leader(),
            Some(seat) if seat.status.halted => self.pick("‖", "!"),
            Some(_) => "",
        }
    }

    /// The signs of [`Look::standing`]: leads, dead, not booted, halted.
    pub fn signs(self) -> &'static str {
        self.pick("★ ✗ … ‖", "* x ? !")
    }

    /// A member whose name has no room.
    pub fn member(self) -> char {
        self.pick('○', 'O')
    }

    /// A piece of a link.
    pub fn link(self) -> char {
        self.pick('·', '.')
    }

    /// What is about to change into what.
    pub fn becomes(self) -> &'static str {
        self.pick("→", "->")
    }

    /// Here.
    pub fn here(self) -> &'static str {
        self.pick("▸", ">")
    }

    /// Running, or not.
    pub fn playing(self, playing: bool) -> &'static str {
        match playing {
            true => self.pick("▶", ">"),
            false => self.pick("⏸", "||"),
        }
    }

    /// The keys for forward and back.
    pub fn arrows(self) -> &'static str {
        self.pick("←/→", "</>")
    }

    /// A panel with a title.
    pub fn panel(self, title: String) -> Block<'static> {
        let set = self.pick(border::PLAIN, ASCII_BORDER);
        let block = Block::new().borders(Borders::ALL).border_set(set);
        block.title(format!(" {title} ")).border_style(self.faint())
    }

    /// What goes before the name of whoever leads.
    pub fn leader(self) -> &'static str {
        self.pick("★", "*")
    }

    /// A bar of so many cells, of which so many are full.
    pub fn bar(self, full: usize, cells: usize) -> String {
        let (on, off) = self.pick(("█", "░"), ("#", "."));
        on.repeat(full) + &off.repeat(cells.saturating_sub(full))
    }

    /// In this colour, if there are colours, and bold.
    pub fn in_colour(self, colour: Color) -> Style {
        let style = if self.color { Style::new().fg(colour) } else { Style::new() };
        style.add_modifier(Modifier::BOLD)
    }

    /// Of little importance.
    pub fn faint(self) -> Style {
        if self.color { Style::new().fg(Color::DarkGray) } else { Style::new() }
    }

    /// What the eye should find first.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The step, or the member, that all this is about.
    pub fn current(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED)
    }

    /// A message of this kind.
    pub fn kind_style(self, kind: usize) -> Style {
        if self.color { Style::new().fg(KIND_COLOURS[kind % KIND_COLOURS.len()]) } else { Style::new() }
    }

    /// A member, by how it stands.
    pub fn member_style(self, seat: Option<&Snapshot>) -> Style {
        let colour = match seat {
            None => Color::DarkGray,
            Some(seat) if seat.life == Condition::Dead || seat.lies => Color::Red,
            Some(seat) if seat.life == Condition::Frozen => Color::Blue,
            Some(seat) if seat.status.role == Role::Leader => Color::Yellow,
            Some(_) => return Style::new(),
        };
        self.in_colour(colour)
    }

    /// What has just changed.
    pub fn changed(self) -> Style {
        let style = self.strong();
        if self.color { style.fg(Color::Yellow) } else { style.add_modifier(Modifier::UNDERLINED) }
    }
}
