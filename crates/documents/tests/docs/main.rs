//! Tests of the whole crate, from texts and pictures to results. They are one program, because linking many would take
//! longer.

mod aamva;
mod barcodes;
mod mrz;
mod page;
mod reading;
mod text;
