//! The edge of the portrait beside the edges of the print. A lens draws all edges of a page alike soft; one that a program drew into
//! the photo is sharper than the lens.

use crate::{picture::plane::Plane, text::TextLine};
use vision::Face;

/// Where the sides of a portrait are looked for, from the middle of the face, in widths of its box.
const SIDE_DISTANCES: [f32; 2] = [0.7, 1.6];
/// Lines across a side.
const SCAN_LINES: usize = 21;
/// The least step of the luma of an edge, 0 to 255.
const MIN_STEP: f32 = 18.0;
/// Steps of the scan, in pixels of the page.
const SCAN_STEP_PX: f32 = 0.5;
/// Scan lines that must agree where the side is, in pixels of the page.
const MAX_SPREAD_PX: f32 = 2.5;
/// Lines of print that are compared with, at most, and the fewest.
const MAX_TEXT_LINES: usize = 12;
const MIN_TEXT_LINES: usize = 3;

/// How many times as sharp as the print the sharpest side of the portrait is; `None` if it has no straight side, or there is no
/// print.
pub(super) fn sharpness_ratio(page: &Plane, face: &Face, lines: &[TextLine]) -> Option<f32> {
    let mut print: Vec<f32> =
        lines.iter().take(MAX_TEXT_LINES).filter_map(|line| print_sharpness(page, line)).collect();
    if print.len() < MIN_TEXT_LINES {
        return None;
    }
    print.sort_by(f32::total_cmp);
    let print = print[print.len() / 2];
    let centre = [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
    let width = face.width();
    let sides = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
    let sharpest = sides.into_iter().filter_map(|outward| side_sharpness(page, centre, width, outward));
    Some(sharpest.reduce(f32::max)? / print)
}

/// The sharpness of a straight edge on one side of the face: the median over the scan lines; `None` if there is none.
fn side_sharpness(page: &Plane, centre: [f32; 2], width: f32, outward: [f32; 2]) -> Option<f32> {
    let mut found = Vec::new();
    for line in 0..SCAN_LINES {
        let beside = (line as f32 / (SCAN_LINES - 1) as f32 - 0.5) * width;
        let at = |distance: f32| {
            [0, 1].map(|axis| centre[axis] + outward[axis] * distance * width + outward[1 - axis] * beside)
        };
        found.extend(steepest(page, at(SIDE_DISTANCES[0]), at(SIDE_DISTANCES[1])));
    }
    if found.len() < SCAN_LINES * 2 / 3 {
        return None;
    }
    let spread = |values: &mut Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values[values.len() * 3 / 4] - values[values.len() / 4]
    };
    let mut places: Vec<f32> = found.iter().map(|edge| edge.at).collect();
    if spread(&mut places) > MAX_SPREAD_PX {
        return None;
    }
    let mut sharpness: Vec<f32> = found.iter().map(|edge| edge.sharpness).collect();
    sharpness.sort_by(f32::total_cmp);
    Some(sharpness[sharpness.len() / 2])
}

struct Edge {
    /// From the beginning of the scan, pixels of the page.
    at: f32,
    /// The steepest rise in one pixel, as a share of the whole step.
    sharpness: f32,
}

/// The steepest edge on the way between two points of the photo; `None` if there is none.
fn steepest(page: &Plane, from: [f32; 2], to: [f32; 2]) -> Option<Edge> {
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    let count = (length / SCAN_STEP_PX) as usize;
    if !(8..4000).contains(&count) {
        return None;
    }
    let values: Vec<f32> = (0..count)
        .map(|step| {
            let share = step as f32 / count as f32;
            page.interpolate(
                from[0] + (to[0] - from[0]) * share - 0.5,
                from[1] + (to[1] - from[1]) * share - 0.5,
            )
        })
        .collect();
    edge_of(&values)
}

/// The steepest edge of a row of values that are half a pixel apart.
fn edge_of(values: &[f32]) -> Option<Edge> {
    // The rise over one pixel.
    let rise = |at: usize| values[at + 1] - values[at - 1];
    let at = (1..values.len() - 1).max_by(|a, b| rise(*a).abs().total_cmp(&rise(*b).abs()))?;
    let sign = rise(at).signum();
    // The whole step reaches as far as the luma goes on in the same direction.
    let (mut low, mut high) = (at, at);
    while low > 0 && (values[low] - values[low - 1]) * sign > 0.3 {
        low -= 1;
    }
    while high + 1 < values.len() && (values[high + 1] - values[high]) * sign > 0.3 {
        high += 1;
    }
    let step = (values[high] - values[low]).abs();
    (step >= MIN_STEP).then(|| Edge { at: at as f32 * SCAN_STEP_PX, sharpness: rise(at).abs() / step })
}

/// The sharpness of the print of a line: the median of its steepest edges, looked for across the strokes.
fn print_sharpness(page: &Plane, line: &TextLine) -> Option<f32> {
    let [a, b, c, d] = line.corners;
    let mix = |from: [f32; 2], to: [f32; 2], share: f32| {
        [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share)
    };
    let mut found = Vec::new();
    for share in [0.35, 0.5, 0.65] {
        let (from, to) = (mix(a, d, share), mix(b, c, share));
        // A piece of the line has a stroke or two, of which the steepest edge counts.
        let pieces = ((line.width() / line.height()) as usize * 2).clamp(4, 40);
        for piece in 0..pieces {
            let ends = [piece, piece + 1].map(|at| mix(from, to, at as f32 / pieces as f32));
            found.extend(steepest(page, ends[0], ends[1]).map(|edge| edge.sharpness));
        }
    }
    found.sort_by(f32::total_cmp);
    (found.len() >= 6).then(|| found[found.len() / 2])
}
