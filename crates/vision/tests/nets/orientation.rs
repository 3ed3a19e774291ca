//! Pictures that are sideways, upside down or tilted, without metadata that says so.

use crate::{
    support::{around, load, painted, part, photo},
    tiled_detection::overlap,
};
use base::Picture;
use fixtures::composite_scene::{CompositeScene, FaceCutout};
use std::f32::consts::TAU;
use vision::{Face, VisionModels};

/// A picture rotated clockwise by quarter turns.
fn quarter_turned(picture: &Picture, quarters: u32) -> Picture {
    let (width, height) = (i64::from(picture.width()), i64::from(picture.height()));
    let size = if quarters % 2 == 1 { (height, width) } else { (width, height) };
    painted(size.0 as u32, size.1 as u32, |x, y| {
        let (x, y) = (i64::from(x), i64::from(y));
        match quarters {
            1 => picture.pixel(y, height - 1 - x),
            2 => picture.pixel(width - 1 - x, height - 1 - y),
            3 => picture.pixel(width - 1 - y, x),
            _ => picture.pixel(x, y),
        }
    })
}

/// A point of the picture after that rotation.
fn quarter_point(picture: &Picture, [x, y]: [f32; 2], quarters: u32) -> [f32; 2] {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    match quarters {
        1 => [height - y, x],
        2 => [width - x, height - y],
        3 => [y, width - x],
        _ => [x, y],
    }
}

/// The box of a face after that rotation.
fn quarter_place(picture: &Picture, face: &Face, quarters: u32) -> [f32; 4] {
    let [a, b] =
        [[face.left, face.top], [face.right, face.bottom]].map(|at| quarter_point(picture, at, quarters));
    [a[0].min(b[0]), a[1].min(b[1]), a[0].max(b[0]), a[1].max(b[1])]
}

/// Cutouts of people who hold their heads upright.
fn portraits(vision: &mut VisionModels) -> Vec<Picture> {
    let mut portraits = Vec::new();
    for number in [1, 3, 5, 6] {
        let photo = photo(number);
        for face in vision.detect(&photo).unwrap().into_iter().filter(|face| face.roll().abs() < 0.35) {
            portraits.push(around(&photo, &face, 2.2));
        }
    }
    portraits
}

/// In at least four of five pictures. In the others the net finds no face or a false one.
#[test]
fn a_face_in_a_picture_that_is_sideways_or_upside_down_is_mostly_found_in_place() {
    let mut vision = load();
    let (mut all, mut wrong) = (0, Vec::new());
    for (at, portrait) in portraits(&mut vision).iter().enumerate() {
        let upright = vision.detect(portrait).unwrap()[0];
        for quarters in 1..4 {
            let turned = quarter_turned(portrait, quarters);
            let faces = vision.detect(&turned).unwrap();
            let counted: Vec<&Face> = faces.iter().filter(|face| vision.is_confident(face)).collect();
            let right = match counted[..] {
                [face] => {
                    let place = quarter_place(portrait, &upright, quarters);
                    let off = face.points.iter().zip(upright.points).map(|(point, before)| {
                        let [x, y] = quarter_point(portrait, before, quarters);
                        (point[0] - x).hypot(point[1] - y) / upright.width()
                    });
                    overlap(face, place) > 0.6 && off.fold(0.0, f32::max) < 0.15
                }
                _ => false,
            };
            all += 1;
            if !right {
                wrong.push((at, quarters));
            }
        }
    }
    assert!(all >= 24 && wrong.len() * 5 <= all, "of {all} not {wrong:?}");
}

/// Estimates do not depend on the orientation of the picture.
#[test]
fn a_sideways_face_has_the_same_age_frontality_and_embedding() {
    let mut vision = load();
    let portrait = &portraits(&mut vision)[0];
    let upright = vision.detect(portrait).unwrap()[0];
    let age = vision.estimate_age(portrait, &upright).unwrap().years;
    let embedding = vision.embed(portrait, &upright).unwrap();
    let frontal = VisionModels::assess_quality(portrait, &upright).frontal;
    for quarters in 1..4 {
        let turned = quarter_turned(portrait, quarters);
        let face = vision.detect(&turned).unwrap()[0];
        assert!((vision.estimate_age(&turned, &face).unwrap().years - age).abs() < 4.0);
        assert!(vision::embedding_distance(&vision.embed(&turned, &face).unwrap(), &embedding) < 0.3);
        assert!((VisionModels::assess_quality(&turned, &face).frontal - frontal).abs() < 0.25);
    }
}

/// Between the right angles not every face is found in its orientation; most are within 30 degrees of a right angle.
#[test]
fn a_tilted_face_is_mostly_found() {
    let mut vision = load();
    let portrait = &portraits(&mut vision)[0];
    let half = portrait.width() as f32 / 2.0;
    let mut right = Vec::new();
    for degrees in (0..360).step_by(30) {
        let (sin, cos) = (degrees as f32).to_radians().sin_cos();
        let turned = painted(portrait.width(), portrait.height(), |x, y| {
            let (x, y) = (x as f32 + 0.5 - half, y as f32 + 0.5 - half);
            portrait.pixel((x * cos + y * sin + half) as i64, (y * cos - x * sin + half) as i64)
        });
        let Some(face) = vision.detect(&turned).unwrap().first().copied() else { continue };
        let [x, y] = [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
        let roll = face.roll() - (degrees as f32).to_radians();
        let off = (roll - TAU * (roll / TAU).round()).abs();
        if (x - half).hypot(y - half) < 0.25 * half && off < 0.4 {
            right.push(degrees);
        }
    }
    assert!(right.len() >= 9 && right.contains(&30) && right.contains(&330), "{right:?}");
}

#[test]
fn everybody_in_a_sideways_group_photo_is_found() {
    let mut vision = load();
    // In the first and the fourth people lean to both sides.
    for number in [1, 4, 5] {
        let photo = photo(number);
        let mut expected = vision.detect(&photo).unwrap();
        expected.retain(|face| vision.is_confident(face));
        for quarters in [1, 3] {
            let turned = quarter_turned(&photo, quarters);
            let all = [vision.detect(&turned).unwrap(), vision.detect_tiled(&turned, 60.0).unwrap()];
            for found in all {
                let matched = expected.iter().filter(|face| {
                    found.iter().any(|other| overlap(other, quarter_place(&photo, face, quarters)) > 0.4)
                });
                assert_eq!(matched.count(), expected.len(), "photo {number}, {quarters}: {found:?}");
                assert_eq!(found.len(), expected.len(), "photo {number}, {quarters}: {found:?}");
            }
        }
    }
}

#[test]
fn a_sideways_crowd_is_found_in_tiles() {
    let mut vision = load();
    let cutouts: Vec<FaceCutout> = crate::tiled_detection::cutouts(&mut vision);
    let mut scene = CompositeScene::draw(1920, 1080, 21, 2.0);
    let places: Vec<[f32; 4]> = (0..8_usize)
        .map(|at| {
            let [x, y] = [250.0 + 440.0 * (at % 4) as f32, 300.0 + 450.0 * (at / 4) as f32];
            scene.paste(&cutouts[at % cutouts.len()], [x, y], 56.0)
        })
        .collect();
    let picture = scene.picture();
    let turned = quarter_turned(&picture, 3);
    let found = vision.detect_tiled(&turned, 40.0).unwrap();
    let matched = places.iter().filter(|&&[left, top, right, bottom]| {
        let face = Face { left, top, right, bottom, score: 1.0, points: [[0.0; 2]; 6] };
        found.iter().any(|other| overlap(other, quarter_place(&picture, &face, 3)) > 0.4)
    });
    assert!(matched.count() >= 7, "{found:?}");
    assert!(found.len() <= places.len(), "{found:?}");
}

#[test]
fn camera_frames_are_searched_upright_only() {
    let mut vision = load();
    let portrait = &portraits(&mut vision)[0];
    let [upright, any] = [vision.detect_upright(portrait), vision.detect(portrait)].map(Result::unwrap);
    assert_eq!([upright.len(), any.len()], [1, 1]);
    assert!(
        overlap(&upright[0], [any[0].left, any[0].top, any[0].right, any[0].bottom]) > 0.7,
        "{upright:?} {any:?}"
    );
    let sideways = quarter_turned(portrait, 1);
    assert_ne!(vision.detect_upright(&sideways).unwrap(), vision.detect(&sideways).unwrap());
}

/// A crop so tight that chin or brow are cut off.
#[test]
fn a_face_is_found_in_a_crop_smaller_than_its_box() {
    let mut vision = load();
    for number in [1, 5, 6] {
        let photo = photo(number);
        for face in vision.detect(&photo).unwrap().iter().filter(|face| face.score > 0.8) {
            let side = face.width() * 0.85;
            let [x, y] = [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
            let tight = part(&photo, [x - side / 2.0, y - side / 2.0, side, side].map(|value| value as i64));
            let found = vision.detect(&tight).unwrap();
            assert_eq!(found.len(), 1, "photo {number}: {found:?}");
        }
    }
}
