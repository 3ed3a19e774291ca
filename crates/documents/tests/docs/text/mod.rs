//! Text that people read: dates, labels, fields, zones held against them, letters, and all of it from photographs.

mod dates;
mod fields;
mod letters;
mod photos;
