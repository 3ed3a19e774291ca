//! Image formats that are recognised in order to be refused by name.

/// Whether bytes begin like a TIFF file.
pub(crate) fn is_tiff(bytes: &[u8]) -> bool {
    bytes.starts_with(b"II*\0") || bytes.starts_with(b"MM\0*")
}

/// Whether bytes begin like a WebP file.
pub(super) fn is_webp(bytes: &[u8]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(8..).is_some_and(|rest| rest.starts_with(b"WEBP"))
}

/// Whether bytes begin like an ISO base media file, as AVIF and HEIF do. The length of its first box begins with a zero: a
/// JPEG or BMP file may have the same letters after another byte.
pub(crate) fn is_iso_media(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\0") && bytes.get(4..).is_some_and(|rest| rest.starts_with(b"ftyp"))
}

/// The refusal for a format that is recognised and not accepted; `None` for any other bytes.
pub(super) fn unsupported_format_name(bytes: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, magic: &[u8]| bytes.get(offset..).is_some_and(|rest| rest.starts_with(magic));
    let kinds: [(usize, &[u8], &'static str); 7] = [
        (0, b"GIF87a", "GIF is not accepted; send JPEG or PNG"),
        (0, b"GIF89a", "GIF is not accepted; send JPEG or PNG"),
        (0, b"BM", "BMP is not accepted; send JPEG or PNG"),
        (0, b"\0\0\0\x0cJXL ", "JPEG XL is not accepted; send JPEG or PNG"),
        (0, b"\xff\x0a", "JPEG XL is not accepted; send JPEG or PNG"),
        (0, b"\0\0\0\x0cjP  ", "JPEG 2000 is not accepted; send JPEG or PNG"),
        (0, b"\xff\x4f\xff\x51", "JPEG 2000 is not accepted; send JPEG or PNG"),
    ];
    if let Some((_, _, name)) = kinds.iter().find(|(offset, magic, _)| at(*offset, magic)) {
        return Some(name);
    }
    if is_tiff(bytes) {
        return Some("TIFF is not accepted; send JPEG or PNG");
    }
    if is_webp(bytes) {
        return Some("WebP is not accepted; send JPEG or PNG");
    }
    if is_iso_media(bytes) {
        let brand = bytes.get(8..12)?;
        return match brand {
            b"avif" | b"avis" => Some("AVIF is not accepted; send JPEG or PNG"),
            b"heic" | b"heix" | b"hevc" | b"hevx" | b"heim" | b"heis" | b"mif1" | b"msf1" => {
                Some("HEIF is not accepted; send JPEG or PNG")
            }
            _ => None,
        };
    }
    None
}
