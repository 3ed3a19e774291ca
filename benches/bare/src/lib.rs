//! The work that benches hold Assay's against, plainly done.
//!
//! It is a crate of its own so that the tests' profile optimises it and nothing else of the benches: what it is compared
//! with is optimised there, too.

use base::Picture;

/// Decodes a JPEG with the `image` crate; `None` if it cannot be decoded.
pub fn decode(jpeg: &[u8]) -> Option<Picture> {
    let image = image::load_from_memory_with_format(jpeg, image::ImageFormat::Jpeg).ok()?.into_rgb8();
    let (width, height) = image.dimensions();
    Picture::new(width, height, image.into_raw())
}

/// Decodes a JPEG with the `jpeg-decoder` crate to the bytes of its pixels; `None` if it cannot be decoded.
pub fn decode_with_jpeg_decoder(jpeg: &[u8]) -> Option<Vec<u8>> {
    jpeg_decoder::Decoder::new(jpeg).decode().ok()
}

/// The largest dot product of a vector with a row of as many numbers, and which row that is.
pub fn nearest(rows: &[f32], wanted: &[f32]) -> (usize, f32) {
    let product = |row: &[f32]| {
        let mut sums = [0.0_f32; 16];
        for (row, wanted) in row.as_chunks::<16>().0.iter().zip(wanted.as_chunks::<16>().0) {
            for ((sum, a), b) in sums.iter_mut().zip(row).zip(wanted) {
                *sum += a * b;
            }
        }
        sums.iter().sum::<f32>()
    };
    let products = rows.chunks_exact(wanted.len()).map(product).enumerate();
    products.max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or_default()
}
