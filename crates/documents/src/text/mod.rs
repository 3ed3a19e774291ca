//! Text that people read: lines from a picture or from a file's own text, and what they say.
//!
//! [`TextReader`] finds lines in a picture of a page and reads them; [`layout::lines`] makes the same lines of a file's words.
//! [`fields::reader`] finds fields among them by their labels, [`cross_check::cross_check`] holds a machine-readable zone against
//! them, and [`crate::supplementary::reader`] reads letters.

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

/// A line of text, and where it stands.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TextLine {
    /// What it says.
    pub text: String,
    /// Mean of `certainty`, 0 to 1; 1 where a file says it itself.
    pub confidence: f32,
    /// Its corners in pixels (or the file's units, y downwards): top left, top right, bottom right, bottom left as one
    /// reads.
    pub corners: [Point; 4],
    /// How probable each character of `text` is by what the net saw, 0 to 1; empty where a file says it itself.
    pub certainty: Vec<f32>,
}

impl TextLine {
    /// A line that somebody else is sure of: left, top, right and bottom.
    pub fn printed(text: &str, [left, top, right, bottom]: [f32; 4]) -> Self {
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        Self { text: text.to_owned(), confidence: 1.0, corners, certainty: Vec::new() }
    }

    /// How high it is, in the units of `corners`.
    pub fn height(&self) -> f32 {
        let [a, b, c, d] = self.corners;
        f32::midpoint(point_distance(a, d), point_distance(b, c))
    }

    /// How long it is, in the units of `corners`.
    pub fn width(&self) -> f32 {
        let [a, b, c, d] = self.corners;
        f32::midpoint(point_distance(a, b), point_distance(d, c))
    }
}

fn point_distance([ax, ay]: Point, [bx, by]: Point) -> f32 {
    (bx - ax).hypot(by - ay)
}
