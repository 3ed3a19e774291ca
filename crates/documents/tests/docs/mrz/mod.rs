//! Machine-readable zones: their text, on ICAO's own examples, and reading them from pictures.

mod read;
mod round_trip;
mod specimen;
mod text;
