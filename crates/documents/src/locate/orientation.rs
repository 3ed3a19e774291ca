//! Estimates the upright direction from the print: text lines are horizontal, and align at their beginnings rather than
//! at their ends.

use crate::picture::plane::Plane;
use base::Picture;

/// By how many places (0 to 3) the corners of a page drawn in landscape must be rotated to the left so that its print
/// is upright, with a confidence of 0 to 1. A `card` is assumed to be in landscape orientation.
pub(super) fn guess_rotation(page: &Picture, card: bool) -> (usize, f32) {
    let plane = Plane::luma(page);
    let level = TextProfile::of(&plane);
    let (turn, print) = if card {
        (0, level)
    } else {
        let upright = TextProfile::of(&plane.transpose());
        if level.lines >= upright.lines { (0, level) } else { (1, upright) }
    };
    // In the transposed plane, text that runs down the page begins at the left, and text that runs up the page begins
    // at the right.
    let margin = print.left - print.right;
    let sure = (margin.abs() / (print.left + print.right).max(1e-3)).clamp(0.0, 1.0);
    let begins_first = margin >= 0.0;
    let turns = match (turn, begins_first) {
        (0, true) => 0,
        (0, false) => 2,
        (_, true) => 1,
        (_, false) => 3,
    };
    (turns, sure)
}

/// How the print is arranged along the rows of a plane.
struct TextProfile {
    /// How much the amount of print changes from row to row: high where rows of the plane are lines of text and the
    /// gaps between them.
    lines: f32,
    /// How well the beginnings of runs of text align: the sum of squared counts over windows of five columns.
    left: f32,
    /// The same for the ends of runs.
    right: f32,
}

impl TextProfile {
    fn of(plane: &Plane) -> Self {
        let (width, height) = (plane.width(), plane.height());
        let light = plane.box_mean(12);
        // Ink is darker than its surroundings.
        let dark: Vec<bool> = plane
            .values()
            .iter()
            .zip(light.values())
            .map(|(value, light)| value + 14.0 < light * 0.96)
            .collect();
        let counts: Vec<f32> =
            dark.chunks_exact(width).map(|row| row.iter().filter(|dark| **dark).count() as f32).collect();
        let mean = counts.iter().sum::<f32>() / height as f32;
        let changes = counts.windows(2).map(|pair| (pair[0] - pair[1]).powi(2)).sum::<f32>() / height as f32;
        let (mut begins, mut ends) = (vec![0.0_f32; width], vec![0.0_f32; width]);
        for row in dark.chunks_exact(width).step_by(2) {
            count_text_runs(row, &mut begins, &mut ends);
        }
        let aligned =
            |places: &[f32]| places.windows(5).map(|near| near.iter().sum::<f32>().powi(2)).sum::<f32>();
        Self { lines: changes / (mean + 1.0).powi(2), left: aligned(&begins), right: aligned(&ends) }
    }
}

/// Counts by column where runs of text begin and end. A run may have gaps of up to a fiftieth of the row, and is at
/// least as long as that.
fn count_text_runs(row: &[bool], begins: &mut [f32], ends: &mut [f32]) {
    let gap = (row.len() / 50).max(4);
    let mut piece: Option<(usize, usize)> = None;
    let mut close = |from: usize, to: usize| {
        if to - from >= gap {
            begins[from] += 1.0;
            ends[to] += 1.0;
        }
    };
    for (x, dark) in row.iter().enumerate() {
        match (dark, piece) {
            (true, None) => piece = Some((x, x)),
            (true, Some((from, _))) => piece = Some((from, x)),
            (false, Some((from, to))) if x - to > gap => {
                close(from, to);
                piece = None;
            }
            _ => {}
        }
    }
    if let Some((from, to)) = piece {
        close(from, to);
    }
}
