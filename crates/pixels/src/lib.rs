//! Scaling, Fourier transforms and files of pixels, and the linear equations that fits to them lead to.
//!
//! The libraries behind this are generic: every crate that calls them directly compiles their code again, which took
//! minutes in each crate and again in its tests. Nothing here that calls them is generic, so their code is compiled once;
//! and it is optimised in builds for tests, too, as what calls it is not.

mod codec;

pub use codec::{ColourDetail, decode_jpeg, encode_jpeg, encode_jpeg_of, encode_png};

use base::Picture;
use fast_image_resize::{
    FilterType, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x3,
};
use image::{ImageBuffer, Rgb, imageops};
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

/// How [`resample`] weighs the pixels around a place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ResampleFilter {
    /// Linearly, up to the next pixel.
    Triangle,
    /// By a cubic curve up to the second pixel, which keeps edges sharper.
    CatmullRom,
}

/// Scales a picture to `width` x `height` pixels in floating point. It is slower than [`resize`], whose results differ by
/// little, but differ. `None` where the size is empty.
pub fn resample(picture: &Picture, width: u32, height: u32, filter: ResampleFilter) -> Option<Picture> {
    let filter = match filter {
        ResampleFilter::Triangle => imageops::FilterType::Triangle,
        ResampleFilter::CatmullRom => imageops::FilterType::CatmullRom,
    };
    let scaled = imageops::resize(&image_of(picture), width, height, filter);
    Picture::new(width, height, scaled.into_raw())
}

/// A Gaussian blur of `sigma` pixels; `None` unless that is more than 0.
pub fn blur(picture: &Picture, sigma: f32) -> Option<Picture> {
    let blurred = (sigma > 0.0).then(|| imageops::blur(&image_of(picture), sigma))?;
    Picture::new(picture.width(), picture.height(), blurred.into_raw())
}

/// A part of a picture. `None` where the region is empty or reaches outside the picture.
pub fn crop(picture: &Picture, region: PictureRegion) -> Option<Picture> {
    let right = region.left.checked_add(region.width).filter(|right| *right <= picture.width())?;
    let bottom = region.top.checked_add(region.height).filter(|bottom| *bottom <= picture.height())?;
    let columns = region.left as usize * 3..right as usize * 3;
    let rows = picture.rgb().chunks_exact(picture.width() as usize * 3);
    let mut rgb = Vec::with_capacity(columns.len() * region.height as usize);
    for row in rows.take(bottom as usize).skip(region.top as usize) {
        rgb.extend_from_slice(&row[columns.clone()]);
    }
    Picture::new(region.width, region.height, rgb)
}

/// A picture as the `image` crate sees it.
fn image_of(picture: &Picture) -> ImageBuffer<Rgb<u8>, &[u8]> {
    ImageBuffer::from_raw(picture.width(), picture.height(), picture.rgb())
        .expect("a picture has the bytes its size says")
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
