//! The Assay server.
fn main() {}
