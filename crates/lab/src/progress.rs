//! How far a long computation is.

/// Shows how far a long computation is. It is called from any thread.
pub trait Progress: Sync {
    /// A part of the computation begins: its name.
    fn begin(&self, part: &str);

    /// One more run has ended.
    fn advance(&self);
}

/// Shows nothing.
impl Progress for () {
    fn begin(&self, _: &str) {}
    fn advance(&self) {}
}
