//! Pieces of print that are the same to the pixel. A camera never takes two letters alike: each lies otherwise upon its pixels, and
//! has noise of its own.

use super::PageInPhoto;
use crate::text::TextLine;
use std::collections::HashMap;

/// Side of the compared squares, pixels.
const SQUARE_PX: usize = 12;
/// The least deviation of the luma within a square: on plain paper all are alike.
const MIN_DEVIATION: f32 = 14.0;
/// Squares are the same if they differ by at most this share of their deviation.
const MAX_DIFFERENCE_SHARE: f32 = 0.012;
/// The least distance between a piece and its copy, pixels.
const MIN_DISTANCE_PX: i32 = 12;
/// Squares with the same displacement that make a piece.
const MIN_SQUARES: usize = 40;
/// Squares next to each other in the order of their looks that are compared.
const COMPARED_NEIGHBOURS: usize = 8;
/// Squares that are looked at, at most.
const MAX_SQUARES: usize = 600_000;
/// Cells of a square along each side, whose means tell which squares may be alike.
const CELLS: usize = 3;
/// Levels of luma that count as one in those means.
const LEVELS: f32 = 10.0;

/// How many pieces of the lines have a copy; `None` if there are no lines, or too many.
pub(super) fn count_copies(place: &PageInPhoto, lines: &[TextLine]) -> Option<f32> {
    let squares = squares_of_lines(place, lines);
    if squares.is_empty() || squares.len() > MAX_SQUARES {
        return None;
    }
    let mut described: Vec<([i16; CELLS * CELLS], [u16; 2])> =
        squares.into_iter().filter_map(|at| Some((describe(place, at)?, at))).collect();
    described.sort_unstable();
    let mut displacements: HashMap<[i32; 2], usize> = HashMap::new();
    for (at, (looks, one)) in described.iter().enumerate() {
        for (other_looks, other) in described.iter().skip(at + 1).take(COMPARED_NEIGHBOURS) {
            if looks != other_looks {
                break;
            }
            let (from, to) = if one <= other { (one, other) } else { (other, one) };
            let moved = [i32::from(to[0]) - i32::from(from[0]), i32::from(to[1]) - i32::from(from[1])];
            let far = moved.iter().any(|part| part.abs() >= MIN_DISTANCE_PX);
            if far && are_same(place, *one, *other) {
                *displacements.entry(moved).or_default() += 1;
            }
        }
    }
    Some(displacements.values().filter(|count| **count >= MIN_SQUARES).count() as f32)
}

/// The upper left corners of all squares within the lines.
fn squares_of_lines(place: &PageInPhoto, lines: &[TextLine]) -> Vec<[u16; 2]> {
    let mut squares = Vec::new();
    for line in lines {
        let corners = line.corners.map(|corner| place.to_photo.apply(corner));
        let range = |axis: usize, length: usize| {
            let all = corners.map(|corner| corner[axis]);
            let low = all.into_iter().fold(f32::INFINITY, f32::min).max(0.0) as usize;
            let high = all.into_iter().fold(0.0, f32::max).max(0.0) as usize;
            low..high.min(length).saturating_sub(SQUARE_PX)
        };
        let (across, down) = (range(0, place.luma.width()), range(1, place.luma.height()));
        for y in down {
            for x in across.clone() {
                squares.extend(u16::try_from(x).ok().zip(u16::try_from(y).ok()).map(|(x, y)| [x, y]));
            }
            if squares.len() > MAX_SQUARES {
                return squares;
            }
        }
    }
    squares.sort_unstable();
    squares.dedup();
    squares
}

/// What a square looks like, coarsely: the means of its cells. `None` if there is nothing on it.
fn describe(place: &PageInPhoto, [x, y]: [u16; 2]) -> Option<[i16; CELLS * CELLS]> {
    let side = SQUARE_PX / CELLS;
    let (mut sums, mut sum, mut squares) = ([0.0; CELLS * CELLS], 0.0, 0.0);
    for row in 0..SQUARE_PX {
        let pixels = &place.luma.row(usize::from(y) + row)[usize::from(x)..usize::from(x) + SQUARE_PX];
        for (column, value) in pixels.iter().enumerate() {
            sums[row / side * CELLS + column / side] += value;
            sum += value;
            squares += value * value;
        }
    }
    let count = (SQUARE_PX * SQUARE_PX) as f32;
    let deviation = (squares / count - (sum / count).powi(2)).max(0.0).sqrt();
    let cell = (side * side) as f32;
    (deviation >= MIN_DEVIATION).then(|| sums.map(|sum| (sum / cell / LEVELS) as i16))
}

/// Whether two squares are the same, up to what saving the picture again changes.
fn are_same(place: &PageInPhoto, one: [u16; 2], other: [u16; 2]) -> bool {
    let row = |[x, y]: [u16; 2], row: usize| {
        &place.luma.row(usize::from(y) + row)[usize::from(x)..usize::from(x) + SQUARE_PX]
    };
    let (mut differences, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for at in 0..SQUARE_PX {
        for (a, b) in row(one, at).iter().zip(row(other, at)) {
            differences += (a - b) * (a - b);
            sum += a;
            squares += a * a;
        }
    }
    let count = (SQUARE_PX * SQUARE_PX) as f32;
    let variance = squares / count - (sum / count).powi(2);
    differences / count <= MAX_DIFFERENCE_SHARE * MAX_DIFFERENCE_SHARE * variance
}
