//! A comparison as a log-log plot.

use crate::args::{CompareArgs, MeasureArg, word};
use crate::commands::Series;
use crate::error::Failure;
use plotters::coord::combinators::BindKeyPoints as _;
use plotters::prelude::*;
use std::fmt::Display;

/// In pixels.
const WIDTH: u32 = 1000;
/// In pixels, unless the legend needs more.
const LEAST_HEIGHT: u32 = 620;
/// Where the legend begins, and what each of its entries takes.
const LEGEND_TOP: u32 = 72;
const LEGEND_ENTRY: u32 = 48;
/// How much of the width the legend has.
const LEGEND_WIDTH: u32 = 250;
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
/// The line through what was measured.
const BAND_WIDTH: u32 = 5;
const BAND_OPACITY: f64 = 0.3;
/// The most marks that an axis has room for.
const MOST_TICKS: usize = 12;

/// Draws what was measured, and what was claimed beside it.
pub fn draw(args: &CompareArgs, all: &[Series]) -> Result<String, Failure> {
    let lines: Vec<Lines> = all.iter().enumerate().map(|(at, series)| Lines::new(at, series)).collect();
    let frame = Frame::around(&lines).ok_or_else(|| {
        Failure::input("there is nothing to plot: on a logarithmic scale, figures must be above 0")
    })?;
    let mut svg = String::new();
    draw_into(&mut svg, args, &lines, &frame)
        .map_err(|error| Failure::System(format!("no plot: {error}")))?;
    Ok(svg)
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
    fn new(at: usize, series: &Series) -> Lines {
        let positive =
            |points: Vec<(f64, f64)>| points.into_iter().filter(|&(x, y)| x > 0.0 && y > 0.0).collect();
        Lines {
            name: series.choice.label(),
            growth: series.exponent(),
            colour: COLOURS[at % COLOURS.len()],
            marker: at % MARKERS,
            measured: positive(series.measured()),
            claimed: positive(series.claimed()),
        }
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.measured.iter().chain(&self.claimed).copied()
    }
}

/// What the axes show.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    x_ticks: Vec<f64>,
    y_ticks: Vec<f64>,
}

impl Frame {
    fn around(lines: &[Lines]) -> Option<Frame> {
        let mut sizes: Vec<f64> = lines.iter().flat_map(Lines::points).map(|(x, _)| x).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        sizes.dedup();
        let heights = || lines.iter().flat_map(Lines::points).map(|(_, y)| y);
        let (low, high) = (heights().min_by(f64::total_cmp)?, heights().max_by(f64::total_cmp)?);
        // Where all figures are about the same, the axis still shows a power of ten or two.
        let room = if high / low < 4.0 { 4.0 } else { 1.6 };
        let (x, y) = ((sizes.first()? / 1.2, sizes.last()? * 1.2), (low / room, high * room));
        Some(Frame { x, y, x_ticks: thinned(sizes, x), y_ticks: round_numbers(y) })
    }
}

/// As many marks as a logarithmic axis has room for, the first among them.
fn thinned(ticks: Vec<f64>, (low, high): (f64, f64)) -> Vec<f64> {
    let nearest = (high / low).powf(1.0 / MOST_TICKS as f64);
    let mut kept: Vec<f64> = Vec::new();
    for tick in ticks {
        if kept.last().is_none_or(|last| tick / last >= nearest) {
            kept.push(tick);
        }
    }
    kept
}

/// Powers of ten in a range; where those are few, their doubles and fivefolds too.
fn round_numbers((low, high): (f64, f64)) -> Vec<f64> {
    let of = |factors: &[f64]| -> Vec<f64> {
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let numbers = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
        numbers.filter(|number| (low..=high).contains(number)).collect()
    };
    let powers = of(&[1.0]);
    thinned(if powers.len() >= 4 { powers } else { of(&[1.0, 2.0, 5.0]) }, (low, high))
}

fn draw_into(
    svg: &mut String,
    args: &CompareArgs,
    lines: &[Lines],
    frame: &Frame,
) -> Result<(), Box<dyn std::error::Error>> {
    let legend_height = LEGEND_TOP + LEGEND_ENTRY * (lines.len() as u32 + 1);
    let size = (WIDTH, LEAST_HEIGHT.max(legend_height));
    let canvas = SVGBackend::with_string(svg, size).into_drawing_area();
    canvas.fill(&WHITE)?;
    let (plot, legend) = canvas.split_horizontally(WIDTH - LEGEND_WIDTH);
    let (measure, axis) = match args.measure {
        MeasureArg::Messages => ("Messages", "messages"),
        MeasureArg::Time => ("Time", "time (hops)"),
        MeasureArg::Bytes => ("Bytes", "bytes"),
    };
    let runs = if args.runs == 1 { "one run".to_owned() } else { format!("mean of {} runs", args.runs) };
    let title = format!("{measure} to elect a leader: {} order, {runs} a size", word(args.order));
    let mut chart = ChartBuilder::on(&plot)
        .caption(title, ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(52)
        .y_label_area_size(84)
        .build_cartesian_2d(
            (frame.x.0..frame.x.1).log_scale().with_key_points(frame.x_ticks.clone()),
            (frame.y.0..frame.y.1).log_scale().with_key_points(frame.y_ticks.clone()),
        )?;
    chart
        .configure_mesh()
        .bold_line_style(RGBColor(222, 222, 222))
        .light_line_style(TRANSPARENT)
        .axis_style(GREY)
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .x_desc("members n")
        .y_desc(axis)
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
            draw_marker(&canvas, line, chart.backend_coord(point))?;
        }
    }
    draw_legend(&legend, lines)?;
    canvas.present()?;
    Ok(())
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw_legend(legend: &Canvas<'_>, lines: &[Lines]) -> Result<(), Box<dyn std::error::Error>> {
    let (name_style, note_style) =
        (("sans-serif", 15).into_font(), ("sans-serif", 13).into_font().color(&GREY));
    let mut top = LEGEND_TOP as i32;
    for line in lines {
        let bar = vec![(6, top + 7), (40, top + 7)];
        legend.draw(&PathElement::new(bar, line.colour.mix(BAND_OPACITY).stroke_width(BAND_WIDTH)))?;
        draw_marker(legend, line, (23, top + 7))?;
        legend.draw(&Text::new(line.name.clone(), (50, top), name_style.clone()))?;
        if let Some(growth) = line.growth {
            let note = format!("measured to grow as n^{growth:.2}");
            legend.draw(&Text::new(note, (50, top + 19), note_style.clone()))?;
        }
        top += LEGEND_ENTRY as i32;
    }
    if lines.iter().any(|line| !line.claimed.is_empty()) {
        for dash in 0..3 {
            let from = 6 + dash * 12;
            legend
                .draw(&PathElement::new(vec![(from, top + 7), (from + 7, top + 7)], GREY.stroke_width(1)))?;
        }
        legend.draw(&Text::new("claimed, in the same colours", (50, top), note_style))?;
    }
    Ok(())
}

/// Draws a line's marker, in pixels.
fn draw_marker(
    canvas: &Canvas<'_>,
    line: &Lines,
    (x, y): (i32, i32),
) -> Result<(), Box<dyn std::error::Error>> {
    let full = line.colour.filled();
    match line.marker {
        0 => canvas.draw(&Circle::new((x, y), 4, full))?,
        1 => canvas.draw(&TriangleMarker::new((x, y), 6, full))?,
        2 => canvas.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], full))?,
        _ => canvas.draw(&Cross::new((x, y), 4, line.colour.stroke_width(2)))?,
    }
    Ok(())
}

/// A number with its thousands apart.
fn grouped(number: impl Display + Into<f64> + Copy) -> String {
    if number.into() < 1000.0 {
        return number.to_string();
    }
    let digits = format!("{:.0}", number.into());
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_few_and_round_marks() {
        assert_eq!(round_numbers((8.0, 20_000.0)), [10.0, 100.0, 1_000.0, 10_000.0]);
        assert_eq!(round_numbers((8.0, 60.0)), [10.0, 20.0, 50.0]);
        assert!(thinned((1..=1000).map(f64::from).collect(), (1.0, 1000.0)).len() <= MOST_TICKS + 1);
        assert_eq!(grouped(1_234_567.0), "1,234,567");
    }
}
