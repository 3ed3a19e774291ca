//! Scaling and Fourier transforms of pixels, and the linear equations that fits to them lead to.
//!
//! The libraries behind this are generic: every crate that calls them directly compiles their code again, which took
//! minutes in each crate and again in its tests. Nothing here that calls them is generic, so their code is compiled once.

use base::Picture;
use fast_image_resize::{
    FilterType, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x3,
};
use rustfft::FftPlanner;
pub use rustfft::{Fft, num_complex::Complex32};
use std::sync::Arc;

/// A rectangle of a picture in its pixels; not empty, and within the picture.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PictureRegion {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

impl PictureRegion {
    pub fn whole(picture: &Picture) -> Self {
        Self { left: 0, top: 0, width: picture.width(), height: picture.height() }
    }
}

/// Scales a region of a picture to `width` x `height` pixels with a triangle filter, which is widened when scaling down
/// so that every source pixel counts. `None` where the region or the size is empty, or the region reaches outside the
/// picture.
pub fn resize(picture: &Picture, region: PictureRegion, width: u32, height: u32) -> Option<Picture> {
    let source = TypedImageRef::<U8x3>::from_buffer(picture.width(), picture.height(), picture.rgb()).ok()?;
    let mut target = vec![0; width as usize * height as usize * 3];
    let mut view = TypedImage::<U8x3>::from_buffer(width, height, &mut target).ok()?;
    let [left, top, across, down] = [region.left, region.top, region.width, region.height].map(f64::from);
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::Bilinear))
        .crop(left, top, across, down);
    Resizer::new().resize_typed(&source, &mut view, &options).ok()?;
    Picture::new(width, height, target)
}

/// Plans a forward Fourier transform of `length` values, without normalisation.
pub fn plan_fft(length: usize) -> Arc<dyn Fft<f32>> {
    FftPlanner::new().plan_fft_forward(length)
}

/// Solves as many linear equations as there are unknowns by Gauss-Jordan elimination: `matrix` times the result is
/// `right_side`. `None` where they have no unique solution.
pub fn solve_linear_system<const N: usize>(
    mut matrix: [[f64; N]; N],
    mut right_side: [f64; N],
) -> Option<[f64; N]> {
    for column in 0..N {
        let pivot =
            (column..N).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        right_side.swap(column, pivot);
        if matrix[column][column].abs() < 1e-9 {
            return None;
        }
        let scale = matrix[column][column];
        let leading = matrix[column].map(|value| value / scale);
        let leading_right = right_side[column] / scale;
        (matrix[column], right_side[column]) = (leading, leading_right);
        for (at, (row, right)) in matrix.iter_mut().zip(&mut right_side).enumerate() {
            if at != column {
                let factor = row[column];
                for (value, lead) in row.iter_mut().zip(leading) {
                    *value -= factor * lead;
                }
                *right -= factor * leading_right;
            }
        }
    }
    Some(right_side)
}
