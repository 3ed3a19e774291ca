//! Where a camera sees a flat page: pose and projection.

use super::Point;

/// From millimetres on the page, its middle at 0, 0, to pixels of the photo, and back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    out: [[f32; 3]; 3],
    back: [[f32; 3]; 3],
}

/// How the page lies before the camera.
pub(super) struct Lie {
    /// Pixels of the photo.
    pub(super) frame: [f32; 2],
    /// Pixels that a millimetre takes at the page's middle.
    pub(super) scale: f32,
    /// Where the page's middle is seen, in pixels.
    pub(super) middle: Point,
    /// Degrees that it is turned, clockwise as seen.
    pub(super) roll: f32,
    /// Degrees that it leans, about the frame's x and y axes.
    pub(super) tilt: [f32; 2],
}

impl Pose {
    pub(super) fn new(lie: &Lie) -> Self {
        let focal = 1.2 * lie.frame[0].max(lie.frame[1]);
        let distance = focal / lie.scale;
        let (sz, cz) = lie.roll.to_radians().sin_cos();
        let (sx, cx) = lie.tilt[0].to_radians().sin_cos();
        let (sy, cy) = lie.tilt[1].to_radians().sin_cos();
        // Columns of Rx · Ry · Rz for the page's two axes.
        let turned = |[x, y]: [f32; 2]| {
            let (x, y, z) = (x * cz - y * sz, x * sz + y * cz, 0.0_f32);
            let (x, z) = (x * cy + z * sy, z * cy - x * sy);
            [x, y * cx - z * sx, y * sx + z * cx]
        };
        let (first, second) = (turned([1.0, 0.0]), turned([0.0, 1.0]));
        let centre = [lie.frame[0] / 2.0, lie.frame[1] / 2.0];
        let shift =
            [(lie.middle[0] - centre[0]) / lie.scale, (lie.middle[1] - centre[1]) / lie.scale, distance];
        let project = |axis: usize| [first[axis], second[axis], shift[axis]];
        let (xs, ys, zs) = (project(0), project(1), project(2));
        let mut out = [[0.0; 3]; 3];
        for column in 0..3 {
            out[0][column] = focal * xs[column] + centre[0] * zs[column];
            out[1][column] = focal * ys[column] + centre[1] * zs[column];
            out[2][column] = zs[column];
        }
        Self { out, back: inverse(&out) }
    }

    /// Where a point of the page (millimetres from its middle) is seen.
    pub(super) fn see(&self, point: [f32; 2]) -> Point {
        apply(&self.out, point)
    }

    /// Which point of the page (millimetres from its middle) is seen there.
    pub(super) fn touch(&self, pixel: Point) -> [f32; 2] {
        apply(&self.back, pixel)
    }
}

fn apply(rows: &[[f32; 3]; 3], [x, y]: [f32; 2]) -> [f32; 2] {
    let line = |row: &[f32; 3]| row[0] * x + row[1] * y + row[2];
    let depth = line(&rows[2]);
    [line(&rows[0]) / depth, line(&rows[1]) / depth]
}

/// The adjugate: as good as the inverse for maps that are divided by their last row.
fn inverse(m: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
    let minor = |a: usize, b: usize, c: usize, d: usize| m[a][c] * m[b][d] - m[a][d] * m[b][c];
    [
        [minor(1, 2, 1, 2), -minor(0, 2, 1, 2), minor(0, 1, 1, 2)],
        [-minor(1, 2, 0, 2), minor(0, 2, 0, 2), -minor(0, 1, 0, 2)],
        [minor(1, 2, 0, 1), -minor(0, 2, 0, 1), minor(0, 1, 0, 1)],
    ]
}
