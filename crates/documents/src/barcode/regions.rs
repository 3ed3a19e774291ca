//! Regions that may be a PDF417: their edges all run in one direction, which is determined as well.

use crate::picture::{
    homography::{Homography, Point},
    plane::Plane,
};

/// A region that may be a PDF417.
#[derive(Clone, Debug)]
pub(super) struct BarcodeRegion {
    /// Centre, in pixels of the plane.
    centre: Point,
    /// The direction across the bars, in radians from the x axis towards the y axis; -π/2 to π/2.
    angle: f32,
    /// Half the extent across the bars and along them, in pixels, with a margin.
    half: [f32; 2],
    /// Sum of the gradient energy of its cells. Heavier regions are tried first.
    weight: f32,
}

/// Side of the cells in which gradients are summed.
const CELL_PIXELS: usize = 16;
/// Most regions that are tried, heaviest first.
const MAX_REGIONS: usize = 4;

#[derive(Clone, Copy, Default)]
struct GradientCell {
    /// The structure tensor: sums of products of gradients.
    xx: f32,
    yy: f32,
    xy: f32,
}

impl GradientCell {
    fn energy(self) -> f32 {
        self.xx + self.yy
    }

    /// 1 where all edges run in one direction, 0 where they run in all directions.
    fn coherence(self) -> f32 {
        ((self.xx - self.yy).powi(2) + 4.0 * self.xy * self.xy).sqrt() / self.energy().max(1.0)
    }

    /// Twice the angle as a vector, because directions repeat after half a turn and can only be averaged in this form.
    fn double_angle(self) -> [f32; 2] {
        [self.xx - self.yy, 2.0 * self.xy]
    }

    fn add(&mut self, other: Self) {
        self.xx += other.xx;
        self.yy += other.yy;
        self.xy += other.xy;
    }
}

/// Finds the regions, most likely first.
pub(super) fn find(plane: &Plane) -> Vec<BarcodeRegion> {
    let (columns, rows) = (plane.width() / CELL_PIXELS, plane.height() / CELL_PIXELS);
    if columns < 3 || rows < 2 {
        return Vec::new();
    }
    let cells = smooth(&sum_edges(plane, columns, rows), columns, rows);
    let mut energies: Vec<f32> = cells.iter().map(|cell| cell.energy()).collect();
    energies.sort_unstable_by(f32::total_cmp);
    let strong = energies[energies.len() * 95 / 100] * 0.25;
    let mut marked: Vec<bool> =
        cells.iter().map(|cell| cell.energy() > strong.max(200.0) && cell.coherence() > 0.35).collect();

    let mut regions = Vec::new();
    for start in 0..cells.len() {
        if !marked[start] {
            continue;
        }
        let members = flood(&cells, &mut marked, columns, start);
        if members.len() >= 6 {
            regions.extend(describe(&cells, &members, columns));
        }
    }
    regions.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight));
    regions.truncate(MAX_REGIONS);
    regions
}

fn sum_edges(plane: &Plane, columns: usize, rows: usize) -> Vec<GradientCell> {
    let (across, down) = plane.gradients();
    let mut cells = vec![GradientCell::default(); columns * rows];
    for y in 0..rows * CELL_PIXELS {
        let (across, down) = (across.row(y), down.row(y));
        let line = &mut cells[y / CELL_PIXELS * columns..][..columns];
        for (cell, (across, down)) in
            line.iter_mut().zip(across.chunks_exact(CELL_PIXELS).zip(down.chunks_exact(CELL_PIXELS)))
        {
            for (&x, &y) in across.iter().zip(down) {
                cell.add(GradientCell { xx: x * x, yy: y * y, xy: x * y });
            }
        }
    }
    let share = 1.0 / (CELL_PIXELS * CELL_PIXELS) as f32;
    for cell in &mut cells {
        *cell = GradientCell { xx: cell.xx * share, yy: cell.yy * share, xy: cell.xy * share };
    }
    cells
}

fn smooth(cells: &[GradientCell], columns: usize, rows: usize) -> Vec<GradientCell> {
    let mut smoothed = vec![GradientCell::default(); cells.len()];
    for row in 0..rows {
        for column in 0..columns {
            let mut count = 0.0;
            let mut sum = GradientCell::default();
            for y in row.saturating_sub(1)..(row + 2).min(rows) {
                for x in column.saturating_sub(1)..(column + 2).min(columns) {
                    sum.add(cells[y * columns + x]);
                    count += 1.0;
                }
            }
            smoothed[row * columns + column] =
                GradientCell { xx: sum.xx / count, yy: sum.yy / count, xy: sum.xy / count };
        }
    }
    smoothed
}

/// Collects the marked cells that are connected to `start` and run in about the same direction, and clears their marks.
fn flood(cells: &[GradientCell], marked: &mut [bool], columns: usize, start: usize) -> Vec<usize> {
    let mut members = Vec::new();
    let mut waiting = vec![start];
    let mut direction = [0.0_f32; 2];
    marked[start] = false;
    while let Some(at) = waiting.pop() {
        members.push(at);
        let [x, y] = cells[at].double_angle();
        direction = [direction[0] + x, direction[1] + y];
        let neighbours = [
            (at % columns > 0).then(|| at.wrapping_sub(1)),
            (at % columns + 1 < columns).then_some(at + 1),
            at.checked_sub(columns),
            Some(at + columns),
        ];
        for next in neighbours.into_iter().flatten() {
            if marked.get(next) == Some(&true) {
                let [x, y] = cells[next].double_angle();
                let (length, other) = (x.hypot(y), direction[0].hypot(direction[1]));
                // Within 20 degrees, which are 40 degrees of the double angle.
                if x * direction[0] + y * direction[1] > 0.77 * length * other {
                    marked[next] = false;
                    waiting.push(next);
                }
            }
        }
    }
    members
}

fn describe(cells: &[GradientCell], members: &[usize], columns: usize) -> Option<BarcodeRegion> {
    let mut double = [0.0_f32; 2];
    let mut weight = 0.0;
    for &at in members {
        let [x, y] = cells[at].double_angle();
        double = [double[0] + x, double[1] + y];
        weight += cells[at].energy();
    }
    let angle = double[1].atan2(double[0]) / 2.0;
    let (sine, cosine) = angle.sin_cos();
    let middle = |at: usize| {
        [
            (at % columns * CELL_PIXELS + CELL_PIXELS / 2) as f32,
            (at / columns * CELL_PIXELS + CELL_PIXELS / 2) as f32,
        ]
    };
    let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
    for &at in members {
        let [x, y] = middle(at);
        for (axis, value) in [x * cosine + y * sine, y * cosine - x * sine].into_iter().enumerate() {
            low[axis] = low[axis].min(value);
            high[axis] = high[axis].max(value);
        }
    }
    let extent = [high[0] - low[0], high[1] - low[1]];
    // Bars that are more than twice as long as the region is wide are lines of a form and not a code.
    if extent[0] < 4.0 * CELL_PIXELS as f32 || extent[1] > extent[0] * 2.0 {
        return None;
    }
    let (along, across) = (f32::midpoint(low[0], high[0]), f32::midpoint(low[1], high[1]));
    Some(BarcodeRegion {
        centre: [along * cosine - across * sine, along * sine + across * cosine],
        angle,
        half: [
            extent[0] / 2.0 * 1.08 + 2.5 * CELL_PIXELS as f32,
            extent[1] / 2.0 + extent[0] * 0.05 + 2.5 * CELL_PIXELS as f32,
        ],
        weight,
    })
}

impl BarcodeRegion {
    /// Crops the region with its bars upright, turned by `degrees` more and scaled. The homography maps the crop to the
    /// plane.
    pub(super) fn turn_upright(
        &self,
        plane: &Plane,
        degrees: f32,
        scale: f32,
    ) -> Option<(Plane, Homography)> {
        let [width, height] = self.half.map(|half| half * 2.0);
        let corners = self.corners(degrees);
        cut_rectangle(plane, &corners, width, height, scale)
    }

    /// Crops the region so that an outline becomes a rectangle with a quiet zone. The outline is in pixels of the
    /// region turned upright at a scale of 1.
    pub(super) fn rectify(
        &self,
        plane: &Plane,
        outline: &[Point; 4],
        scale: f32,
    ) -> Option<(Plane, Homography)> {
        let [width, height] = self.half.map(|half| half * 2.0);
        let upright = Homography::from_corners(
            &[[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]],
            &self.corners(0.0),
        )?;
        let length = |a: Point, b: Point| (a[0] - b[0]).hypot(a[1] - b[1]);
        let [a, b, c, d] = *outline;
        let (wide, high) = (length(a, b).max(length(d, c)), length(a, d).max(length(b, c)));
        if wide < 32.0 || high < 8.0 {
            return None;
        }
        // Maps a rectangle with a margin to the outline, by way of the rectangle without the margin.
        let (side, level) = (0.06, 0.12);
        let straight = Homography::from_corners(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], outline)?;
        let with_margin =
            [[-side, -level], [1.0 + side, -level], [1.0 + side, 1.0 + level], [-side, 1.0 + level]];
        let corners = with_margin.map(|corner| upright.apply(straight.apply(corner)));
        cut_rectangle(plane, &corners, wide * (1.0 + 2.0 * side), high * (1.0 + 2.0 * level), scale)
    }

    fn corners(&self, degrees: f32) -> [Point; 4] {
        let (sine, cosine) = (self.angle + degrees.to_radians()).sin_cos();
        let [half_width, half_height] = self.half;
        let corner = |x: f32, y: f32| {
            [
                self.centre[0] + x * half_width * cosine - y * half_height * sine,
                self.centre[1] + x * half_width * sine + y * half_height * cosine,
            ]
        };
        [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
    }
}

/// Draws the quadrilateral between four corners as a rectangle of the given size times `scale`, of at most 6 million
/// pixels.
fn cut_rectangle(
    plane: &Plane,
    corners: &[Point; 4],
    width: f32,
    height: f32,
    scale: f32,
) -> Option<(Plane, Homography)> {
    let scale = scale.min((6.0e6 / (width * height)).sqrt());
    let (width, height) = ((width * scale).max(1.0), (height * scale).max(1.0));
    let from = [[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]];
    let map = Homography::from_corners(&from, corners)?;
    Some((map.warp_plane(plane, width as usize, height as usize), map))
}
