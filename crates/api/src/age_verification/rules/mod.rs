//! Rules for stored results.

pub(super) mod create;
