//! Rectangles around sets of points, and the common direction of a page's lines.

use crate::picture::homography::Point;

/// A rectangle at any angle, with the convex hull that it encloses.
#[derive(Clone, Debug)]
pub(crate) struct Rectangle {
    /// Unit vector along the longer side, to the right or down.
    along: Point,
    corners: [Point; 4],
    hull: Vec<Point>,
}

/// Least ratio of the sides from which a rectangle shows the direction of its line.
const MIN_DIRECTED_RATIO: f32 = 1.6;

impl Rectangle {
    /// The smallest rectangle around points; one of its sides lies on a side of their convex hull. `None` without
    /// points.
    pub(crate) fn around(points: &[Point]) -> Option<Self> {
        let hull = hull(points);
        let first = *hull.first()?;
        let mut best: Option<(f32, Point)> = None;
        for (at, &from) in hull.iter().enumerate() {
            let to = hull.get(at + 1).copied().unwrap_or(first);
            let length = crate::text::point_distance(from, to);
            let along = if length > 0.0 {
                [(to[0] - from[0]) / length, (to[1] - from[1]) / length]
            } else {
                [1.0, 0.0]
            };
            let [left, top, right, bottom] = extent(&hull, along);
            let area = (right - left) * (bottom - top);
            if best.is_none_or(|(smallest, _)| area < smallest) {
                best = Some((area, along));
            }
        }
        let (_, mut along) = best?;
        let [left, top, right, bottom] = extent(&hull, along);
        if bottom - top > right - left {
            along = [-along[1], along[0]];
        }
        // To the right, or downwards on a page on which lines run down.
        if along[0] + 0.3 * along[1] < 0.0 {
            along = [-along[0], -along[1]];
        }
        Some(Self { along, corners: rectangle_corners(&hull, along, 0.0), hull })
    }

    /// Expands the rectangle by a margin of `by` times its area divided by its circumference, then scales both axes.
    pub(crate) fn grown(mut self, by: f32, [across, down]: [f32; 2]) -> Self {
        let [a, b, _, d] = self.corners;
        let (width, height) = (crate::text::point_distance(a, b), crate::text::point_distance(a, d));
        let margin = width * height * by / (2.0 * (width + height)).max(1.0);
        // The corners of a square around each point of the hull give the hull with the margin.
        self.hull = self
            .hull
            .iter()
            .flat_map(|[x, y]| {
                [[-margin, -margin], [margin, -margin], [margin, margin], [-margin, margin]].map(
                    |[dx, dy]| {
                        let [u, v] = self.along;
                        [x + dx * u - dy * v, y + dx * v + dy * u]
                    },
                )
            })
            .map(|[x, y]| [x * across, y * down])
            .collect();
        let along = [self.along[0] * across, self.along[1] * down];
        let length = along[0].hypot(along[1]).max(f32::MIN_POSITIVE);
        self.along = along.map(|part| part / length);
        self.corners = rectangle_corners(&self.hull, self.along, 0.0);
        self
    }

    /// Top left, top right, bottom right and bottom left along the longer side.
    pub(crate) fn corners(&self) -> [Point; 4] {
        self.corners
    }

    fn ratio(&self) -> f32 {
        let [a, b, _, d] = self.corners;
        crate::text::point_distance(a, b) / crate::text::point_distance(a, d).max(f32::MIN_POSITIVE)
    }
}

/// The direction in which most of the text runs: a unit vector to the right or down.
pub(super) fn common_direction(all: &[Rectangle]) -> Point {
    let telling = || all.iter().filter(|one| one.ratio() >= MIN_DIRECTED_RATIO);
    let length = |one: &Rectangle| crate::text::point_distance(one.corners[0], one.corners[1]);
    let lying: f32 = telling().filter(|one| one.along[0].abs() >= one.along[1].abs()).map(length).sum();
    let standing: f32 = telling().filter(|one| one.along[0].abs() < one.along[1].abs()).map(length).sum();
    let mut sum = [0.0_f32; 2];
    for one in telling() {
        if (one.along[0].abs() >= one.along[1].abs()) == (lying >= standing) {
            let sign = if one.along[0] + 0.3 * one.along[1] < 0.0 { -1.0 } else { 1.0 };
            sum[0] += one.along[0] * length(one) * sign;
            sum[1] += one.along[1] * length(one) * sign;
        }
    }
    let length = sum[0].hypot(sum[1]);
    if length > 0.0 { [sum[0] / length, sum[1] / length] } else { [1.0, 0.0] }
}

/// The corners of all lines as they are read in a direction. Lines that are too short to show a direction of their own
/// take this one.
pub(super) fn level_corners(all: &[Rectangle], direction: Point) -> Vec<[Point; 4]> {
    all.iter()
        .map(|one| {
            let mut along = if one.ratio() >= MIN_DIRECTED_RATIO { one.along } else { direction };
            let towards = along[0] * direction[0] + along[1] * direction[1];
            if towards < 0.0 {
                along = [-along[0], -along[1]];
            }
            rectangle_corners(&one.hull, along, 0.0)
        })
        .collect()
}

/// Left, top, right and bottom in the frame whose first axis is `along`.
fn extent(points: &[Point], [u, v]: Point) -> [f32; 4] {
    let mut out = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
    for [x, y] in points {
        let (right, down) = (x * u + y * v, y * u - x * v);
        out = [out[0].min(right), out[1].min(down), out[2].max(right), out[3].max(down)];
    }
    out
}

fn rectangle_corners(points: &[Point], along: Point, margin: f32) -> [Point; 4] {
    let [left, top, right, bottom] = extent(points, along);
    let [u, v] = along;
    let back = |x: f32, y: f32| [x * u - y * v, x * v + y * u];
    [
        back(left - margin, top - margin),
        back(right + margin, top - margin),
        back(right + margin, bottom + margin),
        back(left - margin, bottom + margin),
    ]
}

/// The convex hull by the monotone chain algorithm, without points on its sides.
fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut out: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = out[..]
                && (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) <= 0.0
            {
                out.pop();
            }
            out.push(point);
        }
        out.pop();
        out
    };
    let mut out = chain(&mut sorted.iter().copied());
    out.extend(chain(&mut sorted.iter().rev().copied()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_bar_gets_the_rectangle_that_it_is() {
        let (sin, cos) = 0.3_f32.sin_cos();
        let points: Vec<Point> = (0..60)
            .flat_map(|x| (0..10).map(move |y| (x as f32, y as f32)))
            .map(|(x, y)| [40.0 + x * cos - y * sin, 20.0 + x * sin + y * cos])
            .collect();
        let bar = Rectangle::around(&points).unwrap();
        assert!((bar.along[0] - cos).abs() < 1e-3 && (bar.along[1] - sin).abs() < 1e-3);
        let [a, b, _, d] = bar.corners();
        assert!((crate::text::point_distance(a, b) - 59.0).abs() < 0.01);
        assert!((crate::text::point_distance(a, d) - 9.0).abs() < 0.01);
        assert!((a[0] - 40.0).abs() < 0.01 && (a[1] - 20.0).abs() < 0.01);
        let direction = common_direction(std::slice::from_ref(&bar));
        assert!((direction[0] - cos).abs() < 1e-3);
        // Each side gets a margin of the area divided by the circumference.
        let [a, b, ..] = bar.grown(1.0, [1.0, 1.0]).corners();
        assert!((crate::text::point_distance(a, b) - 59.0 - 59.0 * 9.0 / 68.0).abs() < 0.05);
        assert!(Rectangle::around(&[]).is_none());
        assert!(Rectangle::around(&[[1.0, 2.0]]).is_some());
    }
}
