//! Quadrilaterals that are bounded by lines, and a score of how much each looks like a page.

use super::{
    PageFormat,
    edge_lines::{EdgeLine, EdgeMap},
    print_density::PrintDensity,
};
use crate::picture::homography::{Point, intersection_over_union, polygon_area};

/// Corners clockwise from the top left as seen in the photo, and a score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quad {
    pub(super) corners: [Point; 4],
    pub(super) score: f32,
    /// Number of sides that are borders of the photo.
    pub(super) borders: usize,
}

/// Indices of two lines that may be opposite sides.
struct OppositeSides(usize, usize);

/// The best quadrilateral. `expected` is where a page probably is.
pub(super) fn find(
    edges: &EdgeMap,
    lines: &[EdgeLine],
    print: &PrintDensity,
    expected: Option<&[Point; 4]>,
) -> Option<Quad> {
    let mut best: Vec<Quad> = Vec::new();
    for quad in page_candidates(edges, lines, expected) {
        let known = best.iter().any(|other| intersection_over_union(&quad.corners, &other.corners) > 0.85);
        if !known {
            best.push(quad);
        }
        if best.len() == 12 {
            break;
        }
    }
    for quad in &mut best {
        let (share, density) = print.share_inside(&quad.corners);
        quad.score += 0.5 * share + 0.3 * (density / 0.25).min(1.0) - 0.5;
    }
    best.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    let first = *best.first()?;
    if expected.is_some() {
        return Some(first);
    }
    // A portrait is a good quadrilateral inside the page, and a sheet or a display one around it. The area between two
    // such quadrilaterals decides: with print in it the outer one is the page, without print the inner one.
    let mut chosen = first;
    for other in best.iter().skip(1).filter(|other| other.score > first.score - 0.45) {
        let outer = encloses(&other.corners, &chosen.corners);
        let inner = encloses(&chosen.corners, &other.corners);
        let close = other.score > first.score - 0.25;
        let holds_more = outer
            && (close || other.borders == 0)
            && print.density_between(&other.corners, &chosen.corners) > MIN_PAGE_PRINT_RATIO;
        let lies_in_nothing = inner
            && close
            && other.borders == 0
            && print.density_between(&chosen.corners, &other.corners) < MAX_BLANK_PRINT_RATIO;
        if holds_more || lies_in_nothing {
            chosen = *other;
        }
    }
    Some(chosen)
}

/// Density of print between two quadrilaterals, relative to that inside the inner one: above this the outer one is the
/// page.
const MIN_PAGE_PRINT_RATIO: f32 = 0.35;
/// Below this the area between is blank and the inner one is the page.
const MAX_BLANK_PRINT_RATIO: f32 = 0.06;

/// Whether `outer` encloses `inner`, with a tolerance of 4 pixels, and has more than 1.2 times its area.
fn encloses(outer: &[Point; 4], inner: &[Point; 4]) -> bool {
    polygon_area(outer) > 1.2 * polygon_area(inner) && inner.iter().all(|corner| depth(outer, *corner) > -4.0)
}

/// Distance of a point from the nearest side of a clockwise quadrilateral, in pixels; negative outside.
pub(super) fn depth(corners: &[Point; 4], [x, y]: Point) -> f32 {
    (0..4)
        .map(|at| {
            let (a, b) = (corners[at], corners[(at + 1) % 4]);
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            (dx * (y - a[1]) - dy * (x - a[0])) / dx.hypot(dy).max(1e-3)
        })
        .fold(f32::MAX, f32::min)
}

/// All quadrilaterals that may be pages, best first.
fn page_candidates(edges: &EdgeMap, lines: &[EdgeLine], expected: Option<&[Point; 4]>) -> Vec<Quad> {
    let size = edges.width.min(edges.height) as f32;
    let centre = [edges.width as f32 / 2.0, edges.height as f32 / 2.0];
    let mut pairs = Vec::new();
    for (a, one) in lines.iter().enumerate() {
        for (b, other) in lines.iter().enumerate().skip(a + 1) {
            // Distance of a line from the centre of the photo.
            let offset = |line: &EdgeLine| line.offset - centre[0] * line.cosine - centre[1] * line.sine;
            let sign = (one.cosine * other.cosine + one.sine * other.sine).signum();
            let apart = (offset(one) - sign * offset(other)).abs();
            if one.parallel(other) > 0.82 && apart > size * 0.08 {
                pairs.push(OppositeSides(a, b));
            }
        }
    }
    let profiles: Vec<EdgeProfile> = lines.iter().map(|line| EdgeProfile::of(edges, line)).collect();
    let mut found: Vec<Quad> = Vec::new();
    for (at, first) in pairs.iter().enumerate() {
        for second in &pairs[at + 1..] {
            let sides = [first.0, second.0, first.1, second.1];
            if lines[sides[0]].parallel(&lines[sides[1]]) > 0.6 {
                continue;
            }
            let Some(corners) = corners(&sides.map(|side| &lines[side]), edges) else { continue };
            let borders = sides.iter().filter(|side| lines[**side].border).count();
            if let Some(score) = score(edges, &corners, &sides.map(|side| &profiles[side]), expected) {
                found.push(Quad { corners: clockwise(corners), score, borders });
            }
        }
    }
    found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// The intersections of successive sides, beginning with that of the first and the second; `None` unless they form a
/// convex quadrilateral of a plausible size.
fn corners(sides: &[&EdgeLine; 4], edges: &EdgeMap) -> Option<[Point; 4]> {
    let corners = [
        sides[0].cross(sides[1])?,
        sides[1].cross(sides[2])?,
        sides[2].cross(sides[3])?,
        sides[3].cross(sides[0])?,
    ];
    let (width, height) = (edges.width as f32, edges.height as f32);
    let near = |[x, y]: &Point| {
        (-0.12 * width..1.12 * width).contains(x) && (-0.12 * height..1.12 * height).contains(y)
    };
    if !corners.iter().all(near) {
        return None;
    }
    let sign = polygon_area(&corners).signum();
    let turn = |at: usize| {
        let (a, b, c) = (corners[at], corners[(at + 1) % 4], corners[(at + 2) % 4]);
        let (one, two) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
        let lengths = one[0].hypot(one[1]) * two[0].hypot(two[1]);
        sign * (one[0] * two[1] - one[1] * two[0]) / lengths.max(1e-3)
    };
    // Angles of 55 to 125 degrees.
    let fits = (0..4).all(|at| turn(at) >= 0.82) && polygon_area(&corners).abs() >= 0.006 * width * height;
    fits.then_some(corners)
}

/// The same corners, clockwise from the top left one.
fn clockwise(mut corners: [Point; 4]) -> [Point; 4] {
    if polygon_area(&corners) < 0.0 {
        corners.reverse();
    }
    let sum = |corner: Point| corner[0] + corner[1];
    let first = (0..4).min_by(|&a, &b| sum(corners[a]).total_cmp(&sum(corners[b]))).unwrap_or(0);
    corners.rotate_left(first);
    corners
}

/// How much a quadrilateral looks like a page; `None` where fewer than two sides are edges rather than borders of the
/// photo.
fn score(
    edges: &EdgeMap,
    corners: &[Point; 4],
    sides: &[&EdgeProfile; 4],
    expected: Option<&[Point; 4]>,
) -> Option<f32> {
    let (mut total, mut seen, mut weakest) = (0.0, 0.0_f32, 1.0_f32);
    for (at, side) in sides.iter().enumerate() {
        if side.border {
            continue;
        }
        // A side runs from its intersection with the previous side to that with the next one.
        let worth = side.side_score(corners[(at + 3) % 4], corners[at]);
        total += worth;
        seen += 1.0;
        weakest = weakest.min(worth);
    }
    if seen < 1.5 {
        return None;
    }
    // A side on a border of the photo, which may cut the page off, is no evidence for a page and only weak evidence
    // against it.
    let cut = 4.0 - seen;
    let total = total / seen - 0.12 * cut;
    let share = polygon_area(corners).abs() / (edges.width * edges.height) as f32;
    let long = edges.width.max(edges.height) as f32;
    let ratio = aspect(corners, [edges.width as f32 / 2.0, edges.height as f32 / 2.0], long * 0.95);
    let off = PageFormat::ALL
        .iter()
        .map(|format| (ratio.max(1.0 / ratio) / format.ratio()).ln().abs())
        .fold(f32::MAX, f32::min);
    let formed = if cut > 0.0 { 0.35 } else { (-(off / 0.05).powi(2)).exp() };
    let placed = expected.map_or(0.0, |expected| intersection_over_union(corners, expected));
    Some(total + 0.35 * weakest + 0.22 * formed + 0.25 * share.min(0.8).sqrt() + 0.8 * placed)
}

/// Edge pixels along a line and in its direction, as prefix sums, so that any segment of the line can be evaluated at
/// once.
struct EdgeProfile {
    border: bool,
    direction: [f32; 2],
    /// Position of the first sample along the direction.
    begin: f32,
    /// Prefix sums over the samples: edges that are brighter on one side, edges that are brighter on the other, and
    /// samples inside the photo.
    sums: Vec<[f32; 3]>,
}

/// Distance between samples.
const SAMPLE_STEP_PIXELS: f32 = 1.5;

impl EdgeProfile {
    fn of(edges: &EdgeMap, line: &EdgeLine) -> Self {
        let normal = [line.cosine, line.sine];
        let direction = [-line.sine, line.cosine];
        let reach = (edges.width as f32).hypot(edges.height as f32);
        let count = (2.0 * reach / SAMPLE_STEP_PIXELS) as usize;
        let mut sums = Vec::with_capacity(count + 1);
        let mut sum = [0.0; 3];
        sums.push(sum);
        for step in 0..count {
            let t = step as f32 * SAMPLE_STEP_PIXELS - reach;
            let [x, y] =
                [normal[0] * line.offset + direction[0] * t, normal[1] * line.offset + direction[1] * t];
            let inside =
                x >= 1.0 && y >= 1.0 && x <= edges.width as f32 - 2.0 && y <= edges.height as f32 - 2.0;
            if inside && !line.border {
                let steepest = [-1.0_f32, 0.0, 1.0]
                    .map(|off| {
                        let [gx, gy] = edges.gradient([x + normal[0] * off, y + normal[1] * off]);
                        let (across, along) =
                            (gx * normal[0] + gy * normal[1], gx * normal[1] - gy * normal[0]);
                        if along.abs() < across.abs() * 0.6 { across } else { 0.0 }
                    })
                    .into_iter()
                    .fold(0.0_f32, |one, other| if other.abs() > one.abs() { other } else { one });
                sum[0] += f32::from(u8::from(steepest > edges.weak));
                sum[1] += f32::from(u8::from(steepest < -edges.weak));
                sum[2] += 1.0;
            }
            sums.push(sum);
        }
        Self { border: line.border, direction, begin: -reach, sums }
    }

    /// How much of a segment has edges, 0 to 1. Edges that are brighter on the less frequent side count half: a page is
    /// brighter or darker than its surroundings along nearly all of a side.
    fn edge_share(&self, from: f32, to: f32) -> f32 {
        let at =
            |t: f32| (((t - self.begin) / SAMPLE_STEP_PIXELS).max(0.0) as usize).min(self.sums.len() - 1);
        let (first, last) = (self.sums[at(from)], self.sums[at(to)]);
        let [one, other, inside] = [0, 1, 2].map(|part: usize| last[part] - first[part]);
        if inside < 1.0 { 0.0 } else { (one.max(other) + 0.5 * one.min(other)) / inside }
    }

    /// The score of a side: the share of edges along it, less a penalty for edges that continue beyond its ends. The
    /// ends themselves are left out, because corners are rounded.
    fn side_score(&self, from: Point, to: Point) -> f32 {
        let along = |[x, y]: Point| x * self.direction[0] + y * self.direction[1];
        let (low, high) = (along(from).min(along(to)), along(from).max(along(to)));
        let length = high - low;
        let round = length * 0.04;
        let ends = (length * 0.14).min(24.0);
        let beyond =
            f32::midpoint(self.edge_share(low - ends, low - 2.0), self.edge_share(high + 2.0, high + ends));
        self.edge_share(low + round, high - round) - 0.35 * beyond
    }
}

/// Width divided by height of the flat page behind a quadrilateral, for a camera with a given focal length in pixels.
pub(super) fn aspect(corners: &[Point; 4], centre: Point, focal: f32) -> f32 {
    // The depths of the corners follow from the intersection of the diagonals (Zhang and He, Whiteboard Scanning and
    // Image Enhancement).
    let p = corners.map(|[x, y]| {
        [f64::from(x - centre[0]) / f64::from(focal), f64::from(y - centre[1]) / f64::from(focal), 1.0]
    });
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let [a, b, c, d] = p;
    let opposite = cross(a, c);
    let (k_b, k_d) = (dot(opposite, d) / dot(cross(b, c), d), dot(opposite, b) / dot(cross(d, c), b));
    // Corner b is k_b times as deep as corner a, and corner d k_d times. The sides of the page are differences of
    // corners.
    let side = |k: f64, q: [f64; 3]| [k * q[0] - a[0], k * q[1] - a[1], k * q[2] - a[2]];
    let (across, down) = (side(k_b, b), side(k_d, d));
    let ratio = (dot(across, across) / dot(down, down)).sqrt();
    if ratio.is_finite() && ratio > 0.0 { ratio as f32 } else { 1.0 }
}
