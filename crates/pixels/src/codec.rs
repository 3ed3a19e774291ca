//! JPEG and PNG files.

use super::image_of;
use base::Picture;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use std::io::Cursor;
use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};
use zune_jpeg::JpegDecoder;

/// How exact the colour of a JPEG is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourDetail {
    /// Every pixel has its own: of faces, which are looked at closely.
    Full,
    /// Four pixels share one, so that there is half as much to encode.
    Half,
}

/// Encodes a picture as JPEG with a quality from 1 to 100, and the full detail of its colour.
///
/// # Panics
/// If a side is longer than 65,535 pixels, which no JPEG can have; else never: writing to memory does not fail.
pub fn encode_jpeg(picture: &Picture, quality: u8) -> Vec<u8> {
    encode_jpeg_of(picture, quality, ColourDetail::Full)
}

/// As [`encode_jpeg`], with less detail of colour if wanted.
pub fn encode_jpeg_of(picture: &Picture, quality: u8, colour: ColourDetail) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, quality);
    encoder.set_sampling_factor(match colour {
        ColourDetail::Full => SamplingFactor::F_1_1,
        ColourDetail::Half => SamplingFactor::F_2_2,
    });
    let side = |pixels: u32| u16::try_from(pixels).expect("a picture's side is one that a JPEG can have");
    encoder
        .encode(picture.rgb(), side(picture.width()), side(picture.height()), ColorType::Rgb)
        .expect("a picture has the bytes its size says, and writing to memory does not fail");
    out
}

/// Decodes a colour JPEG. `None` where it is damaged in any way, is not of `width` x `height` pixels, or has more than
/// `max_scans` scans.
pub fn decode_jpeg(bytes: &[u8], width: u32, height: u32, max_scans: usize) -> Option<Picture> {
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(width as usize)
        .set_max_height(height as usize)
        .jpeg_set_max_scans(max_scans)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let rgb = decoder.decode().ok()?;
    let size = decoder.info().map(|info| (u32::from(info.width), u32::from(info.height)));
    (size == Some((width, height))).then(|| Picture::new(width, height, rgb)).flatten()
}

/// Encodes a picture as PNG.
///
/// # Panics
/// Never: writing to memory does not fail.
pub fn encode_png(picture: &Picture) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image_of(picture)
        .write_to(&mut out, image::ImageFormat::Png)
        .expect("a picture has the bytes its size says, and writing to memory does not fail");
    out.into_inner()
}
