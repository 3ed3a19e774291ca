//! Text that people read: lines from a picture or from a file's own text, and what they say.
//!
//! [`Reader`] finds lines in a picture of a page and reads them; [`layout::lines`] makes the same lines of a file's words.
//! [`fields::read`] finds fields among them by their labels, [`confirm::confirm`] holds a machine-readable zone against
//! them, and [`crate::supplementary::read`] reads letters.

pub mod confirm;
pub mod dates;
pub mod fields;
pub(crate) mod fold;
pub mod labels;
pub mod layout;
pub mod names;
mod read;

pub use fold::{distance as edit_distance, fold};
pub use read::Reader;

use crate::picture::page_homography::Point;

/// A line of text, and where it stands.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Line {
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

impl Line {
    /// A line that somebody else is sure of: left, top, right and bottom.
    pub fn printed(text: &str, [left, top, right, bottom]: [f32; 4]) -> Self {
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        Self { text: text.to_owned(), confidence: 1.0, corners, certainty: Vec::new() }
    }

    /// How high it is, in the units of `corners`.
    pub fn height(&self) -> f32 {
        let [a, b, c, d] = self.corners;
        f32::midpoint(distance(a, d), distance(b, c))
    }

    /// How long it is, in the units of `corners`.
    pub fn width(&self) -> f32 {
        let [a, b, c, d] = self.corners;
        f32::midpoint(distance(a, b), distance(d, c))
    }
}

fn distance([ax, ay]: Point, [bx, by]: Point) -> f32 {
    (bx - ax).hypot(by - ay)
}
