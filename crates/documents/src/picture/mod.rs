//! Planes of grey values, homographies and filters, shared by everything that searches a picture.

mod filters;
mod grey_image;
pub mod homography;
pub mod plane;

pub use filters::{black_hat, box_blur, otsu};
pub use grey_image::{GreyImage, ImagePyramid};

use base::Picture;

/// The mirror image: left and right are swapped.
pub fn mirror(picture: &Picture) -> Option<Picture> {
    let width = picture.width() as usize;
    let rows = picture.rgb().as_chunks::<3>().0.chunks_exact(width);
    let pixels = rows.flat_map(|row| row.iter().rev().flatten().copied()).collect();
    Picture::new(picture.width(), picture.height(), pixels)
}
