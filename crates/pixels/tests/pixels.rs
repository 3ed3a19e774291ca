//! Scaling and transforms on pictures whose result is known.

use base::Picture;
use pixels::{Complex32, PictureRegion, plan_fft, resize};

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
