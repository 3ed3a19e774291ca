//! Image validation, with every kind of bad picture, generated here.

use base::Picture;
use image::{ExtendedColorType, ImageEncoder as _, codecs::jpeg::JpegEncoder, codecs::png::PngEncoder};
use media::image_validation::{self, ImageError, ImageErrorCode, ImageLimits};
use moxcms::{ColorProfile, ToneReprCurve};

const WIDTH: u32 = 400;
const HEIGHT: u32 = 500;

/// A colourful picture that shows which way is up, with enough noise to make its file large enough.
fn pixels(width: u32, height: u32) -> Vec<u8> {
    let mut state = 7_u32;
    (0..width * height)
        .flat_map(|at| {
            let (x, y) = (at % width, at / width);
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let grain = (state >> 27) as u8;
            [(x * 200 / width) as u8 + grain, (y * 200 / height) as u8 + grain, 90 + grain]
        })
        .collect()
}

fn jpeg(quality: u8) -> Vec<u8> {
    jpeg_of(WIDTH, HEIGHT, quality)
}

fn jpeg_of(width: u32, height: u32, quality: u8) -> Vec<u8> {
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, quality)
        .write_image(&pixels(width, height), width, height, ExtendedColorType::Rgb8)
        .unwrap();
    out
}

fn png(data: &[u8], width: u32, height: u32, kind: ExtendedColorType) -> Vec<u8> {
    let mut out = Vec::new();
    PngEncoder::new(&mut out).write_image(data, width, height, kind).unwrap();
    out
}

fn rgb_png() -> Vec<u8> {
    png(&pixels(WIDTH, HEIGHT), WIDTH, HEIGHT, ExtendedColorType::Rgb8)
}

fn pass(bytes: &[u8], rules: &ImageLimits) -> Result<Picture, ImageError> {
    let header = image_validation::inspect(bytes, rules)?;
    image_validation::decode(bytes, &header, rules)
}

#[track_caller]
fn refused(bytes: &[u8], rules: &ImageLimits, code: ImageErrorCode) -> ImageError {
    let refusal = pass(bytes, rules).expect_err("the picture is refused");
    assert_eq!(refusal.code, code, "{refusal:?}");
    refusal
}

fn strict() -> ImageLimits {
    ImageLimits::default()
}

fn relaxed() -> ImageLimits {
    ImageLimits::default().relaxed()
}

#[test]
fn good_pictures_pass() {
    for bytes in [jpeg(95), jpeg(100), rgb_png()] {
        let picture = pass(&bytes, &strict()).unwrap();
        assert_eq!((picture.width(), picture.height()), (WIDTH, HEIGHT));
    }
}

#[test]
fn what_breaks_off_anywhere_is_invalid() {
    for whole in [jpeg(95), rgb_png()] {
        for twentieth in 0..20 {
            let part = &whole[..whole.len() * twentieth / 20];
            refused(part, &relaxed(), ImageErrorCode::InvalidB64Image);
        }
        refused(&whole[..whole.len() - 1], &relaxed(), ImageErrorCode::InvalidB64Image);
    }
}

#[test]
fn a_hole_in_the_middle_is_no_panic() {
    for whole in [jpeg(95), rgb_png()] {
        for cut in (10..whole.len() - 200).step_by(whole.len() / 40) {
            let mut holed = whole.clone();
            holed.drain(cut..cut + 150);
            let _any = pass(&holed, &relaxed());
        }
    }
}

#[test]
fn bytes_behind_the_end_are_ignored() {
    for mut bytes in [jpeg(95), rgb_png()] {
        bytes.extend_from_slice(b"an album's index, as some phones append it");
        pass(&bytes, &strict()).unwrap();
    }
}

#[test]
fn no_picture_at_all_is_invalid() {
    for bytes in
        [&b""[..], b"\xff", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"not a picture", &[0xff; 4000], &[0; 4000]]
    {
        refused(bytes, &strict(), ImageErrorCode::InvalidB64Image);
    }
}

#[test]
fn other_formats_are_named() {
    for magic in [
        &b"GIF87a"[..],
        b"GIF89a",
        b"BM",
        b"II*\0",
        b"MM\0*",
        b"RIFF\x10\0\0\0WEBPVP8 ",
        b"\0\0\0\x1cftypavif",
        b"\0\0\0\x1cftypheic",
        b"\0\0\0\x0cJXL \x0d\x0a\x87\x0a",
        b"\xff\x0a",
        b"\0\0\0\x0cjP  \x0d\x0a\x87\x0a",
    ] {
        let refusal =
            refused(&[magic, &[0; 100]].concat(), &strict(), ImageErrorCode::UnsupportedImageFormat);
        assert!(refusal.message.contains("send JPEG or PNG"));
    }
}

#[test]
fn jpeg_quality_is_read_from_the_tables() {
    for quality in 1..=100 {
        let header = image_validation::inspect(&jpeg(quality), &relaxed()).unwrap();
        assert_eq!(header.jpeg_quality, Some(quality));
    }
    let refusal = refused(&jpeg(94), &strict(), ImageErrorCode::UnsupportedImageFormat);
    let measured = refusal.measured.unwrap();
    assert_eq!((measured.measured, measured.limit.as_str()), (94.0, "JPEG quality 95 to 100"));
}

/// The segments of a JPEG that hold its quantisation tables.
fn quantisation_tables(file: &[u8]) -> Vec<u8> {
    let (mut at, mut tables) = (2, Vec::new());
    while file[at + 1] != 0xda {
        let end = at + 2 + usize::from(u16::from_be_bytes([file[at + 2], file[at + 3]]));
        if file[at + 1] == 0xdb {
            tables.extend_from_slice(&file[at..end]);
        }
        at = end;
    }
    tables
}

#[test]
fn no_further_table_makes_a_coarse_jpeg_a_fine_one() {
    let (coarse, fine) = (jpeg(50), jpeg(100));
    // Decoders have read the tables by then.
    let (picture, end) = coarse.split_at(coarse.len() - 2);
    let touched_up = [picture, &quantisation_tables(&fine), end].concat();
    let refusal = refused(&touched_up, &strict(), ImageErrorCode::UnsupportedImageFormat);
    assert_eq!(refusal.measured.unwrap().measured, 50.0);

    // The third component has a table of its own, with greater steps than the other two.
    let mut blotched = fine.clone();
    let frame = blotched.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    blotched[frame + 18] = 2;
    let table = [&[0xff, 0xdb, 0, 67, 2][..], &[255; 64]].concat();
    blotched.splice(2..2, table);
    refused(&blotched, &strict(), ImageErrorCode::UnsupportedImageFormat);
}

#[test]
fn file_size_has_two_bounds() {
    let rules = |min: usize, max: usize| ImageLimits {
        min_bytes: Some(min),
        max_bytes: Some(max),
        ..ImageLimits::default()
    };
    let bytes = jpeg(95);
    let length = bytes.len();
    pass(&bytes, &rules(length, length)).unwrap();
    refused(&bytes, &rules(length + 1, length + 2), ImageErrorCode::ImageSizeTooSmall);
    refused(&bytes, &rules(length - 2, length - 1), ImageErrorCode::ImageSizeTooBig);
    assert_eq!((strict().min_bytes, strict().max_bytes), (Some(50_000), Some(1_500_000)));
}

#[test]
fn sides_and_pixels_have_bounds() {
    for (width, height, code) in [
        (300, 299, ImageErrorCode::MinHeight),
        (300, 2001, ImageErrorCode::MaxHeight),
        (299, 300, ImageErrorCode::MinWidth),
        (2001, 300, ImageErrorCode::MaxWidth),
        (1500, 1401, ImageErrorCode::MaxPixels),
    ] {
        let refusal = refused(&jpeg_of(width, height, 50), &relaxed(), code);
        assert!(refusal.measured.is_some());
    }
    for (width, height) in [(300, 300), (1500, 1400), (300, 2000), (2000, 300)] {
        pass(&jpeg_of(width, height, 50), &relaxed()).unwrap();
    }
    let small = ImageLimits { min_width: 10, min_height: 10, ..relaxed() };
    refused(&jpeg_of(299, 301, 50), &small, ImageErrorCode::MinPixels);
}

#[test]
fn channels_other_than_rgb_are_refused() {
    let data = pixels(WIDTH, HEIGHT);
    let grey: Vec<u8> = data.chunks(3).map(|pixel| pixel[1]).collect();
    let grey_alpha: Vec<u8> = grey.iter().flat_map(|&value| [value, 255]).collect();
    refused(
        &png(&grey, WIDTH, HEIGHT, ExtendedColorType::L8),
        &relaxed(),
        ImageErrorCode::ImageGrayscaleNotSupported,
    );
    refused(
        &png(&grey_alpha, WIDTH, HEIGHT, ExtendedColorType::La8),
        &relaxed(),
        ImageErrorCode::ImageGrayscaleNotSupported,
    );
    let wide: Vec<u8> = data.iter().flat_map(|&value| [value, 0]).collect();
    refused(
        &png(&wide, WIDTH, HEIGHT, ExtendedColorType::Rgb16),
        &relaxed(),
        ImageErrorCode::ImageWrongChannels,
    );

    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, 95)
        .write_image(&grey, WIDTH, HEIGHT, ExtendedColorType::L8)
        .unwrap();
    refused(&out, &relaxed(), ImageErrorCode::ImageGrayscaleNotSupported);

    let cmyk: Vec<u8> = data.chunks(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 20]).collect();
    let mut out = Vec::new();
    jpeg_encoder::Encoder::new(&mut out, 95)
        .encode(&cmyk, WIDTH as u16, HEIGHT as u16, jpeg_encoder::ColorType::Cmyk)
        .unwrap();
    refused(&out, &relaxed(), ImageErrorCode::ImageWrongChannels);

    refused(&rare_png::palette(&grey), &relaxed(), ImageErrorCode::ImageWrongChannels);
}

/// Kinds of PNG that the `image` crate does not write.
mod rare_png {
    pub(super) fn palette(indices: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut out, super::WIDTH, super::HEIGHT);
        encoder.set_color(::png::ColorType::Indexed);
        encoder.set_depth(::png::BitDepth::Eight);
        encoder.set_palette((0..=255_u8).flat_map(|value| [value, 255 - value, 60]).collect::<Vec<_>>());
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(indices).unwrap();
        writer.finish().unwrap();
        out
    }

    pub(super) fn animated(frame: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut out, super::WIDTH, super::HEIGHT);
        encoder.set_color(::png::ColorType::Rgb);
        encoder.set_depth(::png::BitDepth::Eight);
        encoder.set_animated(2, 0).unwrap();
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(frame).unwrap();
        writer.write_image_data(frame).unwrap();
        writer.finish().unwrap();
        out
    }
}

#[test]
fn animated_png_is_refused() {
    refused(&rare_png::animated(&pixels(WIDTH, HEIGHT)), &relaxed(), ImageErrorCode::UnsupportedImageFormat);
}

#[test]
fn grey_stored_as_rgb_is_found_out_and_pale_colour_is_not() {
    let grey: Vec<u8> = pixels(WIDTH, HEIGHT).chunks(3).flat_map(|pixel| [pixel[1]; 3]).collect();
    refused(
        &png(&grey, WIDTH, HEIGHT, ExtendedColorType::Rgb8),
        &relaxed(),
        ImageErrorCode::ImageGrayscaleNotSupported,
    );
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, 95)
        .write_image(&grey, WIDTH, HEIGHT, ExtendedColorType::Rgb8)
        .unwrap();
    refused(&out, &relaxed(), ImageErrorCode::ImageGrayscaleNotSupported);

    // A fiftieth of the pixels is slightly warmer, which is enough to count as colour.
    let pale: Vec<u8> = grey
        .chunks(3)
        .enumerate()
        .flat_map(|(at, pixel)| {
            let [r, g, b] = [pixel[0], pixel[1], pixel[2]];
            if at < (WIDTH * HEIGHT / 50) as usize { [r.saturating_add(20), g, b] } else { [r, g, b] }
        })
        .collect();
    pass(&png(&pale, WIDTH, HEIGHT, ExtendedColorType::Rgb8), &relaxed()).unwrap();
}

/// What lies under it is not analysed: nobody sees that.
#[test]
fn what_is_transparent_shows_a_white_page() {
    let data = pixels(WIDTH, HEIGHT);
    let with_alpha: Vec<u8> = data.chunks(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 0x80]).collect();
    let picture = pass(&png(&with_alpha, WIDTH, HEIGHT, ExtendedColorType::Rgba8), &relaxed()).unwrap();
    let on_white = |channel: &u8| ((u16::from(*channel) * 0x80 + 127) / 255) as u8 + 0x7f;
    assert!(picture.rgb() == data.iter().map(on_white).collect::<Vec<_>>());

    let opaque: Vec<u8> = data.chunks(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
    let picture = pass(&png(&opaque, WIDTH, HEIGHT, ExtendedColorType::Rgba8), &relaxed()).unwrap();
    assert!(picture.rgb() == data);
}

/// Without an alpha channel, a PNG may name one colour that is transparent.
#[test]
fn a_colour_that_is_transparent_shows_a_white_page() {
    let mut data = pixels(WIDTH, HEIGHT);
    data[..3].copy_from_slice(&[1, 2, 3]);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_trns(vec![0, 1, 0, 2, 0, 3]);
    encoder.write_header().unwrap().write_image_data(&data).unwrap();
    let picture = pass(&file, &relaxed()).unwrap();
    assert_eq!(picture.pixel(0, 0), [255; 3]);
    assert!(picture.rgb()[3..] == data[3..]);
}

/// A profile of sRGB with a curve by which stored levels look like the squares of their linear light.
fn darkening_profile() -> Vec<u8> {
    let mut profile = ColorProfile::new_srgb();
    let curve = Some(ToneReprCurve::Parametric(vec![4.8]));
    (profile.red_trc, profile.green_trc, profile.blue_trc) = (curve.clone(), curve.clone(), curve);
    profile.cicp = None;
    profile.encode().unwrap()
}

/// A picture of one colour, with enough noise in its last rows to be a photo.
fn plain(level: u8) -> Vec<u8> {
    let mut data = vec![level; (WIDTH * HEIGHT * 3) as usize];
    let noise = pixels(WIDTH, HEIGHT);
    let from = data.len() - (WIDTH * 100 * 3) as usize;
    data[from..].copy_from_slice(&noise[from..]);
    data
}

#[test]
fn the_colour_profile_of_a_jpeg_is_followed() {
    let mut plain_file = Vec::new();
    JpegEncoder::new_with_quality(&mut plain_file, 95)
        .write_image(&plain(188), WIDTH, HEIGHT, ExtendedColorType::Rgb8)
        .unwrap();
    let profile = darkening_profile();
    let part = |number: u8, count: u8, content: &[u8]| {
        let content = [&b"ICC_PROFILE\0"[..], &[number, count], content].concat();
        [&[0xff, 0xe2][..], &(content.len() as u16 + 2).to_be_bytes(), &content].concat()
    };
    let (first, second) = profile.split_at(profile.len() / 2);
    let with = |segments: &[Vec<u8>]| [&plain_file[..2], &segments.concat(), &plain_file[2..]].concat();
    let whole = part(1, 1, &profile);
    let cut = [part(1, 3, first), part(2, 3, second)];
    for (name, file, expected) in [
        ("none", with(&[]), 188),
        ("whole", with(&[whole]), 132),
        ("in parts", with(&[part(1, 2, first), part(2, 2, second)]), 132),
        ("in parts of another order", with(&[part(2, 2, second), part(1, 2, first)]), 132),
        ("of which one is missing", with(&cut), 188),
        ("damaged", with(&[part(1, 1, first)]), 188),
    ] {
        let [red, green, blue] = pass(&file, &relaxed()).unwrap().pixel(200, 100);
        assert!(red.abs_diff(expected) <= 2 && red == green && green == blue, "{name}: {red} {green} {blue}");
    }
}

#[test]
fn the_colours_of_a_png_are_those_that_its_chunks_say() {
    type Set = fn(&mut png::Info<'_>);
    let profile: Set = |info| info.icc_profile = Some(darkening_profile().into());
    let linear: Set = |info| info.source_gamma = Some(png::ScaledFloat::new(1.0));
    let usual: Set = |info| info.source_gamma = Some(png::ScaledFloat::new(0.45455));
    let srgb: Set = |info| info.srgb = Some(png::SrgbRenderingIntent::Perceptual);
    for (name, changes, stored, expected) in [
        ("nothing", vec![], 188, 188),
        ("a profile", vec![profile], 188, 132),
        ("a gamma", vec![linear], 128, 188),
        ("the usual gamma", vec![usual], 128, 128),
        ("a profile and a gamma", vec![profile, linear], 188, 132),
        ("sRGB", vec![srgb], 188, 188),
    ] {
        let mut info = png::Info::with_size(WIDTH, HEIGHT);
        (info.color_type, info.bit_depth) = (png::ColorType::Rgb, png::BitDepth::Eight);
        for change in &changes {
            change(&mut info);
        }
        let mut file = Vec::new();
        let encoder = png::Encoder::with_info(&mut file, info).unwrap();
        encoder.write_header().unwrap().write_image_data(&plain(stored)).unwrap();
        let shown = pass(&file, &relaxed()).unwrap().pixel(200, 100);
        assert!(shown.iter().all(|channel| channel.abs_diff(expected) <= 1), "{name}: {shown:?}");
    }
}

/// A JPEG with an EXIF orientation, whose pixels are rotated so that the picture as shown stays the same.
fn with_orientation(orientation: u8) -> Vec<u8> {
    let upright = image::DynamicImage::ImageRgb8(
        image::RgbImage::from_raw(WIDTH, HEIGHT, pixels(WIDTH, HEIGHT)).unwrap(),
    );
    let stored = match orientation {
        1 => upright,
        2 => upright.fliph(),
        3 => upright.rotate180(),
        4 => upright.flipv(),
        5 => upright.rotate90().fliph(),
        6 => upright.rotate270(),
        7 => upright.rotate270().fliph(),
        _ => upright.rotate90(),
    };
    let mut tiff = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0".to_vec();
    tiff[19] = orientation;
    let mut out = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut out, 97);
    encoder.set_exif_metadata(tiff).unwrap();
    encoder.write_image(stored.as_bytes(), stored.width(), stored.height(), ExtendedColorType::Rgb8).unwrap();
    out
}

#[test]
fn every_orientation_is_turned_upright() {
    let upright = pixels(WIDTH, HEIGHT);
    for orientation in 1..=8 {
        let file = with_orientation(orientation);
        let header = image_validation::inspect(&file, &relaxed()).unwrap();
        assert_eq!((header.orientation, header.size.width, header.size.height), (orientation, WIDTH, HEIGHT));
        let picture = pass(&file, &relaxed()).unwrap();
        let off: u64 = picture.rgb().iter().zip(&upright).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        let off = off as f64 / upright.len() as f64;
        assert!(off < 4.0, "orientation {orientation}: {off} levels off on average");
    }
}

#[test]
fn a_progressive_jpeg_passes_but_not_one_with_endless_scans() {
    let mut out = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut out, 95);
    encoder.set_progressive(true);
    encoder
        .encode(&pixels(WIDTH, HEIGHT), WIDTH as u16, HEIGHT as u16, jpeg_encoder::ColorType::Rgb)
        .unwrap();
    pass(&out, &relaxed()).unwrap();

    let scan = out.windows(2).rposition(|pair| pair == [0xff, 0xda]).unwrap();
    let (head, tail) = out.split_at(scan);
    let last_scan = &tail[..tail.len() - 2];
    let bomb: Vec<u8> =
        head.iter().chain(last_scan.repeat(100).iter()).copied().chain([0xff, 0xd9]).collect();
    refused(&bomb, &relaxed(), ImageErrorCode::UnsupportedImageFormat);
}

#[test]
fn bombs_are_refused_by_their_headers() {
    let mut big_png = rgb_png();
    big_png[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    refused(&big_png, &relaxed(), ImageErrorCode::MaxHeight);
    let mut big_jpeg = jpeg(95);
    let frame = big_jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    big_jpeg[frame + 5..frame + 9].copy_from_slice(&[0xff; 4]);
    refused(&big_jpeg, &relaxed(), ImageErrorCode::MaxHeight);
    // A header that declares more pixels than the data holds.
    let mut lying = rgb_png();
    lying[16..24].copy_from_slice(&[0, 0, 0x05, 0x00, 0, 0, 0x06, 0x00]);
    refused(&lying, &relaxed(), ImageErrorCode::InvalidB64Image);
}

#[test]
fn base64_is_strict_about_padding_and_easy_about_wrapping() {
    assert_eq!(image_validation::decode_base64("QUJD").unwrap(), b"ABC");
    assert_eq!(image_validation::decode_base64("QUI=").unwrap(), b"AB");
    assert_eq!(image_validation::decode_base64("data:image/png;base64,QUJD").unwrap(), b"ABC");
    assert_eq!(image_validation::decode_base64("QU\r\nJD\n").unwrap(), b"ABC");
    for bad in ["", "QUI", "QUJD=", "QU JD", "QUJ_", "data:image/png,QUJD", "data:image/png;base64,", "data:"]
    {
        assert_eq!(
            image_validation::decode_base64(bad).unwrap_err().code,
            ImageErrorCode::InvalidB64Image,
            "{bad}"
        );
    }
}

mod any_bytes {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn never_panic(start in 0..3_usize, bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let start = [&b""[..], b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"][start];
            let _any = pass(&[start, &bytes].concat(), &relaxed());
        }

        #[test]
        fn never_panic_when_a_good_file_is_spoilt(kind in any::<bool>(), place in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = if kind { jpeg_of(300, 300, 60) } else { png(&pixels(300, 300), 300, 300, ExtendedColorType::Rgb8) };
            let at = place.index(bytes.len());
            bytes[at] = byte;
            let _any = pass(&bytes, &relaxed());
        }
    }
}
