//! From a picture of a page to lines: a net says where text is, another reads strips of it. What a net is fed with and
//! how its answers are read is in the manifest of the pack.

mod characters;
mod find;
mod rectangle;
mod strip;

use super::{Line, layout};
use crate::picture::page_homography::{Point, overlap};
use base::Picture;
use characters::Recogniser;
use find::Finder;
use std::path::Path;
use strip::Turner;
use vision::{LoadError, VisionError, pack::Pack};

/// Lines that are read; of more, the upper ones.
const MOST_LINES: usize = 120;
/// Lines that vote on which way is up.
const VOTERS: usize = 6;
/// How much of a line must lie in a region that the caller knows already to be left out.
const KNOWN: f32 = 0.5;

/// Reads lines. Not shared between threads: each worker has its own.
#[derive(Debug)]
pub struct Reader {
    finder: Finder,
    turner: Turner,
    recogniser: Recogniser,
}

impl Reader {
    /// Loads the nets for text of a pack of models: hashes are checked and probes run.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        let pack = Pack::read(folder)?;
        Ok(Self {
            finder: Finder::load(folder, &pack)?,
            turner: Turner::load(folder, &pack)?,
            recogniser: Recogniser::load(folder, &pack)?,
        })
    }

    /// The lines of a page in reading order, however the page is turned. The time it takes is bounded: the page is looked
    /// at once, shrunk to the net's size, and at most 120 lines are read.
    pub fn read(&mut self, page: &Picture) -> Result<Vec<Line>, VisionError> {
        self.read_beside(page, &[])
    }

    /// The same without the lines in regions that are known already, such as a machine-readable zone: corners in pixels
    /// of the page.
    pub fn read_beside(&mut self, page: &Picture, known: &[[Point; 4]]) -> Result<Vec<Line>, VisionError> {
        let mut found = self.finder.find(page)?;
        found.retain(|rectangle| !known.iter().any(|known| lies_in(&rectangle.corners(), known)));
        let mut direction = rectangle::common_direction(&found);
        let mut level = rectangle::level(&found, direction);
        if self.is_turned(page, &level)? {
            direction = [-direction[0], -direction[1]];
            level = rectangle::level(&found, direction);
        }
        let order = layout::reading_order(&level);
        let corners: Vec<[Point; 4]> =
            order.into_iter().take(MOST_LINES).filter_map(|at| level.get(at).copied()).collect();
        let lines = self.recogniser.read(page, &corners)?;
        let order = layout::reading_order(&lines.iter().map(|line| line.corners).collect::<Vec<_>>());
        Ok(order.into_iter().filter_map(|at| lines.get(at).cloned()).collect())
    }

    /// Whether most of the lines that can tell stand on their heads.
    fn is_turned(&mut self, page: &Picture, lines: &[[Point; 4]]) -> Result<bool, VisionError> {
        let ratio = |corners: &[Point; 4]| {
            let [a, b, _, d] = *corners;
            super::distance(a, b) / super::distance(a, d).max(1.0)
        };
        let mut voters: Vec<&[Point; 4]> =
            lines.iter().filter(|line| (2.5..12.0).contains(&ratio(line))).collect();
        // Large letters tell best.
        voters.sort_by(|a, b| super::distance(b[0], b[3]).total_cmp(&super::distance(a[0], a[3])));
        voters.truncate(VOTERS);
        let mut votes = 0.0;
        for line in voters {
            votes += self.turner.turned(page, line)? - 0.5;
        }
        Ok(votes > 0.0)
    }
}

/// Whether a line lies mostly in a region: `overlap` alone would say little of a small line in a large region.
fn lies_in(line: &[Point; 4], region: &[Point; 4]) -> bool {
    let (own, other) =
        [line, region].map(|corners| crate::picture::page_homography::area(corners).abs()).into();
    let share = overlap(line, region);
    // shared / (own + other - shared) = share
    let shared = share * (own + other) / (1.0 + share);
    own > 0.0 && shared / own > KNOWN
}
