//! Text that people read: the lines of a picture or of a file's own text, and their content.
//!
//! [`TextReader`] detects and reads the lines in a picture of a page, and [`layout::lines_of_words`] makes the same
//! kind of lines from a file's words. [`fields::read`] finds fields by their labels, [`cross_check::compare_with_mrz`]
//! compares an MRZ with them, and [`crate::supplementary::read`] reads letters.

pub mod cross_check;
pub mod dates;
pub mod fields;
pub mod label_dictionary;
pub mod layout;
pub mod names;
pub(crate) mod normalise;
pub(crate) mod postal_address;
mod reader;

pub use normalise::{edit_distance, normalise};
pub use reader::TextReader;

use crate::picture::homography::Point;

/// A line of text and its position.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TextLine {
    pub text: String,
    /// Mean of `certainty`, 0 to 1; 1 for a file's own text.
    pub confidence: f32,
    /// Corners in pixels (or in units of the file, y downwards): top left, top right, bottom right, bottom left as the
    /// text is read.
    pub corners: [Point; 4],
    /// Probability of each character of `text` according to the net, 0 to 1; empty for a file's own text.
    pub certainty: Vec<f32>,
}

impl TextLine {
    /// A line whose text is known for sure, with its left, top, right and bottom edge.
    pub fn printed(text: &str, [left, top, right, bottom]: [f32; 4]) -> Self {
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        Self { text: text.to_owned(), confidence: 1.0, corners, certainty: Vec::new() }
    }

    /// Height, in the units of `corners`.
    pub fn height(&self) -> f32 {
        let [a, b, c, d] = self.corners;
        f32::midpoint(point_distance(a, d), point_distance(b, c))
    }

    /// Length, in the units of `corners`.
    pub fn width(&self) -> f32 {
        let [a, b, c, d] = self.corners;
        f32::midpoint(point_distance(a, b), point_distance(d, c))
    }
}

fn point_distance([ax, ay]: Point, [bx, by]: Point) -> f32 {
    (bx - ax).hypot(by - ay)
}
