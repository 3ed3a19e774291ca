use crate::support::{around, best_face, edited_pack, faces, load, model, painted, part, photo};
use base::Picture;
use serde_json::json;
use vision::{Face, VisionModels};

#[test]
fn the_sample_photos_show_adults() {
    let mut vision = load();
    for picture in faces() {
        let face = best_face(&mut vision, picture);
        let age = vision.estimate_age(picture, &face).unwrap();
        assert!((15.0..60.0).contains(&age.years), "{age:?}");
        assert!(age.low80 < age.years && age.years < age.high80, "{age:?}");
        assert!(age.at_least(15.0) > 0.5 && age.at_least(60.0) < 0.5, "{age:?}");
    }
}

#[test]
fn the_deviation_is_that_of_the_band_widened_by_the_spread_over_the_crops() {
    let weighted = |weight: f32| {
        let folder = edited_pack(|manifest| {
            manifest["use"]["age"] = json!("face-api-age");
            let errors = &mut model(manifest, "face-api-age")["output"]["errors"];
            errors["bands"] = json!([{"from": 0.0, "st_dev": 5.0}]);
            errors["spread_weight"] = json!(weight);
            errors.as_object_mut().unwrap().remove("capture");
        });
        VisionModels::load(folder.path()).unwrap()
    };
    let (mut without, mut with, mut twice) = (weighted(0.0), weighted(1.0), weighted(2.0));
    let mut all = Vec::new();
    for picture in faces() {
        let face = best_face(&mut without, picture);
        let [narrow, wide, wider] =
            [&mut without, &mut with, &mut twice].map(|v| v.estimate_age(picture, &face).unwrap());
        assert_eq!((narrow.years, narrow.spread), (wide.years, wide.spread));
        assert_eq!(narrow.st_dev, 5.0);
        assert!((wide.st_dev - 5.0_f32.hypot(wide.spread)).abs() < 1e-4, "{wide:?}");
        assert!((wider.st_dev - 5.0_f32.hypot(2.0 * wide.spread)).abs() < 1e-4, "{wider:?}");
        all.push(wide);
    }
    // The more the crops disagree, the wider is everything that follows from the deviation.
    all.sort_by(|a, b| a.spread.total_cmp(&b.spread));
    for pair in all.windows(2) {
        assert!(pair[0].st_dev <= pair[1].st_dev && pair[0].buffer(0.05) <= pair[1].buffer(0.05), "{pair:?}");
        let width = |age: &vision::AgeEstimate| age.high80 - age.years;
        assert!(width(&pair[0]) <= width(&pair[1]) + 1e-4, "{pair:?}");
    }
    assert!(all[all.len() - 1].spread > 1.0, "crops of some face differ");
}

/// The picture rotated by `angle` radians around its centre; black outside.
fn rotated(picture: &Picture, angle: f32) -> Picture {
    let (sin, cos) = angle.sin_cos();
    let (x0, y0) = (picture.width() as f32 / 2.0, picture.height() as f32 / 2.0);
    painted(picture.width(), picture.height(), |x, y| {
        let (dx, dy) = (x as f32 + 0.5 - x0, y as f32 + 0.5 - y0);
        let (from_x, from_y) = (x0 + dx * cos + dy * sin - 0.5, y0 - dx * sin + dy * cos - 0.5);
        let (left, top) = (from_x.floor(), from_y.floor());
        let inside = left >= 0.0 && top >= 0.0 && left < 2.0 * x0 - 1.0 && top < 2.0 * y0 - 1.0;
        if !inside {
            return [0; 3];
        }
        let at = |dx: i64, dy: i64| picture.pixel(left as i64 + dx, top as i64 + dy);
        let (u, v) = (from_x - left, from_y - top);
        let mix = |a: u8, b: u8, share: f32| f32::from(a) * (1.0 - share) + f32::from(b) * share;
        std::array::from_fn(|c| {
            let upper = mix(at(0, 0)[c], at(1, 0)[c], u);
            let lower = mix(at(0, 1)[c], at(1, 1)[c], u);
            (upper * (1.0 - v) + lower * v).round() as u8
        })
    })
}

#[test]
fn a_tilted_head_is_levelled() {
    let with_rule = |rule: &str| {
        let folder = edited_pack(|manifest| {
            manifest["use"]["age"] = json!("face-api-age");
            model(manifest, "face-api-age")["input"]["crop"]["rule"] = json!(rule);
        });
        VisionModels::load(folder.path()).unwrap()
    };
    let (mut level, mut without_levelling) = (with_rule("eyes_level"), with_rule("box"));
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for picture in faces() {
        let upright = best_face(&mut level, picture);
        for degrees in [-25.0_f32, 25.0] {
            let tilted = rotated(picture, degrees.to_radians());
            let Some(face) = level.detect(&tilted).unwrap().first().copied() else { continue };
            let change = |vision: &mut VisionModels| {
                vision.estimate_age(&tilted, &face).unwrap().years
                    - vision.estimate_age(picture, &upright).unwrap().years
            };
            with.push(change(&mut level).abs());
            without.push(change(&mut without_levelling).abs());
        }
    }
    let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
    assert!(with.len() >= 36, "a tilted head is found: {}", with.len());
    // Tilting by 25 degrees changes the estimate a little (the box differs), but less than without levelling.
    assert!(mean(&with) < 3.0 && mean(&with) < mean(&without), "{} {}", mean(&with), mean(&without));
}

#[test]
fn a_face_partly_outside_the_picture_is_estimated() {
    let mut vision = load();
    let photo = photo(3);
    let whole = vision.detect(&photo).unwrap()[0];
    let reference = vision.estimate_age(&photo, &whole).unwrap();
    let [left, top] = [whole.left as i64, whole.top as i64];
    let side = whole.width() as i64;
    // A fifth of the box lies beyond the left edge, then beyond the upper edge.
    for [dx, dy] in [[side / 5, -side / 2], [-side / 2, side / 5]] {
        let cut = part(&photo, [left + dx, top + dy, side * 2, side * 2]);
        let (x, y) = ((left + dx) as f32, (top + dy) as f32);
        let face = Face {
            left: whole.left - x,
            top: whole.top - y,
            right: whole.right - x,
            bottom: whole.bottom - y,
            score: whole.score,
            points: whole.points.map(|point| [point[0] - x, point[1] - y]),
        };
        assert!(face.left < 0.0 || face.top < 0.0, "{face:?}");
        let age = vision.estimate_age(&cut, &face).unwrap();
        // A fifth of the crop is black: the estimate changes, but stays plausible.
        assert!((age.years - reference.years).abs() < 10.0, "{reference:?} {age:?}");
        // The same with the face as the detector finds it in the cut picture.
        for found in vision.detect(&cut).unwrap() {
            vision.estimate_age(&cut, &found).unwrap();
        }
    }
}

#[test]
fn size_and_surroundings_of_the_picture_do_not_matter() {
    let mut vision = load();
    let photo = photo(6);
    let face = vision.detect(&photo).unwrap()[0];
    let whole = vision.estimate_age(&photo, &face).unwrap();
    for scale in [1.5, 2.0, 3.0] {
        let picture = around(&photo, &face, scale);
        let again = best_face(&mut vision, &picture);
        let age = vision.estimate_age(&picture, &again).unwrap();
        assert!((age.years - whole.years).abs() < 5.0, "{scale}: {whole:?} {age:?}");
    }
}
