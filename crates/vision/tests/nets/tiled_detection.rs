use crate::support::{load, painted, part, photo};
use base::Picture;
use fixtures::composite_scene::{CompositeScene, FaceCutout};
use vision::{Face, VisionModels};

/// The confident faces of the sample photos, cut out.
pub(crate) fn cutouts(vision: &mut VisionModels) -> Vec<FaceCutout> {
    let mut cutouts = Vec::new();
    for number in [1, 3, 5, 6] {
        let photo = photo(number);
        for face in vision.detect(&photo).unwrap() {
            if vision.is_confident(&face) {
                cutouts.push(FaceCutout::new(&photo, [face.left, face.top, face.right, face.bottom]));
            }
        }
    }
    cutouts
}

/// Intersection over union.
pub(crate) fn overlap(face: &Face, [left, top, right, bottom]: [f32; 4]) -> f32 {
    let width = (face.right.min(right) - face.left.max(left)).max(0.0);
    let height = (face.bottom.min(bottom) - face.top.max(top)).max(0.0);
    let both = width * height;
    both / (face.width() * face.height() + (right - left) * (bottom - top) - both)
}

/// How many of the places have a face, and how many faces are at none of them.
fn count_matches(faces: &[Face], places: &[[f32; 4]]) -> (usize, usize) {
    let found = places.iter().filter(|place| faces.iter().any(|face| overlap(face, **place) > 0.3)).count();
    let more = faces.iter().filter(|face| places.iter().all(|place| overlap(face, *place) <= 0.3)).count();
    (found, more)
}

#[test]
fn faces_of_forty_pixels_in_a_large_picture_are_found_once_each() {
    let mut vision = load();
    let cutouts = cutouts(&mut vision);
    let mut scene = CompositeScene::draw(1920, 1080, 3, 5.0);
    let places: Vec<[f32; 4]> = cutouts
        .iter()
        .enumerate()
        .map(|(at, cutout)| {
            let (column, row) = (at % 5, at / 5);
            let x = 170.0 + 371.0 * column as f32 + 23.0 * row as f32;
            scene.paste(
                cutout,
                [x, 140.0 + 331.0 * row as f32 + 11.0 * column as f32],
                40.0 + at as f32 * 4.0,
            )
        })
        .collect();
    let faces = vision.detect_tiled(&scene.picture(), 40.0).unwrap();
    let (found, more) = count_matches(&faces, &places);
    assert!(found + 1 >= places.len() && more == 0, "{found} of {} and {more} more", places.len());
    // None is found twice.
    assert!(faces.len() <= places.len(), "{} faces for {}", faces.len(), places.len());
    assert!(
        faces.iter().all(|face| vision.is_confident(face)) && faces.is_sorted_by(|a, b| a.score >= b.score)
    );
}

/// A face that the edges of tiles cut at various positions.
#[test]
fn a_face_on_the_seam_of_tiles_counts_once() {
    let mut vision = load();
    let cutout = &cutouts(&mut vision)[0];
    for step in 0..12 {
        let mut scene = CompositeScene::draw(1280, 720, 9, 3.0);
        let place = scene.paste(cutout, [300.0 + 47.0 * step as f32, 200.0 + 29.0 * step as f32], 56.0);
        let faces = vision.detect_tiled(&scene.picture(), 40.0).unwrap();
        assert_eq!(count_matches(&faces, &[place]), (1, 0), "step {step}: {faces:?}");
        assert_eq!(faces.len(), 1, "step {step}: {faces:?}");
    }
}

#[test]
fn large_faces_are_found_as_well() {
    let mut vision = load();
    for number in [1, 3, 5, 6] {
        let photo = photo(number);
        let mut expected = vision.detect(&photo).unwrap();
        expected.retain(|face| vision.is_confident(face));
        let places: Vec<[f32; 4]> =
            expected.iter().map(|face| [face.left, face.top, face.right, face.bottom]).collect();
        let found = vision.detect_tiled(&photo, 40.0).unwrap();
        assert_eq!(count_matches(&found, &places).0, places.len(), "photo {number}: {found:?}");
    }
}

#[test]
fn faces_smaller_than_the_minimum_are_left_out() {
    let mut vision = load();
    let cutout = &cutouts(&mut vision)[1];
    let mut scene = CompositeScene::draw(1280, 720, 4, 3.0);
    scene.paste(cutout, [400.0, 300.0], 30.0);
    assert_eq!(vision.detect_tiled(&scene.picture(), 80.0).unwrap(), []);
}

#[test]
fn pictures_without_a_face_give_none() {
    let mut vision = load();
    for seed in 40..44 {
        let picture =
            CompositeScene::draw(1600, 900, seed, [0.0, 8.0, 25.0, 60.0][seed as usize % 4]).picture();
        assert_eq!(vision.detect_tiled(&picture, 40.0).unwrap(), [], "{seed}");
    }
}

#[test]
fn odd_shapes_and_sizes_are_answered() {
    let mut vision = load();
    let pictures: [Picture; 5] = [
        painted(1, 1, |_, _| [0; 3]),
        painted(12_000, 1, |x, _| [x as u8; 3]),
        painted(1, 12_000, |_, y| [y as u8; 3]),
        painted(5_000, 40, |x, y| [(x ^ y) as u8; 3]),
        painted(255, 257, |x, y| [x as u8, y as u8, 0]),
    ];
    for picture in &pictures {
        for smallest in [30.0, 200.0, 1e9] {
            assert_eq!(vision.detect_tiled(picture, smallest).unwrap(), [], "{picture:?} {smallest}");
        }
    }
    // Invalid sizes count as the smallest possible size.
    for smallest in [0.0, -5.0, f32::NAN] {
        vision.detect_tiled(&pictures[4], smallest).unwrap();
    }
}

/// Each shape of a picture has tiles of its own shape, more of them than the detector keeps open.
#[test]
fn a_face_is_found_in_pictures_of_every_shape() {
    let mut vision = load();
    let photo = photo(1);
    let face = vision.detect(&photo).unwrap()[0];
    let shapes = (0..12_i64).map(|at| [600 + 140 * (at % 4), 420 + 170 * (at / 4)]);
    let shapes: Vec<[i64; 2]> = shapes.clone().chain(shapes.rev()).collect();
    for [width, height] in shapes {
        let corner = [face.left as i64 - width / 3, face.top as i64 - height / 3];
        let shown = part(&photo, [corner[0], corner[1], width, height]);
        let [left, top] = [face.left - corner[0] as f32, face.top - corner[1] as f32];
        let place = [left, top, left + face.width(), top + face.height()];
        let found = vision.detect_tiled(&shown, 40.0).unwrap();
        assert!(found.iter().any(|face| overlap(face, place) > 0.5), "{width} x {height}: {found:?}");
    }
}
