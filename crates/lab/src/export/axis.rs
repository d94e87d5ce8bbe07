//! Time as a place: to scale, but long stretches in which nothing happens are cut short.

use crate::recording::Recording;
use bellwether_core::{HOP, Span, Time};

/// What a hop takes, in pixels, while there is room.
const HOP_WIDTH: f64 = 84.0;
/// No diagram is wider than this, about.
const WIDEST: f64 = 12_000.0;
/// Nothing happens for longer than this: the rest is left out.
const LONGEST_GAP: Span = Span::from_hops(3);
/// Between two marks of the axis, in pixels.
const BETWEEN_MARKS: f64 = 42.0;

/// Where times are.
pub struct Axis {
    /// When anything happens, and where that is: in order.
    places: Vec<(Time, f64)>,
}

impl Axis {
    /// The axis of a run, from 0 on.
    pub fn new(recording: &Recording) -> Axis {
        let of_messages = recording.messages.iter().flat_map(|message| [message.at, message.due]);
        let mut times: Vec<Time> = recording.steps.iter().map(|step| step.at).chain(of_messages).collect();
        times.push(Time::ZERO);
        times.sort_unstable();
        times.dedup();
        let length = |gap: Span| gap.min(LONGEST_GAP).hops();
        let hops: f64 = times.windows(2).map(|pair| length(pair[1] - pair[0])).sum();
        let scale = HOP_WIDTH.min(WIDEST / hops.max(1.0));
        let mut x = 0.0;
        let mut places: Vec<(Time, f64)> = Vec::new();
        for time in times {
            if let Some((last, _)) = places.last() {
                x += length(time - *last) * scale;
            }
            places.push((time, x));
        }
        Axis { places }
    }

    /// Where the last time is.
    pub fn width(&self) -> f64 {
        self.places.last().map_or(0.0, |(_, x)| *x)
    }

    /// Where a time is at which something happens.
    pub fn x(&self, time: Time) -> f64 {
        let at = self.places.partition_point(|(other, _)| *other < time);
        self.places.get(at).map_or(self.width(), |(_, x)| *x)
    }

    /// Where stretches were cut short.
    pub fn cuts(&self) -> impl Iterator<Item = f64> + '_ {
        let long = self.places.windows(2).filter(|pair| pair[1].0 - pair[0].0 > LONGEST_GAP);
        long.map(|pair| f64::midpoint(pair[0].1, pair[1].1))
    }

    /// Whole hops to mark, as many as there is room for, and where they are.
    pub fn marks(&self) -> Vec<(u64, f64)> {
        let mut marks: Vec<(u64, f64)> = Vec::new();
        let mut mark = |hop: u64, x: f64| {
            if marks.last().is_none_or(|(_, last)| x - last >= BETWEEN_MARKS) {
                marks.push((hop, x));
            }
        };
        let hop = HOP.ticks();
        for pair in self.places.windows(2) {
            let ((start, left), (end, right)) = (pair[0], pair[1]);
            let first = start.ticks().div_ceil(hop);
            if end - start > LONGEST_GAP {
                if start.ticks().is_multiple_of(hop) {
                    mark(first, left);
                }
                continue;
            }
            for number in first..=end.ticks() / hop {
                let share = (Time::from_ticks(number * hop) - start).hops() / (end - start).hops();
                mark(number, left + share * (right - left));
            }
        }
        if let Some((last, x)) = self.places.last()
            && last.ticks().is_multiple_of(hop)
        {
            mark(last.ticks() / hop, *x);
        }
        marks
    }
}
