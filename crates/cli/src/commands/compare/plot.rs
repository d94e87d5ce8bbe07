//! A comparison as a log-log plot: a panel for each order, side by side, with the same axes.

use super::orders;
use crate::args::{CompareArgs, MeasureArg};
use crate::error::Failure;
use crate::plot::{AXIS_WIDTH, CAPTION_HEIGHT, Error, Frame, Labels, Lines, draw_panel, legend};
use bellwether_core::Order;
use bellwether_lab::compare::Series;
use bellwether_runspec::form::Form as _;
use plotters::prelude::*;

/// In pixels: one panel alone, and each of several.
const WIDTH_ALONE: u32 = 750;
const WIDTH_OF_SEVERAL: u32 = 400;
/// In pixels, unless the legend needs more.
const LEAST_HEIGHT: u32 = 620;

/// Draws what was measured, and what was claimed beside it.
pub fn draw(args: &CompareArgs, all: &[Series]) -> Result<String, Failure> {
    let panels: Vec<Panel> = orders(args).into_iter().map(|order| Panel::new(order, all)).collect();
    let frame = Frame::around(panels.iter().flat_map(|panel| &panel.lines)).ok_or_else(|| {
        Failure::input("there is nothing to plot: on a logarithmic scale, figures must be above 0")
    })?;
    let mut svg = String::new();
    draw_into(&mut svg, args, &panels, &frame)
        .map_err(|error| Failure::System(format!("no plot: {error}")))?;
    Ok(svg)
}

/// What is drawn for one order.
struct Panel {
    order: Order,
    lines: Vec<Lines>,
}

impl Panel {
    fn new(order: Order, all: &[Series]) -> Panel {
        let shown = all.iter().filter(|series| series.order == order).enumerate();
        let lines = shown.map(|(at, series)| {
            let name = series.choice.to_string();
            Lines::new(at, name, series.exponent(), series.measured(), series.claimed())
        });
        Panel { order, lines: lines.collect() }
    }
}

fn draw_into(svg: &mut String, args: &CompareArgs, panels: &[Panel], frame: &Frame) -> Result<(), Error> {
    let alone = panels.len() == 1;
    let width_of = |at: usize| match at {
        0 if alone => WIDTH_ALONE,
        0 => WIDTH_OF_SEVERAL + AXIS_WIDTH,
        _ => WIDTH_OF_SEVERAL,
    };
    let width: u32 = (0..panels.len()).map(width_of).sum();
    let height = LEAST_HEIGHT.max(legend::height(panels.first().map_or(0, |panel| panel.lines.len())));
    let canvas = SVGBackend::with_string(svg, (width + legend::WIDTH, height)).into_drawing_area();
    canvas.fill(&WHITE)?;
    let (measure, axis) = match args.measure {
        MeasureArg::Messages => ("Messages", "messages"),
        MeasureArg::Time => ("Time", "time (hops)"),
        MeasureArg::Bytes => ("Bytes", "bytes"),
    };
    let runs = if args.runs == 1 { "one run".to_owned() } else { format!("mean of {} runs", args.runs) };
    let title =
        format!("{measure} to elect a leader among n members ({runs} a size where anything is random)");
    canvas.draw(&Text::new(title, (16, 14), ("sans-serif", 20).into_font()))?;
    let (_, below) = canvas.split_vertically(CAPTION_HEIGHT);
    let (mut rest, beside) = below.split_horizontally(width);
    for (at, panel) in panels.iter().enumerate() {
        let (here, after) = rest.split_horizontally(width_of(at));
        let caption = format!("{} order", panel.order.to_text());
        let labels = Labels { caption: &caption, x: "members n", y: (at == 0).then_some(axis) };
        draw_panel(&here, &canvas, &labels, &panel.lines, frame)?;
        rest = after;
    }
    if let Some(first) = panels.first() {
        // Every panel has the same algorithms in the same colours.
        let theory = "claimed (theory), in the same colours";
        legend::draw(&beside, &first.lines, |at| growth(panels, at), theory)?;
    }
    canvas.present()?;
    Ok(())
}

/// With which exponents an algorithm's figures grow.
fn growth(panels: &[Panel], at: usize) -> String {
    let grows = panels.iter().filter_map(|panel| {
        let exponent = panel.lines[at].growth?;
        Some(match panels.len() {
            1 => format!("measured to grow as n^{exponent:.2}"),
            _ => format!("{} n^{exponent:.2}", panel.order.to_text()),
        })
    });
    grows.collect::<Vec<_>>().join(", ")
}
