//! Pictures as the readers need them, shared by everything that looks for something in a picture: planes of brightness,
//! homographies, filters.

mod filter;
mod grey;
pub mod page;
pub mod page_homography;

pub use filter::{black_hat, box_blur, otsu};
pub use grey::{Grey, Pyramid};

use base::Picture;

/// As a mirror shows it: left is right.
pub fn mirror(picture: &Picture) -> Option<Picture> {
    let width = picture.width() as usize;
    let rows = picture.rgb().as_chunks::<3>().0.chunks_exact(width);
    let pixels = rows.flat_map(|row| row.iter().rev().flatten().copied()).collect();
    Picture::new(picture.width(), picture.height(), pixels)
}
