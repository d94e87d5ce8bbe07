//! A sheet of letters on which nothing is written over what is there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A sheet.
pub struct Sketch<'b> {
    area: Rect,
    buffer: &'b mut Buffer,
    taken: Vec<bool>,
}

impl<'b> Sketch<'b> {
    /// An empty sheet.
    pub fn new(area: Rect, buffer: &'b mut Buffer) -> Sketch<'b> {
        Sketch { taken: vec![false; area.area() as usize], area, buffer }
    }

    /// How wide it is.
    pub fn width(&self) -> f64 {
        f64::from(self.area.width)
    }

    /// How high it is.
    pub fn height(&self) -> f64 {
        f64::from(self.area.height)
    }

    /// Puts a letter down that others may be written over.
    pub fn dot(&mut self, x: i32, y: i32, letter: char, style: Style) {
        if let Some(cell) = self.index(x, y)
            && !self.taken[cell]
        {
            self.set(x, y, letter, style);
        }
    }

    /// Writes a text if it fits on the sheet and nothing is in its way.
    pub fn write(&mut self, x: i32, y: i32, text: &str, style: Style) -> bool {
        let places = || text.chars().zip(x..);
        let is_free = |x: i32| self.index(x, y).is_some_and(|cell| !self.taken[cell]);
        if !places().all(|(_, x)| is_free(x)) {
            return false;
        }
        for (letter, x) in places() {
            self.set(x, y, letter, style);
            if let Some(cell) = self.index(x, y) {
                self.taken[cell] = true;
            }
        }
        true
    }

    fn index(&self, x: i32, y: i32) -> Option<usize> {
        let is_inside =
            (0..i32::from(self.area.width)).contains(&x) && (0..i32::from(self.area.height)).contains(&y);
        is_inside.then(|| y as usize * self.area.width as usize + x as usize)
    }

    fn set(&mut self, x: i32, y: i32, letter: char, style: Style) {
        let place = (self.area.x + x as u16, self.area.y + y as u16);
        if let Some(cell) = self.buffer.cell_mut(place) {
            cell.set_char(letter).set_style(style);
        }
    }
}
