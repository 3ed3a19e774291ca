//! Printed text: dates, labels, fields, comparison with an MRZ, letters, and all of it from photographs.

mod dates;
mod fields;
mod letters;
mod photos;
