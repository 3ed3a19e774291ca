//! Challenges answered by simulated heads and sheets; who else passes, and how often, is in `docs/ACCURACY.md`.

use crate::stage::{load, photo};
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

/// The person of the sample photos who looks straightest into the camera.
fn sitter(vision: &mut VisionModels) -> (Picture, Face) {
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

/// What the camera sees of somebody who makes these moves.
fn performed(
    vision: &mut VisionModels,
    form: PhotoSurface,
    moves: &[ChallengeMove],
) -> Vec<FrameObservation> {
    let (photo, face) = sitter(vision);
    let model = HeadModel::new(&photo, [face.left, face.top, face.right, face.bottom], form);
    // The front of a head is nearer than its middle.
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

fn challenge(world: &TestEnvironment, kind: ChallengeKind, moves: &[ChallengeMove]) -> LivenessChallenge {
    LivenessChallenge { moves: moves.to_vec(), ..LivenessChallenge::random(world, kind) }
}

fn world() -> TestEnvironment {
    TestEnvironment::at("2026-01-01T00:00:00Z")
}

fn broken(verdict: &ChallengeVerdict) -> Vec<ChallengeCheck> {
    assert_eq!(verdict.passed, verdict.reasons().next().is_none());
    verdict.reasons().map(|outcome| outcome.check).collect()
}

const SAME: f32 = 0.53;

/// What spoils an answer.
type Fault = fn(&mut Vec<FrameObservation>);

#[test]
fn a_head_that_does_as_it_is_told_passes_and_does_not_pass_another_challenge() {
    let (mut vision, world) = (load(), world());
    let moves = [ChallengeMove::Left, ChallengeMove::Nearer, ChallengeMove::Right];
    let seen = performed(&mut vision, PhotoSurface::Head, &moves);
    let verdict = challenge(&world, ChallengeKind::Turn, &moves).verify(&seen, SAME, world.now());
    assert!(verdict.passed, "{:#?}", verdict.reasons().collect::<Vec<_>>());
    assert_eq!(verdict.poses.len(), seen.len());
    assert!(verdict.poses.iter().all(Option::is_some));
    let portrait = verdict.portrait.unwrap();
    assert!(verdict.poses[portrait].unwrap().yaw.abs() < 20.0, "the portrait looks ahead");

    for other in [
        [ChallengeMove::Right, ChallengeMove::Nearer, ChallengeMove::Left],
        [ChallengeMove::Left, ChallengeMove::Right, ChallengeMove::Nearer],
        [ChallengeMove::Left, ChallengeMove::Farther, ChallengeMove::Right],
        [ChallengeMove::Left, ChallengeMove::Nearer, ChallengeMove::Up],
    ] {
        let verdict = challenge(&world, ChallengeKind::Turn, &other).verify(&seen, SAME, world.now());
        assert!(broken(&verdict).contains(&ChallengeCheck::Moves), "{other:?}");
    }
}

#[test]
fn a_sheet_that_makes_the_same_moves_does_not_pass() {
    let (mut vision, world) = (load(), world());
    let moves = [ChallengeMove::Left, ChallengeMove::Nearer, ChallengeMove::Right];
    let challenge = challenge(&world, ChallengeKind::Turn, &moves);
    for form in [PhotoSurface::Sheet { bend: 0.0, lean: 0.0 }, PhotoSurface::Sheet { bend: 1.0, lean: 0.0 }] {
        let seen = performed(&mut vision, form, &moves);
        let verdict = challenge.verify(&seen, SAME, world.now());
        assert!(!verdict.passed, "{form:?}: {:#?}", verdict.outcomes);
        assert!(broken(&verdict).contains(&ChallengeCheck::Moves), "{form:?}: {:#?}", verdict.outcomes);
    }
}

/// One good answer, and each thing that can be wrong with it.
#[test]
fn each_fault_is_named() {
    let (mut vision, world) = (load(), world());
    let moves = [ChallengeMove::Nearer, ChallengeMove::Right, ChallengeMove::Left];
    let zoom = challenge(&world, ChallengeKind::Zoom, &moves);
    let good = performed(&mut vision, PhotoSurface::Head, &moves);
    let verdict = zoom.verify(&good, SAME, world.now());
    assert_eq!(broken(&verdict), [], "{:#?}", verdict.outcomes);

    let faults: [(&str, ChallengeCheck, Fault); 8] = [
        ("too few", ChallengeCheck::Frames, |seen| seen.truncate(9)),
        ("a pause", ChallengeCheck::Unbroken, |seen| {
            seen.iter_mut().skip(12).for_each(|one| one.time += 0.6);
        }),
        ("backwards", ChallengeCheck::Unbroken, |seen| seen[5].time = 0.0),
        ("a time that is none", ChallengeCheck::Unbroken, |seen| seen[5].time = f64::NAN),
        ("somebody beside", ChallengeCheck::OneFace, |seen| seen[7].faces = 2),
        ("nobody", ChallengeCheck::OneFace, |seen| seen.iter_mut().take(6).for_each(|one| one.face = None)),
        ("another person", ChallengeCheck::SamePerson, |seen| {
            let one = seen.last_mut().unwrap().embedding.as_mut().unwrap();
            one[0] += 0.6;
        }),
        ("a jump", ChallengeCheck::Smooth, |seen| {
            let face = seen[6].face.as_mut().unwrap();
            (face.left, face.right) = (face.left + 400.0, face.right + 400.0);
        }),
    ];
    for (name, check, fault) in faults {
        let mut seen = good.clone();
        fault(&mut seen);
        let verdict = zoom.verify(&seen, SAME, world.now());
        assert!(!verdict.passed && broken(&verdict).contains(&check), "{name}: {:#?}", verdict.outcomes);
    }

    // Late, and an answer without anything in it.
    world.advance(vision::challenge::VALIDITY_PERIOD);
    assert!(zoom.verify(&good, SAME, world.now()).passed, "to the last second");
    world.advance(jiff::SignedDuration::from_secs(1));
    assert_eq!(broken(&zoom.verify(&good, SAME, world.now())), [ChallengeCheck::InTime]);
    let nothing = zoom.verify(&[], SAME, world.now());
    assert!(!nothing.passed && nothing.poses.is_empty() && nothing.portrait.is_none());
}

#[test]
fn a_challenge_is_chosen_by_chance_and_read_as_it_was_written() {
    let world = world();
    let chosen: Vec<LivenessChallenge> =
        (0..200).map(|_| LivenessChallenge::random(&world, ChallengeKind::Turn)).collect();
    let mut each: Vec<String> = chosen.iter().map(|one| serde_json::to_string(&one.moves).unwrap()).collect();
    each.sort();
    each.dedup();
    assert!(each.len() > 40, "{}", each.len());
    let text = serde_json::to_string(&chosen[0]).unwrap();
    assert_eq!(serde_json::from_str::<LivenessChallenge>(&text).unwrap(), chosen[0]);
    assert!(
        text.contains("\"kind\":\"TURN\"") && text.contains("\"expires_at\":\"2026-01-01T00:01:30Z\""),
        "{text}"
    );
}
