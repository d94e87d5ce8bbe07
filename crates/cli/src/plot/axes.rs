//! What the axes of a plot show.

use super::Lines;
use crate::output;
use std::fmt::Display;

/// The most marks that an axis has room for.
const MOST_TICKS: usize = 9;

/// What the axes show.
pub struct Frame {
    /// From where to where.
    pub x: (f64, f64),
    /// From where to where.
    pub y: (f64, f64),
    /// Where the marks are.
    pub x_ticks: Vec<f64>,
    /// Where the marks are.
    pub y_ticks: Vec<f64>,
}

impl Frame {
    /// Room for everything that is drawn; nothing if nothing is.
    pub fn around<'a>(lines: impl Iterator<Item = &'a Lines> + Clone) -> Option<Frame> {
        let mut sizes: Vec<f64> = lines.clone().flat_map(Lines::points).map(|(x, _)| x).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        sizes.dedup();
        let heights = || lines.clone().flat_map(Lines::points).map(|(_, y)| y);
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
pub fn round_numbers((low, high): (f64, f64)) -> Vec<f64> {
    let of = |factors: &[f64]| -> Vec<f64> {
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let numbers = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
        numbers.filter(|number| (low..=high).contains(number)).collect()
    };
    let powers = of(&[1.0]);
    thinned(if powers.len() >= 4 { powers } else { of(&[1.0, 2.0, 5.0]) }, (low, high))
}

/// A number with its thousands apart.
pub fn grouped(number: impl Display + Into<f64> + Copy) -> String {
    if number.into() < 1000.0 {
        return number.to_string();
    }
    output::grouped(number.into().round() as u64)
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
