//! Reads pictures of documents: fields, measures and their verdicts.
//!
//! The crate knows no tenants, no HTTP, no database and no clock: the current day is an argument.

pub mod authenticity;
pub mod barcode;
pub mod catalogue;
pub mod countries;
pub mod field;
pub mod forensics;
pub mod limit;
pub mod locate;
pub mod mrz;
pub mod picture;
pub mod quality;
pub mod reading;
pub mod supplementary;
pub mod text;
pub mod today;
