//! A part of the page that lacks the noise which the camera put over the rest: filled or painted with a program.

use super::{PageInPhoto, largest_group};

/// Side of the squares in which noise is measured, pixels.
const SQUARE_PX: usize = 16;
/// Darker and brighter squares have less noise by nature, or are saturated; luma, 0 to 255.
const USABLE_LUMA: std::ops::Range<f32> = 30.0..236.0;
/// The least noise of the page at which its absence means something: below it, the telephone has smoothed the photo.
const MIN_PAGE_NOISE: f32 = 1.2;
/// A square with less than this share of the page's noise is quiet.
const QUIET_SHARE: f32 = 0.3;
/// The share of a square's pixels that are looked at: the calmest, which print leaves alone.
const CALM_SHARE: f32 = 0.3;
/// Squares that are needed to know the page's noise.
const MIN_SQUARES: usize = 60;

/// Square millimetres of the largest quiet part; `None` if the photo has too little noise to tell.
pub(super) fn quiet_area(place: &PageInPhoto) -> Option<f32> {
    let [left, top, right, bottom] = place.bounds;
    let (columns, rows) = ((right - left) / SQUARE_PX, (bottom - top) / SQUARE_PX);
    let mut noise: Vec<Option<f32>> = Vec::with_capacity(columns * rows);
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (left + column * SQUARE_PX, top + row * SQUARE_PX);
            let half = SQUARE_PX as f32 / 2.0;
            let on_page = place.is_on_page(x as f32 + half, y as f32 + half);
            noise.push(if on_page { square_noise(place, x, y) } else { None });
        }
    }
    let mut known: Vec<f32> = noise.iter().flatten().copied().collect();
    if known.len() < MIN_SQUARES {
        return None;
    }
    let middle = known.len() / 2;
    let page = *known.select_nth_unstable_by(middle, f32::total_cmp).1;
    if page < MIN_PAGE_NOISE {
        return None;
    }
    let quiet: Vec<bool> =
        noise.iter().map(|square| square.is_some_and(|noise| noise < QUIET_SHARE * page)).collect();
    let side = SQUARE_PX as f32 / place.pixels_per_millimetre;
    Some(largest_group(&quiet, columns) as f32 * side * side)
}

/// How much the calmest pixels of a square differ from what their neighbours suggest (the mask of Immerkær, Fast Noise Variance
/// Estimation, 1996); `None` where the light leaves no noise.
fn square_noise(place: &PageInPhoto, left: usize, top: usize) -> Option<f32> {
    let at = |x: usize, y: usize| place.luma.at(x as i64, y as i64);
    let mut differences = Vec::with_capacity(SQUARE_PX * SQUARE_PX);
    let mut sum = 0.0;
    for y in top..top + SQUARE_PX {
        for x in left..left + SQUARE_PX {
            let (x, y) = (x.max(1), y.max(1));
            let corners = at(x - 1, y - 1) + at(x + 1, y - 1) + at(x - 1, y + 1) + at(x + 1, y + 1);
            let sides = at(x, y - 1) + at(x - 1, y) + at(x + 1, y) + at(x, y + 1);
            differences.push((corners - 2.0 * sides + 4.0 * at(x, y)).abs());
            sum += at(x, y);
        }
    }
    let calm = (differences.len() as f32 * CALM_SHARE) as usize;
    let mean = sum / differences.len() as f32;
    USABLE_LUMA.contains(&mean).then(|| *differences.select_nth_unstable_by(calm, f32::total_cmp).1)
}
