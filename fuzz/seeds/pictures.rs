//! Pictures of every format that is accepted, that is refused by name, and truncated ones.

use super::Seed;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use png::{BitDepth, ColorType as Png};

pub(crate) fn all() -> Vec<Seed> {
    let mut seeds = vec![];
    seeds.extend(jpegs());
    seeds.extend(pngs());
    let cut: Vec<Seed> = seeds
        .iter()
        .filter(|(_, bytes)| bytes.len() < 20_000)
        .flat_map(|(name, bytes)| {
            [1, 2, 3].map(|third| (format!("{name}-cut-{third}"), bytes[..bytes.len() * third / 4].to_vec()))
        })
        .collect();
    seeds.extend(cut);
    let text: Vec<Seed> = seeds
        .iter()
        .filter(|(name, bytes)| bytes.len() < 2_000 && !name.contains("cut"))
        .map(|(name, bytes)| {
            let kind = if name.starts_with("png") { "png" } else { "jpeg" };
            let encoded = base64_simd::STANDARD.encode_to_string(bytes);
            (format!("{name}-base64"), format!("data:image/{kind};base64,{encoded}").into_bytes())
        })
        .collect();
    seeds.extend(text);
    seeds.extend(foreign());
    seeds
}

/// Colourful pixels with some noise, `channels` bytes each.
fn pixels(width: u16, height: u16, channels: usize) -> Vec<u8> {
    let mut state = 7_u32;
    let mut out = vec![];
    for at in 0..u32::from(width) * u32::from(height) {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = (state >> 28) as u8;
        let (x, y) = (at % u32::from(width), at / u32::from(width));
        let pixel = [(x * 7) as u8 ^ grain, (y * 5) as u8 ^ grain, 90 + grain, 255 - grain];
        out.extend_from_slice(&pixel[..channels]);
    }
    out
}

fn jpeg(width: u16, height: u16, kind: ColorType, set: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let channels = match kind {
        ColorType::Luma => 1,
        ColorType::Cmyk | ColorType::CmykAsYcck => 4,
        _ => 3,
    };
    let mut out = vec![];
    let mut encoder = Encoder::new(&mut out, 90);
    set(&mut encoder);
    encoder.encode(&pixels(width, height, channels), width, height, kind).expect("pixels of that size");
    out
}

/// An EXIF block with an orientation.
fn exif(orientation: u8, little: bool) -> Vec<u8> {
    let mut out = b"Exif\0\0".to_vec();
    out.extend_from_slice(if little {
        &[b'I', b'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    } else {
        &[b'M', b'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    });
    let at = out.len() - 8 + usize::from(!little);
    out[at] = orientation;
    out
}

fn jpegs() -> Vec<Seed> {
    let rgb = ColorType::Rgb;
    let mut seeds = vec![
        ("jpeg".to_owned(), jpeg(33, 17, rgb, |_| ())),
        ("jpeg-one-pixel".to_owned(), jpeg(1, 1, rgb, |_| ())),
        ("jpeg-wide".to_owned(), jpeg(130, 8, rgb, |_| ())),
        ("jpeg-progressive".to_owned(), jpeg(33, 17, rgb, |encoder| encoder.set_progressive(true))),
        ("jpeg-many-scans".to_owned(), jpeg(16, 16, rgb, |encoder| encoder.set_progressive_scans(20))),
        ("jpeg-restarts".to_owned(), jpeg(40, 40, rgb, |encoder| encoder.set_restart_interval(2))),
        (
            "jpeg-own-tables".to_owned(),
            jpeg(24, 24, rgb, |encoder| encoder.set_optimized_huffman_tables(true)),
        ),
        ("jpeg-grey".to_owned(), jpeg(20, 20, ColorType::Luma, |_| ())),
        ("jpeg-cmyk".to_owned(), jpeg(20, 20, ColorType::Cmyk, |_| ())),
        ("jpeg-ycck".to_owned(), jpeg(20, 20, ColorType::CmykAsYcck, |_| ())),
        // Large enough, and of sufficient quality, for the strict rules.
        ("jpeg-served".to_owned(), {
            let mut out = vec![];
            let encoder = Encoder::new(&mut out, 96);
            encoder.encode(&pixels(300, 300, 3), 300, 300, rgb).expect("pixels of that size");
            out
        }),
    ];
    let samplings = [
        ("420", SamplingFactor::F_2_2),
        ("422", SamplingFactor::F_2_1),
        ("440", SamplingFactor::F_1_2),
        ("411", SamplingFactor::F_4_1),
        ("444", SamplingFactor::F_1_1),
    ];
    for (name, sampling) in samplings {
        seeds.push((
            format!("jpeg-{name}"),
            jpeg(35, 35, rgb, |encoder| encoder.set_sampling_factor(sampling)),
        ));
    }
    for orientation in 1..=8 {
        let bytes = jpeg(19, 11, rgb, |encoder| {
            encoder.add_app_segment(1, &exif(orientation, orientation % 2 == 0)).expect("a short segment");
        });
        seeds.push((format!("jpeg-turned-{orientation}"), bytes));
    }
    seeds
}

fn png(width: u16, height: u16, kind: Png, depth: BitDepth) -> Vec<u8> {
    let bits = kind.samples() * depth as usize;
    let row = (usize::from(width) * bits).div_ceil(8);
    let data: Vec<u8> =
        pixels(width, height, 4).into_iter().cycle().take(row * usize::from(height)).collect();
    let mut out = vec![];
    let mut encoder = png::Encoder::new(&mut out, width.into(), height.into());
    encoder.set_color(kind);
    encoder.set_depth(depth);
    if kind == Png::Indexed {
        encoder.set_palette(pixels(16, 16, 3));
    }
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&data).expect("pixels of that size");
    writer.finish().expect("an end");
    out
}

/// The PNG with a further chunk before its data; its checksum does not matter, as the decoder skips checksums while
/// fuzzing.
fn with_chunk(png: &[u8], kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let header = 8 + 25;
    let mut out = png[..header].to_vec();
    out.extend_from_slice(&(content.len() as u32).to_be_bytes());
    out.extend_from_slice(&kind);
    out.extend_from_slice(content);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&png[header..]);
    out
}

fn pngs() -> Vec<Seed> {
    let kinds = [
        ("rgb", Png::Rgb, BitDepth::Eight),
        ("rgba", Png::Rgba, BitDepth::Eight),
        ("rgb16", Png::Rgb, BitDepth::Sixteen),
        ("rgba16", Png::Rgba, BitDepth::Sixteen),
        ("grey", Png::Grayscale, BitDepth::Eight),
        ("grey1", Png::Grayscale, BitDepth::One),
        ("grey-alpha", Png::GrayscaleAlpha, BitDepth::Eight),
        ("palette", Png::Indexed, BitDepth::Eight),
    ];
    let mut seeds: Vec<Seed> = kinds
        .into_iter()
        .map(|(name, kind, depth)| (format!("png-{name}"), png(21, 13, kind, depth)))
        .collect();
    let rgb = png(21, 13, Png::Rgb, BitDepth::Eight);
    let mut interlaced = rgb.clone();
    interlaced[28] = 1;
    seeds.push(("png-interlaced".to_owned(), interlaced));
    seeds.push(("png-turned".to_owned(), with_chunk(&rgb, *b"eXIf", &exif(6, false)[6..])));
    seeds.push(("png-animated".to_owned(), with_chunk(&rgb, *b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0])));
    seeds.push(("png-transparent".to_owned(), with_chunk(&rgb, *b"tRNS", &[0, 1, 0, 2, 0, 3])));
    seeds.push(("png-gamma".to_owned(), with_chunk(&rgb, *b"gAMA", &[0, 0, 0xb1, 0x8f])));
    seeds.push(("png-one-pixel".to_owned(), png(1, 1, Png::Rgb, BitDepth::Eight)));
    seeds
}

fn foreign() -> Vec<Seed> {
    let begins: [(&str, &[u8]); 9] = [
        ("gif", b"GIF89a\x01\0\x01\0\0\0\0;"),
        ("bmp", b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0"),
        ("tiff", b"II*\0\x08\0\0\0\0\0"),
        ("webp", b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0"),
        ("avif", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1"),
        ("heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1"),
        ("jxl", b"\0\0\0\x0cJXL \x0d\x0a\x87\x0a"),
        ("jp2", b"\0\0\0\x0cjP  \x0d\x0a\x87\x0a"),
        ("nothing", b""),
    ];
    begins.into_iter().map(|(name, bytes)| (format!("foreign-{name}"), bytes.to_vec())).collect()
}
