//! Rotating a stored picture upright (EXIF orientation 1 to 8).

use base::Picture;

/// Whether the orientation swaps width and height.
pub(crate) fn swaps_dimensions(orientation: u8) -> bool {
    (5..=8).contains(&orientation)
}

/// Rotates and mirrors a picture according to its orientation.
pub(crate) fn rotate_upright(stored: Picture, orientation: u8) -> Picture {
    if orientation <= 1 || orientation > 8 {
        return stored;
    }
    let (width, height) = (stored.width() as usize, stored.height() as usize);
    let (out_width, out_height) =
        if swaps_dimensions(orientation) { (height, width) } else { (width, height) };
    let source = stored.rgb();
    let mut out = vec![0; source.len()];
    for (at, pixel) in out.chunks_exact_mut(3).enumerate() {
        let (x, y) = (at % out_width, at / out_width);
        // The position in the stored picture of the upright pixel (x, y).
        let (from_x, from_y) = match orientation {
            2 => (width - 1 - x, y),
            3 => (width - 1 - x, height - 1 - y),
            4 => (x, height - 1 - y),
            5 => (y, x),
            6 => (y, height - 1 - x),
            7 => (width - 1 - y, height - 1 - x),
            _ => (width - 1 - y, x),
        };
        let from = (from_y * width + from_x) * 3;
        pixel.copy_from_slice(&source[from..from + 3]);
    }
    Picture::new(out_width as u32, out_height as u32, out).unwrap_or(stored)
}
