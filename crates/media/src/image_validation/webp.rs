//! WebP (RFC 9649), which is not accepted for analysis: only its orientation and its colour profile are read.

use super::{ColourConversion, exif};

/// Length of `RIFF`, the file's size and `WEBP`, which precede the chunks.
const HEADER_BYTES: usize = 12;

/// The EXIF orientation, 1 to 8.
pub(super) fn orientation(bytes: &[u8]) -> u8 {
    first_chunk(bytes, *b"EXIF").map_or(1, exif::orientation_after_prefix)
}

/// How the colours are to be converted.
pub(super) fn colour_conversion(bytes: &[u8]) -> ColourConversion {
    first_chunk(bytes, *b"ICCP")
        .map_or(ColourConversion::None, |profile| ColourConversion::from_icc(profile, false))
}

/// The content of the first chunk of a type.
fn first_chunk(bytes: &[u8], wanted: [u8; 4]) -> Option<&[u8]> {
    let mut rest = bytes.get(HEADER_BYTES..).unwrap_or_default();
    while let Some((kind, content, next)) = chunk(rest) {
        if *kind == wanted {
            return Some(content);
        }
        rest = next;
    }
    None
}

/// A chunk's type and content, and what follows it.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (kind, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let (content, rest) = rest.split_at_checked(length)?;
    // A byte fills up a content of odd length.
    Some((kind, content, rest.get(length % 2..).unwrap_or_default()))
}
