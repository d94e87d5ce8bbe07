//! How long crashed leaders are missed, as a plot: a panel for each graph, a line for each range of time-outs.

use crate::args::TimeoutsArgs;
use crate::error::Failure;
use crate::plot::{CAPTION_HEIGHT, Canvas, Error, GREY, Lines, PALE, grouped, legend, round_numbers};
use bellwether_lab::timeouts::{Graphs, Missed};
use plotters::coord::combinators::BindKeyPoints as _;
use plotters::prelude::*;

/// In pixels, each.
const PANEL_WIDTH: u32 = 720;
const PANEL_HEIGHT: u32 = 400;
/// A line goes through so many points.
const POINTS: u32 = 400;

/// Draws what was measured.
pub fn draw(args: &TimeoutsArgs, graphs: &Graphs) -> Result<String, Failure> {
    let mut svg = String::new();
    draw_into(&mut svg, args, graphs).map_err(|error| Failure::System(format!("no plot: {error}")))?;
    Ok(svg)
}

fn draw_into(svg: &mut String, args: &TimeoutsArgs, graphs: &Graphs) -> Result<(), Error> {
    let size = (PANEL_WIDTH + legend::WIDTH, 2 * PANEL_HEIGHT + CAPTION_HEIGHT);
    let canvas: Canvas<'_> = SVGBackend::with_string(svg, size).into_drawing_area();
    canvas.fill(&WHITE)?;
    let title = format!(
        "How long a crashed leader is missed: Raft's vote, {} members, {} crashes a line",
        args.nodes, args.runs
    );
    canvas.draw(&Text::new(title, (16, 14), ("sans-serif", 20).into_font()))?;
    let (_, below) = canvas.split_vertically(CAPTION_HEIGHT);
    let panels = [
        ("the more random time-outs are, the fewer votes are split", &graphs.randomness),
        ("the shorter time-outs are, the sooner a crash is noticed", &graphs.length),
    ];
    for ((caption, all), here) in panels.into_iter().zip(below.split_evenly((2, 1))) {
        let (chart, beside) = here.split_horizontally(PANEL_WIDTH);
        let lines: Vec<Lines> = all.iter().enumerate().map(|(at, missed)| line(at, missed)).collect();
        draw_panel(&chart, &canvas, caption, all, &lines)?;
        legend::draw(&beside, &lines, |at| note(&all[at]), "")?;
    }
    canvas.present()?;
    Ok(())
}

/// The share of leaders, in per cent, that have been replaced after so many milliseconds.
fn line(at: usize, missed: &Missed) -> Lines {
    let (least, most) = missed.time_out;
    let shares = (1..=POINTS).map(|point| f64::from(point) / f64::from(POINTS));
    let points = shares.filter_map(|share| Some((missed.quantile(share)?, share * 100.0)));
    Lines::new(at, format!("{least} to {most} ms"), None, points.collect(), Vec::new())
}

fn note(missed: &Missed) -> String {
    match (missed.quantile(0.5), missed.quantile(1.0)) {
        (Some(median), Some(longest)) => format!("median {median:.0} ms, longest {longest:.0} ms"),
        (Some(median), None) => format!("median {median:.0} ms, some over 20 s"),
        _ => "most over 20 s".to_owned(),
    }
}

fn draw_panel(
    here: &Canvas<'_>,
    canvas: &Canvas<'_>,
    caption: &str,
    all: &[Missed],
    lines: &[Lines],
) -> Result<(), Error> {
    let times = || lines.iter().flat_map(Lines::points).map(|(time, _)| time);
    let Some((low, high)) = times().min_by(f64::total_cmp).zip(times().max_by(f64::total_cmp)) else {
        return Ok(()); // nobody was replaced
    };
    let (low, high) = (low / 1.2, high * 1.2);
    let mut chart = ChartBuilder::on(here)
        .caption(caption, ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(
            (low..high).log_scale().with_key_points(round_numbers((low, high))),
            0.0..100.0,
        )?;
    chart
        .configure_mesh()
        .bold_line_style(PALE)
        .light_line_style(TRANSPARENT)
        .axis_style(GREY)
        .y_labels(6)
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .x_desc("time without a leader (ms)")
        .y_desc("replaced by then (%)")
        .x_label_formatter(&|time| grouped(*time))
        .y_label_formatter(&|share| format!("{share:.0}"))
        .draw()?;
    for line in lines {
        chart.draw_series(LineSeries::new(line.measured.iter().copied(), line.colour.stroke_width(2)))?;
    }
    // Where half of them have been replaced, so that lines can be told apart without their colours.
    for (line, missed) in lines.iter().zip(all) {
        if let Some(median) = missed.quantile(0.5) {
            line.draw_marker(canvas, chart.backend_coord(&(median, 50.0)))?;
        }
    }
    Ok(())
}
