//! The built-in liveness model on simulated attacks with faces of the sample photos.

use base::Picture;
use fixtures::spoof::{
    DataHalf, FaceBox, PresentationSpecies, SimulatedPhoto, SourcePortrait, decode, shoot,
};
use std::path::Path;
use vision::Face;
use vision::liveness::{BuiltInCues, LivenessModel, built_in};

/// Cuts a face with its surroundings out of a sample photo; `[left, top, side]` is the square of the face.
fn portrait(photo: u32, [left, top, side]: [u32; 3]) -> SourcePortrait {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/node_modules");
    let path = folder.join(format!("@vladmandic/face-api/demo/sample{photo}.jpg"));
    let bytes =
        std::fs::read(&path).expect("the sample photos come with `npm ci --ignore-scripts` in models/");
    let whole = decode(&bytes).expect("a JPEG");
    let (x, y) = (left - side * 2 / 3, top - side * 3 / 4);
    let (width, height) = (side * 7 / 3, side * 11 / 4);
    let mut rgb = Vec::new();
    for row in 0..height {
        for column in 0..width {
            rgb.extend(whole.pixel((x + column).into(), (y + row).into()));
        }
    }
    let (from_left, from_top) = ((left - x) as f32, (top - y) as f32);
    let (right, bottom) = (from_left + side as f32, from_top + side as f32);
    let face = FaceBox { left: from_left, top: from_top, right, bottom };
    SourcePortrait {
        name: format!("sample{photo}"),
        picture: Picture::new(width, height, rgb).expect("a full picture"),
        face,
    }
}

pub(crate) fn people() -> [SourcePortrait; 2] {
    [portrait(5, [1086, 215, 194]), portrait(3, [1485, 314, 247])]
}

/// The picture of a shot, and its face as a detector would return it.
pub(crate) fn placed(shot: &SimulatedPhoto) -> (Picture, Face) {
    let FaceBox { left, top, right, bottom } = shot.face;
    (shot.picture.clone(), Face { left, top, right, bottom, score: 1.0, points: [[0.0; 2]; 6] })
}

fn score(shot: &SimulatedPhoto) -> f32 {
    let (picture, face) = placed(shot);
    built_in().score(&picture, &face).expect("a score").real
}

#[test]
fn a_live_face_passes_and_a_halftone_print_or_a_moire_screen_does_not() {
    for person in people() {
        let of = |species| score(&shoot(&person, species, DataHalf::Report, 1).unwrap());
        let live = of(PresentationSpecies::Live);
        let (print, screen) =
            (of(PresentationSpecies::HalftoneCoarse), of(PresentationSpecies::ScreenMonitor));
        let limit = BuiltInCues::THRESHOLDS;
        assert!(live >= limit.medium, "{}: live {live}", person.name);
        assert!(print < limit.low - 0.3, "{}: print {print}", person.name);
        assert!(screen < limit.low, "{}: screen {screen}", person.name);
    }
}

#[test]
fn the_digest_identifies_the_parameters() {
    // Answers state this digest, which changes with every weight, to identify the model.
    assert_eq!(BuiltInCues::digest(), "8496a4ab6426603a74c9618c45dc346a438ce5a835a4fc2a5cc50013ee2da8bf");
}
