//! The trade-off of T and D as a plot: speed, cost and mistakes, a panel each.

use super::HOPS_AN_HOUR;
use crate::args::DetectorsArgs;
use crate::error::Failure;
use crate::plot::{CAPTION_HEIGHT, Canvas, Error, Frame, Labels, Lines, draw_panel, legend};
use bellwether_lab::detection::{Row, TradeOff};
use plotters::prelude::*;

/// In pixels, each.
const PANEL_WIDTH: u32 = 470;
const PANEL_HEIGHT: u32 = 370;

/// One panel: what it is about, and its lines.
struct Panel {
    labels: Labels<'static>,
    lines: Vec<Lines>,
}

impl Panel {
    fn new(
        labels: Labels<'static>,
        sweeps: &[Vec<(f64, Row)>],
        measured: fn(&Row) -> Option<f64>,
        theory: fn(&Row) -> Option<f64>,
    ) -> Panel {
        let points = |sweep: &[(f64, Row)], of: fn(&Row) -> Option<f64>| {
            sweep.iter().filter_map(|(x, row)| Some((*x, of(row)?))).collect()
        };
        let line = |(at, sweep): (usize, &Vec<(f64, Row)>)| {
            Lines::new(at, name(sweep), None, points(sweep, measured), points(sweep, theory))
        };
        Panel { labels, lines: sweeps.iter().enumerate().map(line).collect() }
    }
}

/// The conditions of a sweep.
fn name(sweep: &[(f64, Row)]) -> String {
    let Some((_, row)) = sweep.first() else { return String::new() };
    let conditions = &row.cell.conditions;
    match conditions.loss {
        0.0 => format!("delay {}", conditions.delay),
        loss => format!("delay {}, {}% lost", conditions.delay, (loss * 1e6).round() / 1e4),
    }
}

fn detection(row: &Row) -> Option<f64> {
    Some(row.quality.detection_time?.mean)
}

fn detection_in_theory(row: &Row) -> Option<f64> {
    Some(row.closed_form?.detection_time)
}

/// Draws what was measured, and what theory says beside it.
pub fn draw(args: &DetectorsArgs, trade_off: &TradeOff) -> Result<String, Failure> {
    let labels = |caption, x, y| Labels { caption, x, y: Some(y) };
    let panels = [
        Panel::new(
            labels("speed: the larger T, the later", "T (hops)", "detection time (hops)"),
            &trade_off.periods,
            detection,
            detection_in_theory,
        ),
        Panel::new(
            labels("cost: the smaller T, the dearer", "T (hops)", "signals a hop"),
            &trade_off.periods,
            |row| Some(row.quality.signals.value),
            |row| Some(1.0 / row.cell.settings().first()?.1),
        ),
        Panel::new(
            labels("speed: the larger D, the later", "D (hops)", "detection time (hops)"),
            &trade_off.bounds,
            detection,
            detection_in_theory,
        ),
        Panel::new(
            labels("mistakes: the smaller D, the more", "D (hops)", "mistakes an hour"),
            &trade_off.bounds,
            |row| Some(row.quality.mistake_rate.value * HOPS_AN_HOUR),
            |row| Some(row.closed_form?.mistake_rate * HOPS_AN_HOUR),
        ),
    ];
    let mut svg = String::new();
    draw_into(&mut svg, args, &panels).map_err(|error| Failure::System(format!("no plot: {error}")))?;
    Ok(svg)
}

fn draw_into(svg: &mut String, args: &DetectorsArgs, panels: &[Panel; 4]) -> Result<(), Error> {
    let size = (2 * PANEL_WIDTH + legend::WIDTH, 2 * PANEL_HEIGHT + CAPTION_HEIGHT);
    let canvas: Canvas<'_> = SVGBackend::with_string(svg, size).into_drawing_area();
    canvas.fill(&WHITE)?;
    let title = format!(
        "The heartbeat's T and D against speed, cost and mistakes ({} watches each; a hop is a millisecond)",
        args.runs
    );
    canvas.draw(&Text::new(title, (16, 14), ("sans-serif", 20).into_font()))?;
    let (_, below) = canvas.split_vertically(CAPTION_HEIGHT);
    let (grid, beside) = below.split_horizontally(2 * PANEL_WIDTH);
    for (panel, here) in panels.iter().zip(grid.split_evenly((2, 2))) {
        // Where nothing is above 0, as with mistakes that nobody made, there is nothing to draw.
        if let Some(frame) = Frame::around(panel.lines.iter()) {
            draw_panel(&here, &canvas, &panel.labels, &panel.lines, &frame)?;
        }
    }
    legend::draw(&beside, &panels[0].lines, |_| String::new(), "closed form, in the same colours")?;
    canvas.present()?;
    Ok(())
}
