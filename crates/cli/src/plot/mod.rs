//! What plots have in common: lines, log-log panels, axes and a legend.

mod axes;
pub mod legend;

pub use axes::{Frame, grouped, round_numbers};

use plotters::coord::combinators::BindKeyPoints as _;
use plotters::prelude::*;

/// In pixels: what a panel has besides for its vertical axis.
pub const AXIS_WIDTH: u32 = 84;
/// In pixels.
pub const CAPTION_HEIGHT: u32 = 44;
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
pub const GREY: RGBColor = RGBColor(90, 90, 90);
pub const PALE: RGBColor = RGBColor(222, 222, 222);
/// The line through what was measured.
const BAND_WIDTH: u32 = 5;
const BAND_OPACITY: f64 = 0.3;

pub type Error = Box<dyn std::error::Error>;
pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// What is written round a panel; the vertical axis is not named again beside the first panel.
pub struct Labels<'a> {
    pub caption: &'a str,
    pub x: &'a str,
    pub y: Option<&'a str>,
}

/// One algorithm's lines.
pub struct Lines {
    name: String,
    pub growth: Option<f64>,
    pub colour: RGBColor,
    marker: usize,
    pub measured: Vec<(f64, f64)>,
    claimed: Vec<(f64, f64)>,
}

impl Lines {
    pub fn new(
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

    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.measured.iter().chain(&self.claimed).copied()
    }

    /// The algorithm's marker, in pixels.
    pub fn draw_marker(&self, canvas: &Canvas<'_>, (x, y): (i32, i32)) -> Result<(), Error> {
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

/// One panel.
pub fn draw_panel(
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
