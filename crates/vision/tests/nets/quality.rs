use crate::support::{around, best_face, load, painted, part, photo};
use base::Picture;
use image::{RgbImage, imageops};
use vision::{Face, FaceQuality, VisionModels};

/// Frontal faces with their surroundings.
fn portraits(vision: &mut VisionModels) -> Vec<Picture> {
    let mut portraits = Vec::new();
    for number in [3, 5, 6] {
        let photo = photo(number);
        for face in vision.detect(&photo).unwrap() {
            if VisionModels::assess_quality(&photo, &face).frontal > 0.6 {
                portraits.push(around(&photo, &face, 2.2));
            }
        }
    }
    assert!(portraits.len() >= 4, "{}", portraits.len());
    portraits
}

fn changed(picture: &Picture, change: impl FnOnce(RgbImage) -> RgbImage) -> Picture {
    let rgb = RgbImage::from_raw(picture.width(), picture.height(), picture.rgb().to_vec()).unwrap();
    let rgb = change(rgb);
    Picture::new(rgb.width(), rgb.height(), rgb.into_raw()).unwrap()
}

#[test]
fn more_blur_is_less_sharp() {
    let mut vision = load();
    for portrait in portraits(&mut vision) {
        let face = best_face(&mut vision, &portrait);
        let mut last = VisionModels::assess_quality(&portrait, &face);
        assert!(last.sharpness > 0.25, "{last:?}");
        for sigma in [2.0, 4.0, 8.0] {
            let blurred = changed(&portrait, |rgb| imageops::fast_blur(&rgb, sigma));
            let quality = VisionModels::assess_quality(&blurred, &face);
            assert!(
                quality.sharpness < last.sharpness && quality.score < last.score,
                "{sigma}: {quality:?} {last:?}"
            );
            last = quality;
        }
        // Motion blur affects one direction only.
        let moved = painted(portrait.width(), portrait.height(), |x, y| {
            let row = (-8..=8).map(|step| portrait.pixel(i64::from(x) + step, y.into()));
            let sum = row.fold([0_u32; 3], |sum, rgb| [0, 1, 2].map(|at| sum[at] + u32::from(rgb[at])));
            sum.map(|value| (value / 17) as u8)
        });
        let still = VisionModels::assess_quality(&portrait, &face);
        assert!(VisionModels::assess_quality(&moved, &face).sharpness < 0.8 * still.sharpness);
    }
}

#[test]
fn fewer_pixels_are_worse() {
    let mut vision = load();
    for portrait in portraits(&mut vision) {
        let face = best_face(&mut vision, &portrait);
        let mut last = VisionModels::assess_quality(&portrait, &face);
        for parts in [2, 4, 8] {
            let small = changed(&portrait, |rgb| {
                let (width, height) = (rgb.width() / parts, rgb.height() / parts);
                imageops::resize(&rgb, width, height, imageops::FilterType::Triangle)
            });
            let scale = 1.0 / parts as f32;
            let to = |value: f32| value * scale;
            let face = Face {
                left: to(face.left),
                top: to(face.top),
                right: to(face.right),
                bottom: to(face.bottom),
                points: face.points.map(|point| point.map(to)),
                ..face
            };
            let quality = VisionModels::assess_quality(&small, &face);
            assert!(quality.side < last.side && quality.score < last.score, "{parts}: {quality:?} {last:?}");
            last = quality;
        }
    }
}

#[test]
fn dark_and_overexposed_pictures_are_worse() {
    let mut vision = load();
    for portrait in portraits(&mut vision) {
        let face = best_face(&mut vision, &portrait);
        let good = VisionModels::assess_quality(&portrait, &face);
        assert!((40.0..220.0).contains(&good.luma), "{good:?}");
        let lit = |light: fn(f32) -> f32| {
            let picture = painted(portrait.width(), portrait.height(), |x, y| {
                portrait.pixel(x.into(), y.into()).map(|value| light(value.into()).clamp(0.0, 255.0) as u8)
            });
            VisionModels::assess_quality(&picture, &face)
        };
        let (dark, bright) = (lit(|value| value * 0.12), lit(|value| value * 0.3 + 178.0));
        assert!(dark.luma < 40.0 && dark.score < 0.8 * good.score, "{dark:?} {good:?}");
        assert!(bright.luma > 190.0 && bright.luma > good.luma, "{bright:?}");
        assert_eq!(lit(|_| 0.0).score, 0.0);
        assert_eq!(lit(|_| 255.0).score, 0.0);
    }
}

/// When a head turns, one half of the face gets narrower, as in these pictures.
#[test]
fn a_turned_face_is_less_frontal() {
    let mut vision = load();
    for portrait in portraits(&mut vision) {
        let straight = best_face(&mut vision, &portrait);
        let middle = straight.points[2][0];
        // Both directions, because a face that is turned a little already becomes less frontal in one of them only.
        let turned = [false, true].map(|left| {
            let picture = painted(portrait.width(), portrait.height(), |x, y| {
                let x = x as f32;
                let narrow = (x < middle) == left;
                let from = if narrow { middle + (x - middle) * 2.2 } else { x };
                portrait.pixel(from as i64, y.into())
            });
            let found = best_face(&mut vision, &picture);
            VisionModels::assess_quality(&picture, &found).frontal
        });
        let before = VisionModels::assess_quality(&portrait, &straight).frontal;
        assert!(turned[0].min(turned[1]) < 0.8 * before, "{before} {turned:?}");
    }
}

/// From the points alone: the nose moves to either side, an ear comes closer, the nose goes up or down, the head rolls.
#[test]
fn frontal_decreases_with_every_rotation() {
    let ahead = [[40.0, 50.0], [80.0, 50.0], [60.0, 74.0], [60.0, 94.0], [20.0, 58.0], [100.0, 58.0]];
    let picture = painted(120, 120, |x, y| [(x * 2) as u8, (y * 2) as u8, 128]);
    let frontal = |change: &dyn Fn(&mut [[f32; 2]; 6])| {
        let mut points = ahead;
        change(&mut points);
        let face = Face { left: 10.0, top: 10.0, right: 110.0, bottom: 110.0, score: 1.0, points };
        VisionModels::assess_quality(&picture, &face).frontal
    };
    assert!(frontal(&|_| ()) > 0.95, "{}", frontal(&|_| ()));
    let decreases = |change: &dyn Fn(f32, &mut [[f32; 2]; 6])| {
        let steps: Vec<f32> = [0.0, 8.0, 16.0, 24.0].map(|by| frontal(&|points| change(by, points))).into();
        assert!(steps.is_sorted_by(|a, b| a >= b) && steps[3] < 0.6 * steps[0], "{steps:?}");
    };
    decreases(&|by, points| points[2][0] += by);
    decreases(&|by, points| points[2][0] -= by);
    decreases(&|by, points| points[4][0] += 1.5 * by);
    decreases(&|by, points| points[2][1] -= by);
    decreases(&|by, points| points[2][1] += by * 0.8);
    decreases(&|by, points| {
        points[0][1] += 1.2 * by;
        points[1][1] -= 1.2 * by;
    });
}

#[test]
fn any_box_has_a_quality_within_range() {
    let picture = part(&photo(2), [300, 100, 400, 400]);
    let places = [
        [0.0, 0.0, 1.0, 1.0],
        [-500.0, -500.0, -100.0, -100.0],
        [-1e30, -1e30, 1e30, 1e30],
        [f32::NAN, 0.0, 10.0, f32::INFINITY],
        [10.0, 10.0, 10.0, 10.0],
    ];
    for [left, top, right, bottom] in places {
        let (x, y) = (f32::midpoint(left, right), f32::midpoint(top, bottom));
        let face = Face { left, top, right, bottom, score: 1.0, points: [[x, y]; 6] };
        let FaceQuality { sharpness, frontal, score, luma, .. } =
            VisionModels::assess_quality(&picture, &face);
        assert!([sharpness, frontal, score].iter().all(|value| (0.0..=1.0).contains(value)), "{face:?}");
        assert!((0.0..=255.0).contains(&luma), "{face:?}");
    }
}

/// Something plain over a part of the face: `top` and `bottom` in distances from the eyes to the mouth, `half` in distances
/// between the eyes.
fn covered(picture: &Picture, face: &Face, top: f32, bottom: f32, half: f32) -> Picture {
    let [right, left, _, mouth, ..] = face.points;
    let middle = [f32::midpoint(right[0], left[0]), f32::midpoint(right[1], left[1])];
    let (eyes, high) = (left[0] - right[0], mouth[1] - middle[1]);
    painted(picture.width(), picture.height(), |x, y| {
        let (across, down) = ((x as f32 - middle[0]).abs() / eyes, (y as f32 - middle[1]) / high);
        let is_covered = (top..bottom).contains(&down) && across < half;
        if is_covered { [180, 205, 220] } else { picture.pixel(x.into(), y.into()) }
    })
}

#[test]
fn what_is_covered_is_told() {
    let mut vision = load();
    for portrait in portraits(&mut vision) {
        let face = best_face(&mut vision, &portrait);
        let mut assess = |picture: &Picture| vision.assess_capture(picture, &face).unwrap().unwrap();
        let seen = assess(&portrait);
        assert!(seen.mouth_covered < 0.5 && seen.nose_covered < 0.5 && seen.eyes_covered < 0.5, "{seen:?}");
        let masked = assess(&covered(&portrait, &face, 0.3, 1.8, 1.0));
        assert!(masked.mouth_covered > 0.5 && masked.nose_covered > 0.5, "{masked:?}");
        assert!(masked.eyes_covered < 0.5, "{masked:?}");
        let lower = assess(&covered(&portrait, &face, 0.75, 1.8, 1.0));
        assert!(lower.mouth_covered > 0.5, "{lower:?}");
        let blindfold = assess(&covered(&portrait, &face, -0.35, 0.3, 1.0));
        assert!(blindfold.eyes_covered > 0.5 && blindfold.mouth_covered < 0.5, "{blindfold:?}");
    }
}

#[test]
fn blur_and_noise_are_told_apart_and_widen_the_uncertainty_of_an_age() {
    let mut vision = load();
    let (mut by_all_looks, mut as_served) = (Vec::new(), Vec::new());
    for portrait in portraits(&mut vision) {
        let face = vision.detect_upright(&portrait).unwrap()[0];
        by_all_looks.push(noise_gain(&mut vision, &portrait, &face));
        let face = best_face(&mut vision, &portrait);
        as_served.push(noise_gain(&mut vision, &portrait, &face));
    }
    let mean = |gains: &[f32]| gains.iter().sum::<f32>() / gains.len() as f32;
    assert!(by_all_looks.iter().all(|gain| *gain > 3.0) && mean(&by_all_looks) > 3.5, "{by_all_looks:?}");
    // The points of a face move a little with how it is looked for, and what is made of the same noise by up to a third.
    assert!(as_served.iter().all(|gain| *gain > 2.0) && mean(&as_served) > 3.5, "{as_served:?}");
}

/// How much more noise is told of a portrait with noise than without it; checks as well what is told of blur, and what both do to the
/// uncertainty of the age.
fn noise_gain(vision: &mut VisionModels, portrait: &Picture, face: &Face) -> f32 {
    let mut seen = |picture: &Picture| {
        let capture = vision.assess_capture(picture, face).unwrap().unwrap();
        (capture, vision.estimate_age(picture, face).unwrap())
    };
    let (good, age) = seen(portrait);
    let wide = (face.right - face.left) * 0.05;
    let (blurred, blurred_age) = seen(&changed(portrait, |rgb| imageops::blur(&rgb, wide)));
    assert!(blurred.blur > good.blur + 1.0 && blurred.noise <= good.noise + 1.0, "{blurred:?} {good:?}");
    assert!(blurred_age.st_dev > age.st_dev, "{blurred_age:?} {age:?}");
    // Grains as large as the pixels that the net sees; evenly distributed, with a deviation of 30.
    let grain = ((face.right - face.left) * 1.2 / 64.0).ceil() as u32;
    let noisy = painted(portrait.width(), portrait.height(), |x, y| {
        let mut state = (x / grain) << 16 | (y / grain);
        portrait.pixel(x.into(), y.into()).map(|value| {
            for _ in 0..3 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) ^ (state >> 13);
            }
            (i32::from(value) + (state >> 24) as i32 * 104 / 255 - 52).clamp(0, 255) as u8
        })
    });
    let (noisy, noisy_age) = seen(&noisy);
    assert!(noisy_age.st_dev > 3.0 * age.st_dev, "{noisy_age:?} {age:?}");
    noisy.noise - good.noise
}

#[test]
fn a_pack_without_a_model_for_quality_tells_nothing() {
    let folder = crate::support::edited_pack(|manifest| {
        manifest["use"].as_object_mut().unwrap().remove("quality");
    });
    let mut vision = VisionModels::load(folder.path()).unwrap();
    let portrait = photo(3);
    let face = best_face(&mut vision, &portrait);
    assert_eq!(vision.assess_capture(&portrait, &face).unwrap(), None);
    vision.estimate_age(&portrait, &face).unwrap();
}
