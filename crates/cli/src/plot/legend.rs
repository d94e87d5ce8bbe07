//! The legend of a plot: which line is whose, and how it grows.

use super::{BAND_OPACITY, BAND_WIDTH, Canvas, Error, GREY, Lines};
use plotters::prelude::*;

/// How much of the picture's width it has, in pixels.
pub const WIDTH: u32 = 290;
/// Where it begins, and what each of its entries takes.
const TOP: i32 = 40;
const ENTRY: i32 = 46;

/// How high the picture must be for it.
pub fn height(entries: usize) -> u32 {
    let entries = entries as i32;
    (super::CAPTION_HEIGHT as i32 + TOP + ENTRY * (entries + 1)).unsigned_abs()
}

/// Draws it: each line with a note, and what the dashed lines are.
pub fn draw(
    canvas: &Canvas<'_>,
    lines: &[Lines],
    note: impl Fn(usize) -> String,
    theory: &str,
) -> Result<(), Error> {
    let (name_style, note_style) =
        (("sans-serif", 15).into_font(), ("sans-serif", 13).into_font().color(&GREY));
    let mut top = TOP;
    for (at, line) in lines.iter().enumerate() {
        let bar = vec![(6, top + 7), (40, top + 7)];
        canvas.draw(&PathElement::new(bar, line.colour.mix(BAND_OPACITY).stroke_width(BAND_WIDTH)))?;
        line.draw_marker(canvas, (23, top + 7))?;
        canvas.draw(&Text::new(line.name.clone(), (50, top), name_style.clone()))?;
        canvas.draw(&Text::new(note(at), (50, top + 19), note_style.clone()))?;
        top += ENTRY;
    }
    if lines.iter().any(|line| !line.claimed.is_empty()) {
        for dash in 0..3 {
            let from = 6 + dash * 12;
            let dash = vec![(from, top + 7), (from + 7, top + 7)];
            canvas.draw(&PathElement::new(dash, GREY.stroke_width(1)))?;
        }
        canvas.draw(&Text::new(theory.to_owned(), (50, top), note_style))?;
    }
    Ok(())
}
