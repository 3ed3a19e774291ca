//! Rules for stored results.

mod create;
