//! Pictures as the readers need them, shared by everything that looks for something in a picture: planes of brightness,
//! homographies, filters.

mod filters;
mod grey_image;
pub mod homography;
pub mod plane;

pub use filters::{black_hat, box_blur, otsu};
pub use grey_image::{GreyImage, ImagePyramid};

use base::Picture;

/// As a mirror shows it: left is right.
pub fn mirror(picture: &Picture) -> Option<Picture> {
    let width = picture.width() as usize;
    let rows = picture.rgb().as_chunks::<3>().0.chunks_exact(width);
    let pixels = rows.flat_map(|row| row.iter().rev().flatten().copied()).collect();
    Picture::new(picture.width(), picture.height(), pixels)
}
