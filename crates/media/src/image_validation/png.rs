//! PNG (W3C Portable Network Graphics, third edition).

use super::{
    BlendedPicture, ColourConversion, ImageFormat, ImageStructure, ImageStructureError, PixelChannels, exif,
};
use base::Picture;
use png::{ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// Bytes for what is neither pixels nor a row of them: inflating, and an ICC profile.
const DECODER_BYTES: usize = 8 << 20;

pub(super) const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Walks the chunks without inflating any.
pub(super) fn read_structure(bytes: &[u8]) -> Result<ImageStructure, ImageStructureError> {
    let mut rest = bytes.get(PNG_SIGNATURE.len()..).unwrap_or_default();
    let (mut header, mut data, mut orientation) = (None, false, 1);
    loop {
        let (kind, content, next) = chunk(rest).ok_or(ImageStructureError::Broken("the PNG breaks off"))?;
        rest = next;
        match (kind, header) {
            (b"IHDR", None) => header = Some(image_header(content)?),
            (_, None) | (b"IHDR", _) => {
                return Err(ImageStructureError::Broken("the PNG has no header where one belongs"));
            }
            (b"acTL", _) => return Err(ImageStructureError::Unsupported("animated PNG is not accepted")),
            (b"eXIf", _) => orientation = exif::orientation_after_prefix(content),
            (b"IDAT", _) => data = true,
            (b"IEND", Some((width, height, channels))) => {
                if !data {
                    return Err(ImageStructureError::Broken("the PNG has no image data"));
                }
                let format = ImageFormat::Png;
                return Ok(ImageStructure {
                    format,
                    width,
                    height,
                    channels,
                    orientation,
                    jpeg_quality: None,
                });
            }
            _ => {}
        }
    }
}

/// The EXIF orientation, 1 to 8, also of a file that [`read_structure`] refuses.
pub(super) fn orientation(bytes: &[u8]) -> u8 {
    let (mut rest, mut orientation) = (bytes.get(PNG_SIGNATURE.len()..).unwrap_or_default(), 1);
    while let Some((kind, content, next)) = chunk(rest) {
        match kind {
            b"eXIf" => orientation = exif::orientation_after_prefix(content),
            b"IEND" => break,
            _ => {}
        }
        rest = next;
    }
    orientation
}

/// A chunk's type and content, and what follows it.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    let (content, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    let (_checksum, rest) = rest.split_first_chunk::<4>()?;
    kind.iter().all(u8::is_ascii_alphabetic).then_some((kind, content, rest))
}

fn image_header(content: &[u8]) -> Result<(u32, u32, PixelChannels), ImageStructureError> {
    let broken = ImageStructureError::Broken("the PNG's header is damaged");
    let content: &[u8; 13] = content.try_into().map_err(|_| broken)?;
    let [w0, w1, w2, w3, h0, h1, h2, h3, depth, colour, _compression, _filter, _interlace] = *content;
    let (width, height) = (u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
    if width == 0 || height == 0 {
        return Err(broken);
    }
    let channels = match (colour, depth) {
        (0 | 4, _) => PixelChannels::Grey,
        (2 | 6, 8) => PixelChannels::Colour,
        (2 | 6, 16) => PixelChannels::Other("the PNG has 16 bits a channel; 8 are accepted"),
        (3, _) => PixelChannels::Other("the PNG has a palette; RGB or RGBA are accepted"),
        _ => return Err(broken),
    };
    Ok((width, height, channels))
}

/// Decodes a PNG for which [`read_structure`] found RGB or RGBA of 8 bits and this size.
pub(super) fn decode(bytes: &[u8], width: u32, height: u32) -> Option<BlendedPicture> {
    let pixels = width as usize * height as usize;
    // Enough for the image and a row; not for what a chunk claims to need.
    let mut decoder = decoder(bytes, pixels * 4 + DECODER_BYTES);
    // A colour that a tRNS chunk names is transparent.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let channels = match reader.output_color_type() {
        (ColorType::Rgb, png::BitDepth::Eight) => 3,
        (ColorType::Rgba, png::BitDepth::Eight) => 4,
        _ => return None,
    };
    let length = reader.output_buffer_size().filter(|&length| length == pixels * channels)?;
    let mut out = vec![0; length];
    reader.next_frame(&mut out).ok()?;
    let conversion = ColourConversion::from_png(reader.info());
    match channels {
        3 => Picture::new(width, height, out).map(|stored| BlendedPicture::opaque(conversion.apply(stored))),
        _ => BlendedPicture::from_rgba(width, height, out, &conversion),
    }
}

/// How the colours are to be converted, of any PNG.
pub(super) fn colour_conversion(bytes: &[u8]) -> ColourConversion {
    let reader = decoder(bytes, DECODER_BYTES).read_info();
    reader.map_or(ColourConversion::None, |reader| ColourConversion::from_png(reader.info()))
}

fn decoder(bytes: &[u8], limit: usize) -> Decoder<Cursor<&[u8]>> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: limit });
    decoder.set_ignore_text_chunk(true);
    decoder
}
