//! Scaling and transforming pixels.
//!
//! The crates that do it are generic: whoever calls them directly compiles them anew, which took minutes in each crate, and
//! again in its tests. Nothing here is generic, so that it is compiled once.

use base::Picture;
use fast_image_resize::{
    FilterType, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x3,
};
use rustfft::FftPlanner;
pub use rustfft::{Fft, num_complex::Complex32};
use std::sync::Arc;

/// A rectangle of a picture, in its pixels, with an inside and within the picture.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PictureRegion {
    /// Of its left edge.
    pub left: u32,
    /// Of its upper edge.
    pub top: u32,
    /// From left to right.
    pub width: u32,
    /// From top to bottom.
    pub height: u32,
}

impl PictureRegion {
    /// The whole picture.
    pub fn whole(picture: &Picture) -> Self {
        Self { left: 0, top: 0, width: picture.width(), height: picture.height() }
    }
}

/// A region of a picture, scaled to `width` x `height` pixels by a triangle that is as wide as what is put together, so that
/// nothing is left out where it becomes smaller. `None` where the region or the size is empty, or the region reaches out of the
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

/// The Fourier transform of `length` values, forward and not scaled.
pub fn plan_fft(length: usize) -> Arc<dyn Fft<f32>> {
    FftPlanner::new().plan_fft_forward(length)
}
