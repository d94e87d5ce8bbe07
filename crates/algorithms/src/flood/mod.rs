//! Elections by flooding, in any network whose diameter is known.

pub mod floodmax;
