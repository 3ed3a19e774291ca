//! Reads the lines of a page: one net detects them, another recognises the strips. The manifest of the model pack says
//! how inputs are prepared and outputs decoded.

mod line_detector;
mod line_recogniser;
mod line_strip;
mod rectangle;

use super::{TextLine, layout};
use crate::picture::homography::{Point, intersection_over_union};
use base::Picture;
use line_detector::LineDetector;
use line_recogniser::LineRecogniser;
use line_strip::UpsideDownClassifier;
use std::path::Path;
use vision::{ModelLoadError, VisionError, model_manifest::ModelPack};

/// Lines that are read, at most; the first in reading order.
const MAX_LINES: usize = 120;
/// Lines that vote on the upright direction.
const MAX_ORIENTATION_VOTERS: usize = 6;
/// A line with more than this share of its area in a known region is left out.
const MIN_KNOWN_REGION_SHARE: f32 = 0.5;

/// Reads lines of text. It is not shared between threads: each worker has its own.
#[derive(Debug)]
pub struct TextReader {
    finder: LineDetector,
    turner: UpsideDownClassifier,
    recogniser: LineRecogniser,
}

impl TextReader {
    /// Loads the text nets of a model pack, checks their hashes and runs their probes.
    pub fn load(folder: &Path) -> Result<Self, ModelLoadError> {
        let pack = ModelPack::read(folder)?;
        Ok(Self {
            finder: LineDetector::load(folder, &pack)?,
            turner: UpsideDownClassifier::load(folder, &pack)?,
            recogniser: LineRecogniser::load(folder, &pack)?,
        })
    }

    /// Reads the lines of a page in reading order, at any rotation of the page. The time is bounded: detection runs
    /// once, on the page scaled down to the size of the net, and at most 120 lines are read.
    pub fn read(&mut self, page: &Picture) -> Result<Vec<TextLine>, VisionError> {
        self.read_beside(page, &[])
    }

    /// The same without the lines in regions that are known already, such as an MRZ. Corners are in pixels of the page.
    pub fn read_beside(
        &mut self,
        page: &Picture,
        known: &[[Point; 4]],
    ) -> Result<Vec<TextLine>, VisionError> {
        let mut found = self.finder.detect(page)?;
        found.retain(|rectangle| !known.iter().any(|known| lies_in(&rectangle.corners(), known)));
        let mut direction = rectangle::common_direction(&found);
        let mut level = rectangle::level_corners(&found, direction);
        if self.is_upside_down(page, &level)? {
            direction = [-direction[0], -direction[1]];
            level = rectangle::level_corners(&found, direction);
        }
        let order = layout::reading_order(&level);
        let corners: Vec<[Point; 4]> =
            order.into_iter().take(MAX_LINES).filter_map(|at| level.get(at).copied()).collect();
        let lines = self.recogniser.read(page, &corners)?;
        let order = layout::reading_order(&lines.iter().map(|line| line.corners).collect::<Vec<_>>());
        Ok(order.into_iter().filter_map(|at| lines.get(at).cloned()).collect())
    }

    /// Whether the lines are upside down, by a vote of those that can tell.
    fn is_upside_down(&mut self, page: &Picture, lines: &[[Point; 4]]) -> Result<bool, VisionError> {
        let ratio = |corners: &[Point; 4]| {
            let [a, b, _, d] = *corners;
            super::point_distance(a, b) / super::point_distance(a, d).max(1.0)
        };
        let mut voters: Vec<&[Point; 4]> =
            lines.iter().filter(|line| (2.5..12.0).contains(&ratio(line))).collect();
        // Large letters tell best.
        voters
            .sort_by(|a, b| super::point_distance(b[0], b[3]).total_cmp(&super::point_distance(a[0], a[3])));
        voters.truncate(MAX_ORIENTATION_VOTERS);
        let mut votes = 0.0;
        for line in voters {
            votes += self.turner.upside_down_probability(page, line)? - 0.5;
        }
        Ok(votes > 0.0)
    }
}

/// Whether a line lies mostly in a region. The intersection over union alone would say little about a small line in a
/// large region.
fn lies_in(line: &[Point; 4], region: &[Point; 4]) -> bool {
    let (own, other) =
        [line, region].map(|corners| crate::picture::homography::polygon_area(corners).abs()).into();
    let share = intersection_over_union(line, region);
    // From share = shared / (own + other - shared).
    let shared = share * (own + other) / (1.0 + share);
    own > 0.0 && shared / own > MIN_KNOWN_REGION_SHARE
}
