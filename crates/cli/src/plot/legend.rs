//! The legend of a plot: which line is whose, and how it grows.

use super::{BAND_OPACITY, BAND_WIDTH, Canvas, Error, GREY, Panel};
use crate::args::word;
use plotters::prelude::*;

/// How much of the picture's width it has, in pixels.
pub const WIDTH: u32 = 290;
/// Where it begins, and what each of its entries takes.
const TOP: i32 = 40;
const ENTRY: i32 = 46;

/// How high the picture must be for it.
pub fn height(panels: &[Panel]) -> u32 {
    let entries = panels.first().map_or(0, |panel| panel.lines.len()) as i32;
    (super::CAPTION_HEIGHT as i32 + TOP + ENTRY * (entries + 1)).unsigned_abs()
}

/// Draws it. Every panel has the same algorithms in the same colours.
pub fn draw(canvas: &Canvas<'_>, panels: &[Panel]) -> Result<(), Error> {
    let (name_style, note_style) =
        (("sans-serif", 15).into_font(), ("sans-serif", 13).into_font().color(&GREY));
    let Some(first) = panels.first() else { return Ok(()) };
    let mut top = TOP;
    for (at, line) in first.lines.iter().enumerate() {
        let bar = vec![(6, top + 7), (40, top + 7)];
        canvas.draw(&PathElement::new(bar, line.colour.mix(BAND_OPACITY).stroke_width(BAND_WIDTH)))?;
        line.draw_marker(canvas, (23, top + 7))?;
        canvas.draw(&Text::new(line.name.clone(), (50, top), name_style.clone()))?;
        canvas.draw(&Text::new(growth(panels, at), (50, top + 19), note_style.clone()))?;
        top += ENTRY;
    }
    if panels.iter().flat_map(|panel| &panel.lines).any(|line| !line.claimed.is_empty()) {
        for dash in 0..3 {
            let from = 6 + dash * 12;
            let dash = vec![(from, top + 7), (from + 7, top + 7)];
            canvas.draw(&PathElement::new(dash, GREY.stroke_width(1)))?;
        }
        canvas.draw(&Text::new("claimed (theory), in the same colours", (50, top), note_style))?;
    }
    Ok(())
}

/// With which exponents an algorithm's figures grow.
fn growth(panels: &[Panel], at: usize) -> String {
    let grows = panels.iter().filter_map(|panel| {
        let exponent = panel.lines[at].growth?;
        Some(match panels.len() {
            1 => format!("measured to grow as n^{exponent:.2}"),
            _ => format!("{} n^{exponent:.2}", word(panel.order)),
        })
    });
    grows.collect::<Vec<_>>().join(", ")
}
