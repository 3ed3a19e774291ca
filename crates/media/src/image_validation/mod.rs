//! Validation that every image must pass (the limits are those of docs/API-DESIGN.md).
//!
//! It has two steps, so that nothing is allocated on the word of an image's header before the limits are checked:
//! [`inspect`] walks the file's structure without decoding, and [`decode`] decodes what passed. All work is bounded by
//! the file's length and by the limits on pixels and scans.

mod blended;
mod colour;
mod colour_profile;
mod exif;
mod heif;
mod jpeg;
mod limits;
mod png;
mod unsupported_formats;
mod upright;
mod webp;

pub use blended::BlendedPicture;
pub use limits::{ImageError, ImageErrorCode, ImageLimits};

pub(crate) use colour_profile::ColourConversion;
pub(crate) use heif::primary_item;
pub(crate) use unsupported_formats::{is_iso_media, is_tiff};
pub(crate) use upright::swaps_dimensions;

use base::{Picture, PictureSize};

/// Properties of an acceptable file, read from its structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageHeader {
    pub format: ImageFormat,
    /// The size of the upright picture.
    pub size: PictureSize,
    /// EXIF orientation, 1 to 8.
    pub orientation: u8,
    /// JPEG quality estimated from the quantisation tables, 1 to 100; `None` for PNG.
    pub jpeg_quality: Option<u8>,
}

/// The accepted formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// ITU-T T.81, baseline or progressive, 8 bits.
    Jpeg,
    /// W3C PNG, not animated.
    Png,
}

/// The result of walking a file's structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ImageStructure {
    format: ImageFormat,
    width: u32,
    height: u32,
    channels: PixelChannels,
    orientation: u8,
    jpeg_quality: Option<u8>,
}

/// The channels of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PixelChannels {
    /// RGB or RGBA with 8 bits per channel.
    Colour,
    /// One channel, with or without alpha.
    Grey,
    /// Anything else; the text says what.
    Other(&'static str),
}

/// Why a file's structure is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImageStructureError {
    /// The file is damaged or ends too soon; the text says where.
    Broken(&'static str),
    /// The file is intact, but of a kind that is not accepted.
    Unsupported(&'static str),
}

/// Whether a file begins like one of a known format, accepted or not.
pub(crate) fn is_known_format(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xd8, 0xff])
        || bytes.starts_with(png::PNG_SIGNATURE)
        || unsupported_formats::unsupported_format_name(bytes).is_some()
}

/// Whether a file begins like a JPEG.
pub(crate) fn is_jpeg(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xd8])
}

/// The orientation of a file's picture as in EXIF, 1 to 8, also if the file is not accepted.
pub(crate) fn orientation(bytes: &[u8]) -> u8 {
    if bytes.starts_with(png::PNG_SIGNATURE) {
        png::orientation(bytes)
    } else if is_tiff(bytes) {
        exif::orientation(bytes)
    } else if unsupported_formats::is_webp(bytes) {
        webp::orientation(bytes)
    } else if is_iso_media(bytes) {
        heif::orientation(bytes)
    } else if is_jpeg(bytes) {
        jpeg::orientation(bytes)
    } else {
        1
    }
}

/// How the colours of a JPEG, PNG or WebP are to be converted, also if the file is not accepted.
pub(crate) fn colour_conversion(bytes: &[u8]) -> ColourConversion {
    if bytes.starts_with(png::PNG_SIGNATURE) {
        png::colour_conversion(bytes)
    } else if unsupported_formats::is_webp(bytes) {
        webp::colour_conversion(bytes)
    } else if is_jpeg(bytes) {
        jpeg::colour_conversion(bytes)
    } else {
        ColourConversion::None
    }
}

/// Checks everything that can be checked without decoding, in the order of image analysis's table of errors.
pub fn inspect(bytes: &[u8], rules: &ImageLimits) -> Result<ImageHeader, ImageError> {
    let walked = if is_jpeg(bytes) {
        jpeg::read_structure(bytes)
    } else if bytes.starts_with(png::PNG_SIGNATURE) {
        png::read_structure(bytes)
    } else if let Some(name) = unsupported_formats::unsupported_format_name(bytes) {
        Err(ImageStructureError::Unsupported(name))
    } else {
        Err(ImageStructureError::Broken("the bytes are not a picture"))
    };
    let found = walked.map_err(|flaw| match flaw {
        ImageStructureError::Broken(what) => ImageError::new(ImageErrorCode::InvalidB64Image, what),
        ImageStructureError::Unsupported(what) => {
            ImageError::new(ImageErrorCode::UnsupportedImageFormat, what)
        }
    })?;
    rules.check_quality(found.jpeg_quality)?;
    rules.check_bytes(bytes.len())?;

    // The limits apply to the picture as people see it: a portrait that is stored on its side is a portrait.
    let (width, height) = if upright::swaps_dimensions(found.orientation) {
        (found.height, found.width)
    } else {
        (found.width, found.height)
    };
    let size = PictureSize { width, height };
    rules.check_size(size)?;
    match found.channels {
        PixelChannels::Colour => {}
        PixelChannels::Grey => {
            return Err(ImageError::new(
                ImageErrorCode::ImageGrayscaleNotSupported,
                "the image is greyscale",
            ));
        }
        PixelChannels::Other(what) => return Err(ImageError::new(ImageErrorCode::ImageWrongChannels, what)),
    }
    Ok(ImageHeader {
        format: found.format,
        size,
        orientation: found.orientation,
        jpeg_quality: found.jpeg_quality,
    })
}

/// Decodes a file that [`inspect`] accepted, upright and as a white page shows it. Greyscale stored as RGB is refused.
pub fn decode(bytes: &[u8], header: &ImageHeader, rules: &ImageLimits) -> Result<Picture, ImageError> {
    decode_blended(bytes, header, rules).map(|shown| shown.on_white)
}

/// As [`decode`], and as a black page shows it too, where that differs.
pub fn decode_blended(
    bytes: &[u8],
    header: &ImageHeader,
    rules: &ImageLimits,
) -> Result<BlendedPicture, ImageError> {
    let broken = || {
        ImageError::new(ImageErrorCode::InvalidB64Image, "the image cannot be decoded: its data is damaged")
    };
    let PictureSize { width, height } = header.size;
    let (stored_width, stored_height) =
        if upright::swaps_dimensions(header.orientation) { (height, width) } else { (width, height) };
    let stored = match header.format {
        ImageFormat::Jpeg => jpeg::decode(bytes, stored_width, stored_height)
            .map(|stored| BlendedPicture::opaque(jpeg::colour_conversion(bytes).apply(stored))),
        ImageFormat::Png => png::decode(bytes, stored_width, stored_height),
    };
    let stored = stored.ok_or_else(broken)?;
    rules.check_colour(colour::coloured_share(&stored.on_white))?;
    Ok(stored.rotate_upright(header.orientation))
}

/// Decodes an `img` member: standard base64 with padding, with or without a `data:…;base64,` prefix. Line breaks, which
/// some encoders insert, are skipped.
pub fn decode_base64(text: &str) -> Result<Vec<u8>, ImageError> {
    let refused = |what| ImageError::new(ImageErrorCode::InvalidB64Image, what);
    let encoded = match text.strip_prefix("data:") {
        Some(rest) => match rest.split_once(',') {
            Some((kind, data)) if kind.ends_with(";base64") => data,
            _ => return Err(refused("the data: prefix of img names no base64")),
        },
        None => text,
    };
    let decoded = if memchr::memchr2(b'\n', b'\r', encoded.as_bytes()).is_some() {
        let joined: Vec<u8> = encoded.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
        base64_simd::STANDARD.decode_to_vec(joined)
    } else {
        base64_simd::STANDARD.decode_to_vec(encoded)
    };
    match decoded {
        Ok(bytes) if !bytes.is_empty() => Ok(bytes),
        Ok(_) => Err(refused("img holds no bytes")),
        Err(_) => Err(refused("img is not base64, or wrongly padded")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TIFF block that states orientation 6.
    const TIFF: &[u8] = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";

    /// The same with the lowest byte first.
    const TIFF_OF_THE_OTHER_ORDER: &[u8] = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";

    fn png_chunk(kind: &[u8], content: &[u8]) -> Vec<u8> {
        [&(content.len() as u32).to_be_bytes()[..], kind, content, &[0; 4]].concat()
    }

    fn jpeg_segment(code: u8, content: &[u8]) -> Vec<u8> {
        [&[0xff, code][..], &(content.len() as u16 + 2).to_be_bytes(), content].concat()
    }

    fn webp_chunk(kind: &[u8], content: &[u8]) -> Vec<u8> {
        let padding = vec![0; content.len() % 2];
        [kind, &(content.len() as u32).to_le_bytes(), content, &padding].concat()
    }

    #[test]
    fn a_file_that_is_not_accepted_has_its_orientation_read_wherever_it_breaks_off() {
        let with_prefix = [&b"Exif\0\0"[..], TIFF].concat();
        let animated_png = [
            png::PNG_SIGNATURE.to_vec(),
            png_chunk(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]),
            png_chunk(b"acTL", &[0; 8]),
            png_chunk(b"eXIf", TIFF),
            png_chunk(b"IEND", &[]),
        ];
        let png_with_prefix = [
            png::PNG_SIGNATURE.to_vec(),
            png_chunk(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]),
            png_chunk(b"acTL", &[0; 8]),
            png_chunk(b"eXIf", &with_prefix),
            png_chunk(b"IEND", &[]),
        ];
        let arithmetic_jpeg =
            [vec![0xff, 0xd8], jpeg_segment(0xc9, &[0; 15]), jpeg_segment(0xe1, &with_prefix)];
        let webp = |exif: &[u8]| {
            let head = b"RIFF\0\0\0\0WEBP".to_vec();
            [head, webp_chunk(b"VP8 ", &[7; 3]), webp_chunk(b"EXIF", exif)].concat()
        };
        for file in [
            animated_png.concat(),
            png_with_prefix.concat(),
            arithmetic_jpeg.concat(),
            webp(TIFF),
            webp(&with_prefix),
            TIFF.to_vec(),
            TIFF_OF_THE_OTHER_ORDER.to_vec(),
        ] {
            let refusal = inspect(&file, &ImageLimits::default()).unwrap_err();
            assert_eq!(refusal.code, ImageErrorCode::UnsupportedImageFormat, "{file:?}");
            assert_eq!(orientation(&file), 6, "{file:?}");
            for length in 0..file.len() {
                let found = orientation(&file[..length]);
                assert!([1, 6].contains(&found), "{found} in the first {length} bytes of {file:?}");
            }
        }
        assert_eq!(orientation(b"RIFF\0\0\0\0WEBPVP8 \xff\xff\xff\xff"), 1, "a length beyond the end");
        assert_eq!(orientation(b"II*\0\xff\xff\xff\xff"), 1, "a directory beyond the end");
    }
}
