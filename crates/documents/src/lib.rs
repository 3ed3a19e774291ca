//! A picture of a document in, fields and measures out.
//!
//! Knows no tenant, no HTTP, no database and no clock: the moment comes in as an argument.

pub mod authenticity;
pub mod barcode;
pub mod catalogue;
pub mod countries;
pub mod field;
pub mod limit;
pub mod locate;
pub mod mrz;
pub mod picture;
pub mod quality;
pub mod reading;
pub mod supplementary;
pub mod text;
