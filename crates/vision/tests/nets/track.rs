//! Tracking on pictures: faces of the sample photos that move before a background.

use crate::{support::load, tiled_detection::cutouts};
use fixtures::composite_scene::{CompositeScene, FaceCutout};
use vision::{
    Face, VideoTileScheduler, VisionModels, embedding_distance,
    track::{FaceTrack, FaceTracker, FrameFace, TrackId, TrackingRules, TrackingStep},
};

/// Processes a frame as a moderation does.
fn process_frame(
    vision: &mut VisionModels,
    scene: &CompositeScene,
    time: f64,
    scheduler: &mut VideoTileScheduler,
    tracker: &mut FaceTracker,
) -> (Vec<Face>, TrackingStep) {
    let picture = scene.picture();
    let faces = vision.detect_in_video(&picture, scheduler).unwrap();
    let seen = faces.iter().map(|face| FrameFace {
        face: *face,
        embedding: Some(vision.embed(&picture, face).unwrap()),
        quality: VisionModels::assess_quality(&picture, face).score,
    });
    let seen: Vec<FrameFace> = seen.collect();
    (faces.clone(), tracker.step(time, seen))
}

/// Cutouts of people whose embeddings are far apart, because confusions near the threshold are not the tracker's fault.
fn people(vision: &mut VisionModels) -> Vec<FaceCutout> {
    let mut chosen: Vec<(FaceCutout, Vec<f32>)> = Vec::new();
    for cutout in cutouts(vision) {
        let mut scene = CompositeScene::draw(600, 600, 1, 3.0);
        scene.paste(&cutout, [300.0, 300.0], 170.0);
        let picture = scene.picture();
        let [face, ..] = vision.detect(&picture).unwrap()[..] else { continue };
        let embedding = vision.embed(&picture, &face).unwrap();
        if chosen.iter().all(|(_, other)| embedding_distance(other, &embedding) > 0.62) {
            chosen.push((cutout, embedding));
        }
    }
    chosen.into_iter().map(|(cutout, _)| cutout).collect()
}

/// Three people: one stays, one crosses before them, one leaves and returns after more than the gap.
#[test]
fn one_track_for_each_person_and_appearance() {
    let mut vision = load();
    let people = people(&mut vision);
    let background = CompositeScene::draw(1920, 1080, 5, 4.0);
    let (mut scheduler, mut tracker) =
        (VideoTileScheduler::new(40.0), FaceTracker::new(TrackingRules::default()));
    let mut tracks: Vec<FaceTrack> = Vec::new();
    // The track of each person in each frame.
    let mut track_ids: [Vec<TrackId>; 3] = Default::default();
    for frame in 0..16 {
        let time = f64::from(frame) * 0.5;
        let along = frame as f32;
        let mut scene = background.clone();
        let mut places = vec![(0, scene.paste(&people[0], [900.0 + 9.0 * along, 420.0], 210.0))];
        places.push((1, scene.paste(&people[1], [180.0 + 104.0 * along, 720.0 - 8.0 * along], 180.0)));
        if !(5..=9).contains(&frame) {
            places.push((2, scene.paste(&people[2], [1600.0 - 10.0 * along, 250.0], 190.0)));
        }
        let (faces, step) = process_frame(&mut vision, &scene, time, &mut scheduler, &mut tracker);
        for (who, place) in places {
            let here = faces
                .iter()
                .zip(&step.tracks)
                .find(|(face, _)| crate::tiled_detection::overlap(face, place) > 0.3);
            track_ids[who].extend(here.map(|(_, id)| *id));
        }
        tracks.extend(step.ended);
    }
    tracks.extend(tracker.finish());
    tracks.sort_by_key(|track| track.id);

    assert_eq!(
        tracks.len(),
        4,
        "{:?}",
        tracks.iter().map(|track| (track.id, track.from, track.to)).collect::<Vec<_>>()
    );
    for seen in &track_ids[..2] {
        assert!(seen.len() >= 15 && seen.iter().all(|id| *id == seen[0]), "{seen:?}");
    }
    let mut appearances = track_ids[2].clone();
    appearances.dedup();
    assert_eq!(appearances.len(), 2, "{:?}", track_ids[2]);

    // Both appearances have embeddings of one person; those of different people are apart.
    let embedding = |id: TrackId| tracks.iter().find(|track| track.id == id).unwrap().embedding().unwrap();
    let limit = vision.embedding_space().unwrap().distance_at(1e-3).unwrap();
    assert!(embedding_distance(&embedding(appearances[0]), &embedding(appearances[1])) < limit);
    assert!(embedding_distance(&embedding(track_ids[0][0]), &embedding(track_ids[1][0])) > limit);
    assert!(tracks.iter().all(|track| track.best.len() == 5.min(track.frames as usize)));
}

#[test]
fn a_cut_to_other_people_begins_other_tracks() {
    let mut vision = load();
    let people = people(&mut vision);
    assert!(people.len() >= 6, "{}", people.len());
    let (mut scheduler, mut tracker) =
        (VideoTileScheduler::new(40.0), FaceTracker::new(TrackingRules::default()));
    let mut seen = Vec::new();
    for frame in 0..8_usize {
        // Another pair in the same two positions every two frames.
        let pair = frame / 2 % 3;
        let mut scene = CompositeScene::draw(1280, 720, pair as u64, 3.0);
        for (at, x) in [(2 * pair, 400.0), (2 * pair + 1, 900.0)] {
            scene.paste(&people[at], [x, 350.0 + 5.0 * frame as f32], 160.0);
        }
        let (_, step) = process_frame(&mut vision, &scene, frame as f64 * 0.5, &mut scheduler, &mut tracker);
        assert_eq!(step.tracks.len(), 2, "frame {frame}");
        seen.push(step.tracks);
    }
    for frame in [0, 2, 4] {
        let both = |frame: usize| {
            let mut ids = seen[frame].clone();
            ids.sort_unstable();
            ids
        };
        assert_eq!(both(frame), both(frame + 1), "frame {frame}");
        assert!(both(frame).iter().all(|id| !both(frame + 2).contains(id)), "frame {frame}");
    }
}
