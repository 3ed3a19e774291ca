//! Straight edges of a photograph: a Hough transform in which each edge pixel votes only for lines close to its own
//! direction.

use crate::picture::{homography::Point, plane::Plane};
use base::Picture;

/// Gradients of a photograph, scaled down to a working size.
pub(super) struct EdgeMap {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Horizontal and vertical gradient, of the colour channel in which it is steepest.
    across: Vec<f32>,
    down: Vec<f32>,
    /// Gradient magnitude from which a pixel is an edge, in grey values per pixel.
    pub(super) weak: f32,
}

/// A line in normal form: `x cosine + y sine = offset`, in pixels of the edge map.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeLine {
    pub(super) cosine: f32,
    pub(super) sine: f32,
    pub(super) offset: f32,
    /// Whether this is a border of the photo, by which a page may be cut off.
    pub(super) border: bool,
}

impl EdgeLine {
    pub(super) fn cross(&self, other: &Self) -> Option<Point> {
        let determinant = self.cosine * other.sine - self.sine * other.cosine;
        if determinant.abs() < 0.05 {
            return None;
        }
        Some([
            (self.offset * other.sine - other.offset * self.sine) / determinant,
            (other.offset * self.cosine - self.offset * other.cosine) / determinant,
        ])
    }

    /// The absolute cosine of the angle between two lines: 1 where they are parallel.
    pub(super) fn parallel(&self, other: &Self) -> f32 {
        (self.cosine * other.cosine + self.sine * other.sine).abs()
    }

    fn distance(&self, [x, y]: Point) -> f32 {
        x * self.cosine + y * self.sine - self.offset
    }
}

/// Number of directions over half a turn in the accumulator.
const ANGLE_BINS: usize = 180;
/// Number of directions on either side of its own that an edge pixel votes for.
const VOTE_SPREAD_BINS: i32 = 3;

impl EdgeMap {
    pub(super) fn of(picture: &Picture, long_side: usize) -> Self {
        let channel = |c: usize| {
            let values = picture.rgb().as_chunks::<3>().0.iter().map(|pixel| f32::from(pixel[c])).collect();
            let plane = Plane::new(picture.width() as usize, picture.height() as usize, values);
            plane.resize_to(long_side).blur(0.9)
        };
        let mut edges: Option<Self> = None;
        for c in 0..3 {
            let plane = channel(c);
            let (across, down) = plane.gradients();
            match &mut edges {
                None => {
                    edges = Some(Self {
                        width: plane.width(),
                        height: plane.height(),
                        across: across.values().to_vec(),
                        down: down.values().to_vec(),
                        weak: 1.2,
                    });
                }
                Some(edges) => edges.keep_steeper_gradient(&across, &down),
            }
        }
        let mut edges =
            edges.unwrap_or(Self { width: 1, height: 1, across: vec![0.0], down: vec![0.0], weak: 1.2 });
        edges.weak = edges.threshold();
        edges
    }

    fn keep_steeper_gradient(&mut self, across: &Plane, down: &Plane) {
        let steeper = across.values().iter().zip(down.values());
        for ((x, y), (&new_x, &new_y)) in self.across.iter_mut().zip(&mut self.down).zip(steeper) {
            if new_x * new_x + new_y * new_y > *x * *x + *y * *y {
                (*x, *y) = (new_x, new_y);
            }
        }
    }

    /// A threshold above the noise: three times the median gradient, 1 to 5.
    fn threshold(&self) -> f32 {
        let mut lengths: Vec<f32> =
            self.across.iter().zip(&self.down).step_by(7).map(|(x, y)| x.hypot(*y)).collect();
        let middle = lengths.len() / 2;
        let median = *lengths.select_nth_unstable_by(middle, f32::total_cmp).1;
        (median * 3.0).clamp(1.0, 5.0)
    }

    /// The gradient at the nearest pixel; zero outside the picture.
    pub(super) fn gradient(&self, [x, y]: Point) -> [f32; 2] {
        let (x, y) = (x.round(), y.round());
        if x < 0.0 || y < 0.0 || x >= self.width as f32 || y >= self.height as f32 {
            return [0.0; 2];
        }
        let at = y as usize * self.width + x as usize;
        [self.across[at], self.down[at]]
    }

    /// Edge pixels that are local maxima across the edge (non-maximum suppression): position, unit normal and
    /// magnitude.
    fn ridges(&self) -> Vec<(Point, [f32; 2], f32)> {
        let mut ridges = Vec::new();
        for y in 1..self.height.saturating_sub(1) {
            for x in 1..self.width.saturating_sub(1) {
                let at = y * self.width + x;
                let (dx, dy) = (self.across[at], self.down[at]);
                let length = dx.hypot(dy);
                if length < self.weak {
                    continue;
                }
                let step = |value: f32| if value.abs() > 0.38 * length { value.signum() as i64 } else { 0 };
                let beside = |sign: i64| {
                    let next = (y as i64 + sign * step(dy)) * self.width as i64 + x as i64 + sign * step(dx);
                    self.across[next as usize].hypot(self.down[next as usize])
                };
                if length >= beside(1) && length > beside(-1) {
                    ridges.push(([x as f32, y as f32], [dx / length, dy / length], length));
                }
            }
        }
        ridges
    }

    /// The lines with the most votes, at most `most`, followed by the four borders of the photo.
    pub(super) fn hough_lines(&self, most: usize) -> Vec<EdgeLine> {
        let ridges = self.ridges();
        let reach = (self.width as f32).hypot(self.height as f32);
        let bins = (reach * 2.0 / 2.0).ceil() as usize + 2;
        let directions: Vec<(f32, f32)> = (0..ANGLE_BINS)
            .map(|at| (at as f32 * std::f32::consts::PI / ANGLE_BINS as f32).sin_cos())
            .collect();
        let mut votes = vec![0.0_f32; ANGLE_BINS * bins];
        for &([x, y], [dx, dy], length) in &ridges {
            let own = (dy.atan2(dx) / std::f32::consts::PI * ANGLE_BINS as f32).round() as i32;
            let weight = (length / (4.0 * self.weak)).min(1.0).sqrt();
            for angle in own - VOTE_SPREAD_BINS..=own + VOTE_SPREAD_BINS {
                let angle = angle.rem_euclid(ANGLE_BINS as i32) as usize;
                let (sine, cosine) = directions[angle];
                let bin = ((x * cosine + y * sine + reach) / 2.0) as usize;
                votes[angle * bins + bin.min(bins - 1)] += weight;
            }
        }
        let mut lines = Vec::with_capacity(most + 4);
        let least = self.width.min(self.height) as f32 * 0.1;
        while lines.len() < most {
            let best = votes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            let Some((at, &count)) = best else { break };
            if count < least {
                break;
            }
            let (angle, bin) = (at / bins, at % bins);
            let (sine, cosine) = directions[angle];
            let rough = EdgeLine { cosine, sine, offset: bin as f32 * 2.0 + 1.0 - reach, border: false };
            lines.push(refine(rough, &ridges));
            suppress_neighbours(&mut votes, bins, angle, bin, reach);
        }
        let (right, bottom) = (self.width as f32 - 1.0, self.height as f32 - 1.0);
        let border = |cosine, sine, offset| EdgeLine { cosine, sine, offset, border: true };
        lines.extend([
            border(1.0, 0.0, 0.0),
            border(1.0, 0.0, right),
            border(0.0, 1.0, 0.0),
            border(0.0, 1.0, bottom),
        ]);
        lines
    }
}

/// Clears the votes around a line that was taken, so that the next maximum is another line.
fn suppress_neighbours(votes: &mut [f32], bins: usize, angle: usize, bin: usize, reach: f32) {
    for turn in -4_i32..=4 {
        let near = angle as i32 + turn;
        let wrapped = near.rem_euclid(ANGLE_BINS as i32) as usize;
        // Past half a turn, the same line has the negated offset.
        let middle =
            if near == wrapped as i32 { bin as i32 } else { ((2.0 * reach - bin as f32 * 2.0) / 2.0) as i32 };
        for shift in -3_i32..=3 {
            let at = middle + shift;
            if at >= 0 && (at as usize) < bins {
                votes[wrapped * bins + at as usize] = 0.0;
            }
        }
    }
}

/// Fits a line to the nearby edge pixels of its direction: weighted least squares in two rounds, with weights that fall
/// with the distance.
fn refine(mut line: EdgeLine, ridges: &[(Point, [f32; 2], f32)]) -> EdgeLine {
    for reach in [3.0_f32, 1.6] {
        let (mut weight, mut sx, mut sy, mut sxx, mut syy, mut sxy) = (0.0_f64, 0.0, 0.0, 0.0, 0.0, 0.0);
        for &([x, y], [dx, dy], _) in ridges {
            let distance = line.distance([x, y]);
            if distance.abs() < reach && (dx * line.cosine + dy * line.sine).abs() > 0.97 {
                let (x, y) = (f64::from(x), f64::from(y));
                let w = 1.0 - f64::from(distance.abs() / reach) * 0.7;
                weight += w;
                sx += w * x;
                sy += w * y;
                sxx += w * x * x;
                syy += w * y * y;
                sxy += w * x * y;
            }
        }
        if weight < 8.0 {
            return line;
        }
        let (mx, my) = (sx / weight, sy / weight);
        let (cxx, cyy, cxy) = (sxx / weight - mx * mx, syy / weight - my * my, sxy / weight - mx * my);
        // The line's normal is the direction of least variance.
        let along = 0.5 * (2.0 * cxy).atan2(cxx - cyy);
        let (normal_x, normal_y) = (-along.sin(), along.cos());
        line = EdgeLine {
            cosine: normal_x as f32,
            sine: normal_y as f32,
            offset: (mx * normal_x + my * normal_y) as f32,
            border: false,
        };
    }
    line
}
