//! A comparison as a log-log plot: a panel for each order, side by side, with the same axes.

mod axes;
mod legend;
mod spread;
mod trade_off;

pub use spread::draw as spread;
pub use trade_off::draw as trade_off;

use crate::args::{CompareArgs, MeasureArg, OrderArg, word};
use crate::commands::{Series, orders};
use crate::error::Failure;
use axes::{Frame, grouped};
use plotters::coord::combinators::BindKeyPoints as _;
use plotters::prelude::*;

/// In pixels: one panel alone, each of several, and what the first has besides for its axis.
const WIDTH_ALONE: u32 = 750;
const WIDTH_OF_SEVERAL: u32 = 400;
const AXIS_WIDTH: u32 = 84;
/// In pixels, unless the legend needs more.
const LEAST_HEIGHT: u32 = 620;
const CAPTION_HEIGHT: u32 = 44;
/// Okabe and Ito's colours, which the colour-blind can tell apart.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(60, 60, 60),
];
/// Markers differ too, where lines lie upon each other.
const MARKERS: usize = 4;
const GREY: RGBColor = RGBColor(90, 90, 90);
const PALE: RGBColor = RGBColor(222, 222, 222);
/// The line through what was measured.
const BAND_WIDTH: u32 = 5;
const BAND_OPACITY: f64 = 0.3;

type Error = Box<dyn std::error::Error>;
type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

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
    order: OrderArg,
    lines: Vec<Lines>,
}

impl Panel {
    fn new(order: OrderArg, all: &[Series]) -> Panel {
        let shown = all.iter().filter(|series| series.order == order).enumerate();
        let lines = shown.map(|(at, series)| {
            let name = series.choice.label();
            Lines::new(at, name, series.exponent(), series.measured(), series.claimed())
        });
        Panel { order, lines: lines.collect() }
    }
}

/// What is written round a panel; the vertical axis is not named again beside the first panel.
struct Labels<'a> {
    caption: &'a str,
    x: &'a str,
    y: Option<&'a str>,
}

/// One algorithm's lines.
struct Lines {
    name: String,
    growth: Option<f64>,
    colour: RGBColor,
    marker: usize,
    measured: Vec<(f64, f64)>,
    claimed: Vec<(f64, f64)>,
}

impl Lines {
    fn new(
        at: usize,
        name: String,
        growth: Option<f64>,
        measured: Vec<(f64, f64)>,
        claimed: Vec<(f64, f64)>,
    ) -> Lines {
        let positive =
            |points: Vec<(f64, f64)>| points.into_iter().filter(|&(x, y)| x > 0.0 && y > 0.0).collect();
        Lines {
            name,
            growth,
            colour: COLOURS[at % COLOURS.len()],
            marker: at % MARKERS,
            measured: positive(measured),
            claimed: positive(claimed),
        }
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.measured.iter().chain(&self.claimed).copied()
    }

    /// The algorithm's marker, in pixels.
    fn draw_marker(&self, canvas: &Canvas<'_>, (x, y): (i32, i32)) -> Result<(), Error> {
        let full = self.colour.filled();
        match self.marker {
            0 => canvas.draw(&Circle::new((x, y), 4, full))?,
            1 => canvas.draw(&TriangleMarker::new((x, y), 6, full))?,
            2 => canvas.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], full))?,
            _ => canvas.draw(&Cross::new((x, y), 4, self.colour.stroke_width(2)))?,
        }
        Ok(())
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
        let caption = format!("{} order", word(panel.order));
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
            _ => format!("{} n^{exponent:.2}", word(panel.order)),
        })
    });
    grows.collect::<Vec<_>>().join(", ")
}

/// One panel.
fn draw_panel(
    here: &Canvas<'_>,
    canvas: &Canvas<'_>,
    labels: &Labels<'_>,
    lines: &[Lines],
    frame: &Frame,
) -> Result<(), Error> {
    let mut chart = ChartBuilder::on(here)
        .caption(labels.caption, ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(52)
        .y_label_area_size(if labels.y.is_some() { AXIS_WIDTH } else { 0 })
        .build_cartesian_2d(
            (frame.x.0..frame.x.1).log_scale().with_key_points(frame.x_ticks.clone()),
            (frame.y.0..frame.y.1).log_scale().with_key_points(frame.y_ticks.clone()),
        )?;
    chart
        .configure_mesh()
        .bold_line_style(PALE)
        .light_line_style(TRANSPARENT)
        .axis_style(GREY)
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .x_desc(labels.x)
        .y_desc(labels.y.unwrap_or_default())
        .x_label_formatter(&|x| grouped(*x))
        .y_label_formatter(&|y| grouped(*y))
        .draw()?;
    // Mostly the two coincide: a pale band for what was measured lets the claim be seen on it.
    for line in lines {
        let measured = line.measured.iter().copied();
        chart
            .draw_series(LineSeries::new(measured, line.colour.mix(BAND_OPACITY).stroke_width(BAND_WIDTH)))?;
        let claimed = line.claimed.iter().copied();
        chart.draw_series(DashedLineSeries::new(claimed, 6, 5, line.colour.stroke_width(1)))?;
    }
    for line in lines {
        for point in &line.measured {
            line.draw_marker(canvas, chart.backend_coord(point))?;
        }
    }
    Ok(())
}
