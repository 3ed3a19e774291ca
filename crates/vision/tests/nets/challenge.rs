//! Challenges answered by simulated heads and sheets; who else passes, and how often, is in `docs/ACCURACY.md`.

use crate::stage::{load, photo};
use base::{Picture, StillWorld, World as _};
use fixtures::{
    head::{Form, Model, Stance, path},
    scene::Scene,
};
use vision::{
    Face, Vision,
    challenge::{Challenge, Check, Kind, Move, Observation, Pose, Verdict},
};

/// The person of the sample photos who looks straightest into the camera.
fn sitter(vision: &mut Vision) -> (Picture, Face) {
    let mut straightest: Option<(f32, Picture, Face)> = None;
    for number in [1, 3, 5] {
        let photo = photo(number);
        for face in vision.detect(&photo).unwrap() {
            let Some(Pose { yaw, pitch, .. }) = Pose::of(&face) else { continue };
            let off = yaw.abs() + pitch.abs();
            if vision.counts(&face) && straightest.as_ref().is_none_or(|(least, ..)| off < *least) {
                straightest = Some((off, photo.clone(), face));
            }
        }
    }
    let (_, photo, face) = straightest.unwrap();
    (photo, face)
}

/// What the camera sees of somebody who makes these moves.
fn performed(vision: &mut Vision, form: Form, moves: &[Move]) -> Vec<Observation> {
    let (photo, face) = sitter(vision);
    let model = Model::new(&photo, [face.left, face.top, face.right, face.bottom], form);
    // The front of a head is nearer than its middle.
    let front = if form == Form::Head { 0.0 } else { 0.8 };
    let mut ahead = Stance { distance: 4.0 - front, ..Stance::default() };
    let mut stops = vec![ahead];
    for one in moves {
        let there = match one {
            Move::Left => Stance { yaw: 0.56, ..ahead },
            Move::Right => Stance { yaw: -0.56, ..ahead },
            Move::Up => Stance { pitch: 0.45, ..ahead },
            Move::Nearer => Stance { distance: 2.75 - front, ..ahead },
            Move::Farther => Stance { distance: 5.6 - front, ..ahead },
        };
        ahead.distance = there.distance;
        stops.extend([there, ahead]);
    }
    let background = Scene::draw(480, 640, 3, 3.0).picture();
    let frames = path(&stops, 4).into_iter().enumerate();
    let look = |(at, stance): (usize, Stance)| {
        Observation::of(vision, &model.render(stance, &background), at as f64 * 0.15).unwrap()
    };
    frames.map(look).collect()
}

fn challenge(world: &StillWorld, kind: Kind, moves: &[Move]) -> Challenge {
    Challenge { moves: moves.to_vec(), ..Challenge::choose(world, kind) }
}

fn world() -> StillWorld {
    StillWorld::at("2026-01-01T00:00:00Z")
}

fn broken(verdict: &Verdict) -> Vec<Check> {
    assert_eq!(verdict.passed, verdict.reasons().next().is_none());
    verdict.reasons().map(|outcome| outcome.check).collect()
}

const SAME: f32 = 0.53;

/// What spoils an answer.
type Fault = fn(&mut Vec<Observation>);

#[test]
fn a_head_that_does_as_it_is_told_passes_and_does_not_pass_another_challenge() {
    let (mut vision, world) = (load(), world());
    let moves = [Move::Left, Move::Nearer, Move::Right];
    let seen = performed(&mut vision, Form::Head, &moves);
    let verdict = challenge(&world, Kind::Turn, &moves).check(&seen, SAME, world.now());
    assert!(verdict.passed, "{:#?}", verdict.reasons().collect::<Vec<_>>());
    assert_eq!(verdict.poses.len(), seen.len());
    assert!(verdict.poses.iter().all(Option::is_some));
    let portrait = verdict.portrait.unwrap();
    assert!(verdict.poses[portrait].unwrap().yaw.abs() < 20.0, "the portrait looks ahead");

    for other in [
        [Move::Right, Move::Nearer, Move::Left],
        [Move::Left, Move::Right, Move::Nearer],
        [Move::Left, Move::Farther, Move::Right],
        [Move::Left, Move::Nearer, Move::Up],
    ] {
        let verdict = challenge(&world, Kind::Turn, &other).check(&seen, SAME, world.now());
        assert!(broken(&verdict).contains(&Check::Moves), "{other:?}");
    }
}

#[test]
fn a_sheet_that_makes_the_same_moves_does_not_pass() {
    let (mut vision, world) = (load(), world());
    let moves = [Move::Left, Move::Nearer, Move::Right];
    let challenge = challenge(&world, Kind::Turn, &moves);
    for form in [Form::Sheet { bend: 0.0, lean: 0.0 }, Form::Sheet { bend: 1.0, lean: 0.0 }] {
        let seen = performed(&mut vision, form, &moves);
        let verdict = challenge.check(&seen, SAME, world.now());
        assert!(!verdict.passed, "{form:?}: {:#?}", verdict.outcomes);
        assert!(broken(&verdict).contains(&Check::Moves), "{form:?}: {:#?}", verdict.outcomes);
    }
}

/// One good answer, and each thing that can be wrong with it.
#[test]
fn each_fault_is_named() {
    let (mut vision, world) = (load(), world());
    let moves = [Move::Nearer, Move::Right, Move::Left];
    let zoom = challenge(&world, Kind::Zoom, &moves);
    let good = performed(&mut vision, Form::Head, &moves);
    let verdict = zoom.check(&good, SAME, world.now());
    assert_eq!(broken(&verdict), [], "{:#?}", verdict.outcomes);

    let faults: [(&str, Check, Fault); 8] = [
        ("too few", Check::Frames, |seen| seen.truncate(9)),
        ("a pause", Check::Unbroken, |seen| seen.iter_mut().skip(12).for_each(|one| one.time += 0.6)),
        ("backwards", Check::Unbroken, |seen| seen[5].time = 0.0),
        ("a time that is none", Check::Unbroken, |seen| seen[5].time = f64::NAN),
        ("somebody beside", Check::OneFace, |seen| seen[7].faces = 2),
        ("nobody", Check::OneFace, |seen| seen.iter_mut().take(6).for_each(|one| one.face = None)),
        ("another person", Check::SamePerson, |seen| {
            let one = seen.last_mut().unwrap().embedding.as_mut().unwrap();
            one[0] += 0.6;
        }),
        ("a jump", Check::Smooth, |seen| {
            let face = seen[6].face.as_mut().unwrap();
            (face.left, face.right) = (face.left + 400.0, face.right + 400.0);
        }),
    ];
    for (name, check, fault) in faults {
        let mut seen = good.clone();
        fault(&mut seen);
        let verdict = zoom.check(&seen, SAME, world.now());
        assert!(!verdict.passed && broken(&verdict).contains(&check), "{name}: {:#?}", verdict.outcomes);
    }

    // Late, and an answer without anything in it.
    world.advance(vision::challenge::VALID);
    assert!(zoom.check(&good, SAME, world.now()).passed, "to the last second");
    world.advance(jiff::SignedDuration::from_secs(1));
    assert_eq!(broken(&zoom.check(&good, SAME, world.now())), [Check::InTime]);
    let nothing = zoom.check(&[], SAME, world.now());
    assert!(!nothing.passed && nothing.poses.is_empty() && nothing.portrait.is_none());
}

#[test]
fn a_challenge_is_chosen_by_chance_and_read_as_it_was_written() {
    let world = world();
    let chosen: Vec<Challenge> = (0..200).map(|_| Challenge::choose(&world, Kind::Turn)).collect();
    let mut each: Vec<String> = chosen.iter().map(|one| serde_json::to_string(&one.moves).unwrap()).collect();
    each.sort();
    each.dedup();
    assert!(each.len() > 40, "{}", each.len());
    let text = serde_json::to_string(&chosen[0]).unwrap();
    assert_eq!(serde_json::from_str::<Challenge>(&text).unwrap(), chosen[0]);
    assert!(
        text.contains("\"kind\":\"TURN\"") && text.contains("\"expires_at\":\"2026-01-01T00:01:30Z\""),
        "{text}"
    );
}
