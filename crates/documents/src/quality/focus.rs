//! Sharpness: the share of the contrast at edges that is lost when the page is blurred once more (after Crete and
//! others, 2007).

use super::reading_scale;
use crate::{locate::PageFormat, picture::plane::Plane};
use base::Picture;

/// The lost share in the blurrier of the two directions: 0 (nothing left to lose) to 1.
pub(super) fn measure(page: &Picture, format: PageFormat) -> f32 {
    let plane = Plane::luma(page);
    let [width, height] = format.size();
    let reading = (width.max(height) * reading_scale(format)) as usize;
    let long = plane.width().max(plane.height());
    // Scale down to the size at which the page is read, but never up.
    let plane = if long > reading { plane.resize_to(reading) } else { plane };
    // Noise would count as sharpness.
    let plane = plane.blur(0.6);
    lost_across(&plane).min(lost_across(&plane.transpose()))
}

fn lost_across(plane: &Plane) -> f32 {
    let blurred = mean_across(plane, 4);
    let (across, _) = plane.gradients();
    let strong = across.clone().map(f32::abs).quantile(0.95).max(2.0);
    let (mut before, mut after) = (0.0_f64, 0.0_f64);
    for y in 0..plane.height() {
        let (row, soft, edges) = (plane.row(y), blurred.row(y), across.row(y));
        for x in 1..plane.width() {
            if edges[x].abs() >= strong {
                let (sharp, soft) = ((row[x] - row[x - 1]).abs(), (soft[x] - soft[x - 1]).abs());
                before += f64::from(sharp);
                after += f64::from((sharp - soft).max(0.0));
            }
        }
    }
    if before > 0.0 { (after / before) as f32 } else { 0.0 }
}

fn mean_across(plane: &Plane, radius: usize) -> Plane {
    let mut values = Vec::with_capacity(plane.values().len());
    let share = 1.0 / (2 * radius + 1) as f32;
    for y in 0..plane.height() as i64 {
        let mut sum: f32 = (-(radius as i64)..=radius as i64).map(|x| plane.at(x, y)).sum();
        for x in 0..plane.width() as i64 {
            values.push(sum * share);
            sum += plane.at(x + radius as i64 + 1, y) - plane.at(x - radius as i64, y);
        }
    }
    Plane::new(plane.width(), plane.height(), values)
}
