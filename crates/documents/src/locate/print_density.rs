//! Where there is print: letters and portraits have edges in all directions, wood grain and tile joints in one only.

use super::{edge_lines::EdgeMap, quadrilaterals::depth};
use crate::picture::homography::Point;

/// The density of print in a grid of cells.
pub(super) struct PrintDensity {
    columns: usize,
    rows: usize,
    /// Density, from 0 (no print) to 2.
    cells: Vec<f32>,
    total: f32,
}

/// Side of a cell in pixels of the edge map.
const CELL_PIXELS: usize = 8;

impl PrintDensity {
    pub(super) fn of(edges: &EdgeMap) -> Self {
        let (columns, rows) = ((edges.width / CELL_PIXELS).max(1), (edges.height / CELL_PIXELS).max(1));
        let mut sums = vec![[0.0_f32; 3]; columns * rows];
        for y in 0..rows * CELL_PIXELS {
            for x in 0..columns * CELL_PIXELS {
                let [gx, gy] = edges.gradient([x as f32, y as f32]);
                let sum = &mut sums[y / CELL_PIXELS * columns + x / CELL_PIXELS];
                for (sum, value) in sum.iter_mut().zip([gx * gx, gy * gy, gx * gy]) {
                    *sum += value;
                }
            }
        }
        let cells: Vec<f32> = sums
            .iter()
            .map(|&[xx, yy, xy]| {
                let energy = xx + yy;
                let coherence = ((xx - yy).powi(2) + 4.0 * xy * xy).sqrt() / energy.max(1e-3);
                let strength = (energy / (CELL_PIXELS * CELL_PIXELS) as f32).sqrt() / edges.weak;
                (strength - 0.6).clamp(0.0, 2.0) * (1.0 - coherence * coherence)
            })
            .collect();
        let total = cells.iter().sum();
        Self { columns, rows, cells, total }
    }

    fn middle(&self, at: usize) -> Point {
        [(at % self.columns * CELL_PIXELS) as f32 + 3.5, (at / self.columns * CELL_PIXELS) as f32 + 3.5]
    }

    /// The share of all print that lies inside a quadrilateral, 0 to 1, and the mean density there.
    pub(super) fn share_inside(&self, corners: &[Point; 4]) -> (f32, f32) {
        let (mut sum, mut count) = (0.0, 0.0_f32);
        for (at, cell) in self.cells.iter().enumerate() {
            if depth(corners, self.middle(at)) > -2.0 {
                sum += cell;
                count += 1.0;
            }
        }
        (sum / self.total.max(1.0), sum / count.max(1.0))
    }

    /// Mean density between two quadrilaterals, divided by the mean density inside the inner one.
    pub(super) fn density_between(&self, outer: &[Point; 4], inner: &[Point; 4]) -> f32 {
        let (mut between, mut inside) = ([0.0_f32; 2], [0.0_f32; 2]);
        for (at, cell) in self.cells.iter().enumerate() {
            let middle = self.middle(at);
            // Cells on the outlines themselves are left out.
            let (far, near) = (depth(outer, middle), depth(inner, middle));
            let count = if near > 6.0 {
                &mut inside
            } else if near < -6.0 && far > 6.0 {
                &mut between
            } else {
                continue;
            };
            count[0] += cell;
            count[1] += 1.0;
        }
        let density = |[sum, count]: [f32; 2]| sum / count.max(1.0);
        density(between) / density(inside).max(0.02)
    }

    /// The bounding box of the heaviest cluster of print (left, top, right, bottom, in pixels), and its share of all
    /// print.
    pub(super) fn cluster(&self) -> Option<([f32; 4], f32)> {
        let mut waiting = Vec::new();
        let mut seen: Vec<bool> = self.cells.iter().map(|cell| *cell < 0.15).collect();
        let mut best: Option<([usize; 4], f32)> = None;
        for start in 0..self.cells.len() {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            waiting.push(start);
            let (mut bounds, mut weight) = ([usize::MAX, usize::MAX, 0, 0], 0.0);
            while let Some(at) = waiting.pop() {
                let (column, row) = (at % self.columns, at / self.columns);
                weight += self.cells[at];
                bounds =
                    [bounds[0].min(column), bounds[1].min(row), bounds[2].max(column), bounds[3].max(row)];
                // Cells with letters of the same page are up to two cells apart.
                for y in row.saturating_sub(2)..(row + 3).min(self.rows) {
                    for x in column.saturating_sub(2)..(column + 3).min(self.columns) {
                        let next = y * self.columns + x;
                        if !seen[next] {
                            seen[next] = true;
                            waiting.push(next);
                        }
                    }
                }
            }
            if best.is_none_or(|(_, most)| weight > most) {
                best = Some((bounds, weight));
            }
        }
        let (bounds, weight) = best?;
        let [left, top, right, bottom] = bounds.map(|cell| (cell * CELL_PIXELS) as f32);
        Some((
            [left, top, right + CELL_PIXELS as f32, bottom + CELL_PIXELS as f32],
            weight / self.total.max(1.0),
        ))
    }
}
