//! What the tests of every crate may use: simulated attacks, builders, a frozen world.

pub mod spoof;
