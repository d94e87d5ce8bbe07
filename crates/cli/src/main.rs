//! The bellwether program.
fn main() {}
