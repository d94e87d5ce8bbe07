//! The other side of a terminal: what a person would see.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::Stdio;

const ROWS: usize = 60;
const COLUMNS: usize = 120;

/// A terminal that knows as much as is needed: moves, colours (which it ignores), and the end of the other screen.
pub struct Screen {
    terminal: File,
    name: String,
    cells: Vec<char>,
    /// Where the next character goes, counted in cells.
    at: usize,
    /// What has come of a character or a sequence that is not complete.
    begun: Vec<u8>,
}

impl Screen {
    pub fn new() -> Screen {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize { ws_row: ROWS as u16, ws_col: COLUMNS as u16, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        Screen { terminal: master.into(), name, cells: vec![' '; ROWS * COLUMNS], at: 0, begun: Vec::new() }
    }

    /// For the program that is shown.
    pub fn stdio(&self) -> Stdio {
        File::options().read(true).write(true).open(&self.name).unwrap().into()
    }

    pub fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads until this can be seen.
    pub fn until(&mut self, what: &str, is_so: impl Fn(&Screen) -> bool) {
        let mut bytes = [0; 4_096];
        while !is_so(self) {
            let read = self.terminal.read(&mut bytes);
            let count = read.unwrap_or_else(|error| panic!("{error} before {what}:\n{}", self.text()));
            bytes[..count].iter().for_each(|&byte| self.take(byte));
        }
    }

    pub fn until_shown(&mut self, words: &str) {
        self.until(words, |screen| screen.text().contains(words));
    }

    /// The rows, one after the other: what is longer than a row reads on in the next.
    pub fn text(&self) -> String {
        self.cells.iter().collect()
    }

    /// The role and the rest of what is shown of a member, if it is there.
    pub fn member(&self, id: u64) -> Option<(String, String)> {
        self.rows().find_map(|row| {
            let row = row.trim_matches(|it: char| !it.is_ascii_alphanumeric() && it != '-');
            let (number, rest) = row.split_once("  ")?;
            let (role, rest) = rest.split_once(' ')?;
            (number.parse() == Ok(id)).then(|| (role.to_owned(), rest.to_owned()))
        })
    }

    pub fn leads(&self, id: u64) -> bool {
        self.member(id).is_some_and(|(role, _)| role == "leader")
    }

    /// Whether a member's process is so: running, paused, cut or dead.
    pub fn is(&self, id: u64, state: &str) -> bool {
        self.member(id).is_some_and(|(_, rest)| rest.ends_with(state))
    }

    fn rows(&self) -> impl Iterator<Item = String> {
        self.cells.chunks(COLUMNS).map(|row| row.iter().collect())
    }

    fn take(&mut self, byte: u8) {
        self.begun.push(byte);
        let begun = self.begun.clone();
        match &begun[..] {
            [0x1b] | [0x1b, b'['] => return,
            [0x1b, b'[', middle @ .., last] => {
                if !last.is_ascii_alphabetic() {
                    return;
                }
                self.obey(*last, std::str::from_utf8(middle).unwrap());
            }
            [0x1b, _] => {}
            [b'\r'] => self.at -= self.at % COLUMNS,
            [b'\n'] => self.at += COLUMNS,
            bytes => {
                // A character that is not complete is waited for.
                let Ok(text) = std::str::from_utf8(bytes) else { return };
                for character in text.chars() {
                    if let Some(cell) = self.cells.get_mut(self.at) {
                        *cell = character;
                    }
                    self.at += 1;
                }
            }
        }
        self.begun.clear();
    }

    fn obey(&mut self, last: u8, parameters: &str) {
        match (last, parameters) {
            (b'H', _) => {
                let mut numbers = parameters.split(';').map(|it| it.parse::<usize>().unwrap_or(1).max(1) - 1);
                let (row, column) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
                self.at = row * COLUMNS + column;
            }
            (b'J', "2") => self.cells.fill(' '),
            (b'l', "?1049") => {
                self.cells.fill(' ');
                self.at = 0;
            }
            _ => {}
        }
    }
}
