//! Scaling and transforms on pictures whose result is known.

use base::Picture;
use image::{RgbImage, imageops};
use pixels::{
    ColourDetail, Complex32, PictureRegion, ResampleFilter, blur, crop, decode_jpeg, encode_jpeg,
    encode_jpeg_of, encode_png, plan_fft, resample, resize,
};

fn stripes() -> Picture {
    let rgb = (0..8 * 4).flat_map(|at| if at % 2 == 0 { [200, 0, 0] } else { [0, 100, 0] }).collect();
    Picture::new(8, 4, rgb).expect("8 x 4 pixels")
}

#[test]
fn what_is_put_together_is_averaged() {
    let small = resize(&stripes(), PictureRegion { left: 2, top: 0, width: 4, height: 4 }, 2, 2).unwrap();
    assert_eq!((small.width(), small.height()), (2, 2));
    for pixel in small.rgb().as_chunks::<3>().0 {
        assert!(pixel[0].abs_diff(100) <= 26 && pixel[1].abs_diff(50) <= 14 && pixel[2] == 0, "{pixel:?}");
    }
}

#[test]
fn a_part_outside_of_the_picture_is_none() {
    assert!(resize(&stripes(), PictureRegion { left: 6, top: 0, width: 4, height: 4 }, 2, 2).is_none());
    assert!(resize(&stripes(), PictureRegion::whole(&stripes()), 0, 2).is_none());
}

#[test]
fn a_crop_has_the_pixels_of_its_region() {
    let region = PictureRegion { left: 5, top: 1, width: 3, height: 2 };
    let part = crop(&stripes(), region).unwrap();
    assert_eq!((part.width(), part.height()), (3, 2));
    let row = [0_u8, 100, 0, 200, 0, 0, 0, 100, 0];
    assert_eq!(part.rgb(), [row, row].as_flattened());
    assert_eq!(crop(&stripes(), PictureRegion::whole(&stripes())), Some(stripes()));
    for outside in [
        PictureRegion { left: 6, ..region },
        PictureRegion { top: 3, ..region },
        PictureRegion { width: 0, ..region },
        PictureRegion { height: u32::MAX, ..region },
    ] {
        assert_eq!(crop(&stripes(), outside), None, "{outside:?}");
    }
}

#[test]
fn filters_in_floating_point_are_those_of_the_image_crate() {
    let image = RgbImage::from_raw(8, 4, stripes().into_rgb()).unwrap();
    for (filter, theirs) in [
        (ResampleFilter::Triangle, imageops::FilterType::Triangle),
        (ResampleFilter::CatmullRom, imageops::FilterType::CatmullRom),
    ] {
        let ours = resample(&stripes(), 5, 3, filter).unwrap();
        assert_eq!((ours.width(), ours.height()), (5, 3));
        assert_eq!(ours.into_rgb(), imageops::resize(&image, 5, 3, theirs).into_raw(), "{filter:?}");
    }
    assert_eq!(blur(&stripes(), 0.7).unwrap().into_rgb(), imageops::blur(&image, 0.7).into_raw());
    assert_eq!(blur(&stripes(), 0.0), None);
}

#[test]
fn files_show_what_was_encoded() {
    let png = image::load_from_memory(&encode_png(&stripes())).unwrap().into_rgb8();
    assert_eq!((png.width(), png.height()), (8, 4));
    assert_eq!(png.into_raw(), stripes().into_rgb());

    // Red beside green, as bright: what tells them apart is lost where neighbours share their colour.
    let contrast = |jpeg: &[u8]| {
        let shown = decode_jpeg(jpeg, 8, 4, 1).unwrap();
        shown.pixel(2, 1)[0].abs_diff(shown.pixel(3, 1)[0])
    };
    let full = encode_jpeg(&stripes(), 95);
    assert!(contrast(&full) > 120, "{}", contrast(&full));
    let half = encode_jpeg_of(&stripes(), 95, ColourDetail::Half);
    assert!(contrast(&half) < 60, "{}", contrast(&half));
    for (width, height) in [(7, 4), (9, 4), (8, 3), (8, 5)] {
        assert_eq!(decode_jpeg(&full, width, height, 1), None, "{width} x {height}");
    }
    assert_eq!(decode_jpeg(&full[..full.len() / 2], 8, 4, 1), None);
}

#[test]
fn a_wave_is_one_frequency() {
    let mut wave: Vec<_> = (0..16)
        .map(|at| Complex32::from_polar(1.0, std::f32::consts::TAU * 3.0 * at as f32 / 16.0))
        .collect();
    plan_fft(16).process(&mut wave);
    for (at, value) in wave.iter().enumerate() {
        let expected = if at == 3 { 16.0 } else { 0.0 };
        assert!((value.norm() - expected).abs() < 1e-4, "{at}: {value}");
    }
}
