//! Finds a face again in the next picture of a video by its pixels, without a net: a small patch of its luma is compared with
//! the picture at nearby places (normalised cross-correlation).

use crate::Face;
use base::Picture;

/// Cells along each side of a face's patch.
const PATCH_CELLS: usize = 24;

/// Side of a patch in sides of the face's box: hair and outline tell people apart where noses are alike.
const PATCH_SCALE: f32 = 1.3;

/// How far a face is searched for in each direction, cells; 0.33 sides of the face's box.
const REACH_CELLS: usize = 6;

/// Pixels that are read along each side of a cell. Their mean is its luma, so that fine texture does not count: it is gone
/// after half a cell of motion.
const PIXELS_PER_CELL: usize = 4;

/// The least deviation of a patch's luma, levels of 0 to 255: below it, everything resembles everything.
const MIN_DEVIATION: f32 = 4.0;

/// A face as it looked in one picture.
#[derive(Clone, Debug)]
pub struct FaceTemplate {
    /// Luma, row after row, with mean 0 and length 1.
    patch: Vec<f32>,
}

/// Where a face was found again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TemplateMatch {
    /// The face, moved there; to within a third of a cell.
    pub face: Face,
    /// Correlation of the luma, -1 to 1; 1 is the same up to brightness and contrast.
    pub similarity: f32,
}

impl FaceTemplate {
    /// Remembers a face; `None` where it shows no contrast.
    pub fn of(picture: &Picture, face: &Face) -> Option<Self> {
        Some(Self { patch: normalised(&LumaCells::around(picture, face, 0)?, 0, 0)? })
    }

    /// Looks for the face around the place where it was last; returns the place that resembles it most. `None` where no
    /// place shows any contrast.
    pub fn find(&self, picture: &Picture, last: &Face) -> Option<TemplateMatch> {
        let cells = LumaCells::around(picture, last, REACH_CELLS)?;
        let places =
            (0..=2 * REACH_CELLS).flat_map(|down| (0..=2 * REACH_CELLS).map(move |across| (across, down)));
        let compared = places.filter_map(|(across, down)| {
            Some(((across, down), self.similarity(&normalised(&cells, across, down)?)))
        });
        let ((across, down), _) = compared.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let coarse = [across, down].map(|at| (at as f32 - REACH_CELLS as f32) * cells.cell_pixels);
        // A patch that is off by half a cell resembles less than the same face does.
        let nearby = (-1..=1).flat_map(|down| (-1..=1).map(move |across| [across, down]));
        let refined = nearby.filter_map(|[across, down]| {
            let step = cells.cell_pixels / 3.0;
            let face = moved(last, [coarse[0] + across as f32 * step, coarse[1] + down as f32 * step]);
            let patch = normalised(&LumaCells::around(picture, &face, 0)?, 0, 0)?;
            Some(TemplateMatch { face, similarity: self.similarity(&patch) })
        });
        refined.max_by(|a, b| a.similarity.total_cmp(&b.similarity))
    }

    /// Correlation with a patch, -1 to 1.
    fn similarity(&self, patch: &[f32]) -> f32 {
        self.patch.iter().zip(patch).map(|(a, b)| a * b).sum()
    }
}

/// The luma around a face in square cells.
struct LumaCells {
    /// Side of a cell, pixels.
    cell_pixels: f32,
    cells_per_side: usize,
    /// Row after row, 0 to 255.
    luma: Vec<f32>,
}

impl LumaCells {
    /// The cells of a face's patch, and `margin` more in each direction. `None` for a box that is not finite.
    fn around(picture: &Picture, face: &Face, margin: usize) -> Option<Self> {
        let cells_per_side = PATCH_CELLS + 2 * margin;
        let cell_pixels = face.width().max(face.height()) * PATCH_SCALE / PATCH_CELLS as f32;
        let step = cell_pixels / PIXELS_PER_CELL as f32;
        let from = (step - cells_per_side as f32 * cell_pixels) / 2.0;
        let left = f32::midpoint(face.left, face.right) + from;
        let top = f32::midpoint(face.top, face.bottom) + from;
        if !(cell_pixels.is_finite() && left.is_finite() && top.is_finite()) {
            return None;
        }
        let mut luma = vec![0.0; cells_per_side * cells_per_side];
        let pixels_per_side = cells_per_side * PIXELS_PER_CELL;
        for down in 0..pixels_per_side {
            let y = (top + down as f32 * step) as i64;
            let row = &mut luma[down / PIXELS_PER_CELL * cells_per_side..][..cells_per_side];
            for across in 0..pixels_per_side {
                let [red, green, blue] =
                    picture.pixel((left + across as f32 * step) as i64, y).map(u16::from);
                row[across / PIXELS_PER_CELL] += f32::from(red + 2 * green + blue);
            }
        }
        // Four for the weights of the colours.
        let count = (4 * PIXELS_PER_CELL * PIXELS_PER_CELL) as f32;
        for sum in &mut luma {
            *sum /= count;
        }
        Some(Self { cell_pixels, cells_per_side, luma })
    }
}

/// The patch whose first cell is `across`, `down`, with mean 0 and length 1; `None` without contrast.
fn normalised(cells: &LumaCells, across: usize, down: usize) -> Option<Vec<f32>> {
    let rows = cells.luma.chunks_exact(cells.cells_per_side).skip(down).take(PATCH_CELLS);
    let mut patch: Vec<f32> = rows.flat_map(|row| &row[across..across + PATCH_CELLS]).copied().collect();
    let mean = patch.iter().sum::<f32>() / patch.len() as f32;
    for luma in &mut patch {
        *luma -= mean;
    }
    let length = patch.iter().map(|luma| luma * luma).sum::<f32>().sqrt();
    if length < MIN_DEVIATION * PATCH_CELLS as f32 {
        return None;
    }
    for luma in &mut patch {
        *luma /= length;
    }
    Some(patch)
}

fn moved(face: &Face, [x, y]: [f32; 2]) -> Face {
    Face {
        left: face.left + x,
        right: face.right + x,
        top: face.top + y,
        bottom: face.bottom + y,
        points: face.points.map(|[across, down]| [across + x, down + y]),
        ..*face
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: u32 = 200;

    /// A textured square of 60 pixels with its corner at `x`, `y`, on grey; `kind` chooses the texture.
    fn picture(x: u32, y: u32, kind: u32, brighter: u8) -> Picture {
        let mut rgb = Vec::new();
        for at in 0..SIDE * SIDE {
            let (across, down) = ((at % SIDE).wrapping_sub(x), (at / SIDE).wrapping_sub(y));
            let waves = || {
                let along = (across * kind) as f32 * 0.05 + ((down * (4 - kind)) as f32 * 0.05).sin();
                100.0 + along.sin() * 60.0
            };
            let level = if across < 60 && down < 60 { waves() } else { 100.0 };
            rgb.extend([level as u8 + brighter; 3]);
        }
        Picture::new(SIDE, SIDE, rgb).unwrap()
    }

    fn face(x: f32, y: f32) -> Face {
        Face { left: x, top: y, right: x + 60.0, bottom: y + 60.0, score: 0.9, points: [[x, y]; 6] }
    }

    #[test]
    fn a_face_that_moved_is_found_where_it_is() {
        let template = FaceTemplate::of(&picture(70, 70, 1, 0), &face(70.0, 70.0)).unwrap();
        let found = template.find(&picture(82, 61, 1, 20), &face(70.0, 70.0)).unwrap();
        assert!(found.similarity > 0.95, "{found:?}");
        assert!((found.face.left - 82.0).abs() < 3.0 && (found.face.top - 61.0).abs() < 3.0, "{found:?}");
        assert_eq!(found.face.points[0], [found.face.left, found.face.top], "its points move with it");
    }

    #[test]
    fn something_else_in_the_same_place_is_not_the_face() {
        let template = FaceTemplate::of(&picture(70, 70, 1, 0), &face(70.0, 70.0)).unwrap();
        let found = template.find(&picture(70, 70, 3, 0), &face(70.0, 70.0)).unwrap();
        assert!(found.similarity < 0.8, "{found:?}");
    }

    #[test]
    fn where_nothing_is_seen_nothing_is_found() {
        let empty = Picture::new(SIDE, SIDE, vec![90; (SIDE * SIDE * 3) as usize]).unwrap();
        assert!(FaceTemplate::of(&empty, &face(70.0, 70.0)).is_none());
        let template = FaceTemplate::of(&picture(70, 70, 1, 0), &face(70.0, 70.0)).unwrap();
        assert_eq!(template.find(&empty, &face(70.0, 70.0)), None);
        assert_eq!(template.find(&empty, &face(f32::NAN, 70.0)), None);
    }
}
