//! Documents, from their texts and pictures to what they say. One program, because linking many takes longer.

mod aamva;
mod barcodes;
mod mrz;
mod page;
mod reading;
mod text;
