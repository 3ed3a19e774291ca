//! Tracking on scripted trajectories, with synthetic embeddings.

use super::*;

/// A face of `size` pixels with its centre at `x`, `y`.
fn face(x: f32, y: f32, size: f32) -> Face {
    let half = size / 2.0;
    Face { left: x - half, top: y - half, right: x + half, bottom: y + half, score: 0.9, points: [[x, y]; 6] }
}

/// Embedding of a person in a frame: those of two people are 0.85 apart, those of two frames of one person about 0.3.
fn person(number: usize, frame: usize) -> Vec<f32> {
    let mut embedding = vec![0.0; 48];
    embedding[number] = 0.6;
    // Each frame moves it in another direction.
    embedding[24 + (frame * 7 + number) % 24] = 0.21;
    embedding
}

fn seen(x: f32, y: f32, who: Option<Vec<f32>>) -> FrameFace {
    FrameFace { face: face(x, y, 100.0), embedding: who, quality: 0.5 }
}

fn tracker() -> FaceTracker {
    FaceTracker::new(TrackingRules::default())
}

fn ids(step: &TrackingStep) -> Vec<u64> {
    step.tracks.iter().map(|id| id.0).collect()
}

#[test]
fn two_people_who_cross_do_not_swap() {
    let mut tracker = tracker();
    for frame in 0..10 {
        let along = frame as f32 * 90.0;
        let (one, other) = (
            seen(100.0 + along, 300.0, Some(person(0, frame))),
            seen(910.0 - along, 310.0, Some(person(1, frame))),
        );
        // Detectors sort by score, so the order of the faces varies.
        let step = if frame % 2 == 0 {
            tracker.step(frame as f64 * 0.5, vec![one, other])
        } else {
            tracker.step(frame as f64 * 0.5, vec![other, one])
        };
        assert_eq!(ids(&step), if frame % 2 == 0 { [1, 2] } else { [2, 1] }, "frame {frame}");
    }
    let tracks = tracker.finish();
    assert_eq!(tracks.iter().map(|track| track.frames).collect::<Vec<_>>(), [10, 10]);
}

#[test]
fn without_embeddings_people_who_cross_are_followed_by_their_motion() {
    let mut tracker = tracker();
    for frame in 0..13 {
        let along = frame as f32 * 30.0;
        let step = tracker.step(
            frame as f64 * 0.2,
            vec![seen(100.0 + along, 300.0, None), seen(460.0 - along, 320.0, None)],
        );
        assert_eq!(ids(&step), [1, 2], "frame {frame}");
    }
}

#[test]
fn a_cut_to_another_person_in_the_same_place_begins_a_track() {
    let mut tracker = tracker();
    for frame in 0..4 {
        let step = tracker.step(frame as f64 * 0.5, vec![seen(500.0, 300.0, Some(person(0, frame)))]);
        assert_eq!(ids(&step), [1]);
    }
    let mut ended = Vec::new();
    for frame in 4..8 {
        let step = tracker.step(frame as f64 * 0.5, vec![seen(500.0, 300.0, Some(person(1, frame)))]);
        assert_eq!(ids(&step), [2]);
        ended.extend(step.ended);
    }
    assert_eq!(ended.iter().map(|track| track.id.0).collect::<Vec<_>>(), [1]);
    // The first person again, after more than the gap.
    assert_eq!(ids(&tracker.step(4.0, vec![seen(500.0, 300.0, Some(person(0, 8)))])), [3]);
}

#[test]
fn a_cut_to_the_same_person_elsewhere_goes_on() {
    let mut tracker = tracker();
    tracker.step(0.0, vec![seen(200.0, 200.0, Some(person(0, 0)))]);
    let close = FrameFace { face: face(1200.0, 600.0, 500.0), embedding: Some(person(0, 1)), quality: 0.9 };
    assert_eq!(ids(&tracker.step(0.5, vec![close])), [1]);
}

#[test]
fn a_cut_between_faces_without_embeddings_joins_nobody_far_away_or_of_another_size() {
    let mut tracker = tracker();
    tracker.step(0.0, vec![seen(200.0, 200.0, None)]);
    assert_eq!(ids(&tracker.step(0.5, vec![seen(1500.0, 800.0, None)])), [2]);
    let large = FrameFace { face: face(1500.0, 800.0, 400.0), embedding: None, quality: 0.5 };
    assert_eq!(ids(&tracker.step(1.0, vec![large])), [3]);
}

#[test]
fn a_short_absence_is_bridged_and_a_longer_one_is_another_appearance() {
    let mut tracker = tracker();
    tracker.step(0.0, vec![seen(500.0, 300.0, Some(person(0, 0)))]);
    assert_eq!(tracker.step(0.5, vec![]).ended, []);
    assert_eq!(tracker.step(1.0, vec![]).ended, []);
    assert_eq!(ids(&tracker.step(1.5, vec![seen(520.0, 300.0, Some(person(0, 1)))])), [1]);
    assert_eq!(tracker.step(3.0, vec![]).ended, []);
    let ended = tracker.step(3.5, vec![]).ended;
    let [track] = &ended[..] else { panic!("{ended:?}") };
    assert_eq!((track.from, track.to, track.frames), (0.0, 1.5, 2));
    assert_eq!(ids(&tracker.step(4.0, vec![seen(520.0, 300.0, Some(person(0, 2)))])), [2]);
}

#[test]
fn a_face_stays_the_same_track_where_frames_are_far_apart() {
    let mut tracker = tracker();
    let there = |frame| vec![seen(500.0, 300.0, Some(person(0, frame)))];
    for frame in 0..3 {
        assert_eq!(ids(&tracker.step(3.0 * frame as f64, there(frame))), [1], "at 0, 3 and 6 seconds");
    }
    assert_eq!(tracker.step(9.0, vec![]).ended, [], "it was in the frame before");
    assert_eq!(tracker.step(12.0, vec![]).ended.len(), 1, "in one frame it was not");
    assert_eq!(ids(&tracker.step(15.0, there(3))), [2]);
    assert_eq!(ids(&tracker.step(24.5, there(4))), [2]);
    assert_eq!(ids(&tracker.step(35.0, there(5))), [3], "nobody knows what was there for so long");
}

#[test]
fn a_tracker_that_is_numbered_on_and_read_again_has_the_rules_of_this_build() {
    let mut tracker = FaceTracker::new(TrackingRules { same: 0.1, ..TrackingRules::default() });
    tracker = tracker.numbered_after(TrackId(7));
    assert_eq!(ids(&tracker.step(0.0, vec![seen(500.0, 300.0, Some(person(0, 0)))])), [8]);
    let mut stored = serde_json::to_value(&tracker).unwrap();
    assert_eq!(stored["rules"]["gap"], 1.5, "older builds read them");
    let read: FaceTracker = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(read.rules, TrackingRules::default());
    stored.as_object_mut().unwrap().remove("rules");
    assert_eq!(serde_json::from_value::<FaceTracker>(stored).unwrap(), read);
}

#[test]
fn an_uncertain_embedding_belongs_to_the_track_only_in_place() {
    let far = |distance: f32| {
        let mut embedding = person(0, 0);
        embedding[20] = distance;
        Some(embedding)
    };
    let after = |x: f32, distance: f32| {
        let mut tracker = tracker();
        tracker.step(0.0, vec![seen(500.0, 300.0, Some(person(0, 0)))]);
        ids(&tracker.step(0.5, vec![seen(x, 300.0, far(distance))]))[0]
    };
    assert_eq!(after(510.0, 0.6), 1, "unsure, in place");
    assert_eq!(after(900.0, 0.6), 2, "unsure, elsewhere");
    assert_eq!(after(510.0, 0.7), 2, "another person, in place");
    assert_eq!(after(900.0, 0.5), 1, "the same person, elsewhere");
}

/// Small and blurred faces of different people have similar embeddings.
#[test]
fn faces_of_low_quality_are_joined_only_in_place() {
    let poor = |x: f32, frame| FrameFace { quality: 0.1, ..seen(x, 300.0, Some(person(0, frame))) };
    let mut tracker = tracker();
    tracker.step(0.0, vec![poor(200.0, 0)]);
    assert_eq!(ids(&tracker.step(0.5, vec![poor(230.0, 1)])), [1]);
    assert_eq!(ids(&tracker.step(1.0, vec![poor(1500.0, 2)])), [2]);
}

#[test]
fn of_two_who_look_alike_the_one_in_place_goes_on() {
    let mut tracker = tracker();
    let twin = |frame| Some(person(0, frame));
    tracker.step(0.0, vec![seen(200.0, 300.0, twin(0)), seen(800.0, 300.0, twin(1))]);
    for frame in 1..8 {
        let step = tracker.step(
            frame as f64 * 0.5,
            vec![seen(810.0, 310.0, twin(2 * frame)), seen(190.0, 305.0, twin(2 * frame + 1))],
        );
        assert_eq!(ids(&step), [2, 1], "frame {frame}");
    }
}

#[test]
fn many_jittering_faces_keep_their_tracks() {
    let mut tracker = tracker();
    let jitter = |frame: usize, who: usize| ((frame * 31 + who * 17) % 13) as f32 * 5.0 - 30.0;
    for frame in 0..20 {
        // In another order in each frame, and person 4 in every third frame only.
        let order: Vec<usize> = (0..20).map(|at| (at * 7 + frame) % 20).collect();
        let there: Vec<usize> = order.into_iter().filter(|who| *who != 4 || frame % 3 == 0).collect();
        let faces = there.iter().map(|&who| {
            let (x, y) = (100.0 + 150.0 * (who % 5) as f32, 100.0 + 150.0 * (who / 5) as f32);
            seen(x + jitter(frame, who), y + jitter(frame + 5, who), Some(person(who, frame)))
        });
        tracker.step(frame as f64 * 0.5, faces.collect());
    }
    let mut tracks = tracker.finish();
    assert_eq!(tracks.len(), 20);
    tracks.sort_by_key(|track| track.id);
    assert!(tracks.iter().all(|track| track.frames >= 7), "{tracks:?}");
}

#[test]
fn a_track_keeps_its_best_frames_and_their_mean() {
    let mut tracker = tracker();
    for (frame, quality) in [0.1, 0.9, 0.3, 0.8, 0.2, 0.7, 0.6].into_iter().enumerate() {
        let seen = FrameFace { face: face(500.0, 300.0, 100.0), embedding: Some(person(0, frame)), quality };
        tracker.step(frame as f64 * 0.5, vec![seen]);
    }
    let tracks = tracker.finish();
    let best: Vec<f64> = tracks[0].best.iter().map(|best| best.time).collect();
    assert_eq!(best, [0.5, 1.5, 2.5, 3.0, 1.0]);
    let mean = tracks[0].embedding().unwrap();
    for frame in 0..7 {
        assert!(embedding_distance(&mean, &person(0, frame)) < 0.26);
    }
    assert!(embedding_distance(&mean, &person(1, 0)) > 0.8);
    assert_eq!(tracker.finish(), []);
}

#[test]
fn a_serialised_tracker_continues_unchanged() {
    let mut tracker = tracker();
    let frame = |number: usize| {
        let along = number as f32 * 60.0;
        vec![
            seen(100.0 + along, 300.0, Some(person(0, number))),
            seen(800.0 - along, 310.0, if number.is_multiple_of(2) { Some(person(1, number)) } else { None }),
        ]
    };
    for number in 0..5 {
        tracker.step(number as f64 * 0.5, frame(number));
    }
    let stored = serde_json::to_string(&tracker).unwrap();
    let mut other: FaceTracker = serde_json::from_str(&stored).unwrap();
    assert_eq!(tracker, other);
    for number in 5..9 {
        let time = number as f64 * 0.5;
        assert_eq!(tracker.step(time, frame(number)), other.step(time, frame(number)));
    }
    assert_eq!(tracker.finish(), other.finish());
}

#[test]
fn odd_times_and_faces_do_no_harm() {
    let mut tracker = tracker();
    let nothing = Face { left: f32::NAN, right: f32::NAN, ..face(0.0, 0.0, 0.0) };
    for time in [1.0, f64::NAN, -5.0, 1.0, f64::INFINITY] {
        let odd = FrameFace { face: nothing, embedding: Some(vec![f32::NAN; 48]), quality: f32::NAN };
        let step = tracker.step(time, vec![odd, seen(500.0, 300.0, None), seen(500.0, 300.0, Some(vec![]))]);
        assert_eq!(step.tracks.len(), 3);
    }
    assert!(!tracker.finish().is_empty());
}
