use super::*;

fn face(left: f32, top: f32, right: f32, bottom: f32) -> Face {
    Face { left, top, right, bottom, score: 1.0, points: [[0.0; 2]; 6] }
}

fn painted(width: u32, height: u32, mut paint: impl FnMut(u32, u32) -> [u8; 3]) -> Picture {
    let mut rgb = Vec::new();
    for y in 0..height {
        for x in 0..width {
            rgb.extend(paint(x, y));
        }
    }
    Picture::new(width, height, rgb).unwrap()
}

#[test]
fn every_picture_gets_a_score_between_0_and_1() {
    let mut state = 1u32;
    let mut noise = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let pictures = [
        painted(1, 1, |_, _| [0; 3]),
        painted(3, 500, |_, _| [255; 3]),
        painted(400, 500, |_, _| [0; 3]),
        painted(400, 500, |_, _| [255; 3]),
        painted(400, 500, |_, _| [noise(), noise(), noise()]),
        painted(400, 500, |x, y| [if (x ^ y) & 1 == 0 { 255 } else { 0 }; 3]),
    ];
    let nowhere = f32::NAN;
    let faces = [
        face(100.0, 100.0, 300.0, 300.0),
        face(-900.0, -900.0, -500.0, -500.0),
        face(1e9, 1e9, 2e9, 2e9),
        face(300.0, 300.0, 100.0, 100.0),
        face(nowhere, nowhere, f32::INFINITY, f32::NEG_INFINITY),
        face(0.0, 0.0, 0.0, 0.0),
    ];
    let mut model = built_in();
    for picture in &pictures {
        for face in &faces {
            let score = model.score(picture, face).unwrap();
            assert!((0.0..=1.0).contains(&score.real), "{picture:?} {face:?}: {}", score.real);
            assert!(score.cues.iter().all(|(_, value)| value.is_finite()), "{picture:?} {face:?}");
        }
    }
}

#[test]
fn a_face_scores_the_same_twice_and_in_any_order() {
    let plain = painted(300, 300, |x, y| [(x / 2) as u8, (y / 2) as u8, 90]);
    let striped = painted(300, 300, |x, y| [((x * 5 + y * 3) % 16 * 12) as u8; 3]);
    let at = face(50.0, 50.0, 250.0, 250.0);
    let first = built_in().score(&plain, &at).unwrap();
    let mut model = built_in();
    model.score(&striped, &at).unwrap();
    assert_eq!(model.score(&plain, &at).unwrap(), first);
}

#[test]
fn slanted_stripes_stand_out_as_a_grid() {
    let value = |score: LivenessScore| score.cues[0].1;
    let at = face(50.0, 50.0, 250.0, 250.0);
    let plain = painted(300, 300, |x, y| [((x + y) / 3) as u8; 3]);
    let striped = painted(300, 300, |x, y| {
        let wave = ((x as f32 * 0.9 + y as f32 * 0.7).sin() * 8.0) as i32;
        [((x + y) as i32 / 3 + wave).clamp(0, 255) as u8; 3]
    });
    let mut model = built_in();
    let (without, with) = (model.score(&plain, &at).unwrap(), model.score(&striped, &at).unwrap());
    assert!(value(with) > value(without) + 2.0);
}

#[test]
fn the_levels_of_assurance_are_in_order() {
    let CueThresholds { low, medium, high } = BuiltInCues::THRESHOLDS;
    assert!(0.0 < low && low < medium && medium < high && high < 1.0);
}
