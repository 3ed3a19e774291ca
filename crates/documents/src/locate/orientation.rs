//! Which way is up, guessed from print: lines of text lie level, and begin below one another but end where they end.

use crate::picture::plane::Plane;
use base::Picture;

/// Quarter turns (0 to 3) that the corners of a lying page must be rotated by so that its print is upright, and how sure
/// that is, 0 to 1. A `card` is taken to lie.
pub(super) fn guess_rotation(page: &Picture, card: bool) -> (usize, f32) {
    let plane = Plane::luma(page);
    let level = TextProfile::of(&plane);
    let (turn, print) = if card {
        (0, level)
    } else {
        let upright = TextProfile::of(&plane.transpose());
        if level.lines >= upright.lines { (0, level) } else { (1, upright) }
    };
    // Transposing mirrors: what began at the left of a page that was turned clockwise began at its foot.
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

/// How print lies along the rows of a plane.
struct TextProfile {
    /// How much the rows differ in how much print they hold: lines of text and the gaps between them.
    lines: f32,
    /// How many pieces of text begin below one another, squared and summed.
    left: f32,
    /// How many end so.
    right: f32,
}

impl TextProfile {
    fn of(plane: &Plane) -> Self {
        let (width, height) = (plane.width(), plane.height());
        let light = plane.box_mean(12);
        // Ink: darker than around it.
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

/// Counts where pieces of print begin and end: ink with gaps of at most a fiftieth of the row, from a fiftieth of it on.
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
