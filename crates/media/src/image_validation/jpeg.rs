//! JPEG (ITU-T T.81).

use super::{ColourConversion, ImageFormat, ImageStructure, ImageStructureError, PixelChannels, exif};
use base::Picture;

/// Each scan of a progressive JPEG passes over the whole image; encoders use about ten.
const MAX_SCANS: usize = 32;

const BROKEN_OFF: ImageStructureError = ImageStructureError::Broken("the JPEG breaks off");

/// Walks the markers, skipping entropy-coded data, without decoding.
pub(super) fn read_structure(bytes: &[u8]) -> Result<ImageStructure, ImageStructureError> {
    let (mut frame, mut tables, mut orientation, mut scans) = (None, QuantisationTables::default(), 1, 0);
    let mut rest = bytes.get(2..).unwrap_or_default();
    loop {
        let (code, content, after) = segment(rest)?;
        rest = after;
        match code {
            0xd9 => break,
            0xc0..=0xc2 if frame.is_some() => {
                return Err(ImageStructureError::Broken("the JPEG has two frames"));
            }
            0xc0..=0xc2 => frame = Some(FrameHeader::read(content)?),
            // DHT, JPG and DAC have codes among the frame headers' and are not frame headers.
            0xc4 | 0xc8 | 0xcc => {}
            0xc3..=0xcf => {
                return Err(ImageStructureError::Unsupported(
                    "lossless, hierarchical and arithmetic-coded JPEG are not accepted",
                ));
            }
            0xdb => tables
                .read(content)
                .ok_or(ImageStructureError::Broken("the JPEG's quantisation tables are damaged"))?,
            0xe1 => orientation = exif_orientation(content).unwrap_or(orientation),
            0xda => {
                scans += 1;
                if scans > MAX_SCANS {
                    return Err(ImageStructureError::Unsupported("the JPEG has more than 32 scans"));
                }
                rest = skip_entropy_coded_data(rest).ok_or(BROKEN_OFF)?;
            }
            _ => {}
        }
    }
    let frame = frame.filter(|_| scans > 0).ok_or(ImageStructureError::Broken("the JPEG has no image"))?;
    let quality =
        tables.quality(&frame).ok_or(ImageStructureError::Broken("the JPEG lacks a quantisation table"))?;
    let channels = match frame.components {
        1 => PixelChannels::Grey,
        3 => PixelChannels::Colour,
        _ => {
            PixelChannels::Other("the JPEG is neither greyscale nor RGB (CMYK, most likely); RGB is accepted")
        }
    };
    let (width, height) = (u32::from(frame.width), u32::from(frame.height));
    Ok(ImageStructure {
        format: ImageFormat::Jpeg,
        width,
        height,
        channels,
        orientation,
        jpeg_quality: Some(quality),
    })
}

/// The EXIF orientation, 1 to 8, also of a file that [`read_structure`] refuses.
pub(super) fn orientation(bytes: &[u8]) -> u8 {
    let (mut rest, mut orientation) = (bytes.get(2..).unwrap_or_default(), 1);
    while let Ok((code, content, after)) = segment(rest) {
        rest = after;
        match code {
            0xd9 => break,
            0xe1 => orientation = exif_orientation(content).unwrap_or(orientation),
            0xda => rest = skip_entropy_coded_data(rest).unwrap_or_default(),
            _ => {}
        }
    }
    orientation
}

/// How the colours are to be converted, as the ICC profile in the APP2 segments before the first scan says.
pub(super) fn colour_conversion(bytes: &[u8]) -> ColourConversion {
    let (mut rest, mut parts, mut is_grey) = (bytes.get(2..).unwrap_or_default(), Vec::new(), false);
    while let Ok((code, content, after)) = segment(rest) {
        rest = after;
        match code {
            0xc0..=0xc2 => is_grey = content.get(5) == Some(&1),
            0xe2 => {
                parts.extend(content.strip_prefix(b"ICC_PROFILE\0").and_then(<[u8]>::split_first_chunk::<2>));
            }
            0xd9 | 0xda => break,
            _ => {}
        }
    }
    // Each says which part of how many it is, counted from 1.
    parts.sort_by_key(|(place, _)| place[0]);
    let is_whole =
        |(at, (place, _)): (usize, &(&[u8; 2], &[u8]))| **place == [at as u8 + 1, parts.len() as u8];
    if parts.is_empty() || parts.len() > 255 || !parts.iter().enumerate().all(is_whole) {
        return ColourConversion::None;
    }
    let profile: Vec<u8> = parts.iter().flat_map(|(_, part)| part.iter().copied()).collect();
    ColourConversion::from_icc(&profile, is_grey)
}

/// The orientation that an APP1 segment states; `None` where it is not EXIF.
fn exif_orientation(content: &[u8]) -> Option<u8> {
    content.strip_prefix(b"Exif\0\0").map(exif::orientation)
}

/// A marker's code, the content of its segment, and what follows it.
fn segment(bytes: &[u8]) -> Result<(u8, &[u8], &[u8]), ImageStructureError> {
    // A marker is 0xFF and a code; any number of fill bytes 0xFF may precede the code.
    let start = bytes.iter().position(|&byte| byte != 0xff).ok_or(BROKEN_OFF)?;
    if start == 0 {
        return Err(ImageStructureError::Broken("the JPEG is damaged: data where a marker belongs"));
    }
    let code = *bytes.get(start).ok_or(BROKEN_OFF)?;
    let rest = bytes.get(start + 1..).ok_or(BROKEN_OFF)?;
    // Markers without a segment.
    if matches!(code, 0x01 | 0xd0..=0xd9) {
        return Ok((code, <&[u8]>::default(), rest));
    }
    let (length, rest) = rest.split_first_chunk::<2>().ok_or(BROKEN_OFF)?;
    let length = usize::from(u16::from_be_bytes(*length)).checked_sub(2).ok_or(BROKEN_OFF)?;
    let (content, rest) = rest.split_at_checked(length).ok_or(BROKEN_OFF)?;
    Ok((code, content, rest))
}

/// Skips entropy-coded data: up to the first 0xFF that is neither stuffed (0xFF00) nor a restart marker.
fn skip_entropy_coded_data(bytes: &[u8]) -> Option<&[u8]> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(0xff, bytes.get(from..)?)?;
        match *bytes.get(at + 1)? {
            0x00 | 0xd0..=0xd7 => from = at + 2,
            // A fill byte: continue with the next.
            0xff => from = at + 1,
            _ => return bytes.get(at..),
        }
    }
}

/// The parts of a frame header that are used.
struct FrameHeader {
    width: u16,
    height: u16,
    components: usize,
    /// Quantisation table of the first component.
    luma_table: u8,
    /// Those of the second and the third, if there are any.
    chroma_tables: [Option<u8>; 2],
}

impl FrameHeader {
    fn read(content: &[u8]) -> Result<Self, ImageStructureError> {
        let broken = ImageStructureError::Broken("the JPEG's frame header is damaged");
        let (&[precision, h0, h1, w0, w1, components], rest) =
            content.split_first_chunk::<6>().ok_or(broken)?;
        if precision != 8 {
            return Err(ImageStructureError::Unsupported("the JPEG has more than 8 bits a channel"));
        }
        let (height, width) = (u16::from_be_bytes([h0, h1]), u16::from_be_bytes([w0, w1]));
        let components = usize::from(components);
        if width == 0 || height == 0 || !(1..=4).contains(&components) || rest.len() != components * 3 {
            return Err(broken);
        }
        let table = |component: usize| rest.get(component * 3 + 2).copied();
        let luma_table = table(0).ok_or(broken)?;
        Ok(Self { width, height, components, luma_table, chroma_tables: [table(1), table(2)] })
    }
}

/// The sum of each quantisation table, by the table's number. Of several tables with one number the coarsest counts: which of them
/// the pixels were coded with depends on where each stands, and the one that comes last may be of no use.
#[derive(Default)]
struct QuantisationTables([Option<u32>; 4]);

impl QuantisationTables {
    fn read(&mut self, mut content: &[u8]) -> Option<()> {
        while let Some((&head, rest)) = content.split_first() {
            let (wide, number) = (head >> 4, usize::from(head & 0x0f));
            let length = if wide == 0 { 64 } else { 128 };
            let (values, rest) = rest.split_at_checked(length)?;
            let sum: u32 = if wide == 0 {
                values.iter().map(|&value| u32::from(value)).sum()
            } else {
                values.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum()
            };
            let known = self.0.get_mut(number)?;
            *known = Some(known.map_or(sum, |other| sum.max(other)));
            content = rest;
        }
        Some(())
    }

    /// Estimates the quality on the scale of the Independent JPEG Group: the highest quality whose standard tables sum
    /// up to at least as much as the file's. Exact for tables of that scale. For others it compares the overall
    /// coarseness of luma and chroma together, so that a finer table of another encoder counts as at least as good. Of two
    /// tables for chroma the coarser counts.
    fn quality(&self, frame: &FrameHeader) -> Option<u8> {
        let sum = |number: u8| self.0.get(usize::from(number)).copied().flatten();
        let luma = sum(frame.luma_table)?;
        let mut chroma = 0;
        for number in frame.chroma_tables.into_iter().flatten() {
            chroma = sum(number)?.max(chroma);
        }
        let colour = frame.chroma_tables[0].is_some();
        let standard = |quality: u32| {
            let chroma = if colour { scaled_sum(&STANDARD_CHROMA_TABLE, quality) } else { 0 };
            scaled_sum(&STANDARD_LUMA_TABLE, quality) + chroma
        };
        let quality = (1..=100).rev().find(|&quality| standard(quality) >= luma + chroma).unwrap_or(1);
        u8::try_from(quality).ok()
    }
}

fn scaled_sum(table: &[u32; 64], quality: u32) -> u32 {
    let scale = if quality < 50 { 5000 / quality } else { 200 - 2 * quality };
    table.iter().map(|value| ((value * scale + 50) / 100).clamp(1, 255)).sum()
}

/// ITU-T T.81, table K.1. The order does not matter for a sum.
const STANDARD_LUMA_TABLE: [u32; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17,
    22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78,
    87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];

/// ITU-T T.81, table K.2.
const STANDARD_CHROMA_TABLE: [u32; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

/// Decodes a JPEG for which [`read_structure`] found three components and this size.
pub(super) fn decode(bytes: &[u8], width: u32, height: u32) -> Option<Picture> {
    pixels::decode_jpeg(bytes, width, height, MAX_SCANS)
}
