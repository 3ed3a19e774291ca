//! Challenges answered by simulated heads and flat photos; `docs/ACCURACY.md` reports what else passes, and how often.

use crate::support::{load, photo};
use base::{Environment as _, Picture, TestEnvironment};
use fixtures::{
    composite_scene::CompositeScene,
    head_model::{HeadModel, HeadStance, PhotoSurface, stance_path},
};
use vision::{
    Face, VisionModels,
    challenge::{
        ChallengeCheck, ChallengeKind, ChallengeMove, ChallengeVerdict, FrameObservation, HeadPose,
        LivenessChallenge,
    },
};

/// The person of the sample photos with the most frontal pose.
fn most_frontal_face(vision: &mut VisionModels) -> (Picture, Face) {
    let mut straightest: Option<(f32, Picture, Face)> = None;
    for number in [1, 3, 5] {
        let photo = photo(number);
        for face in vision.detect(&photo).unwrap() {
            let Some(HeadPose { yaw, pitch, .. }) = HeadPose::of(&face) else { continue };
            let off = yaw.abs() + pitch.abs();
            if vision.is_confident(&face) && straightest.as_ref().is_none_or(|(least, ..)| off < *least) {
                straightest = Some((off, photo.clone(), face));
            }
        }
    }
    let (_, photo, face) = straightest.unwrap();
    (photo, face)
}

/// Observations of a simulated person or sheet that makes these moves.
fn perform(vision: &mut VisionModels, form: PhotoSurface, moves: &[ChallengeMove]) -> Vec<FrameObservation> {
    let (photo, face) = most_frontal_face(vision);
    let model = HeadModel::new(&photo, [face.left, face.top, face.right, face.bottom], form);
    // The face of a head is closer to the camera than its centre.
    let front = if form == PhotoSurface::Head { 0.0 } else { 0.8 };
    let mut ahead = HeadStance { distance: 4.0 - front, ..HeadStance::default() };
    let mut stops = vec![ahead];
    for one in moves {
        let there = match one {
            ChallengeMove::Left => HeadStance { yaw: 0.56, ..ahead },
            ChallengeMove::Right => HeadStance { yaw: -0.56, ..ahead },
            ChallengeMove::Up => HeadStance { pitch: 0.45, ..ahead },
            ChallengeMove::Nearer => HeadStance { distance: 2.75 - front, ..ahead },
            ChallengeMove::Farther => HeadStance { distance: 5.6 - front, ..ahead },
        };
        ahead.distance = there.distance;
        stops.extend([there, ahead]);
    }
    let background = CompositeScene::draw(480, 640, 3, 3.0).picture();
    let frames = stance_path(&stops, 4).into_iter().enumerate();
    let look = |(at, stance): (usize, HeadStance)| {
        FrameObservation::of(vision, &model.render(stance, &background), at as f64 * 0.15).unwrap()
    };
    frames.map(look).collect()
}

fn challenge(
    environment: &TestEnvironment,
    kind: ChallengeKind,
    moves: &[ChallengeMove],
) -> LivenessChallenge {
    LivenessChallenge { moves: moves.to_vec(), ..LivenessChallenge::random(environment, kind) }
}

fn environment() -> TestEnvironment {
    TestEnvironment::at("2026-01-01T00:00:00Z")
}

fn failed_checks(verdict: &ChallengeVerdict) -> Vec<ChallengeCheck> {
    assert_eq!(verdict.passed, verdict.reasons().next().is_none());
    verdict.reasons().map(|outcome| outcome.check).collect()
}

const SAME_PERSON_DISTANCE: f32 = 0.53;

/// Spoils a good answer.
type Fault = fn(&mut Vec<FrameObservation>);

#[test]
fn a_head_that_makes_the_moves_passes_and_fails_any_other_challenge() {
    let (mut vision, environment) = (load(), environment());
    let moves = [ChallengeMove::Left, ChallengeMove::Nearer, ChallengeMove::Right];
    let frames = perform(&mut vision, PhotoSurface::Head, &moves);
    let verdict = challenge(&environment, ChallengeKind::Turn, &moves).verify(
        &frames,
        SAME_PERSON_DISTANCE,
        environment.now(),
    );
    assert!(verdict.passed, "{:#?}", verdict.reasons().collect::<Vec<_>>());
    assert_eq!(verdict.poses.len(), frames.len());
    assert!(verdict.poses.iter().all(Option::is_some));
    let portrait = verdict.portrait.unwrap();
    assert!(verdict.poses[portrait].unwrap().yaw.abs() < 20.0, "the portrait looks ahead");

    for other in [
        [ChallengeMove::Right, ChallengeMove::Nearer, ChallengeMove::Left],
        [ChallengeMove::Left, ChallengeMove::Right, ChallengeMove::Nearer],
        [ChallengeMove::Left, ChallengeMove::Farther, ChallengeMove::Right],
        [ChallengeMove::Left, ChallengeMove::Nearer, ChallengeMove::Up],
    ] {
        let verdict = challenge(&environment, ChallengeKind::Turn, &other).verify(
            &frames,
            SAME_PERSON_DISTANCE,
            environment.now(),
        );
        assert!(failed_checks(&verdict).contains(&ChallengeCheck::Moves), "{other:?}");
    }
}

#[test]
fn a_flat_photo_that_makes_the_same_moves_fails() {
    let (mut vision, environment) = (load(), environment());
    let moves = [ChallengeMove::Left, ChallengeMove::Nearer, ChallengeMove::Right];
    let challenge = challenge(&environment, ChallengeKind::Turn, &moves);
    for form in [PhotoSurface::Sheet { bend: 0.0, lean: 0.0 }, PhotoSurface::Sheet { bend: 1.0, lean: 0.0 }] {
        let frames = perform(&mut vision, form, &moves);
        let verdict = challenge.verify(&frames, SAME_PERSON_DISTANCE, environment.now());
        assert!(!verdict.passed, "{form:?}: {:#?}", verdict.outcomes);
        assert!(
            failed_checks(&verdict).contains(&ChallengeCheck::Moves),
            "{form:?}: {:#?}",
            verdict.outcomes
        );
    }
}

/// One good answer, and each fault that can spoil it.
#[test]
fn each_fault_is_named() {
    let (mut vision, environment) = (load(), environment());
    let moves = [ChallengeMove::Nearer, ChallengeMove::Right, ChallengeMove::Left];
    let zoom = challenge(&environment, ChallengeKind::Zoom, &moves);
    let good = perform(&mut vision, PhotoSurface::Head, &moves);
    let verdict = zoom.verify(&good, SAME_PERSON_DISTANCE, environment.now());
    assert_eq!(failed_checks(&verdict), [], "{:#?}", verdict.outcomes);

    let faults: [(&str, ChallengeCheck, Fault); 8] = [
        ("too few", ChallengeCheck::Frames, |frames| frames.truncate(9)),
        ("a pause", ChallengeCheck::Unbroken, |frames| {
            frames.iter_mut().skip(12).for_each(|one| one.time += 0.6);
        }),
        ("backwards", ChallengeCheck::Unbroken, |frames| frames[5].time = 0.0),
        ("a time that is none", ChallengeCheck::Unbroken, |frames| frames[5].time = f64::NAN),
        ("somebody beside", ChallengeCheck::OneFace, |frames| frames[7].faces = 2),
        ("nobody", ChallengeCheck::OneFace, |frames| {
            frames.iter_mut().take(6).for_each(|one| one.face = None);
        }),
        ("another person", ChallengeCheck::SamePerson, |frames| {
            let one = frames.last_mut().unwrap().embedding.as_mut().unwrap();
            one[0] += 0.6;
        }),
        ("a jump", ChallengeCheck::Smooth, |frames| {
            let face = frames[6].face.as_mut().unwrap();
            (face.left, face.right) = (face.left + 400.0, face.right + 400.0);
        }),
    ];
    for (name, check, fault) in faults {
        let mut frames = good.clone();
        fault(&mut frames);
        let verdict = zoom.verify(&frames, SAME_PERSON_DISTANCE, environment.now());
        assert!(
            !verdict.passed && failed_checks(&verdict).contains(&check),
            "{name}: {:#?}",
            verdict.outcomes
        );
    }

    // A late answer, and one without frames.
    environment.advance(vision::challenge::VALIDITY_PERIOD);
    assert!(zoom.verify(&good, SAME_PERSON_DISTANCE, environment.now()).passed, "to the last second");
    environment.advance(jiff::SignedDuration::from_secs(1));
    assert_eq!(
        failed_checks(&zoom.verify(&good, SAME_PERSON_DISTANCE, environment.now())),
        [ChallengeCheck::InTime]
    );
    let nothing = zoom.verify(&[], SAME_PERSON_DISTANCE, environment.now());
    assert!(!nothing.passed && nothing.poses.is_empty() && nothing.portrait.is_none());
}

#[test]
fn a_challenge_is_random_and_survives_serialisation() {
    let environment = environment();
    let chosen: Vec<LivenessChallenge> =
        (0..200).map(|_| LivenessChallenge::random(&environment, ChallengeKind::Turn)).collect();
    let mut distinct: Vec<String> =
        chosen.iter().map(|one| serde_json::to_string(&one.moves).unwrap()).collect();
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() > 40, "{}", distinct.len());
    let text = serde_json::to_string(&chosen[0]).unwrap();
    assert_eq!(serde_json::from_str::<LivenessChallenge>(&text).unwrap(), chosen[0]);
    assert!(
        text.contains("\"kind\":\"TURN\"") && text.contains("\"expires_at\":\"2026-01-01T00:01:30Z\""),
        "{text}"
    );
}
