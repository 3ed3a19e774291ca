//! The door every image passes (interface 2, limits).
//!
//! Two steps, so that nothing an image's header asks for is allocated before the limits are checked: [`inspect`] walks
//! the file's structure without decoding, [`decode`] decodes what passed. All work is bounded by the file's length and
//! by the limits on pixels and scans.

mod exif;
mod foreign;
mod jpeg;
mod orient;
mod pixels;
mod png;
mod rules;

pub use rules::{Code, Refusal, Rules};

pub(crate) use orient::{turns, upright};

use base::{Picture, PictureSize};

/// What the structure of an acceptable file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which of the two formats.
    pub format: Format,
    /// The size as the picture is shown, upright.
    pub size: PictureSize,
    /// EXIF orientation, 1 to 8.
    pub orientation: u8,
    /// JPEG quality read from the quantisation tables, 1 to 100.
    pub jpeg_quality: Option<u8>,
}

/// The accepted formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// ITU-T T.81, baseline or progressive, 8 bits.
    Jpeg,
    /// W3C PNG, not animated.
    Png,
}

/// What a walk through a file's structure finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Structure {
    format: Format,
    width: u32,
    height: u32,
    channels: Channels,
    orientation: u8,
    jpeg_quality: Option<u8>,
}

/// What a pixel is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channels {
    /// RGB or RGBA, 8 bits each.
    Colour,
    /// One channel, with or without alpha.
    Grey,
    /// Anything else, in words.
    Other(&'static str),
}

/// Why a walk stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    /// The file is damaged or ends too soon.
    Broken(&'static str),
    /// The file is sound, but of a kind that is not accepted.
    Unsupported(&'static str),
}

/// Which way up a file's picture is, 1 to 8, also where the file is not accepted.
pub(crate) fn orientation(bytes: &[u8]) -> u8 {
    let walked = if bytes.starts_with(png::SIGNATURE) { png::walk(bytes) } else { jpeg::walk(bytes) };
    walked.map_or(1, |found| found.orientation)
}

/// Checks everything that can be known without decoding, in the order of interface 2's table.
pub fn inspect(bytes: &[u8], rules: &Rules) -> Result<Header, Refusal> {
    let walked = if bytes.starts_with(&[0xff, 0xd8]) {
        jpeg::walk(bytes)
    } else if bytes.starts_with(png::SIGNATURE) {
        png::walk(bytes)
    } else if let Some(name) = foreign::name(bytes) {
        Err(Flaw::Unsupported(name))
    } else {
        Err(Flaw::Broken("the bytes are no picture"))
    };
    let found = walked.map_err(|flaw| match flaw {
        Flaw::Broken(what) => Refusal::new(Code::InvalidB64Image, what),
        Flaw::Unsupported(what) => Refusal::new(Code::UnsupportedImageFormat, what),
    })?;
    rules.check_quality(found.jpeg_quality)?;
    rules.check_bytes(bytes.len())?;

    // Limits are on the picture as people see it: a portrait stored lying down is a portrait.
    let (width, height) = if orient::turns(found.orientation) {
        (found.height, found.width)
    } else {
        (found.width, found.height)
    };
    let size = PictureSize { width, height };
    rules.check_size(size)?;
    match found.channels {
        Channels::Colour => {}
        Channels::Grey => {
            return Err(Refusal::new(Code::ImageGrayscaleNotSupported, "the image is greyscale"));
        }
        Channels::Other(what) => return Err(Refusal::new(Code::ImageWrongChannels, what)),
    }
    Ok(Header {
        format: found.format,
        size,
        orientation: found.orientation,
        jpeg_quality: found.jpeg_quality,
    })
}

/// Decodes a file that [`inspect`] passed into upright RGB. Alpha is dropped: pixels keep the colour they are stored
/// with. Greyscale stored as RGB is refused.
pub fn decode(bytes: &[u8], header: &Header, rules: &Rules) -> Result<Picture, Refusal> {
    let broken = || Refusal::new(Code::InvalidB64Image, "the image cannot be decoded: its data is damaged");
    let PictureSize { width, height } = header.size;
    let (stored_width, stored_height) =
        if orient::turns(header.orientation) { (height, width) } else { (width, height) };
    let rgb = match header.format {
        Format::Jpeg => jpeg::decode(bytes, stored_width, stored_height),
        Format::Png => png::decode(bytes, stored_width, stored_height),
    };
    let stored = rgb.and_then(|rgb| Picture::new(stored_width, stored_height, rgb)).ok_or_else(broken)?;
    rules.check_colour(pixels::coloured_share(&stored))?;
    Ok(orient::upright(stored, header.orientation))
}

/// The bytes behind an `img` member: standard base64 with its padding, with or without a `data:…;base64,` prefix. Line
/// breaks, which some encoders insert, are skipped.
pub fn unbase64(text: &str) -> Result<Vec<u8>, Refusal> {
    let refused = |what| Refusal::new(Code::InvalidB64Image, what);
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
        Err(_) => Err(refused("img is no base64, or wrongly padded")),
    }
}
