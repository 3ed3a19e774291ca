//! Detects where lines of text may be: long, thin regions of fine dark detail.

use super::curved_line::CurvedLine;
use crate::picture::{GreyImage, ImagePyramid, black_hat, box_blur, otsu};

/// Lines that are returned, longest first.
const MAX_LINES: usize = 16;

/// Finds roughly horizontal lines of text, up to about 15 degrees, in the picture scaled to a longer side of `side`
/// pixels and rotated back by `tilt` radians. The lines are directed to the right.
pub(super) fn find_lines(pyramid: &ImagePyramid, side: usize, tilt: f32) -> Vec<CurvedLine> {
    let (small, share) = pyramid.shrink_to(side);
    let plane = if tilt == 0.0 { small } else { small.rotate(tilt) };
    let longest = plane.width().max(plane.height()) as f32;
    let (width, height) = (plane.width(), plane.height());
    let unit = |thousandths: f32| (longest * thousandths / 1000.0).max(1.0) as usize;
    let energy = text_energy(&plane, unit(8.0).max(4));
    let dense = box_blur(&energy, width, unit(12.0), unit(2.0));
    let around = box_blur(&dense, width, unit(60.0), unit(45.0));
    let level = otsu(&dense);
    let mut lines = Vec::new();
    let mut regions = RegionScanner::new(width, height);
    // Regions that stand out from the whole picture, then regions that stand out from their surroundings.
    for local in [false, true] {
        let of_text = |at: usize| {
            if local { dense[at] > 1.25 * around[at] && dense[at] > 0.3 * level } else { dense[at] > level }
        };
        let mut mask: Vec<bool> = (0..dense.len()).map(of_text).collect();
        cut_tall_runs(&mut mask, width, unit(55.0));
        regions.for_each_region(&mask, |points| lines.extend(fit_line(points, width.min(height) as f32)));
    }
    lines.sort_by(|a, b| b.length.total_cmp(&a.length));
    let mut kept: Vec<CurvedLine> = Vec::new();
    for line in lines {
        if kept.len() < MAX_LINES && !kept.iter().any(|other| other.overlaps(&line)) {
            kept.push(line);
        }
    }
    let (sin, cos) = tilt.sin_cos();
    let (cx, cy) = (width as f32 / 2.0, height as f32 / 2.0);
    for line in &mut kept {
        // From the scaled and rotated plane back to the picture.
        let (u, v) = (line.x - cx, line.y - cy);
        (line.x, line.y) = ((cx + u * cos - v * sin) / share, (cy + u * sin + v * cos) / share);
        (line.ux, line.uy) = (line.ux * cos - line.uy * sin, line.ux * sin + line.uy * cos);
        line.length /= share;
        line.capital /= share;
    }
    kept
}

/// Removes what is taller than a line of text, such as braces, rules and edges, because it would connect lines.
fn cut_tall_runs(mask: &mut [bool], width: usize, tallest: usize) {
    for x in 0..width {
        let mut start = x;
        let mut length = 0;
        for at in (x..mask.len() + width).step_by(width) {
            if mask.get(at).copied().unwrap_or(false) {
                if length == 0 {
                    start = at;
                }
                length += 1;
            } else {
                if length > tallest {
                    (0..length).for_each(|step| mask[start + step * width] = false);
                }
                length = 0;
            }
        }
    }
}

/// The strength of horizontal changes in fine dark detail.
fn text_energy(plane: &GreyImage, radius: usize) -> Vec<f32> {
    let (width, height) = (plane.width(), plane.height());
    let soft: Vec<f32> = plane.pixels().iter().map(|&v| f32::from(v)).collect();
    let soft: Vec<u8> = box_blur(&soft, width, 1, 1).into_iter().map(|v| v as u8).collect();
    let Some(soft) = GreyImage::new(width, height, soft) else { return vec![0.0; width * height] };
    let hat = black_hat(&soft, radius);
    let mut energy = vec![0.0; hat.len()];
    for (row, out) in hat.chunks_exact(width).zip(energy.chunks_exact_mut(width)) {
        for at in 1..width.saturating_sub(1) {
            out[at] = f32::from(row[at + 1].abs_diff(row[at - 1]));
        }
    }
    energy
}

/// Estimates the tilt of the text in radians, clockwise: the angle at which the projection of fine detail onto rows
/// varies most. `None` where no angle stands out.
pub(super) fn estimate_tilt(pyramid: &ImagePyramid) -> Option<f32> {
    let (small, _) = pyramid.shrink_to(600);
    let (width, height) = (small.width(), small.height());
    let hat = black_hat(&small, 5);
    let points: Vec<(f32, f32, f32)> = hat
        .iter()
        .enumerate()
        .filter(|&(_, &v)| v > 24)
        .map(|(at, &v)| ((at % width) as f32, (at / width) as f32, f32::from(v)))
        .collect();
    if points.len() < 200 {
        return None;
    }
    let reach = width + height;
    let mut rows = vec![0.0_f32; 2 * reach];
    let mut score = |degrees: f32| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        rows.fill(0.0);
        for &(x, y, v) in &points {
            rows[((y * cos - x * sin) + reach as f32) as usize] += v;
        }
        rows.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f32>()
    };
    let angles: Vec<(f32, f32)> = (-22..=22).map(|at| at as f32 * 2.0).map(|at| (at, score(at))).collect();
    let mean = angles.iter().map(|(_, score)| score).sum::<f32>() / angles.len() as f32;
    let best = angles.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (best.1 > 1.3 * mean).then(|| best.0.to_radians())
}

/// Finds the connected regions of a mask, one after the other.
struct RegionScanner {
    width: usize,
    height: usize,
    seen: Vec<bool>,
    todo: Vec<usize>,
    points: Vec<(f32, f32)>,
}

impl RegionScanner {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, seen: vec![], todo: vec![], points: vec![] }
    }

    fn for_each_region(&mut self, mask: &[bool], mut take: impl FnMut(&[(f32, f32)])) {
        let (width, count) = (self.width, self.width * self.height);
        self.seen.clear();
        self.seen.extend(mask.iter().map(|inside| !inside));
        for start in 0..count {
            if self.seen[start] {
                continue;
            }
            self.seen[start] = true;
            self.todo.push(start);
            self.points.clear();
            while let Some(at) = self.todo.pop() {
                let (x, y) = (at % width, at / width);
                self.points.push((x as f32, y as f32));
                let near = [
                    (x > 0).then(|| at - 1),
                    (x + 1 < width).then(|| at + 1),
                    (y > 0).then(|| at - width),
                    (y + 1 < self.height).then(|| at + width),
                ];
                for at in near.into_iter().flatten() {
                    if !self.seen[at] {
                        self.seen[at] = true;
                        self.todo.push(at);
                    }
                }
            }
            if self.points.len() >= 150 {
                take(&self.points);
            }
        }
    }
}

/// Fits a line to a region; `None` where it is too short or too thick for a line of an MRZ.
fn fit_line(points: &[(f32, f32)], shorter: f32) -> Option<CurvedLine> {
    let n = points.len() as f64;
    let (mut x, mut y) = (0.0_f64, 0.0_f64);
    for &(px, py) in points {
        x += f64::from(px);
        y += f64::from(py);
    }
    (x, y) = (x / n, y / n);
    let (mut xx, mut yy, mut xy) = (0.0_f64, 0.0_f64, 0.0_f64);
    for &(px, py) in points {
        let (dx, dy) = (f64::from(px) - x, f64::from(py) - y);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (uy, ux) = angle.sin_cos();
    let (x, y, ux, uy) = (x as f32, y as f32, ux as f32, uy as f32);
    let (mut first, mut last, mut top, mut bottom) = (f32::MAX, f32::MIN, f32::MAX, f32::MIN);
    for &(px, py) in points {
        let (along, below) = ((px - x) * ux + (py - y) * uy, (py - y) * ux - (px - x) * uy);
        (first, last) = (first.min(along), last.max(along));
        (top, bottom) = (top.min(below), bottom.max(below));
    }
    let length = last - first;
    let thickness = points.len() as f32 / length.max(1.0);
    if length < 0.2 * shorter || length < 7.0 * thickness || bottom - top > 3.4 * thickness {
        return None;
    }
    // Steeper lines are found in the rotated picture.
    if uy.abs() > 0.5 {
        return None;
    }
    let (ux, uy) = if ux < 0.0 { (-ux, -uy) } else { (ux, uy) };
    let middle = f32::midpoint(first, last) * if angle.cos() < 0.0 { -1.0 } else { 1.0 };
    Some(CurvedLine { x: x + middle * ux, y: y + middle * uy, ux, uy, length, capital: thickness, sag: 0.0 })
}
