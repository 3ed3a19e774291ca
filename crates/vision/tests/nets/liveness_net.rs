//! Our own liveness net, as the pack serves it, on attacks by another simulator than the one that it was trained with.

use crate::{
    liveness::{people, placed},
    support::load,
};
use fixtures::spoof::{DataHalf, PresentationSpecies, shoot};

#[test]
fn live_faces_pass_and_coarse_prints_do_not() {
    let mut vision = load();
    let limits = vision.liveness_thresholds();
    for person in people() {
        let mut score = |species| {
            let (picture, face) = placed(&shoot(&person, species, DataHalf::Report, 1).unwrap());
            vision.score_liveness(&picture, &face).unwrap().real
        };
        let live = score(PresentationSpecies::Live);
        let print = score(PresentationSpecies::HalftoneCoarse);
        assert!(live >= limits.medium, "{}: live {live}", person.name);
        assert!(print < limits.medium, "{}: print {print}", person.name);
    }
}

#[test]
fn a_picture_and_its_mirror_image_score_alike() {
    let mut vision = load();
    for person in people() {
        let (picture, face) =
            placed(&shoot(&person, PresentationSpecies::Live, DataHalf::Report, 2).unwrap());
        let mirrored = base::Picture::new(
            picture.width(),
            picture.height(),
            picture
                .rgb()
                .chunks_exact(picture.width() as usize * 3)
                .flat_map(|row| row.chunks_exact(3).rev().flatten().copied())
                .collect(),
        )
        .unwrap();
        let width = picture.width() as f32;
        let mirrored_face = vision::Face { left: width - face.right, right: width - face.left, ..face };
        let (one, other) = (
            vision.score_liveness(&picture, &face).unwrap().real,
            vision.score_liveness(&mirrored, &mirrored_face).unwrap().real,
        );
        assert!((one - other).abs() < 0.02, "{}: {one} {other}", person.name);
    }
}
