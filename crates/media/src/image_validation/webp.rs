//! WebP (RFC 9649), which is not accepted for analysis: only its orientation is read.

use super::exif;

/// Length of `RIFF`, the file's size and `WEBP`, which precede the chunks.
const HEADER_BYTES: usize = 12;

/// The EXIF orientation, 1 to 8.
pub(super) fn orientation(bytes: &[u8]) -> u8 {
    let mut rest = bytes.get(HEADER_BYTES..).unwrap_or_default();
    while let Some((kind, content, next)) = chunk(rest) {
        if kind == b"EXIF" {
            // Some programs copy the prefix that only JPEG has.
            return exif::orientation(content.strip_prefix(b"Exif\0\0").unwrap_or(content));
        }
        rest = next;
    }
    1
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
