//! Figures as people and programs read them.

use serde::{Serialize, Serializer};
use std::fmt;

/// Above this, floating-point numbers leave whole numbers out.
const ALL_WHOLE_BELOW: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// A measured or claimed figure: a whole number is written without a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure(pub f64);

impl Figure {
    fn whole(self) -> Option<i64> {
        (self.0.fract() == 0.0 && self.0.abs() < ALL_WHOLE_BELOW).then_some(self.0 as i64)
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => to.serialize_i64(whole),
            None => to.serialize_f64(self.0),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(whole) => f.pad(&whole.to_string()),
            None => f.pad(&format!("{:.3}", self.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_figures_have_no_point() {
        let json = |value| serde_json::to_string(&Figure(value)).unwrap();
        assert_eq!((json(17.0), json(17.5), json(-2.0)), ("17".into(), "17.5".into(), "-2".into()));
        assert_eq!(json(1e300).parse(), Ok(1e300));
        assert_eq!(format!("{:>6}", Figure(2.0 / 3.0)), " 0.667");
    }
}
