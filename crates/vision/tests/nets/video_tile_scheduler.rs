use crate::{
    support::{load, photo},
    tiled_detection::{cutouts, overlap},
};
use fixtures::composite_scene::CompositeScene;
use vision::VideoTileScheduler;

#[test]
fn a_small_face_is_found_within_one_round_of_tiles_and_then_in_every_frame() {
    let mut vision = load();
    let cutout = &cutouts(&mut vision)[2];
    let background = CompositeScene::draw(1920, 1080, 7, 4.0);
    let mut scheduler = VideoTileScheduler::new(40.0);
    let mut first = None;
    for frame in 0..30_usize {
        let mut scene = background.clone();
        let place = scene.paste(cutout, [1400.0 + 6.0 * frame as f32, 700.0], 50.0);
        let faces = vision.detect_in_video(&scene.picture(), &mut scheduler).unwrap();
        let found = faces.iter().any(|face| overlap(face, place) > 0.3);
        assert!(faces.len() <= 1, "{faces:?}");
        first = first.or(found.then_some(frame));
        assert_eq!(found, first.is_some(), "frame {frame}");
        if first.is_some_and(|first| frame > first + 6) {
            break;
        }
    }
    assert!(
        first.is_some_and(|first| first <= scheduler.tile_count()),
        "{first:?} of {}",
        scheduler.tile_count()
    );
}

#[test]
fn a_tile_that_changed_is_searched_first() {
    let mut vision = load();
    let cutout = &cutouts(&mut vision)[0];
    let background = CompositeScene::draw(1920, 1080, 8, 0.0);
    let mut scheduler = VideoTileScheduler::new(40.0);
    let empty = background.picture();
    vision.detect_in_video(&empty, &mut scheduler).unwrap();
    for _ in 0..2 * scheduler.tile_count() {
        assert_eq!(vision.detect_in_video(&empty, &mut scheduler).unwrap(), []);
    }
    let mut scene = background.clone();
    let place = scene.paste(cutout, [1500.0, 240.0], 70.0);
    let picture = scene.picture();
    let found = |faces: Vec<vision::Face>| faces.iter().any(|face| overlap(face, place) > 0.3);
    assert!((0..4).any(|_| found(vision.detect_in_video(&picture, &mut scheduler).unwrap())));
}

#[test]
fn large_faces_are_found_in_the_first_frame_and_once() {
    let mut vision = load();
    for number in [1, 3, 6] {
        let photo = photo(number);
        let mut expected = vision.detect(&photo).unwrap();
        expected.retain(|face| vision.is_confident(face));
        let mut scheduler = VideoTileScheduler::new(40.0);
        for _ in 0..3 {
            let found = vision.detect_in_video(&photo, &mut scheduler).unwrap();
            assert!(found.len() >= expected.len(), "photo {number}: {found:?}");
            let places = expected.iter().map(|face| [face.left, face.top, face.right, face.bottom]);
            for place in places {
                let here = found.iter().filter(|face| overlap(face, place) > 0.3).count();
                assert_eq!(here, 1, "photo {number}: {found:?}");
            }
        }
    }
}
