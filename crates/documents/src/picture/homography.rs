//! Homographies: how a flat page maps to a photograph and back.

use super::plane::{Plane, nearest_byte};
use base::Picture;
use pixels::solve_linear_system;

/// A point in pixels. The centre of the first pixel is (0, 0).
pub type Point = [f32; 2];

/// A projective transform of the plane: a 3 x 3 matrix, row by row, whose last element is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Homography([f64; 9]);

impl Homography {
    /// The homography that maps four points to four others, in the same order. `None` where three of them are
    /// collinear.
    pub fn from_corners(from: &[Point; 4], to: &[Point; 4]) -> Option<Self> {
        let (mut rows, mut images) = ([[0.0_f64; 8]; 8], [0.0; 8]);
        for (at, (&[x, y], &[u, v])) in from.iter().zip(to).enumerate() {
            let (x, y, u, v) = (f64::from(x), f64::from(y), f64::from(u), f64::from(v));
            rows[2 * at] = [x, y, 1.0, 0.0, 0.0, 0.0, -u * x, -u * y];
            rows[2 * at + 1] = [0.0, 0.0, 0.0, x, y, 1.0, -v * x, -v * y];
            images[2 * at..2 * at + 2].copy_from_slice(&[u, v]);
        }
        let [a, b, c, d, e, f, g, h] = solve_linear_system(rows, images)?;
        Some(Self([a, b, c, d, e, f, g, h, 1.0]))
    }

    /// Maps a point.
    pub fn apply(&self, [x, y]: Point) -> Point {
        let [a, b, c, d, e, f, g, h, i] = self.0;
        let (x, y) = (f64::from(x), f64::from(y));
        let depth = g * x + h * y + i;
        let depth = if depth.abs() < 1e-12 { 1e-12 } else { depth };
        [((a * x + b * y + c) / depth) as f32, ((d * x + e * y + f) / depth) as f32]
    }

    /// The inverse homography; `None` where the matrix is singular or its inverse cannot be normalised.
    pub fn inverse(&self) -> Option<Self> {
        let [a, b, c, d, e, f, g, h, i] = self.0;
        let cofactors = [
            e * i - f * h,
            c * h - b * i,
            b * f - c * e,
            f * g - d * i,
            a * i - c * g,
            c * d - a * f,
            d * h - e * g,
            b * g - a * h,
            a * e - b * d,
        ];
        let last = cofactors[8];
        let determinant = a * cofactors[0] + b * cofactors[3] + c * cofactors[6];
        if last.abs() < 1e-12 || determinant.abs() < 1e-12 {
            return None;
        }
        Some(Self(cofactors.map(|value| value / last)))
    }

    /// The matrix, row by row.
    pub fn rows(&self) -> [f64; 9] {
        self.0
    }

    /// A plane of the given size, of which each pixel is interpolated at its position in `from`.
    pub fn warp_plane(&self, from: &Plane, width: usize, height: usize) -> Plane {
        let mut values = Vec::with_capacity(width * height);
        for y in 0..height {
            values.extend((0..width).map(|x| {
                let [u, v] = self.apply([x as f32, y as f32]);
                from.interpolate(u, v)
            }));
        }
        Plane::new(width, height, values)
    }

    /// A picture of the given size, of which each pixel is interpolated at its position in `from`; outside is black.
    /// Where the picture is scaled down, each pixel is the mean of up to 4 x 4 samples.
    pub fn warp_picture(&self, from: &Picture, width: u32, height: u32) -> Option<Picture> {
        let (w, h) = (width as f32, height as f32);
        let [left, right] = [self.apply([0.0, h / 2.0]), self.apply([w, h / 2.0])];
        let shrinks = ((right[0] - left[0]).hypot(right[1] - left[1]) / w).round().clamp(1.0, 4.0) as usize;
        let step = 1.0 / shrinks as f32;
        let share = step * step;
        let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
        if shrinks == 1 {
            for y in 0..height {
                for x in 0..width {
                    let colour = interpolate_colour(from, self.apply([x as f32, y as f32]));
                    rgb.extend(colour.map(|value| (value + 0.5) as u8));
                }
            }
            return Picture::new(width, height, rgb);
        }
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0_f32; 3];
                for part in 0..shrinks * shrinks {
                    let (dx, dy) = ((part % shrinks) as f32, (part / shrinks) as f32);
                    let at =
                        self.apply([x as f32 - 0.5 + (dx + 0.5) * step, y as f32 - 0.5 + (dy + 0.5) * step]);
                    let colour = interpolate_colour(from, at);
                    for (sum, value) in sum.iter_mut().zip(colour) {
                        *sum += value * share;
                    }
                }
                rgb.extend(sum.map(nearest_byte));
            }
        }
        Picture::new(width, height, rgb)
    }
}

fn interpolate_colour(picture: &Picture, [x, y]: Point) -> [f32; 3] {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let inside = x >= -1.0 && y >= -1.0 && x < width as f32 && y < height as f32;
    if !inside {
        return [0.0; 3];
    }
    let (left, top) = (x.floor(), y.floor());
    let (across, down) = (x - left, y - top);
    let pixel = |x: f32, y: f32| {
        let (x, y) = ((x.max(0.0) as usize).min(width - 1), (y.max(0.0) as usize).min(height - 1));
        (y * width + x) * 3
    };
    let rgb = picture.rgb();
    let [a, b, c, d] =
        [pixel(left, top), pixel(left + 1.0, top), pixel(left, top + 1.0), pixel(left + 1.0, top + 1.0)];
    [0, 1, 2].map(|part: usize| {
        let value = |at: usize| f32::from(rgb[at + part]);
        let upper = value(a) + (value(b) - value(a)) * across;
        let lower = value(c) + (value(d) - value(c)) * across;
        upper + (lower - upper) * down
    })
}

/// The signed area of a polygon in square pixels: positive where its corners run clockwise as seen (y points down).
pub fn polygon_area(corners: &[Point]) -> f32 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum::<f32>() / 2.0
}

/// Intersection over union of two convex quadrilaterals, 0 to 1.
pub fn intersection_over_union(one: &[Point; 4], other: &[Point; 4]) -> f32 {
    let clockwise = |corners: &[Point; 4]| {
        let mut corners = corners.to_vec();
        if polygon_area(&corners) < 0.0 {
            corners.reverse();
        }
        corners
    };
    let (mut shared, other) = (clockwise(one), clockwise(other));
    let (first, second) = (polygon_area(&shared), polygon_area(&other));
    for at in 0..4 {
        let (a, b) = (other[at], other[(at + 1) % 4]);
        let side = |p: Point| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        let mut kept = Vec::with_capacity(shared.len() + 1);
        for at in 0..shared.len() {
            let (p, q) = (shared[at], shared[(at + 1) % shared.len()]);
            let (from, to) = (side(p), side(q));
            if from >= 0.0 {
                kept.push(p);
            }
            if (from >= 0.0) != (to >= 0.0) {
                let t = from / (from - to);
                kept.push([p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t]);
            }
        }
        shared = kept;
    }
    let shared = polygon_area(&shared).max(0.0);
    let together = first + second - shared;
    if together > 0.0 { shared / together } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_takes_corners_to_corners_and_back() {
        let from = [[0.0, 0.0], [100.0, 0.0], [100.0, 60.0], [0.0, 60.0]];
        let to = [[13.0, 22.0], [90.0, 10.0], [99.0, 80.0], [5.0, 70.0]];
        let map = Homography::from_corners(&from, &to).unwrap();
        let back = map.inverse().unwrap();
        for (a, b) in from.iter().zip(&to) {
            let [x, y] = map.apply(*a);
            assert!((x - b[0]).abs() < 1e-3 && (y - b[1]).abs() < 1e-3);
            let [x, y] = back.apply(*b);
            assert!((x - a[0]).abs() < 1e-3 && (y - a[1]).abs() < 1e-3);
        }
        assert!(Homography::from_corners(&[[0.0, 0.0]; 4], &to).is_none());
        assert!((intersection_over_union(&from, &from) - 1.0).abs() < 1e-6);
        let half = [[50.0, 0.0], [150.0, 0.0], [150.0, 60.0], [50.0, 60.0]];
        assert!((intersection_over_union(&from, &half) - 1.0 / 3.0).abs() < 1e-5);
    }
}
