//! Checks that need the pixels.

use base::Picture;

/// A pixel whose channels differ by no more than this counts as grey: JPEG's colour conversion rounds.
const GREY_TOLERANCE: u8 = 8;

/// The share of coloured pixels, 0 to 1. Samples every fourth pixel of every fourth row. Skin of any tone is far from
/// grey, so a photo of a face is never near the limit.
pub(super) fn coloured_share(picture: &Picture) -> f32 {
    let row = picture.width() as usize * 3;
    let (mut seen, mut coloured) = (0_u32, 0_u32);
    for row in picture.rgb().chunks_exact(row).step_by(4) {
        for pixel in row.chunks_exact(3).step_by(4) {
            let (low, high) = (pixel[0].min(pixel[1]).min(pixel[2]), pixel[0].max(pixel[1]).max(pixel[2]));
            seen += 1;
            coloured += u32::from(high - low > GREY_TOLERANCE);
        }
    }
    coloured as f32 / seen.max(1) as f32
}
